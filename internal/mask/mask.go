// Package mask takes secrets out of free text: error texts, command lines,
// headers, URLs, log lines. [Text] is the entry point, [Endpoint] is for the
// names of endpoints.
//
// What happens to a text:
//
//   - One pass over its bytes looks for what announces a secret: a separator
//     after a name (password=, "api_key":), a flag (--token), an authorization
//     scheme, a URL with user information, a webhook's address, a PEM block, the
//     prefix that a provider gives to its keys. The words and prefixes are data:
//     see table.go.
//   - Long tokens that look random are masked last, wherever they stand. Ids,
//     hashes and paths, which operators need, do not count as random: see
//     entropy.go.
//   - What was found is replaced by [Masked].
//
// A word that says what is wrong with a secret stays ("token: expired"), so that
// a masked text still means the same. The cost is linear in the length of the
// text, whatever it holds: look-behinds are bounded, and the end of a value is
// computed once for all names that point into it.
//
// It is a net with a known mesh, not a proof that nothing is left: a password
// that is a plain word in a plain sentence is not told from other words.
package mask

import (
	"slices"
	"strings"
)

// Masked stands where a secret was.
const Masked = "[masked]"

// rounds limits how often a masked text is masked again until nothing changes.
// One round that changes nothing is the rule; what a mask leaves on its right may
// begin a token of its own.
const rounds = 4

// Text returns text with every secret that it recognises replaced by [Masked].
// Masking a masked text changes nothing. Safe for concurrent use.
func Text(text string) (masked string) {
	defer guard(&masked)
	return clean(text)
}

// guard is the last resort: a fault of this package costs a text its meaning, not
// the process its life. What cannot be read may be a secret, so nothing is shown.
func guard(masked *string) {
	if recover() != nil {
		*masked = Masked
	}
}

func clean(text string) string {
	for range rounds {
		masked, changed := once(text)
		if !changed {
			return text
		}
		text = masked
	}
	return text
}

// span is a part of a text that is a secret.
type span struct{ from, to int }

func once(text string) (string, bool) {
	s := scanner{text: text}
	s.scan()
	s.random()
	return s.replaced()
}

// replaced returns the text with all spans replaced, those that overlap or touch
// by one mark.
func (s *scanner) replaced() (string, bool) {
	if len(s.found) == 0 {
		return s.text, false
	}
	slices.SortFunc(s.found, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	done, changed := 0, false
	for i := 0; i < len(s.found); {
		from, to := s.found[i].from, s.found[i].to
		for i++; i < len(s.found) && s.found[i].from <= to; i++ {
			to = max(to, s.found[i].to)
		}
		changed = changed || s.text[from:to] != Masked
		b.WriteString(s.text[done:from])
		b.WriteString(Masked)
		done = to
	}
	b.WriteString(s.text[done:])
	return b.String(), changed
}
