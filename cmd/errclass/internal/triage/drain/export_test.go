package drain

import "strings"

// Matches reports whether a text has the given template. In the argument masked,
// holes must already have replaced the values of the text.
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
