// Package model finds the reason of an error text with a small neural network. The
// network has one hidden layer. The inputs (features) are hashed words and parts of
// words. [Features] returns the features of a text. A [Table] has what the trainer
// learned.
package model

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync/atomic"
)

// MaxReasons and MaxFeatures are the maximum numbers of reasons and features in a
// [Table].
const (
	MaxReasons  = 24
	MaxFeatures = 1<<16 - 1
)

const (
	filterBits = 18
	bucketBits = 16
	otherBits  = 12
	lanes      = 4 // sums in a uint64
	codeWords  = codeUnits / lanes
	rowWords   = Hidden / lanes
	flushAfter = 256 // a sum of 256 bytes fits in 16 bits
)

// Scores has one value for each reason, in the order of [Table.Reasons].
type Scores [MaxReasons]float32

// Model is a [Table] prepared for [Model.Read]. It is safe for concurrent use.
type Model struct {
	names     []string
	reasons   int
	retryable []bool
	scale     float32
	filter    *filter // the features that the table has
	// The features are in ascending order. A bucket is all features with the same
	// upper bits.
	//   - buckets has the index of the first feature of each bucket.
	//   - The last element of buckets is the number of features.
	//   - features has the lower bits of each feature, and padding for find.
	buckets   [1<<bucketBits + 1]uint16
	features  []uint8
	codes     []byte                              // for each feature in turn, its codes
	centroids [Codes][Centroids][codeWords]uint64 // packed, see [packed]
	hidden    layer                               // bias of each unit
	output    [Hidden]Scores                      // weights of each unit for the reasons
	bias      Scores
	// These fields cache the sums for the n-grams of words. An entry is filled once and
	// not replaced, so texts cannot fill the memory.
	//   - featureCache is for words in the table, by the index of the feature.
	//   - otherCache is for any other word, by the hash of the word.
	featureCache []atomic.Pointer[wordParts]
	otherCache   [1 << otherBits]atomic.Pointer[wordParts]
}

// wordParts has the sum of the vectors of a word's n-grams.
type wordParts struct {
	sums    packed
	n       uint8 // vectors
	length  uint8 // of the word
	letters [maxWord]byte
}

func (p *wordParts) text() []byte { return p.letters[:p.length] }

// New returns the model of a valid table.
func New(t Table) *Model {
	m := &Model{
		names: t.Reasons, reasons: len(t.Reasons), retryable: t.Retryable, scale: t.Scale,
		filter: new(filter), features: make([]uint8, len(t.Features)+7), // find reads eight at a time
		codes:        t.Codes,
		featureCache: make([]atomic.Pointer[wordParts], len(t.Features)),
	}
	copy(m.hidden[:], t.Hidden)
	copy(m.bias[:], t.Bias)
	for unit := range m.output {
		copy(m.output[unit][:], t.Output[unit*m.reasons:][:m.reasons])
	}
	for i, value := range t.Centroids {
		centroid, unit := i/codeUnits, i%codeUnits
		biased := uint64(int64(value) + 128)
		m.centroids[centroid/Centroids][centroid%Centroids][unit/lanes] |= biased << (unit % lanes * 16)
	}
	bucket := 0
	for i, feature := range t.Features {
		m.filter.add(feature)
		m.features[i] = inBucket(feature)
		for ; bucket <= int(bucketOf(feature)); bucket++ {
			m.buckets[bucket] = uint16(i)
		}
	}
	for ; bucket < len(m.buckets); bucket++ {
		m.buckets[bucket] = uint16(len(t.Features))
	}
	return m
}

// packed is a sum of vectors, with 16 bits for each unit of the hidden layer. 128 is
// added to each value of each vector, so that no value is negative.
type packed [rowWords]uint64

// add adds the vector of the feature with this index to p.
func (m *Model) add(p *packed, feature int) {
	for i, code := range [Codes]byte(m.codes[feature*Codes:]) {
		centroid := &m.centroids[i][code]
		for j := range centroid {
			p[i*codeWords+j] += centroid[j]
		}
	}
}

// sums is a sum of any number of vectors.
type sums struct {
	packed
	total [Hidden]int32
	n     int // vectors added since the last flush
	all   int // vectors added before the last flush
}

// addFeature adds the vector of the feature with this index.
func (s *sums) addFeature(m *Model, feature int) {
	if s.n == flushAfter {
		s.flush()
	}
	m.add(&s.packed, feature)
	s.n++
}

// addWord adds the vectors of a word's n-grams.
func (s *sums) addWord(w *wordParts) {
	if s.n+int(w.n) > flushAfter {
		s.flush()
	}
	for i := range s.packed {
		s.packed[i] += w.sums[i]
	}
	s.n += int(w.n)
}

func (s *sums) flush() {
	if s.n == 0 {
		return
	}
	for i, four := range s.packed {
		for j := range lanes {
			s.total[i*lanes+j] += int32(four>>(16*j)&0xFFFF) - 128*int32(s.n)
		}
		s.packed[i] = 0
	}
	s.all += s.n
	s.n = 0
}

// Reasons returns the names of the reasons, in the order of [Scores]. The caller
// must not change the slice.
func (m *Model) Reasons() []string { return m.names }

// Reader adds up the vectors of the features of one or several texts. The zero
// Reader has read nothing.
type Reader struct {
	sums  [Groups]sums
	words wordSet
	pairs wordSet // the pairs that were added
	read  int     // bytes read so far
}

// Full reports whether r has read the first 8 KiB or 800 different words.
func (r *Reader) Full() bool { return r.read >= maxText || r.words.full() }

// Known returns how many of the features read so far are in the model.
func (r *Reader) Known() (n int) {
	for g := range r.sums {
		n += r.sums[g].all + r.sums[g].n
	}
	return n
}

// Read adds the features of a text to r. All texts of r together are limited to
//   - the first 8 KiB,
//   - 800 different words,
//   - 800 different pairs of words that the model has.
//
// Read allocates when it adds a word to the caches of m. If the text has escape
// sequences or invisible characters, Read also allocates.
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
		if !w.paired || m.filter.has(w.pair) == 0 {
			continue
		}
		if at := m.find(w.pair); at >= 0 && !r.pairs.full() && r.pairs.add(w.pair) {
			r.sums[Pairs].addFeature(m, at)
		}
	}
}

// addWord adds the vectors of a word and of its n-grams.
func (m *Model) addWord(r *Reader, w *word) {
	entry := &m.otherCache[w.whole>>(featureBits-otherBits)]
	if at := m.find(w.whole); at >= 0 {
		r.sums[Words].addFeature(m, at)
		entry = &m.featureCache[at]
	}
	if w.n == 0 {
		return
	}
	cached := entry.Load()
	if cached == nil {
		cached = m.sumUp(w)
		entry.Store(cached)
	}
	if string(cached.text()) != string(w.text()) { // another word with the same hash
		m.addParts(&r.sums[Parts], w)
		return
	}
	r.sums[Parts].addWord(cached)
}

// addParts adds the vectors of a word's n-grams to s.
func (m *Model) addParts(s *sums, w *word) {
	var parts [maxParts]uint32
	for _, feature := range w.parts(&parts, m.filter) {
		if at := m.find(feature); at >= 0 {
			s.addFeature(m, at)
		}
	}
}

// sumUp returns the cache entry of a word.
func (m *Model) sumUp(w *word) *wordParts {
	var s sums
	m.addParts(&s, w)
	return &wordParts{sums: s.packed, n: uint8(s.n), length: uint8(w.n), letters: w.letters}
}

// Predict returns the probability of each reason of one text.
func (m *Model) Predict(text string) Scores {
	var r Reader
	m.Read(&r, text)
	return m.Scores(&r)
}

// bucketOf returns the number of the bucket of a feature.
func bucketOf(feature uint32) uint32 { return feature >> (featureBits - bucketBits) }

// inBucket returns the lower bits of a feature, which identify it within its bucket.
func inBucket(feature uint32) uint8 { return uint8(feature & (1<<(featureBits-bucketBits) - 1)) }

// find returns the index of a feature. If the model does not have the feature, the
// index is -1.
func (m *Model) find(feature uint32) int {
	bucket := bucketOf(feature)
	at, end := int(m.buckets[bucket]), int(m.buckets[bucket+1])
	// Compare eight features at once. A loop over single features would be slower,
	// because the CPU cannot predict how often it runs.
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; at < end; at += 8 {
		differ := binary.LittleEndian.Uint64(m.features[at:]) ^ uint64(inBucket(feature))*ones
		if equal := (differ - ones) &^ differ & tops; equal != 0 { // the lowest bit is exact
			at += bits.TrailingZeros64(equal) / 8
			if at < end {
				return at
			}
			break
		}
	}
	return -1
}

// unit returns the factor for a sum of n vectors: scale/√n.
func (m *Model) unit(n int) float32 { return m.scale / float32(math.Sqrt(float64(max(n, 1)))) }

// layer has one value for each hidden unit.
type layer [Hidden]float32

// hiddenLayer returns the values of the hidden units. Negative values are replaced by
// zero.
func (m *Model) hiddenLayer(r *Reader) layer {
	h := m.hidden
	for g := range r.sums {
		s := &r.sums[g]
		s.flush()
		unit := m.unit(s.all)
		for i := range h {
			h[i] += float32(s.total[i]) * unit
		}
	}
	for i := range h {
		h[i] = max(h[i], 0)
	}
	return h
}

// Scores returns the probability of each reason. The sum is 1. Scores changes r, so
// calls with the same Reader must not be concurrent.
func (m *Model) Scores(r *Reader) Scores {
	h := m.hiddenLayer(r)
	z := m.bias
	// Keep the sums of six reasons in registers.
	const _ = -uint(MaxReasons % 6) // does not compile if the last six reasons were incomplete
	for first := 0; first < m.reasons; first += 6 {
		sum := (*[6]float32)(z[first:])
		s0, s1, s2, s3, s4, s5 := sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]
		for unit := range h {
			value, weight := h[unit], (*[6]float32)(m.output[unit][first:])
			s0 += value * weight[0]
			s1 += value * weight[1]
			s2 += value * weight[2]
			s3 += value * weight[3]
			s4 += value * weight[4]
			s5 += value * weight[5]
		}
		*sum = [6]float32{s0, s1, s2, s3, s4, s5}
	}
	return softmax(z, m.reasons)
}

// softmax converts the first n scores to probabilities.
func softmax(z Scores, n int) Scores {
	highest := float32(math.Inf(-1))
	for i := range n {
		highest = max(highest, z[i])
	}
	var p Scores
	total := float32(0)
	for i := range n {
		p[i] = float32(math.Exp(float64(z[i] - highest)))
		total += p[i]
	}
	for i := range n {
		p[i] /= total
	}
	return p
}
