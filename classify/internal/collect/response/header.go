package response

import (
	"bytes"
	"strings"
	"time"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/hint"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/internal/ascii"
)

// MaxHeaders limits how many headers of one response are read. Real responses have
// at most twelve relevant ones.
const MaxHeaders = 24

// headerKind is the meaning of a header. The smallest kind is read first.
type headerKind uint8

const (
	noHeader headerKind = iota
	dateHeader
	waitHeader
	waitMsHeader
	typeHeader
	resetHeader
)

func kindOfHeader(name string) headerKind {
	switch {
	case strings.EqualFold(name, "Date"):
		return dateHeader
	case strings.EqualFold(name, "Retry-After"):
		return waitHeader
	case strings.EqualFold(name, "Retry-After-Ms"), strings.EqualFold(name, "X-Ms-Retry-After-Ms"):
		return waitMsHeader
	case strings.EqualFold(name, "X-Amzn-Errortype"):
		return typeHeader
	case isReset(name):
		return resetHeader
	}
	return noHeader
}

// knownHeaders are looked up by name if a response has too many headers.
var knownHeaders = [...]string{
	"Date", "date", "Retry-After", "retry-after", "Retry-After-Ms", "retry-after-ms", "X-Ms-Retry-After-Ms", "x-ms-retry-after-ms",
	"X-Amzn-Errortype", "x-amzn-errortype", "Openai-Organization", "Anthropic-Organization-Id",
}

// headers is a set of relevant headers of a response, sorted by kind and name.
type headers struct {
	names    [MaxHeaders]string
	kinds    [MaxHeaders]headerKind
	n        int
	lost     int
	provider string // the alphabetically first provider that a header identifies
}

// add inserts the name of a header, if it is relevant.
func (h *headers) add(name string) {
	if p := headerProvider(name); p != "" && (h.provider == "" || p < h.provider) {
		h.provider = p
	}
	kind := kindOfHeader(name)
	if kind == noHeader {
		return
	}
	at := h.n
	for at > 0 && (kind < h.kinds[at-1] || kind == h.kinds[at-1] && name < h.names[at-1]) {
		at--
	}
	if h.n == MaxHeaders {
		h.lost++
	} else {
		h.n++
	}
	if at < h.n {
		copy(h.names[at+1:h.n], h.names[at:])
		copy(h.kinds[at+1:h.n], h.kinds[at:])
		h.names[at], h.kinds[at] = name, kind
	}
}

// ReadHeader reads the headers of a response. It ignores the case of their names. If
// there are too many headers, it looks up only the names in knownHeaders.
func ReadHeader(q *collect.Inquiry, status int, header map[string][]string) {
	var all headers
	if q.Budget.Spend(collect.HeaderNames, len(header)) {
		for name := range header {
			all.add(name)
		}
	} else {
		q.Lose(collect.HeaderNames, len(header))
		for _, name := range knownHeaders {
			if _, ok := header[name]; ok {
				all.add(name)
			}
		}
	}
	q.Lose(collect.HeaderNames, all.lost)
	now, dated := q.Now(), false
	for i, name := range all.names[:all.n] {
		kind := all.kinds[i]
		for _, value := range valuesOf(q, header[name], kind) {
			if len(value) > hint.LongestHeader {
				q.Lose(collect.HeaderValues, 1)
				continue
			}
			value = strings.TrimSpace(value)
			switch kind {
			case dateHeader:
				// Use the provider's clock, which may differ from ours.
				if at, ok := hint.ParseDate(value, now); ok && !dated {
					now, dated = at, true
				}
			case waitHeader:
				if wait, ok := hint.ParseRetryAfter(value, now); ok {
					q.Hint.AddExplicit(wait)
				}
			case waitMsHeader:
				if ms, ok := hint.ParseNumber(value); ok {
					q.Hint.AddExplicit(hint.WaitSeconds(ms / 1000))
				}
			case typeHeader:
				ReadName(q, value)
			case resetHeader:
				readReset(q, status, header, name, value, now)
			}
		}
	}
	if q.Provider == "" {
		q.Provider = all.provider
	}
}

// valuesOf returns those values of a header that are read. For a header with a waiting
// time, these are all values that the budget allows. For any other header, only the
// first value is read.
func valuesOf(q *collect.Inquiry, values []string, kind headerKind) []string {
	most := 1
	if kind == waitHeader || kind == waitMsHeader {
		most = len(values)
	}
	n := min(len(values), most, q.Budget.Left[collect.HeaderValues])
	q.Budget.Left[collect.HeaderValues] -= n
	if n < most {
		q.Lose(collect.HeaderValues, min(len(values), most)-n)
	}
	return values[:n]
}

// readReset reads a header that says when a rate limit resets. If calls remain, it
// ignores the header. If the status is 403 and no calls remain, the error is a rate
// limit. GitHub reports rate limits in this way.
func readReset(q *collect.Inquiry, status int, header map[string][]string, name, value string, now time.Time) {
	remaining, told := sibling(header, name, "remaining")
	if left, ok := hint.ParseNumber(remaining); told && ok && left > 0 {
		return
	}
	if status, ok := sibling(header, name, "status"); ok && strings.HasPrefix(status, "allowed") {
		return
	}
	wait, ok := hint.ParseRetryAfter(value, now)
	if !ok {
		return
	}
	q.Hint.AddDerived(wait)
	if told && status == 403 {
		q.Add(signal.Of("header/ratelimit-remaining", signal.ReasonRateLimit, signal.Cause))
	}
}

const reset = "reset"

// isReset reports whether a header says when a rate limit resets, such as
// x-ratelimit-reset-requests.
func isReset(name string) bool {
	return cutReset(name) >= 0
}

// cutReset returns the index of "reset" in the name of a rate limit header, or -1.
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

// sibling returns the value of another header of the same rate limit. The name of that
// header is resetName with replacement in place of "reset", as in X-RateLimit-Remaining.
func sibling(header map[string][]string, resetName, replacement string) (value string, ok bool) {
	at := cutReset(resetName)
	before, after := resetName[:at], resetName[at+len(reset):]
	if strings.EqualFold(after, "-after") { // Discord: X-RateLimit-Reset-After
		after = ""
	}
	for k, values := range header {
		if len(values) == 0 || len(k) != len(before)+len(replacement)+len(after) {
			continue
		}
		mid := len(before) + len(replacement)
		if strings.EqualFold(k[:len(before)], before) && strings.EqualFold(k[len(before):mid], replacement) &&
			strings.EqualFold(k[mid:], after) {
			if len(values[0]) > hint.LongestHeader {
				return "", true
			}
			return strings.TrimSpace(values[0]), true
		}
	}
	return "", false
}

// headerProvider returns the provider that a header name identifies, or "". Azure
// also sends OpenAI's headers, except openai-organization.
func headerProvider(name string) string {
	switch {
	case ascii.HasPrefixFold(name, "anthropic-"):
		return "anthropic"
	case strings.EqualFold(name, "openai-organization"):
		return "openai"
	}
	return ""
}
