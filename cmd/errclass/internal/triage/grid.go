package triage

import "time"

// steps are the lengths of time steps in seconds. Each length divides the next one.
var steps = [...]int64{
	1, 5, 15, 60, 5 * 60, 15 * 60, 3600, 3 * 3600, 6 * 3600, 86400, 7 * 86400, 28 * 86400, 364 * 86400, 3640 * 86400,
}

// A time outside of these years is ignored, because it comes from a wrong clock.
const (
	firstYear = 1990
	lastYear  = 2100
)

// usable returns t in nanoseconds since 1970, or 0 if the year of t is ignored.
func usable(t time.Time) int64 {
	if y := t.Year(); y < firstYear || y > lastYear {
		return 0
	}
	return t.UnixNano()
}

// grid divides the period of the events into at most MaxSteps steps.
type grid struct {
	level       int // index into steps
	first, last int64
	any         bool
}

// add extends the grid to include the time sec, in seconds since 1970.
func (g *grid) add(sec int64) {
	if !g.any {
		g.first, g.last, g.any = sec, sec, true
	}
	g.first, g.last = min(g.first, sec), max(g.last, sec)
	for g.length() > MaxSteps && g.level < len(steps)-1 {
		g.level++
	}
}

func (g *grid) step() int64 { return steps[g.level] }

// length returns the number of steps.
func (g *grid) length() int {
	if !g.any {
		return 0
	}
	return int(g.last/g.step() - g.first/g.step() + 1)
}

// counts has the number of events in each step. Its steps can be shorter than those of
// the grid until coarsen joins them.
type counts struct {
	level int
	start int64 // number of the first step, counted from 1970
	n     []int64
}

// add counts n events at the time sec, in seconds since 1970.
func (c *counts) add(g *grid, sec, n int64) {
	c.coarsen(g.level)
	*c.at(sec / g.step()) += n
}

// at returns a pointer to the count of a step.
func (c *counts) at(step int64) *int64 {
	switch {
	case len(c.n) == 0:
		c.start, c.n = step, append(c.n, 0)
	case step < c.start:
		c.n = append(make([]int64, c.start-step, c.start-step+int64(len(c.n))), c.n...)
		c.start = step
	}
	for int64(len(c.n)) <= step-c.start {
		c.n = append(c.n, 0)
	}
	return &c.n[step-c.start]
}

// coarsen joins steps until they have the length steps[level].
func (c *counts) coarsen(level int) {
	if c.level == level {
		return
	}
	old := *c
	*c = counts{level: level}
	factor := steps[level] / steps[old.level]
	for i, n := range old.n {
		if n > 0 {
			*c.at((old.start + int64(i)) / factor) += n
		}
	}
}

// merge adds the counts of o.
func (c *counts) merge(g *grid, o *counts) {
	c.coarsen(g.level)
	o.coarsen(g.level)
	for i, n := range o.n {
		if n > 0 {
			*c.at(o.start + int64(i)) += n
		}
	}
}

// series returns the counts as a Series. Its Offset counts from the grid's first step.
func (c *counts) series(g *grid) Series {
	c.coarsen(g.level)
	if len(c.n) == 0 {
		return Series{Counts: []int64{}}
	}
	return Series{Offset: int(c.start - g.first/g.step()), Counts: c.n}
}
