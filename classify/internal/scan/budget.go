package scan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Budget bounds the work of compiling a set of patterns and of checking texts
// against them. It counts steps, never time, so a set is accepted or refused
// alike on every machine. A step takes about ten nanoseconds, and stands for the
// memory that it needs.
//
// What a set needs is estimated first: see [Budget.Foresee]. To refuse a set takes
// a few million steps, to build the largest that is accepted takes a hundred
// million.
//
// A Budget is not safe for concurrent use.
type Budget struct {
	spent   []spending // by pattern
	left    *int       // steps that compiling may still take; clones count on it too
	checked int        // steps of checking texts
	texts   int        // bytes of them
	weights []weight   // by pattern, once they are known
	single  bool       // it is for a pattern by itself
	work    *int       // everything that was done, for tests; nothing depends on it
	phase   phase
}

// A phase is what steps are spent on.
type phase uint8

const (
	reading phase = iota // parsing and taking apart
	nodes                // building the nondeterministic automaton
	states               // making it deterministic
	phases
)

// phaseFaults says what a pattern by itself spent too much on, and what to do
// about it.
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
	maxWeight   = 200_000_000 // steps that all patterns are estimated to need; 100,000 phrases of 38 bytes are 154 million
	maxOne      = 2_000_000   // steps of one pattern by itself, more for
	maxOneByte  = 60          // each byte of it
	freeSteps   = 3_000_000   // steps of compiling all patterns together, more for
	stepsAgain  = 8           // each estimated step, but no more than
	maxAll      = 400_000_000 // so many
	maxExamples = 3_000_000   // steps that checking texts is estimated to take, more for each byte of them; twice as many that it takes
)

var (
	errLong     = fmt.Errorf("is longer than %d bytes: split it into several patterns", maxExpr)
	errLarge    = fmt.Errorf("all patterns together are longer than %d bytes, and this one is the longest: use fewer rules", maxSet)
	errMany     = fmt.Errorf("there are more than %d patterns: use fewer rules", MaxPatterns)
	errAll      = fmt.Errorf("all patterns together need more than %d million steps to compile, and this one the most of them: use fewer or shorter rules, fewer classes or shorter counted repetitions", maxWeight/1_000_000)
	errStates   = errors.New("together with the other patterns it needs too many states: use fewer classes one after the other, or a gap such as .{0,40}")
	errExamples = errors.New("its examples are too much work to check: shorten them")
)

// errSpent is what [Budget.spend] panics with; recoverSpent turns it into an
// error. Work is spent deep in recursions that have nothing else to report.
type errSpent struct{}

// NewBudget returns the budget for a set of patterns.
func NewBudget(exprs []string) *Budget {
	left := maxAll
	return &Budget{left: &left, work: new(int), spent: make([]spending, min(len(exprs), MaxPatterns))}
}

// alone returns a budget for one pattern by itself.
func (b *Budget) alone(expr string) *Budget {
	left := maxOne + maxOneByte*len(expr)
	return &Budget{left: &left, work: b.work, single: true, spent: make([]spending, 1)}
}

// clone returns a budget of which as much is spent.
func (b *Budget) clone() *Budget {
	c := *b
	c.spent = slices.Clone(b.spent)
	return &c
}

// spend counts steps for a pattern.
func (b *Budget) spend(pattern int32, steps int) {
	b.spent[pattern][b.phase] += steps
	*b.work += steps
	if *b.left -= steps; *b.left < 0 {
		panic(errSpent{})
	}
}

// Steps returns what was spent so far.
func (b *Budget) Steps() (n int) {
	for i := range b.spent {
		n += b.spent[i].total()
	}
	return n
}

// Work returns the steps of all that was done for the set: also of what was tried
// in vain, of what was estimated, and of testers.
func (b *Budget) Work() int { return *b.work }

// most returns the pattern that spent the most, and on what.
func (b *Budget) most() (pattern int, on phase) {
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

// recoverSpent is deferred: it turns an overrun into an error that names the
// pattern that spent the most.
func (b *Budget) recoverSpent(err *error) {
	switch r := recover(); r {
	case nil:
	case errSpent{}:
		pattern, on := b.most()
		fault := errStates
		if b.single {
			fault = errors.New(phaseFaults[on])
		}
		*err = &PatternError{pattern, &BudgetError{b.spent[pattern].total(), fault}}
	default:
		panic(r)
	}
}

// BudgetError says that a set of patterns is too much work.
type BudgetError struct {
	Steps int // of the pattern that needs the most
	err   error
}

func (e *BudgetError) Error() string { return e.err.Error() }

// Unwrap returns the limit that was exceeded.
func (e *BudgetError) Unwrap() error { return e.err }

// Shorten quotes a pattern for an error, where only its beginning has room.
func Shorten(expr string) string {
	const most = 200
	if len(expr) <= most {
		return strconv.Quote(expr)
	}
	return fmt.Sprintf("%q and so on (%d bytes)", strings.ToValidUTF8(expr[:most], ""), len(expr))
}
