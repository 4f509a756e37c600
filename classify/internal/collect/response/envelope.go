package response

import (
	"encoding/json"
	"strings"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/signal"
)

// These limits keep hostile bodies cheap. A real error body has a few hundred bytes.
const (
	bodyNodes     = 4096 // JSON values that are read
	bodyFacts     = 64   // facts that are kept
	bodyDepth     = 24   // levels of objects and arrays
	bodyNesting   = 4    // levels of JSON within JSON strings
	bodyTries     = 12   // attempts to find JSON in a text
	bodyCodeWords = 32
)

// envelope is the evidence in a response body: codes, and messages as one text.
type envelope struct {
	failed   bool            // the body says that it is an error
	codes    []string        // in the order of the body, the outermost first
	status   int             // the outermost HTTP status in the body
	facts    []signal.Signal // signals from fields that are neither codes nor messages
	provider string          // "" unless the body identifies the provider beyond doubt
	text     []byte

	line         []byte // codes and message of the current object
	budget       int    // bytes that decoding may still allocate
	lost         int    // bytes of JSON that were not decoded because they exceeded budget
	nodes, tries int
}

// openEnvelope reads a body: JSON, XML, the visible text of HTML, or plain text.
// Other text may precede the JSON. Decoding may allocate at most budget bytes.
func openEnvelope(body string, budget int) envelope {
	e := envelope{budget: budget}
	if trimmed := strings.TrimSpace(body); trimmed != "" && trimmed[0] == '<' {
		e.markup(trimmed)
	} else {
		e.readText(body, 0)
	}
	return e
}

// readText decodes the JSON in s, if there is any, and reads the rest as plain text.
func (e *envelope) readText(s string, nesting int) {
	start, end, value := e.findJSON(s, nesting)
	if end == 0 {
		e.write(s)
		return
	}
	e.write(s[:start])
	before := e.found()
	e.readValue(value, 1, nesting)
	if e.found() == before {
		e.write(s[start:end]) // JSON without known keys is read as text
	}
	e.readText(s[end:], nesting) // a stream may have more events
}

// found returns a number that grows with the evidence in e.
func (e *envelope) found() int { return len(e.text) + len(e.codes) + len(e.facts) + e.status }

// findJSON returns the first complete object or array in s. JSON that is too costly
// to decode counts as text.
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
			if cost > e.budget {
				e.lost += size
				return 0, 0, nil
			}
			e.budget -= cost
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

// These are measured values: how many bytes encoding/json allocates for a JSON element.
const (
	objectCost = 250
	arrayCost  = 40
	memberCost = 100 // a member of an object or array
	nameCost   = 50
	byteCost   = 4 // the decoder's buffer, which grows by doubling
)

// extentOf returns the size of the object or array at the start of s. cost is the
// number of bytes that decoding allocates. If the closing bracket is missing, size
// is 0.
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

// write appends a text to e.text on a line of its own.
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

// holdsObject reports whether a value is an object, or an array with an object.
func holdsObject(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0 && holdsObject(v[0])
	}
	return false
}

// isEmpty reports whether a decoded value is null, false, "", {} or [].
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
