package classify

import "time"

// At returns a classifier that decides like c and takes now for the present.
func (c *Classifier) At(now time.Time) *Classifier {
	at := *c
	at.now = func() time.Time { return now }
	return &at
}
