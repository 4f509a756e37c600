package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"golang.org/x/term"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// marshal returns v as one line of JSON. It does not escape <, > and &.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// quoted returns text as a JSON string.
func quoted(text string) []byte {
	b, err := marshal(text)
	if err != nil {
		panic(err) // a string always marshals
	}
	return bytes.TrimSuffix(b, []byte("\n"))
}

// writeJSON writes v as one line of JSON.
func writeJSON(w io.Writer, v any) error {
	b, err := marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// newTable returns a table that is drawn with ASCII characters.
func newTable(title string, header ...any) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleDefault)
	t.Style().Title.Format = 0
	t.Style().Format.Header = 0
	t.Style().Format.Footer = 0
	t.Style().Options.DrawBorder = false
	t.Style().Options.SeparateColumns = false
	if title != "" {
		t.SetTitle(title)
	}
	t.AppendHeader(table.Row(header))
	return t
}

// render writes a table and a line feed. It removes white space at the ends of
// lines.
func render(w io.Writer, t table.Writer) error {
	for line := range strings.Lines(t.Render() + "\n") {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// printable returns text on one line, with unsafe characters escaped for a terminal.
func printable(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(fmt.Sprintf("%+q", r), "'"))
		}
		text = text[n:]
	}
	return b.String()
}

// ended returns text, cut to limit characters. An ellipsis shows the cut.
func ended(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// percent formats a share as a percentage: 0.5 gives "50.0 %".
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
