package classify

import (
	"regexp"
	"slices"
)

// Explanation is a [Result] with everything that spoke for and against it.
type Explanation struct {
	Result Result
	// Signals are the rules that matched, what decided first, then by
	// precedence, what does not count last. It is empty where nothing matched.
	Signals []Signal
}

// Signal is one piece of evidence that was found.
type Signal struct {
	Rule     string
	Reason   Reason // "" = the rule only rules others out, or only carries a hint
	Category Category
	Strength string // word, phrase, code, cause, fact, user or own
	// Source says which part of the evidence it was found in: "type",
	// "error", "message", "status", or "" for what no text showed (an errno in
	// the chain, a response body).
	Source string
	// Start and End are the bytes that matched, within the source's text. They
	// are the leftmost match; both are -1 where no text matched.
	Start, End int
	// Decided: this signal is the result.
	Decided bool
	// VetoedBy is the rule that ruled this one out, BeatenBy the one that
	// decided in its place; at most one of them is set.
	VetoedBy, BeatenBy string
}

// Explain classifies like [Classifier.Classify] and says why. It looks for the
// bytes that matched in a second pass, with package regexp, and so takes a
// thousand times as long: it is for people, not for every error.
func (c *Classifier) Explain(e Evidence) Explanation {
	x := Explanation{Result: c.Classify(e)}
	if x.Result == (Result{}) {
		return x
	}
	set := c.rules()
	var counting, ruledOut []Signal
	for _, t := range c.texts(e) {
		in, out := set.explain(t.text, c.maxBytes)
		for _, s := range in {
			s.Source = t.source
			counting = append(counting, s)
		}
		for _, s := range out {
			s.Source = t.source
			ruledOut = append(ruledOut, s)
		}
	}
	if !c.textOnly && e.Status >= 400 && e.Status <= 599 {
		s := httpSignal(e.Status)
		counting = append(counting, Signal{
			Rule: s.rule, Reason: s.reason, Category: s.reason.Policy().Category,
			Strength: s.strength.String(), Source: "status", Start: -1, End: -1,
		})
	}
	x.Signals = append(decide(x.Result, c.fallback, counting), ruledOut...)
	return x
}

// texts lists what the classifier reads as text, in the order it reads it.
func (c *Classifier) texts(e Evidence) []sourceText {
	var all []sourceText
	add := func(source, text string) {
		if text != "" {
			all = append(all, sourceText{source, text})
		}
	}
	if !c.textOnly {
		add("type", e.Type)
	}
	if e.Err != nil {
		add("error", errorText(e.Err))
	}
	if e.Err == nil || !c.textOnly {
		add("message", e.Message)
	}
	return all
}

type sourceText struct{ source, text string }

// decide marks the signal that is the result, puts it first and names it as
// what beat the others. A result that none of the signals shows comes from
// typed evidence and becomes a signal of its own.
func decide(r Result, fallback string, signals []Signal) []Signal {
	if r.Rule == fallback {
		return signals
	}
	won := Signal{Rule: r.Rule, Reason: r.Reason, Category: r.Category, Strength: factStrength.String(), Start: -1, End: -1}
	if i := slices.IndexFunc(signals, func(s Signal) bool { return s.Rule == r.Rule }); i >= 0 {
		won = signals[i]
		signals = slices.Delete(signals, i, i+1)
	}
	won.Decided = true
	for i := range signals {
		if signals[i].Reason != "" {
			signals[i].BeatenBy = r.Rule
		}
	}
	return slices.Insert(signals, 0, won)
}

// explain returns the rules that match text by precedence: those that count,
// and those that another rule takes out or that have no reason to give.
func (s *ruleSet) explain(text string, limit int) (counting, ruledOut []Signal) {
	cut := [][2]int{{0, len(text)}}
	if limit > 0 && len(text) > limit {
		half := limit / 2
		cut = [][2]int{{0, half}, {len(text) - (limit - half), len(text)}}
	}
	matched := make([]uint64, s.words())
	for _, c := range cut {
		s.match(matched, text[c[0]:c[1]])
	}
	all := slices.Clone(matched)
	s.veto(matched)
	for i := range s.rules {
		if !hasBit(all, i) {
			continue
		}
		r := &s.rules[i]
		sig := Signal{Rule: r.id, Reason: r.reason, Category: r.meaning(), Strength: r.strength.String()}
		sig.Start, sig.End = span(r.pattern, text, cut)
		switch {
		case hasBit(matched, i):
			counting = append(counting, sig)
		default:
			sig.VetoedBy = s.vetoer(all, i)
			ruledOut = append(ruledOut, sig)
		}
	}
	return counting, ruledOut
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

// span finds the leftmost match of a pattern in the parts of text that are
// read; -1, -1 if there is none.
func span(pattern, text string, parts [][2]int) (start, end int) {
	re, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return -1, -1
	}
	for _, p := range parts {
		if at := re.FindStringIndex(text[p[0]:p[1]]); at != nil {
			return p[0] + at[0], p[0] + at[1]
		}
	}
	return -1, -1
}

func hasBit(set []uint64, i int) bool { return set[i/64]&(1<<(i%64)) != 0 }
