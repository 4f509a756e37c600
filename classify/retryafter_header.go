package classify

import (
	"bytes"
	"strings"
	"time"
)

// maxResets is how many reset headers of one response are looked at; real
// responses have at most ten.
const maxResets = 16

// readHeader takes the headers of a response into account. Their names may be
// in any case: the map need not come from net/http.
func (q *inquiry) readHeader(header map[string][]string) {
	now, resets, provider := q.dated(header), 0, ""
	for name, values := range header {
		switch {
		case strings.EqualFold(name, "Retry-After"):
			for _, v := range values {
				if wait, ok := ParseRetryAfter(v, now); ok {
					q.hint.addExplicit(wait)
				}
			}
		case strings.EqualFold(name, "Retry-After-Ms"), strings.EqualFold(name, "X-Ms-Retry-After-Ms"):
			for _, v := range values {
				if ms, ok := parseNumber(strings.TrimSpace(v)); ok {
					q.hint.addExplicit(waitSeconds(ms / 1000))
				}
			}
		case strings.EqualFold(name, "X-Amzn-Errortype") && len(values) > 0:
			q.readCode(values[0])
		case resets < maxResets && len(values) > 0 && isReset(name):
			resets++
			q.readReset(header, name, now)
		}
		// Maps have no order: of two names the first in the alphabet is kept.
		if p := headerProvider(name); p != "" && (provider == "" || p < provider) {
			provider = p
		}
	}
	if q.provider == "" {
		q.provider = provider
	}
}

// dated is the time of a response: the provider's own, where a Date header
// tells it, as the two clocks may differ.
func (q *inquiry) dated(header map[string][]string) time.Time {
	now := q.time()
	for name, values := range header {
		if !strings.EqualFold(name, "Date") || len(values) == 0 {
			continue
		}
		if at, ok := parseDate(strings.TrimSpace(values[0]), now); ok {
			return at
		}
	}
	return now
}

// readReset takes a reset header into account if its limit is used up: what
// remains is 0 or not told. GitHub answers 403 to what is a rate limit; that
// nothing remains tells it from a refusal.
func (q *inquiry) readReset(header map[string][]string, name string, now time.Time) {
	remaining, told := sibling(header, name, "remaining")
	if left, ok := parseNumber(remaining); told && ok && left > 0 {
		return
	}
	if status, ok := sibling(header, name, "status"); ok && strings.HasPrefix(status, "allowed") {
		return
	}
	wait, ok := ParseRetryAfter(header[name][0], now)
	if !ok {
		return
	}
	q.hint.addDerived(wait)
	if told && q.status == 403 {
		q.add(signal{rule: "header/ratelimit-remaining", reason: ReasonRateLimit, strength: causeStrength})
	}
}

const reset = "reset"

// isReset reports whether a header tells when a rate limit opens again:
// anthropic-ratelimit-tokens-reset, x-ratelimit-reset-requests and their like.
func isReset(name string) bool {
	return cutReset(name) >= 0
}

// cutReset returns where the word reset stands in the name of a rate limit
// header, or -1.
func cutReset(name string) int {
	var space [64]byte
	if len(name) > len(space) {
		return -1
	}
	lower := space[:len(name)]
	for i := range lower {
		lower[i] = name[i]
		if 'A' <= name[i] && name[i] <= 'Z' {
			lower[i] |= 0x20
		}
	}
	if !bytes.Contains(lower, []byte("ratelimit")) && !bytes.Contains(lower, []byte("rate-limit")) {
		return -1
	}
	at := bytes.LastIndex(lower, []byte(reset))
	if at <= 0 || lower[at-1] != '-' {
		return -1
	}
	if rest := lower[at+len(reset):]; len(rest) > 0 && rest[0] != '-' {
		return -1
	}
	return at
}

// sibling finds the header that is named like the reset header name, with
// word in the place of reset.
func sibling(header map[string][]string, name, word string) (value string, ok bool) {
	at := cutReset(name)
	before, after := name[:at], name[at+len(reset):]
	if strings.EqualFold(after, "-after") { // Discord: X-RateLimit-Reset-After
		after = ""
	}
	for k, values := range header {
		if len(values) == 0 || len(k) != len(before)+len(word)+len(after) {
			continue
		}
		mid := len(before) + len(word)
		if strings.EqualFold(k[:len(before)], before) && strings.EqualFold(k[len(before):mid], word) &&
			strings.EqualFold(k[mid:], after) {
			return strings.TrimSpace(values[0]), true
		}
	}
	return "", false
}

// headerProvider names the provider whose headers are called so. Azure sends
// some of OpenAI's headers, but not this one of its organisations.
func headerProvider(name string) string {
	switch {
	case hasPrefixFold(name, "anthropic-"):
		return "anthropic"
	case strings.EqualFold(name, "openai-organization"):
		return "openai"
	}
	return ""
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
