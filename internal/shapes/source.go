package shapes

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/errclass/errclass/internal/jsontop"
)

// Source is one text of a record, with the type, code and status of the error.
type Source struct {
	Message string
	Type    string // type of an exception that the program itself recorded
	Code    string // a code or a type that another program can have set
	Status  int    // an HTTP status from 400 to 599, or 0
}

// Sources yields the texts to classify, the most specific first. The caller can stop
// after any text. The order is
//   - the errors,
//   - the errors in groups (members that are objects),
//   - the message,
//   - the stack traces.
func (rec *Record) Sources(yield func(Source) bool) {
	if rec.inner != nil && rec.Shape.Carrier && !rec.inner.sources(yield) {
		return
	}
	rec.sources(yield)
}

// sources yields the sources of the record, and reports whether to continue.
func (rec *Record) sources(yield func(Source) bool) (all bool) {
	f, c := rec.reader.fields, rec.shape
	common := Source{Status: f.httpStatus(c.status), Code: f.firstText(c.codes), Type: f.firstText(c.types)}
	s := &sourceWriter{yield: yield, logfmt: f.logfmt, left: maxSources}
	for _, p := range c.errors {
		if v := f.at(p); present(v) && !s.again(v) && !s.errorValue(v, common) {
			return false
		}
	}
	for _, v := range f.nested[:f.nNested] {
		if !s.errorValue(v, common) {
			return false
		}
	}
	for _, g := range f.groups[:f.nGroups] {
		if (!g.known || !c.leaves.has(g.key)) && !s.group(g.value, common, 0) {
			return false
		}
	}
	if (rec.inner == nil || !rec.Shape.Carrier) && !rec.messageSources(common, yield) {
		return false
	}
	for _, p := range c.stacks {
		if v := f.at(p); present(v) && !s.errorValue(v, common) {
			return false
		}
	}
	return true
}

// messageSources yields the message and the sources of JSON in the message. It
// reports whether to continue.
//   - JSON with a level is a log line. The sources of this line come first.
//   - JSON without a level might be a response body. The message comes first.
func (rec *Record) messageSources(common Source, yield func(Source) bool) (all bool) {
	isLine := rec.inner != nil && rec.inner.Severity != Unknown
	if isLine && !rec.inner.sources(yield) {
		return false
	}
	common.Message = rec.reader.fields.messageText(rec.shape.message)
	return yield(common) && (rec.inner == nil || isLine || rec.inner.sources(yield))
}

const (
	// maxSources limits the sources of a record, and the objects that are read for
	// an error.
	maxSources = 32
	// maxNested is how many levels of nested groups, and of nested causes, are read.
	maxNested = 4
)

// sourceWriter yields the sources of error fields, and of the errors in groups
// (members that are objects).
type sourceWriter struct {
	yield  func(Source) bool
	logfmt bool
	left   int      // how many more sources are yielded
	seen   [8]*byte // values that were read; a path and a group can have the same value
}

// again reports whether v was already read, and remembers v.
func (s *sourceWriter) again(v []byte) bool {
	if slices.Contains(s.seen[:], &v[0]) {
		return true
	}
	s.seen[s.left&(len(s.seen)-1)] = &v[0]
	return false
}

// out yields e, and reports whether to continue.
func (s *sourceWriter) out(e Source) bool {
	if s.left--; s.left < 0 {
		return true
	}
	return s.yield(e)
}

// errorValue yields the sources of a text, an object or a list of objects. Any
// other list is one source, and the JSON text of the list is its message.
func (s *sourceWriter) errorValue(v []byte, e Source) bool {
	if t, ok := text(v, s.logfmt); ok {
		e.Message = t
		return s.out(e)
	}
	if v[0] != '{' && v[0] != '[' {
		return s.out(e)
	}
	var c causes
	if !c.read(v, 0) {
		e.Message = rawText(v)
		return s.out(e)
	}
	e.Message, e.Status = c.message(), cmp.Or(e.Status, c.status)
	if e.Message == "" {
		e.Message = rawText(v)
	}
	e.Code = cmp.Or(c.code, c.kind, e.Code)
	if !s.out(e) {
		return false
	}
	for _, stack := range c.stacks[:c.nStacks] {
		if t := firstText(stack); t != "" && t != e.Message && !s.out(Source{Message: t, Status: e.Status}) {
			return false
		}
	}
	return true
}

// causes has the texts of an error and its causes, the outermost first.
type causes struct {
	messages []string
	size     int    // the length of all messages
	code     string // the outermost code, such as ECONNREFUSED
	kind     string // the type of the innermost cause, which is the most specific
	status   int
	stacks   [4][]byte
	nStacks  int
	objects  int
}

// maxCauses is how many items of an error list are read.
const maxCauses = 8

// read adds an error object or a list of these. For any other value it returns
// false.
func (c *causes) read(v []byte, depth int) bool {
	if depth > maxNested || c.objects >= maxSources {
		return true
	}
	switch v[0] {
	case '{':
		c.object(v, depth)
		return true
	case '[':
		n, objects := 0, true
		var items [maxCauses][]byte
		jsontop.Array(v, func(item []byte) {
			objects = objects && item[0] == '{'
			if n < maxCauses {
				items[n] = item
				n++
			}
		})
		if n == 0 || !objects {
			return false
		}
		for _, item := range items[:n] {
			c.object(item, depth)
		}
		return true
	default:
		return false
	}
}

// object adds the texts of an error object and its causes. If a key repeats, the
// last value counts.
func (c *causes) object(v []byte, depth int) {
	c.objects++
	var message, kind, code, stack, cause []byte
	jsontop.Object(v, func(name, value []byte) {
		switch string(name) {
		case "message", "msg", "errmsg", "errorMessage", "exception_message", "exc_value", "value":
			message = value
		case "type", "name", "class", "className", "exc_type", "errorType", "exception_class", "exceptionType", "codeName":
			kind = value
		case "code":
			code = value
			c.status = cmp.Or(c.status, httpStatus(value))
		case "stack", "stacktrace", "stack_trace", "stackTrace", "extendedStackTrace", "traceback", "backtrace":
			stack = value
		case "status", "statusCode", "status_code":
			c.status = cmp.Or(c.status, httpStatus(value))
		case "cause", "caused_by", "previous", "inner", "innerException", "errors", "aggregateErrors", "suppressed":
			cause = value
		}
	})
	c.add(firstText(message, stack))
	c.code = cmp.Or(c.code, firstText(code))
	c.kind = cmp.Or(firstText(kind), c.kind)
	if present(stack) && c.nStacks < len(c.stacks) {
		c.stacks[c.nStacks] = stack
		c.nStacks++
	}
	if present(cause) && !c.read(cause, depth+1) {
		c.add(firstText(cause))
	}
}

// add adds a message, unless the previous message contains it. The total is limited
// to about MaxText bytes.
func (c *causes) add(message string) {
	if message == "" || c.size > MaxText || len(c.messages) > 0 && strings.Contains(c.messages[len(c.messages)-1], message) {
		return
	}
	c.size += len(message)
	c.messages = append(c.messages, message)
}

func (c *causes) message() string { return strings.Join(c.messages, ": ") }

// group yields the errors in an object and in nested objects, and reports whether
// to continue.
func (s *sourceWriter) group(v []byte, common Source, depth int) bool {
	more := true
	jsontop.Object(v, func(name, value []byte) {
		if !more || s.left <= 0 {
			return
		}
		switch {
		case isErrorName(name):
			if present(value) && !s.again(value) {
				more = s.errorValue(value, common)
			}
		case value[0] == '{' && depth < maxNested:
			more = s.group(value, common, depth+1)
		}
	})
	return more
}

// isErrorName reports whether a member with this name holds an error.
func isErrorName(name []byte) bool {
	switch string(name) {
	case "error", "err", "exception", "exc_info", "thrown", "throwable", "cause", "stderr", "exception.message", "error.message":
		return true
	}
	return false
}

// firstText returns the first value that is a non-empty string.
func firstText(values ...[]byte) string {
	for _, v := range values {
		if t, _ := jsontop.Ends(v, MaxText); t != "" {
			return t
		}
	}
	return ""
}

func (f *fields) firstText(paths []path) string {
	for _, p := range paths {
		if v := f.at(p); len(v) > 0 {
			if t, _ := text(v, f.logfmt); t != "" {
				return t
			}
		}
	}
	return ""
}

// messageText returns the first text that one of the paths leads to, or "".
func (f *fields) messageText(paths []path) string {
	for _, p := range paths {
		v := f.at(p)
		if !present(v) {
			continue
		}
		if v[0] == '{' {
			v = anyValue(v)
		}
		if t, ok := text(v, f.logfmt); ok {
			return t
		}
		switch {
		case len(v) == 0:
		case v[0] == '[':
			if t, ok := byteNumbers(v, maxRead); ok {
				return t
			}
			return rawText(v)
		case v[0] == '{':
			return rawText(v)
		}
	}
	return ""
}

// httpStatus returns the first status from 400 to 599 at one of the paths, or 0.
func (f *fields) httpStatus(paths []path) int {
	for _, p := range paths {
		if n := httpStatus(f.at(p)); n != 0 {
			return n
		}
	}
	return 0
}

// httpStatus returns v as a number from 400 to 599. For any other value, it returns
// 0.
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
