package scan

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// A chain is one way to match a pattern: pieces in order, with gaps between
// them. gaps[i] stands before pieces[i]; the first is empty.
type chain struct {
	pieces []*syntax.Regexp
	gaps   []gap
}

// A gap is text between two pieces: a run of each loop, in order.
type gap []loop

// A loop is a run of at least min and at most max runes of a class; max < 0
// means any number. In a gap of several loops every min is 0.
type loop struct {
	class    *syntax.Regexp // OpCharClass, OpAnyChar or OpAnyCharNotNL
	min, max int
}

// Limits on how far a pattern is taken apart. One with loops that is beyond
// them is refused.
const (
	maxChains = 64 // ways to match one pattern
	maxCount  = 4  // optional repetitions of a class without letters
)

var (
	errGroup = errors.New("repeats a group without bound: write how often at most, as in {1,9}")
	errLoops = errors.New("has a loop such as .* in a group that is repeated, or too many alternatives around such loops: split it into several patterns")
)

// A parser takes patterns apart.
type parser struct {
	*Budget
	pattern int32
	loops   map[*syntax.Regexp]bool               // what hasLoop has found out
	ways    map[*syntax.Regexp][][]*syntax.Regexp // what sequences has found out
}

// parse reads a pattern. Its error says what is wrong, not where the pattern
// came from.
func (b *Budget) parse(pattern int32, expr string) ([]chain, error) {
	if re := phrase(expr); re != nil {
		b.spend(pattern, len(expr))
		return []chain{{pieces: []*syntax.Regexp{re}, gaps: []gap{nil}}}, nil
	}
	b.spend(pattern, min(readingSteps(expr), *b.left+1)) // more is refused anyway
	re, err := syntax.Parse(expr, syntax.Perl|syntax.FoldCase)
	if err != nil {
		return nil, explain(expr, err)
	}
	if contains(re, isLoopOfCapture) {
		return nil, errGroup
	}
	p := &parser{Budget: b, pattern: pattern, loops: map[*syntax.Regexp]bool{}, ways: map[*syntax.Regexp][][]*syntax.Regexp{}}
	all := p.sequences(ungroup(re))
	chains := make([]chain, len(all))
	for i, seq := range all {
		if chains[i], err = p.assemble(seq); err != nil {
			return nil, err
		}
	}
	return chains, nil
}

// phrase returns what package syntax makes of a pattern of ASCII that is nothing
// but literal text, or nil. Most patterns of a large set are such.
func phrase(expr string) *syntax.Regexp {
	if !isPhrase(expr) {
		return nil
	}
	runes := []rune(strings.ToUpper(expr)) // the least of the runes that fold to each other
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

// explain turns an error of regexp/syntax into a short text that unwraps to it.
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

// isLoopOfCapture reports whether re repeats what stands in parentheses without
// bound. Of such a group package syntax may have made a class, as of (a|b)*,
// which the matcher could take; that it takes one and not the next would be
// hard to foretell.
func isLoopOfCapture(re *syntax.Regexp) bool {
	switch {
	case re.Op != syntax.OpStar && re.Op != syntax.OpPlus && (re.Op != syntax.OpRepeat || re.Max >= 0):
		return false
	default:
		return re.Sub[0].Op == syntax.OpCapture
	}
}

// ungroup removes captures, which only group here.
func ungroup(re *syntax.Regexp) *syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	for i, sub := range re.Sub {
		re.Sub[i] = ungroup(sub)
	}
	return re
}
