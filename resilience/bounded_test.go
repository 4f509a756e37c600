package resilience

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
)

// plainMap is a simple reference implementation of a bounded map. The least recently
// used entry comes first.
type plainMap struct {
	most    int
	entries []boundedEntry[int, int]
}

func (m *plainMap) find(k int) int {
	return slices.IndexFunc(m.entries, func(e boundedEntry[int, int]) bool { return e.key == k })
}

// use moves an entry to the end of the list.
func (m *plainMap) use(i int) {
	e := m.entries[i]
	m.entries = append(slices.Delete(m.entries, i, i+1), e)
}

func (m *plainMap) count(r rank) int {
	n := 0
	for _, e := range m.entries {
		if e.rank == r {
			n++
		}
	}
	return n
}

func (m *plainMap) add(k, v int, r rank) (forgotten []int) {
	for r != pinned && m.count(plain)+m.count(held) >= m.most {
		drop := plain
		if m.count(plain) == 0 || m.count(held) > m.most/4*3 {
			drop = held
		}
		i := slices.IndexFunc(m.entries, func(e boundedEntry[int, int]) bool { return e.rank == drop })
		forgotten = append(forgotten, m.entries[i].value)
		m.entries = slices.Delete(m.entries, i, i+1)
	}
	m.entries = append(m.entries, boundedEntry[int, int]{k, v, r})
	return forgotten
}

// A bounded map keeps the same entries as the reference after any operations.
func TestBoundedProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 12).Draw(t, "most")
		got, want := newBounded[int, int](most), &plainMap{most: most}
		key := rapid.IntRange(0, 30)
		ranks := rapid.SampledFrom([]rank{plain, plain, plain, held, held, pinned})
		t.Repeat(map[string]func(*rapid.T){
			"use or add": func(t *rapid.T) {
				k, v, r := key.Draw(t, "key"), rapid.Int().Draw(t, "value"), ranks.Draw(t, "rank")
				value, ok := got.get(k)
				i := want.find(k)
				if ok != (i >= 0) {
					t.Fatalf("key %d: got %v, want %v", k, ok, i >= 0)
				}
				if ok {
					if value != want.entries[i].value {
						t.Fatalf("key %d: got %d, want %d", k, value, want.entries[i].value)
					}
					want.use(i)
					return
				}
				before := want.count(plain) + want.count(held)
				if dropped, must := got.add(k, v, r), want.add(k, v, r); !slices.Equal(dropped, must) {
					t.Fatalf("forgot %v, want %v", dropped, must)
				}
				if n := want.count(plain) + want.count(held); r != pinned && n > most || n > before+1 {
					t.Fatalf("%d entries that are not pinned, of %d", n, most)
				}
			},
			"place": func(t *rapid.T) {
				k, r := key.Draw(t, "key"), ranks.Draw(t, "rank")
				got.setRank(k, r)
				if i := want.find(k); i >= 0 && want.entries[i].rank != r {
					want.entries[i].rank = r
					want.use(i)
				}
			},
			"remove": func(t *rapid.T) {
				k := key.Draw(t, "key")
				got.remove(k)
				if i := want.find(k); i >= 0 {
					want.entries = slices.Delete(want.entries, i, i+1)
				}
			},
			"": func(t *rapid.T) {
				if got.len() != len(want.entries) {
					t.Fatalf("%d entries, want %d", got.len(), len(want.entries))
				}
				for k, v := range got.each() {
					if i := want.find(k); i < 0 || want.entries[i].value != v {
						t.Fatalf("key %d has %d, want %+v", k, v, want.entries)
					}
				}
				for r := plain; r <= pinned; r++ {
					i := slices.IndexFunc(want.entries, func(e boundedEntry[int, int]) bool { return e.rank == r })
					if v, ok := got.oldest(r); ok != (i >= 0) || ok && v != want.entries[i].value {
						t.Fatalf("oldest of rank %d is %d, %v, want %+v", r, v, ok, want.entries)
					}
				}
			},
		})
	})
}

// A map of type recent stays small even if each key is used only once.
func TestRecentBounds(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for _, tt := range []struct {
		name       string
		most, want int
		step       time.Duration // time between two keys
	}{
		{name: "all at once", want: MaxKeys},
		{name: "all at once, with a bound of its own", most: 2000, want: 2000},
		{name: "a minute apart", step: time.Minute, want: sweepThreshold},
		{name: "a second apart", step: time.Second, want: int(idleTimeout/time.Second) + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := recent[int, int]{capacity: tt.most}
			for i := range 2 * MaxKeys {
				r.set(i, i, start.Add(time.Duration(i)*tt.step))
			}
			assert.Equal(t, tt.want, r.entries.len())
			v, ok := r.get(2*MaxKeys-1, start)
			assert.True(t, ok)
			assert.Equal(t, 2*MaxKeys-1, v)
		})
	}
}

// A million failing endpoints never have more than MaxEndpoints breakers. An open
// breaker is kept.
func TestBreakersMillionEndpoints(t *testing.T) {
	t.Parallel()
	down := classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork}
	for callers, endpoints := range map[int]int{1: 100_000, 10: 1_000_000, 1000: 100_000} {
		t.Run(fmt.Sprint(callers, " callers"), func(t *testing.T) {
			t.Parallel()
			b := newBreakers(newLiveConfig(nil), options{}, func(context.Context, Event) {})
			fail := func(endpoint string) {
				p, ok := b.gateFor(t.Context(), Target{Endpoint: endpoint}).admit()
				assert.True(t, ok)
				p.done(t.Context(), outcomeDown, down, time.Now(), 0)
			}
			for range 5 {
				fail("open")
			}
			var wg sync.WaitGroup
			for c := range callers {
				wg.Go(func() {
					for i := range endpoints / callers {
						fail(strconv.Itoa(c*endpoints + i))
					}
				})
			}
			wg.Wait()
			fail("last")
			assert.Equal(t, MaxEndpoints, b.byName.len())
			assert.Len(t, b.Snapshot(), MaxEndpoints)
			assert.True(t, b.get(t.Context(), "open", "").open)
			assert.Equal(t, 1, b.get(t.Context(), "last", "").failures)
			cached := 0
			b.cache.Range(func(any, any) bool { cached++; return true })
			assert.LessOrEqual(t, cached, MaxEndpoints, "the cache forgets what the breakers forget")
		})
	}
}
