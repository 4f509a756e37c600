package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/errclass/errclass/cmd/errclass/internal/logline"
)

// statusLine shows one line of counts on a terminal. It is not safe for concurrent
// use.
type statusLine struct {
	err    io.Writer
	width  func() int
	colour bool
	shown  bool
	drawn  string
}

// newStatusLine returns nil if standard error is not a terminal.
func newStatusLine(s Streams) *statusLine {
	f, ok := s.Err.(*os.File)
	if !ok || !isTerminal(f) {
		return nil
	}
	return &statusLine{err: f, colour: useColour(os.Getenv), width: func() int {
		w, _, err := term.GetSize(int(f.Fd()))
		if err != nil || w <= 0 {
			return 80
		}
		return w
	}}
}

// useColour reports whether a terminal gets colours, by the rules of
// https://no-color.org.
func useColour(env func(string) string) bool {
	return env("NO_COLOR") == "" && env("TERM") != "dumb"
}

// writer returns a writer to w that clears the status line before each write.
func (l *statusLine) writer(w io.Writer) io.Writer {
	if l == nil {
		return w
	}
	return clearingWriter{w, l}
}

type clearingWriter struct {
	w    io.Writer
	line *statusLine
}

func (c clearingWriter) Write(p []byte) (int, error) {
	c.line.clear()
	return c.w.Write(p)
}

// draw shows the counts of s.
func (l *statusLine) draw(name string, s logline.Summary) {
	if l == nil {
		return
	}
	text := statusText(name, s, l.width(), l.colour)
	if l.shown && text == l.drawn {
		return
	}
	l.clear()
	fmt.Fprint(l.err, text)
	l.shown, l.drawn = true, text
}

func (l *statusLine) clear() {
	if l == nil || !l.shown {
		return
	}
	fmt.Fprint(l.err, "\r\x1b[K")
	l.shown = false
}

// statusText returns the counts as a text of at most width-1 columns.
func statusText(name string, s logline.Summary, width int, colour bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d lines, %d errors", printable(name), s.Lines, s.Classified)
	var last time.Time
	for i, c := range s.Counts {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		fmt.Fprintf(&b, "%s%d %s", sep, c.Count, c.Reason)
		if c.Last.After(last) {
			last = c.Last
		}
	}
	if !last.IsZero() {
		fmt.Fprintf(&b, "; last %s", last.Format(time.TimeOnly))
	}
	text := ended(b.String(), max(width-1, 1))
	if colour && s.Classified > 0 {
		return "\x1b[31m" + text + "\x1b[0m"
	}
	return text
}
