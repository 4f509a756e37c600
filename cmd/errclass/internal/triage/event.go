package triage

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/cmd/errclass/internal/lines"
	"github.com/errclass/errclass/cmd/errclass/internal/logline"
	"github.com/errclass/errclass/internal/precedence"
	"github.com/errclass/errclass/internal/shapes"
)

// MaxLine is the maximum length of a line, in bytes. Longer lines are only counted.
const MaxLine = 4 << 20

// event is one error in a log.
type event struct {
	text     string         // the text that is grouped
	full     string         // the text with stack traces
	source   string         // the text that was classified first
	id       fingerprint.ID // fingerprint of text
	time     int64          // in nanoseconds since 1970; 0 if unknown
	line     int64
	service  string
	category classify.Category
	reason   classify.Reason
	// confidence is the probability of the reason, from 0 to 1.
	confidence float64
	noRule     bool // the reason is from the model, or unknown
}

// maxFull limits how many bytes of an event are kept as an example.
const maxFull = 4 << 10

// eventReader finds the error events of one input.
type eventReader struct {
	classify func(classify.Evidence) classify.Result
	shapes   *shapes.Reader
	text     shapes.TextEvents
	emit     func(event)
	written  time.Time // last change of the input, for times without a year
	service  string    // service of events without one

	line    []byte // the current line, or the current object of several lines
	number  int64  // number of the first line in the field line
	pending bool   // the current text event (an entry of a text log) is not finished
	first   int64  // number of the first line of the text event
	header  []byte
	visit   func(*shapes.Record)

	stats fileStats
}

// fileStats counts the lines of an input.
type fileStats struct {
	lines, tooLong      int64
	broken, firstBroken int64 // lines that begin like JSON but are not valid JSON
}

func newEventReader(c *classify.Classifier, set *shapes.Set, in *input, emit func(event)) *eventReader {
	r := &eventReader{classify: c.Classify, shapes: shapes.NewReader(set), emit: emit, written: in.written, service: in.service()}
	r.visit = r.record
	return r
}

// read reads an input to its end. After a failure, earlier events are kept.
func (r *eventReader) read(in io.Reader) error {
	defer r.endText()
	reader := lines.NewReader(in, MaxLine, nil)
	reader.JoinObjects(nil)
	for {
		line, err := reader.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		r.number = r.stats.lines + 1
		r.stats.lines += int64(line.Count)
		if line.Piece {
			if line.Last {
				r.stats.tooLong++
				r.endText()
			}
			continue
		}
		r.readLine(line.Bytes)
	}
}

func (r *eventReader) readLine(line []byte) {
	r.line = line
	if r.shapes.Read(line, r.visit) {
		if r.pending {
			r.endText()
		}
		r.text.End()
		return
	}
	if bytes.HasPrefix(line, []byte(`{"`)) {
		r.stats.broken++
		if r.stats.firstBroken == 0 {
			r.stats.firstBroken = r.number
		}
	}
	if r.text.Starts(r.shapes, line) {
		r.endText()
		r.first, r.pending = r.number, true
		r.header = append(r.header[:0], line[:min(len(line), maxHeader)]...)
	}
	if r.pending {
		r.text.Add(line)
	}
}

// maxHeader limits how many bytes of a text event are searched for the time and the
// service.
const maxHeader = 512

// record reads one record of a line.
func (r *eventReader) record(rec *shapes.Record) {
	if rec.Severity == shapes.Below {
		return
	}
	level := rec.IsError()
	if !level && !rec.Stderr {
		// A record without a level and without an error field is an error only if a rule
		// matches its message.
		message := rec.Message()
		if message == "" {
			return
		}
		if res := r.classify(classify.Evidence{Message: message}); precedence.Known(&res) {
			r.found(rec, res, message, message)
		}
		return
	}
	res, first := logline.Classify(r.classify, rec)
	if !level && !precedence.Known(&res) {
		return // standard error without a level
	}
	r.found(rec, res, rec.Message(), first)
}

// found adds the event of a record.
func (r *eventReader) found(rec *shapes.Record, res classify.Result, message, first string) {
	if category, reason := labels(rec); reason != "" {
		res = classify.Result{Category: category, Reason: reason, Confidence: 1}
	}
	if inner := strings.TrimSpace(message); rec.Inner != nil && inner != "" && strings.HasSuffix(strings.TrimSpace(first), inner) {
		first = message // drops the header (time and level) of a text line
	}
	text := combined(message, first)
	e := event{full: text, source: first, line: r.number}
	if t, ok := rec.Time(); ok {
		e.time = usable(t)
	}
	if e.time == 0 {
		e.time = r.headerTime(r.line)
	}
	e.service = rec.Service(r.line)
	r.send(e, res)
}

// labels returns the category and the reason in a record, or "" for both.
func labels(rec *shapes.Record) (classify.Category, classify.Reason) {
	if rec.Reason == nil {
		return "", ""
	}
	const longest = 64
	category, reason := classify.Category(rec.Text(rec.Category, longest)), classify.Reason(rec.Text(rec.Reason, longest))
	if !reason.Valid() || !slices.Contains(classify.Categories(), category) {
		return "", ""
	}
	return category, reason
}

func (r *eventReader) headerTime(line []byte) int64 {
	if t, ok := shapes.HeaderTime(line, r.written); ok {
		return usable(t)
	}
	return 0
}

// endText ends the current text event. If the event is an error, endText emits it.
func (r *eventReader) endText() {
	if !r.pending {
		return
	}
	r.pending = false
	e := r.text.Event()
	text := r.text.Text()
	if e.Severity == shapes.Below || len(text) == 0 {
		return
	}
	full := string(text)
	res := r.classify(classify.Evidence{Message: full})
	if e.Severity != shapes.Error && !precedence.Known(&res) {
		return
	}
	out := event{full: full, source: full, line: r.first, time: usable(e.Time)}
	if e.Time.IsZero() {
		out.time = r.headerTime(r.header)
	}
	out.service = shapes.Service(r.header)
	r.send(out, res)
}

func (r *eventReader) send(e event, res classify.Result) {
	e.text = headline(e.full)
	e.id = fingerprint.Sum(e.text)
	e.full, e.source = shortenedWords(e.full, maxFull), shortenedWords(e.source, maxFull)
	e.category, e.reason, e.confidence = res.Category, res.Reason, res.Confidence
	e.noRule = !precedence.Known(&res) && res.Confidence < 1 // a reason from the record is certain
	if e.service == "" {
		e.service = r.service
	}
	r.emit(e)
}
