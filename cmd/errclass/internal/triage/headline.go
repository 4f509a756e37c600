package triage

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxHeadline limits how many bytes of a text are used for grouping.
const maxHeadline = 4 << 10

// headline returns the text of an event without the frames of stack traces. It keeps the
// indentation of lines, by which secrets in YAML are recognised.
func headline(text string) string {
	if strings.IndexByte(text, '\x1b') >= 0 {
		text = colours.ReplaceAllString(text, "")
	}
	text = strings.TrimSpace(text)
	if strings.IndexByte(text, '\n') < 0 {
		return shortenedWords(text, maxHeadline)
	}
	trace := hasTrace(text)
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if trace && endsHeadline(trimmed) {
			break
		}
		if trimmed == "" || trace && isFrame(line, trimmed) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight(line, " \t\r"))
		if b.Len() > maxHeadline {
			break
		}
	}
	return shortenedWords(b.String(), maxHeadline)
}

// colours matches the escape sequences that colour text on a terminal.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// traceMarks are texts that occur in stack traces of various languages.
var traceMarks = []string{"\n\tat ", "\n   at ", "\n    at ", "Traceback (most recent call last)", "\ngoroutine ", "\n\t/", "stack backtrace:", "\n\tfrom ", "\n#0 "}

func hasTrace(text string) bool {
	for _, mark := range traceMarks {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// endsHeadline reports whether a line begins the stack frames at the end of a text.
func endsHeadline(trimmed string) bool {
	return strings.HasPrefix(trimmed, "goroutine ") || strings.HasPrefix(trimmed, "stack backtrace:") || strings.HasPrefix(trimmed, "#0 ")
}

// isFrame reports whether a line belongs to a stack frame.
func isFrame(line, trimmed string) bool {
	return line[0] == ' ' || line[0] == '\t' || strings.HasPrefix(trimmed, "at ") || strings.HasPrefix(trimmed, "... ") || strings.HasPrefix(trimmed, "--- End of ") ||
		trimmed == "}" || strings.HasPrefix(trimmed, "created by ")
}

// cut returns at most the first limit bytes of text. It does not split a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return strings.Clone(text[:limit]) // frees the rest
}

// endsWord reports whether a secret usually ends before the character r.
func endsWord(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"',;(){}[]<>", r)
}

// ellipsis follows a text that was cut.
const ellipsis = "…"

// shortenedWords is like [Shortened], for a text that is not masked. It also removes the
// word at the cut, because masking might not recognise a part of a secret.
func shortenedWords(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = cut(text, limit-len(ellipsis))
	return text[:max(strings.LastIndexFunc(text, endsWord), 0)] + ellipsis
}

// Shortened returns text, cut to limit bytes. If it cuts the text, it appends an
// ellipsis.
func Shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return cut(text, limit-len(ellipsis)) + ellipsis
}

// combined returns a message followed by its error. If one of the two contains the
// other, it returns only the longer one.
func combined(message, cause string) string {
	message, cause = strings.TrimSpace(message), strings.TrimSpace(cause)
	switch {
	case cause == "" || strings.Contains(message, cause):
		return message
	case message == "" || strings.Contains(cause, message):
		return cause
	}
	return strings.TrimSuffix(message, ":") + ": " + cause
}
