package shapes

import (
	"bytes"
	"time"
)

// An Event is one message of a text log, including the lines of a stack trace.
type Event struct {
	Shape    *Text     // nil if the first line has no shape of [Texts], or begins a stack trace
	Severity Severity  // Error for a stack trace without a level
	Stderr   bool      // the prefix says that the event is from standard error
	Message  int       // index of the message in the first line
	Trace    bool      // the event has a stack trace
	Time     time.Time // the time in the first line; zero if unknown
}

// IsEvent reports whether the lines are an event of a log, with a level or a stack trace.
// A stack trace sets Severity too.
func (e Event) IsEvent() bool { return e.Severity != Unknown }

// Events joins the lines of a text log into events. It adds an indented line to the
// previous event. It also joins the lines of a stack trace of Java, Python, Go, Node,
// .NET or Rust. The zero value is ready for use. Events is not safe for concurrent use.
type Events struct {
	// WithoutTime leaves the times of the events unset. This saves a third of the
	// time of [Events.Add].
	WithoutTime bool

	open  bool
	event Event
	// exception is true if the name of an exception can follow on the next line.
	exception bool
	anyNext   bool // any next line belongs to the event, as the message of a panic in Rust does
	blank     bool // the last line was blank
	prefix    int  // the length of the prefix of the last line
}

// Add adds a line without a line end. Add returns true if the line belongs to the
// previous event. Otherwise the line starts a new event. [Events.Event] returns the
// event of the line.
func (s *Events) Add(line []byte) (continues bool) {
	p := readPrefix(line)
	return s.add(line, &p)
}

// AddRead is like [Events.Add], but uses the prefix that r has read. The last call of
// r.Read must have read this line, or a longer text that begins with this line. The
// call must have returned false.
func (s *Events) AddRead(r *Reader, line []byte) (continues bool) { return s.add(line, &r.prefix) }

func (s *Events) add(line []byte, p *prefix) (continues bool) {
	s.prefix = min(p.end, len(line))
	text := line[s.prefix:]
	if s.open && s.continues(text) {
		s.blank = len(bytes.TrimSpace(text)) == 0
		return true
	}
	s.start(text, p)
	return false
}

// Event returns the current event. Further lines of the event can change its fields.
func (s *Events) Event() Event { return s.event }

// End ends the current event. The next line starts a new event.
func (s *Events) End() { s.open = false }

// starts lists how the first line of a stack trace can begin if the line has no level.
var starts = []string{
	"panic: ", "fatal error: ", "Traceback (most recent call last)", "Exception in thread ", "Unhandled exception", "Unhandled Exception",
	"Uncaught ", "thread '", "SIGSEGV: ", "SIGABRT: ", "unexpected fault address",
}

// startBytes has the first bytes of lines that begin a stack trace.
var startBytes = func() (first [256]bool) {
	for _, s := range starts {
		first[s[0]] = true
	}
	return first
}()

// parts lists the beginnings of further lines of a stack trace.
var parts = []string{
	"Caused by: ", "Suppressed: ", "... ", "Traceback (most recent call last)", "During handling of the above exception", "The above exception was the direct cause",
	"goroutine ", "created by ", "[signal ", "exit status ", "--- End of ", "stack backtrace:", "> File ", "note: run with ", "panic: ", "[recovered]", "[cause]:", "Node.js v",
	"] {", "}",
}

func (s *Events) start(text []byte, p *prefix) {
	t, m := matchText(text, &p.lead)
	trace := len(text) > 0 && startBytes[text[0]] && hasPrefix(text, starts)
	if trace { // "panic: index out of range [7]" looks like a line of .NET's console
		t, m = nil, matched{}
	}
	s.event = Event{Shape: t, Severity: max(m.severity, p.severity), Stderr: p.stderr, Message: s.prefix + m.message}
	if t != nil && m.severity != Unknown {
		s.event.Severity = m.severity
	}
	if m.timeEnd > 0 && !s.WithoutTime {
		s.event.Time, _ = parseTime(text[m.timeStart:m.timeEnd], true)
	}
	s.open, s.blank = len(bytes.TrimSpace(text)) > 0, false
	s.exception, s.anyNext = true, false
	if trace {
		s.anyNext = bytes.HasPrefix(text, []byte("thread '")) && bytes.Contains(text, []byte("panicked at"))
		if s.anyNext || text[0] != 't' {
			s.traced()
		}
	}
}

// traced marks the event as one with a stack trace.
func (s *Events) traced() {
	s.event.Trace = true
	if s.event.Severity == Unknown {
		s.event.Severity = Error
	}
}

func (s *Events) continues(text []byte) bool {
	switch {
	case s.anyNext:
		s.anyNext = false
		return true
	case len(bytes.TrimSpace(text)) == 0: // between the parts of a trace
		return s.event.Trace
	case isSpace(text[0]):
		s.indented(bytes.TrimLeft(text, " \t"))
		return true
	case s.event.Severity != Error && bytes.HasPrefix(text, []byte("panic: ")):
		return false // the program has ended after the previous line
	case hasPrefix(text, parts):
		if s.event.Severity == Unknown && !s.event.Trace && (text[0] == '}' || text[0] == ']' || text[0] == '.') {
			return false
		}
		s.traced()
		s.exception = true
		return true
	case s.exception && s.event.Severity != Below && isException(text):
		s.exception = false // each list of frames has only one name
		return s.event.Shape != nil && s.event.Severity == Error || s.event.Trace
	case s.event.Severity == Error && isGoFunction(text):
		return true
	default:
		return false
	}
}

// indented processes an indented line of the event.
func (s *Events) indented(text []byte) {
	switch {
	case bytes.HasPrefix(text, []byte("at ")), bytes.HasPrefix(text, []byte(`File "`)), bytes.HasPrefix(text, []byte("^")),
		bytes.HasPrefix(text, []byte("--- End of ")), bytes.HasPrefix(text, []byte("---> ")):
		s.exception = true
		if s.event.Severity != Below {
			s.traced()
		}
	case bytes.HasPrefix(text, []byte("Level: ")): // wevtutil
		if end, severity := levelName(text, len("Level: "), false); end > 0 && s.event.Severity == Unknown {
			s.event.Severity = severity
		}
	}
}

func hasPrefix(text []byte, prefixes []string) bool {
	for _, p := range prefixes {
		if len(text) >= len(p) && string(text[:len(p)]) == p {
			return true
		}
	}
	return false
}

// longestName is the maximum length of the name of an exception or a function, in
// bytes.
const longestName = 200

// isException reports whether text is the name of an exception, alone or before a
// colon.
func isException(text []byte) bool {
	n := 0
	dots, upper := 0, false
	for n < len(text) && n < longestName && (isLetter(text[n]) || isDigit(text[n]) || text[n] == '.' || text[n] == '_' || text[n] == '$') {
		if text[n] == '.' {
			dots++
			upper = false
		} else if n == 0 || text[n-1] == '.' {
			upper = 'A' <= text[n] && text[n] <= 'Z'
		}
		n++
	}
	if n == 0 || !upper || n < len(text) && text[n] != ':' && text[n] != ' ' {
		return false
	}
	name := text[:n]
	for _, end := range []string{"Error", "Exception", "Throwable", "Interrupt", "Exit", "Fault", "Timeout", "Warning"} {
		if bytes.HasSuffix(name, []byte(end)) {
			return n == len(text) || text[n] == ':' || bytes.HasPrefix(text[n:], []byte(" ["))
		}
	}
	return dots >= 2 && (n == len(text) || text[n] == ':')
}

// isGoFunction reports whether text is a function of a Go stack trace, such as
// main.(*T).run(0x1) or main.main.
func isGoFunction(text []byte) bool {
	if len(text) > longestName {
		text = text[:longestName]
	}
	name := text
	if i := bytes.IndexByte(text, '('); i > 0 && i+1 < len(text) && text[i+1] != '*' {
		name = text[:i]
	}
	return bytes.IndexByte(name, '.') > 0 && bytes.IndexByte(name, ' ') < 0 && bytes.IndexByte(name, '=') < 0 && isLetter(name[0])
}
