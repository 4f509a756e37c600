package logline

import (
	"cmp"
	"strconv"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/jsontop"
)

var (
	errorKeys   = [...]key{keyError, keyErr, keyExceptionMessage, keyStderr}
	messageKeys = [...]key{keyMsg, keyMessage, keyMESSAGE, keyLog, keyEvent}
	statusKeys  = [...]key{keyStatus, keyStatusCode, keyHTTPStatus}
)

// hasError reports whether the line has an error field with a value.
func (m *members) hasError() bool {
	for _, k := range errorKeys {
		if present(m.values[k]) {
			return true
		}
	}
	return false
}

// maxText limits the undecoded bytes that are read of a text. Of a longer text
// only the first and the last maxText/2 bytes are read. One decoded byte may be
// written as an escape of six bytes. So maxText is six times what a classifier
// reads, and a little more.
const maxText = longestEscape*classify.DefaultMaxBytes + 64

const longestEscape = len(`\u0041`)

// result classifies the error fields and then the message. The first source with a
// known reason decides.
//
// Codes are passed as [classify.Evidence.Code]. The program that logged may quote a
// code of another program. So a code never means that the logging program reached
// its own deadline or was cancelled. exception.type is passed as Type, because the
// logging program has recorded it itself.
func (m *members) result(classifyEvidence classifyFunc) classify.Result {
	common := classify.Evidence{Status: m.status()}
	common.Type, _ = jsontop.Ends(m.values[keyExceptionType], maxText)
	var best classify.Result
	try := func(e classify.Evidence) (known bool) {
		if e.Message == "" && e.Type == "" && e.Code == "" && e.Status == 0 {
			return false
		}
		r := classifyEvidence(e)
		known = r.Category != "" && r.Reason != classify.ReasonUnknown && r.Rule != classify.RuleModel
		if known || best.Category == "" || best.Reason == classify.ReasonUnknown && r.Rule == classify.RuleModel {
			best = r
		}
		return known
	}
	for _, k := range errorKeys {
		if v := m.values[k]; present(v) && try(errorEvidence(v, common)) {
			return best
		}
	}
	e := common
	e.Message = m.message()
	if try(e) || best.Category != "" {
		return best
	}
	return classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonUnknown} // nothing to read
}

// errorEvidence adds an error value to e. The value is a string, or an object
// as pino and others write it. If it is an array, its JSON is the message.
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
	// These are decoded at the end: if a key repeats, the last value counts.
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
	// A code such as ECONNRESET is more specific than a type such as FetchError.
	e.Code = firstText(code, kind)
	return e
}

// firstText returns the first value that is a non-empty string.
func firstText(values ...[]byte) string {
	for _, v := range values {
		if text, _ := jsontop.Ends(v, maxText); text != "" {
			return text
		}
	}
	return ""
}

// rawText returns v as undecoded JSON. If v is longer than maxText, rawText
// returns the first and the last maxText/2 bytes, with a line end between them.
func rawText(v []byte) string {
	if len(v) <= maxText {
		return string(v)
	}
	return string(v[:maxText/2]) + "\n" + string(v[len(v)-maxText/2:])
}

// message tries the message keys in order and returns the first text that it
// finds.
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

// status returns the first HTTP error status in the status fields, or 0.
func (m *members) status() int {
	for _, k := range statusKeys {
		if n := httpStatus(m.values[k]); n != 0 {
			return n
		}
	}
	return 0
}

// httpStatus returns v if it is a JSON number from 400 to 599, and 0 otherwise.
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
