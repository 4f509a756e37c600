package scan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Budget limits the steps of compiling patterns and of checking texts. A step
// takes about ten nanoseconds. Steps are counted and not timed, so every machine
// accepts the same sets. Every node, state and edge costs steps. So the memory is
// limited too.
//
// [Budget.Precheck] first estimates the steps of a set. Refusing a set takes a few
// million steps. Building the largest accepted set takes a hundred million.
//
// A Budget is not safe for concurrent use.
type Budget struct {
	spent   []spending // the steps of each pattern
	left    *int       // steps that compiling may still take; clones share this number
	checked int        // steps spent on checking texts
	texts   int        // bytes of the checked texts
	weights []weight   // the weight (the estimated cost) of each pattern; nil before Precheck
	single  bool       // the budget is for one pattern alone
	work    *int       // see [Budget.Work]; only for tests
	phase   phase
}

// A phase is a part of the compilation. Steps are counted for each phase.
type phase uint8

const (
	reading phase = iota // parsing patterns and cutting them at their gaps
	nodes                // building the nondeterministic automaton
	states               // making the automaton deterministic
	phases
)

// phaseFaults has the error and the remedy for each phase that needs too many steps.
var phaseFaults = [phases]string{
	reading: `its character classes and loops are too much work: use fewer, or names such as \p{Han} instead of wide ranges`,
	nodes:   "its counted repetitions and classes are too much work: shorten the repetitions, or use fewer large classes",
	states:  "it needs too many states: shorten its counted repetitions, or make what stands before them more specific",
}

type spending [phases]int

func (s *spending) total() (n int) {
	for _, steps := range s {
		n += steps
	}
	return n
}

// MaxPatterns is the largest number of patterns of a set.
const MaxPatterns = 150_000

// Other limits of a set.
const (
	maxExpr     = 64 << 10    // bytes of one pattern
	maxSet      = 4 << 20     // bytes of all patterns
	maxWeight   = 200_000_000 // estimated steps of all patterns; 100,000 phrases of 38 bytes need 154 million
	maxOne      = 2_000_000   // a pattern compiled alone may take this many steps, plus
	maxOneByte  = 60          // this many steps for each byte of the pattern
	freeSteps   = 3_000_000   // compiling a set may take this many steps, plus
	stepsAgain  = 8           // this many steps for each estimated step, but
	maxAll      = 400_000_000 // never more than this many steps
	maxExamples = 3_000_000   // estimated steps of checking texts, plus one for each byte; actual steps may be twice that
)

var (
	errLong     = fmt.Errorf("is longer than %d bytes: split it into several patterns", maxExpr)
	errLarge    = fmt.Errorf("all patterns together are longer than %d bytes, and this one is the longest: use fewer rules", maxSet)
	errMany     = fmt.Errorf("there are more than %d patterns: use fewer rules", MaxPatterns)
	errAll      = fmt.Errorf("all patterns together need more than %d million steps to compile, and this one the most of them: use fewer or shorter rules, fewer classes or shorter counted repetitions", maxWeight/1_000_000)
	errStates   = errors.New("together with the other patterns it needs too many states: use fewer classes one after the other, or a gap such as .{0,40}")
	errExamples = errors.New("its examples are too much work to check: shorten them")
)

// errSpent is the panic value of the method spend when the budget is exceeded.
// recoverSpent turns the panic into an error.
type errSpent struct{}

// NewBudget returns the budget for a set of patterns.
func NewBudget(exprs []string) *Budget {
	left := maxAll
	return &Budget{left: &left, work: new(int), spent: make([]spending, min(len(exprs), MaxPatterns))}
}

// alone returns a budget for one pattern alone.
func (b *Budget) alone(expr string) *Budget {
	left := maxOne + maxOneByte*len(expr)
	return &Budget{left: &left, work: b.work, single: true, spent: make([]spending, 1)}
}

// clone returns a copy of b. The copy and b share one limit.
func (b *Budget) clone() *Budget {
	c := *b
	c.spent = slices.Clone(b.spent)
	return &c
}

// spend takes steps from the budget. It panics if too few steps are left. The steps
// are counted for the given pattern.
func (b *Budget) spend(pattern int32, steps int) {
	b.spent[pattern][b.phase] += steps
	*b.work += steps
	if *b.left -= steps; *b.left < 0 {
		panic(errSpent{})
	}
}

// Steps returns the number of steps that compiling the set has taken so far.
func (b *Budget) Steps() (n int) {
	for i := range b.spent {
		n += b.spent[i].total()
	}
	return n
}

// Work returns the number of steps of all work for the set. It includes three kinds
// of steps that [Budget.Steps] does not count:
//
//   - estimates
//   - failed attempts to compile
//   - the work of testers
func (b *Budget) Work() int { return *b.work }

// mostExpensive returns the pattern with the most steps, and the phase with the most
// steps of that pattern.
func (b *Budget) mostExpensive() (pattern int, on phase) {
	for i := range b.spent {
		if b.spent[i].total() > b.spent[pattern].total() {
			pattern = i
		}
	}
	for p := range phases {
		if b.spent[pattern][p] > b.spent[pattern][on] {
			on = p
		}
	}
	return pattern, on
}

// recoverSpent must be deferred. It turns the panic of spend into *err. The error
// names the pattern with the most steps.
func (b *Budget) recoverSpent(err *error) {
	switch r := recover(); r {
	case nil:
	case errSpent{}:
		pattern, on := b.mostExpensive()
		fault := errStates
		if b.single {
			fault = errors.New(phaseFaults[on])
		}
		*err = &PatternError{pattern, &BudgetError{b.spent[pattern].total(), fault}}
	default:
		panic(r)
	}
}

// BudgetError is the error for a set of patterns that takes too many steps. The
// steps are those of compiling the set or of checking texts.
type BudgetError struct {
	Steps int // steps of the most expensive pattern; 0 if texts take too many
	err   error
}

func (e *BudgetError) Error() string { return e.err.Error() }

// Unwrap returns the error that says which limit was exceeded.
func (e *BudgetError) Unwrap() error { return e.err }

// Shorten returns a pattern in quotes for an error message. If the pattern is long,
// Shorten returns only the beginning.
func Shorten(expr string) string {
	const most = 200
	if len(expr) <= most {
		return strconv.Quote(expr)
	}
	return fmt.Sprintf("%q and so on (%d bytes)", strings.ToValidUTF8(expr[:most], ""), len(expr))
}
