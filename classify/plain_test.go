package classify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/internal/form"
)

func TestPlainText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "dial tcp: timeout\n\tat x", "dial tcp: timeout\n\tat x"},
		{"colours", "\x1b[31mERROR\x1b[0m: \x1b[38;2;1;2;3mconnection\x1b[m refused", "ERROR: connection refused"},
		{"colours within a word", "time\x1b[1mout", "timeout"},
		{"of gcc", "\x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kno space", "error: no space"},
		{"a cursor that moves", "10%\x1b[2K\x1b[1Gfailed", "10% failed"},
		{"a cursor that stays", "\x1b7\x1b[?25lfailed\x1b8\x1b[?25h", "failed"},
		{"a character set", "\x1b(Bfailed\x1b", "failed"},
		{"a link", "see \x1b]8;;https://a.example/x\x1b\\the docs\x1b]8;;\x1b\\ now", "see the docs now"},
		{"a title", "\x1b]0;build\afailed", "failed"},
		{"a title without an end", "\x1b]0;build failed", "0;build failed"},
		{"in JSON", `\u001b[31mfailed\u001B[0m`, "failed"},
		{"in C, in the shell, of cat, of rsyslog", `\x1b[31ma\033[0mb\e[1mc^[[0md#033[0m`, "abcd"},
		{"JSON in JSON, braces, HTML, URLs", `\\u001b[31ma\u{1b}[0mb&#27;[1mc&#x1b;[0md%1B[0me␛[1mf`, "abcdef"},
		{"many parameters", "\x1b[0;1;4;38;2;255;255;255;48;2;100;100;100mfailed", "failed"},
		{"links as they are spelled", `a\u001b]8;;http://x\u0007b\x1b]8;;\x07c#033]8;;#007d\x1b]8;;\x1b\\e`, "abcde"},
		{"a link that ends in ST", "a\x1b]8;;http://x\u009cb\u009d8;;\u009cc", "abc"},
		{"Latin-1", "\x9b31mfailed\xa0again", "failed again"},
		{"struck over", "f\bfa\bai\bil\bl _\bm_\be", "fail me"},
		{"nothing to strike over", "\bfail\x1b[1m\b\b", "fail"},
		{"control characters", "fa\x00il\x07ed\x0e\x7f", "failed"},
		{"variation selectors and fillers", "fa\ufe0fil\u034f\u3164ed\u200e", "failed"},
		{"spelled spaces", `a\u3000b\u2007c&#160;d&#xa0;e#302#240f\302\240g`, "a b c d e f g"},
		{"spelled letters", `\u0041 \x41 &#65; \101 #101 C:\users\x41 \n \t`, `\u0041 \x41 &#65; \101 #101 C:\users\x41 \n \t`},
		{"no UTF-8", "fa\xff\xfe\xfdil\xe2\x80", "fa\ufffdil\ufffd"},
		{"C1", "\u009b31mfailed\u009b0m", "failed"},
		{"cut off", "failed \x1b[38;5", "failed [38;5"},
		{"cut off behind ESC", "failed\x1b", "failed"},
		{"cut off at the end of a line", "failed\x1b#\n\tat a.b(C.java:1)", "failed#\n\tat a.b(C.java:1)"},
		{"what only looks like it", `C:\error #033 x^[a-z] \x1b \u001b`, `C:\error #033 x^[a-z] \x1b \u001b`},
		{"spaces", "a\u00a0b\u202fc\u3000d\u2009e\vf\fg", "a b c d e f g"},
		{"spaces in ASCII", `a&nbsp;b\u00a0c\xa0d`, "a b c d"},
		{"invisible", "\ufeffa\u200bb\u00adc\u200ed\u2060", "abcd"},
		{"lines", "a\u2028b\u2029c", "a\nb\nc"},
		{"other runes", "schlug fehl: Zeitüberschreitung ✗ 失败\xff", "schlug fehl: Zeitüberschreitung ✗ 失败\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, form.PlainText(tt.text))
		})
	}
}

func TestSingleSpaced(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a b\n c d", form.SingleSpaced("a  b\n\t\tc\td \t"))
	assert.Equal(t, "a b c", form.SingleSpaced("a b c"))
}

// TestPlainTextIsFree checks that a text without escapes is not copied.
func TestPlainTextIsFree(t *testing.T) {
	const text = "dial tcp 10.0.0.1:443: connect: connection refused\nC:\\logs #3 ✗ x^2 & more"
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if form.PlainText(text) != text || form.SingleSpaced(text) != text {
			t.Fail()
		}
	}))
}

// TestPlainUserRules checks that user rules match the original text, and also a copy
// without escape sequences or repeated spaces.
func TestPlainUserRules(t *testing.T) {
	t.Parallel()
	c, err := New(WithRules(
		Rule{ID: "words", Pattern: "tenant is full", Reason: ReasonPolicy},
		Rule{ID: "colour", Pattern: `\x1b\[35m`, Reason: ReasonLogic},
		Rule{ID: "columns", Pattern: `x {3}y`, Reason: ReasonLogic},
	))
	require.NoError(t, err)
	assert.Equal(t, "words", c.Message("\x1b[31mtenant\u00a0is  \x1b[0mfull").Rule)
	assert.Equal(t, "colour", c.Message("\x1b[35mpink").Rule)
	assert.Equal(t, "columns", c.Message("x   y").Rule)
	assert.Equal(t, "000/default", Minimal.Message("too  many\u00a0tokens").Rule)
}

// TestExplainPlain checks that the offsets of a match refer to the original text, even if
// the rule matched a copy without escape sequences or repeated spaces.
func TestExplainPlain(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"x \x1b[31mconnection\x1b[0m  refused",
		"\ufeffx:\u00a0connection\u00a0refused",
		"a  b\tc connection \t refused",
		"the request to the far server has failed: \x1b[1mconnection\n   refused",
	} {
		x := Standard.Explain(Evidence{Message: text})
		require.NotEmpty(t, x.Signals, text)
		first := x.Signals[0]
		assert.Equal(t, ReasonNetwork, x.Result.Reason, "%q: %s", text, x.Result.Rule)
		assert.True(t, strings.HasPrefix(first.Text, "connection") && strings.HasSuffix(first.Text, "refused"), "%q", first.Text)
		assert.Equal(t, text[first.Start:first.End], first.Text)
	}
}

// TestRewritings maps each offset of a rewritten text to an offset of the original text.
// The offsets must not decrease. Where nothing was replaced, both texts must have the
// same byte.
func TestRewritings(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"\x1b[31m", "\x1b]0;", "\a", "\x1b\\", "\x1b", "[", "0m", `\u001b[0m`, "#033[1m", "^[[", "\u00a0", "\u200b", "\u2028", "&nbsp;", " ", "  ", "\t",
		"\n", "a", "connection refused ", "│", "✗", "\xe2", "\xff", "0123456789012345678901234567890123456789",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
		for name, r := range map[string]form.Rewriting{"odd": form.EachOdd, "gaps": form.EachGap, "breaks": form.EachBreak} {
			made, last := make([]bool, len(text)+1), 0
			r(text, func(start, end int, _ string) {
				if start < last || end <= start || end > len(text) {
					t.Fatalf("%s of %q: piece %d to %d behind %d", name, text, start, end, last)
				}
				for i := start; i < end; i++ {
					made[i] = true
				}
				last = end
			})
			v := form.View{Text: text, Source: func(place int) int { return place }}.Rewritten(r)
			before := -1
			for i := range len(v.Text) {
				at := v.Source(i)
				if at < before || at < len(text) && !made[at] && text[at] != v.Text[i] {
					t.Fatalf("%s of %q: byte %d of %q is mapped to %d", name, text, i, v.Text, at)
				}
				before = at
			}
			if end := v.Source(len(v.Text)); end > len(text) {
				t.Fatalf("%s of %q: the end is mapped to %d", name, text, end)
			}
		}
	})
}
