package drain

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/errclass/errclass/internal/ascii"
)

// nextPlaceholder finds the first placeholder in word at or after i.
func nextPlaceholder(word string, i int) (start, end int, ok bool) {
	for {
		open := strings.IndexByte(word[i:], '<')
		if open < 0 {
			return 0, 0, false
		}
		start = i + open
		end = start + 1
		for end < len(word) && ('a' <= word[end] && word[end] <= 'z' || word[end] == '*') {
			end++
		}
		if end < len(word) && word[end] == '>' && end > start+1 {
			return start, end + 1, true
		}
		i = start + 1
	}
}

// HasPlaceholder reports whether word has a placeholder, such as <num>.
func HasPlaceholder(word string) bool {
	_, _, ok := nextPlaceholder(word, 0)
	return ok
}

// same reports whether two words differ only in their values, as in these pairs:
//
//   - "(<ip>)" and "(<host>)": the letters outside of placeholders are equal.
//   - "org-<id>" and "org-bfcfad": a text replaces the placeholder.
//   - "node-a<num>" and "eth<num>": both are names with a number.
//   - "db:<num>" and "main.go:<num>": both end in a colon and a number.
func same(a, b word) bool {
	switch {
	case !a.placeholder && !b.placeholder:
		return false
	case a.placeholder && b.placeholder && (numbered(a.text) && numbered(b.text) || endsInNumber(a.text) && endsInNumber(b.text)):
		return true
	case !b.placeholder && covers(a.text, b.text), !a.placeholder && covers(b.text, a.text):
		return true
	}
	return sameLetters(a.text, b.text)
}

// covers reports whether name can equal plain after some text replaces the placeholders
// of name. For example, "org-<id>" covers "org-bfcfad".
func covers(name, plain string) bool {
	before, after := around(name)
	n := len(before)
	return n >= 2 && ascii.IsLetter(before[0]) && strings.IndexByte("-_#/:=.", before[n-1]) >= 0 &&
		len(plain) > n+len(after) && strings.HasPrefix(plain, before) && strings.HasSuffix(plain, after)
}

// around returns the texts before the first and after the last placeholder.
func around(word string) (before, after string) {
	last := 0
	for start, end, ok := nextPlaceholder(word, 0); ok; start, end, ok = nextPlaceholder(word, end) {
		if last == 0 {
			before = word[:start]
		}
		last = end
	}
	return before, word[last:]
}

// numbered reports whether word is a name with a number or id placeholder.
func numbered(word string) bool {
	for start, end, ok := nextPlaceholder(word, 0); ok; start, end, ok = nextPlaceholder(word, end) {
		if placeholder := word[start:end]; placeholder != "<num>" && placeholder != "<id>" {
			continue
		}
		if start > 0 && inName(word[start-1]) || end < len(word) && inName(word[end]) {
			return true
		}
	}
	return false
}

func inName(c byte) bool { return ascii.IsLetter(c) || c == '_' || c == '-' }

// endsInNumber reports whether word ends in a colon and a number.
func endsInNumber(word string) bool {
	return strings.HasSuffix(strings.TrimRight(word, ".,:;)]}"), ":<num>")
}

// letters iterates over the letters of a word outside of its placeholders. The zero
// values of start and end mean that next has not been called.
type letters struct {
	word       string
	at         int // next byte to read
	start, end int // the next placeholder; without one, start is len(word)
}

// next returns the next letter, or -1 at the end.
func (l *letters) next() rune {
	if l.end == 0 {
		l.find()
	}
	for {
		if l.at == l.start && l.at < len(l.word) {
			l.at = l.end
			l.find()
			continue
		}
		if l.at >= len(l.word) {
			return -1
		}
		r, n := utf8.DecodeRuneInString(l.word[l.at:])
		l.at += n
		if unicode.IsLetter(r) {
			return r
		}
	}
}

// find sets the next placeholder.
func (l *letters) find() {
	ok := false
	if l.start, l.end, ok = nextPlaceholder(l.word, l.at); !ok {
		l.start, l.end = len(l.word), len(l.word)
	}
}

// sameLetters reports whether two words have the same letters outside of their
// placeholders.
func sameLetters(a, b string) bool {
	x, y := letters{word: a}, letters{word: b}
	for {
		switch l := x.next(); {
		case l != y.next():
			return false
		case l < 0:
			return true
		}
	}
}

// joined returns a word that stands for both a and b:
//
//   - If only placeholders differ, these become Any.
//   - If one word covers the other, the text that differs becomes Any.
//   - In all other cases, the whole word becomes Any.
func joined(a, b string) string {
	switch {
	case standsFor(a, b):
		return a
	case standsFor(b, a):
		return b
	}
	var out strings.Builder
	i, j := 0, 0
	for {
		aStart, aEnd, aOK := nextPlaceholder(a, i)
		bStart, bEnd, bOK := nextPlaceholder(b, j)
		switch {
		case aOK == bOK:
		case i == 0 && aOK && covers(a, b):
			before, after := around(a)
			return before + Any + after
		case i == 0 && bOK && covers(b, a):
			before, after := around(b)
			return before + Any + after
		default:
			return Any
		}
		if !aOK {
			if a[i:] != b[j:] {
				return Any
			}
			return out.String() + a[i:]
		}
		if a[i:aStart] != b[j:bStart] {
			return Any
		}
		out.WriteString(a[i:aStart])
		if placeholder := a[aStart:aEnd]; placeholder == b[bStart:bEnd] {
			out.WriteString(placeholder)
		} else {
			out.WriteString(Any)
		}
		i, j = aEnd, bEnd
	}
}

// standsFor reports whether template can equal word after some text replaces Any.
func standsFor(template, word string) bool {
	before, after, ok := strings.Cut(template, Any)
	return ok && !HasPlaceholder(before) && !HasPlaceholder(after) &&
		len(word) >= len(before)+len(after) && strings.HasPrefix(word, before) && strings.HasSuffix(word, after)
}

// Part is a part of a word: a placeholder, or the text between placeholders.
type Part struct {
	Text        string
	Placeholder bool // Text is a placeholder
}

// Parts divides a word or a text at its placeholders.
func Parts(word string) (parts []Part) {
	i := 0
	for start, end, ok := nextPlaceholder(word, 0); ok; start, end, ok = nextPlaceholder(word, end) {
		if start > i {
			parts = append(parts, Part{word[i:start], false})
		}
		parts = append(parts, Part{word[start:end], true})
		i = end
	}
	if i < len(word) {
		parts = append(parts, Part{word[i:], false})
	}
	return parts
}

// Common returns a template that matches all the given texts. The texts must be masked:
// their values are replaced by placeholders such as <num>. If the numbers of words differ,
// Common returns the first text.
func Common(masked []string) string {
	if len(masked) == 0 {
		return ""
	}
	c := Cluster[struct{}]{words: split(nil, masked[0])}
	for _, m := range masked[1:] {
		words := split(nil, m)
		if len(words) != len(c.words) {
			return strings.Join(strings.Fields(masked[0]), " ")
		}
		generalize(c.words, words)
	}
	return c.Template()
}
