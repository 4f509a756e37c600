package errclassprocessor

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/attrkey"
	"github.com/errclass/errclass/internal/bound"
	"github.com/errclass/errclass/internal/evidence"
	"github.com/errclass/errclass/internal/shapes"
)

// job is the state of one batch. It is not safe for concurrent use.
type job struct {
	p      *errclassProcessor
	reader *shapes.Reader
	buf    []byte // the body of the current record
	visit  func(*shapes.Record)
	source func(shapes.Source) bool

	current logState

	// Of the batch.
	counts     []int64 // for each of evidence.Pairs, by index
	classified int
	unreadable int
	err        error // the first error
}

// logState is the state of one log record.
type logState struct {
	record plog.LogRecord
	failed bool // the severity or an attribute says that the record is an error
	done   bool // the record was classified

	read     bool // the attributes were read, which sets the fields below
	attrs    attributes
	missing  attrkey.Set
	decision evidence.Decision
	texts    bound.Texts
}

func newJob(p *errclassProcessor) *job {
	j := &job{p: p, reader: shapes.NewReader(nil), counts: make([]int64, len(evidence.Pairs))}
	j.visit, j.source = j.shape, j.add
	return j
}

// maxKept is the maximum size of the buffer that is kept for the next batch, in
// bytes.
const maxKept = 64 << 10

// reset prepares j for the next batch.
func (j *job) reset() {
	j.current = logState{}
	j.classified, j.unreadable, j.err = 0, 0, nil
	clear(j.counts)
	if cap(j.buf) > maxKept {
		j.buf, j.reader = nil, shapes.NewReader(nil) // the reader has buffers too
	}
}

// fail counts a record that could not be read.
func (j *job) fail(err error) {
	j.unreadable++
	if j.err == nil {
		j.err = err
	}
}

// recover stops a panic during a classification and counts the record as unreadable.
func (j *job) recover() {
	if p := recover(); p != nil {
		j.fail(panicked(p))
	}
}

// count counts a failure to which a category was added.
func (j *job) count(res *classify.Result) {
	i := evidence.PairIndex(res.Category, res.Reason)
	if i < 0 {
		i = evidence.PairIndex(classify.CategoryFatal, classify.ReasonUnknown)
	}
	j.counts[i]++
	j.classified++
}

// log classifies a record if its severity, its exception attributes or its body says
// that it is an error.
func (j *job) log(r plog.LogRecord) {
	defer j.recover()
	l := &j.current
	named := shapes.Named(r.SeverityText())
	l.record, l.read, l.done = r, false, false
	l.failed = r.SeverityNumber() >= j.p.minSeverity || named == shapes.Error || hasException(r.Attributes())
	if l.failed && !j.readAttributes() || !l.failed && named == shapes.Below {
		return
	}
	line, text := j.body(r.Body())
	if len(line) == 0 || !j.reader.Read(line, j.visit) {
		j.text(line, text)
	} else if l.failed && !l.done { // a list without records
		j.decide(nil, "")
	}
}

// readAttributes reads the attributes of the current record. It returns false if the
// record must stay unchanged.
func (j *job) readAttributes() bool {
	l := &j.current
	if l.read {
		return l.missing != 0
	}
	m := l.record.Attributes()
	l.attrs, l.missing, l.read = attributes{}, 0, true
	if m.Len() > evidence.MaxAttributes {
		j.fail(errTooManyAttributes)
		return false
	}
	l.attrs.read(&j.p.names, m)
	l.missing = j.p.wanted.Missing(l.attrs.has)
	l.decision, l.texts = evidence.Decision{}, bound.AtMost(j.p.cfg.MaxBytes)
	return l.missing != 0
}

// shape classifies rec if rec or the log record may be an error. j.reader has found rec
// in the body of the log record. Only the first such rec of a body is classified.
func (j *job) shape(rec *shapes.Record) {
	l := &j.current
	switch {
	case l.done:
	case l.failed, rec.IsError():
		j.decide(rec, "")
	case rec.Severity == shapes.Unknown && (rec.Stderr || j.stderr()):
		j.decideKnown(rec, "")
	}
}

// text classifies a text body if the log record or the body may be an error. If j.reader
// has already read the body, the argument line must contain the body. Otherwise line must
// be empty.
func (j *job) text(line []byte, text string) {
	l := &j.current
	e := j.event(line, text)
	text = text[min(e.Message, len(text)):]
	switch {
	case l.failed, e.Severity == shapes.Error:
		j.decide(nil, text)
	case e.Severity == shapes.Unknown && (e.Stderr || j.stderr()):
		j.decideKnown(nil, text)
	}
}

// stderr reports whether the current record is from standard error.
func (j *job) stderr() bool { return j.readAttributes() && j.current.attrs.Stderr }

// decide classifies the current record and writes the result. rec is the record in
// the body, or nil.
func (j *job) decide(rec *shapes.Record, text string) {
	if j.classify(rec, text) {
		j.finish()
	}
}

// decideKnown is like decide, but for a record from standard error without a level. It
// writes a result only if a rule finds the reason.
func (j *job) decideKnown(rec *shapes.Record, text string) {
	if j.classify(rec, text) && j.current.decision.Known() {
		j.finish()
	}
}

// classify sets the decision for the current record. If the record must stay
// unchanged, it returns false.
func (j *job) classify(rec *shapes.Record, text string) bool {
	l, c := &j.current, j.p.classifier
	l.done = true
	if !j.readAttributes() {
		return false
	}
	a, d := &l.attrs, &l.decision
	if res, ok := classified(rec, &a.Facts); ok {
		*d = evidence.Decided(res, classify.Evidence{})
		return true
	}
	rest := len(text) // bytes of all texts after the current one
	for _, t := range a.texts[:a.nTexts] {
		rest += len(t)
	}
	if a.Exception {
		e := a.ExceptionEvidence(&l.texts, max(l.texts.Left()/2, l.texts.Left()-rest))
		e.Status = a.Status
		d.Add(c, e)
	}
	for _, t := range a.texts[:a.nTexts] {
		rest -= len(t)
		d.Add(c, classify.Evidence{Message: l.texts.Take(t, rest), Status: a.Status, Provider: a.Provider})
	}
	if rec != nil {
		rec.Sources(j.source)
	}
	d.AddOutcome(c, &a.Facts, l.texts.Take(text, 0))
	d.AddStack(c, &a.Facts, &l.texts, l.texts.Left())
	return true
}

// add adds one source of evidence in the body to the decision. It returns false if no
// further source is needed.
func (j *job) add(s shapes.Source) bool {
	l := &j.current
	if l.decision.Known() {
		return false
	}
	if s == (shapes.Source{}) {
		return true
	}
	l.decision.Add(j.p.classifier, classify.Evidence{
		Message: l.texts.Take(s.Message, bound.MaxText), Type: s.Type, Code: s.Code,
		Status: cmp.Or(s.Status, l.attrs.Status), Provider: l.attrs.Provider,
	})
	return !l.decision.Known()
}

// longestName is the maximum number of bytes read from a body's category or reason.
const longestName = 64

// classified returns the valid category and reason that a body already has.
func classified(rec *shapes.Record, f *evidence.Facts) (classify.Result, bool) {
	if rec == nil || rec.Category == nil || rec.Reason == nil {
		return classify.Result{}, false
	}
	return evidence.Existing(rec.Text(rec.Category, longestName), rec.Text(rec.Reason, longestName), f)
}

// finish writes the result and counts it. An exception on a record below MinSeverity is
// not counted, because the program has handled the exception.
func (j *job) finish() {
	l := &j.current
	res := l.decision.Complete(j.p.classifier, &l.attrs.Facts)
	j.p.write(l.record.Attributes(), l.missing, &l.decision)
	if number := l.record.SeverityNumber(); l.missing&attrkey.Category != 0 && (number >= j.p.minSeverity || number == plog.SeverityNumberUnspecified) {
		j.count(&res)
	}
}

// maxLine is the maximum length in bytes of a body that is read as a log line.
const maxLine = shapes.MaxInner

// body returns a body as a log line, as text, or as both. The line is valid until the
// next call.
func (j *job) body(v pcommon.Value) (line []byte, text string) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		if text = v.Str(); len(text) > maxLine {
			return nil, text
		}
		j.buf = append(j.buf[:0], text...)
	case pcommon.ValueTypeMap:
		j.buf = appendJSON(j.buf[:0], v)
	case pcommon.ValueTypeSlice:
		j.buf = appendJSON(j.buf[:0], v)
		return nil, string(j.buf)
	case pcommon.ValueTypeBytes:
		b := v.Bytes()
		j.buf = j.buf[:0]
		for i := range min(b.Len(), maxLine) {
			j.buf = append(j.buf, b.At(i))
		}
		text = string(j.buf)
	default:
		return nil, v.AsString()
	}
	return j.buf, text
}
