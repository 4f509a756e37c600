package shapes

import (
	"bytes"

	"github.com/errclass/errclass/internal/jsontop"
)

// bom is the UTF-8 byte order mark. It can precede the first line of a file.
const bom = "\ufeff"

// Reader reads lines. A Reader is not safe for concurrent use.
type Reader struct {
	set    *Set
	fields *fields
	record Record

	// seen has the keys of the previous line. A line with the same keys has the
	// same shape.
	seen  mask
	shape *compiled

	prefix prefix // of the last line; prefix.end is an index in the line

	depth    int
	inner    *Reader // reads a message that is itself a log line
	innerBuf []byte
}

// NewReader returns a reader of the shapes of s. A nil set is [Standard].
func NewReader(s *Set) *Reader { return newReader(s, 0) }

func newReader(s *Set, depth int) *Reader {
	if s == nil {
		s = Standard()
	}
	return &Reader{set: s, fields: newFields(s), depth: depth}
}

// maxDepth is how deeply log lines can be nested in messages.
const maxDepth = 3

// Record is one record of a line. It is valid until the next record is read.
type Record struct {
	// Shape describes the line. If no shape of the table fits, Shape is [Common].
	Shape *Shape
	// Severity is the highest severity among the levels of the record. If the record
	// has no level, the severity comes from
	//   - the log line in the message, or
	//   - the shape or the prefix, whichever has the higher severity.
	//
	// If [Shape.Carrier] is true, the level of the log line in the message takes
	// precedence over the levels of the record.
	Severity Severity
	// Inner is the shape of a log line inside the message, or nil.
	Inner *Shape
	// Stderr is true if the record is from standard error and has no level.
	Stderr bool

	// At is the index in the line at which fields can be inserted. If fields cannot
	// be inserted, At is -1.
	At   int
	Form Form
	// Category and Reason are the undecoded values of [CategoryKey] and
	// [ReasonKey]. If the record does not have these fields, the values are nil.
	Category, Reason []byte

	prefix, suffix string // around inserted attributes
	comma          bool   // a comma must precede inserted fields
	reader         *Reader
	inner          *Record
	shape          *compiled
}

// Read visits every record of line. The visitor must not keep the record.
//
// The line can have a line end, and a prefix that a runtime wrote. A JSON object
// can span several lines.
//
// If a line is neither JSON nor logfmt, Read returns false. Then [Events.AddRead]
// can read the line as text.
func (r *Reader) Read(line []byte, visit func(*Record)) (ok bool) {
	start := 0
	if bytes.HasPrefix(line, []byte(bom)) {
		start = len(bom)
	}
	p := &r.prefix
	if startsObject(line, start) {
		*p = prefix{end: start}
	} else {
		*p = readPrefix(firstLine(line[start:]))
		p.end += start
		if start = p.end; !startsObject(line, start) {
			return r.logfmt(line, visit)
		}
	}
	if !r.fields.object(line[start:]) {
		return false
	}
	r.objects(line, start, visit)
	return true
}

// firstLine returns the first line of text, without its line end.
func firstLine(text []byte) []byte {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return bytes.TrimSuffix(text, []byte("\r"))
}

func startsObject(line []byte, i int) bool {
	i = firstByte(line, i)
	return i < len(line) && line[i] == '{'
}

// firstByte returns the index of the first byte from i on that is not white space.
func firstByte(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n') {
		i++
	}
	return i
}

// afterMembers returns the index at which new members can be inserted. This is
// before the white space in front of the closing bracket.
func afterMembers(line []byte, closing int) int {
	end := closing
	for end > 0 && (line[end-1] == ' ' || line[end-1] == '\t' || line[end-1] == '\r' || line[end-1] == '\n') {
		end--
	}
	return end
}

// objects visits the records of the object that starts at line[start].
func (r *Reader) objects(line []byte, start int, visit func(*Record)) {
	c := r.find()
	if c.records == nil {
		r.object(c, afterMembers(line, start+r.fields.end), visit)
		return
	}
	lists, ok := r.fields.lookup([]byte(c.records[0]))
	if !ok {
		return
	}
	records(r.fields.key(lists), c.records[1:], func(item []byte) {
		if r.fields.object(item) {
			r.otlp(line, offset(line, item), visit)
		}
	})
}

// find returns the shape for the members in r.fields.
func (r *Reader) find() *compiled {
	if r.shape == nil || r.seen != r.fields.seen {
		r.seen, r.shape = r.fields.seen, r.set.find(&r.fields.seen)
	}
	return r.shape
}

// records visits every object in list. If names is not empty, each item of list has a
// list with the key names[0]. The items of this list have a list with the key names[1],
// and so on. Then records visits only the objects in the innermost lists.
func records(list []byte, names []string, visit func(item []byte)) {
	if len(list) == 0 || list[0] != '[' {
		return
	}
	jsontop.Array(list, func(item []byte) {
		switch {
		case item[0] != '{':
		case len(names) == 0:
			visit(item)
		default:
			records(member(item, names[0]), names[1:], visit)
		}
	})
}

// offset returns the index of part in line. The part must be a slice of line
// without a capacity limit.
func offset(line, part []byte) int { return cap(line) - cap(part) }

// otlp visits the OTLP record that starts at line[start].
func (r *Reader) otlp(line []byte, start int, visit func(*Record)) {
	c := &r.set.record
	f := r.fields
	rec := &r.record
	*rec = Record{Shape: c.Shape, shape: c, reader: r, Form: Attribute, At: afterMembers(line, start+f.end), comma: !f.empty, prefix: `"attributes":[`, suffix: `]`}
	if k := c.attributes[0].key; f.seen.has(k) {
		list := f.values[k]
		rec.prefix, rec.suffix, rec.At = "", "", -1
		if list[0] == '[' {
			rec.comma = firstByte(list, 1) != len(list)-1
			rec.At = afterMembers(line, offset(line, list)+len(list)-1)
			f.attributes(list)
		}
	}
	r.finish(Unknown, visit)
}

// object visits the record in r.fields. insertAt is the index for new fields.
func (r *Reader) object(c *compiled, insertAt int, visit func(*Record)) {
	f := r.fields
	r.record = Record{Shape: c.Shape, shape: c, reader: r, At: insertAt, comma: !f.empty, Stderr: r.prefix.stderr}
	if len(c.attributes) > 0 {
		f.attributes(f.at(c.attributes[0]))
	}
	if len(c.stream) > 0 {
		r.record.Stderr = string(f.at(c.stream[0])) == `"stderr"`
	}
	r.finish(r.prefix.severity, visit)
}

// finish sets the severity of the record and visits the record. outer is the
// severity in the prefix.
func (r *Reader) finish(outer Severity, visit func(*Record)) {
	rec, f := &r.record, r.fields
	rec.Category, rec.Reason = f.key(r.set.category), f.key(r.set.reason)
	rec.Severity = f.severity(rec.shape.levels)
	if r.depth < maxDepth && (rec.Shape.Carrier || rec.Severity != Below) {
		r.readInner()
	}
	if rec.Severity == Unknown {
		rec.Severity = max(rec.Shape.Default, outer)
	}
	rec.Stderr = rec.Stderr && rec.Severity == Unknown
	visit(rec)
}

// severity returns the highest severity among the levels.
func (f *fields) severity(levels []compiledLevel) Severity {
	s := Unknown
	for i := range levels {
		l := &levels[i]
		if !f.seen.has(l.key) {
			continue
		}
		s = max(s, l.scale.severity(f.at(l.path)))
	}
	return s
}

// readInner reads the message as a log line: the inner line.
//   - A record without a level gets the level of the inner line.
//   - If [Shape.Carrier] is true, the level of the inner line replaces the level of the
//     record.
func (r *Reader) readInner() {
	rec := &r.record
	carrier := rec.Shape.Carrier
	message := anyValue(r.fields.first(rec.shape.message))
	if len(message) < len(`"{}"`) || len(message) > MaxInner || message[0] != '"' || !carrier && message[1] != '{' {
		return
	}
	var ok bool
	if r.innerBuf, ok = jsontop.AppendText(r.innerBuf[:0], message); !ok {
		return
	}
	if r.inner == nil {
		r.inner = newReader(r.set, r.depth+1)
	}
	n := 0
	r.inner.Read(r.innerBuf, func(inner *Record) {
		if n++; n > 1 && inner.Severity <= rec.Severity {
			return
		}
		rec.inner, rec.Inner = inner, inner.Shape
		if inner.Severity != Unknown && (carrier || rec.Severity == Unknown) {
			rec.Severity = inner.Severity
		}
	})
	if rec.inner == nil && carrier {
		if s, level := TextShape(r.innerBuf[:lineEnd(r.innerBuf)]); s != nil && level != Unknown {
			rec.Inner, rec.Severity = &s.Shape, level
		}
	}
}

// Text decodes v, an undecoded value of the record. If v has more than limit bytes, Text
// replaces the middle of v with a line feed. If v is not a string, Text returns "". In
// logfmt, a value without quotes counts as a string only if it has at most limit bytes.
func (rec *Record) Text(v []byte, limit int) string {
	t, ok := jsontop.Ends(v, limit)
	if !ok && rec.Form == Pair && len(v) <= limit {
		return string(v)
	}
	return t
}

// HasError reports whether the record has an error field with a value.
func (rec *Record) HasError() bool {
	return rec.reader.fields.first(rec.shape.errors) != nil || rec.inner != nil && rec.inner.HasError()
}

// IsError reports whether the level of the record is error or above. If the record
// has no level, an error field makes the record an error.
func (rec *Record) IsError() bool {
	return rec.Severity == Error || rec.Severity == Unknown && rec.HasError()
}

// Append appends to b the fields that the caller inserts at rec.At. A field that
// the record already has is left out. The category and the reason must not contain
// spaces or characters that JSON escapes.
func (rec *Record) Append(b []byte, category, reason string) []byte {
	comma := rec.comma
	began := false
	for _, field := range [2]struct {
		name, value string
		has         bool
	}{{CategoryKey, category, rec.Category != nil}, {ReasonKey, reason, rec.Reason != nil}} {
		if field.has || rec.At < 0 {
			continue
		}
		if rec.Form == Pair {
			b = append(append(append(append(b, ' '), field.name...), '='), field.value...)
			continue
		}
		if comma {
			b = append(b, ',')
		}
		comma = true
		if rec.Form == Member {
			b = append(append(append(b, '"'), field.name...), `":"`...)
			b = append(append(b, field.value...), '"')
			continue
		}
		if !began {
			b = append(b, rec.prefix...)
			began = true
		}
		b = append(append(append(b, `{"key":"`...), field.name...), `","value":{"stringValue":"`...)
		b = append(append(b, field.value...), `"}}`...)
	}
	if began {
		b = append(b, rec.suffix...)
	}
	return b
}
