package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
)

// figures are the results of one round.
type figures struct {
	answered, failed int // calls of all workers
	byPath           map[string]pathFigures
}

// pathFigures are the figures of one endpoint.
type pathFigures struct {
	vain      int           // requests during the trouble
	late      int           // requests in the second half of the trouble, when all circuit breakers are open
	atOnce    int           // the largest number of late requests within 250 ms
	recovered int           // workers that got an answer after the trouble
	median    time.Duration // from the end of the trouble to a worker's first answer
	slowest   time.Duration
}

// add adds the counts of the provider to f.
func (f *figures) add(p *provider, pl plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f.byPath = map[string]pathFigures{}
	for path, answered := range p.back {
		vain := p.vain[path]
		slices.Sort(vain)
		first, _ := slices.BinarySearch(vain, pl.trouble/2)
		one := pathFigures{vain: len(vain), late: len(vain) - first, atOnce: densest(vain[first:], 250*time.Millisecond), recovered: len(answered)}
		var after []time.Duration
		for _, at := range answered {
			after = append(after, at.Sub(p.end))
		}
		slices.Sort(after)
		if len(after) > 0 {
			one.median, one.slowest = after[len(after)/2], after[len(after)-1]
		}
		f.byPath[path] = one
	}
}

// densest returns the largest number of elements of times that lie within a period of
// length window. The slice times must be in ascending order.
func densest(times []time.Duration, window time.Duration) (most int) {
	for i, at := range times {
		n, _ := slices.BinarySearch(times, at+window)
		most = max(most, n-i)
	}
	return most
}

// report prints the figures of both rounds.
func report(w io.Writer, alone, shared figures) {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = 0 // keep the case
	t.AppendHeader(table.Row{"", "each by itself", "shared"})
	row := func(name string, value func(figures) any) { t.AppendRow(table.Row{name, value(alone), value(shared)}) }
	for _, e := range []struct{ name, path string }{{"away", awayPath}, {"rate limited", limitedPath}} {
		row("endpoint "+e.name+": requests in vain", func(f figures) any { return f.byPath[e.path].vain })
		row("  in the second half of the trouble", func(f figures) any { return f.byPath[e.path].late })
		row("  of these within 250 ms, at most", func(f figures) any { return f.byPath[e.path].atOnce })
		row("  time to recover, median worker", func(f figures) any { return f.byPath[e.path].median.Round(10 * time.Millisecond) })
		row("  time to recover, slowest worker", func(f figures) any { return f.byPath[e.path].slowest.Round(10 * time.Millisecond) })
		row("  workers that recovered", func(f figures) any { return f.byPath[e.path].recovered })
		t.AppendSeparator()
	}
	row("calls answered", func(f figures) any { return f.answered })
	row("calls failed", func(f figures) any { return f.failed })
	t.Render()
	fmt.Fprintln(w, "A request in the second half is a trial of an open breaker, or the first one after a hold.")
}
