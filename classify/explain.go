package classify

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/chain"
	"github.com/errclass/errclass/classify/internal/collect/text"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/internal/form"
)

// Explanation is a [Result] with the evidence for and against it.
type Explanation struct {
	Result Result
	// Signals lists the matches in this order:
	//
	//   - the match that decided
	//   - the matches that would decide without that match, by precedence
	//   - matches that cannot decide, because a rule vetoes them
	//   - matches that cannot decide, because a rule beats them
	//   - matches without a reason
	//
	// If the program's own deadline, cancellation or budget decides, the classifier
	// reads no further evidence.
	Signals []Signal
	// Model is the model's answer to the texts, even if a rule decided. It is nil if
	// the classifier has no model, or if the model knows no word of the texts.
	Model *Model
	// Omitted lists the evidence that was not read because it exceeded a limit. The
	// list is in the order in which the classifier reads the evidence.
	Omitted []Omission
}

// Omission is an amount of evidence that was not read.
type Omission struct {
	Source string // the part of the evidence, named as in [Signal.Source]
	// Unit is the unit of Amount:
	//
	//   - "bytes of text"
	//   - "bytes of bodies"
	//   - "bytes of bodies as JSON"; these bytes were read as text instead
	//   - "errors"
	//   - "texts of errors"
	//   - "header names"
	//   - "header values"
	//   - "waits"
	Unit string
	// Amount is the number of units that were not read. If Unit is "errors", Amount
	// excludes the errors that an unread error wraps. If Unit is "waits", Amount is the
	// number of texts in which the classifier may have missed waiting times.
	Amount int
}

// Signal is one match in the evidence.
type Signal struct {
	Rule     string
	Reason   Reason // "" = the rule gives no reason: it only vetoes others, or names a waiting time
	Category Category
	Strength string // "word", "phrase", "code", "cause", "fact", "user" or "own"; "model" for the model's answer
	// Source names the part of the evidence:
	//
	//   - "type", "code", "status", "header", "body" or "message"
	//   - "error" for the chain of the error and its text
	//
	// The names "status", "header" and "body" are also used for a response that an
	// error holds.
	Source string
	// Start and End delimit the leftmost match in the source, as byte offsets. The
	// source is Type, Code, Err.Error(), Body or Message.
	//
	// If the match is not a text, such as an errno, both are -1. If the source does
	// not literally contain the matched text, both are -1.
	Start, End int
	// Text is the matched text, even if Start is -1. If the match is not a text,
	// Text is "".
	Text string
	// Decided reports whether this signal decided the result.
	Decided bool
	// VetoedBy is the id of the rule that vetoed this signal, or "".
	//
	// BeatenBy is the id of the rule that beat this signal, or "". Either that rule
	// decided, or it prevents this signal from deciding, for example because its list
	// [RuleInfo].Beats has the signal's rule.
	//
	// At most one of VetoedBy and BeatenBy is set.
	VetoedBy, BeatenBy string
}

// Explain classifies like [Classifier.Classify] and reports the evidence. It takes
// about a thousand times as long as Classify. Use it to show a decision to people.
func (c *Classifier) Explain(e Evidence) (x Explanation) {
	c = c.current()
	if x.Result = c.Classify(e); x.Result == (Result{}) {
		return x
	}
	defer chain.IgnorePanic() // after a panic, x keeps its result
	var texts []collect.ReadText
	shown, source, alone := c.textAlone(&e)
	q := collect.Inquiry{Set: c.rules(), Seen: c.seen, Now: c.clock(), Source: source, Texts: &texts, Budget: collect.NewBudget(c.maxBytes)}
	var omitted []collect.Omission
	q.Budget.LeftOut = &omitted
	if alone {
		q.Budget.ShareText()
		text.ReadText(&q, shown)
	} else {
		read(&q, &e)
	}
	if !alone && e.Err != nil {
		shown = chain.SafeText(e.Err)
	}
	for _, o := range omitted {
		x.Omitted = append(x.Omitted, Omission{Source: o.Source, Unit: o.Unit, Amount: o.Amount})
	}
	var r Result
	won, g := c.result(&q, &r)
	x.Model = c.explainModel(&q)
	if g.reason != signal.NoReason {
		x.Signals = append(x.Signals, Signal{
			Rule: r.Rule, Reason: r.Reason, Category: r.Category, Strength: RuleModel, Source: q.ModelSource.String(), Start: -1, End: -1, Decided: true,
		})
	}
	for _, s := range inOrder(q.List.All()) {
		found := Signal{
			Rule: s.Rule, Reason: Reason(s.Reason.String()), Category: Category(s.Category.String()), Strength: s.Strength.String(),
			Source: s.Source.String(), Start: -1, End: -1,
		}
		if s.Text != nil {
			found.locate(s, texts[s.Part-1])
			found.settleIn(sourceText(s.Source, &e, shown))
		}
		switch {
		case s == won && g.reason != signal.NoReason:
			found.BeatenBy = RuleModel
		case s == won:
			found.Rule, found.Reason, found.Category, found.Decided = r.Rule, r.Reason, r.Category, true
		case s.Fate == signal.Vetoed:
			found.VetoedBy = q.List.All()[s.By].Rule
		case s.Fate == signal.Beaten:
			found.BeatenBy = q.List.All()[s.By].Rule
		case s.Fate == signal.Counts:
			found.BeatenBy = r.Rule
		}
		x.Signals = append(x.Signals, found)
	}
	return x
}

// inOrder sorts signals by Fate, then by precedence. Signals with the fate Counts,
// which take part in the decision, come first.
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

// locate finds where the text rule matches in t. It sets the start, the end and the
// matched text.
func (s *Signal) locate(match *signal.Signal, t collect.ReadText) {
	text := t.Head + t.Tail
	read := []form.View{{Text: text, Source: func(offset int) int { return offset }}}
	if t.Tail != "" {
		read = []form.View{read[0].Cut(0, len(t.Head)), read[0].Cut(len(t.Head), len(text))}
	}
	views := exactViews(read)
	if !match.Text.Listed {
		views = plainViews(read, t.Frame)
	}
	if s.Start, s.End = span(match.Text.Pattern, views); s.Start < 0 {
		return
	}
	s.Text = text[s.Start:s.End]
	if s.Start >= len(t.Head) { // in the tail, after the bytes that were not read
		s.Start, s.End = s.Start+t.N-len(text), s.End+t.N-len(text)
	}
}

// sourceText returns the text of a part of the evidence. errText is the text of
// e.Err.
func sourceText(source signal.Source, e *Evidence, errText string) string {
	switch source {
	case signal.FromType:
		return e.Type
	case signal.FromCode:
		return e.Code
	case signal.FromError:
		return errText
	case signal.FromBody:
		return string(e.Body[:min(len(e.Body), collect.MaxBody)])
	case signal.FromMessage:
		return e.Message
	}
	return ""
}

// settleIn converts Start and End to offsets in the source. Before the call, they are
// offsets in the text that the rule matched. If the source lacks the matched text, both
// become -1.
func (s *Signal) settleIn(source string) {
	if s.Start < 0 || s.End <= len(source) && source[s.Start:s.End] == s.Text {
		return
	}
	s.Start, s.End = -1, -1
	if at := strings.Index(source, s.Text); at >= 0 && s.Text != "" {
		s.Start, s.End = at, at+len(s.Text)
	}
}

// exactViews returns the texts that the user's rules read: each original, and a copy
// of it without escape sequences or repeated spaces.
func exactViews(views []form.View) (all []form.View) {
	for _, v := range views {
		all = append(all, v, v.Rewritten(form.EachOdd).Rewritten(form.EachGap))
	}
	return all
}

// plainViews returns the texts that the standard rules read. These are the parts
// outside stack frames, with and without joined lines. If the whole text is one frame,
// isFrame must be true.
func plainViews(views []form.View, isFrame bool) (all []form.View) {
	var joined []form.View
	for _, v := range views {
		plain := v.Rewritten(form.EachOdd)
		reader := form.NewFrameReader(plain.Text)
		for at := 0; at < len(plain.Text); {
			from := at
			var between string
			if between, at = reader.Next(at); isFrame {
				between, at = plain.Text, len(plain.Text)
			}
			part := plain.Cut(from, from+len(between))
			all = append(all, part.Rewritten(form.EachGap))
			joined = append(joined, part.Rewritten(form.EachBreak).Rewritten(form.EachGap))
		}
	}
	return append(all, joined...)
}

// span returns the offsets of the leftmost match in the original text. It searches
// the views in order, until one matches. If none matches, it returns -1 and -1.
func span(pattern string, views []form.View) (start, end int) {
	re, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return -1, -1
	}
	for _, v := range views {
		if at := re.FindStringIndex(v.Text); at != nil {
			return v.Source(at[0]), v.Source(at[1])
		}
	}
	return -1, -1
}
