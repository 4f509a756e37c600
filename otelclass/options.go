package otelclass

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/attrkey"
)

// These are the default keys of the attributes for category and reason.
// [WithKeys] changes them.
const (
	CategoryKey = attribute.Key("error.category")
	ReasonKey   = attribute.Key("error.reason")
)

// These are the keys of the attributes that [WithDetails] adds.
const (
	RuleKey         = attribute.Key("error.rule")           // the id of the rule that determined the reason, a string
	ConfidenceKey   = attribute.Key("error.confidence")     // the probability that the reason is right, from 0 to 1
	RetryAfterMSKey = attribute.Key("error.retry_after_ms") // how long the provider asks to wait, an integer number of milliseconds
)

// FingerprintKey is the key of the attribute that [WithFingerprint] adds. The value
// is a string of 16 hexadecimal digits.
const FingerprintKey = attribute.Key("error.fingerprint")

// Signal is the OpenTelemetry signal in which an error was seen.
type Signal string

// These are the values of [Signal].
const (
	SignalLog  Signal = "log"
	SignalSpan Signal = "span"
)

// Option configures a [SpanProcessor], a [LogProcessor] or a [Recorder]. Each type
// ignores the options that do not apply to it.
type Option interface{ apply(config) config }

// config has the settings that the options make. It does not change after
// newConfig has returned it.
type config struct {
	names      attrkey.Names
	extra      attrkey.Set // what WithDetails and WithFingerprint add
	wanted     attrkey.Set // all attributes to write
	classifier *classify.Classifier
	observers  []observer
	spans      func(sdktrace.ReadOnlySpan) bool // nil = all
	handled    bool
}

func newConfig(opts []Option) *config {
	c := config{
		names: attrkey.Names{
			Category: string(CategoryKey), Reason: string(ReasonKey), Rule: string(RuleKey), Confidence: string(ConfidenceKey),
			RetryAfter: string(RetryAfterMSKey), Fingerprint: string(FingerprintKey),
		},
		classifier: classify.Standard,
	}
	for _, o := range opts {
		if o != nil {
			c = o.apply(c)
		}
	}
	c.wanted = c.names.Distinct(attrkey.Both | c.extra)
	return &c
}

type optionFunc func(config) config

func (f optionFunc) apply(c config) config { return f(c) }

// WithKeys sets the keys of the attributes for category and reason. The defaults are
// [CategoryKey] and [ReasonKey]. OpenTelemetry reserves the namespace of these two
// keys for itself. An empty name keeps the default. If both are equal, only the
// category is written.
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

// WithDetails adds these attributes wherever category or reason are added:
//
//   - [RuleKey]: the id of the rule that determined the reason
//   - [ConfidenceKey]: the probability that the reason is right
//   - [RetryAfterMSKey]: the time that the provider asks to wait, in milliseconds,
//     rounded up
//
// A key that the caller has set is kept. If both category and reason are already
// set, no details are added. By default none of the three is added.
//
// Rule ids are stable. `errclass rules` lists them. There are some 1,400, too many
// for a metric label.
func WithDetails() Option {
	return optionFunc(func(c config) config {
		c.extra |= attrkey.Details
		return c
	})
}

// WithFingerprint adds [FingerprintKey] wherever category or reason are added. The
// fingerprint is a hash of the error's template: its text without values such as
// numbers, addresses and quoted strings (see package fingerprint). Errors that
// differ only in such values have the same fingerprint.
//
// The template is made from the text that determined the reason. Without a text, it
// is made from the type or the HTTP status. [RecordError] and slogclass give the
// same error the same fingerprint. A key that the caller has set is kept. By default
// the attribute is not added.
//
// Never use the fingerprint as a label of a metric. The number of fingerprints is
// unlimited.
func WithFingerprint() Option {
	return optionFunc(func(c config) config {
		c.extra |= attrkey.Fingerprint
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

// WithObserver adds a function that a processor calls for every error:
//
//   - A span is an error if its status is Error.
//   - A log record is an error if its severity is Error, above, or unspecified, and
//     it has no category yet.
//   - A handled exception is not an error here.
//
// By default there is no observer. Several observers are called in the order given.
// A nil observer is ignored. A [Recorder] calls none.
//
// The observer runs in the goroutine that ends the span or emits the record, after
// the next processor. For a record, it gets the context of the record. For a span,
// it gets a context with only the span context. If the span already has a valid
// category and reason, the observer gets these.
//
// The observer must be safe for concurrent use and must not block. If it panics, the
// span or record is still passed on. The processor returns the first panic from the
// next ForceFlush or Shutdown.
func WithObserver(observe func(context.Context, Signal, classify.Result)) Option {
	return optionFunc(func(c config) config {
		if observe != nil {
			c.observers = append(c.observers[:len(c.observers):len(c.observers)], observe)
		}
		return c
	})
}

// WithCounter counts the errors that a processor finds, like [WithObserver] with
// [Counter.Count]. By default nothing is counted. A nil counter is ignored. Give a
// counter to only one span processor and one log processor of a provider. Two
// processors for one signal would count each error twice.
func WithCounter(counter *Counter) Option {
	if counter == nil {
		return optionFunc(func(c config) config { return c })
	}
	return WithObserver(counter.Count)
}

// WithSpans sets a filter for the spans that a [SpanProcessor] classifies. Other
// spans are passed on unchanged and are not counted. The default is all spans. A nil
// filter keeps the default. The filter is called only for spans that failed or
// recorded an exception. It must be safe for concurrent use and must not block. If
// it panics, the span is classified.
func WithSpans(which func(sdktrace.ReadOnlySpan) bool) Option {
	return optionFunc(func(c config) config {
		if which != nil {
			c.spans = which
		}
		return c
	})
}

// WithHandled adds category and reason to every span with an exception. By default,
// if the span's status is not Error, the exception counts as handled: only its event
// gets the attributes. Observers and counters always ignore a handled exception.
func WithHandled() Option {
	return optionFunc(func(c config) config {
		c.handled = true
		return c
	})
}
