package fingerprint

import "github.com/errclass/errclass/internal/ascii"

// These are the holes of a template.
const (
	holeNum      = "<num>"
	holeSize     = "<size>"
	holeDuration = "<duration>"
	holeTime     = "<time>"
	holeID       = "<id>"
	holeIP       = "<ip>"
	holeHost     = "<host>"
	holeEmail    = "<email>"
	holeURL      = "<url>"
	holePath     = "<path>"
	holeStr      = "<str>"
)

// kind is the class of a byte. It determines what the scanner does with the byte.
type kind uint8

const (
	plain   kind = iota // copied
	letter              // starts or continues a word
	digit               // starts or continues a number or an id
	space               // white space and control characters
	special             // may start a value: see scanner.special
	quote               // may open a quoted value
)

// These are sets of bytes. A byte may be in several sets.
const (
	inAtom  = 1 << iota // continues a token of words: a host, an e-mail address, an id
	inPath              // continues a path
	inURL               // continues a URL
	inValue             // continues a value after key=
	hexByte             // a hexadecimal digit
	ending              // ends a sentence or closes a bracket: not the end of a path or a URL
)

var (
	kinds [256]kind
	sets  [256]uint8
)

func init() {
	for i := range 256 {
		c := byte(i)
		switch {
		case ascii.IsLetter(c):
			kinds[c] = letter
		case ascii.IsDigit(c):
			kinds[c] = digit
		case c <= ' ' || c == 0x7f:
			kinds[c] = space
			continue
		}
		if c >= 0x80 || isAlnum(c) {
			sets[c] |= inPath | inURL | inValue
		}
		if isAlnum(c) {
			sets[c] |= inAtom
		}
		if ascii.IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' {
			sets[c] |= hexByte
		}
	}
	add := func(bytes string, set uint8) {
		for i := range len(bytes) {
			sets[bytes[i]] |= set
		}
	}
	add(`_-.+/\@~%$`, inAtom)
	add(`_-.+/\@~%$?&=#*!;`, inPath)
	add(`_-.+/@~%$?&=#*!;,:()[]{}|^`, inURL)
	add(`_-.+/\@~%$?=#*!:^([{`, inValue)
	add(`.,;:!?)]}|-`, ending)
	for _, c := range []byte("=:-+./~\\{}") {
		kinds[c] = special
	}
	for _, c := range []byte("\"'`\xe2\xc2") {
		kinds[c] = quote
	}
}

func isAlnum(c byte) bool { return ascii.IsLetter(c) || ascii.IsDigit(c) }

// isDuration reports whether a unit measures time.
func isDuration(unit string) bool {
	switch unit {
	case "ns", "us", "µs", "μs", "ms", "s", "m", "h", "d", "sec", "secs", "msec", "msecs", "usec", "min", "mins", "hr", "hrs":
		return true
	}
	return isLongDuration(unit)
}

// isLongDuration reports whether a unit after a space measures time. It does not
// accept m, h and d, because a single letter after a space may be something else.
func isLongDuration(unit string) bool {
	switch unit {
	case "ns", "us", "µs", "μs", "ms", "s", "sec", "secs", "msec", "min", "mins",
		"nanosecond", "nanoseconds", "microsecond", "microseconds", "millisecond", "milliseconds", "second", "seconds",
		"minute", "minutes", "hour", "hours", "day", "days", "week", "weeks":
		return true
	}
	return false
}

// isSize reports whether a unit measures bytes.
func isSize(unit string) bool {
	switch unit {
	case "B", "b", "k", "K", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti":
		return true
	}
	return isLongSize(unit)
}

// isLongSize reports whether a unit after a space measures bytes.
func isLongSize(unit string) bool {
	switch unit {
	case "kB", "KB", "kb", "MB", "mb", "GB", "gb", "TB", "tb", "PB", "KiB", "MiB", "GiB", "TiB", "PiB", "byte", "bytes":
		return true
	}
	return false
}

// isTopLevel reports whether a label is a known last label of host names, such
// as com. The list leaves out labels that often end other names, such as names
// of files or packages.
func isTopLevel(label string) bool {
	switch label {
	case "ai", "app", "arpa", "at", "au", "be", "biz", "br", "ca", "ch", "cloud", "cn", "co", "com", "consul", "corp", "cz",
		"de", "dev", "dk", "edu", "es", "eu", "fi", "fr", "gov", "ie", "in", "info", "internal", "invalid", "io", "it", "jp",
		"kr", "lan", "local", "localdomain", "mil", "mx", "net", "nl", "no", "org", "pl", "pt", "ru", "se", "svc", "test",
		"tv", "uk", "us", "xyz":
		return true
	}
	return false
}
