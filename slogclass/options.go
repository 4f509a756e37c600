package slogclass

import (
	"context"
	"log/slog"
	"slices"

	"github.com/errclass/errclass/classify"
)

// The keys of the attributes that are added unless [WithKeys] says otherwise.
const (
	CategoryKey = "error.category"
	ReasonKey   = "error.reason"
)

// The keys of the attributes that [WithDetails] adds.
const (
	RuleKey         = "error.rule"           // the id of the rule that decided, a string
	RetryAfterMSKey = "error.retry_after_ms" // how long the provider asks to wait, an integer
)

// Option configures a [Handler].
type Option interface{ apply(config) config }

// config is immutable once [New] has returned; all handlers derived from one
// share it.
type config struct {
	level      slog.Level   // where dynamic is nil
	dynamic    slog.Leveler // asked for every record
	category   string
	reason     string
	details    bool // rule and retry-after are written too
	textKeys   keySet
	classifier *classify.Classifier
	observers  []observer
}

func defaults() config {
	return config{
		level:      slog.LevelError,
		category:   CategoryKey,
		reason:     ReasonKey,
		textKeys:   newKeySet([]string{"error", "err", "cause", "exception", "exception.message", "stderr"}),
		classifier: classify.Standard,
	}
}

// wanted is which keys are written. Where a key has two meanings, because WithKeys
// gave it one of its own, it is written once, with the first one.
func (c *config) wanted() keys {
	wanted := categoryKey
	if c.reason != c.category {
		wanted |= reasonKey
	}
	if c.details && c.category != RuleKey && c.reason != RuleKey {
		wanted |= ruleKey
	}
	if c.details && c.category != RetryAfterMSKey && c.reason != RetryAfterMSKey {
		wanted |= retryAfterKey
	}
	return wanted
}

// keySet is a set of a few attribute keys. Most keys that are asked for are
// not in it, and their length alone says so.
type keySet struct {
	keys    []string
	lengths uint64 // bit n: there is a key of n bytes; longer ones count as 63
}

func newKeySet(keys []string) (s keySet) {
	s.keys = slices.Clone(keys) // the caller's slice stays the caller's
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

// WithLevel sets the level from which on records are classified. It is read
// for every record, so a [slog.LevelVar] may change it. The default is
// [slog.LevelError]; nil keeps it.
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

// WithKeys sets the names of the two attributes. The defaults are
// [CategoryKey] and [ReasonKey], which stand in a namespace that OpenTelemetry
// reserves for itself; an empty name keeps its default. Two equal names give
// one attribute, the category.
func WithKeys(category, reason string) Option {
	return optionFunc(func(c config) config {
		if category != "" {
			c.category = category
		}
		if reason != "" {
			c.reason = reason
		}
		return c
	})
}

// WithDetails adds to what is classified also [RuleKey], the rule that decided,
// and, where the provider said how long to wait, [RetryAfterMSKey] in
// milliseconds, rounded up. A key that the caller has set at the root is kept. By
// default neither is added.
//
// A rule is a stable id, as `errclass rules` lists them: look it up with
// `errclass explain`, or correct it. There are some 1,600, so it is nothing for
// the label of a metric. Records with details cost an allocation or more, and
// under an open group the calls since that group are repeated for each of them.
func WithDetails() Option {
	return optionFunc(func(c config) config {
		c.details = true
		return c
	})
}

// WithTextKeys sets the names of the string attributes that are read as the
// text of an error, in groups too. The defaults are error, err, cause,
// exception, exception.message and stderr; without an argument no string
// attribute is read. Attributes that hold an error value are read under any
// name.
func WithTextKeys(keys ...string) Option {
	set := newKeySet(keys)
	return optionFunc(func(c config) config {
		c.textKeys = set
		return c
	})
}

// WithClassifier sets what decides. The default is [classify.Standard]; nil
// keeps it.
func WithClassifier(c *classify.Classifier) Option {
	return optionFunc(func(cfg config) config {
		if c != nil {
			cfg.classifier = c
		}
		return cfg
	})
}

// WithObserver adds a function that is called with every classified record,
// for counters and alerts. By default there is none; several are called in the
// order given, nil is ignored.
//
// It is called in the goroutine that logs, after the line has been written,
// with the record as the caller made it and with what was found, also where
// the line keeps the caller's own keys. It must be safe for concurrent use,
// must not log through the same handler (it would be called for its own
// records), and must Clone the record to keep it. Where it panics, the line is
// written all the same, the other observers are called, and Handle returns the
// panic as an error: package slog ignores that, a handler around this one may
// report it.
func WithObserver(observe func(context.Context, slog.Record, classify.Result)) Option {
	return optionFunc(func(c config) config {
		if observe != nil {
			c.observers = append(c.observers[:len(c.observers):len(c.observers)], observe)
		}
		return c
	})
}
