package classify

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/errclass/errclass/classify/internal/scan"
	"github.com/errclass/errclass/classify/internal/signal"
)

// ruleSet is a list of text rules, compiled. It is immutable and safe for
// concurrent use.
type ruleSet struct {
	// rules by the bits of a set of matches. Each part begins with a new word,
	// so a rule without an id may stand between two parts.
	rules []signal.Rule
	parts []part

	telling   []uint64 // hints, providers and tries together
	hints     []uint64 // rules without a reason which say that the text names a wait
	providers []uint64 // and which name the provider
	tries     []uint64 // and which show a report of several tries
	aboutHTTP []uint64 // rules about a status of HTTP
	refusals  []uint64 // those of them about a 4xx that stays
	passing   []uint64 // rules after which the call may be repeated
}

// A part is what one pass over a text finds: the user's rules are compiled by
// themselves, the standard ones only once.
type part struct {
	matcher *scan.Matcher
	word    int // of a set of matches, where the part begins
	reads   reads
}

// reads is the form in which a part sees a text.
type reads uint8

const (
	exactText    reads = iota // as it is
	exactOrPlain              // as it is, and in its plain form: the user's rules
	plainSpeech               // plain, without the frames of stack traces, also with its lines joined: the standard rules
)

// words returns the length of a set of matches.
func (s *ruleSet) words() int { return len(s.telling) }

// plain returns the plain form of a text, if a part of the set sees it.
func (s *ruleSet) plain(text string) string {
	for _, p := range s.parts {
		if p.reads != exactText {
			return plainText(text)
		}
	}
	return text
}

// match adds the rules that match text to a set; plain is its plain form.
func (s *ruleSet) match(set []uint64, text, plain string) {
	for _, p := range s.parts {
		p.match(set[p.word:], text, plain)
	}
}

// matchSpeech adds the standard rules that match to a set. plain may be a part
// of a text, of which the user's rules have seen the whole.
func (s *ruleSet) matchSpeech(set []uint64, plain string) {
	for _, p := range s.parts {
		if p.reads == plainSpeech {
			p.match(set[p.word:], plain, plain)
		}
	}
}

// match adds the rules of the part that match a text to its words of a set.
func (p part) match(set []uint64, text, plain string) {
	switch p.reads {
	case exactText:
		p.matcher.Match(set, text)
		return
	case exactOrPlain:
		p.matcher.Match(set, text)
		if plain = singleSpaced(plain); plain != text {
			p.matcher.Match(set, plain)
		}
		return
	}
	frames := newFrameReader(plain)
	for at := 0; at < len(plain); {
		var said string
		if said, at = frames.next(at); said != "" {
			p.matcher.Match(set, singleSpaced(said))
			if joined, ok := joinLines(said); ok {
				p.matcher.Match(set, singleSpaced(joined))
			}
		}
	}
}

// compileRules compiles rules that the matcher is not known of.
func compileRules(rules []signal.Rule) (*ruleSet, error) {
	exprs := make([]string, len(rules))
	for i, r := range rules {
		exprs[i] = r.Pattern
	}
	m, err := scan.Compile(exprs)
	if err != nil {
		return nil, err
	}
	return newRuleSet(rules, part{matcher: m}), nil
}

func newRuleSet(rules []signal.Rule, parts ...part) *ruleSet {
	last := parts[len(parts)-1]
	words := last.word + last.matcher.Words()
	s := &ruleSet{rules: rules, parts: parts}
	sets := [...]*[]uint64{&s.telling, &s.hints, &s.providers, &s.tries, &s.aboutHTTP, &s.refusals, &s.passing}
	room := make([]uint64, len(sets)*words)
	for i, set := range sets {
		*set = room[i*words : (i+1)*words : (i+1)*words]
	}
	for i := range rules {
		r := &rules[i]
		if r.Reason == signal.NoReason && len(r.Vetoes) == 0 {
			setBit(s.telling, i)
			switch {
			case ruleProvider(r.ID) != 0:
				setBit(s.providers, i)
			case strings.HasPrefix(r.ID, logPrefix):
				setBit(s.tries, i)
			default:
				setBit(s.hints, i)
			}
		}
		if r.Strength < signal.User && (strings.HasPrefix(r.ID, statusPrefix) || strings.HasPrefix(r.ID, nearPrefix)) {
			setBit(s.aboutHTTP, i)
		}
		if m := signal.Match(r, i); m.Refuses() {
			setBit(s.refusals, i)
		}
		if r.Meaning() == signal.CategoryRetryable {
			setBit(s.passing, i)
		}
	}
	return s
}

// says reports whether a set of matches says more than a bare word, once the
// hints among them have ruled out what they rule out.
func (s *ruleSet) says(matched []uint64) bool {
	for w, word := range matched {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			if r := &s.rules[i]; r.Reason != signal.NoReason && r.Strength > signal.Word && !s.vetoed(matched, i) {
				return true
			}
		}
	}
	return false
}

// vetoed reports whether a hint in a set of matches rules out the rule at a
// place.
func (s *ruleSet) vetoed(matched []uint64, place int) bool {
	other := signal.Match(&s.rules[place], place)
	for w, word := range matched {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			if hint := signal.Match(&s.rules[i], i); len(hint.Text.Vetoes) > 0 && hint.Vetoes(&other) {
				return true
			}
		}
	}
	return false
}

// beforeRefusal adds the rules that match what stands before the first 4xx that
// stays, and returns where that 4xx is in the text, counted from 1; 0 where nobody
// can tell.
func (s *ruleSet) beforeRefusal(before, matched []uint64, text string) (at int32) {
	var codes [8]int
	n := 0
	for w, word := range s.refusals {
		for word &= matched[w]; word != 0 && n < len(codes); word &= word - 1 {
			codes[n] = int(s.rules[w*64+bits.TrailingZeros64(word)].Status)
			n++
		}
	}
	i := statusAt(text, codes[:n])
	if i < 0 {
		return 0
	}
	s.matchSpeech(before, text[:i])
	return int32(i + 1)
}

func setBit(set []uint64, i int) { set[i/64] |= 1 << (i % 64) }

// meets reports whether two sets have a rule in common; matched may be longer.
func meets(matched, other []uint64) bool {
	var common uint64
	for w, word := range other {
		common |= matched[w] & word
	}
	return common != 0
}

// with puts the user's rules before those of s. A user's rule is as strong as
// a typed fact.
func (s *ruleSet) with(user []Rule) (*ruleSet, error) {
	rules := make([]signal.Rule, 0, len(user)+64)
	for _, r := range user {
		rules = append(rules, signal.Rule{ID: r.ID, Pattern: r.Pattern, Reason: signal.ReasonOf(string(r.Reason)), Strength: signal.User, Listed: true})
	}
	first, err := compileRules(rules)
	var at *scan.PatternError
	if errors.As(err, &at) {
		fault := at.Err
		if much := (*scan.BudgetError)(nil); errors.As(fault, &much) {
			fault = fmt.Errorf("rule %d of %d: %w", at.Index+1, len(user), fault)
		}
		return nil, fmt.Errorf("rule %q: pattern %s: %w", user[at.Index].ID, scan.Shorten(user[at.Index].Pattern), fault)
	}
	if err != nil {
		return nil, err
	}
	words := first.words()
	parts := first.parts
	parts[0].reads = exactOrPlain
	for _, p := range s.parts {
		parts = append(parts, part{p.matcher, p.word + words, p.reads})
	}
	return newRuleSet(append(rules[:words*64:words*64], s.rules...), parts...), nil
}

// hasBit reports whether the bit of rule i is set.
func hasBit(set []uint64, i int) bool { return set[i/64]&(1<<(i%64)) != 0 }
