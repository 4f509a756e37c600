package shapes

import (
	"bytes"
	"strconv"
	"strings"
)

// A Scale says which values of a level field mean error or worse. A value is a
// name, a number, or a number in quotes.
type Scale struct {
	Name string
	// The numbers from Min to Max mean error or worse. If Max is 0, there is no
	// upper limit.
	Min, Max float64
	// Zero is true if 0 is a level. Otherwise 0 means no level.
	Zero bool
	// Names has further names of error levels, in lower case. The usual names are
	// in levelNamed.
	Names []string
	// Only is true if Names has all names of error levels. The names in levelNamed
	// then do not count.
	Only bool
}

// These are the scales of loggers.
var (
	pinoScale      = &Scale{Name: "pino", Min: 50}                                                    // 50 error, 60 fatal; bunyan too
	syslogScale    = &Scale{Name: "syslog", Max: 3, Zero: true}                                       // RFC 5424 6.2.1: 3 error … 0 emergency
	otelScale      = &Scale{Name: "OpenTelemetry", Min: 17}                                           // 17 to 20 ERROR, 21 to 24 FATAL
	monologScale   = &Scale{Name: "monolog", Min: 400}                                                // 400 ERROR … 600 EMERGENCY
	pythonScale    = &Scale{Name: "Python", Min: 40}                                                  // 40 ERROR, 50 CRITICAL
	dotnetScale    = &Scale{Name: ".NET", Min: 4, Max: 5}                                             // 4 Error, 5 Critical, 6 None
	insightsScale  = &Scale{Name: "Application Insights", Min: 3, Max: 4}                             // 3 Error, 4 Critical
	etwScale       = &Scale{Name: "ETW", Min: 1, Max: 2}                                              // 1 Critical, 2 Error
	mongoScale     = &Scale{Name: "MongoDB", Min: never, Names: []string{"f", "e"}, Only: true}       // F fatal, E error
	verbosityScale = &Scale{Name: "klog verbosity", Min: never, Zero: true, Only: true}               // klog writes a verbosity on lines that are no errors
	lambdaScale    = &Scale{Name: "Lambda status", Min: never, Names: []string{"failure", "timeout"}} // the other values are error and success
	semanticScale  = &Scale{Name: "semantic_logger index", Min: 4}                                    // 4 error, 5 fatal
)

// This number is greater than any level.
const never = 1e308

// levelNamed returns the severity of the level with this lower-case name, or
// Unknown. The names are those of common loggers, syslog, Postgres, Google Cloud
// and OpenTelemetry.
func levelNamed(name []byte) Severity {
	switch string(name) {
	case "error", "err", "erro", "severe", "fatal", "critical", "crit",
		"alert", "alrt", "emerg", "emrg", "emergency", "panic", "dpanic",
		"ftl", "pnc", "pan", "fata", "eror", "fail":
		return Error
	case "trace", "trc", "trac", "debug", "dbg", "dbug", "debu", "finest", "finer", "fine",
		"config", "info", "inf", "information", "informational", "notice", "note", "log", "success", "system",
		"warn", "wrn", "warning", "verbose", "statement", "context", "query", "detail", "hint",
		"debug1", "debug2", "debug3", "debug4", "debug5":
		return Below
	default:
		return Unknown
	}
}

const longestLevel = 16

// severity returns the severity of a level, or Unknown if v is not a level.
func (s *Scale) severity(v []byte) Severity {
	if !present(v) && (!s.Zero || !zero(v)) {
		return Unknown
	}
	v = trimLevel(v)
	if len(v) == 0 || len(v) > longestLevel {
		return Below
	}
	if c := v[0]; '0' <= c && c <= '9' {
		n, err := strconv.ParseFloat(string(v), 64) // infinite if it is out of range
		if err != nil && n == 0 {
			return Below // a text that starts with a digit
		}
		if n >= s.Min && (n <= s.Max || s.Max == 0) {
			return Error
		}
		return Below
	}
	return s.named(v)
}

// named returns the severity of a level such as "error", "ERROR+4" or "ERROR2".
func (s *Scale) named(v []byte) Severity {
	var lower [longestLevel]byte
	for i, c := range v {
		lower[i] = lowerByte(c)
	}
	n := len(v)
	for n > 0 && '0' <= lower[n-1] && lower[n-1] <= '9' {
		n--
	}
	name := bytes.TrimSuffix(lower[:n], []byte("+"))
	for _, own := range s.Names {
		if string(name) == own {
			return Error
		}
	}
	if !s.Only && levelNamed(name) == Error {
		return Error
	}
	return Below
}

// trimLevel removes the quotes and the spaces around a level.
func trimLevel(v []byte) []byte {
	for len(v) > 0 && (v[0] == '"' || v[0] == ' ') {
		v = v[1:]
	}
	for len(v) > 0 && (v[len(v)-1] == '"' || v[len(v)-1] == ' ') {
		v = v[:len(v)-1]
	}
	return v
}

// Named returns the severity of a level, such as "WARN", "error" or "ERROR2". For
// any other text, Named returns [Unknown].
func Named(level string) Severity {
	level = strings.TrimSpace(level[:min(len(level), 2*longestLevel)])
	return wordLevel(strings.TrimRight(level, "0123456789"))
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func zero(v []byte) bool { return string(v) == "0" }

// present reports whether v is a value. Null, false, zero and empty values do not
// count.
func present(v []byte) bool {
	switch len(v) {
	case 0:
		return false
	case 1:
		return v[0] != '0'
	case 2:
		return string(v) != `""` && string(v) != "[]" && string(v) != "{}"
	case 4:
		return string(v) != "null"
	case 5:
		return string(v) != "false"
	}
	return true
}
