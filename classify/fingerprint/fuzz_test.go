package fingerprint_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/errclass/errclass/classify/fingerprint"
)

// values has pairs of values with the same placeholder. The values of a pair have no
// three consecutive bytes in common.
var values = [][2]string{
	{"4711", "98765432"}, {"-17.25", "8"}, {"10.1.2.3", "192.168.77.88"}, {"fe80::17:1", "2001:db8::42"},
	{"7f9c4d6b8", "0xc000123456"}, {"550e8400-e29b-41d4-a716-446655440000", "f47ac10b-58cc-4372-a567-0e02b2c3d479"},
	{"/var/lib/alpha", "/home/bob/b.txt"}, {`C:\Users\alpha`, `D:\x y\beta.log`}, {"https://alpha.example/a?b=c", "ftp://beta:8021/"},
	{"alpha@example.com", "b.e+ta@mail.test"}, {"api.alpha.com", "db-17.internal"}, {`"alpha beta"`, `"gamma 5"`}, {"'alpha'", "'b c d'"},
	{"2026-11-23T09:23:28Z", "1999-01-02 10:20:30.5"}, {"Nov 23 09:23:28", "Dec 1 01:02:03"}, {"1m30s", "250ms"}, {"10MB", "4 KiB"},
}

var placeholders = regexp.MustCompile("<[a-z]+>")

// FuzzValues makes two texts that differ only in one value. Both must have the same
// id, and no part of a value may be in the template.
func FuzzValues(f *testing.F) {
	f.Add("lookup", "failed: no such host", uint8(2))
	f.Add("lookup", "f: no such host", uint8(8)) // a URL and an IPv6 address are no hosts
	f.Add("lookup", "f: no such host", uint8(3))
	f.Add("lookup", "f: no such host", uint8(7))
	f.Add(`{"error":{"message":"bad`, `value","code":"x"}}`, uint8(11))
	f.Add("level=error msg='cannot open", "now' user=x", uint8(6))
	f.Fuzz(func(t *testing.T, before, after string, n uint8) {
		// Skip texts that change how the value is replaced:
		//
		//   - A quote can begin a string that contains the value.
		//   - A date or a path can continue with the value.
		//   - After a word such as "status", the value can be an error code.
		if len(before)+len(after) > 1000 || codeWord.MatchString(before) || strings.ContainsAny(before, "\"'`\\“‘«/:=0123456789{") || endsInDate(before) || continuesValue(after) {
			return
		}
		pair := values[int(n)%len(values)]
		var ids, templates [2]string
		for i, value := range pair {
			ids[i], templates[i] = fingerprint.Of(before + " " + value + " " + after)
		}
		if ids[0] != ids[1] || templates[0] != templates[1] {
			t.Errorf("%q and %q give\n%q and\n%q", pair[0], pair[1], templates[0], templates[1])
		}
		for i, value := range pair {
			words := placeholders.ReplaceAllString(templates[i], " ")
			for at := 0; at+3 <= len(value); at++ {
				part := value[at : at+3]
				if strings.Contains(words, part) && !strings.Contains(before+" "+after, part) && !strings.ContainsAny(part, " <>\"'") {
					t.Errorf("the template %q contains %q of %q", templates[i], part, value)
				}
			}
		}
	})
}

// endsInDate reports whether the last word of text may be the beginning of a date.
func endsInDate(text string) bool {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == ',' || r > 0x7f })
	if len(fields) == 0 {
		return false
	}
	last := fields[len(fields)-1]
	return len(last) >= 3 && 'A' <= last[0] && last[0] <= 'Z'
}

// continuesValue reports whether text may continue the value before it, for example
// as a unit.
func continuesValue(text string) bool {
	text = strings.TrimLeft(text, " ")
	return text != "" && (strings.IndexByte("+-:,", text[0]) >= 0 || '0' <= text[0] && text[0] <= '9') ||
		strings.Contains(text, `\`) || strings.HasPrefix(text, "m=") || len(text) > 0 && !strings.HasPrefix(text, "failed") && isUnit(text)
}

func isUnit(text string) bool {
	word := text
	for i, c := range text {
		if (c|0x20 < 'a' || 'z' < c|0x20) && c != 'µ' && c != 'μ' {
			word = text[:i]
			break
		}
	}
	got := template("5 " + word)
	return got == "<duration>" || got == "<size>" || strings.HasPrefix(template("10:20:30 "+word+" x"), "<time> x")
}

// codeWord matches words that may precede an error code.
var codeWord = regexp.MustCompile(`(?i)code|status|error|errno|http|sqlstate`)

// code matches an error code and the words before it.
var code = regexp.MustCompile(`(?i)(?:code|status|error|errno|http|sqlstate)[ :=("'\[\\<a-z>/+-]*[0-9a-z]{1,5}`)

// FuzzDigits checks that a text keeps its id if its digits change, unless codeWord
// matches the text. A template must not be too long, and must have digits only in error
// codes.
func FuzzDigits(f *testing.F) {
	for _, bb := range benchTexts {
		f.Add(bb.text)
	}
	f.Add("HTTP/1.1 503 exit status 1 error_code=17 SQLSTATE[HY000] status 2 of 3 code: 123456")
	f.Add("\x00 5\x80 \\\"1 '2' «3» 1:2::3 12:34:56 1e-5 0x1f 23/Nov/2026 fe80::%1 C:\\1 2\\3")
	f.Fuzz(func(t *testing.T, text string) {
		id, template := fingerprint.Of(text)
		if fingerprint.Sum(text).String() != id {
			t.Errorf("Sum and Of differ")
		}
		if strings.ContainsAny(code.ReplaceAllString(template, ""), "0123456789") {
			t.Errorf("the template %q of %q has a digit", template, text)
		}
		if len(template) > 4<<10+80 || strings.Contains(template, "  ") || strings.TrimSpace(template) != template && strings.Trim(template, " ") != template {
			t.Errorf("the template %q of %q has the wrong form", template, text)
		}
		if codeWord.MatchString(text) {
			return
		}
		for _, shift := range []byte{1, 7} {
			other := []byte(text)
			for i, c := range other {
				if '0' <= c && c <= '9' {
					other[i] = '0' + (c-'0'+shift)%10
				}
			}
			if got, _ := fingerprint.Of(string(other)); got != id {
				t.Errorf("%q and %q have different ids", text, other)
			}
		}
	})
}
