package classify

import "sync/atomic"

// Switchable returns a classifier and a function that changes its rules. Use it if
// rules change while the program runs. For rules in a file, rulesfile.Watch does this.
//
// The classifier begins with the rules of initial. If initial is nil or the zero
// Classifier, it begins with [Standard]. A classification uses either the old rules
// or the new ones, never both. It costs one more atomic load and takes no lock.
//
// The function set copies the current rules of its argument. After it returns, no
// result comes from a cache of the old rules. The function ignores nil and the
// zero Classifier. It is safe for concurrent use.
//
// [New] with [WithBase] copies the current rules and does not follow later changes.
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

// current returns the classifier that was set last. If c is not switchable, it
// returns c.
func (c *Classifier) current() *Classifier {
	if c != nil && c.live != nil {
		return c.live.Load()
	}
	return c
}

// usable reports whether c is neither nil nor the zero Classifier.
func (c *Classifier) usable() bool { return c != nil && c.rules != nil }
