package logline

import (
	"cmp"
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

// maxText is how much of one text of a line is read: the first and the last
// half, as the line has them. An escape makes one byte of six, so what is
// decoded holds all that a classifier reads of a longer text.
const maxText = longestEscape*classify.DefaultMaxBytes + 64

const longestEscape = len(`\u0041`)

// classify asks the sources of the line one after the other, errors before
// the message: the first that is known for anything decides.
//
// A log line quotes other programs, so its codes are a peer's ([classify.Evidence.Code]):
// they are no deadline and no cancellation of this program. exception.type is
// what the program that wrote the line recorded itself.
func (m *members) classify(ask askFunc) classify.Result {
	common := classify.Evidence{Status: m.status()}
	common.Type, _ = jsontop.Ends(m.values[keyExceptionType], maxText)
	var best classify.Result
	decides := func(e classify.Evidence) bool {
		if e.Message == "" && e.Type == "" && e.Code == "" && e.Status == 0 {
			return false
		}
		r := ask(e)
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
		if v := m.values[k]; present(v) && decides(errorEvidence(v, common)) {
			return best
		}
	}
	e := common
	e.Message = m.message()
	if decides(e) || best.Category != "" {
		return best
	}
	return classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonUnknown} // nothing to read
}

// errorEvidence reads an error value: a text, or an object as pino and others
// write it. What is neither is taken as the JSON text that it is.
func errorEvidence(v []byte, e classify.Evidence) classify.Evidence {
	if text, ok := jsontop.Ends(v, maxText); ok {
		e.Message = text
		return e
	}
	if v[0] != '{' {
		if v[0] == '[' {
			e.Message = rawText(v)
		}
		return e
	}
	// Values are decoded after the last one is found, as keys may stand often.
	var message, kind, code, stack []byte
	jsontop.Object(v, func(name, value []byte) {
		switch string(name) {
		case "message", "msg":
			message = value
		case "type", "name":
			kind = value
		case "code":
			code = value
			e.Status = cmp.Or(e.Status, httpStatus(value))
		case "stack", "stacktrace", "stack_trace":
			stack = value
		case "status", "statusCode", "status_code":
			e.Status = cmp.Or(e.Status, httpStatus(value))
		}
	})
	e.Message = firstText(message, stack)
	if e.Message == "" {
		e.Message = rawText(v)
	}
	// ECONNRESET or insufficient_quota say more than Error or FetchError.
	e.Code = firstText(code, kind)
	return e
}

// firstText is the first of the values that is a text, and not an empty one.
func firstText(values ...[]byte) string {
	for _, v := range values {
		if text, _ := jsontop.Ends(v, maxText); text != "" {
			return text
		}
	}
	return ""
}

// rawText is JSON as it stands in the line, as much of it as is read.
func rawText(v []byte) string {
	if len(v) <= maxText {
		return string(v)
	}
	return string(v[:maxText/2]) + "\n" + string(v[len(v)-maxText/2:])
}

// message is the text of the first message key that has one.
func (m *members) message() string {
	for _, k := range messageKeys {
		v := m.values[k]
		if !present(v) {
			continue
		}
		if text, ok := jsontop.Ends(v, maxText); ok {
			return text
		}
		switch v[0] {
		case '[':
			if text, ok := byteNumbers(v, classify.DefaultMaxBytes); ok {
				return text
			}
			return rawText(v)
		case '{':
			return rawText(v)
		}
	}
	return ""
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
