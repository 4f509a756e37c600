package otelclass

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/errclass/errclass/classify"
)

// The keys of the attributes that are added unless [WithKeys] says otherwise.
const (
	CategoryKey = attribute.Key("error.category")
	ReasonKey   = attribute.Key("error.reason")
)

// The keys of the attributes that [WithDetails] adds.
const (
	RuleKey         = attribute.Key("error.rule")           // the id of the rule that decided, a string
	RetryAfterMSKey = attribute.Key("error.retry_after_ms") // how long the provider asks to wait, an integer
)

// Signal says in which of OpenTelemetry's signals an error was seen.
type Signal string

// The signals.
const (
	SignalLog  Signal = "log"
	SignalSpan Signal = "span"
)

// Option configures a [SpanProcessor], a [LogProcessor] or a [Recorder]. One
// that means nothing to what it is given to changes nothing.
type Option interface{ apply(config) config }

// config is immutable once a constructor has returned.
type config struct {
	category   attribute.Key
	reason     attribute.Key
	classifier *classify.Classifier
	observers  []observer
	spans      func(sdktrace.ReadOnlySpan) bool // nil = all
	handled    bool
	details    bool
}

func newConfig(opts []Option) *config {
	c := config{category: CategoryKey, reason: ReasonKey, classifier: classify.Standard}
	for _, o := range opts {
		if o != nil {
			c = o.apply(c)
		}
	}
	return &c
}

type optionFunc func(config) config

func (f optionFunc) apply(c config) config { return f(c) }

// WithKeys sets the names of the two attributes. The defaults are
// [CategoryKey] and [ReasonKey], which stand in a namespace that OpenTelemetry
// reserves for itself; an empty name keeps its default. Two equal names give
// one attribute, the category.
func WithKeys(category, reason string) Option {
	return optionFunc(func(c config) config {
		if category != "" {
			c.category = attribute.Key(category)
		}
		if reason != "" {
			c.reason = attribute.Key(reason)
		}
		return c
	})
}

// WithDetails adds, wherever category or reason are added, also [RuleKey], the
// rule that decided, and, where the provider said how long to wait,
// [RetryAfterMSKey] in milliseconds, rounded up. A key that the caller has set is
// kept. By default neither is added. Where both category and reason stand already,
// whoever put them there has left the details out.
//
// A rule is a stable id, as `errclass rules` lists them. There are some 1,600, so
// it is nothing for the label of a metric.
func WithDetails() Option {
	return optionFunc(func(c config) config {
		c.details = true
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

// WithObserver adds a function that a processor calls with every error that it
// sees: a span whose status is Error, and a log record at severity Error or
// above, or of no severity, that nobody has classified before. Exceptions that
// were handled are no errors here. By default there is none; several are called
// in the order given, nil is ignored. A [Recorder] calls none: the span that it
// records to is observed when it ends.
//
// It is called in the goroutine that ends the span or emits the record, after
// the next processor, with a context that holds the span's context (for
// exemplars) or is that of the record. Category and reason are those that stand
// on the span where both are words of this project, else what was found.
//
// It must be safe for concurrent use and must not block. Where it panics the
// span or record is passed on all the same: a LogProcessor returns the first
// panic of OnEmit as its error, a SpanProcessor with the next ForceFlush or
// Shutdown.
func WithObserver(observe func(context.Context, Signal, classify.Result)) Option {
	return optionFunc(func(c config) config {
		if observe != nil {
			c.observers = append(c.observers[:len(c.observers):len(c.observers)], observe)
		}
		return c
	})
}

// WithCounter counts the errors that a processor sees: it is [WithObserver]
// with [Counter.Count]. By default nothing is counted; nil is ignored. Give a
// counter to one span processor of a provider only, and to one log processor:
// two that stand side by side each see every span, and of two with different
// keys neither knows what the other has counted.
func WithCounter(counter *Counter) Option {
	if counter == nil {
		return optionFunc(func(c config) config { return c })
	}
	return WithObserver(counter.Count)
}

// WithSpans sets which spans a [SpanProcessor] classifies; all others it passes
// on as they are, uncounted. By default it is every span. The function is asked
// only about spans that failed or recorded an exception; it must be safe for
// concurrent use and must not block. Where it panics the answer is yes. Nil
// keeps the default.
func WithSpans(which func(sdktrace.ReadOnlySpan) bool) Option {
	return optionFunc(func(c config) config {
		if which != nil {
			c.spans = which
		}
		return c
	})
}

// WithHandled gives the two attributes to a span that recorded an exception
// also where its status is not Error. By default such an exception was handled:
// its event gets them and the span does not. Observers and counters are never
// told of it.
func WithHandled() Option {
	return optionFunc(func(c config) config {
		c.handled = true
		return c
	})
}
