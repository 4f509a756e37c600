// Package model finds the reason of an error text with a linear model:
// multinomial logistic regression over hashed words and parts of words. [Features]
// lists the features of a text; the trainer and [Model.Read] use the same
// features. A [Table] holds what the trainer learned.
package model

import (
	"math"
	"sync/atomic"
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

// Model is a table in the form that [Model.Read] uses. It is safe for
// concurrent use.
type Model struct {
	names     []string
	reasons   int
	retryable []bool
	scale     float32
	bias      Scores
	filter    *filter // the features that have weights
	slots     []slot  // hash table with linear probing
	weights   [][rowWords]uint64
	// known has an entry for each row of weights. If the row is that of a word,
	// the entry has the sums for the word's n-grams. It is computed when the word
	// is read for the first time.
	known []atomic.Pointer[wordParts]
}

// wordParts has the sums of the weights of a word's n-grams.
type wordParts struct {
	word string
	sums packed
	rows int
}

type slot struct {
	feature uint32
	row     uint32 // index of the row of weights, plus one; 0 = empty
}

// New returns the model of a valid table.
func New(t Table) *Model {
	m := &Model{
		names: t.Reasons, reasons: len(t.Reasons), retryable: t.Retryable, scale: t.Scale,
		filter: new(filter), slots: make([]slot, 1<<slotBits),
		weights: make([][rowWords]uint64, len(t.Features)), known: make([]atomic.Pointer[wordParts], len(t.Features)),
	}
	copy(m.bias[:], t.Bias)
	for row, feature := range t.Features {
		m.filter.add(feature)
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

// packed has the sum of some rows of weights. 128 is added to each weight, so
// that it is an unsigned byte. A uint64 holds four sums of 16 bits. even has
// the sums of the weights at even positions of a row, and odd has the sums at
// odd positions.
type packed struct{ even, odd [rowWords]uint64 }

func (p *packed) add(row *[rowWords]uint64) {
	a, b, c := row[0], row[1], row[2]
	p.even[0] += a & everyOther
	p.even[1] += b & everyOther
	p.even[2] += c & everyOther
	p.odd[0] += a >> 8 & everyOther
	p.odd[1] += b >> 8 & everyOther
	p.odd[2] += c >> 8 & everyOther
}

// sums adds rows of weights.
type sums struct {
	packed
	total [MaxReasons]int32
	rows  int // rows added since the last flush
	all   int // rows added before the last flush
}

func (s *sums) add(row *[rowWords]uint64) {
	if s.rows == flushAfter {
		s.flush()
	}
	s.packed.add(row)
	s.rows++
}

// addWord adds the rows of a word's n-grams.
func (s *sums) addWord(w *wordParts) {
	if s.rows+w.rows > flushAfter {
		s.flush()
	}
	for i := range rowWords {
		s.even[i] += w.sums.even[i]
		s.odd[i] += w.sums.odd[i]
	}
	s.rows += w.rows
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

// Reasons returns the names of the reasons, in the order of [Scores]. The caller
// must not change the slice.
func (m *Model) Reasons() []string { return m.names }

// Reader adds up the weights of one or several texts. The zero Reader has read
// nothing.
type Reader struct {
	sums  [Groups]sums
	words wordSet
	pairs [MaxFeatures / 64]uint64 // rows of pairs that were added
	read  int                      // bytes read so far
}

// Full reports whether r has read as much as it may read.
func (r *Reader) Full() bool { return r.read >= maxText || r.words.full() }

// Known returns how many of the features read so far have weights in the model.
func (r *Reader) Known() (n int) {
	for g := range r.sums {
		n += r.sums[g].all + r.sums[g].rows
	}
	return n
}

// Read adds the weights of a text to r. Of all texts together, r reads the first
// 8 KiB and at most 800 different words. Read allocates if the text has escape
// sequences or invisible characters, and when m reads a word of its table for the
// first time.
func (m *Model) Read(r *Reader, text string) {
	if r.Full() {
		return
	}
	var w word
	s := newScanner(text, maxText-r.read)
	r.read += len(s.plain)
	for !r.words.full() && s.next(&w) {
		if r.words.add(w.whole) {
			m.addWord(r, &w)
		}
		if !w.paired {
			continue
		}
		if row := m.find(w.pair); row >= 0 && r.pairs[row/64]&(1<<(row%64)) == 0 {
			r.pairs[row/64] |= 1 << (row % 64)
			r.sums[Pairs].add(&m.weights[row])
		}
	}
}

// addWord adds the weights of a word and of its n-grams.
func (m *Model) addWord(r *Reader, w *word) {
	row := m.find(w.whole)
	if row < 0 {
		m.addParts(&r.sums[Parts], w)
		return
	}
	r.sums[Words].add(&m.weights[row])
	if w.n == 0 {
		return
	}
	known := m.known[row].Load()
	if known == nil {
		known = m.sumUp(w)
		m.known[row].Store(known)
	}
	if known.word != string(w.text()) { // another word has the same hash
		m.addParts(&r.sums[Parts], w)
		return
	}
	r.sums[Parts].addWord(known)
}

// addParts adds the weights of a word's n-grams.
func (m *Model) addParts(s *sums, w *word) {
	var parts [maxParts]uint32
	for _, feature := range w.parts(&parts, m.filter) {
		if row := m.find(feature); row >= 0 {
			s.add(&m.weights[row])
		}
	}
}

// sumUp adds up the weights of a word's n-grams.
func (m *Model) sumUp(w *word) *wordParts {
	var s sums
	m.addParts(&s, w)
	return &wordParts{word: string(w.text()), sums: s.packed, rows: s.rows}
}

// Scores returns the probability of each reason. The sum is 1.
func (m *Model) Scores(r *Reader) Scores {
	all := r.sums
	for g := range all {
		all[g].flush()
	}
	return m.probabilities(&all)
}

// Predict returns the probability of each reason for one text.
func (m *Model) Predict(text string) Scores {
	var r Reader
	m.Read(&r, text)
	return m.Scores(&r)
}

// find returns the row of a feature, or -1 if the model has no weights for it.
func (m *Model) find(feature uint32) int {
	for at := feature >> (32 - slotBits); ; at = (at + 1) % (1 << slotBits) {
		s := m.slots[at]
		if s.row == 0 || s.feature == feature {
			return int(s.row) - 1
		}
	}
}

// unit returns the factor that converts a stored weight to a score, for a text
// with n features of one group. The factor is divided by the square root of n,
// because otherwise a long text would get higher probabilities than a short
// one.
func (m *Model) unit(n int) float64 { return float64(m.scale) / math.Sqrt(float64(max(n, 1))) }

// probabilities returns the softmax of the sums.
func (m *Model) probabilities(all *[Groups]sums) (p Scores) {
	var units [Groups]float64
	for g := range all {
		units[g] = m.unit(all[g].all)
	}
	highest := math.Inf(-1)
	var z [MaxReasons]float64
	for i := range m.reasons {
		z[i] = float64(m.bias[i])
		for g := range all {
			z[i] += float64(all[g].total[i]) * units[g]
		}
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
