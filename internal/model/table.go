package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Table is what the trainer learned.
type Table struct {
	Inputs    [32]byte // SHA-256 of the inputs from which the table was made
	Reasons   []string
	Retryable []bool    // whether the reason's category is retryable
	Bias      []float32 // the bias of each reason
	Scale     float32   // one unit of a weight
	Features  []uint32  // ascending
	Weights   []int8    // for each feature in turn, one weight per reason
}

const magic = "errclass model 2\n"

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
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(t.Bias[i]))
	}
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(t.Scale))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.Features)))
	for _, f := range t.Features {
		b = binary.LittleEndian.AppendUint32(b, f)
	}
	for _, w := range t.Weights {
		b = append(b, byte(w))
	}
	return b
}

var errShort = errors.New("the table ends early")

// Decode reads a table and validates it.
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
	number := func() uint32 { return binary.LittleEndian.Uint32(take(4)) }
	copy(t.Inputs[:], take(len(t.Inputs)))
	reasons := int(take(1)[0])
	if reasons > MaxReasons {
		return t, fmt.Errorf("%d reasons, more than %d", reasons, MaxReasons)
	}
	for range reasons {
		t.Reasons = append(t.Reasons, string(take(int(take(1)[0]))))
		t.Retryable = append(t.Retryable, take(1)[0] != 0)
		t.Bias = append(t.Bias, math.Float32frombits(number()))
	}
	t.Scale = math.Float32frombits(number())
	features := number()
	if features > MaxFeatures {
		return t, fmt.Errorf("%d features, more than %d", features, MaxFeatures)
	}
	t.Features = make([]uint32, features)
	for i := range t.Features {
		t.Features[i] = number()
	}
	weights := take(int(features) * reasons)
	t.Weights = make([]int8, len(weights))
	for i, w := range weights {
		t.Weights[i] = int8(w)
	}
	switch {
	case !ok:
		return t, errShort
	case len(data) > 0:
		return t, fmt.Errorf("%d bytes after the table", len(data))
	case !ascending(t.Features):
		return t, errors.New("the features are not ascending")
	}
	return t, nil
}

func ascending(features []uint32) bool {
	for i := 1; i < len(features); i++ {
		if features[i-1] >= features[i] {
			return false
		}
	}
	return true
}
