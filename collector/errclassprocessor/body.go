package errclassprocessor

import (
	"bytes"
	"math"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/errclass/errclass/internal/bound"
	"github.com/errclass/errclass/internal/shapes"
)

// These limit the search for a level in a text body.
const (
	maxEvent = 64 << 10 // bytes that are searched for a level
	maxLines = 128      // lines that are searched for a level
)

// event returns the header and the level of a text body. If j.reader has already read
// the body, the argument line must contain the body. Otherwise line must be empty.
func (j *job) event(line []byte, text string) (first shapes.Event) {
	events := shapes.Events{WithoutTime: true}
	read := len(line) > 0
	rest := line[:min(len(line), maxEvent)]
	if !read {
		j.buf = append(j.buf[:0], text[:min(len(text), maxEvent)]...)
		rest = j.buf
	}
	for n := 0; n < maxLines && (n == 0 || len(rest) > 0); n++ {
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if read && n == 0 {
			events.AddRead(j.reader, line)
		} else {
			events.Add(line)
		}
		e := events.Event()
		if n == 0 {
			first = e
		}
		switch {
		case first.Severity != shapes.Unknown, j.current.failed: // the later lines of a failed record need not be read
			return first
		case e.Severity == shapes.Error:
			first.Severity = shapes.Error
			return first
		}
	}
	return first
}

// These are the limits of a body that is a map or a list.
const (
	maxNested  = 16      // levels; deeper values become null
	maxMembers = 1 << 14 // members and items in all; further ones are left out
)

// appendJSON appends a map or a list to b as JSON. Parts beyond a limit are left out,
// but the JSON stays valid.
func appendJSON(b []byte, v pcommon.Value) []byte {
	e := encoder{buf: b, left: maxMembers}
	e.value(v, 0)
	return e.buf
}

type encoder struct {
	buf  []byte
	left int
}

// full counts a member and reports whether the JSON has reached a limit.
func (e *encoder) full() bool {
	e.left--
	return e.left < 0 || len(e.buf) > maxLine
}

func (e *encoder) value(v pcommon.Value, depth int) {
	switch v.Type() {
	case pcommon.ValueTypeMap:
		if depth < maxNested {
			e.object(v.Map(), depth)
			return
		}
	case pcommon.ValueTypeSlice:
		if depth < maxNested {
			e.list(v.Slice(), depth)
			return
		}
	case pcommon.ValueTypeStr:
		e.text(bound.Text(v.Str(), bound.MaxText))
		return
	case pcommon.ValueTypeBytes:
		if v.Bytes().Len() <= bound.MaxText {
			e.text(string(v.Bytes().AsRaw()))
			return
		}
	case pcommon.ValueTypeInt:
		e.buf = strconv.AppendInt(e.buf, v.Int(), 10)
		return
	case pcommon.ValueTypeDouble:
		if f := v.Double(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			e.buf = strconv.AppendFloat(e.buf, f, 'g', -1, 64)
			return
		}
	case pcommon.ValueTypeBool:
		e.buf = strconv.AppendBool(e.buf, v.Bool())
		return
	}
	e.buf = append(e.buf, "null"...)
}

func (e *encoder) object(m pcommon.Map, depth int) {
	e.buf = append(e.buf, '{')
	comma := false
	for name, v := range m.All() {
		if e.full() {
			break
		}
		if comma {
			e.buf = append(e.buf, ',')
		}
		comma = true
		e.text(name)
		e.buf = append(e.buf, ':')
		e.value(v, depth+1)
	}
	e.buf = append(e.buf, '}')
}

func (e *encoder) list(s pcommon.Slice, depth int) {
	e.buf = append(e.buf, '[')
	for i := range s.Len() {
		if e.full() {
			break
		}
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.value(s.At(i), depth+1)
	}
	e.buf = append(e.buf, ']')
}

const hex = "0123456789abcdef"

// text appends a JSON string. Invalid UTF-8 stays as it is.
func (e *encoder) text(s string) {
	e.buf = append(e.buf, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		e.buf = append(e.buf, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			e.buf = append(e.buf, '\\', c)
		case '\n':
			e.buf = append(e.buf, '\\', 'n')
		default:
			e.buf = append(e.buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	e.buf = append(append(e.buf, s[start:]...), '"')
}
