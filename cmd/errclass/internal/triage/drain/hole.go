package drain

import (
	"strings"
	"unicode"
)

// nextHole returns the bounds of the first hole in word at or after i: <num>, <ip>,
// <*>. ok is false if there is none.
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

func hasHole(word string) bool {
	if strings.IndexByte(word, '<') < 0 {
		return false
	}
	_, _, ok := nextHole(word, 0)
	return ok
}

// same reports whether two words differ only in their values:
//
//   - outside of their holes they have the same letters: "(<ip>)", "(<host>)", "()",
//   - both are names with a number: node-a<num>, eth<num>, or
//   - both end in a number after a colon, as a port or a line of code does.
func same(a, b word) bool {
	switch {
	case !a.hole && !b.hole:
		return false
	case a.hole && b.hole && (numbered(a.text) && numbered(b.text) || place(a.text) && place(b.text)):
		return true
	}
	return letters(a.text) == letters(b.text)
}

// numbered reports whether a hole for a number is a part of a name.
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

func inName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '-'
}

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

// joined returns a word with holes for what a and b differ in. If the text between
// their holes is the same, only the holes of different types become Any.
func joined(a, b string) string {
	var out strings.Builder
	i, j := 0, 0
	for {
		aStart, aEnd, aOK := nextHole(a, i)
		bStart, bEnd, bOK := nextHole(b, j)
		if aOK != bOK {
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

// Matches reports whether a text, whose values are replaced by holes, has the given
// template.
func Matches(template, masked string) bool {
	want, words := strings.Fields(template), split(nil, masked)
	if len(want) != len(words) {
		return false
	}
	for i, w := range want {
		// A template stands for a word if the word adds no hole to it.
		if w != Any && w != words[i].text && joined(w, words[i].text) != w {
			return false
		}
	}
	return true
}

// HasHole reports whether word has a hole.
func HasHole(word string) bool { return hasHole(word) }

// Part is a hole, or text around holes.
type Part struct {
	Text string
	Hole bool
}

// Parts divides a word at its holes.
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

// Common returns the template that all texts have, whose values are replaced by holes.
// It returns the first one if the texts have different numbers of words.
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
