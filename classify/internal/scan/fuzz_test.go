package scan

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// reference reports for each pattern whether package regexp finds a match in text.
func reference(t *testing.T, exprs []string, text string) []bool {
	t.Helper()
	found := make([]bool, len(exprs))
	for i, expr := range exprs {
		re, err := regexp.Compile("(?i:" + expr + ")")
		require.NoError(t, err)
		found[i] = re.MatchString(text)
	}
	return found
}

func matched(m *Matcher, text string) []bool {
	set := make([]uint64, m.Words())
	m.Match(set, text)
	found := make([]bool, m.patterns)
	for i := range found {
		found[i] = set[i/64]>>(i%64)&1 == 1
	}
	return found
}

// FuzzMatch compares the matcher with package regexp. exprs has one pattern per
// line.
func FuzzMatch(f *testing.F) {
	for _, seed := range []struct{ exprs, text string }{
		{`rate.?limit` + "\n" + `429`, "HTTP 429: Rate_Limit exceeded"},
		{`limit.{0,20}reached` + "\n" + `\bfoo\b`, "limit (was) reached foo"},
		{`(?-i:[A-Z][a-z]|k{2}).{0,9}(?-i:B)\b` + "\n" + `x(?-i:Yy?)`, "Kk Ax b xY ab B xyy"},
		{`^a+$` + "\n" + `(?m)^b` + "\n" + `\Bx`, "aaa\nb ax"},
		{`(?-i)ERROR` + "\n" + `[^a-z]{2,5}k` + "\n" + `\w+ \d+`, "ſK \xe2\x82 error 12\u212a"},
		{`x*` + "\n" + `a.*b` + "\n" + `é[^\n]{0,3}ü`, "a\xffbé..ü"},
		{`ab.{0,5}abc` + "\n" + `(?:a|bc).{2,4}(?:c|de)?f`, "ab abc a..def"},
		{`a\w*b$` + "\n" + `$` + "\n" + `\b`, "azzb"},
		{`.` + "\n" + `\x{FFFD}` + "\n" + `^.{3}$`, "\xe2\x82\xac"},
		{`(?:^|$){24}x` + "\n" + `(?:\b|\B){9}(?:a{0,50}){0,20}b`, "ax\nb x"},
		{`x(?:a?){300}y` + "\n" + `[b-\x{1e940}]{9}`, "xaay"},
		{`(?s)a.*b` + "\n" + `a\s+b.{0,9}c\d+d`, "a \n b  c12d"},
	} {
		f.Add(seed.exprs, seed.text)
	}
	f.Fuzz(func(t *testing.T, list, text string) {
		if len(list) > 200 || len(text) > 500 || !utf8.ValidString(list) {
			return
		}
		exprs := strings.Split(list, "\n")
		for _, expr := range exprs {
			if _, err := regexp.Compile("(?i:" + expr + ")"); err != nil {
				_, _ = Compile([]string{expr}) // such as a lone flag: it may be accepted, but must not panic
				return
			}
		}
		b := NewBudget(exprs)
		m, err := b.Compile(exprs)
		require.LessOrEqual(t, b.Work(), 2*mostRefused, "patterns %q", exprs)
		if err != nil {
			return
		}
		for i, expr := range exprs {
			tester, err := b.Tester(i, expr)
			require.NoError(t, err, "%q was accepted in a set", expr)
			if got, err := tester.Match(text); err == nil {
				require.Equal(t, reference(t, exprs[i:i+1], text)[0], got, "pattern %q, text %q", expr, text)
			}
		}
		for _, s := range []string{text, text + strings.Repeat(" -", 40) + text, strings.Repeat("é", 33) + text + "\n" + text} {
			want := reference(t, exprs, s)
			require.Equal(t, want, matched(m, s), "patterns %q, text %q", exprs, s)
			require.Equal(t, want, matchedListing(m, s, 1+len(s)%5), "short lists, patterns %q, text %q", exprs, s)
		}
	})
}
