package mask

import "strings"

// opening is the quotation mark with which a value begins.
type opening struct {
	n     int    // length including backslashes, or 0 if there is no quote
	char  byte   // " ' or `; 0 for any other quotation mark
	level int    // number of backslashes; a string within a string has more
	text  string // any other quotation mark: &quot; %22 \u0022
}

// spelledQuotes are typographic quotation marks, and spellings of quotation marks in
// HTML, URLs and JSON.
var spelledQuotes = []string{"&quot;", "&#34;", "&#39;", "&apos;", "%22", "%27", "%5C%22", "%5c%22", `\u0022`, `\u0027`, `\x22`, `\x27`, "“", "”", "‘", "’", "«"}

// mostBackslashes is how many backslashes before a quotation mark are read.
const mostBackslashes = 15

// opens returns the quotation mark at the beginning of text. If there is none, the
// field n of the result is 0.
func opens(text string) opening {
	if text == "" {
		return opening{}
	}
	if n := shellQuote(text); n > 0 {
		return opening{n: n, text: text[:n]}
	}
	if k := backslashes(text); k < len(text) && class[text[k]]&quote != 0 {
		return opening{n: k + 1, char: text[k], level: k}
	}
	if c := text[0]; c != '&' && c != '%' && c != '\\' && c != 0xE2 && c != 0xC2 {
		return opening{}
	}
	for _, q := range spelledQuotes {
		if strings.HasPrefix(text, q) {
			return opening{n: len(q), text: q}
		}
	}
	return opening{}
}

// shellQuote returns the length of the quote at the beginning of text, or 0. The quote is
// one that a shell reads as a single quote within single quotes:
//
//	'\''  '"'"'
//
// In a string, it has more backslashes. A second such quote must follow.
func shellQuote(text string) int {
	if text[0] != '\'' {
		return 0
	}
	k := backslashes(text[1:])
	n := 1 + k + len(`''`)
	if n > len(text) {
		return 0
	}
	switch text[1+k : n] {
	case `''`:
		if k == 0 {
			return 0
		}
	case `"'`:
		if !strings.HasPrefix(text[n:], text[1:n]) {
			return 0
		}
		n += n - 1
	default:
		return 0
	}
	if !strings.Contains(head(text[n:]), text[:n]) {
		return 0
	}
	return n
}

// backslashes counts the backslashes at the beginning of text.
func backslashes(text string) int {
	n := 0
	for n < len(text) && n < mostBackslashes && text[n] == '\\' {
		n++
	}
	return n
}

// closes returns the length of the quotation mark at the end of text, including the
// backslashes before the mark. It returns 0 if there is none.
func closes(text string) int {
	n := len(text)
	if n == 0 {
		return 0
	}
	if class[text[n-1]]&quote != 0 {
		k := 1
		for k < n && k <= mostBackslashes && text[n-1-k] == '\\' {
			k++
		}
		return k
	}
	if c := text[n-1]; c != ';' && c != '2' && c != '7' && (c < 0x80 || n < 3 || text[n-3] != 0xE2 && text[n-2] != 0xC2) {
		return 0
	}
	for _, q := range spelledQuotes {
		if strings.HasSuffix(text, q) {
			return len(q)
		}
	}
	return 0
}

// quotedEnd returns the end of the quoted value that begins at i, after the opening
// quote q. A value without a closing quote ends at the end of the line.
func (s *scanner) quotedEnd(q opening, i int) int {
	e := &s.quoted[quoteIndex(q)]
	if end, ok := e.known(i); ok {
		return end
	}
	for j := i; j < len(s.text); j++ {
		switch c := s.text[j]; {
		case c == '\n':
			return e.keep(i, j)
		case q.text != "":
			if c == q.text[0] && strings.HasPrefix(s.text[j:], closing(q.text)) {
				return e.keep(i, j)
			}
		case c == q.char:
			k := 0
			for j-k > i && k <= mostBackslashes && s.text[j-k-1] == '\\' {
				k++
			}
			// The string ends at a quote that has as many backslashes as q, or fewer. A
			// quote with more backslashes belongs to a string within this string.
			if k <= q.level && (q.level > 0 || k == 0) || q.level == 0 && k%2 == 0 {
				return e.keep(i, j-min(k, q.level))
			}
		}
	}
	return e.keep(i, len(s.text))
}

// closing returns the quotation mark that closes q. q is one of spelledQuotes.
func closing(q string) string {
	switch q {
	case "“":
		return "”"
	case "‘":
		return "’"
	case "«":
		return "»"
	}
	return q
}

// quoteKinds is the number of different results of quoteIndex.
const quoteKinds = 3*4 + 1

// quoteIndex returns the index in scanner.quoted for a quote's character and level (the
// number of backslashes before the quote). All levels from 3 on share an index. For these
// levels, quotedEnd can return the end of another value on the same line.
func quoteIndex(q opening) int {
	switch level := min(q.level, 3); q.char {
	case '"':
		return level
	case '\'':
		return 4 + level
	case '`':
		return 8 + level
	}
	return quoteKinds - 1
}
