package triage

import (
	"cmp"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/cmd/errclass/internal/runbook"
	"github.com/errclass/errclass/internal/mask"
)

// report returns a Report without the fields about the inputs.
func (g *groups) report() *Report {
	r := &Report{
		Events: g.seen, NoTime: g.noTime, First: moment(g.first), Last: moment(g.last), Steps: g.grid.length(),
		Groups: []Group{},
	}
	if r.Steps > 0 {
		r.StepSeconds = g.grid.step()
		r.Start = time.Unix(g.grid.first/r.StepSeconds*r.StepSeconds, 0).UTC()
	}
	if g.restGroups > 0 {
		r.Rest = Rest{Events: g.restEvents, Groups: g.restGroups, Bound: g.bound, Counts: g.counts(g.rest)}
	}
	var totals []*total
	for _, t := range g.rest {
		sum := find(&totals, t.category, t.reason)
		sum.count += t.count
		sum.series.merge(&g.grid, &t.series)
	}
	for key, o := range g.byTemplate() {
		addTotal(&totals, g, o)
		r.Groups = append(r.Groups, g.grouped(o, key.template))
	}
	r.Counts = g.counts(totals)
	slices.SortFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Template, b.Template), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Category, b.Category))
	})
	used := make(map[string]bool, len(r.Groups))
	for i := range r.Groups {
		o := &r.Groups[i]
		for _, id := range []string{o.ID, o.ID + "-" + string(o.Reason), o.ID + "-" + string(o.Reason) + "-" + string(o.Category)} {
			if o.ID = id; !used[id] {
				break
			}
		}
		used[o.ID] = true
	}
	return r
}

// groupKey identifies a group of a report.
type groupKey struct {
	template string
	category classify.Category
	reason   classify.Reason
}

// byTemplate returns the groups by key. It merges groups that have the same key.
func (g *groups) byTemplate() map[groupKey]*group {
	type keyed struct {
		groupKey
		*group
	}
	found := make([]keyed, 0, g.count)
	for c := range g.tree.All() {
		template := c.Template()
		for _, o := range c.Value {
			found = append(found, keyed{groupKey{template, o.labels[0].category, o.labels[0].reason}, o})
		}
	}
	// The clusters come in any order. Sort, so that merging is deterministic.
	slices.SortFunc(found, func(a, b keyed) int { return cmp.Compare(a.examples[0].arrival, b.examples[0].arrival) })
	all := make(map[groupKey]*group, len(found))
	for _, o := range found {
		if joined := all[o.groupKey]; joined != nil {
			joined.merge(g, o.group)
		} else {
			all[o.groupKey] = o.group
		}
	}
	return all
}

// grouped converts the group o to a Group of a report.
func (g *groups) grouped(o *group, template string) Group {
	out := Group{
		ID:       fingerprint.ID(xxhash.Sum64String(template)).String(),
		Template: template, Count: o.count, Share: float64(o.count) / float64(g.seen), First: moment(o.first), Last: moment(o.last), Series: o.series.series(&g.grid),
		Category: o.labels[0].category, Reason: o.labels[0].reason, Confidence: o.mean(), WhatToDo: runbook.For(o.labels[0].reason),
	}
	out.Files, out.FilesMore = o.files.top()
	out.Services, out.ServicesMore = o.services.top()
	for _, x := range o.examples {
		example := Example{Text: mask.Text(x.full), Time: moment(x.time), File: x.file, Line: x.line, Service: x.service}
		if x.source != x.full {
			example.Source = mask.Text(x.source)
		}
		out.Examples = append(out.Examples, example)
	}
	return out
}

// counts converts totals to the Counts of a report.
func (g *groups) counts(totals []*total) []Count {
	out := []Count{}
	for _, t := range totals {
		out = append(out, Count{Category: t.category, Reason: t.reason, Count: t.count, Series: t.series.series(&g.grid)})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Category, b.Category), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// moment converts nanoseconds since 1970 to a time. 0 becomes the zero time.
func moment(nanos int64) time.Time {
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos).UTC()
}
