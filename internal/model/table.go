package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

const (
	// Hidden is the number of units of the hidden layer. Each feature has a vector
	// with one value for each unit.
	Hidden = 32
	// Codes is the number of codes that encode a vector (product quantisation). A
	// code is the index of a centroid. The centroid has Hidden/Codes values of the
	// vector.
	Codes = 8
	// Centroids is the number of centroids that a code can select.
	Centroids = 256

	codeUnits = Hidden / Codes
)

// Table is what the trainer learned.
type Table struct {
	Inputs    [32]byte // SHA-256 of the files from which the table was made
	Reasons   []string
	Retryable []bool    // whether the reason's category is retryable
	Features  []uint32  // ascending
	Codes     []byte    // the codes of the first feature, then those of the next, ...
	Centroids []int8    // the centroids of the first code, then those of the next, ...
	Scale     float32   // factor for the values of the centroids
	Hidden    []float32 // the bias of each unit of the hidden layer
	Output    []float32 // a weight per reason of the first hidden unit, then of the next, ...
	Bias      []float32 // the bias of each reason
}

const magic = "errclass model 4\n"

// Encode returns the encoding of t. [Decode] decodes it.
func (t Table) Encode() []byte {
	b := append([]byte(magic), t.Inputs[:]...)
	b = append(b, byte(len(t.Reasons)))
	for i, reason := range t.Reasons {
		b = append(b, byte(len(reason)))
		b = append(b, reason...)
		b = append(b, 0)
		if t.Retryable[i] {
			b[len(b)-1] = 1
		}
	}
	for _, numbers := range [][]float32{{t.Scale}, t.Hidden, t.Output, t.Bias} {
		for _, n := range numbers {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(n))
		}
	}
	for _, value := range t.Centroids {
		b = append(b, byte(value))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.Features)))
	previous := uint32(0)
	for _, f := range t.Features {
		b = binary.AppendUvarint(b, uint64(f-previous))
		previous = f
	}
	return append(b, t.Codes...)
}

var errShort = errors.New("the table ends early")

// Decode decodes a table and checks it. The table shares memory with data.
func Decode(data []byte) (Table, error) {
	var t Table
	data, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return t, fmt.Errorf("the table does not begin with %q", magic)
	}
	take := func(n int) []byte {
		if n > len(data) {
			data, ok = nil, false
			return make([]byte, n)
		}
		taken := data[:n]
		data = data[n:]
		return taken
	}
	numbers := func(n int) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = math.Float32frombits(binary.LittleEndian.Uint32(take(4)))
		}
		return all
	}
	copy(t.Inputs[:], take(len(t.Inputs)))
	reasons := int(take(1)[0])
	if reasons > MaxReasons {
		return t, fmt.Errorf("%d reasons, more than %d", reasons, MaxReasons)
	}
	for range reasons {
		t.Reasons = append(t.Reasons, string(take(int(take(1)[0]))))
		t.Retryable = append(t.Retryable, take(1)[0] != 0)
	}
	t.Scale = numbers(1)[0]
	t.Hidden, t.Output, t.Bias = numbers(Hidden), numbers(Hidden*reasons), numbers(reasons)
	t.Centroids = make([]int8, Hidden*Centroids)
	for i, value := range take(len(t.Centroids)) {
		t.Centroids[i] = int8(value)
	}
	features := binary.LittleEndian.Uint32(take(4))
	if features > MaxFeatures {
		return t, fmt.Errorf("%d features, more than %d", features, MaxFeatures)
	}
	t.Features = make([]uint32, features)
	feature := uint64(0)
	for i := range features {
		step, n := binary.Uvarint(data)
		if n <= 0 {
			return t, errShort
		}
		data = data[n:]
		feature += step
		switch {
		case i > 0 && step == 0:
			return t, errors.New("the features are not ascending")
		case feature >= 1<<featureBits:
			return t, fmt.Errorf("a feature has more than %d bits", featureBits)
		}
		t.Features[i] = uint32(feature)
	}
	t.Codes = take(int(features) * Codes)
	switch {
	case !ok:
		return t, errShort
	case len(data) > 0:
		return t, fmt.Errorf("%d bytes after the table", len(data))
	}
	return t, nil
}
