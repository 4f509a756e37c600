package answer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/outcome"
)

// Explanation says why a group has its category and its reason.
type Explanation struct {
	Category   classify.Category `json:"category"`
	Reason     classify.Reason   `json:"reason"`
	Rule       string            `json:"rule"`
	Confidence float64           `json:"confidence"`
	RetryAfter string            `json:"retry_after,omitempty"`
	Status     int               `json:"status,omitempty"`
	Calls      int               `json:"calls"` // the total number of calls that the reason's policy allows
	Retry      classify.Retry    `json:"retry"`
	Fallback   classify.Fallback `json:"fallback"`
	Text       []Piece           `json:"text"`
	Signals    []Signal          `json:"signals"`
	Model      *Model            `json:"model,omitempty"`
	Omitted    []string          `json:"omitted,omitempty"` // what was not read
}

// Mark says what a part of the text meant for the classification.
type Mark string

// These are the marks of a [Piece].
const (
	Decided Mark = "decided" // the deciding match
	Lost    Mark = "lost"    // a match that did not decide
	Word    Mark = "word"    // a word that supports the answer of the model, if the model decided
	Gap     Mark = "gap"     // replaces a part of a long text
)

// Piece is a part of the text. If the part has no mark, Mark is "".
type Piece struct {
	Text string `json:"text"`
	Mark Mark   `json:"mark,omitempty"`
}

// Signal is a [classify.Signal]. Outcome says in words what effect the signal had.
type Signal struct {
	Rule     string            `json:"rule"`
	Reason   classify.Reason   `json:"reason"`
	Category classify.Category `json:"category"`
	Strength string            `json:"strength"`
	Source   string            `json:"source"`
	Text     string            `json:"text"`
	Decided  bool              `json:"decided"`
	Outcome  string            `json:"outcome"`
}

// Model is a [classify.Model].
type Model struct {
	Reason              classify.Reason `json:"reason"`
	Probability         float64         `json:"probability"`
	RunnerUp            classify.Reason `json:"runner_up"`
	RunnerUpProbability float64         `json:"runner_up_probability"`
	Words               []string        `json:"words"`
}

// Explain returns why e has its category and reason.
func Explain(e Evidence) Explanation {
	x := classify.Standard.Explain(e.classify())
	if x.Result.Category == "" {
		x.Result = classify.Message("")
	}
	r, policy := x.Result, x.Result.Reason.Policy()
	out := Explanation{
		Category: r.Category, Reason: r.Reason, Rule: r.Rule, Confidence: r.Confidence, Status: r.Status,
		Calls: policy.Calls(), Retry: policy.Retry, Fallback: policy.Fallback, Signals: []Signal{},
	}
	if r.HasRetryAfter {
		out.RetryAfter = r.RetryAfter.String()
	}
	for _, s := range x.Signals {
		out.Signals = append(out.Signals, Signal{s.Rule, s.Reason, s.Category, s.Strength, s.Source, s.Text, s.Decided, outcome.Of(s, x.Signals)})
	}
	if m := x.Model; m != nil {
		out.Model = &Model{m.Reason, m.Probability, m.RunnerUp, m.RunnerUpProbability, []string{}}
		for _, w := range m.Words {
			out.Model.Words = append(out.Model.Words, w.Text)
		}
	}
	for _, o := range x.Omitted {
		out.Omitted = append(out.Omitted, o.Unit+" of the "+o.Source)
	}
	out.Text = pieces(e.Message, spans(e.Message, x))
	return out
}

// span is a marked part of a text.
type span struct {
	start, end int
	mark       Mark
}

// spans returns the marked parts of text. The deciding match comes first.
func spans(text string, x classify.Explanation) (all []span) {
	for _, s := range x.Signals {
		if s.Source != "message" || s.Start < 0 {
			continue
		}
		mark := Lost
		if s.Decided {
			mark = Decided
		}
		all = append(all, span{s.Start, s.End, mark})
	}
	if x.Result.Rule == classify.RuleModel && x.Model != nil {
		for _, w := range x.Model.Words {
			if w.Weight > 0 {
				all = append(all, occurrences(text, w.Text)...)
			}
		}
	}
	return all
}

// maxOccurrences is the maximum number of occurrences of one word that are marked.
const maxOccurrences = 50

// occurrences returns the occurrences of word in text as a whole word, ignoring
// case.
func occurrences(text, word string) (all []span) {
	lower := strings.ToLower(text)
	if len(lower) != len(text) || word == "" {
		return nil // lower and text have different offsets
	}
	for at := 0; len(all) < maxOccurrences; {
		i := strings.Index(lower[at:], word)
		if i < 0 {
			return all
		}
		start, end := at+i, at+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !wordRune(before) && !wordRune(after) {
			all = append(all, span{start, end, Word})
		}
		at = end
	}
	return all
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// pieces cuts text at the starts and ends of spans. Where spans overlap, the first
// span's mark is used.
func pieces(text string, spans []span) []Piece {
	cuts := []int{0, len(text)}
	for _, s := range spans {
		cuts = append(cuts, s.start, s.end)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	all := []Piece{}
	for i, from := range cuts[:len(cuts)-1] {
		to := cuts[i+1]
		var mark Mark
		if k := slices.IndexFunc(spans, func(s span) bool { return s.start <= from && to <= s.end }); k >= 0 {
			mark = spans[k].mark
		}
		if n := len(all); n > 0 && all[n-1].Mark == mark {
			all[n-1].Text += text[from:to]
			continue
		}
		all = append(all, Piece{text[from:to], mark})
	}
	return shortened(all)
}

// maxPiece is the maximum number of bytes of a [Piece] that are shown.
const maxPiece = 8 << 10

// shortened replaces the middle of each long [Piece] with a piece that has the mark
// [Gap].
func shortened(pieces []Piece) []Piece {
	short := make([]Piece, 0, len(pieces))
	for _, p := range pieces {
		n := len(p.Text) - maxPiece
		if n <= 0 {
			short = append(short, p)
			continue
		}
		head, tail := p.Text[:maxPiece/2], p.Text[len(p.Text)-maxPiece/2:]
		short = append(short,
			Piece{strings.ToValidUTF8(head, ""), p.Mark},
			Piece{fmt.Sprintf(" … %d bytes … ", n), Gap},
			Piece{strings.ToValidUTF8(tail, ""), p.Mark})
	}
	return short
}
