package classify

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/errclass/errclass/classify/internal/scan"
)

//go:generate go run ./internal/gen -rules rules -out standard_gen.go

// textRule is a rule about the text of an error. Rules stand in the order of
// precedence: of all that match, the first decides.
type textRule struct {
	id       string
	pattern  string
	reason   Reason   // "" = the rule only hints or vetoes
	category Category // "" = the reason's own
	strength strength
	vetoes   []string // reasons that are out of the decision when the rule matches
}

// ruleSet is an ordered list of text rules, compiled for one pass. It is
// immutable and safe for concurrent use.
type ruleSet struct {
	rules   []textRule
	matcher *scan.Matcher
	silent  []uint64   // rules without a reason
	hints   []uint64   // those of them that say the text names a wait: hint/…
	vetoes  [][]uint64 // by rule: the rules that it takes out, or nil
	vetoers []uint64   // rules with vetoes
}

func compileRules(rules []textRule) (*ruleSet, error) {
	exprs := make([]string, len(rules))
	for i, r := range rules {
		exprs[i] = r.pattern
	}
	m, err := scan.Compile(exprs)
	if err != nil {
		return nil, err
	}
	s := &ruleSet{
		rules: rules, matcher: m,
		silent:  make([]uint64, m.Words()),
		hints:   make([]uint64, m.Words()),
		vetoers: make([]uint64, m.Words()),
		vetoes:  make([][]uint64, len(rules)),
	}
	for i, r := range rules {
		if r.reason == "" {
			setBit(s.silent, i)
			if strings.HasPrefix(r.id, "hint/") {
				setBit(s.hints, i)
			}
		}
		if len(r.vetoes) == 0 {
			continue
		}
		setBit(s.vetoers, i)
		s.vetoes[i] = make([]uint64, m.Words())
		for j, other := range rules {
			for _, v := range r.vetoes {
				if string(other.reason) == v || other.id == v {
					setBit(s.vetoes[i], j)
				}
			}
		}
	}
	return s, nil
}

func setBit(set []uint64, i int) { set[i/64] |= 1 << (i % 64) }

// ruleError names the rule and the pattern that a set cannot be built from.
func ruleError(r Rule, err error) error {
	return fmt.Errorf("rule %q: pattern %q: %w", r.ID, r.Pattern, err)
}

// first returns the lowest set bit, or -1.
func first(set []uint64) int {
	for w, word := range set {
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return -1
}

func trailing(word uint64) int { return bits.TrailingZeros64(word) }

// compileUserRules puts the user's rules before those of a base. A user's
// rule is as strong as a typed fact.
func compileUserRules(user []Rule, base []textRule) (*ruleSet, error) {
	rules := make([]textRule, 0, len(user)+len(base))
	for _, r := range user {
		rules = append(rules, textRule{id: r.ID, pattern: r.Pattern, reason: r.Reason, strength: userStrength})
	}
	set, err := compileRules(append(rules, base...))
	var at *scan.PatternError
	if errors.As(err, &at) && at.Index < len(user) {
		return nil, ruleError(user[at.Index], at.Err)
	}
	return set, err
}
