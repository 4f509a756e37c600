package mask

// Classes of bytes.
const (
	lower uint16 = 1 << iota
	upper
	digit
	hexa
	dash     // - _
	dot      // .
	base64   // + /
	space    // and control characters
	quote    // " ' `
	closer   // ) ] }
	stop     // ends an unquoted value: ; & < > |
	tail     // punctuation that can end a sentence
	percent  // = % ~ $ !
	nonASCII // a byte of a non-ASCII character
	alnum    = lower | upper | digit
	wordly   = alnum | dash
)

// class[b] has the classes of byte b, as bits.
var class = func() (t [256]uint16) {
	set := func(bytes string, c uint16) {
		for i := range len(bytes) {
			t[bytes[i]] |= c
		}
	}
	for c := range 0x21 {
		t[c] |= space
	}
	t[0x7f] |= space
	set("abcdefghijklmnopqrstuvwxyz", lower)
	set("ABCDEFGHIJKLMNOPQRSTUVWXYZ", upper)
	set("0123456789", digit)
	set("0123456789abcdefABCDEF", hexa)
	set("-_", dash)
	set(".", dot)
	set("+/", base64)
	set("\"'`", quote)
	set(")]}", closer)
	set(";&<>|", stop)
	set(".:!?,;", tail)
	set("=%~$!", percent)
	for c := 0x80; c < len(t); c++ {
		t[c] |= nonASCII
	}
	return t
}()

// all reports whether each byte of text is in one of the classes.
func all(text string, classes uint16) bool {
	for i := range len(text) {
		if class[text[i]]&classes == 0 {
			return false
		}
	}
	return true
}

// classes returns every class that at least one byte of text has, as bits.
func classes(text string) (all uint16) {
	for i := range len(text) {
		all |= class[text[i]]
	}
	return all
}
