package supervise

import (
	"regexp"
	"strings"
)

// Masked stands where a secret was.
const Masked = "[masked]"

// secret is one form in which secrets occur. The group named value is what is
// masked; without sure, it has to look like a secret too, for "Bearer
// authentication failed" and "token: expired" say what went wrong.
type secret struct {
	pattern *regexp.Regexp
	sure    bool
}

// secrets is a small table on purpose: what programs print when they fail, not
// what may be in a repository. The prefixes are those that providers document
// for their keys.
var secrets = [...]secret{
	{regexp.MustCompile(`(?s)(?P<value>-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z))`), true},
	{regexp.MustCompile(`\b(?P<value>(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}|gh[opsur]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{8,}|xai-\w{16,}|gsk_\w{16,}|hf_\w{16,}|npm_\w{16,}|AIza[\w-]{16,}|A[KS]IA[0-9A-Z]{12,}|ya29\.[\w.-]{8,})`), true},
	{regexp.MustCompile(`\b(?P<value>eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)`), true}, // a JSON web token
	{regexp.MustCompile(`://[^\s/:@]*:(?P<value>[^\s/@]+)@`), true},
	{regexp.MustCompile(`(?i)\b(?:bearer|basic)[ :]+(?P<value>[\w.~+/=-]{6,})`), false},
	{regexp.MustCompile(`(?i)(?:password|passwd|passphrase|pwd)["']?=["']?(?P<value>[^\s"',;&]+)`), true},
	{regexp.MustCompile(`(?i)(?:password|passwd|passphrase|pwd|key|token|secret|authorization|credentials?|signature|cookie)["']?\s?[=:]\s?["']?(?P<value>[^\s"',;&]+)`), false},
}

// MaskSecrets replaces what looks like a secret by [Masked]: keys by the prefixes
// that providers give them (sk-..., ghp_..., AIza...), tokens after "Bearer",
// values after key=, token:, password= and their like, passwords in URLs, JSON
// web tokens and private keys. Words that say what is wrong with a secret stay
// ("token: expired"), so that the text can still be classified. It is a net with
// a known mesh, not a proof that nothing is left.
func MaskSecrets(text string) string {
	for _, s := range secrets {
		text = s.mask(text)
	}
	return text
}

func (s *secret) mask(text string) string {
	group := s.pattern.SubexpIndex("value")
	var b strings.Builder
	done := 0
	for _, at := range s.pattern.FindAllStringSubmatchIndex(text, -1) {
		start, end := at[2*group], at[2*group+1]
		value := text[start:end]
		if value == Masked || !s.sure && !looksSecret(value) {
			continue
		}
		b.WriteString(text[done:start])
		b.WriteString(Masked)
		done = end
	}
	b.WriteString(text[done:])
	return b.String()
}

// looksSecret reports whether a value is not a plain word: it has a digit, is
// longer than words are, or mixes capitals into lower case.
func looksSecret(value string) bool {
	const longWord = 20 // "unauthenticated", "misconfigured"
	if len(value) > longWord || strings.ContainsAny(value, "0123456789") {
		return true
	}
	rest := strings.TrimLeft(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	capitals := len(value) - len(rest)
	return capitals <= 1 && strings.ContainsAny(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
