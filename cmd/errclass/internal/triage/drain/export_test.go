package drain

import "strings"

// Matches reports whether a text has the given template. The argument masked is the
// text with placeholders in place of its values.
func Matches(template, masked string) bool {
	want, words := strings.Fields(template), split(nil, masked)
	if len(want) != len(words) {
		return false
	}
	for i, w := range want {
		// A word of the template matches if it stays the same when it is joined
		// with the word of the text.
		if w != Any && w != words[i].text && joined(w, words[i].text) != w {
			return false
		}
	}
	return true
}
