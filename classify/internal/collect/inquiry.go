// Package collect has the types that the packages chain, response and text share.
// These packages add signals (matches in the evidence) to an [Inquiry]. The [Budget]
// limits what they read.
package collect

import (
	"strconv"
	"strings"
	"time"

	"github.com/errclass/errclass/classify/internal/collect/hint"
	"github.com/errclass/errclass/classify/internal/memory"
	"github.com/errclass/errclass/classify/internal/ruleset"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// Inquiry collects the signals of one failure.
type Inquiry struct {
	Now         func() time.Time // the clock; only waiting times need it
	Set         *ruleset.Set
	Seen        *memory.Memory
	List        signal.List
	Status      int // the first HTTP status that was found
	Hint        hint.Hint
	Provider    string
	Mentioned   memory.Mention        // status and provider in the texts; used if no other evidence has them
	Budget      Budget                // what may still be read
	Source      signal.Source         // the part of the evidence that is being read
	Parts       uint16                // number of texts that were read
	ModelTexts  [MaxModelTexts]string // beginnings of the first texts, for the model
	ModelSource signal.Source         // source of ModelTexts[0]
	modelTexts  int                   // number of texts in ModelTexts
	Ended       bool                  // this program ended the call itself, so no more evidence is read
	Texts       *[]ReadText           // for Explain only; else nil
}

// MaxModelTexts limits how many texts of one failure the model reads.
const MaxModelTexts = 4

// KeepForModel keeps a text for the model. If the middle of the text was not read,
// head is only the beginning.
func (q *Inquiry) KeepForModel(head string) {
	if q.modelTexts == 0 {
		q.ModelSource = q.Source
	}
	if q.modelTexts < MaxModelTexts {
		q.ModelTexts[q.modelTexts] = head
		q.modelTexts++
	}
}

// Add sets the source of a signal and adds the signal to the list.
func (q *Inquiry) Add(s signal.Signal) {
	s.Source = q.Source
	if s.Strength == signal.Own {
		q.Ended = true
	}
	q.List.Add(&s)
}

// AddStatus adds the signal of an HTTP status. The first status also becomes
// Result.Status.
func (q *Inquiry) AddStatus(status int) {
	if status < 400 || status > 599 {
		return
	}
	if q.Status == 0 {
		q.Status = status
	}
	q.Add(httpSignal(status))
}

// httpRules concatenates the rule ids of all statuses, "http/400http/401...". Its
// substrings need no allocation.
var httpRules = func() string {
	var b strings.Builder
	for status := 400; status <= 599; status++ {
		b.WriteString("http/")
		b.WriteString(strconv.Itoa(status))
	}
	return b.String()
}()

// httpSignal returns the signal of an HTTP status from 400 to 599.
func httpSignal(status int) signal.Signal {
	at := (status - 400) * len("http/400")
	rule := httpRules[at : at+len("http/400")]
	reason := standard.Http.Reason(rule[len("http/"):])
	switch {
	case reason != signal.NoReason:
	case status >= 500:
		reason = signal.ReasonTransient
	default:
		reason = signal.ReasonInvalidRequest
	}
	s := signal.Of(rule, reason, signal.Code)
	s.Status = uint16(status)
	return s
}

// ReadText is a text that was read. Head is the whole text. If only a part was read,
// Head is the beginning and Tail the end. N is the length of the whole text.
// Attempt is true if the text is one attempt in a report of several attempts. Frame is
// true if the text is a frame of a stack trace.
type ReadText struct {
	Head, Tail     string
	N              int
	Source         signal.Source
	Frame, Attempt bool
}
