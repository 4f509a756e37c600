package cputime

import (
	"fmt"
	"time"
)

const (
	maxGrowth = 4.5 // largest growth of the cost if the text becomes four times as long
	// noise is the factor by which all limits are raised, because of other load on
	// the machine.
	noise = 1.7
	// attempts is the maximum number of measurements. Check returns an error only if
	// all of them exceed a limit.
	attempts = 12
)

// Scaling checks the time that a function takes for a text. The time must be linear
// in the length of the text. The time per byte must be close to that of an ordinary
// text.
type Scaling struct {
	Run      func(text string)
	Ordinary string
	MaxRatio float64 // limit for the cost per byte, relative to the cost per byte of Ordinary
}

// Check measures Run for text(size) at each size. Each size must be four times the
// previous size. The error says which limit is exceeded.
func (s Scaling) Check(text func(size int) string, sizes ...int) error {
	var err error
	for i := range attempts {
		if err = s.measure(text, sizes, 1+min(i, 2)); err == nil {
			return nil
		}
	}
	return err
}

func (s Scaling) measure(text func(size int) string, sizes []int, runs int) error {
	ordinary, before := PerByte(s.Run, s.Ordinary, 2*runs), 0.0
	for i, size := range sizes {
		cost := PerByte(s.Run, text(size), runs)
		if cost > s.MaxRatio*noise*ordinary {
			return fmt.Errorf("a byte of %d costs %.0f ns, a byte of ordinary text %.0f ns", size, cost, ordinary)
		}
		if growth := 4 * cost / before; i > 0 && growth > maxGrowth*noise && cost > ordinary {
			return fmt.Errorf("from %d to %d bytes the cost grows by a factor of %.1f", sizes[i-1], size, growth)
		}
		before = cost
	}
	return nil
}

// PerByte calls run(text) several times and returns the lowest cost, in
// nanoseconds per byte of text.
func PerByte(run func(text string), text string, runs int) float64 {
	least := time.Duration(1<<63 - 1)
	for range runs {
		least = min(least, Of(func() { run(text) }))
	}
	return float64(least.Nanoseconds()) / float64(len(text))
}
