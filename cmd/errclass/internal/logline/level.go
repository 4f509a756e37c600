package logline

import (
	"bytes"
	"strconv"
)

// errorLevels holds the names of levels at error or above, in lower case, of
// slog, zap, zerolog, logrus, log4j and logback, java.util.logging, Python,
// syslog, Google Cloud and OpenTelemetry.
var errorLevels = map[string]bool{
	"error": true, "err": true, "severe": true, "fatal": true, "critical": true, "crit": true,
	"alert": true, "emerg": true, "emergency": true, "panic": true, "dpanic": true,
}

const (
	longestLevel = 16
	pinoError    = 50 // pino and bunyan: 50 error, 60 fatal
	syslogError  = 3  // RFC 5424 6.2.1: 3 error, 2 critical, 1 alert, 0 emergency
)

// level reports whether one of the line's levels is error or above. known is false
// if the line has no level.
func (m *members) level() (isError, known bool) {
	for _, k := range [...]key{keyLevel, keySeverity, keyLvl} {
		if v := m.values[k]; present(v) {
			known = true
			isError = isError || isErrorLevel(v)
		}
	}
	if v := m.values[keyPriority]; present(v) || string(v) == "0" { // 0 is an emergency
		known = true
		if len(v) <= longestLevel {
			n, err := strconv.ParseUint(string(bytes.Trim(v, `"`)), 10, 8)
			isError = isError || err == nil && n <= syslogError
		}
	}
	return isError, known
}

// present reports whether v has a value. Null, false, zero and an empty string,
// array or object count as no value.
func present(v []byte) bool {
	switch string(v) {
	case "", "null", `""`, "false", "0", "[]", "{}":
		return false
	default:
		return true
	}
}

// isErrorLevel reports whether a level is error or above. The level is a number or
// a name. A name may end in a number, for example slog's ERROR+4 and
// OpenTelemetry's ERROR2.
func isErrorLevel(v []byte) bool {
	v = bytes.Trim(v, `" `)
	if len(v) == 0 || len(v) > longestLevel {
		return false
	}
	if c := v[0]; '0' <= c && c <= '9' {
		n, _ := strconv.ParseFloat(string(v), 64) // 0 if it is not a number, infinite if it is out of range
		return n >= pinoError
	}
	var lower [longestLevel]byte
	for i, c := range v {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	n := len(v)
	for n > 0 && '0' <= lower[n-1] && lower[n-1] <= '9' {
		n--
	}
	return errorLevels[string(bytes.TrimSuffix(lower[:n], []byte("+")))]
}
