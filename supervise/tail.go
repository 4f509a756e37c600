package supervise

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// tailBytes is how much of standard error is kept while a child runs: what the
// classifier reads where the last 500 characters say nothing. A stack trace that
// stands below its cause is longer than those.
const tailBytes = 32 << 10

// tail keeps the end of what is written to it. Safe for concurrent use.
type tail struct {
	mu  sync.Mutex
	buf []byte // at most twice tailBytes
	cut bool   // something was dropped
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

// text is what is kept, without white space at its end. A word or line that
// lost its beginning is left out: it may be the second half of a secret, or of a
// number.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept, cut := t.buf, t.cut
	if len(kept) > tailBytes {
		kept, cut = kept[len(kept)-tailBytes:], true
	}
	text := string(kept)
	if cut {
		text = whole(text)
	}
	return strings.TrimRightFunc(text, unicode.IsSpace)
}

// whole is text, whose beginning is lost, from the beginning of a line; where
// there is but one line, from that of a word.
func whole(text string) string {
	if _, rest, found := strings.Cut(text, "\n"); found && strings.TrimSpace(rest) != "" {
		return rest
	}
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return text[i:]
	}
	return ""
}

// lastRunes is the last n characters of text. A byte that is no UTF-8 counts as
// one, and stays what it is.
func lastRunes(text string, n int) string {
	start := len(text)
	for ; n > 0 && start > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	return text[start:]
}

// readings are the texts that say what a child died of, the likelier first: its
// last words, then all that is kept.
func readings(text string) []string {
	last := lastRunes(text, StderrRunes)
	if len(last) == len(text) {
		return []string{text}
	}
	return []string{whole(last), text}
}
