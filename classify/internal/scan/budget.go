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
// alike on every machine. A step takes about ten nanoseconds.
//
// Every pattern may spend its share for free. What it spends beyond its share
// comes out of one reserve for the whole set, of which one pattern may take only
// a part. So the size of a set costs nothing of the reserve, and one expensive
// pattern is refused before the shares of the others are spent.
//
// All patterns together may spend no more than maxAll. A step also stands for the
// memory that it needs, so the limit bounds both.
//
// What a set will certainly cost is charged before it is built: see outlook. A set
// whose size shows only while it is built stops at maxAll. That takes as long as
// the largest set that is accepted: 2 to 4 seconds, and 1.2 GB allocated in all.
//
// A Budget is not safe for concurrent use.
type Budget struct {
	spent   []spending // by pattern
	share   []int      // by pattern: what is left of it; below 0 the pattern is in debt to the reserve
	reserve int
	left    *int // of maxAll; clones count on it too, so work that is done twice counts twice
	alone   *int // of maxAll, for the testers: each compiles its pattern once more
	work    *int // everything that was done, for tests; nothing depends on it
	phase   phase
}

// A phase is what steps are spent on.
type phase uint8

const (
	reading  phase = iota // parsing and taking apart
	nodes                 // building the nondeterministic automaton
	states                // making it deterministic
	examples              // checking texts
	phases
)

// phaseFaults says what a pattern spent too much on, and what to do about it.
var phaseFaults = [phases]string{
	reading:  `its character classes and loops are too much work: use fewer, or names such as \p{Han} instead of wide ranges`,
	nodes:    "its counted repetitions and classes are too much work: shorten the repetitions, or use fewer large classes",
	states:   "it needs too many states: shorten its counted repetitions, or make what stands before them more specific",
	examples: "its examples are too much work to check: shorten them",
}

// testersFault is what the patterns are refused for that many testers compile.
const testersFault = "the patterns that have examples are too much work to try one by one: use fewer examples"

// allFault is the same of a set whose patterns all stay within their shares.
const allFault = "all patterns together are too much work, and this one is the most of it: use fewer or shorter rules"

type spending [phases]int

func (s *spending) total() (n int) {
	for _, steps := range s {
		n += steps
	}
	return n
}

// Limits of a set. All shares together, of the largest set that is accepted, are
// worth a few seconds; what one pattern may take of the reserve is worth less
// than 50 ms. Patterns that begin alike without being alike cost each other
// something, so the reserve grows with the set.
const (
	maxExpr    = 64 << 10 // bytes of one pattern
	maxSet     = 4 << 20  // bytes of all patterns
	shareLeast = 2500     // of a pattern without a byte, in a large set
	shareMost  = 20_000
	shareFixed = 40_000_000  // of all patterns together
	shareByte  = 40          // for each byte of the pattern
	reserveOne = 3_000_000   // what one pattern may take of the reserve, and the reserve of an empty set
	jointByte  = 100         // more in the reserve for each byte of all patterns
	jointAll   = 40_000_000  // and no more than this
	maxAll     = 130_000_000 // all patterns together; 100,000 phrases need 117 million
)

var (
	errLong  = fmt.Errorf("is longer than %d bytes: split it into several patterns", maxExpr)
	errLarge = errors.New("all patterns together are too large, and this one is the largest: use fewer rules")
)

// errSpent is what [Budget.spend] panics with; recoverSpent turns it into an
// error. Work is spent deep in recursions that have nothing else to report.
type errSpent struct{}

// NewBudget returns the budget for a set of patterns.
func NewBudget(exprs []string) *Budget {
	b := &Budget{spent: make([]spending, len(exprs)), share: make([]int, len(exprs)), reserve: reserveOne, left: new(int), alone: new(int), work: new(int)}
	*b.left, *b.alone = maxAll, maxAll
	bytes, fixed := 0, max(shareLeast, min(shareMost, shareFixed/max(1, len(exprs))))
	for i, expr := range exprs {
		b.share[i] = fixed + shareByte*len(expr)
		bytes += len(expr)
	}
	b.reserve += min(jointByte*bytes, jointAll)
	return b
}

// clone returns a budget of which as much is spent.
func (b *Budget) clone() *Budget {
	c := *b
	c.spent, c.share = slices.Clone(b.spent), slices.Clone(b.share)
	return &c
}

// spend counts steps for a pattern.
func (b *Budget) spend(pattern int32, steps int) {
	b.spent[pattern][b.phase] += steps
	*b.work += steps
	if *b.left -= steps; *b.left < 0 {
		panic(errSpent{})
	}
	before := min(b.share[pattern], 0)
	if b.share[pattern] -= steps; b.share[pattern] >= 0 {
		return
	}
	b.reserve -= before - b.share[pattern]
	if b.reserve < 0 || b.share[pattern] < -reserveOne {
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
		*err = b.overrun()
	default:
		panic(r)
	}
}

func (b *Budget) overrun() error {
	pattern, on := b.most()
	if *b.left < 0 {
		return &PatternError{pattern, &BudgetError{Steps: b.spent[pattern].total(), text: allFault}}
	}
	return &PatternError{pattern, &BudgetError{Steps: b.spent[pattern].total(), text: phaseFaults[on]}}
}

// BudgetError says that a set of patterns is too much work.
type BudgetError struct {
	Steps int // spent by the pattern that spent the most
	text  string
}

func (e *BudgetError) Error() string { return e.text }

// Shorten quotes a pattern for an error, where only its beginning has room.
func Shorten(expr string) string {
	const most = 200
	if len(expr) <= most {
		return strconv.Quote(expr)
	}
	return fmt.Sprintf("%q and so on (%d bytes)", strings.ToValidUTF8(expr[:most], ""), len(expr))
}

// checkSize refuses what is too long before any of it is read.
func checkSize(exprs []string) error {
	total, longest := 0, 0
	for i, expr := range exprs {
		if len(expr) > maxExpr {
			return &PatternError{i, errLong}
		}
		if total += len(expr); len(expr) > len(exprs[longest]) {
			longest = i
		}
	}
	if total > maxSet {
		return &PatternError{longest, errLarge}
	}
	return nil
}
