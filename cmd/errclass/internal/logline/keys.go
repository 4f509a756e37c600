package logline

import "github.com/errclass/errclass/cmd/errclass/internal/jsontop"

// The keys that a log line gets.
const (
	CategoryKey = "error.category"
	ReasonKey   = "error.reason"
)

// key numbers the top-level keys that a log line is looked at for.
type key uint8

const (
	// How bad it is.
	keyLevel key = iota
	keySeverity
	keyLvl
	keyPriority // journald
	// What the program said; the first that has a text counts.
	keyMsg
	keyMessage
	keyMESSAGE // journald
	keyLog     // container runtimes
	keyEvent   // structlog
	// What went wrong, looked at in this order and before the message.
	keyError
	keyErr
	keyExceptionMessage
	keyStderr
	// What goes with it.
	keyExceptionType
	keyStatus
	keyStatusCode
	keyHTTPStatus
	// When it was; the first that is a time counts.
	keyTime
	keyTS
	keyTimestamp
	keyAtTimestamp
	keyRealtime // journald
	// What this package adds, where the line does not have it yet.
	keyCategory
	keyReason
	keys
)

var keyNames = [keys]string{
	keyLevel: "level", keySeverity: "severity", keyLvl: "lvl", keyPriority: "PRIORITY",
	keyMsg: "msg", keyMessage: "message", keyMESSAGE: "MESSAGE", keyLog: "log", keyEvent: "event",
	keyError: "error", keyErr: "err", keyExceptionMessage: "exception.message", keyStderr: "stderr",
	keyExceptionType: "exception.type",
	keyStatus:        "status", keyStatusCode: "status_code", keyHTTPStatus: "http.response.status_code",
	keyTime: "time", keyTS: "ts", keyTimestamp: "timestamp", keyAtTimestamp: "@timestamp", keyRealtime: "__REALTIME_TIMESTAMP",
	keyCategory: CategoryKey, keyReason: ReasonKey,
}

// keysOfLength lists the keys by the length of their names: most keys of a log
// line are told from all of these by their length or one comparison.
var keysOfLength = func() (byLength [26][]key) {
	for k, name := range keyNames {
		byLength[len(name)] = append(byLength[len(name)], key(k))
	}
	return byLength
}()

// members holds the undecoded values of the keys of one line; nil where the
// line does not have the key. Of a key that stands twice the last one counts,
// as it does to decoders.
type members struct {
	values [keys][]byte
	end    int  // index of the closing brace
	empty  bool // the object has no members
}

// read finds the members of line; false means that it is no JSON object. The
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
