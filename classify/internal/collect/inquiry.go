// Package collect has what all collectors share: the [Inquiry] that they add
// signals to, and the budget of what they may read.
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
	Now       func() time.Time // the present; only hints about when to retry need it
	Set       *ruleset.Set
	Seen      *memory.Memory
	List      signal.List
	Status    int // the first HTTP status that is known
	Hint      hint.Hint
	Provider  string
	Said      memory.Utterance // what texts say of the status and the provider, where nothing better is known
	Budget    Budget           // what may still be read
	Source    signal.Source    // the part of the evidence that is being read
	Parts     uint16           // texts that were read
	Heard     [MaxHeard]string // the first texts that were read: their plain heads
	HeardFrom signal.Source    // of the first of them
	heard     int
	Ended     bool        // by this program itself: nothing else is looked for
	Texts     *[]ReadText // for explain only; else nil
}

// MaxHeard is how many texts of a failure the model reads.
const MaxHeard = 4

// Hear keeps the plain head of a text for the model.
func (q *Inquiry) Hear(plain string) {
	if q.heard == 0 {
		q.HeardFrom = q.Source
	}
	if q.heard < MaxHeard {
		q.Heard[q.heard] = plain
		q.heard++
	}
}

// Add appends a signal to the list.
func (q *Inquiry) Add(s signal.Signal) {
	s.Source = q.Source
	if s.Strength == signal.Own {
		q.Ended = true
	}
	q.List.Add(&s)
}

// AddStatus adds an HTTP status. The first one that is known is kept for the
// Result.
func (q *Inquiry) AddStatus(status int) {
	if status < 400 || status > 599 {
		return
	}
	if q.Status == 0 {
		q.Status = status
	}
	q.Add(httpSignal(status))
}

// httpRules holds the rule ids of all statuses, eight bytes each, so that a
// status alone is decided without an allocation.
var httpRules = func() string {
	var b strings.Builder
	for status := 400; status <= 599; status++ {
		b.WriteString("http/")
		b.WriteString(strconv.Itoa(status))
	}
	return b.String()
}()

// httpSignal is what an HTTP status from 400 to 599 means by itself.
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

// ReadText is a text that was read: n bytes, of which the head and the tail are
// read. It may be a part of another: what one of several tries says, or the frame
// of a trace.
type ReadText struct {
	Head, Tail string
	N          int
	Source     signal.Source
	Frame, Try bool
}
