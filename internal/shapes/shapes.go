// Package shapes reads log lines in the shapes (formats) that common loggers write.
//
// [Reader.Read] takes one line. It
//
//   - skips the prefix of a container runtime or a collector ([Prefixes]),
//   - finds the keys of a JSON object or of logfmt,
//   - looks up the shape that has these keys ([Table]),
//   - finds the level, the message, the errors and the status,
//   - reads the log line that a message contains.
//
// The result is a list of [Record]. A record has the level and the texts to
// classify. A record also has the index in the line at which the fields
// [CategoryKey] and [ReasonKey] can be inserted.
//
// Text lines have shapes too: see [Texts]. [Events] joins the lines of a stack
// trace. All shapes are rows of tables. To support another logger, add a row.
//
// The package uses only the standard library. The time is linear in the length of a
// line. The memory is limited: see [MaxText] and [MaxInner].
package shapes

import "github.com/errclass/errclass/internal/jsontop"

// A Shape describes the lines of one logger.
//
// A path names a member of an object. For example, "x/y" is the member y of the
// object x. The paths of the shape are tried before the paths of [Common].
type Shape struct {
	Name   string // for people: the loggers that write this shape
	Source string // a version of the logger whose output is in testdata, or documentation

	// A line has the shape if it has all keys in the list Needs. If the list Any is
	// not empty, one of these keys is also needed. If several shapes fit, the first
	// in the table is used.
	Needs, Any []string

	Levels  []Level  // a line is an error if one of these levels is error or above
	Errors  []string // errors: texts, objects with a message, or lists of these
	Message []string // the first one with a text is used
	Codes   []string // an error's code or type
	Types   []string // the type of an exception that the program itself recorded
	Stacks  []string // stack traces that can name a cause
	Status  []string // HTTP statuses
	Times   []string // the first valid one is used

	// Default is the severity of a line without a level.
	Default Severity
	// Attributes is the path of an OTLP list of keys and values. These keys are read
	// like the keys of the record itself.
	Attributes string
	// Stream is the path of a field with the value stdout or stderr.
	Stream string
	// Carrier is true if the message is a line of another logger. The level of the
	// message then takes precedence over the level of the record. If Carrier is false,
	// the message is read as a line only if it is a JSON object and the level of the
	// record is not below error.
	Carrier bool
	// Records is the path of the records, if a line has several. Each element of
	// the path is the name of a list. For example, "x/y" means a list y in each
	// item of the list x. The records have the shape [OTLPRecord].
	Records string
}

// Level is the path of a level and the scale of its values.
type Level struct {
	Path  string
	Scale *Scale
}

// Severity says whether a line is an error.
type Severity uint8

// These are the values of [Severity].
const (
	Unknown Severity = iota // the line has no level
	Below                   // the level is below error
	Error                   // the level is error or above
)

// String returns the name of s.
func (s Severity) String() string { return [...]string{"unknown", "below error", "error"}[s] }

// Form says how fields are written into a line.
type Form uint8

// These are the values of [Form].
const (
	Member    Form = iota // "key":"value" before the closing brace of an object
	Pair                  // key=value at the end of the line
	Attribute             // {"key":"…","value":{"stringValue":"…"}} in a list of OTLP
)

// MaxText is how many undecoded bytes of a text are read. From a longer text, only
// the first and the last MaxText/2 bytes are read. JSON can spell one byte as six
// bytes, such as \u0061. So the limit is a little more than six times maxRead.
const MaxText = 6*maxRead + 64

// maxRead is how many bytes of a text a classifier reads.
const maxRead = 64 << 10

// MaxInner is the maximum length of a message that is read as a log line. The unit
// is bytes.
const MaxInner = 1 << 20

// text decodes v, and reports whether v is a string. In logfmt, every value is a
// string.
func text(v []byte, logfmt bool) (string, bool) {
	s, ok := jsontop.Ends(v, MaxText)
	if ok || !logfmt {
		return s, ok
	}
	return rawText(unquoted(v)), true
}

// unquoted returns v without its quotes. If v has no quotes, it returns v.
func unquoted(v []byte) []byte {
	if n := len(v); n >= 2 && v[0] == '"' && v[n-1] == '"' {
		return v[1 : n-1]
	}
	return v
}

// rawText returns v without decoding. If v is longer than MaxText bytes, the middle
// is replaced by a line feed.
func rawText(v []byte) string {
	if len(v) <= MaxText {
		return string(v)
	}
	return string(v[:MaxText/2]) + "\n" + string(v[len(v)-MaxText/2:])
}
