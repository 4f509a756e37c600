package ruleset

import (
	"strings"

	"github.com/errclass/errclass/classify/internal/standard"
	"github.com/errclass/errclass/internal/ascii"
)

// These are the prefixes of the ids of rules that name a status or a provider.
const (
	statusPrefix   = "http/"
	nearPrefix     = "http-near/"
	providerPrefix = "provider/"
)

// ruleProvider returns the provider in a rule id such as "provider/openai", as an
// index in standard.Providers. For other ids it returns 0.
func ruleProvider(id string) int {
	name, ok := strings.CutPrefix(id, providerPrefix)
	if !ok {
		return 0
	}
	for i, known := range standard.Providers {
		if i > 0 && name == known {
			return i
		}
	}
	return 0
}

// Provider returns the provider that the matched rules name, as an index in
// standard.Providers. A rule with the id "provider/x" names provider x. If there is
// not exactly one provider, the result is 0.
func (s *Set) Provider(matched []uint64) (provider int) {
	for w, providers := range s.providers {
		if matched[w]&providers == 0 {
			continue
		}
		for i := w * 64; i < min(w*64+64, len(s.Rules)); i++ {
			if p := ruleProvider(s.Rules[i].ID); p != 0 && HasBit(matched, i) {
				if provider != 0 {
					return 0
				}
				provider = p
			}
		}
	}
	return provider
}

// Status returns the HTTP status that the matched rules name, or 0. If they name
// several statuses, the first in text is returned.
func (s *Set) Status(matched []uint64, text string) int {
	phrase := false // a rule about the phrase of a status, such as "Not Found"
	var codes [8]int
	n := 0
	for w, about := range s.AboutHTTP {
		if matched[w]&about == 0 {
			continue
		}
		for i := w * 64; i < min(w*64+64, len(s.Rules)); i++ {
			if !HasBit(matched, i) || !HasBit(s.AboutHTTP, i) || s.vetoed(matched, i) {
				continue
			}
			if status := int(s.Rules[i].Status); status == 0 {
				phrase = true
			} else if n < len(codes) {
				codes[n] = status
				n++
			}
		}
	}
	if n == 1 {
		return codes[0]
	}
	if n == 0 && !phrase {
		return 0
	}
	if at := statusAt(text, codes[:n]); at >= 0 {
		status, _ := StatusCode(text[at : at+3])
		return status
	}
	return 0
}

// statusAt returns the offset of the first number in text that is an element of codes,
// or -1. If codes is empty, statusAt finds the first HTTP status from 400 to 599 that a
// word follows, as in "404 Not Found".
func statusAt(text string, codes []int) int {
	for i := 0; i+3 <= len(text); i++ {
		if text[i] != '4' && text[i] != '5' {
			continue
		}
		size := ascii.Digits(text[i:])
		status, ok := StatusCode(text[i : i+size])
		if i > 0 && (ascii.IsDigit(text[i-1]) || ascii.IsLetter(text[i-1]) || text[i-1] == '.') {
			ok = false
		}
		at, rest := i, text[i+size:]
		i += size - 1
		if !ok {
			continue
		}
		for _, code := range codes {
			if code == status {
				return at
			}
		}
		if len(codes) > 0 {
			continue
		}
		if words := strings.TrimLeft(rest, " ():-"); len(rest)-len(words) > 0 && len(rest)-len(words) <= 3 && words != "" && ascii.IsLetter(words[0]) {
			return at
		}
	}
	return -1
}

// StatusCode parses an HTTP status from 400 to 599.
func StatusCode(s string) (status int, ok bool) {
	if len(s) != 3 || s[0] != '4' && s[0] != '5' || !ascii.IsDigit(s[1]) || !ascii.IsDigit(s[2]) {
		return 0, false
	}
	return int(s[0]-'0')*100 + int(s[1]-'0')*10 + int(s[2]-'0'), true
}
