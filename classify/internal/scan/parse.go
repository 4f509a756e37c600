package scan

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// A chain is one alternative of a pattern: pieces with gaps between them. The gap
// gaps[i] is before pieces[i], and gaps[0] is empty.
type chain struct {
	pieces []*syntax.Regexp
	gaps   []gap
}

// A gap is the part of a pattern between two pieces: one or several consecutive
// loops.
type gap []loop

// A loop is a repetition such as .{2,5} of a class:
//
//   - A negative max means no limit.
//   - If a gap has several loops, min is 0.
type loop struct {
	class    *syntax.Regexp // OpCharClass, OpAnyChar, OpAnyCharNotNL, or OpLiteral of one rune
	min, max int
}

// A group that contains a loop is expanded into chains. If the expansion exceeds one
// of these limits, the pattern is refused.
const (
	maxChains = 64 // chains of one pattern
	maxCount  = 4  // optional repetitions of a class without letters
)

var (
	errGroup = errors.New("repeats a group without bound: write how often at most, as in {1,9}")
	errLoops = errors.New("has a loop such as .* in a group that is repeated, or too many alternatives around such loops: split it into several patterns")
)

// A parser cuts a pattern into chains.
type parser struct {
	*Budget
	pattern  int32
	loops    map[*syntax.Regexp]bool               // results of hasLoop
	expanded map[*syntax.Regexp][][]*syntax.Regexp // results of sequences
}

// parse reads a pattern. The error says what is wrong, but does not name the
// pattern.
func (b *Budget) parse(pattern int32, expr string) ([]chain, error) {
	if re := phrase(expr); re != nil {
		b.spend(pattern, len(expr))
		return []chain{{pieces: []*syntax.Regexp{re}, gaps: []gap{nil}}}, nil
	}
	b.spend(pattern, min(readingSteps(expr), *b.left+1)) // one step over the limit is enough to exceed it
	re, err := syntax.Parse(expr, syntax.Perl|syntax.FoldCase)
	if err != nil {
		return nil, explain(expr, err)
	}
	if contains(re, isLoopOfCapture) {
		return nil, errGroup
	}
	p := &parser{Budget: b, pattern: pattern, loops: map[*syntax.Regexp]bool{}, expanded: map[*syntax.Regexp][][]*syntax.Regexp{}}
	all := p.sequences(ungroup(re))
	chains := make([]chain, len(all))
	for i, seq := range all {
		if chains[i], err = p.assemble(seq); err != nil {
			return nil, err
		}
	}
	return chains, nil
}

// phrase returns the syntax tree of a phrase (a literal ASCII pattern), as package
// regexp/syntax would. For other patterns, it returns nil.
func phrase(expr string) *syntax.Regexp {
	if !isPhrase(expr) {
		return nil
	}
	runes := []rune(strings.ToUpper(expr)) // of the runes that differ only in case, package syntax stores the lowest
	return &syntax.Regexp{Op: syntax.OpLiteral, Flags: syntax.Perl | syntax.FoldCase, Rune: runes}
}

func isPhrase(expr string) bool {
	for i := range len(expr) {
		if special[expr[i]] {
			return false
		}
	}
	return expr != ""
}

// explain wraps err, an error of package regexp/syntax, in an error with a shorter
// text.
func explain(expr string, err error) error {
	var at *syntax.Error
	if !errors.As(err, &at) {
		return err
	}
	if at.Expr == "" || at.Expr == expr || at.Code == syntax.ErrMissingParen {
		return &parseError{string(at.Code), at}
	}
	const most = 200
	return &parseError{fmt.Sprintf("%s: %s", at.Code, at.Expr[:min(len(at.Expr), most)]), at}
}

type parseError struct {
	text string
	err  *syntax.Error
}

func (e *parseError) Error() string { return e.text }

func (e *parseError) Unwrap() error { return e.err }

// isLoopOfCapture reports whether re repeats a group in parentheses without upper
// bound. Every pattern with such a group is refused, so that users can predict which
// patterns are accepted.
func isLoopOfCapture(re *syntax.Regexp) bool {
	switch {
	case re.Op != syntax.OpStar && re.Op != syntax.OpPlus && (re.Op != syntax.OpRepeat || re.Max >= 0):
		return false
	default:
		return re.Sub[0].Op == syntax.OpCapture
	}
}

// ungroup replaces each capturing group by its content, because the matcher reports
// no submatches.
func ungroup(re *syntax.Regexp) *syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	for i, sub := range re.Sub {
		re.Sub[i] = ungroup(sub)
	}
	return re
}
