package shapes

import "bytes"

// Logfmt is the shape of lines such as `key=value key="a value"`. The line must
// consist of such pairs. The line must have a level or an error.
var Logfmt = Shape{
	Name: "logfmt", Source: "log/slog TextHandler of Go 1.26; github.com/sirupsen/logrus v1.10.2 TextFormatter; structlog 22.3.0 LogfmtRenderer",
	Levels:  []Level{{"level", pinoScale}, {"at", pinoScale}}, // at: Heroku's router
	Errors:  []string{"error", "err", "exception"},
	Message: []string{"msg", "message", "event", "desc"},
	Codes:   []string{"code"},
	Times:   []string{"time", "ts", "timestamp"},
}

// logfmt visits the record of line. For a line that is not logfmt, it returns
// false.
func (r *Reader) logfmt(line []byte, visit func(*Record)) bool {
	start, end := r.prefix.end, lineEnd(line)
	if start >= end || !r.fields.pairs(line[start:end]) {
		return false
	}
	c := &r.set.logfmt
	rec := &r.record
	*rec = Record{Shape: c.Shape, shape: c, reader: r, At: end, Form: Pair, Stderr: r.prefix.stderr}
	rec.Severity = r.fields.severity(c.levels)
	if rec.Severity == Unknown && !rec.HasError() {
		return false
	}
	r.finish(r.prefix.severity, visit)
	return true
}

// lineEnd returns the length of line without its line end.
func lineEnd(line []byte) int {
	return len(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")))
}

// pairs reports whether the line consists of two or more pairs, and reads them. The
// pairs of category and reason do not count, because errclass can have added them.
func (f *fields) pairs(line []byte) bool {
	f.reset()
	f.logfmt = true
	n := 0
	for i := 0; ; {
		for i < len(line) && line[i] == ' ' {
			i++
		}
		if i == len(line) {
			return n >= 2
		}
		start := i
		for i < len(line) && keyByte(line[i]) {
			i++
		}
		if i == start || i == len(line) || line[i] != '=' {
			return false
		}
		name := line[start:i]
		start = i + 1
		if i = pairValue(line, start); i < 0 {
			return false
		}
		f.pair(name, line[start:i])
		if string(name) != CategoryKey && string(name) != ReasonKey {
			n++
		}
	}
}

func (f *fields) pair(name, value []byte) {
	if k, ok := f.lookup(name); ok {
		f.seen.set(k)
		f.values[k] = value
		return
	}
	// slog writes the names of the groups before the key, separated by dots.
	if i := bytes.LastIndexByte(name, '.'); i > 0 && isErrorName(name[i+1:]) && present(value) && f.nNested < maxGroups {
		f.nested[f.nNested] = value
		f.nNested++
	}
}

// keyByte reports whether c can be part of a key.
func keyByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-' || c == '/' || c == '@'
}

// pairValue returns the index after the value at i. If the closing quote is missing
// or text follows it, the index is -1.
func pairValue(line []byte, i int) int {
	if i == len(line) || line[i] != '"' {
		for i < len(line) && line[i] != ' ' {
			i++
		}
		return i
	}
	for i++; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			if i+1 < len(line) && line[i+1] != ' ' {
				return -1
			}
			return i + 1
		}
	}
	return -1
}
