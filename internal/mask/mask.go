// Package mask removes secrets from free text: error texts, command lines, headers,
// URLs and log lines. [Text] is the entry point. [Name] and [Endpoint] are for names:
// they keep different secrets apart.
//
// One pass searches for the text around secrets:
//
//   - a separator after a name (password=, "api_key":),
//   - an element of XML with a name (<password>, <entry key="password">),
//   - a flag (--token) or an authorization scheme,
//   - a program or a protocol command that takes a password,
//   - a function with a secret among the arguments,
//   - a sentence about a password or a code,
//   - a map of secrets,
//   - a URL with user information, or a webhook,
//   - a PEM block, or a prefix of a provider's keys.
//
// Words, prefixes, programs and functions are data. See table.go, prefixes.go,
// command_table.go and call.go.
//
// Another pass searches for long tokens that look random. It does not mask ids,
// hashes and paths, because operators need these. See entropy.go.
//
// [Masked] replaces each secret. A word that describes a problem ("token: expired")
// stays.
//
// The cost is linear in the length of a text. A text without a secret is returned
// without an allocation.
//
// Masking is not complete. A password that is an ordinary word in an English
// sentence is not masked.
package mask

import (
	"slices"
	"strings"
)

// Masked replaces a secret.
const Masked = "[masked]"

// rounds is the maximum number of times that Text searches a text. When a secret has been
// replaced, the next search can find another secret after it.
const rounds = 4

// Text replaces each secret that it finds in text by [Masked]. Masking the result
// again changes nothing. Text is safe for concurrent use.
func Text(text string) (masked string) {
	defer guard(&masked)
	return clean(text)
}

// guard recovers from a panic. Then the whole result is [Masked].
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

// replaced returns the text without secrets, and whether the text has changed. Secrets
// that touch or overlap are replaced by a single [Masked].
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
