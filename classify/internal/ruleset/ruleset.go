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

// Set is a list of text rules, compiled. It is immutable and safe for
// concurrent use.
type Set struct {
	// rules by the bits of a set of matches. Each part begins with a new word,
	// so a rule without an id may stand between two parts.
	Rules []signal.Rule
	Parts []Part

	Telling   []uint64 // hints, providers and tries together
	Hints     []uint64 // rules without a reason which say that the text names a wait
	providers []uint64 // and which name the provider
	Tries     []uint64 // and which show a report of several tries
	AboutHTTP []uint64 // rules about a status of HTTP
	Refusals  []uint64 // those of them about a 4xx that stays
	Passing   []uint64 // rules after which the call may be repeated
}

// Part is what one pass over a text finds: the user's rules are compiled by
// themselves, the standard ones only once.
type Part struct {
	Matcher *scan.Matcher
	Word    int // of a set of matches, where the part begins
	Reads   reads
}

// reads is the form in which a part sees a text.
type reads uint8

// The forms.
const (
	exactText    reads = iota // as it is
	exactOrPlain              // as it is, and in its plain form: the user's rules
	PlainSpeech               // plain, without the frames of stack traces, also with its lines joined: the standard rules
)

// Words returns the length of a set of matches.
func (s *Set) Words() int { return len(s.Telling) }

// Plain returns the plain form of a text, if a part of the set sees it.
func (s *Set) Plain(text string) string {
	for _, p := range s.Parts {
		if p.Reads != exactText {
			return form.PlainText(text)
		}
	}
	return text
}

// Match adds the rules that match text to a set; plain is its plain form.
func (s *Set) Match(set []uint64, text, plain string) {
	for _, p := range s.Parts {
		p.match(set[p.Word:], text, plain)
	}
}

// MatchSpeech adds the standard rules that match to a set. plain may be a part
// of a text, of which the user's rules have seen the whole.
func (s *Set) MatchSpeech(set []uint64, plain string) {
	for _, p := range s.Parts {
		if p.Reads == PlainSpeech {
			p.match(set[p.Word:], plain, plain)
		}
	}
}

// match adds the rules of the part that match a text to the part's words of a set.
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

// Compile compiles rules that the matcher is not known of.
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

// New returns the set of rules that are compiled already, in parts.
func New(rules []signal.Rule, parts ...Part) *Set {
	last := parts[len(parts)-1]
	words := last.Word + last.Matcher.Words()
	s := &Set{Rules: rules, Parts: parts}
	sets := [...]*[]uint64{&s.Telling, &s.Hints, &s.providers, &s.Tries, &s.AboutHTTP, &s.Refusals, &s.Passing}
	room := make([]uint64, len(sets)*words)
	for i, set := range sets {
		*set = room[i*words : (i+1)*words : (i+1)*words]
	}
	for i := range rules {
		r := &rules[i]
		if r.Reason == signal.NoReason && len(r.Vetoes) == 0 {
			setBit(s.Telling, i)
			switch {
			case ruleProvider(r.ID) != 0:
				setBit(s.providers, i)
			case strings.HasPrefix(r.ID, form.LogPrefix):
				setBit(s.Tries, i)
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

// Says reports whether a set of matches says more than a bare word, once the
// hints among them have ruled out what they rule out.
func (s *Set) Says(matched []uint64) bool {
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

// vetoed reports whether a hint in a set of matches rules out the rule at a
// place.
func (s *Set) vetoed(matched []uint64, place int) bool {
	other := signal.Match(&s.Rules[place], place)
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

// BeforeRefusal finds the first 4xx in the text that a later attempt does not
// change. It adds the rules that match the text before that status, and returns the
// position of the status, counted from 1. It returns 0 if it finds none.
func (s *Set) BeforeRefusal(before, matched []uint64, text string) (at int32) {
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
	s.MatchSpeech(before, text[:i])
	return int32(i + 1)
}

func setBit(set []uint64, i int) { set[i/64] |= 1 << (i % 64) }

// Meets reports whether two sets have a rule in common; matched may be longer.
func Meets(matched, other []uint64) bool {
	var common uint64
	for w, word := range other {
		common |= matched[w] & word
	}
	return common != 0
}

// MaxRules is the largest number of rules that [Set.With] takes.
const MaxRules = scan.MaxPatterns

// With puts n rules of the user before those of s. A user's rule is as strong as
// a typed fact. The rules are only made if their patterns compile.
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
