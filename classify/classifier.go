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

// DefaultMaxBytes is the default of [WithMaxBytes]. With it, a classifier reads
// the first and the last 32 KiB of a text.
const DefaultMaxBytes = collect.DefaultMaxBytes

// Classifier turns [Evidence] into a [Result]. Make one with [New]; the zero
// Classifier is not usable. A Classifier is safe for concurrent use. It is immutable
// unless made with [Switchable]. It never logs. It recovers every panic in a method
// of the evidence, such as Err.Error. It stores no text, only hashes of the texts
// that it has classified.
type Classifier struct {
	rules    func() *ruleset.Set // compiled at first use
	seen     *memory.Memory      // cache of earlier results; valid for this maxBytes only
	maxBytes int                 // 0 = the whole text
	textOnly bool                // reads err.Error() and Message, nothing else
	learned  bool                // asks the model too: see WithModel
	fallback string              // Result.Rule if no rule matches
	now      func() time.Time    // for tests; nil = time.Now

	live *atomic.Pointer[Classifier] // if not nil, the classifier to use instead: see Switchable
}

// These are the predefined classifiers.
var (
	// Standard reads all evidence, and has the broad rule set and the model (see
	// [WithModel]). It is the default.
	Standard = newStandard()
	// Minimal has the twenty patterns of the original classifier. The first one that
	// matches decides. Minimal reads only text, and reads all of it. A failure
	// without a text, such as a status alone, has the reason unknown.
	Minimal = newMinimal()
	// None has no rules. Use it with [WithBase] for a classifier that has only your
	// rules. It reads only text. A failure without a text, such as a status alone,
	// has the reason unknown.
	None = newNone()
)

// The functions below make the three classifiers. If the variables had composite
// literals, `go doc` would print the literals in full.

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
// base classifier ([WithBase]). The default is none. [New] returns an error for
// rules that are too costly to compile.
func WithRules(rules ...Rule) Option {
	rules = append([]Rule(nil), rules[:min(len(rules), ruleset.MaxRules+1)]...) // copied, because the caller may change its slice; with MaxRules+1 rules, New returns an error
	return optionFunc(func(c config) config {
		c.rules = append(c.rules[:len(c.rules):len(c.rules)], rules...)
		return c
	})
}

// WithBase sets the classifier to build on: [Standard] (the default), [Minimal]
// or [None]. A nil base and the zero Classifier keep the default.
func WithBase(base *Classifier) Option {
	return optionFunc(func(c config) config {
		if base = base.current(); base.usable() {
			c.base = base
		}
		return c
	})
}

// WithMaxBytes sets how many bytes of a text are read: half of n from the beginning
// and half from the end. The default is the limit of the base classifier; n ≤ 0
// keeps it. All texts of an error chain together are limited to max(n, 64 KiB), and
// all texts of a response to 64 KiB. If n exceeds [DefaultMaxBytes], a
// classification takes more memory.
func WithMaxBytes(n int) Option {
	return optionFunc(func(c config) config {
		if n > 0 {
			c.maxBytes = n
		}
		return c
	})
}

// WithModel sets whether the classifier asks its model about texts. The default
// comes from the base classifier: yes for [Standard], no for [Minimal] and [None].
// The model is a small neural network, trained on labelled messages. If the model
// is sure enough, its answer is used in these cases:
//
//   - No rule decides.
//   - A text rule of the strength "word" or "phrase" decides, or the status 500 in a
//     text does. The stronger the rule, the surer the model must be.
//   - A text rule of the strength "cause" decides, and the evidence has no code, no
//     status and nothing else but texts. The model must be surer still, and it never
//     makes a permanent cause retryable.
//
// The result then has the rule [RuleModel]. Apart from the status 500 in a text, the
// model never overrules a code. It never overrules a fact or a user's rule, and never
// reports this program's own deadline.
func WithModel(on bool) Option {
	return optionFunc(func(c config) config {
		c.learned = &on
		return c
	})
}

// New returns a classifier. Without options it classifies like [Standard]. An error
// names the faulty rule, its pattern and the fault.
//
// New compiles all patterns of [WithRules] into one automaton. The limits are:
//
//   - 150,000 rules, 64 KiB per pattern, 4 MiB for all patterns together.
//   - 200 million steps of compiling, estimated from the text of the patterns. A byte of
//     a phrase takes about 30 steps; a phrase is a pattern without special characters. A
//     byte of another pattern takes 60, a class such as [a-z] 600, a dot 2,200, and
//     \p{L} 100,000 and more. A counted repetition such as (?:ab){9} multiplies the steps
//     of the repeated part; a repeated dot such as .{0,40} does not.
//   - 2 million steps for each single pattern, plus 60 for each of its bytes. New
//     checks this limit only for the few patterns that may need the most states.
//
// New refuses rules beyond a limit before it compiles them, within 100 ms and 32
// MB. The error names the most expensive rule and a remedy. It also names the limit,
// or the part of the pattern that is costly. New counts steps instead of measuring
// time, so it accepts the same rules on every machine. 100,000 phrases of 38 letters
// are within the limits and compile in 2 to 3 seconds; 20,000 compile in half a
// second.
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

// checkRules checks the number of rules, and the id and the reason of each rule. It
// does not parse the patterns.
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

// Classify classifies the evidence. It returns the zero Result if nothing failed.
// That is so for the zero Evidence, and for a response with a status below 400
// whose body is not an error envelope (an error object in JSON or XML).
func (c *Classifier) Classify(e Evidence) (r Result) {
	c.classify(&e, &r)
	return r
}

// classify sets *r, which must be zero. e and r are pointers because both structs
// are large, and copying them would be slow.
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

// survive recovers a panic of this package and sets *r to a result with the reason
// unknown. It must be deferred. Package chain recovers panics in methods of errors.
func (c *Classifier) survive(r *Result) {
	if recover() != nil {
		*r = c.unknown()
		r.Rule += panicSuffix
	}
}

// panicSuffix is added to the rule of a result after a panic of this package:
// "default+panic".
const panicSuffix = "+panic"

// ErrBudgetExceeded reports that the program has spent its own budget, for example
// its money or tokens. If you refuse a call or discard an answer for that reason,
// wrap ErrBudgetExceeded in your error. It outranks all other evidence. The policy
// of the result ([Result.Policy]) never allows a fallback.
var ErrBudgetExceeded = chain.ErrBudgetExceeded
