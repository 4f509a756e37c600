package chain

import (
	"strings"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/signal"
)

// bareLines maps whole lines on the stderr of a failed child process to reasons.
// Elsewhere the words are too vague: "rate limit" can be a setting.
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

// readBareLines adds the signal of the last line of stderr that is in bareLines.
func readBareLines(q *collect.Inquiry, stderr string) {
	for rest := stderr; rest != ""; {
		i := strings.LastIndexByte(rest, '\n')
		if reason, ok := bareLines[bareLine(rest[i+1:])]; ok {
			q.Add(signal.Of("exec/bare-line", reason, signal.Phrase))
			return
		}
		rest = rest[:max(i, 0)]
	}
}

// bareLine returns a line in lower case without prefixes: "codex: Error: rate
// limit." -> "rate limit".
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
