package logline

import (
	"cmp"
	"encoding/json"
	"strconv"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/jsontop"
)

var (
	errorKeys   = [...]key{keyError, keyErr, keyExceptionMessage, keyStderr}
	messageKeys = [...]key{keyMsg, keyMessage, keyMESSAGE, keyLog, keyEvent}
	statusKeys  = [...]key{keyStatus, keyStatusCode, keyHTTPStatus}
)

// hasError reports whether the line has an error field that says something.
func (m *members) hasError() bool {
	for _, k := range errorKeys {
		if present(m.values[k]) {
			return true
		}
	}
	return false
}

// classify asks the sources of the line one after the other, errors before
// the message: the first that is known for anything decides.
func (m *members) classify(c *classify.Classifier) classify.Result {
	common := classify.Evidence{Status: m.status()}
	common.Type, _ = jsontop.Text(m.values[keyExceptionType])
	var best classify.Result
	ask := func(e classify.Evidence) bool {
		if e.Message == "" && e.Type == "" && e.Status == 0 {
			return false
		}
		r := c.Classify(e)
		if best.Category == "" {
			best = r
		}
		if r.Category == "" || r.Reason == classify.ReasonUnknown {
			return false
		}
		best = r
		return true
	}
	for _, k := range errorKeys {
		if v := m.values[k]; present(v) && ask(errorEvidence(v, common)) {
			return best
		}
	}
	e := common
	e.Message = m.message()
	if !ask(e) && best.Category == "" {
		return c.Message("")
	}
	return best
}

// errorEvidence reads an error value: a text, or an object as pino and others
// write it. What is neither is taken as the JSON text that it is.
func errorEvidence(v []byte, e classify.Evidence) classify.Evidence {
	if text, ok := jsontop.Text(v); ok {
		e.Message = text
		return e
	}
	if v[0] != '{' {
		if v[0] == '[' {
			e.Message = string(v)
		}
		return e
	}
	var message, kind, code, stack string
	jsontop.Object(v, func(name, value []byte) {
		text, _ := jsontop.Text(value)
		switch string(name) {
		case "message", "msg":
			message = text
		case "type", "name":
			kind = text
		case "code":
			code = text
			e.Status = cmp.Or(e.Status, httpStatus(value))
		case "stack", "stacktrace", "stack_trace":
			stack = text
		case "status", "statusCode", "status_code":
			e.Status = cmp.Or(e.Status, httpStatus(value))
		}
	})
	switch {
	case message != "":
		e.Message = message
	case stack != "":
		e.Message = stack
	default:
		e.Message = string(v)
	}
	// ECONNRESET or insufficient_quota say more than Error or FetchError.
	for _, t := range [...]string{code, kind} {
		if t != "" {
			e.Type = t
			break
		}
	}
	return e
}

// message is the text of the first message key that has one.
func (m *members) message() string {
	for _, k := range messageKeys {
		v := m.values[k]
		if !present(v) {
			continue
		}
		if text, ok := jsontop.Text(v); ok {
			return text
		}
		switch v[0] {
		case '[':
			if text, ok := byteNumbers(v); ok {
				return text
			}
			return string(v)
		case '{':
			return string(v)
		}
	}
	return ""
}

// byteNumbers decodes what journald writes for a message that is no valid
// UTF-8: an array of numbers, a byte each.
func byteNumbers(v []byte) (string, bool) {
	var numbers []uint16 // []uint8 would be read as base64
	if json.Unmarshal(v, &numbers) != nil {
		return "", false
	}
	text := make([]byte, len(numbers))
	for i, n := range numbers {
		if n > 0xff {
			return "", false
		}
		text[i] = byte(n)
	}
	return string(text), true
}

// status is the first status field that holds an HTTP status of an error.
func (m *members) status() int {
	for _, k := range statusKeys {
		if n := httpStatus(m.values[k]); n != 0 {
			return n
		}
	}
	return 0
}

// httpStatus reads a JSON number that is the HTTP status of an error; all else
// is 0.
func httpStatus(v []byte) int {
	if len(v) != len("503") {
		return 0
	}
	n, err := strconv.Atoi(string(v))
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}
