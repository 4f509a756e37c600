// Package model finds the reason of an error text with a linear model:
// multinomial logistic regression over hashed words and parts of words. [Features]
// lists the features of a text; the trainer and [Model.Predict] use the same
// features. A [Table] holds what the trainer learned.
package model

import (
	"math"
)

// MaxReasons and MaxFeatures limit the size of a table.
const (
	MaxReasons  = 24
	MaxFeatures = 1 << 14
)

const (
	lanes      = 8 // weights in a uint64
	rowWords   = MaxReasons / lanes
	filterBits = 18
	slotBits   = 15
	everyOther = 0x00FF00FF00FF00FF
	flushAfter = 256 // a sum of 256 weights fits in 16 bits
)

// Scores has one value for each reason, in the order of [Table.Reasons].
type Scores [MaxReasons]float32

// Model is a table in the form that [Model.Predict] uses. It is safe for
// concurrent use.
type Model struct {
	reasons int
	scale   float32
	bias    Scores
	filter  []uint64 // indexed by the upper bits of a feature; a zero bit means that the feature has no weights
	slots   []slot   // hash table with linear probing
	weights [][rowWords]uint64
}

type slot struct {
	feature uint32
	row     uint32 // index of the row of weights, plus one; 0 = empty
}

// New returns the model of a valid table.
func New(t Table) *Model {
	m := &Model{
		reasons: len(t.Reasons), scale: t.Scale,
		filter: make([]uint64, 1<<filterBits/64), slots: make([]slot, 1<<slotBits),
		weights: make([][rowWords]uint64, len(t.Features)),
	}
	copy(m.bias[:], t.Bias)
	for row, feature := range t.Features {
		bit := feature >> (32 - filterBits)
		m.filter[bit/64] |= 1 << (bit % 64)
		at := feature >> (32 - slotBits)
		for m.slots[at].row != 0 {
			at = (at + 1) % (1 << slotBits)
		}
		m.slots[at] = slot{feature, uint32(row + 1)}
		for lane := range MaxReasons {
			biased := uint64(128)
			if lane < m.reasons {
				biased += uint64(int64(t.Weights[row*m.reasons+lane]))
			}
			m.weights[row][lane/lanes] |= biased & 0xFF << (lane % lanes * 8)
		}
	}
	return m
}

// sums adds rows of weights. 128 is added to each weight, so it is an unsigned
// byte. A uint64 holds four sums of 16 bits. even has the sums of the weights at
// even positions of a row, odd the others.
type sums struct {
	even, odd [rowWords]uint64
	total     [MaxReasons]int32
	rows      int // in even and odd
	all       int // rows ever added
}

func (s *sums) add(row *[rowWords]uint64) {
	a, b, c := row[0], row[1], row[2]
	s.even[0] += a & everyOther
	s.even[1] += b & everyOther
	s.even[2] += c & everyOther
	s.odd[0] += a >> 8 & everyOther
	s.odd[1] += b >> 8 & everyOther
	s.odd[2] += c >> 8 & everyOther
	s.rows++
	if s.rows == flushAfter {
		s.flush()
	}
}

func (s *sums) flush() {
	for i := range rowWords {
		for j := range lanes / 2 {
			s.total[i*lanes+2*j] += int32(s.even[i]>>(16*j)&0xFFFF) - 128*int32(s.rows)
			s.total[i*lanes+2*j+1] += int32(s.odd[i]>>(16*j)&0xFFFF) - 128*int32(s.rows)
		}
		s.even[i], s.odd[i] = 0, 0
	}
	s.all += s.rows
	s.rows = 0
}

// Predict returns the probability of each reason. The sum is 1. If a text is
// long, Predict reads only its beginning and its end. It does not allocate.
func (m *Model) Predict(text string) Scores {
	var batch [maxBatch]uint32
	var seen [MaxFeatures / 64]uint64 // rows that were added
	var sum sums
	first, second := halves(text)
	for _, part := range [2]string{first, second} {
		s := scanner{text: part}
		for n := s.next(&batch); n > 0; n = s.next(&batch) {
			for _, feature := range batch[:n] {
				bit := feature >> (32 - filterBits)
				if m.filter[bit/64]&(1<<(bit%64)) == 0 {
					continue
				}
				row := m.find(feature)
				if row == 0 {
					continue
				}
				row--
				if seen[row/64]&(1<<(row%64)) != 0 {
					continue
				}
				seen[row/64] |= 1 << (row % 64)
				sum.add(&m.weights[row])
			}
		}
	}
	sum.flush()
	return m.probabilities(&sum)
}

func (m *Model) find(feature uint32) uint32 {
	for at := feature >> (32 - slotBits); ; at = (at + 1) % (1 << slotBits) {
		s := m.slots[at]
		if s.row == 0 || s.feature == feature {
			return s.row
		}
	}
}

// probabilities returns the softmax of the sums. It first divides them by the
// square root of the number of features. Otherwise a long text would get higher
// probabilities than a short one.
func (m *Model) probabilities(s *sums) (p Scores) {
	scale := float64(m.scale) / math.Sqrt(float64(max(s.all, 1)))
	highest := math.Inf(-1)
	var z [MaxReasons]float64
	for i := range m.reasons {
		z[i] = float64(m.bias[i]) + float64(s.total[i])*scale
		highest = max(highest, z[i])
	}
	total := 0.0
	for i := range m.reasons {
		z[i] = math.Exp(z[i] - highest)
		total += z[i]
	}
	for i := range m.reasons {
		p[i] = float32(z[i] / total)
	}
	return p
}
