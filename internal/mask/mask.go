// Package mask removes secrets from free text: error texts, command lines, headers,
// URLs and log lines. [Text] is the entry point. [Endpoint] is for the names of
// endpoints.
//
// What happens to a text:
//
//   - One pass searches for the text around secrets: a separator after a name
//     (password=, "api_key":), a flag (--token), an authorization scheme, a program
//     or a protocol command that takes a password, a function with a secret among
//     its arguments, a sentence about a password or a code, a map of secrets, a URL
//     with user information, a webhook, a PEM block, or a prefix of a provider's
//     keys. Words, prefixes, programs and functions are data: see table.go,
//     prefixes.go, command_table.go and call.go.
//   - Another pass searches for long tokens that look random. It does not mask ids,
//     hashes and paths, because operators need these: see entropy.go.
//   - [Masked] replaces each secret.
//
// A word that describes a problem ("token: expired") is not masked, so that a masked
// text keeps its meaning. The cost is linear in the length of a text: the package
// reads back only a limited number of bytes, and caches the result of reading ahead. A
// text without a secret is returned without an allocation.
//
// Masking is not complete: a password that is an ordinary word in an ordinary English
// sentence is not masked.
package mask

import (
	"slices"
	"strings"
)

// Masked replaces a secret.
const Masked = "[masked]"

// rounds is how often Text masks a text. Text stops earlier when the text no longer
// changes, usually in the second round. The second round can find a secret that
// follows a secret of the first.
const rounds = 4

// Text replaces each secret that it finds in text by [Masked]. Masking the
// result again changes nothing. Text is safe for concurrent use.
func Text(text string) (masked string) {
	defer guard(&masked)
	return clean(text)
}

// guard recovers from a panic. It sets the whole result to [Masked], because any
// part of the text might be a secret.
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

// span is the position of a secret in a text.
type span struct{ from, to int }

func once(text string) (string, bool) {
	s := scanner{text: text}
	s.scan()
	s.random()
	return s.replaced()
}

// replaced returns the text with each secret replaced by [Masked], and reports whether
// the text has changed. Secrets that overlap or touch become one.
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
