package supervise

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// tailBytes is the number of bytes of standard error that are kept. It is more than 500
// characters, because a message is often followed by a longer stack trace.
const tailBytes = 32 << 10

// tail keeps the end of the text written to it. It is safe for concurrent use.
type tail struct {
	mu  sync.Mutex
	buf []byte // at most twice tailBytes
	cut bool   // the beginning was dropped
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if len(p) > tailBytes {
		p, t.cut = p[len(p)-tailBytes:], true
	}
	t.buf = append(t.buf, p...)
	if len(t.buf) > 2*tailBytes {
		kept := copy(t.buf, t.buf[len(t.buf)-tailBytes:])
		t.buf, t.cut = t.buf[:kept], true
	}
	return n, nil
}

// text returns the kept text without trailing white space. It drops an incomplete
// first word, which may be part of a secret.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept, cut := t.buf, t.cut
	if len(kept) > tailBytes {
		kept, cut = kept[len(kept)-tailBytes:], true
	}
	text := string(kept)
	if cut {
		text = dropPartialWord(text)
	}
	return strings.TrimRightFunc(text, unicode.IsSpace)
}

// dropPartialWord removes the incomplete first word of a text. A word ends at white
// space, a quote, a comma or a bracket.
func dropPartialWord(text string) string {
	isEnd := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"',;(){}[]<>`, r) }
	i := strings.IndexFunc(text, isEnd)
	if i < 0 {
		return ""
	}
	return strings.TrimLeft(text[i:], "\r\n")
}

// dropPartial removes the incomplete first line of a text. If there is only one
// line, it removes one word.
func dropPartial(text string) string {
	if _, rest, found := strings.Cut(text, "\n"); found && strings.TrimSpace(rest) != "" {
		return rest
	}
	return dropPartialWord(text)
}

// lastRunes returns the last n characters. An invalid UTF-8 byte counts as one
// character.
func lastRunes(text string, n int) string {
	start := len(text)
	for ; n > 0 && start > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	return text[start:]
}

// lastPart returns the last 500 characters, without an incomplete line or word at the
// beginning.
func lastPart(text string) string {
	last := lastRunes(text, StderrRunes)
	if len(last) == len(text) {
		return text
	}
	return dropPartial(last)
}
