// Package ruleset compiles text rules and finds those that match a text.
package ruleset

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/errclass/errclass/classify/internal/scan"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/internal/form"
)

// Set is a compiled list of text rules. It is immutable and safe for concurrent
// use.
type Set struct {
	// Rules has one rule for each bit of a set of matched rules ([]uint64). Each
	// part begins with a new uint64. An unused bit has an empty rule.
	Rules []signal.Rule
	Parts []Part

	WithoutReason []uint64 // the union of Hints, providers and Reports
	Hints         []uint64 // rules without a reason that recognise a request to wait
	providers     []uint64 // rules without a reason that recognise a provider
	Reports       []uint64 // rules without a reason that recognise a report of several attempts
	AboutHTTP     []uint64 // rules about an HTTP status
	Refusals      []uint64 // rules about a 4xx status that is permanent: see [signal.Signal.Refuses]
	Passing       []uint64 // rules of the category retryable
}

// Part is a group of rules with a common matcher. The user's rules are one part, and
// the standard rules another.
type Part struct {
	Matcher *scan.Matcher
	Word    int // index of the part's first uint64 in a set of matched rules
	Reads   textForm
}

// textForm says how a text is changed before it is matched against a [Part].
type textForm uint8

// The values of textForm.
const (
	exactText          textForm = iota // the text as it is
	exactOrPlain                       // the text as it is, then the plain text (see [Set.Plain])
	PlainWithoutFrames                 // the plain text without stack frames, with and without joined lines
)

// Words returns how many uint64s a set of matched rules needs.
func (s *Set) Words() int { return len(s.WithoutReason) }

// Plain returns text without escape sequences and invisible characters. If no part
// needs this plain text, Plain returns text itself.
func (s *Set) Plain(text string) string {
	for _, p := range s.Parts {
		if p.Reads != exactText {
			return form.PlainText(text)
		}
	}
	return text
}

// Match sets the bits of the rules that match text. set is a set of matched rules. plain
// must be the result of [Set.Plain] for text.
func (s *Set) Match(set []uint64, text, plain string) {
	for _, p := range s.Parts {
		p.match(set[p.Word:], text, plain)
	}
}

// MatchStandard sets the bits of the standard rules that match plain. plain must be a
// piece of a result of [Set.Plain]. The user's rules are not tried.
func (s *Set) MatchStandard(set []uint64, plain string) {
	for _, p := range s.Parts {
		if p.Reads == PlainWithoutFrames {
			p.match(set[p.Word:], plain, plain)
		}
	}
}

// match sets the bits of the rules of p that match text. set must begin with the
// first uint64 of p.
func (p Part) match(set []uint64, text, plain string) {
	switch p.Reads {
	case exactText:
		p.Matcher.Match(set, text)
		return
	case exactOrPlain:
		p.Matcher.Match(set, text)
		if plain = form.SingleSpaced(plain); plain != text {
			p.Matcher.Match(set, plain)
		}
		return
	}
	frames := form.NewFrameReader(plain)
	for at := 0; at < len(plain); {
		var said string
		if said, at = frames.Next(at); said != "" {
			p.Matcher.Match(set, form.SingleSpaced(said))
			if joined, ok := form.JoinLines(said); ok {
				p.Matcher.Match(set, form.SingleSpaced(joined))
			}
		}
	}
}

// Compile compiles rules into a set of one part.
func Compile(rules []signal.Rule) (*Set, error) {
	exprs := make([]string, len(rules))
	for i, r := range rules {
		exprs[i] = r.Pattern
	}
	m, err := scan.Compile(exprs)
	if err != nil {
		return nil, err
	}
	return New(rules, Part{Matcher: m}), nil
}

// New returns a set of compiled rules. parts has the matchers.
func New(rules []signal.Rule, parts ...Part) *Set {
	last := parts[len(parts)-1]
	words := last.Word + last.Matcher.Words()
	s := &Set{Rules: rules, Parts: parts}
	sets := [...]*[]uint64{&s.WithoutReason, &s.Hints, &s.providers, &s.Reports, &s.AboutHTTP, &s.Refusals, &s.Passing}
	room := make([]uint64, len(sets)*words)
	for i, set := range sets {
		*set = room[i*words : (i+1)*words : (i+1)*words]
	}
	for i := range rules {
		r := &rules[i]
		if r.Reason == signal.NoReason && len(r.Vetoes) == 0 {
			setBit(s.WithoutReason, i)
			switch {
			case ruleProvider(r.ID) != 0:
				setBit(s.providers, i)
			case strings.HasPrefix(r.ID, form.LogPrefix):
				setBit(s.Reports, i)
			default:
				setBit(s.Hints, i)
			}
		}
		if r.Strength < signal.User && (strings.HasPrefix(r.ID, statusPrefix) || strings.HasPrefix(r.ID, nearPrefix)) {
			setBit(s.AboutHTTP, i)
		}
		if m := signal.Match(r, i); m.Refuses() {
			setBit(s.Refusals, i)
		}
		if r.Meaning() == signal.CategoryRetryable {
			setBit(s.Passing, i)
		}
	}
	return s
}

// HasStrong reports whether a matched rule has all of these properties:
//
//   - It has a reason.
//   - It has a strength above [signal.Word].
//   - No matched rule vetoes it.
func (s *Set) HasStrong(matched []uint64) bool {
	for w, word := range matched {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			if r := &s.Rules[i]; r.Reason != signal.NoReason && r.Strength > signal.Word && !s.vetoed(matched, i) {
				return true
			}
		}
	}
	return false
}

// vetoed reports whether a matched rule vetoes the rule s.Rules[index].
func (s *Set) vetoed(matched []uint64, index int) bool {
	other := signal.Match(&s.Rules[index], index)
	for w, word := range matched {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			if hint := signal.Match(&s.Rules[i], i); len(hint.Text.Vetoes) > 0 && hint.Vetoes(&other) {
				return true
			}
		}
	}
	return false
}

// BeforeRefusal finds the first status in text that belongs to a matched rule of
// s.Refusals. It returns the position of the status, counted from 1, or 0 if text has no
// such status. In set, it sets the bits of the standard rules that match the text before
// the status.
func (s *Set) BeforeRefusal(set, matched []uint64, text string) (at int32) {
	var codes [8]int
	n := 0
	for w, word := range s.Refusals {
		for word &= matched[w]; word != 0 && n < len(codes); word &= word - 1 {
			codes[n] = int(s.Rules[w*64+bits.TrailingZeros64(word)].Status)
			n++
		}
	}
	i := statusAt(text, codes[:n])
	if i < 0 {
		return 0
	}
	s.MatchStandard(set, text[:i])
	return int32(i + 1)
}

func setBit(set []uint64, i int) { set[i/64] |= 1 << (i % 64) }

// Meets reports whether two sets of rules have a rule in common. matched must not be
// shorter than other.
func Meets(matched, other []uint64) bool {
	var common uint64
	for w, word := range other {
		common |= matched[w] & word
	}
	return common != 0
}

// MaxRules is the largest number of rules that [Set.With] accepts.
const MaxRules = scan.MaxPatterns

// With returns a set with n user rules before the rules of s. rule(i) returns the
// user rule with index i. With calls rule twice for each index, the second time after
// all patterns have compiled.
func (s *Set) With(n int, rule func(i int) signal.Rule) (*Set, error) {
	exprs := make([]string, n)
	for i := range exprs {
		exprs[i] = rule(i).Pattern
	}
	m, err := scan.Compile(exprs)
	var at *scan.PatternError
	if errors.As(err, &at) {
		fault, r := at.Err, rule(at.Index)
		if much := (*scan.BudgetError)(nil); errors.As(fault, &much) {
			fault = fmt.Errorf("rule %d of %d: %w", at.Index+1, n, fault)
		}
		return nil, fmt.Errorf("rule %q: pattern %s: %w", r.ID, scan.Shorten(r.Pattern), fault)
	}
	if err != nil {
		return nil, err
	}
	words := m.Words()
	rules := make([]signal.Rule, words*64, words*64+len(s.Rules))
	for i := range n {
		rules[i] = rule(i)
	}
	parts := append(make([]Part, 0, 1+len(s.Parts)), Part{Matcher: m, Reads: exactOrPlain})
	for _, p := range s.Parts {
		parts = append(parts, Part{p.Matcher, p.Word + words, p.Reads})
	}
	return New(append(rules, s.Rules...), parts...), nil
}

// HasBit reports whether the bit of rule i is set.
func HasBit(set []uint64, i int) bool { return set[i/64]&(1<<(i%64)) != 0 }
