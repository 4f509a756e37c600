package resilience

import (
	"container/list"
	"iter"
)

// rank says how well an entry of a full [bounded] map is protected against removal.
type rank uint8

const (
	plain  rank = iota // removed first
	held               // removed if there is no plain entry or too many held entries
	pinned             // never removed; does not count towards the capacity
)

// bounded is a map with a limited number of entries. In a full map, a new entry
// replaces the least recently used entry of one rank:
//
//   - Normally, the new entry replaces one of rank plain.
//   - If no entry has the rank plain, the new entry replaces one of rank held.
//   - If entries of rank held fill more than 3/4 of the capacity, the new entry
//     replaces one of them.
//
// Entries of rank pinned are never replaced. A bounded map is not safe for
// concurrent use.
type bounded[K comparable, V any] struct {
	capacity int // limit of entries that are not pinned
	entries  map[K]*list.Element
	ranks    [pinned + 1]list.List // most recently used first
}

type boundedEntry[K comparable, V any] struct {
	key   K
	value V
	rank  rank
}

func newBounded[K comparable, V any](capacity int) *bounded[K, V] {
	return &bounded[K, V]{capacity: capacity, entries: map[K]*list.Element{}}
}

func entryOf[K comparable, V any](e *list.Element) *boundedEntry[K, V] {
	return e.Value.(*boundedEntry[K, V])
}

func (b *bounded[K, V]) len() int { return len(b.entries) }

// get returns the value of k and marks the entry as used.
func (b *bounded[K, V]) get(k K) (value V, ok bool) {
	e, ok := b.entries[k]
	if !ok {
		return value, false
	}
	entry := entryOf[K, V](e)
	b.ranks[entry.rank].MoveToFront(e)
	return entry.value, true
}

// add inserts a value under a new key. It returns the values that it removed to make
// room.
func (b *bounded[K, V]) add(k K, value V, r rank) (removed []V) {
	for r != pinned && b.ranks[plain].Len()+b.ranks[held].Len() >= b.capacity {
		removed = append(removed, b.evict())
	}
	b.entries[k] = b.ranks[r].PushFront(&boundedEntry[K, V]{k, value, r})
	return removed
}

// evict removes one entry that is not pinned. The map must have such an entry.
func (b *bounded[K, V]) evict() (removed V) {
	from := &b.ranks[plain]
	if from.Len() == 0 || b.ranks[held].Len() > b.capacity/4*3 {
		from = &b.ranks[held]
	}
	entry := entryOf[K, V](from.Back())
	b.remove(entry.key)
	return entry.value
}

// setRank changes the rank of an entry and marks the entry as used. If the entry
// already has the rank r, setRank does nothing.
func (b *bounded[K, V]) setRank(k K, r rank) {
	e, ok := b.entries[k]
	if !ok || entryOf[K, V](e).rank == r {
		return
	}
	entry := entryOf[K, V](e)
	b.ranks[entry.rank].Remove(e)
	entry.rank = r
	b.entries[k] = b.ranks[r].PushFront(entry)
}

// matches reports whether the key exists and its value satisfies f. It does not mark
// the entry as used.
func (b *bounded[K, V]) matches(k K, f func(V) bool) bool {
	e, ok := b.entries[k]
	return ok && f(entryOf[K, V](e).value)
}

func (b *bounded[K, V]) remove(k K) {
	if e, ok := b.entries[k]; ok {
		b.ranks[entryOf[K, V](e).rank].Remove(e)
		delete(b.entries, k)
	}
}

// oldest returns the least recently used entry of a rank, if there is one.
func (b *bounded[K, V]) oldest(r rank) (value V, ok bool) {
	e := b.ranks[r].Back()
	if e == nil {
		return value, false
	}
	return entryOf[K, V](e).value, true
}

// each iterates over all entries in no particular order. The loop may remove the
// current entry.
func (b *bounded[K, V]) each() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, e := range b.entries {
			if !yield(k, entryOf[K, V](e).value) {
				return
			}
		}
	}
}
