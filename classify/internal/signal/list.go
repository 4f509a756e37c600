package signal

import "sync"

// ListSize is how many signals a list holds. Real evidence has fewer than 16.
const ListSize = 32

// firstSize is how many signals a list holds before it takes more room: enough
// for 99 of 100 messages, and so few that clearing them costs next to nothing.
const firstSize = 10

// List is what the collectors found. The zero List is empty. What says the same
// as a signal that is in it already is not added. Of more signals than it holds
// it keeps those that come first in [Order], hints before all others: which they
// are depends on the signals, and not on the order in which they come.
type List struct {
	first [firstSize]Signal
	room  *[ListSize]Signal // all signals, once they are more than firstSize; from rooms
	n     int
	last  int // place of the last signal in Order, once the list is full
}

var rooms = sync.Pool{New: func() any { return new([ListSize]Signal) }}

// All returns the signals in the order in which they were added. The slice is
// part of the list.
func (l *List) All() []Signal {
	if l.room != nil {
		return l.room[:l.n]
	}
	return l.first[:l.n]
}

// Release gives back what the list took. It and its signals are not used
// thereafter.
func (l *List) Release() {
	if l.room != nil {
		clear(l.room[:]) // holds nothing of the evidence
		rooms.Put(l.room)
		l.room, l.n = nil, 0
	}
}

// Add adds a signal.
func (l *List) Add(s *Signal) {
	all := l.All()
	for i := range all {
		if all[i].Rule == s.Rule && same(&all[i], s) {
			return
		}
	}
	if l.n == ListSize {
		if keep(s, &all[l.last]) < 0 {
			all[l.last] = *s
			l.findLast(all)
		}
		return
	}
	if l.n == firstSize && l.room == nil {
		l.room = rooms.Get().(*[ListSize]Signal)
		copy(l.room[:], l.first[:])
	}
	l.n++
	all = l.All()
	all[l.n-1] = *s
	if l.n == ListSize {
		l.findLast(all)
	}
}

func (l *List) findLast(all []Signal) {
	for i := range all {
		if keep(&all[i], &all[l.last]) > 0 {
			l.last = i
		}
	}
}

// keep is Order with the hints first.
func keep(a, b *Signal) int {
	if a, b := a.Reason == NoReason, b.Reason == NoReason; a != b {
		if a {
			return -1
		}
		return 1
	}
	return Order(a, b)
}

// same reports whether two signals of one rule say the same.
func same(a, b *Signal) bool {
	return a.Reason == b.Reason && a.Category == b.Category && a.Strength == b.Strength && a.Status == b.Status &&
		a.Part == b.Part && a.Source == b.Source && a.Offset == b.Offset && a.Faint == b.Faint && a.Place == b.Place
}
