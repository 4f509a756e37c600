package model

import (
	"cmp"
	"slices"
	"strings"
)

// Word is a word of a text and its weight for a reason.
type Word struct {
	Text string
	// Weight is the contribution of the word's features to the logarithm of the
	// reason's odds, minus the mean of their contributions for all reasons.
	Weight float64
}

// Words returns the n words of a text with the largest weights for a reason, in
// descending order. A masked number, id or path is a word too. Words whose weight
// is not positive are left out.
func (m *Model) Words(text string, reason, n int) []Word {
	weights := map[string][Groups]int{}
	rows := [Groups]int{}
	pairs := map[uint32]bool{}
	var w word
	var seen wordSet
	var parts [maxParts]uint32
	s := newScanner(text, maxText)
	for !seen.full() && s.next(&w) {
		text := strings.ToLower(s.text[s.start:s.pos])
		weight := weights[text]
		add := func(g Group, feature uint32) {
			if row := m.find(feature); row >= 0 {
				rows[g]++
				weight[g] += m.aboveMean(row, reason)
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
		weights[text] = weight
	}
	var words []Word
	for word, weight := range weights {
		total := 0.0
		for g := range weight {
			total += float64(weight[g]) * m.unit(rows[g]) / float64(max(m.reasons, 1))
		}
		if total > 0 {
			words = append(words, Word{word, total})
		}
	}
	slices.SortFunc(words, func(a, b Word) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Text, b.Text))
	})
	return words[:min(n, len(words))]
}

// aboveMean returns the weight of a row for a reason, minus the mean weight of
// the row. The result is multiplied by the number of reasons, so that it is an
// integer.
func (m *Model) aboveMean(row, reason int) int {
	sum := 0
	for i := range m.reasons {
		sum += m.weight(row, i)
	}
	return m.weight(row, reason)*m.reasons - sum
}

func (m *Model) weight(row, reason int) int {
	return int(m.weights[row][reason/lanes]>>(reason%lanes*8)&0xFF) - 128
}
