package classify

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The bounds of what is read of a body. A real error body has a few hundred
// bytes; these keep a hostile one cheap.
const (
	maxBody       = 64 << 10 // bytes
	bodyNodes     = 4096     // JSON values that are looked at
	bodyDepth     = 24       // levels of objects and arrays
	bodyNesting   = 4        // JSON within a JSON string, and again
	bodyTries     = 12       // strings and offsets that are tried as JSON
	bodyCodeWords = 32
)

// envelope is what a body says about an error, whatever its form: the codes,
// and the messages as a text that the text rules judge.
type envelope struct {
	failed   bool     // the body says that it is an error
	codes    []string // in the order of the body, the outermost first
	status   int      // an HTTP status that the body names; the outermost
	facts    []signal // what the structure says beyond any word
	provider string   // where the body tells it beyond doubt
	text     []byte

	nodes, tries int
}

// openEnvelope reads a body: JSON (also after an event stream's "data:" or a
// status line), XML with a Code, HTML as it is seen, or plain text. A body that
// is cut off, by the sender or by the bound, is read as text.
func openEnvelope(body []byte) envelope {
	var e envelope
	if len(body) > maxBody {
		body = body[:maxBody]
	}
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '<' {
		e.markup(string(trimmed))
		return e
	}
	e.words(string(body), 0)
	return e
}

// words takes a text into account that may hold JSON, or be it. What stands
// around the JSON is text like any other.
func (e *envelope) words(s string, nesting int) {
	start, end, value := e.findJSON(s, nesting)
	if end == 0 {
		e.write(s)
		return
	}
	e.write(s[:start])
	before := e.found()
	e.walk(value, 1, nesting)
	if e.found() == before {
		e.write(s[start:end]) // an unknown form; its words may still tell
	}
	e.words(s[end:], nesting) // the next event of a stream
}

// found tells whether something was added since it was last asked.
func (e *envelope) found() int { return len(e.text) + len(e.codes) + len(e.facts) + e.status }

// findJSON looks for the first object or array in s that is whole.
func (e *envelope) findJSON(s string, nesting int) (start, end int, value any) {
	if nesting > bodyNesting {
		return 0, 0, nil
	}
	for start < len(s) && e.tries < bodyTries {
		at := strings.IndexAny(s[start:], "{[")
		if at < 0 {
			break
		}
		start += at
		e.tries++
		dec := json.NewDecoder(strings.NewReader(s[start:]))
		dec.UseNumber()
		if dec.Decode(&value) == nil && holdsObject(value) {
			return start, start + int(dec.InputOffset()), value
		}
		start++
	}
	return 0, 0, nil
}

// write adds a text, in a line of its own.
func (e *envelope) write(s string) {
	s = strings.TrimSpace(s)
	if s == "" || len(e.text) >= maxBody {
		return
	}
	if len(e.text) > 0 {
		e.text = append(e.text, '\n')
	}
	e.text = append(e.text, s[:min(len(s), maxBody)]...)
}

// holdsObject reports whether a value may be an envelope: "[5]" in a text is
// none.
func holdsObject(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0 && holdsObject(v[0])
	}
	return false
}

// isEmpty reports whether a decoded value says nothing: null, "", {}, [].
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
