package classify

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/errclass/errclass/classify/internal/scan"
)

//go:generate go run ./internal/gen -rules rules -out standard_gen.go -table standard.table

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

// signal is what the rule says where nothing else is known.
func (r *textRule) signal() signal { return signal{r.id, r.reason, r.category, r.strength} }

// ruleSet is an ordered list of text rules, compiled. It is immutable and safe
// for concurrent use.
type ruleSet struct {
	// rules by the bits of a set of matches. Each part begins with a new word,
	// so a rule without an id may stand between two parts.
	rules   []textRule
	means   []Category // by rule: what it says to do
	parts   []part
	silent  []uint64   // rules without a reason
	hints   []uint64   // those of them which say that the text names a wait
	tellers []uint64   // those of them which tell the provider
	vetoes  [][]uint64 // by rule: the rules that it takes out, or nil
	vetoers []uint64   // rules with vetoes

	telling   []uint64 // hints, tellers and tries together
	aboutHTTP []uint64 // rules about a status of HTTP
	refusals  []uint64 // those of them about a 4xx that stays: see refuses
	unwelcome []uint64 // rules about a status that refuses the caller: see signal.refusesCaller
	wrapped   []uint64 // phrases that a server error is only put around
	tries     []uint64 // silent rules which tell a report of several tries
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
func (s *ruleSet) words() int { return len(s.silent) }

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

// matchFrame adds the rules that match the first frame of a text that begins
// with one and says nothing else: in the tail of a trace, a function that is
// named after what happened is all that is known. Bare words stay out of it.
func (s *ruleSet) matchFrame(set []uint64, frame string) {
	if frame == "" {
		return
	}
	for _, p := range s.parts {
		if p.reads == plainSpeech { // to the user's rules, which have seen it, it is no text of its own
			p.matcher.Match(set[p.word:], singleSpaced(frame))
		}
	}
	s.veto(set)
	for i := range s.rules {
		if s.rules[i].strength <= wordStrength {
			set[i/64] &^= 1 << (i % 64)
		}
	}
}

// compileRules compiles rules that the matcher is not known of.
func compileRules(rules []textRule) (*ruleSet, error) {
	exprs := make([]string, len(rules))
	for i, r := range rules {
		exprs[i] = r.pattern
	}
	m, err := scan.Compile(exprs)
	if err != nil {
		return nil, err
	}
	return newRuleSet(rules, part{matcher: m}), nil
}

func newRuleSet(rules []textRule, parts ...part) *ruleSet {
	last := parts[len(parts)-1]
	words := last.word + last.matcher.Words()
	s := &ruleSet{
		rules: rules, parts: parts,
		means:   make([]Category, len(rules)),
		silent:  make([]uint64, words),
		hints:   make([]uint64, words),
		tellers: make([]uint64, words),
		vetoers: make([]uint64, words),
		vetoes:  make([][]uint64, len(rules)),

		telling:   make([]uint64, words),
		aboutHTTP: make([]uint64, words),
		refusals:  make([]uint64, words),
		unwelcome: make([]uint64, words),
		wrapped:   make([]uint64, words),
		tries:     make([]uint64, words),
	}
	for i, r := range rules {
		s.means[i] = r.meaning()
		if r.reason == "" {
			setBit(s.silent, i)
			if len(r.vetoes) == 0 {
				setBit(s.telling, i)
			}
			switch {
			case ruleProvider(r.id) != 0:
				setBit(s.tellers, i)
			case strings.HasPrefix(r.id, logPrefix):
				setBit(s.tries, i)
			case len(r.vetoes) == 0:
				setBit(s.hints, i)
			}
		}
		if r.strength < userStrength && (strings.HasPrefix(r.id, statusPrefix) || strings.HasPrefix(r.id, nearPrefix)) {
			setBit(s.aboutHTTP, i)
			if refuses(&rules[i]) {
				setBit(s.refusals, i)
			}
		}
		if r.signal().refusesCaller() {
			setBit(s.unwelcome, i)
		}
		if wrapped(r.reason, r.strength) {
			setBit(s.wrapped, i)
		}
		if len(r.vetoes) == 0 {
			continue
		}
		setBit(s.vetoers, i)
		s.vetoes[i] = make([]uint64, words)
		for j, other := range rules {
			if other.strength == userStrength {
				continue // what the user says is not for us to rule out
			}
			for _, v := range r.vetoes {
				if string(other.reason) == v || other.id == v {
					setBit(s.vetoes[i], j)
				}
			}
		}
	}
	return s
}

// veto removes from a set of matched rules what other matched rules rule out,
// and the rules that have no reason themselves.
func (s *ruleSet) veto(matched []uint64) {
	for w := range s.vetoers {
		for left := matched[w] & s.vetoers[w]; left != 0; left &= left - 1 {
			for i, v := range s.vetoes[w*64+bits.TrailingZeros64(left)] {
				matched[i] &^= v
			}
		}
	}
	for w := range s.silent {
		matched[w] &^= s.silent[w]
	}
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

// first returns the lowest set bit, or -1.
func first(set []uint64) int {
	for w, word := range set {
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return -1
}

// with puts the user's rules before those of s. A user's rule is as strong as
// a typed fact.
func (s *ruleSet) with(user []Rule) (*ruleSet, error) {
	rules := make([]textRule, 0, len(user)+64)
	for _, r := range user {
		rules = append(rules, textRule{id: r.ID, pattern: r.Pattern, reason: r.Reason, strength: userStrength})
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
