package classify

import "time"

// At returns a copy of c with a clock that always shows t.
func (c *Classifier) At(t time.Time) *Classifier {
	at := *c
	at.now = func() time.Time { return t }
	return &at
}
