package chain

import (
	"strings"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/signal"
)

// bareLines are lines of a failed child's stderr that say no more than this. In
// other texts these words are too vague: "rate limit" may be a setting.
var bareLines = map[string]signal.Reason{
	"rate limit":              signal.ReasonRateLimit,
	"rate limits":             signal.ReasonRateLimit,
	"rate-limit":              signal.ReasonRateLimit,
	"ratelimit":               signal.ReasonRateLimit,
	"rate limit error":        signal.ReasonRateLimit,
	"authentication":          signal.ReasonAuthentication,
	"authentication error":    signal.ReasonAuthentication,
	"authentication required": signal.ReasonAuthentication,
}

// readBareLines adds a signal for the last bare line in the end of a child's stderr.
func readBareLines(q *collect.Inquiry, end string) {
	for rest := end; rest != ""; {
		i := strings.LastIndexByte(rest, '\n')
		if reason, ok := bareLines[bareLine(rest[i+1:])]; ok {
			q.Add(signal.Of("exec/bare-line", reason, signal.Phrase))
			return
		}
		rest = rest[:max(i, 0)]
	}
}

// bareLine returns a line without what a logger or a program's name puts before
// it, in lower case: "codex: Error: rate limit." is "rate limit".
func bareLine(line string) string {
	line = strings.TrimRight(line, " \t\r.!")
	line = line[strings.LastIndexByte(line, ']')+1:]
	if i := strings.LastIndex(line, ": "); i >= 0 {
		line = line[i+2:]
	}
	if line = strings.TrimSpace(line); len(line) > 64 {
		return ""
	}
	line = strings.ToLower(line)
	for _, level := range []string{"error ", "fatal "} {
		line = strings.TrimPrefix(line, level)
	}
	return strings.TrimSpace(line)
}
