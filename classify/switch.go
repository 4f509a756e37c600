package classify

import "sync/atomic"

// Switchable returns a classifier that answers as initial does, and set, which
// makes it answer as another classifier from then on. Use it where rules change
// while the program runs; package rulesfile watches a file this way.
//
// The classifier is used like any other. Each classification uses one set of
// rules from beginning to end; it costs an atomic load and takes no lock. An
// answer that was remembered under the old rules is never given under the new
// ones. New and WithBase copy the rules of the moment.
//
// set is safe for concurrent use. It ignores nil and the zero Classifier. Of a
// switchable classifier it takes the rules of the moment. An initial that set
// would ignore stands for [Standard].
func Switchable(initial *Classifier) (c *Classifier, set func(*Classifier)) {
	c = &Classifier{live: new(atomic.Pointer[Classifier])}
	set = func(next *Classifier) {
		if next = next.current(); next.usable() {
			c.live.Store(next)
		}
	}
	set(Standard)
	set(initial)
	return c, set
}

// current returns the classifier that answers for c: the one that was set last, if
// c is switchable.
func (c *Classifier) current() *Classifier {
	if c != nil && c.live != nil {
		return c.live.Load()
	}
	return c
}

// usable reports whether c is neither nil nor the zero Classifier.
func (c *Classifier) usable() bool { return c != nil && c.rules != nil }
