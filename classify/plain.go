package classify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A terminal's colours, a non-breaking space or a doubled one change nothing of
// what a text says. The standard rules see texts without them. A user's rules
// see the text as it is, and this form of it.

// maxPlain is the length beyond which a text is read as it is. Only a classifier
// without a limit, or with a large one, reads such texts: it must not copy them.
const maxPlain = 1 << 20

// plainText returns text as a reader sees it: without the escape sequences of
// terminals and invisible characters, with ordinary spaces.
func plainText(text string) string {
	if len(text) > maxPlain {
		return text
	}
	for i := range len(text) {
		if mayBeOdd[text[i]] {
			s := splicer{text: text}
			eachOdd(text, s.replace)
			text, _ = s.result()
			return text
		}
	}
	return text
}

// singleSpaced returns text with one space where several, or tabs, stand in a
// line.
func singleSpaced(text string) string {
	if len(text) > maxPlain || strings.IndexByte(text, '\t') < 0 && !strings.Contains(text, "  ") {
		return text
	}
	s := splicer{text: text}
	eachGap(text, s.replace)
	text, _ = s.result()
	return text
}

// eachGap finds the runs of blanks that are more than one space.
func eachGap(text string, found func(start, end int, with string)) {
	for i := 0; i < len(text); i++ {
		if text[i] != ' ' && text[i] != '\t' {
			continue
		}
		start := i
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		if text[start:i] != " " {
			found(start, i, " ")
		}
	}
}

// spellings are how logs write characters that a reader does not see, or sees
// as a space, in ASCII. The longest stand first.
var spellings = [...]struct{ text, with string }{
	{`\u00a0`, " "}, {`\u202f`, " "}, {`\u200b`, ""}, {`\ufeff`, ""}, {`&nbsp;`, " "}, {`\xa0`, " "},
}

// escapes are the spellings of the character ESC before a sequence: itself, of
// JSON, C, the shell, cat -v and rsyslog. The last is ESC and "[" in one.
var escapes = [...]string{"\x1b", `\u001b`, `\x1b`, `\033`, `\e`, "^[", "#033", "\u009b"}

// mayBeOdd are the bytes that begin what eachOdd finds, or may do so.
var mayBeOdd = func() (odd [256]bool) {
	for _, s := range spellings {
		odd[s.text[0]] = true
	}
	for _, s := range escapes {
		odd[s[0]] = true
	}
	for b := utf8.RuneSelf; b < len(odd); b++ {
		odd[b] = true
	}
	odd['\v'], odd['\f'] = true, true
	return odd
}()

// eachOdd finds escape sequences, odd spaces and invisible characters.
func eachOdd(text string, found func(start, end int, with string)) {
	stop := -1 // where the terminator of a string sequence stands that was looked for last
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case !mayBeOdd[c]:
			i++
			continue
		case c == '\v', c == '\f':
			found(i, i+1, " ")
			i++
			continue
		}
		size, with := spelled(text[i:])
		if size == 0 {
			size, with = sequence(text, i, &stop)
		}
		if size > 0 {
			found(i, i+size, with)
			i += size
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r < utf8.RuneSelf || r == utf8.RuneError:
		case unicode.Is(unicode.Zs, r):
			found(i, i+size, " ")
		case unicode.In(r, unicode.Zl, unicode.Zp):
			found(i, i+size, "\n")
		case unicode.Is(unicode.Cf, r):
			found(i, i+size, "")
		}
		i += size
	}
}

// spelled measures the spelling that s begins with; 0 where it begins with none.
func spelled(s string) (size int, with string) {
	for _, known := range spellings {
		if hasPrefixFold(s, known.text) {
			return len(known.text), known.with
		}
	}
	return 0, ""
}

// sequence measures the escape sequence (ECMA-48) at a place of text; 0 where
// there is none. One that moves the cursor reads as a space. stop is kept
// between the calls for one text.
func sequence(text string, at int, stop *int) (size int, with string) {
	s := text[at:]
	for _, esc := range escapes {
		if !hasPrefixFold(s, esc) {
			continue
		}
		n := len(esc)
		if esc == "\u009b" {
			return n + controlLength(s[n:]), ""
		}
		if n == len(s) {
			break
		}
		if s[n] == '[' {
			if size := controlLength(s[n+1:]); size > 0 {
				n += 1 + size
				if strings.IndexByte("mKhl", s[n-1]) < 0 { // colours, the rest of a line, modes
					with = " "
				}
				return n, with
			}
		}
		if s[0] != '\x1b' {
			return 0, "" // ASCII that only looks like ESC
		}
		if strings.IndexByte("]P^_X", s[n]) >= 0 { // a title or a link, up to BEL or ESC \
			return stringLength(text, at, n+1, stop), ""
		}
		return n + shortLength(s[n:]), ""
	}
	return 0, ""
}

// shortLength measures what follows ESC in a sequence of two or three bytes: a
// character set, or what a terminal does with its cursor and keys. A letter may
// as well be text.
func shortLength(s string) int {
	switch {
	case len(s) > 0 && '0' <= s[0] && s[0] <= '?':
		return 1
	case len(s) > 1 && strings.IndexByte("()*+#% ", s[0]) >= 0:
		return 2
	}
	return 0
}

// controlLength measures the parameters and the final byte of a control
// sequence; 0 where s begins with none.
func controlLength(s string) int {
	const longest = 32
	for i := range min(len(s), longest) {
		switch c := s[i]; {
		case '@' <= c && c <= '~':
			return i + 1
		case c < ' ' || c > '?':
			return 0
		}
	}
	return 0
}

// stringLength measures a string sequence whose introducer has the given size;
// it is the introducer alone where no terminator follows within a few lines.
func stringLength(text string, at, size int, stop *int) int {
	const longest = 4 << 10
	from := at + size
	if *stop < from {
		*stop = len(text)
		if i := strings.IndexAny(text[from:], "\a\x1b"); i >= 0 {
			*stop = from + i
		}
	}
	end := *stop
	switch {
	case end == len(text) || end-at > longest:
		return size
	case text[end] == '\a':
		end++
	case strings.HasPrefix(text[end:], "\x1b\\"):
		end += len("\x1b\\")
	}
	return end - at
}
