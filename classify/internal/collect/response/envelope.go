package response

import (
	"encoding/json"
	"strings"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/signal"
)

// The bounds of what is read of a body. A real error body has a few hundred
// bytes; these keep a hostile one cheap.
const (
	bodyNodes     = 4096 // JSON values that are looked at
	bodyFacts     = 64   // facts that are kept
	bodyDepth     = 24   // levels of objects and arrays
	bodyNesting   = 4    // JSON within a JSON string, and again
	bodyTries     = 12   // strings and offsets that are tried as JSON
	bodyCodeWords = 32
)

// envelope is what a body says about an error, whatever its form: the codes,
// and the messages as a text that the text rules judge.
type envelope struct {
	failed   bool            // the body says that it is an error
	codes    []string        // in the order of the body, the outermost first
	status   int             // an HTTP status that the body names; the outermost
	facts    []signal.Signal // what the structure says beyond any word
	provider string          // where the body tells it beyond doubt
	text     []byte

	line         []byte // of the object that is being read
	left         int    // bytes that decoding may still allocate
	lost         int    // bytes of JSON that were not decoded therefore
	nodes, tries int
}

// openEnvelope reads a body: JSON (also after an event stream's "data:" or a
// status line), XML with a Code, HTML as it is seen, or plain text. A body that
// is cut off, by the sender or by the bound, is read as text. left is what decoding
// may allocate.
func openEnvelope(body string, left int) envelope {
	e := envelope{left: left}
	if trimmed := strings.TrimSpace(body); trimmed != "" && trimmed[0] == '<' {
		e.markup(trimmed)
	} else {
		e.words(body, 0)
	}
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

// findJSON looks for the first object or array in s that is whole. What would
// cost more to decode than is left is text like any other.
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
		size, cost := extentOf(s[start:])
		if size > 0 {
			if cost > e.left {
				e.lost += size
				return 0, 0, nil
			}
			e.left -= cost
			dec := json.NewDecoder(strings.NewReader(s[start : start+size]))
			dec.UseNumber()
			if dec.Decode(&value) == nil && holdsObject(value) {
				return start, start + int(dec.InputOffset()), value
			}
		}
		start++
	}
	return 0, 0, nil
}

// What decoding a JSON value allocates, as measured with encoding/json.
const (
	objectCost = 250
	arrayCost  = 40
	memberCost = 100 // of an object or array
	nameCost   = 50
	byteCost   = 4 // the decoder's buffer, which grows by doubling
)

// extentOf returns the size of the object or array that s begins with, 0 where
// it does not end, and what it costs to decode. It knows only brackets and
// strings: whether it is JSON, the decoder finds out.
func extentOf(s string) (size, cost int) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '{':
			depth, cost = depth+1, cost+objectCost
		case '[':
			depth, cost = depth+1, cost+arrayCost
		case ',':
			cost += memberCost
		case ':':
			cost += nameCost
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, cost + byteCost*(i+1)
			}
		}
	}
	return 0, 0
}

// write adds a text, in a line of its own.
func (e *envelope) write(s string) {
	s = strings.TrimSpace(s)
	if s == "" || len(e.text) >= collect.MaxBody {
		return
	}
	if len(e.text) > 0 {
		e.text = append(e.text, '\n')
	}
	e.text = append(e.text, s[:min(len(s), collect.MaxBody)]...)
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
