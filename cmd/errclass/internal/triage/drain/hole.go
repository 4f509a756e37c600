package drain

import (
	"strings"
	"unicode"

	"github.com/errclass/errclass/internal/ascii"
)

// nextHole returns the start and the end of the first hole in word at or after i. A
// hole is a placeholder such as <num>, <ip> or <*>. ok is false if there is no hole.
func nextHole(word string, i int) (start, end int, ok bool) {
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

// HasHole reports whether word has a hole: a placeholder such as <num>.
func HasHole(word string) bool {
	_, _, ok := nextHole(word, 0)
	return ok
}

// same reports whether two words differ only in their values, in one of these ways:
//
//   - Outside of their holes they have the same letters, such as "(<ip>)" and
//     "(<host>)", or "(<ip>)" and "()".
//   - One word is a name with a hole, and the other has a text in its place, such
//     as "org-<id>" and "org-bfcfad".
//   - Both are names with a number, such as "node-a<num>" and "eth<num>".
//   - Both end in a colon and a number, such as a port or a line number.
func same(a, b word) bool {
	switch {
	case !a.hole && !b.hole:
		return false
	case a.hole && b.hole && (numbered(a.text) && numbered(b.text) || place(a.text) && place(b.text)):
		return true
	case !b.hole && covers(a.text, b.text), !a.hole && covers(b.text, a.text):
		return true
	}
	return letters(a.text) == letters(b.text)
}

// covers reports whether the word plain has a text in place of the hole of name. For
// example, "org-bfcfad" has one in place of the hole of "org-<id>". The hole must
// follow a separator such as a hyphen. If name has several holes, the text stands
// for all between the first and the last.
func covers(name, plain string) bool {
	before, after := around(name)
	n := len(before)
	return n >= 2 && ascii.IsLetter(before[0]) && strings.IndexByte("-_#/:=.", before[n-1]) >= 0 &&
		len(plain) > n+len(after) && strings.HasPrefix(plain, before) && strings.HasSuffix(plain, after)
}

// around returns the text before the first hole of a word and the text after its
// last hole.
func around(word string) (before, after string) {
	last := 0
	for start, end, ok := nextHole(word, 0); ok; start, end, ok = nextHole(word, end) {
		if last == 0 {
			before = word[:start]
		}
		last = end
	}
	return before, word[last:]
}

// numbered reports whether word is a name in which a hole stands for a number or an
// id.
func numbered(word string) bool {
	for start, end, ok := nextHole(word, 0); ok; start, end, ok = nextHole(word, end) {
		if hole := word[start:end]; hole != "<num>" && hole != "<id>" {
			continue
		}
		if start > 0 && inName(word[start-1]) || end < len(word) && inName(word[end]) {
			return true
		}
	}
	return false
}

func inName(c byte) bool { return ascii.IsLetter(c) || c == '_' || c == '-' }

// place reports whether word ends in a number after a colon.
func place(word string) bool { return strings.HasSuffix(strings.TrimRight(word, ".,:;)]}"), ":<num>") }

// letters returns the letters of a word outside of its holes.
func letters(word string) string {
	start, end, ok := nextHole(word, 0)
	if ok && start == 0 && end == len(word) { // the most frequent case
		return ""
	}
	var b strings.Builder
	i := 0
	add := func(part string) {
		for _, r := range part {
			if unicode.IsLetter(r) {
				b.WriteRune(r)
			}
		}
	}
	for ok {
		add(word[i:start])
		i = end
		start, end, ok = nextHole(word, i)
	}
	add(word[i:])
	return b.String()
}

// joined returns a word that stands for both a and b. If the texts around their
// holes are equal, holes that differ become Any. If one word covers the other (see
// covers), Any stands for what differs. Otherwise the whole word is Any.
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
		aStart, aEnd, aOK := nextHole(a, i)
		bStart, bEnd, bOK := nextHole(b, j)
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
		if hole := a[aStart:aEnd]; hole == b[bStart:bEnd] {
			out.WriteString(hole)
		} else {
			out.WriteString(Any)
		}
		i, j = aEnd, bEnd
	}
}

// standsFor reports whether template can stand for word. template must have one
// hole, the hole Any. word must have the same text before and after this place.
func standsFor(template, word string) bool {
	before, after, ok := strings.Cut(template, Any)
	return ok && !HasHole(before) && !HasHole(after) &&
		len(word) >= len(before)+len(after) && strings.HasPrefix(word, before) && strings.HasSuffix(word, after)
}

// Part is a part of a word: a hole, or the text between holes.
type Part struct {
	Text string
	Hole bool
}

// Parts divides a word or a text at its holes.
func Parts(word string) (parts []Part) {
	i := 0
	for start, end, ok := nextHole(word, 0); ok; start, end, ok = nextHole(word, end) {
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

// Common returns the template that all texts share. The argument masked has the
// texts with holes in place of their values. If the texts have different numbers of
// words, Common returns the first text.
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
