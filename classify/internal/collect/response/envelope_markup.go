package response

import (
	"strings"

	"github.com/errclass/errclass/internal/ascii"
)

// codeTags and messageTags are XML elements of AWS, Azure and SOAP errors:
// <Error><Code>SlowDown</Code><Message>…</Message></Error>.
var (
	codeTags    = [...]string{"Code", "faultcode"}
	messageTags = [...]string{"Message", "faultstring"}
)

// maxTags limits how many elements with the same name are read.
const maxTags = 8

// markup reads an XML error. Markup without a code is an HTML page; then only the
// visible text counts.
func (e *envelope) markup(s string) {
	for _, tag := range codeTags {
		for _, code := range elements(s, tag) {
			if isCode(code) && len(e.codes) < bodyCodeWords {
				e.codes = append(e.codes, code)
				e.write(code)
			}
		}
	}
	if len(e.codes) == 0 {
		e.write(visible(s))
		return
	}
	e.failed = true
	for _, tag := range messageTags {
		for _, text := range elements(s, tag) {
			e.write(text)
		}
	}
}

// elements returns the contents of all elements with this tag and without
// attributes.
func elements(s, tag string) []string {
	var all []string
	opening, closing := "<"+tag+">", "</"+tag+">"
	for len(all) < maxTags {
		_, rest, ok := strings.Cut(s, opening)
		if !ok {
			break
		}
		content, rest, ok := strings.Cut(rest, closing)
		if !ok {
			break
		}
		all = append(all, strings.TrimSpace(content))
		s = rest
	}
	return all
}

// visible returns the visible text of a page, without tags, scripts and styles.
func visible(s string) string {
	var b strings.Builder
	for s != "" {
		text, rest, ok := strings.Cut(s, "<")
		b.WriteString(text)
		if !ok {
			break
		}
		if hidden := hiddenUntil(rest); hidden != "" {
			at := indexFold(rest, hidden)
			if at < 0 {
				break // the rest is hidden
			}
			rest = rest[at+len(hidden):]
		}
		_, rest, _ = strings.Cut(rest, ">")
		b.WriteByte(' ')
		s = rest
	}
	var seen strings.Builder
	for word := range strings.FieldsSeq(b.String()) {
		if seen.Len() > 0 {
			seen.WriteByte(' ')
		}
		seen.WriteString(word)
	}
	return seen.String()
}

// hiddenUntil returns the text that ends a script, a style or a comment. For other
// elements it returns "".
func hiddenUntil(tag string) string {
	switch {
	case ascii.HasPrefixFold(tag, "script"):
		return "</script"
	case ascii.HasPrefixFold(tag, "style"):
		return "</style"
	case strings.HasPrefix(tag, "!--"):
		return "--"
	}
	return ""
}

// indexFold returns the index of a tag in s, or -1. It ignores case.
func indexFold(s, tag string) int {
	for at := 0; at+len(tag) <= len(s); {
		i := strings.IndexByte(s[at:], tag[0])
		if i < 0 || at+i+len(tag) > len(s) {
			return -1
		}
		if at += i; strings.EqualFold(s[at:at+len(tag)], tag) {
			return at
		}
		at++
	}
	return -1
}
