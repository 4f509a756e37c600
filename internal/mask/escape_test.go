package mask_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/mask"
)

// TestMixedEscapes masks texts that mix escapes such as %3A and \u002f.
func TestMixedEscapes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"percent before unicode", `GET /cb?u=https%3A\u002f\u002fx failed`, `GET /cb?u=https%3A\u002f\u002fx failed`},
		{"cut off", `%3A\u0`, `%3A\u0`},
		{"no hexadecimal digits", `%3A\u0xxxx`, `%3A\u0xxxx`},
		{"percent before unicode, with a password", `https%3A\u002f\u002fapp:hunter2@h`, `https%3A\u002f\u002fapp:[masked]@h`},
		{"unicode", `https\u003a\u002f\u002fapp\u003ahunter2\u0040h\u002fx`, `https\u003a\u002f\u002fapp\u003a[masked]\u0040h\u002fx`},
		{"percent", `https%3A%2F%2Fapp%3Ahunter2%40h%2Fx`, `https%3A%2F%2Fapp%3A[masked]%40h%2Fx`},
		{"percent twice", `https%253A%252F%252Fapp%253Ahunter2%2540h%252Fx`, `https%253A%252F%252Fapp%253A[masked]%2540h%252Fx`},
		{"slashes alone", `https:%2F%2Fapp:hunter2@h/x`, `https:%2F%2Fapp:[masked]@h/x`},
		{"hexadecimal", `https\x3a\x2f\x2fapp\x3ahunter2\x40h`, `https\x3a\x2f\x2fapp\x3a[masked]\x40h`},
		{"next parameter", `u=https%3A%2F%2Fh&mail=a:b@x`, `u=https%3A%2F%2Fh&mail=a:b@x`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, mask.Unguarded(tt.text))
			for end := range len(tt.text) {
				assert.NotPanics(t, func() { mask.Unguarded(tt.text[:end]); mask.UnguardedEndpoint(tt.text[:end]) }, "%q", tt.text[:end])
			}
		})
	}
}

// TestEscapedIsTotal checks that the function escaped never panics.
func TestEscapedIsTotal(t *testing.T) {
	t.Parallel()
	for _, seq := range []string{"", "%", "%3", `\`, `\u`, `\u0`, `\u00`, `\u003`, `\ux`, `\x`, `\x3`, "\x1b[31m", "a3A", `\u0xxxx`, "%zz"} {
		assert.Zero(t, mask.Escaped(seq), "%q", seq)
	}
	for seq, want := range map[string]byte{"%3A": ':', "%253a": ':', `\u003a`: ':', `\x3A`: ':', `\u1f3a`: 0} {
		assert.Equal(t, want, mask.Escaped(seq), "%q", seq)
	}
}

// separators has separators, quotes and spaces. Some of them are escaped, and some
// escapes are incomplete.
var separators = []string{
	"%3A", "%3D", "%2F", "%40", "%20", "%22", "%26", "%253A", "%253D", "%252F", "%2540", "%25", "%2525", "%", `\u003a`, `\u003d`, `\u002f`, `\u0040`, `\u0022`, `\u0`, `\u0xxxx`, `\u`,
	`\x3a`, `\x3d`, `\x2f`, `\x40`, `\x`, `\x0`, "&quot;", "&#61;", "&#x3d;", "&amp;", "&", "=", ":", "://", "=>", "->", "/", "@", " ", "\n", "\t", "\u00a0", "\u200b", "＝", "：", "'", "\"", `\"`, `\\`, `\`, "`",
	"(", ")", "[", "]", "[]", "<", ">", ",", ";", "|", "|\n ", "\x1b[31m", "\x1b[", "\x1b", "-", "--", "-p", "\xef", "\xff", "\xc2",
}

var escapeWords = []string{"https", "password", "api_key", "Authorization", "Bearer", "name", "value", "x", "hunter2", "sk-abcdefgh12", mask.Masked, "h", "", "token", "-----BEGIN PRIVATE KEY-----"}

// FuzzEscapes masks words that are joined by separators. It calls functions that do not
// recover from a panic, so that a panic fails the test.
func FuzzEscapes(f *testing.F) {
	f.Add([]byte{0, 0, 7, 16, 7, 16})
	for i := range separators {
		f.Add([]byte{byte(i), byte(i + 1), 1, byte(i), byte(i + 2), byte(i + 3), 2, byte(3 * i), byte(i + 4)})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64 {
			return
		}
		var b strings.Builder
		for i, c := range data {
			if i%3 == 2 {
				b.WriteString(escapeWords[int(c)%len(escapeWords)])
			} else {
				b.WriteString(separators[int(c)%len(separators)])
			}
		}
		got := mask.Unguarded(b.String())
		assert.Equal(t, got, mask.Unguarded(got), "%q", b.String())
		name := mask.UnguardedEndpoint(b.String())
		assert.Equal(t, name, mask.UnguardedEndpoint(name), "%q", b.String())
	})
}
