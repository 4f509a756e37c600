package endtoend

import (
	"strings"

	"pgregory.net/rapid"
)

// source makes the random choices of a builder.
type source interface {
	// pick returns a number from 0 to n-1. If no input is left, pick returns 0. For 0,
	// the builder returns an error that wraps nothing, so that building ends.
	pick(n int) int
	text() string
}

// fragments are texts that matter to a classifier.
var fragments = []string{
	"", "boom", " ", "\n", ": ", "; ", "; last attempt 2: ", "attempt 1: ", "last error: ", "caused by: ",
	"HTTP 429 Too Many Requests", "HTTP 503", "status code: 401", "500 Internal Server Error",
	"connection reset by peer", "dial tcp: lookup x: no such host", "context canceled", "context deadline exceeded",
	"ECONNRESET", "AbortError", "Client.Timeout exceeded while awaiting headers", "EOF",
	"rpc error: code = Unavailable desc = ", "rpc error: code = DeadlineExceeded desc = ", "insufficient_quota", "invalid api key",
	`{"error":{"type":"rate_limit_error","code":"context.Canceled","message":"`, `"}}`, `{"message":"{\"error\":401}"}`,
	"<Error><Code>SlowDown</Code></Error>", "retry after 5s", "try again in 1.2s", "Please wait 99999999999999999999 seconds",
	"\n  at a.B(C:1)", "\n   at A.B.C() in C:\\a.cs:line 1 --- ", "\ngoroutine 1 [running]:\nmain.main()\n\t/x/main.go:3 +0x1",
	"\nTraceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n", "\x1b[31m", "\u00a0", "\xff\xfe", "\x00", "é日😀",
}

// maxText limits the length of a text, in bytes. A classifier reads only part of a text
// of this length.
const maxText = 200_000

// bytesSource makes its choices from the input of a fuzzer.
type bytesSource struct{ data []byte }

func (s *bytesSource) pick(n int) int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % n
}

func (s *bytesSource) text() string {
	var b strings.Builder
	for range s.pick(4) + 1 {
		if s.pick(4) == 0 {
			n := min(s.pick(64), len(s.data))
			b.Write(s.data[:n])
			s.data = s.data[n:]
		} else {
			b.WriteString(fragments[s.pick(len(fragments))])
		}
	}
	return repeated(b.String(), s)
}

// rapidSource makes its choices with package rapid, which shrinks a failing case.
type rapidSource struct{ t *rapid.T }

func (s rapidSource) pick(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "pick") }

func (s rapidSource) text() string {
	parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(fragments), rapid.String()), 1, 4).Draw(s.t, "text")
	return repeated(strings.Join(parts, ""), s)
}

// repeated returns text or, in one of 16 cases, several copies of it.
func repeated(text string, s source) string {
	if text == "" || s.pick(16) != 1 {
		return text
	}
	return strings.Repeat(text, maxText>>s.pick(8)/len(text)+1)
}
