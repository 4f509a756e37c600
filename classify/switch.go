package classify

import "sync/atomic"

// Switchable returns a classifier and a function that changes the rules of the
// classifier. At first the classifier has the rules of initial. The function set
// replaces them with the rules of another classifier. Use Switchable if rules change
// while the program runs. rulesfile.Watch uses it for rules in a file.
//
// The classifier is used like any other. A classification during a change uses
// either the old rules or the new ones, never both. Each classification costs an
// additional atomic load and takes no lock. After the function set has returned, no
// result comes from a cache of the old rules. [New] with [WithBase] copies the
// current rules and does not follow later changes.
//
// The function set is safe for concurrent use. It ignores nil and the zero
// Classifier. From a switchable argument, it copies the current rules. If initial is
// nil or the zero Classifier, Switchable uses [Standard].
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

// current returns the classifier to use. If c is switchable, this is the classifier
// that was set last; otherwise it is c.
func (c *Classifier) current() *Classifier {
	if c != nil && c.live != nil {
		return c.live.Load()
	}
	return c
}

// usable reports whether c is neither nil nor the zero Classifier.
func (c *Classifier) usable() bool { return c != nil && c.rules != nil }
