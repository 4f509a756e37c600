package classify

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/chain"
	"github.com/errclass/errclass/classify/internal/memory"
	"github.com/errclass/errclass/classify/internal/ruleset"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// DefaultMaxBytes is the default of [WithMaxBytes]. It is 64 KiB: the first and the last
// 32 KiB of a text are read.
const DefaultMaxBytes = collect.DefaultMaxBytes

// Classifier turns [Evidence] into a [Result]. Make one with [New]. The zero
// Classifier is not usable.
//
// A Classifier is safe for concurrent use. It never changes, unless [Switchable]
// made it. It never logs. It stores hashes of texts, but no text. If a method of an
// error in the evidence panics, the Classifier recovers the panic.
type Classifier struct {
	rules    func() *ruleset.Set // compiled at first use
	seen     *memory.Memory      // cache of earlier results; valid for this maxBytes only
	maxBytes int                 // 0 = the whole text
	textOnly bool                // reads err.Error() and Message, nothing else
	learned  bool                // asks the model too: see WithModel
	fallback string              // Result.Rule if no rule matches
	now      func() time.Time    // for tests; nil = time.Now

	live *atomic.Pointer[Classifier] // if not nil, use this classifier instead: see Switchable
}

// These are the predefined classifiers.
var (
	// Standard reads all evidence. It is the default. It has the broad rule set and
	// the model (see [WithModel]).
	Standard = newStandard()
	// Minimal has the twenty patterns of the original classifier. The first pattern
	// that matches decides. Minimal reads only texts, at their full length. If a
	// failure has no text, its reason is unknown.
	Minimal = newMinimal()
	// None has no rules. Use it with [WithBase] for a classifier with only your
	// rules. It reads only texts. If a failure has no text, its reason is unknown.
	None = newNone()
)

// The variables above call functions, because `go doc` would print composite
// literals in full.

func newStandard() *Classifier {
	return &Classifier{seen: new(memory.Memory), rules: sync.OnceValue(standardSet), maxBytes: DefaultMaxBytes, learned: true, fallback: "default"}
}

func newMinimal() *Classifier {
	return &Classifier{seen: new(memory.Memory), rules: lazily(minimalRules[:]), textOnly: true, fallback: "000/default"}
}

func newNone() *Classifier {
	return &Classifier{seen: new(memory.Memory), rules: lazily(nil), maxBytes: DefaultMaxBytes, textOnly: true, fallback: "default"}
}

// standardSet returns the standard rule set.
func standardSet() *ruleset.Set {
	return ruleset.New(standard.Rules[:], ruleset.Part{Matcher: standard.Matcher(), Reads: ruleset.PlainWithoutFrames})
}

// lazily returns a function that compiles rules at its first call. The rules must
// be valid.
func lazily(rules []signal.Rule) func() *ruleset.Set {
	return sync.OnceValue(func() *ruleset.Set {
		set, err := ruleset.Compile(rules)
		if err != nil {
			panic(err) // a rule of this package; every test would fail
		}
		return set
	})
}

// Option configures a [Classifier].
type Option interface{ apply(config) config }

type config struct {
	rules    []Rule
	base     *Classifier
	maxBytes int
	learned  *bool
}

type optionFunc func(config) config

func (f optionFunc) apply(c config) config { return f(c) }

// WithRules adds the user's own rules. They take precedence over the rules of the
// base classifier ([WithBase]). By default there are none. If the rules are too
// costly to compile, [New] returns an error.
func WithRules(rules ...Rule) Option {
	rules = append([]Rule(nil), rules[:min(len(rules), ruleset.MaxRules+1)]...) // copied, because the caller may change its slice; with MaxRules+1 rules, New returns an error
	return optionFunc(func(c config) config {
		c.rules = append(c.rules[:len(c.rules):len(c.rules)], rules...)
		return c
	})
}

// WithBase sets the classifier to build on. It is [Standard] (the default),
// [Minimal] or [None]. If base is nil or the zero Classifier, the default remains.
func WithBase(base *Classifier) Option {
	return optionFunc(func(c config) config {
		if base = base.current(); base.usable() {
			c.base = base
		}
		return c
	})
}

// WithMaxBytes sets how many bytes of a text are read. Half of them are at the
// beginning of the text, half at the end. The default is the limit of the base
// classifier. If n ≤ 0, the default remains.
//
// All texts of an error chain together are limited to max(n, 64 KiB). All texts of a
// response together are limited to 64 KiB. If n exceeds [DefaultMaxBytes], a
// classification takes more memory.
func WithMaxBytes(n int) Option {
	return optionFunc(func(c config) config {
		if n > 0 {
			c.maxBytes = n
		}
		return c
	})
}

// WithModel sets whether the classifier asks its model about texts. The default is
// true for the base [Standard], and false for the bases [Minimal] and [None]. The model
// is a small neural network. It was trained on labelled messages.
//
// The model decides if it is sure enough, and in addition one of these is true:
//
//   - No rule decides.
//   - A text rule of the strength "word" or "phrase" would decide.
//   - The status 500 in a text would decide.
//   - A text rule of the strength "cause" would decide, and all evidence is text
//     without a code or a status.
//
// The stronger the rule, the surer the model must be. Except for that status 500, the
// model cannot overrule a status or a code. It cannot overrule a fact, such as an errno,
// or a user's rule. It never reports this program's own deadline. It never makes a
// permanent cause retryable. If the model decides, the result has the rule [RuleModel].
func WithModel(on bool) Option {
	return optionFunc(func(c config) config {
		c.learned = &on
		return c
	})
}

// New returns a classifier. Without options, it classifies like [Standard]. An error
// names the faulty rule, its pattern and the fault.
//
// New compiles all patterns of [WithRules] together. These are the limits:
//
//   - 150,000 rules.
//   - 64 KiB for one pattern, and 4 MiB for all patterns together.
//   - 200 million steps of compiling for all patterns together.
//   - 2 million steps for one pattern, plus 60 for each of its bytes. New checks this
//     limit only for the few patterns that may need the most states.
//
// New estimates the steps from the text of the patterns:
//
//   - A byte of a phrase takes about 30 steps. A phrase has no special characters.
//   - A byte of any other pattern takes 60 steps.
//   - A class such as [a-z] takes 600 steps.
//   - A dot takes 2,200 steps.
//   - \p{L} and similar classes take 100,000 steps and more.
//   - A counted repetition such as (?:ab){9} multiplies the steps of the repeated part.
//     A repeated dot such as .{0,40} does not.
//
// If the rules exceed a limit, New returns an error within 100 ms and 32 MB. It does
// not compile these rules. The error names the most expensive rule and a remedy. It
// also names the limit, or the costly part of the pattern. The same rules are accepted
// on every machine.
//
// 100,000 phrases of 38 letters are within the limits. They compile in 2 to 3 seconds.
func New(opts ...Option) (*Classifier, error) {
	cfg := config{base: Standard}
	for _, o := range opts {
		if o != nil {
			cfg = o.apply(cfg)
		}
	}
	c := *cfg.base
	c.seen = new(memory.Memory)
	if cfg.maxBytes > 0 {
		c.maxBytes = cfg.maxBytes
	}
	if cfg.learned != nil {
		c.learned = *cfg.learned
	}
	if len(cfg.rules) == 0 {
		return &c, nil
	}
	if err := checkRules(cfg.rules); err != nil {
		return nil, err
	}
	set, err := cfg.base.rules().With(len(cfg.rules), func(i int) signal.Rule {
		r := &cfg.rules[i]
		return signal.Rule{ID: r.ID, Pattern: r.Pattern, Reason: signal.ReasonOf(string(r.Reason)), Strength: signal.User, Listed: true}
	})
	if err != nil {
		return nil, err
	}
	c.rules = func() *ruleset.Set { return set }
	return &c, nil
}

// checkRules checks the number, the ids and the reasons of the rules, but not the
// patterns.
func checkRules(rules []Rule) error {
	if len(rules) > ruleset.MaxRules {
		return fmt.Errorf("there are more than %d rules: use fewer", ruleset.MaxRules)
	}
	seen := make(map[string]int, len(rules))
	for i, r := range rules {
		if r.ID == "" {
			return fmt.Errorf("rule %d: it has no id", i+1)
		}
		if first, ok := seen[r.ID]; ok {
			return fmt.Errorf("rule %q: rules %d and %d have the same id", r.ID, first, i+1)
		}
		seen[r.ID] = i + 1
		if r.Pattern == "" {
			return fmt.Errorf("rule %q: it has no pattern", r.ID)
		}
		if !r.Reason.Valid() {
			return fmt.Errorf("rule %q: unknown reason %q (known: %s)", r.ID, r.Reason, knownReasons())
		}
	}
	return nil
}

// Error classifies err with [Standard]. Error(nil) is the zero Result.
func Error(err error) Result { return Standard.Error(err) }

// Message classifies a text with [Standard].
func Message(text string) Result { return Standard.Message(text) }

// Error classifies err. Error(nil) is the zero Result.
func (c *Classifier) Error(err error) (r Result) {
	c.classify(&Evidence{Err: err}, &r)
	return r
}

// Message classifies a text. For the empty text, the result is [CategoryFatal] and
// [ReasonUnknown].
func (c *Classifier) Message(text string) (r Result) {
	if text == "" {
		return c.current().unknown()
	}
	c.classify(&Evidence{Message: text}, &r)
	return r
}

func (c *Classifier) unknown() Result {
	return Result{Category: CategoryFatal, Reason: ReasonUnknown, Rule: c.fallback, Confidence: c.confidence(signal.NoStrength)}
}

// Classify classifies the evidence. If nothing failed, it returns the zero Result.
//
// The zero Evidence means that nothing failed. So does a response with a status from
// 1 to 399, unless its body is an error envelope. An error envelope is an error
// object in JSON or XML.
func (c *Classifier) Classify(e Evidence) (r Result) {
	c.classify(&e, &r)
	return r
}

// classify sets *r, which must be zero. Both arguments are pointers because the
// structs are large.
func (c *Classifier) classify(e *Evidence, r *Result) {
	c = c.current()
	text, source, alone := c.textAlone(e)
	switch {
	case !alone:
	case text == "" && e.Err == nil:
		if e.Status >= 400 || e.Type != "" || e.Code != "" {
			*r = c.unknown() // a failure without a text
		}
		return
	case c.recalled(text, e, r):
		return
	}
	defer c.survive(r)
	q := collect.Inquiry{Set: c.rules(), Seen: c.seen, Now: c.clock(), Provider: c.providerOf(e), Source: source}
	q.Budget.Open(c.maxBytes)
	if alone {
		c.readAlone(&q, text, r)
	} else if read(&q, e) {
		c.result(&q, r)
	}
	q.List.Release()
}

// clock returns c.now, or time.Now if c.now is nil.
func (c *Classifier) clock() func() time.Time {
	if c.now == nil {
		return time.Now
	}
	return c.now
}

// survive recovers a panic of this package and sets the reason unknown. It must be
// deferred.
func (c *Classifier) survive(r *Result) {
	if recover() != nil {
		*r = c.unknown()
		r.Rule += panicSuffix
	}
}

// panicSuffix is added to the rule of a result after a panic of this package:
// "default+panic".
const panicSuffix = "+panic"

// ErrBudgetExceeded reports that the program has spent its own budget, such as money
// or tokens. Wrap it in your error if you refuse a call or discard an answer for that
// reason. It outranks all other evidence. [Result.Policy] then allows no fallback.
var ErrBudgetExceeded = chain.ErrBudgetExceeded
