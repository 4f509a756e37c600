package response

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/ruleset"
)

// role is the meaning of a key of an error object, such as code or message.
type role uint8

const (
	otherRole   role = iota
	codeRole         // a code, a type or a status
	messageRole      // prose, or JSON in a string
	errorRole        // the error itself; unknown keys in the same object are skipped
	detailRole       // more about the error
	waitRole         // how long to wait
	skipRole         // parts of the request, links, answers
)

// roles maps the keys of known error envelopes to roles. In the map, each key has the
// spelling that foldCode gives it. These are examples of the keys:
//
//   - Anthropic and OpenAI: type, code, message, param
//   - Google: status, details, reason
//   - AWS: __type, Code
//   - Azure: innererror
//   - RFC 9457: title, detail
//   - OAuth: error_description
//   - Elasticsearch: root_cause
//   - SOAP: faultstring
var roles = map[string]role{
	"type": codeRole, "code": codeRole, "status": codeRole, "reason": codeRole, "name": codeRole,
	"errorcode": codeRole, "errortype": codeRole, "errorname": codeRole, "statuscode": codeRole,
	"httpstatus": codeRole, "httpstatuscode": codeRole, "httpcode": codeRole, "faultcode": codeRole,
	"subcode": codeRole, "errorstatus": codeRole,

	"message": messageRole, "msg": messageRole, "detail": messageRole, "title": messageRole,
	"description": messageRole, "errordescription": messageRole, "errormessage": messageRole,
	"errormsg": messageRole, "faultstring": messageRole, "raw": messageRole, "text": messageRole,
	"quotametric": messageRole, "failurereason": messageRole, "exceptionmessage": messageRole,

	"error": errorRole, "errors": errorRole, "fault": errorRole, "exception": errorRole,

	"details": detailRole, "metadata": detailRole, "innererror": detailRole, "rootcause": detailRole,
	"cause": detailRole, "causedby": detailRole, "response": detailRole, "data": detailRole,

	"retryafter": waitRole, "retryafterms": waitRole, "retryafterseconds": waitRole, "retrydelay": waitRole,
	"retrydelayms": waitRole,

	"input": skipRole, "inputs": skipRole, "request": skipRole, "params": skipRole, "param": skipRole,
	"links": skipRole, "headers": skipRole, "choices": skipRole, "output": skipRole, "messages": skipRole,
	"tools": skipRole, "usage": skipRole, "ctx": skipRole, "loc": skipRole, "contentfilterresult": skipRole,
	"contentfilterresults": skipRole, "promptfilterresults": skipRole, "failedgeneration": skipRole,
}

func roleOf(key string) role {
	var space [24]byte
	return roles[string(foldCode(space[:0], key))]
}

// readValue adds the evidence in a decoded value to e.
func (e *envelope) readValue(value any, depth, nesting int) {
	if e.nodes++; e.nodes > bodyNodes || depth > bodyDepth {
		return
	}
	switch v := value.(type) {
	case string:
		e.message(v, nesting)
	case []any:
		for _, item := range v {
			e.readValue(item, depth+1, nesting)
		}
	case map[string]any:
		e.object(v, depth, nesting)
	}
}

// object reads a JSON object, then its nested values. The codes and the message
// become one line, so that a rule can match both.
func (e *envelope) object(m map[string]any, depth, nesting int) {
	keys := slices.Sorted(maps.Keys(m))
	if len(e.facts) < bodyFacts {
		e.facts = append(e.facts, googleFacts(m)...)
	}
	if e.provider == "" {
		e.provider = bodyProvider(m)
	}
	e.line = e.line[:0]
	holdsError := false
	for _, k := range keys {
		switch roleOf(k) {
		case codeRole:
			e.code(m, k)
		case errorRole:
			holdsError = holdsError || !isEmpty(m[k])
			if s, ok := m[k].(string); ok && isCode(s) {
				e.code(m, k)
			}
		case waitRole:
			e.join(" ", waitText(k, m[k]))
		}
	}
	e.failed = e.failed || holdsError || saysError(m)
	for _, k := range keys {
		if s, ok := m[k].(string); ok && roleOf(k) == messageRole && !mayHoldJSON(s) {
			e.join(": ", s)
		}
	}
	e.write(string(e.line))
	for _, k := range keys {
		s, isString := m[k].(string)
		switch roleOf(k) {
		case messageRole:
			if !isString || mayHoldJSON(s) {
				e.readValue(m[k], depth+1, nesting)
			}
		case errorRole:
			if !isString || !isCode(s) {
				e.readValue(m[k], depth+1, nesting)
			}
		case detailRole:
			e.readValue(m[k], depth+1, nesting)
		case otherRole:
			if !holdsError && holdsObject(m[k]) {
				e.readValue(m[k], depth+1, nesting)
			}
		}
	}
}

// message reads a text that may contain JSON, such as a provider's error in a
// string.
func (e *envelope) message(s string, nesting int) {
	if mayHoldJSON(s) {
		e.readText(s, nesting+1)
		return
	}
	e.write(s)
}

func mayHoldJSON(s string) bool { return strings.Contains(s, "{") }

// code reads m[key], which may be a code.
//
//   - An HTTP status is stored in e.status.
//   - Any other value is added to e.line.
//   - A value that looks like a code is also added to e.codes.
func (e *envelope) code(m map[string]any, key string) {
	var s string
	switch v := m[key].(type) {
	case string:
		s = strings.TrimSpace(v)
	case json.Number:
		s = v.String()
		if name := rpcName(m, s); name != "" {
			s = name
		}
	default:
		return
	}
	if s == "" || strings.HasPrefix(s, "type.googleapis.com/") || saysNothing(s) {
		return
	}
	if status, ok := ruleset.StatusCode(s); ok {
		if e.status == 0 {
			e.status = status
		}
		return
	}
	if !isCode(s) {
		e.join(": ", s) // "reason": "Data too large"
		return
	}
	if strings.EqualFold(key, "name") && !strings.HasSuffix(s, "Error") && !strings.HasSuffix(s, "Exception") {
		return // not the name of an error
	}
	if len(e.codes) < bodyCodeWords {
		e.codes = append(e.codes, s)
	}
	if isNumber := strings.Trim(s, "-0123456789") == ""; isNumber {
		s = "code: " + s
	}
	e.join(" ", s)
}

// saysNothing reports whether a type or status is too general, such as "error".
func saysNothing(s string) bool {
	switch s {
	case "error", "Error", "ERROR", "fail", "failed", "failure", "Failure", "about:blank", "text":
		return true
	}
	return false
}

// isCode reports whether s looks like a code and not like prose.
func isCode(s string) bool {
	return s != "" && len(s) <= 128 && !strings.ContainsAny(s, " \t\n{")
}

// join appends s to e.line, after the separator sep if e.line is not empty.
func (e *envelope) join(sep, s string) {
	switch {
	case s == "" || len(e.line) > collect.MaxBody:
		return
	case len(e.line) > 0:
		e.line = append(e.line, sep...)
	}
	e.line = append(e.line, s...)
}

// saysError reports whether an object is marked as an error, for example by
// "type":"error" or isError.
func saysError(m map[string]any) bool {
	return m["type"] == "error" || m["object"] == "error" || m["isError"] == true || m["success"] == false
}

// waitText returns a waiting time as a text that rules recognise: "retryDelay: 5s;".
// A google.protobuf.Duration may be an object with the key seconds.
func waitText(key string, value any) string {
	switch v := value.(type) {
	case string:
		return key + ": " + v + ";"
	case json.Number:
		return key + ": " + v.String() + ";"
	case map[string]any:
		switch s := v["seconds"].(type) {
		case string:
			return key + ": " + s + "s;"
		case json.Number:
			return key + ": " + s.String() + "s;"
		}
	}
	return ""
}
