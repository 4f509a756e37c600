package fingerprint

import "github.com/errclass/errclass/internal/ascii"

// These are the holes of a template: the placeholders that replace values.
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

// byteSet is a union of sets of bytes. A byte may be in several sets.
type byteSet uint32

const (
	inAtom         byteSet = 1 << iota // continues a token of words: a host, an e-mail address, an id
	inPath                             // continues a path
	inURL                              // continues a URL
	inValue                            // continues a value after key=
	inKey                              // continues the key of a JSON object
	hexByte                            // a hexadecimal digit
	ending                             // ends a sentence or closes a bracket: not the end of a path or a URL
	beginsHostWord                     // begins a word that may announce a host: see hostAfter
	beginsDateWord                     // begins a weekday or a month
	endsCodeWord                       // ends a word that may announce a code: see isCode
	small                              // a small ASCII letter
	capital                            // a capital ASCII letter
	decimal                            // an ASCII digit
	slash
	backslash
	dot
	atSign
	plusSign

	alnum = small | capital | decimal
)

var (
	kinds [256]kind
	sets  [256]byteSet
)

func init() {
	for i := range 256 {
		c := byte(i)
		switch {
		case ascii.IsDigit(c):
			kinds[c], sets[c] = digit, decimal|hexByte
		case 'a' <= c && c <= 'z':
			kinds[c], sets[c] = letter, small
		case 'A' <= c && c <= 'Z':
			kinds[c], sets[c] = letter, capital
		case c <= ' ' || c == 0x7f:
			kinds[c] = space
		}
		if isAlnum(c) {
			sets[c] |= inAtom | inKey
		}
		if isAlnum(c) || c >= 0x80 {
			sets[c] |= inPath | inURL | inValue
		}
	}
	add := func(bytes string, set byteSet) {
		for i := range len(bytes) {
			sets[bytes[i]] |= set
		}
	}
	add("abcdefABCDEF", hexByte)
	add("_-.$", inKey)
	add("tuhlAE", beginsHostWord)
	add("ADFJMNOSTW", beginsDateWord)
	add("eoprsEOPRS", endsCodeWord)
	add("/", slash)
	add(`\`, backslash)
	add(".", dot)
	add("@", atSign)
	add("+", plusSign)
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

func isAlnum(c byte) bool { return sets[c]&alnum != 0 }

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
