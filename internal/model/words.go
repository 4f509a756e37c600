package model

import (
	"cmp"
	"slices"
	"strings"
)

// Word is a word of a text, and the weight that it gives to one reason.
type Word struct {
	Text string
	// Weight is how much more the word raises the score of this reason than the mean
	// score of all reasons. A score is the logarithm of the odds.
	Weight float64
}

// Words returns at most n words of a text, those with the largest weights for the
// reason. The order is descending. A masked number, id or path is a word too. Words
// with a weight of zero or less are left out.
func (m *Model) Words(text string, reason, n int) []Word {
	var r Reader
	m.Read(&r, text)
	effects := m.effects(&r, reason)
	var units [Groups]float32
	for g := range units {
		units[g] = m.unit(r.sums[g].all + r.sums[g].n)
	}
	var words []Word
	for text, vectors := range m.vectors(text) {
		weight := float32(0)
		for g := range vectors {
			vectors[g].flush()
			for i, value := range vectors[g].total {
				weight += float32(value) * units[g] * effects[i]
			}
		}
		if weight > 0 {
			words = append(words, Word{text, float64(weight)})
		}
	}
	slices.SortFunc(words, func(a, b Word) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Text, b.Text))
	})
	return words[:min(n, len(words))]
}

// effects returns, for each hidden unit, the weight for the reason minus the mean
// weight. If the value of the unit is not positive, the result is 0.
func (m *Model) effects(r *Reader, reason int) (effects layer) {
	for unit, value := range m.hiddenLayer(r) {
		if value <= 0 {
			continue
		}
		sum := float32(0)
		for i := range m.reasons {
			sum += m.output[unit][i]
		}
		effects[unit] = m.output[unit][reason] - sum/float32(m.reasons)
	}
	return effects
}

// vectors returns, for each word, the sums of the vectors of its features. A pair is a
// feature of its second word.
func (m *Model) vectors(text string) map[string]*[Groups]sums {
	all := map[string]*[Groups]sums{}
	pairs := map[uint32]bool{}
	var w word
	var seen wordSet
	var parts [maxParts]uint32
	s := newScanner(text, maxText)
	for !seen.full() && s.next(&w) {
		text := strings.ToLower(s.text[s.start:s.pos])
		if all[text] == nil {
			all[text] = new([Groups]sums)
		}
		add := func(g Group, feature uint32) {
			if at := m.find(feature); at >= 0 {
				all[text][g].addFeature(m, at)
			}
		}
		if seen.add(w.whole) {
			for _, feature := range w.parts(&parts, m.filter) {
				add(Parts, feature)
			}
			add(Words, w.whole)
		}
		if w.paired && !pairs[w.pair] {
			pairs[w.pair] = true
			add(Pairs, w.pair)
		}
	}
	return all
}
