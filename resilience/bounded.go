package resilience

import (
	"container/list"
	"iter"
)

// rank says what a [bounded] map forgets first.
type rank uint8

const (
	plain  rank = iota // forgotten first
	held               // forgotten where there is no plain entry, or too many are held
	pinned             // never forgotten, and not counted
)

// bounded is a map that forgets: keys come from callers, and from peers by way
// of redirects. When it is full, a new entry takes the place of the plain entry
// that was used least recently. Held entries stay longer, but no more than three
// quarters are held when a new entry comes: otherwise whoever fills the map with
// them would leave no room for all others.
//
// All of its methods but each take constant time, over many calls. It is not safe for concurrent
// use.
type bounded[K comparable, V any] struct {
	most    int // entries that are not pinned
	entries map[K]*list.Element
	ranks   [pinned + 1]list.List // the most recently used one is in front
}

type boundedEntry[K comparable, V any] struct {
	key   K
	value V
	rank  rank
}

func newBounded[K comparable, V any](most int) *bounded[K, V] {
	return &bounded[K, V]{most: most, entries: map[K]*list.Element{}}
}

func entryOf[K comparable, V any](e *list.Element) *boundedEntry[K, V] {
	return e.Value.(*boundedEntry[K, V])
}

// len is the number of all entries.
func (b *bounded[K, V]) len() int { return len(b.entries) }

// get returns the value of k, which counts as a use.
func (b *bounded[K, V]) get(k K) (value V, ok bool) {
	e, ok := b.entries[k]
	if !ok {
		return value, false
	}
	entry := entryOf[K, V](e)
	b.ranks[entry.rank].MoveToFront(e)
	return entry.value, true
}

// add puts a value under a key that has none, and returns the values that were
// forgotten for it: mostly one or none, and more where pinned entries have become
// others since. A new entry is never forgotten for itself.
func (b *bounded[K, V]) add(k K, value V, r rank) (forgotten []V) {
	for r != pinned && b.ranks[plain].Len()+b.ranks[held].Len() >= b.most {
		forgotten = append(forgotten, b.evict())
	}
	b.entries[k] = b.ranks[r].PushFront(&boundedEntry[K, V]{k, value, r})
	return forgotten
}

// evict forgets one entry that is not pinned. There must be one.
func (b *bounded[K, V]) evict() (forgotten V) {
	from := &b.ranks[plain]
	if from.Len() == 0 || b.ranks[held].Len() > b.most/4*3 {
		from = &b.ranks[held]
	}
	entry := entryOf[K, V](from.Back())
	b.remove(entry.key)
	return entry.value
}

// place changes the rank of an entry. That is no use of it, but the newest of
// its new rank is where it begins.
func (b *bounded[K, V]) place(k K, r rank) {
	e, ok := b.entries[k]
	if !ok || entryOf[K, V](e).rank == r {
		return
	}
	entry := entryOf[K, V](e)
	b.ranks[entry.rank].Remove(e)
	entry.rank = r
	b.entries[k] = b.ranks[r].PushFront(entry)
}

// is reports whether an entry's value satisfies f. It is no use of the entry.
func (b *bounded[K, V]) is(k K, f func(V) bool) bool {
	e, ok := b.entries[k]
	return ok && f(entryOf[K, V](e).value)
}

// remove forgets k.
func (b *bounded[K, V]) remove(k K) {
	if e, ok := b.entries[k]; ok {
		b.ranks[entryOf[K, V](e).rank].Remove(e)
		delete(b.entries, k)
	}
}

// oldest returns the entry of a rank that was used least recently.
func (b *bounded[K, V]) oldest(r rank) (value V, ok bool) {
	e := b.ranks[r].Back()
	if e == nil {
		return value, false
	}
	return entryOf[K, V](e).value, true
}

// each returns all entries, in no order. The loop may remove the one at hand.
func (b *bounded[K, V]) each() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, e := range b.entries {
			if !yield(k, entryOf[K, V](e).value) {
				return
			}
		}
	}
}
