package resilience

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// firstBytes limits how much of a successful response is read to find an error. It
// also limits the data of one event.
const firstBytes = 4 << 10

// bodyKind is the format of a successful response's body.
type bodyKind uint8

const (
	bodyOther  bodyKind = iota
	bodyStream          // text/event-stream
	bodyLines           // application/x-ndjson: one JSON value per line
	bodyFrames          // application/vnd.amazon.eventstream
	bodyJSON            // application/json, application/problem+json
)

// kindOf returns the format of a body. If the client has to decompress the body, the
// format is bodyOther.
func kindOf(h http.Header) bodyKind {
	if h.Get("Content-Encoding") != "" {
		return bodyOther
	}
	media := mediaType(h)
	switch {
	case strings.EqualFold(media, "text/event-stream"):
		return bodyStream
	case strings.EqualFold(media, "application/x-ndjson"), strings.EqualFold(media, "application/ndjson"), strings.EqualFold(media, "application/jsonl"):
		return bodyLines
	case strings.EqualFold(media, "application/vnd.amazon.eventstream"):
		return bodyFrames
	case strings.EqualFold(media, "application/json"), len(media) < 128 && strings.HasSuffix(strings.ToLower(media), "+json"):
		return bodyJSON
	default:
		return bodyOther
	}
}

// scanner splits a stream into events. It keeps at most firstBytes of each event's
// data.
type scanner interface {
	// next returns the first event that ends in p, and the rest of p. If no event
	// ends in p, ok is false. The event is valid until the next call.
	next(p []byte) (e streamEvent, rest []byte, ok bool)
	// flush returns the last event if the input ended within this event.
	flush() (e streamEvent, ok bool)
}

// streamFormats maps the format of a stream to its scanner.
var streamFormats = map[bodyKind]struct {
	scanner func() scanner
	partial bool // the last event may be incomplete, for example without a line feed
}{
	bodyStream: {scanner: func() scanner { return &eventScanner{} }},
	bodyLines:  {scanner: func() scanner { return &eventScanner{lines: true} }, partial: true},
	bodyFrames: {scanner: newFrameScanner, partial: true},
}

// newScanner returns a scanner for a format, or nil if the format has no events.
func newScanner(k bodyKind) scanner {
	f, ok := streamFormats[k]
	if !ok {
		return nil
	}
	return f.scanner()
}

// mediaType returns the Content-Type without parameters.
func mediaType(h http.Header) string {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.TrimSpace(media)
}

// inspection looks for an error at the beginning of a body.
type inspection struct {
	kind   bodyKind
	events scanner // nil for bodyJSON
	seen   int     // number of bytes passed to events.next
}

// inspect looks for an error at the beginning of a body. The results are:
//
//   - failure: the error, or nil if there is none
//   - decided: false if inspect needs a longer prefix
//
// final is true if the prefix will not become longer.
func (i *inspection) inspect(prefix []byte, final bool) (failure []byte, decided bool) {
	if i.kind == bodyJSON || i.kind == bodyStream && startsWithJSON(prefix) {
		return jsonError(prefix, final)
	}
	e, _, ok := i.events.next(prefix[i.seen:])
	i.seen = len(prefix)
	if !ok && final {
		e, ok = i.events.flush()
	}
	if !ok {
		return nil, final
	}
	// A successful line can contain "error" too, so "error" must be the first key.
	if i.kind == bodyLines && !bytes.HasPrefix(skipSpace(e.data), []byte(`{"error"`)) {
		return nil, true
	}
	return e.failure(), true
}

// startsWithJSON reports whether a stream is in fact a JSON value.
func startsWithJSON(prefix []byte) bool {
	prefix = skipSpace(prefix)
	return len(prefix) > 0 && (prefix[0] == '{' || prefix[0] == '[')
}

// byteOrderMark can precede an event stream.
const byteOrderMark = "\xef\xbb\xbf"

func skipSpace(p []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(p, []byte(byteOrderMark)), " \t\r\n")
}

// jsonError decides whether a JSON body is an error. Often the first key is enough:
//
//	{"error":{...}}, [{"error":{...}}], {"type":"error",...}, {"object":"error",...}
//
// The body {"error":"text"} does not count as an error, because the value of "error" is
// not an object.
func jsonError(prefix []byte, final bool) (failure []byte, decided bool) {
	prefix = skipSpace(prefix)
	if len(prefix) > 0 && prefix[0] == '[' {
		prefix = skipSpace(prefix[1:])
	}
	if len(prefix) == 0 {
		return nil, final
	}
	dec := json.NewDecoder(bytes.NewReader(prefix))
	var tokens [3]json.Token // the bracket, the first key, the beginning of its value
	for n := range tokens {
		t, err := dec.Token()
		switch {
		case err != nil:
			return nil, final || !isCut(err)
		case n == 0 && t != json.Delim('{'):
			return nil, true
		case n == 1 && t != "error" && t != "type" && t != "object":
			return nil, true
		}
		tokens[n] = t
	}
	if key, value := tokens[1], tokens[2]; key == "error" && value != json.Delim('{') || key != "error" && value != "error" {
		return nil, true
	}
	var whole json.RawMessage
	err := json.NewDecoder(bytes.NewReader(prefix)).Decode(&whole)
	switch {
	case err == nil:
		return errorIn(whole), true
	case !isCut(err):
		return nil, true
	case final:
		return errorIn(prefix), true
	default:
		return nil, false
	}
}

// isCut reports whether a JSON decoder failed because the input ended too early.
func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// errorIn returns data if this JSON object describes an error, and nil if not. The
// data can be cut off after the error. These formats are known:
//
//	{"type":"error",...} and {"object":"error",...}: Anthropic, OpenAI's responses, vLLM
//	{"error":{...}} and {"error":"text"}, with other keys: OpenAI, Google, OpenRouter, TGI
//	{"type":"response.failed","response":{"error":{...},...}}: OpenAI's responses
//
// In the last format, errorIn returns the object under the key "response".
func errorIn(data []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	failed := false
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if failed && key == "response" {
			at := bytes.IndexByte(data[dec.InputOffset():], '{') // after the colon
			if at < 0 {
				return nil
			}
			return errorIn(data[int(dec.InputOffset())+at:])
		}
		if dec.Decode(&value) != nil {
			return nil
		}
		switch text := string(value); {
		case key == "error" && hasContent(value), (key == "type" || key == "object") && text == `"error"`:
			return data
		case key == "type" && text == `"response.failed"`:
			failed = true
		case key == "jsonrpc": // the called method has failed, not the call
			return nil
		}
	}
	return nil
}

// hasContent reports whether the value of "error" is a nonempty object or string.
func hasContent(value json.RawMessage) bool {
	switch value[0] {
	case '{':
		return len(skipSpace(value[1:])) > 1
	case '"':
		return len(value) > len(`""`)
	default:
		return false
	}
}

// streamEvent is an event of an event stream, a line of NDJSON, or an Amazon
// message.
type streamEvent struct {
	name []byte // "event" field
	data []byte // "data" fields, line, or exception; the first 4 KiB
}

// failure returns the data of an event that reports an error, and nil for other
// events.
func (e streamEvent) failure() []byte {
	if string(e.name) == "error" {
		return append([]byte{}, e.data...) // not nil
	}
	if !bytes.Contains(e.data, []byte(`"error"`)) { // inside a JSON string, the quotes would be escaped
		return nil
	}
	return errorIn(skipSpace(e.data))
}

// eventScanner splits an event stream into events, or NDJSON into lines. All events
// share one buffer.
type eventScanner struct {
	lines    bool   // each line that is not empty is an event
	line     []byte // beginning of an unfinished line
	event    streamEvent
	hasData  bool
	begun    bool // the first line has ended
	cr       bool // the last byte was a carriage return
	returned bool // next has returned the event
}

func (s *eventScanner) next(p []byte) (e streamEvent, rest []byte, ok bool) {
	s.reset()
	for len(p) > 0 {
		if s.cr && p[0] == '\n' {
			p, s.cr = p[1:], false
			continue
		}
		s.cr = false
		n := 0
		for n < len(p) && p[n] != '\n' && p[n] != '\r' {
			n++
		}
		if n == len(p) {
			s.line = appendLimited(s.line, p)
			return streamEvent{}, nil, false
		}
		line := p[:n]
		if len(s.line) > 0 {
			s.line = appendLimited(s.line, line)
			line = s.line
		}
		s.cr = p[n] == '\r'
		p = p[n+1:]
		complete := s.endLine(line)
		s.line = s.line[:0]
		if complete {
			s.returned = true
			return s.event, p, true
		}
	}
	return streamEvent{}, nil, false
}

func (s *eventScanner) flush() (e streamEvent, ok bool) {
	s.reset()
	s.endLine(s.line)
	return s.event, s.hasData
}

// reset clears the event that the last call of next returned.
func (s *eventScanner) reset() {
	if s.returned {
		s.event.name, s.event.data, s.hasData, s.returned = s.event.name[:0], s.event.data[:0], false, false
	}
}

// endLine reads a line and reports whether the line ends an event. Events without
// data do not count.
func (s *eventScanner) endLine(line []byte) bool {
	if !s.begun {
		line, s.begun = bytes.TrimPrefix(line, []byte(byteOrderMark)), true
	}
	if s.lines {
		s.event.data, s.hasData = appendLimited(s.event.data, line), len(line) > 0
		return s.hasData
	}
	if len(line) == 0 {
		if !s.hasData {
			s.event.name = s.event.name[:0]
		}
		return s.hasData
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		s.event.name = append(s.event.name[:0], value...)
	case "data":
		if s.hasData {
			s.event.data = appendLimited(s.event.data, []byte("\n"))
		}
		s.event.data, s.hasData = appendLimited(s.event.data, value), true
	}
	return false
}

// appendLimited appends p to dst, and drops the bytes after firstBytes.
func appendLimited(dst, p []byte) []byte {
	return append(dst, p[:min(len(p), max(firstBytes-len(dst), 0))]...)
}
