package slogclass

import (
	"context"
	"log/slog"
	"slices"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/attrkey"
)

// These are the default keys of the attributes for category and reason.
// [WithKeys] changes them.
const (
	CategoryKey = "error.category"
	ReasonKey   = "error.reason"
)

// These are the keys of the attributes that [WithDetails] adds.
const (
	RuleKey         = "error.rule"           // the id of the rule that determined the reason, a string
	ConfidenceKey   = "error.confidence"     // the probability that the reason is right, from 0 to 1
	RetryAfterMSKey = "error.retry_after_ms" // how long the provider asks to wait, an integer number of milliseconds
)

// FingerprintKey is the key of the attribute that [WithFingerprint] adds. The value
// is a string of 16 hexadecimal digits.
const FingerprintKey = "error.fingerprint"

// Option configures a [Handler].
type Option interface{ apply(config) config }

// config is immutable after [New]. All derived handlers share it.
type config struct {
	level      slog.Level   // used if dynamic is nil
	dynamic    slog.Leveler // read for every record
	names      attrkey.Names
	extra      attrkey.Set // what WithDetails and WithFingerprint add
	wanted     attrkey.Set // all attributes to write
	textKeys   keySet
	classifier *classify.Classifier
	observers  []observer
	nests      bool // see writesGroupsAlike
}

func defaults() config {
	return config{
		level: slog.LevelError,
		names: attrkey.Names{
			Category: CategoryKey, Reason: ReasonKey, Rule: RuleKey, Confidence: ConfidenceKey,
			RetryAfter: RetryAfterMSKey, Fingerprint: FingerprintKey,
		},
		textKeys:   newKeySet([]string{"error", "err", "cause", "exception", "exception.message", "stderr"}),
		classifier: classify.Standard,
	}
}

// keySet is a small set of attribute keys. It rejects most other keys by length
// alone.
type keySet struct {
	keys    []string
	lengths uint64 // bit n is set for a key of n bytes, bit 63 for all longer ones
}

func newKeySet(keys []string) (s keySet) {
	s.keys = slices.Clone(keys)
	for _, key := range keys {
		s.lengths |= 1 << min(len(key), 63)
	}
	return s
}

func (s *keySet) has(key string) bool {
	return s.lengths>>min(len(key), 63)&1 != 0 && slices.Contains(s.keys, key)
}

type optionFunc func(config) config

func (f optionFunc) apply(c config) config { return f(c) }

// WithLevel sets the lowest level that is classified. The level is read for every
// record, so a [slog.LevelVar] may change it. The default is [slog.LevelError]. A
// nil level keeps the default.
func WithLevel(level slog.Leveler) Option {
	return optionFunc(func(c config) config {
		if fixed, ok := level.(slog.Level); ok {
			c.level, c.dynamic = fixed, nil
		} else if level != nil {
			c.dynamic = level
		}
		return c
	})
}

// WithKeys sets the keys of the attributes for category and reason. The defaults are
// [CategoryKey] and [ReasonKey]. OpenTelemetry reserves the namespace of these
// defaults for itself. An empty name keeps the default. If both keys are equal, only
// the category is written.
func WithKeys(category, reason string) Option {
	return optionFunc(func(c config) config {
		if category != "" {
			c.names.Category = category
		}
		if reason != "" {
			c.names.Reason = reason
		}
		return c
	})
}

// WithDetails adds these attributes to classified records:
//
//   - [RuleKey]: the id of the rule that determined the reason
//   - [ConfidenceKey]: the probability that the reason is right
//   - [RetryAfterMSKey]: the time that the provider asks to wait, in milliseconds,
//     rounded up
//
// A key that the caller has set at the root is kept. By default none of the three is
// added.
//
// Rule ids are stable. `errclass rules` lists them. There are some 1,400, too many
// for a metric label. A record with details costs at least one allocation. If the
// logger has a group, the group's attributes are read again for each such record.
func WithDetails() Option {
	return optionFunc(func(c config) config {
		c.extra |= attrkey.Details
		return c
	})
}

// WithFingerprint adds [FingerprintKey] to classified records. The fingerprint is a
// hash of the error's template: its text without values such as numbers, addresses
// and quoted strings (see package fingerprint). Errors that differ only in such
// values have the same fingerprint. The template is made from the text of the error,
// or from the message. A key that the caller has set at the root is kept. By default
// the attribute is not added.
//
// Never use the fingerprint as a label of a metric. The number of fingerprints is
// unlimited. A fingerprint costs as much as [WithDetails], plus one call of Error.
func WithFingerprint() Option {
	return optionFunc(func(c config) config {
		c.extra |= attrkey.Fingerprint
		return c
	})
}

// WithTextKeys sets the keys of the string attributes that are read as error texts,
// in groups too. The defaults are error, err, cause, exception, exception.message
// and stderr. Without an argument, no string attribute is read. Error values are
// read under any key.
func WithTextKeys(keys ...string) Option {
	set := newKeySet(keys)
	return optionFunc(func(c config) config {
		c.textKeys = set
		return c
	})
}

// WithClassifier sets the classifier. The default is [classify.Standard]. A
// nil classifier keeps the default.
func WithClassifier(c *classify.Classifier) Option {
	return optionFunc(func(cfg config) config {
		if c != nil {
			cfg.classifier = c
		}
		return cfg
	})
}

// WithObserver adds a function that is called with every classified record. By
// default there is none. Several observers are called in the order given. A nil
// observer is ignored.
//
// The observer runs in the goroutine that logs, after the next handler. It gets the
// caller's record and the result, even if the caller has set the keys itself. The
// observer must be safe for concurrent use. It must not log through the same
// handler. To keep the record, it must Clone it.
//
// If an observer panics, the other observers are still called. Handle returns the
// panic as an error, which package slog ignores.
func WithObserver(observe func(context.Context, slog.Record, classify.Result)) Option {
	return optionFunc(func(c config) config {
		if observe != nil {
			c.observers = append(c.observers[:len(c.observers):len(c.observers)], observe)
		}
		return c
	})
}
