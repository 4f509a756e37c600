package triage

import (
	"cmp"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/cmd/errclass/internal/triage/drain"
	"github.com/errclass/errclass/internal/mask"
)

const (
	// maxIDs is the maximum number of fingerprints in the map groups.ids.
	maxIDs = 1 << 16
	// maxKept limits how many files, and how many services, a group counts separately.
	maxKept = 4 * MaxOrigins
	// exampleBytes limits the total size of all examples. Once the total exceeds it, each
	// text of a new example is cut to shortExample bytes.
	exampleBytes = 16 << 20
	shortExample = 256
)

type cluster = drain.Cluster[[]*group]

// groups puts events into groups. It is not safe for concurrent use.
type groups struct {
	bound int
	tree  *drain.Tree[[]*group]
	// ids is a cache: it maps an event's fingerprint to the event's cluster. It is
	// cleared when it is full or when clusters are removed.
	ids   map[fingerprint.ID]*cluster
	count int   // number of groups
	seen  int64 // number of events
	size  int   // size of all examples
	grid  grid

	first, last int64 // earliest and latest time, or 0
	noTime      int64
	rest        []*total
	restGroups  int64
	restEvents  int64
}

// total counts the events with one category and reason.
type total struct {
	category classify.Category
	reason   classify.Reason
	count    int64
	series   counts
}

// group has events with one template. If the reasons of the events are from rules or
// from the records, the events also share one category and one reason.
type group struct {
	labels      []label // of the events; the label of the group comes first
	noRule      bool    // see event.noRule
	count       int64
	seen        int64 // number of the group's last event
	first, last int64 // earliest and latest time, or 0
	series      counts
	confidence  float64 // the sum over all events
	examples    []example
	files       origins
	services    origins
}

// label is a category and a reason.
type label struct {
	category classify.Category
	reason   classify.Reason
	count    int64 // number of events
	first    int64 // number of the first of these events
}

type example struct {
	event
	hash    uint64 // hash of its text
	file    string
	arrival int64 // number of the event
}

// size returns the number of bytes of the example's texts.
func (x *example) size() int { return len(x.full) + len(x.source) }

func newGroups(bound int) *groups {
	g := &groups{bound: bound, ids: map[fingerprint.ID]*cluster{}}
	g.tree = drain.New(g.merge)
	return g
}

// add counts an event of a file.
func (g *groups) add(e *event, file string) {
	g.seen++
	o := g.group(e)
	if e.time == 0 {
		g.noTime++
	} else {
		g.first, g.last = earlier(g.first, e.time), max(g.last, e.time)
		g.grid.add(seconds(e.time))
	}
	o.add(g, e, file)
	if g.count > g.bound {
		g.giveUp()
	}
}

func seconds(nanos int64) int64 { return nanos / 1e9 }

// earlier returns the earlier of two times. 0 means that there is no time.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// group returns the group of an event, among the groups of the event's template:
//
//   - If the event's reason is from a rule or from the record, the group has the same
//     category and the same reason.
//   - All other events of a template are in one group. It has the category and the
//     reason of most of these events.
func (g *groups) group(e *event) *group {
	c := g.ids[e.id]
	if c == nil {
		// Mask secrets before fingerprint changes the text around them. Afterwards, they
		// would no longer be recognised.
		_, template := fingerprint.Of(mask.Text(e.text))
		c = g.tree.Add(template)
		if len(g.ids) >= maxIDs {
			clear(g.ids)
		}
		g.ids[e.id] = c
	}
	c = c.Current()
	for _, found := range c.Value {
		if found.takes(e.category, e.reason, e.noRule) {
			return found
		}
	}
	found := &group{noRule: e.noRule}
	c.Value = append(c.Value, found)
	g.count++
	return found
}

// takes reports whether an event with the same template belongs to the group.
func (o *group) takes(c classify.Category, r classify.Reason, noRule bool) bool {
	return o.noRule == noRule && (noRule || o.labels[0].reason == r && o.labels[0].category == c)
}

// label adds the count of l to the group's label with the same category and reason, or
// appends l. The label with the most events comes first. Of labels with the same number
// of events, the one with the earliest event comes first.
func (o *group) label(l label) {
	i := slices.IndexFunc(o.labels, func(p label) bool { return p.reason == l.reason && p.category == l.category })
	if i < 0 {
		o.labels = append(o.labels, l)
	} else {
		o.labels[i].count += l.count
		o.labels[i].first = min(o.labels[i].first, l.first)
	}
	if len(o.labels) > 1 {
		slices.SortFunc(o.labels, func(a, b label) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.first, b.first)) })
	}
}

func (o *group) add(g *groups, e *event, file string) {
	o.label(label{e.category, e.reason, 1, g.seen})
	o.count++
	o.seen = g.seen
	o.confidence += e.confidence
	if e.time != 0 {
		o.first, o.last = earlier(o.first, e.time), max(o.last, e.time)
		o.series.add(&g.grid, seconds(e.time), 1)
	}
	o.files.add(file, 1)
	if e.service != "" {
		o.services.add(e.service, 1)
	}
	if len(o.examples) < MaxExamples {
		o.addExample(g, e, file)
	}
}

// addExample adds e to the examples, unless one of them has the same text.
func (o *group) addExample(g *groups, e *event, file string) {
	hash := xxhash.Sum64String(e.text)
	if slices.ContainsFunc(o.examples, func(x example) bool { return x.hash == hash }) {
		return
	}
	x := example{event: *e, hash: hash, file: file, arrival: g.seen}
	x.text = "" // the hash is enough
	if g.size > exampleBytes {
		x.full, x.source = shortenedWords(x.full, shortExample), shortenedWords(x.source, shortExample)
	}
	g.size += x.size()
	o.examples = append(o.examples, x)
}

// merge moves the groups of one cluster to another.
func (g *groups) merge(into, from *cluster) {
	for _, o := range from.Value {
		i := slices.IndexFunc(into.Value, func(p *group) bool { return p.takes(o.labels[0].category, o.labels[0].reason, o.noRule) })
		if i < 0 {
			into.Value = append(into.Value, o)
			continue
		}
		g.count--
		into.Value[i].merge(g, o)
	}
	from.Value = nil
}

func (o *group) merge(g *groups, p *group) {
	for _, l := range p.labels {
		o.label(l)
	}
	o.count += p.count
	o.seen = max(o.seen, p.seen)
	o.first, o.last = earlier(o.first, p.first), max(o.last, p.last)
	o.confidence += p.confidence
	o.series.merge(&g.grid, &p.series)
	o.files.merge(&p.files)
	o.services.merge(&p.services)
	o.examples = append(o.examples, p.examples...)
	slices.SortFunc(o.examples, func(a, b example) int { return cmp.Compare(a.arrival, b.arrival) })
	kept := min(MaxExamples, len(o.examples))
	for _, x := range o.examples[kept:] {
		g.size -= x.size()
	}
	o.examples = slices.Delete(o.examples, kept, len(o.examples)) // frees the deleted texts
}

// giveUp removes the groups with the fewest events, so that nine tenths of the maximum
// number of groups are left. Of equally large groups, it keeps the most recent ones.
func (g *groups) giveUp() {
	type entry struct {
		cluster *cluster
		*group
	}
	var all []entry
	for c := range g.tree.All() {
		for _, o := range c.Value {
			all = append(all, entry{c, o})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.seen, b.seen)) })
	for _, p := range all[:g.count-g.bound+g.bound/10] {
		p.cluster.Value = slices.DeleteFunc(p.cluster.Value, func(o *group) bool { return o == p.group })
		if len(p.cluster.Value) == 0 {
			g.tree.Remove(p.cluster)
		}
		for _, x := range p.examples {
			g.size -= x.size()
		}
		g.count--
		g.restGroups++
		g.restEvents += p.count
		addTotal(&g.rest, g, p.group)
	}
	g.tree.Prune()
	clear(g.ids)
}

// addTotal adds the events of o to the total for the category and the reason of o.
func addTotal(totals *[]*total, g *groups, o *group) {
	t := find(totals, o.labels[0].category, o.labels[0].reason)
	t.count += o.count
	t.series.merge(&g.grid, &o.series)
}

// find returns the total for a category and a reason. If there is none, it adds one.
func find(totals *[]*total, category classify.Category, reason classify.Reason) *total {
	for _, t := range *totals {
		if t.reason == reason && t.category == category {
			return t
		}
	}
	t := &total{category: category, reason: reason}
	*totals = append(*totals, t)
	return t
}

// origins counts events by file or by service.
type origins struct {
	kept []Origin
	more int64 // events of all other files or services
}

func (o *origins) add(name string, n int64) {
	for i := range o.kept {
		if o.kept[i].Name == name {
			o.kept[i].Count += n
			return
		}
	}
	if len(o.kept) == maxKept {
		o.more += n
		return
	}
	o.kept = append(o.kept, Origin{name, n})
}

func (o *origins) merge(p *origins) {
	for _, x := range p.kept {
		o.add(x.Name, x.Count)
	}
	o.more += p.more
}

// top returns the most frequent origins, and counts the events of all others.
func (o *origins) top() (names []Origin, more int64) {
	names = slices.Clone(o.kept)
	slices.SortStableFunc(names, func(a, b Origin) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) })
	more = o.more
	for _, x := range names[min(MaxOrigins, len(names)):] {
		more += x.Count
	}
	return names[:min(MaxOrigins, len(names))], more
}

// mean returns the mean confidence, rounded to thousandths.
func (o *group) mean() float64 { return math.Round(o.confidence/float64(o.count)*1000) / 1000 }
