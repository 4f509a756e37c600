package signal

import "sync"

// ListSize is the maximum number of signals in a list. Real errors have fewer than
// 16.
const ListSize = 32

// firstSize is the number of signals that fit into the List itself. A list with more
// signals takes memory from a pool.
const firstSize = 10

// List has the signals that were found for one error. The zero List is empty. If more
// than [ListSize] signals are added, the list keeps hints (signals without a reason)
// first, then the other signals in [Order]. So the order in which signals are added
// does not matter.
type List struct {
	first [firstSize]Signal
	room  *[ListSize]Signal // from the pool rooms; has all signals if there are more than firstSize
	n     int
	last  int // in a full list, the index of the signal to replace next
}

var rooms = sync.Pool{New: func() any { return new([ListSize]Signal) }}

// All returns the signals of the list. The slice shares the memory of the list.
func (l *List) All() []Signal {
	if l.room != nil {
		return l.room[:l.n]
	}
	return l.first[:l.n]
}

// Release returns the memory of the list to a pool. The list and its signals must
// not be used afterwards.
func (l *List) Release() {
	if l.room != nil {
		clear(l.room[:]) // drop all references to the evidence
		rooms.Put(l.room)
		l.room, l.n = nil, 0
	}
}

// Add adds a copy of s, unless the list already has an equal signal.
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

// keep compares two signals of a full list, which keeps only one of them. If the list
// keeps the first one, the result is negative. If only one of them is a hint (a signal
// without a reason), the hint is kept. Otherwise [Order] decides.
func keep(a, b *Signal) int {
	if a, b := a.Reason == NoReason, b.Reason == NoReason; a != b {
		if a {
			return -1
		}
		return 1
	}
	return Order(a, b)
}

// same reports whether two signals of one rule are equal.
func same(a, b *Signal) bool {
	return a.Reason == b.Reason && a.Category == b.Category && a.Strength == b.Strength && a.Status == b.Status &&
		a.Part == b.Part && a.Source == b.Source && a.Offset == b.Offset && a.Faint == b.Faint && a.Place == b.Place
}
