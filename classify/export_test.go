package classify

import "time"

// At returns a copy of c whose clock always shows now.
func (c *Classifier) At(now time.Time) *Classifier {
	at := *c
	at.now = func() time.Time { return now }
	return &at
}
