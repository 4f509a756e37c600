// Package attrkey has the set of attributes that slogclass, otelclass and the
// Collector's processor add to an error.
package attrkey

import "time"

// Set is a set of attributes.
type Set uint8

// These are the attributes.
const (
	Category Set = 1 << iota
	Reason
	Rule
	Confidence
	RetryAfter
	Fingerprint

	Both    = Category | Reason
	Details = Rule | Confidence | RetryAfter
	All     = Both | Details | Fingerprint
)

// Missing returns the wanted attributes that a record does not have. If the record
// already has both category and reason, it returns 0.
func (wanted Set) Missing(has Set) Set {
	missing := wanted &^ has
	if missing&Both == 0 {
		return 0
	}
	return missing
}

// Names has the key of each attribute. An attribute with an empty key is never
// written.
type Names struct{ Category, Reason, Rule, Confidence, RetryAfter, Fingerprint string }

// Find returns the attribute with this key, or 0 if there is none. If several
// attributes have this key, Find returns the first in the order of Names.
func (n *Names) Find(key string) Set {
	switch key {
	case "":
		return 0
	case n.Category:
		return Category
	case n.Reason:
		return Reason
	case n.Rule:
		return Rule
	case n.Confidence:
		return Confidence
	case n.RetryAfter:
		return RetryAfter
	case n.Fingerprint:
		return Fingerprint
	}
	return 0
}

// Distinct returns the attributes of s that can be written. An attribute without a
// key is left out. If two attributes have the same key, the later one in Names is left
// out.
func (n *Names) Distinct(s Set) Set {
	var found Set
	for _, key := range []string{n.Category, n.Reason, n.Rule, n.Confidence, n.RetryAfter, n.Fingerprint} {
		found |= n.Find(key)
	}
	return s & found
}

// Milliseconds converts the duration retryAfter to a value for the attribute
// RetryAfter. It rounds up.
func Milliseconds(retryAfter time.Duration) int64 {
	return (retryAfter + time.Millisecond - 1).Milliseconds()
}
