// Package collect has the types that all collectors share: the [Inquiry], to which
// they add signals, and the [Budget], which limits what they read.
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
	Now       func() time.Time // the clock; only waits need it
	Set       *ruleset.Set
	Seen      *memory.Memory
	List      signal.List
	Status    int // the first HTTP status that was found
	Hint      hint.Hint
	Provider  string
	Said      memory.Utterance // status and provider that texts name; used if no other evidence has them
	Budget    Budget           // what may still be read
	Source    signal.Source    // the part of the evidence that is being read
	Parts     uint16           // number of texts that were read
	Heard     [MaxHeard]string // plain heads of the first texts, for the model
	HeardFrom signal.Source    // source of Heard[0]
	heard     int
	Ended     bool        // this program ended the call itself, so no more evidence is read
	Texts     *[]ReadText // for Explain only; else nil
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

// AddStatus adds the signal of an HTTP status. The first status becomes
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

// httpRules holds the rule ids of all statuses, eight bytes each. So httpSignal
// needs no allocation for an id.
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

// ReadText is a text of N bytes whose head and tail were read. It may be a part of
// another text: the report of one attempt (Try), or a frame of a stack trace (Frame).
type ReadText struct {
	Head, Tail string
	N          int
	Source     signal.Source
	Frame, Try bool
}
