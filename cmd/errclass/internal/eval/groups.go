package eval

import (
	"cmp"
	"maps"
	"slices"

	"github.com/errclass/errclass/classify"
)

// Slice is the score of the entries of one file.
type Slice struct {
	Slice string `json:"slice"`
	Score
	MacroF1 float64 `json:"macro_f1"`
}

// Product is the score of the entries of one product. Entries without a product do
// not count.
type Product struct {
	Product string `json:"product"`
	Misses  int    `json:"misses"` // entries with a wrong category or a wrong reason
	Score
}

// Family is the score of the entries whose messages come from the same kind of program,
// and whose ids have the same prefix.
type Family struct {
	Kind   string `json:"kind"`
	Prefix string `json:"prefix"`
	Score
}

// Decider is the score of the entries that one family of rules decided. The family is
// the prefix of a rule's id, such as "net" for "net/hang-up". The prefix names a rules
// file or a kind of evidence.
type Decider struct {
	Family string `json:"family"`
	Score
}

// groups collects the scores of slices, products, families and deciders.
type groups struct {
	slices     map[string]*Slice
	categories map[string]map[Confused]int // for each slice
	products   map[string]*Product
	families   map[[2]string]*Family
	deciders   map[string]*Decider
}

func newGroups() *groups {
	return &groups{map[string]*Slice{}, map[string]map[Confused]int{}, map[string]*Product{}, map[[2]string]*Family{}, map[string]*Decider{}}
}

// add adds the score of one entry to the groups of that entry.
func (g *groups) add(e Entry, p Prediction, one Score, category classify.Category) {
	getOrAdd(g.slices, e.Slice).add(one)
	if g.categories[e.Slice] == nil {
		g.categories[e.Slice] = map[Confused]int{}
	}
	g.categories[e.Slice][Confused{Gold: string(e.Category), Got: string(category)}]++
	if e.Product != "" {
		product := getOrAdd(g.products, e.Product)
		product.add(one)
		product.Misses += 1 - min(one.RightCategory, one.RightReason)
	}
	getOrAdd(g.families, [2]string{e.Kind, e.Prefix()}).add(one)
	getOrAdd(g.deciders, p.family()).add(one)
}

// report copies the groups into r.
func (g *groups) report(r *Report) {
	for name, s := range g.slices {
		s.Slice = name
		_, s.MacroF1 = byCategory(confusion(g.categories[name]))
	}
	for name, p := range g.products {
		p.Product = name
	}
	for key, f := range g.families {
		f.Kind, f.Prefix = key[0], key[1]
	}
	for name, d := range g.deciders {
		d.Family = name
	}
	r.Slices = sorted(g.slices, func(a, b Slice) int { return cmp.Compare(a.Slice, b.Slice) })
	r.Products = sorted(g.products, func(a, b Product) int {
		return cmp.Or(cmp.Compare(b.Misses, a.Misses), cmp.Compare(a.Product, b.Product))
	})
	r.Families = sorted(g.families, func(a, b Family) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Prefix, b.Prefix))
	})
	r.Deciders = sorted(g.deciders, func(a, b Decider) int {
		return cmp.Or(cmp.Compare(b.Entries, a.Entries), cmp.Compare(a.Family, b.Family))
	})
}

// getOrAdd returns the value of a key. If there is none, it adds one.
func getOrAdd[K comparable, V any](values map[K]*V, key K) *V {
	if values[key] == nil {
		values[key] = new(V)
	}
	return values[key]
}

// sorted returns the values in the order of compare.
func sorted[K comparable, V any](values map[K]*V, compare func(a, b V) int) []V {
	all := make([]V, 0, len(values))
	for v := range maps.Values(values) {
		all = append(all, *v)
	}
	slices.SortFunc(all, compare)
	return all
}
