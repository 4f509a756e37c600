package errclassprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/attrkey"
	"github.com/errclass/errclass/internal/bound"
	"github.com/errclass/errclass/internal/evidence"
)

// spanState is the state of one span.
type spanState struct {
	j          *job
	attrs      attributes // of the span
	exceptions exceptions
	texts      bound.Texts
}

// span classifies a span that has failed or has an exception. It reads the sources
// in this order:
//
//   - the last exception
//   - the span's attributes and status
//   - the other exceptions, from last to first
func (j *job) span(span ptrace.Span) {
	defer j.recover()
	events := span.Events()
	if span.Attributes().Len() > evidence.MaxAttributes || events.Len() > evidence.MaxEvents {
		j.fail(errTooManyAttributes)
		return
	}
	s := spanState{j: j, texts: bound.AtMost(j.p.cfg.MaxBytes)}
	s.exceptions.find(events)
	s.attrs.read(&j.p.names, span.Attributes())
	s.attrs.OwnDeadline = s.isOwnDeadline(span)

	text := span.Status().Message()
	var d evidence.Decision // of the last exception
	if s.exceptions.n > 0 {
		rest := len(text) + len(s.attrs.ErrorType)
		if s.exceptions.n > 1 {
			rest = bound.MaxText
		}
		d = s.exception(events, 0, max(s.texts.Left()/2, s.texts.Left()-rest))
	}
	if span.Status().Code() == ptrace.StatusCodeError {
		rest := 0
		if s.exceptions.n > 1 {
			rest = bound.MaxText
		}
		s.failed(span, &d, s.texts.Take(text, rest))
	}
	for n := 1; n < s.exceptions.n; n++ {
		s.exception(events, n, s.texts.Left()/(s.exceptions.n-n))
	}
}

// failed adds the attributes and the status of a failed span to d. d is the decision
// about the span's last exception.
func (s *spanState) failed(span ptrace.Span, d *evidence.Decision, text string) {
	missing := s.j.p.wanted.Missing(s.attrs.has)
	if missing == 0 {
		return
	}
	c := s.j.p.classifier
	d.AddOutcome(c, &s.attrs.Facts, text)
	res := d.Complete(c, &s.attrs.Facts)
	s.j.p.write(span.Attributes(), missing, d)
	if missing&attrkey.Category != 0 {
		s.j.count(&res)
	}
}

// exception classifies the n-th exception. It reads at most size bytes of the
// exception's texts.
func (s *spanState) exception(events ptrace.SpanEventSlice, n, size int) evidence.Decision {
	event := events.At(int(s.exceptions.at[n]))
	p := s.j.p
	var a attributes
	a.read(&p.names, event.Attributes())
	if res, ok := evidence.Existing(a.category, a.reason, &a.Facts); ok {
		// Keep the category and the reason that the program has added.
		return evidence.Decided(res, classify.Evidence{Message: bound.Text(a.Message, bound.MaxText), Type: a.ExceptionType})
	}
	d := evidence.Decision{SpanStatus: s.attrs.Status}
	d.Add(p.classifier, a.ExceptionEvidence(&s.texts, size))
	d.AddStack(p.classifier, &a.Facts, &s.texts, size)
	d.Complete(p.classifier, &a.Facts)
	if missing := p.wanted.Missing(a.has); missing != 0 {
		p.write(event.Attributes(), missing, &d)
	}
	return d
}

// isOwnDeadline reports whether error.type names a deadline of the program itself.
// If a remote server has answered, it returns false.
func (s *spanState) isOwnDeadline(span ptrace.Span) bool {
	if !s.attrs.MayBeOwnDeadline() || anyAnswer(span.Attributes()) {
		return false
	}
	left := evidence.MaxScanned
	for _, event := range span.Events().All() {
		m := event.Attributes()
		if left -= m.Len() + 1; left < 0 || anyAnswer(m) {
			return false
		}
	}
	return true
}

// anyAnswer reports whether an attribute shows that a remote server has answered.
func anyAnswer(m pcommon.Map) bool {
	for name := range m.All() {
		if evidence.IsAnswerKey(name) {
			return true
		}
	}
	return false
}

// exceptions has the indexes of a span's exception events, the newest first.
type exceptions struct {
	at [evidence.MaxExceptions]int32
	n  int
}

// find sets x to the newest exceptions. It reads at most MaxScanned attributes of the
// events.
func (x *exceptions) find(events ptrace.SpanEventSlice) {
	left := evidence.MaxScanned
	for end := events.Len(); x.n < len(x.at); x.n++ {
		if end = lastException(events, end, &left); end < 0 {
			return
		}
		x.at[x.n] = int32(end)
	}
}

// anyException reports whether a span has an exception event.
func anyException(events ptrace.SpanEventSlice) bool {
	left := evidence.MaxScanned
	return lastException(events, events.Len(), &left) >= 0
}

// lastException returns the index of the last exception in the first n events, or
// -1. It subtracts the attributes that it reads from *left. If *left falls below 0,
// it returns -1.
func lastException(events ptrace.SpanEventSlice, n int, left *int) int {
	for i := n - 1; i >= 0; i-- {
		m := events.At(i).Attributes()
		if *left -= m.Len() + 1; *left < 0 {
			return -1
		}
		if hasException(m) {
			return i
		}
	}
	return -1
}
