package fingerprint

import "github.com/errclass/errclass/internal/ascii"

// These are the placeholders that replace values.
const (
	placeholderNum      = "<num>"
	placeholderSize     = "<size>"
	placeholderDuration = "<duration>"
	placeholderTime     = "<time>"
	placeholderID       = "<id>"
	placeholderIP       = "<ip>"
	placeholderHost     = "<host>"
	placeholderEmail    = "<email>"
	placeholderURL      = "<url>"
	placeholderPath     = "<path>"
	placeholderStr      = "<str>"
)

// kind is a class of bytes. It determines what the scanner does at such a byte.
type kind uint8

const (
	plain   kind = iota // copied
	letter              // starts or continues a word
	digit               // starts or continues a number or an id
	space               // white space and control characters
	special             // may start a value: see the method special
	quote               // may open a quoted value
)

// byteSet has one bit for each set of bytes. A byte may be in several sets.
type byteSet uint32

const (
	inAtom         byteSet = 1 << iota // continues an atom, such as a host name: see the method atom
	inPath                             // continues a path
	inURL                              // continues a URL
	inValue                            // continues a value after key=
	inKey                              // continues the key of a JSON object
	hexByte                            // a hexadecimal digit
	ending                             // at the end of a value, punctuation that does not belong to the value: see trim
	beginsHostWord                     // begins a word before a host name: see hostAfter
	beginsDateWord                     // begins a weekday or a month
	endsCodeWord                       // ends a word before an error code: see isCode
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

// isDuration reports whether unit, directly after a number, is a unit of time.
func isDuration(unit string) bool {
	switch unit {
	case "ns", "us", "µs", "μs", "ms", "s", "m", "h", "d", "sec", "secs", "msec", "msecs", "usec", "min", "mins", "hr", "hrs":
		return true
	}
	return isLongDuration(unit)
}

// isLongDuration reports whether unit, after a number and a space, is a unit of
// time. For m, h and d, it returns false.
func isLongDuration(unit string) bool {
	switch unit {
	case "ns", "us", "µs", "μs", "ms", "s", "sec", "secs", "msec", "min", "mins",
		"nanosecond", "nanoseconds", "microsecond", "microseconds", "millisecond", "milliseconds", "second", "seconds",
		"minute", "minutes", "hour", "hours", "day", "days", "week", "weeks":
		return true
	}
	return false
}

// isSize reports whether unit, directly after a number, is a unit of size.
func isSize(unit string) bool {
	switch unit {
	case "B", "b", "k", "K", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti":
		return true
	}
	return isLongSize(unit)
}

// isLongSize reports whether unit, after a number and a space, is a unit of size.
func isLongSize(unit string) bool {
	switch unit {
	case "kB", "KB", "kb", "MB", "mb", "GB", "gb", "TB", "tb", "PB", "KiB", "MiB", "GiB", "TiB", "PiB", "byte", "bytes":
		return true
	}
	return false
}

// isTopLevel reports whether label is a common last label of host names, such as
// com. It returns false for labels that are also common ends of file names.
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
