package model

import (
	"cmp"
	"slices"
	"strings"
)

// Word is a word of a text and its weight for a reason.
type Word struct {
	Text string
	// Weight is what the features of the word add to the logarithm of the reason's
	// odds, minus the mean of what they add for all reasons.
	Weight float64
}

// Words returns the n words of a text with the largest weights for a reason, in
// descending order. A masked number, id or path is a word too. Words whose weight
// is not positive are left out.
func (m *Model) Words(text string, reason, n int) []Word {
	added := map[uint32]bool{}
	weights := map[string][Groups]int{}
	rows := [Groups]int{}
	var w word
	s := newScanner(text, maxText, m.filter)
	for s.next(&w) {
		text := strings.ToLower(s.text[s.start:s.pos])
		weight := weights[text]
		add := func(g Group, feature uint32) {
			row := m.find(feature)
			if row == 0 || added[row] {
				return
			}
			added[row] = true
			rows[g]++
			weight[g] += m.aboveMean(row-1, reason)
		}
		for _, feature := range w.parts[:w.n] {
			add(Parts, feature)
		}
		add(Words, w.whole)
		if w.paired {
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

// aboveMean returns the weight of a row for a reason minus the mean of the row,
// multiplied by the number of reasons.
func (m *Model) aboveMean(row uint32, reason int) int {
	sum := 0
	for i := range m.reasons {
		sum += m.weight(row, i)
	}
	return m.weight(row, reason)*m.reasons - sum
}

func (m *Model) weight(row uint32, reason int) int {
	return int(m.weights[row][reason/lanes]>>(reason%lanes*8)&0xFF) - 128
}
