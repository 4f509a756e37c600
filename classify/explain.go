package classify

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Explanation is a [Result] with the evidence for and against it.
type Explanation struct {
	Result Result
	// Signals lists the matches: first the one that decided, then the others by
	// precedence, then those that do not count. If the program's own deadline,
	// cancellation or budget decides, the search ends there.
	Signals []Signal
	// Omitted lists the evidence that exceeded a limit and was not read, in
	// reading order.
	Omitted []Omission
}

// Omission is evidence that was not read.
type Omission struct {
	Source string // as [Signal.Source]
	// Unit is the unit of Amount: "bytes of text", "bytes of bodies", "bytes of
	// bodies as JSON" (these were read as text), "errors", "texts of errors",
	// "header names" or "header values".
	Unit string
	// Amount counts the units that were not read. For errors it counts the first
	// one of each branch only, not the errors that it wraps.
	Amount int
}

// Signal is one match in the evidence.
type Signal struct {
	Rule     string
	Reason   Reason // "" = the rule only vetoes others or only gives a hint
	Category Category
	Strength string // word, phrase, code, cause, fact, user or own
	// Source names the part of the evidence: "type", "code", "error" (the chain
	// or its text), "status", "header", "body" or "message". If an error
	// of the chain holds a response, "status", "header" and "body" name its parts.
	Source string
	// Start and End delimit the leftmost match in the source: Type, Code,
	// Err.Error(), Body or Message. Both are -1 if the match is not a text (an
	// errno in the chain) or does not occur literally in the source (a message
	// with JSON escapes).
	Start, End int
	// Text is the matched text, even if Start is -1; "" if the match is not a text.
	Text string
	// Decided reports whether this signal is the result.
	Decided bool
	// VetoedBy is the id of the rule that vetoed this signal, BeatenBy the id of
	// the rule that decided instead. At most one of them is set.
	VetoedBy, BeatenBy string
}

// Explain classifies like [Classifier.Classify] and reports why. It searches for
// the matched bytes in a second pass with package regexp, which takes about a
// thousand times as long. Use it for people, not for every error.
func (c *Classifier) Explain(e Evidence) (x Explanation) {
	c = c.current()
	if x.Result = c.Classify(e); x.Result == (Result{}) {
		return x
	}
	defer ignorePanic() // as survive does; the result stands
	var heard []Signal
	text, source, alone := c.textAlone(&e)
	q := inquiry{c: c, set: c.rules(), source: source, heard: &heard, budget: newBudget(c.maxBytes)}
	q.budget.leftOut = &x.Omitted
	if alone {
		q.budget.shareText()
		q.readText(text)
	} else {
		q.read(&e)
	}
	if !alone && e.Err != nil {
		text = safeText(e.Err)
	}
	for i := range heard {
		heard[i].settleIn(sourceText(heard[i].Source, &e, text))
	}
	x.Signals = q.decided(x.Result, c.fallback, heard)
	return x
}

// hear keeps a signal that no text shows, for explain.
func (q *inquiry) hear(s signal) {
	category := s.category
	if category == "" {
		category = s.reason.Policy().Category
	}
	*q.heard = append(*q.heard, Signal{
		Rule: s.rule, Reason: s.reason, Category: category, Strength: s.strength.String(), Source: q.source, Start: -1, End: -1,
	})
}

// sourceText returns the part of the evidence that a source names. chain is the
// text of the error, which is asked for once.
func sourceText(source string, e *Evidence, chain string) string {
	switch source {
	case fromType:
		return e.Type
	case fromCode:
		return e.Code
	case fromError:
		return chain
	case fromBody:
		return string(e.Body[:min(len(e.Body), maxBody)])
	case fromMessage:
		return e.Message
	}
	return ""
}

// settleIn gives the place of a signal's text within its source, which is not
// what was read where the rules were given only a part of it: the messages of
// a body.
func (s *Signal) settleIn(source string) {
	if s.Start < 0 || s.End <= len(source) && source[s.Start:s.End] == s.Text {
		return
	}
	s.Start, s.End = -1, -1
	if at := strings.Index(source, s.Text); at >= 0 && s.Text != "" {
		s.Start, s.End = at, at+len(s.Text)
	}
}

// decided sorts the signals, marks the one that is the result and names it as
// what beat the others.
func (q *inquiry) decided(r Result, fallback string, signals []Signal) []Signal {
	slices.SortStableFunc(signals, func(a, b Signal) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			-cmp.Compare(strengthOf(a.Strength), strengthOf(b.Strength)),
			cmp.Compare(q.set.number(a.Rule), q.set.number(b.Rule)),
			cmp.Compare(precedence(a.Reason), precedence(b.Reason)),
		)
	})
	if r.Rule == fallback {
		return signals
	}
	rule := strings.TrimSuffix(r.Rule, longWaitSuffix)
	i := slices.IndexFunc(signals, func(s Signal) bool { return s.Rule == rule && rank(s) == counts })
	if i < 0 { // it matched only in a part of a text, that of the last try
		last := Signal{Rule: rule, Strength: q.set.strengthOf(rule).String(), Start: -1, End: -1}
		if tells := slices.IndexFunc(signals, func(s Signal) bool { return strings.HasPrefix(s.Rule, logPrefix) }); tells >= 0 {
			last.Source = signals[tells].Source
		}
		signals, i = append(signals, last), len(signals)
	}
	won := signals[i]
	won.Rule, won.Reason, won.Category, won.Decided = r.Rule, r.Reason, r.Category, true
	signals = slices.Insert(slices.Delete(signals, i, i+1), 0, won)
	for i := range signals[1:] {
		if s := &signals[1+i]; rank(*s) == counts {
			s.BeatenBy = r.Rule
		}
	}
	return signals
}

// How signals rank in an explanation.
const (
	counts = iota
	ruledOut
	silent // has no reason to give
)

func rank(s Signal) int {
	switch {
	case s.Reason == "":
		return silent
	case s.VetoedBy != "":
		return ruledOut
	}
	return counts
}

// explain returns the rules that match a text of n bytes, of which the head and
// the tail are read; source is where it is from.
func (s *ruleSet) explain(head, tail string, n int, source string) []Signal {
	text := head + tail
	read := []view{{text, func(place int) int { return place }}}
	if tail != "" {
		read = []view{read[0].cut(0, len(head)), read[0].cut(len(head), len(text))}
	}
	matched := make([]uint64, s.words())
	for _, v := range read {
		s.match(matched, v.text, plainText(v.text))
	}
	all := slices.Clone(matched)
	s.veto(matched)
	frame := ""
	if first(matched) < 0 {
		frame = firstFrame(plainText(read[0].text))
		s.matchFrame(matched, frame)
		for w, word := range matched {
			all[w] |= word
		}
	}
	exact, speech := exactViews(read), speechViews(read, frame != "")
	var signals []Signal
	for i := range s.rules {
		if !hasBit(all, i) {
			continue
		}
		r := &s.rules[i]
		sig := Signal{Rule: r.id, Reason: r.reason, Category: r.meaning(), Strength: r.strength.String(), Source: source}
		where := exact
		if s.partOf(i).reads == plainSpeech {
			where = speech
		}
		if sig.Start, sig.End = span(r.pattern, where); sig.Start >= 0 {
			sig.Text = text[sig.Start:sig.End]
			if sig.Start >= len(head) { // behind what was left out
				sig.Start, sig.End = sig.Start+n-len(text), sig.End+n-len(text)
			}
		}
		if !hasBit(matched, i) {
			sig.VetoedBy = s.vetoer(all, i)
		}
		signals = append(signals, sig)
	}
	return signals
}

// vetoer names the first matching rule that takes rule i out, "" if none does.
func (s *ruleSet) vetoer(matched []uint64, i int) string {
	for j, out := range s.vetoes {
		if out != nil && hasBit(matched, j) && hasBit(out, i) {
			return s.rules[j].id
		}
	}
	return ""
}

// partOf is the part that rule i belongs to.
func (s *ruleSet) partOf(i int) part {
	of := s.parts[0]
	for _, p := range s.parts {
		if p.word <= i/64 {
			of = p
		}
	}
	return of
}

// number is the place of a rule in the order of precedence, -1 for what is no
// text rule.
func (s *ruleSet) number(id string) int {
	return slices.IndexFunc(s.rules, func(r textRule) bool { return r.id == id })
}

// strengthOf is the strength of a rule; what is no text rule is a fact.
func (s *ruleSet) strengthOf(id string) strength {
	if i := s.number(id); i >= 0 {
		return s.rules[i].strength
	}
	return factStrength
}

// exactViews are the forms in which the user's rules see what is read of a text.
func exactViews(read []view) (all []view) {
	for _, v := range read {
		all = append(all, v, v.rewritten(eachOdd).rewritten(eachGap))
	}
	return all
}

// speechViews are the forms in which the standard rules see what is read of a
// text: first what stands outside the frames of traces, then its joined lines.
func speechViews(read []view, frames bool) (all []view) {
	var joined []view
	for _, v := range read {
		plain := v.rewritten(eachOdd)
		reader := newFrameReader(plain.text)
		for at := 0; at < len(plain.text); {
			from := at
			var said string
			if said, at = reader.next(at); frames {
				said, at = plain.text, len(plain.text) // a frame is all that there is
			}
			part := plain.cut(from, from+len(said))
			all = append(all, part.rewritten(eachGap))
			joined = append(joined, part.rewritten(eachBreak).rewritten(eachGap))
		}
	}
	return append(all, joined...)
}

// span finds the leftmost match of a pattern in the first view that has one; -1,
// -1 if there is none.
func span(pattern string, views []view) (start, end int) {
	re, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return -1, -1
	}
	for _, v := range views {
		if at := re.FindStringIndex(v.text); at != nil {
			return v.source(at[0]), v.source(at[1])
		}
	}
	return -1, -1
}

func hasBit(set []uint64, i int) bool { return set[i/64]&(1<<(i%64)) != 0 }
