package drain

import "strings"

// Matches reports whether a text has the given template.
func Matches(template, masked string) bool {
	want, words := strings.Fields(template), split(nil, masked)
	if len(want) != len(words) {
		return false
	}
	for i, w := range want {
		// A word of the text matches the template's word w if joining the two gives w.
		if w != Any && w != words[i].text && joined(w, words[i].text) != w {
			return false
		}
	}
	return true
}
