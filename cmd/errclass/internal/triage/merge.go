package triage

import (
	"cmp"
	"container/heap"
	"context"
	"io"
	"os"
	"slices"

	"github.com/errclass/errclass/cmd/errclass/internal/lines"
	"github.com/errclass/errclass/internal/shapes"
)

const (
	// maxOpen limits how many files are read at once. If there are more files, an event
	// can come after events with a later time.
	maxOpen = 32
	// batch is how many events a reader sends at once.
	batch = 128
	// maxPeek limits how many bytes peek reads from a file.
	maxPeek = 64 << 10
)

// source is an input. A goroutine reads it and sends its events.
type source struct {
	in     *input
	events chan []event
	batch  []event // received events, the next one first
	when   int64   // time by which the source is sorted
	order  int     // order of sources with equal times

	// stats and err are set before the channel of events is closed.
	stats fileStats
	err   error
}

// merger reads several inputs and yields the events in order of time. These events
// directly follow the previous event of the same input:
//
//   - events without a time
//   - events with an earlier time than the previous event
type merger struct {
	ctx     context.Context
	start   func(*input) *source
	waiting []*input // in the order of their first events
	open    sources
	done    func(*source)
	started int
}

// run yields all events. It stops early if ctx ends.
func (m *merger) run(yield func(*source, *event)) {
	slices.SortStableFunc(m.waiting, func(a, b *input) int { return cmp.Compare(a.first, b.first) })
	for {
		m.openMore()
		if m.ctx.Err() != nil {
			break
		}
		if len(m.open) == 0 {
			return
		}
		s := m.open[0]
		yield(s, &s.batch[0])
		s.batch = s.batch[1:]
		if m.next(s) {
			heap.Fix(&m.open, 0)
		} else {
			heap.Pop(&m.open)
		}
	}
	for _, s := range m.open { // ctx has ended, and the readers end soon
		m.rest(s, yield)
	}
}

// rest yields the events that the reader of s has already found.
func (m *merger) rest(s *source, yield func(*source, *event)) {
	for {
		for i := range s.batch {
			yield(s, &s.batch[i])
		}
		var ok bool
		if s.batch, ok = <-s.events; !ok {
			m.done(s)
			return
		}
	}
}

// openMore starts to read the inputs that may contain the next event.
func (m *merger) openMore() {
	for len(m.waiting) > 0 && len(m.open) < maxOpen {
		var begin []*source
		for len(m.waiting) > 0 && len(m.open)+len(begin) < maxOpen {
			in := m.waiting[0]
			if len(m.open)+len(begin) > 0 && in.first > m.earliest(begin) {
				break
			}
			s := m.start(in)
			s.order, s.when = m.started, in.first
			m.started++
			m.waiting = m.waiting[1:]
			begin = append(begin, s)
		}
		if len(begin) == 0 {
			return
		}
		for _, s := range begin {
			if m.next(s) {
				heap.Push(&m.open, s)
			}
		}
	}
}

// earliest returns the earliest time of the next events in open inputs. If no input
// is open, it returns the time of opening[0], which begins earliest.
func (m *merger) earliest(opening []*source) int64 {
	if len(m.open) > 0 {
		return m.open[0].when
	}
	return opening[0].when
}

// next waits for the next event of s. At the end, it returns false.
func (m *merger) next(s *source) bool {
	for len(s.batch) == 0 {
		var ok bool
		select {
		case s.batch, ok = <-s.events:
		case <-m.ctx.Done():
			return true // ctx has ended: run now calls rest
		}
		if !ok {
			m.done(s)
			return false
		}
	}
	if t := s.batch[0].time; t != 0 {
		s.when = t
	}
	return true
}

// sources is a heap of sources, ordered by the times of their next events.
type sources []*source

func (s sources) Len() int { return len(s) }

func (s sources) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(s[i].when, s[j].when), cmp.Compare(s[i].order, s[j].order)) < 0
}

func (s sources) Swap(i, j int) { s[i], s[j] = s[j], s[i] }

func (s *sources) Push(x any) { *s = append(*s, x.(*source)) }

func (s *sources) Pop() any {
	old := *s
	last := old[len(old)-1]
	*s = old[:len(old)-1]
	return last
}

// peek finds the first timestamp in the first maxPeek bytes of a file.
func (r *run) peek(in *input) {
	f, err := os.Open(in.name)
	if err != nil {
		return // reported when the file is read
	}
	defer f.Close()
	text, release, err := decompressed(contextReader{r.ctx, f})
	defer release()
	if err != nil {
		return
	}
	first := lines.NewReader(io.LimitReader(text, maxPeek), maxPeek, nil)
	first.JoinObjects(nil)
	reader := shapes.NewReader(r.shapes)
	visit := func(rec *shapes.Record) {
		if t, ok := rec.Time(); ok {
			in.first = usable(t)
		}
	}
	for in.first == 0 {
		line, err := first.Next()
		if err != nil {
			return
		}
		if reader.Read(line.Bytes, visit) && in.first != 0 {
			return
		}
		var event shapes.Events
		event.Add(line.Text())
		if in.first = usable(event.Event().Time); in.first == 0 {
			if t, ok := shapes.HeaderTime(line.Bytes, in.written); ok {
				in.first = usable(t)
			}
		}
	}
}
