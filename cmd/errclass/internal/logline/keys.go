package logline

import "github.com/errclass/errclass/internal/jsontop"

// The keys that [Annotator.Annotate] adds to a line.
const (
	CategoryKey = "error.category"
	ReasonKey   = "error.reason"
)

// key is a top-level key of a log line that this package reads.
type key uint8

const (
	// Levels.
	keyLevel key = iota
	keySeverity
	keyLvl
	keyPriority // journald
	// Messages. The first key with a text is used.
	keyMsg
	keyMessage
	keyMESSAGE // journald
	keyLog     // container runtimes
	keyEvent   // structlog
	// Errors. They are classified in this order, before the message.
	keyError
	keyErr
	keyExceptionMessage
	keyStderr
	// Details of the error.
	keyExceptionType
	keyStatus
	keyStatusCode
	keyHTTPStatus
	// Times. The first valid one is used.
	keyTime
	keyTS
	keyTimestamp
	keyAtTimestamp
	keyRealtime // journald
	// Keys that this package adds if a line lacks them.
	keyCategory
	keyReason
	keyCount
)

var keyNames = [keyCount]string{
	keyLevel: "level", keySeverity: "severity", keyLvl: "lvl", keyPriority: "PRIORITY",
	keyMsg: "msg", keyMessage: "message", keyMESSAGE: "MESSAGE", keyLog: "log", keyEvent: "event",
	keyError: "error", keyErr: "err", keyExceptionMessage: "exception.message", keyStderr: "stderr",
	keyExceptionType: "exception.type",
	keyStatus:        "status", keyStatusCode: "status_code", keyHTTPStatus: "http.response.status_code",
	keyTime: "time", keyTS: "ts", keyTimestamp: "timestamp", keyAtTimestamp: "@timestamp", keyRealtime: "__REALTIME_TIMESTAMP",
	keyCategory: CategoryKey, keyReason: ReasonKey,
}

// keysOfLength lists the keys by the length of their names. Most other keys of a
// log line are rejected by their length, or by one comparison.
var keysOfLength = func() (byLength [26][]key) {
	for k, name := range keyNames {
		byLength[len(name)] = append(byLength[len(name)], key(k))
	}
	return byLength
}()

// members holds the undecoded values of the keys of one line, nil for a missing
// key. Of a repeated key the last value counts, as in encoding/json.
type members struct {
	values [keyCount][]byte
	end    int  // index of the closing brace
	empty  bool // the object has no members
}

// read finds the members of line. It reports whether line is a JSON object. The
// values point into line.
func (m *members) read(line []byte) bool {
	clear(m.values[:])
	m.empty = true
	end, ok := jsontop.Object(line, func(name, value []byte) {
		m.empty = false
		if len(name) >= len(keysOfLength) {
			return
		}
		for _, k := range keysOfLength[len(name)] {
			if string(name) == keyNames[k] {
				m.values[k] = value
				return
			}
		}
	})
	m.end = end
	return ok
}
