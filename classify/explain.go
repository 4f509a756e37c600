package classify

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/errclass/errclass/classify/internal/signal"
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
	// VetoedBy is the id of the rule that vetoed this signal. BeatenBy is the id of
	// the rule that beats this one by a declared edge or, where there is no such
	// rule, of the one that decided. At most one of the two is set.
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
	var texts []readText
	text, source, alone := c.textAlone(&e)
	q := inquiry{c: c, set: c.rules(), source: source, texts: &texts, budget: newBudget(c.maxBytes)}
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
	var r Result
	won := q.result(&r)
	for _, s := range inOrder(q.list.All()) {
		found := Signal{
			Rule: s.Rule, Reason: Reason(s.Reason.String()), Category: Category(s.Category.String()), Strength: s.Strength.String(),
			Source: s.Source.String(), Start: -1, End: -1,
		}
		if s.Text != nil {
			found.place(s, texts[s.Part-1])
			found.settleIn(sourceText(s.Source, &e, text))
		}
		switch {
		case s == won:
			found.Rule, found.Reason, found.Category, found.Decided = r.Rule, r.Reason, r.Category, true
		case s.Fate == signal.Vetoed:
			found.VetoedBy = q.list.All()[s.By].Rule
		case s.Fate == signal.Beaten:
			found.BeatenBy = q.list.All()[s.By].Rule
		case s.Fate == signal.Counts:
			found.BeatenBy = r.Rule
		}
		x.Signals = append(x.Signals, found)
	}
	return x
}

// inOrder returns the signals of a resolved list: first what takes part in the
// order, by it, then what an edge took out, then what a hint ruled out, then
// hints.
func inOrder(list []signal.Signal) []*signal.Signal {
	all := make([]*signal.Signal, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	slices.SortFunc(all, func(a, b *signal.Signal) int {
		return cmp.Or(cmp.Compare(a.Fate, b.Fate), signal.Order(a, b))
	})
	return all
}

// readText is a text that was read: n bytes, of which the head and the tail are
// read. It may be a part of another: what one of several tries says, or the frame
// of a trace.
type readText struct {
	head, tail string
	n          int
	source     signal.Source
	frame, try bool
}

// place finds what a text rule matched in a text.
func (s *Signal) place(match *signal.Signal, t readText) {
	text := t.head + t.tail
	read := []view{{text, func(place int) int { return place }}}
	if t.tail != "" {
		read = []view{read[0].cut(0, len(t.head)), read[0].cut(len(t.head), len(text))}
	}
	views := exactViews(read)
	if !match.Text.Listed {
		views = speechViews(read, t.frame)
	}
	if s.Start, s.End = span(match.Text.Pattern, views); s.Start < 0 {
		return
	}
	s.Text = text[s.Start:s.End]
	if s.Start >= len(t.head) { // behind what was left out
		s.Start, s.End = s.Start+t.n-len(text), s.End+t.n-len(text)
	}
}

// sourceText returns the part of the evidence that a source names. chain is the
// text of the error, which is asked for once.
func sourceText(source signal.Source, e *Evidence, chain string) string {
	switch source {
	case signal.FromType:
		return e.Type
	case signal.FromCode:
		return e.Code
	case signal.FromError:
		return chain
	case signal.FromBody:
		return string(e.Body[:min(len(e.Body), maxBody)])
	case signal.FromMessage:
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
