package fingerprint_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/internal/cputime"
)

func template(text string) string {
	_, template := fingerprint.Of(text)
	return template
}

// TestGolden compares ids and templates with testdata/golden.jsonl. Lines may be
// added to the file, but no line may change.
func TestGolden(t *testing.T) {
	t.Parallel()
	lines := golden(t)
	assert.Greater(t, len(lines), 150)
	for _, want := range lines {
		id, template := fingerprint.Of(want.Text)
		assert.Equal(t, want.Template, template, want.Text)
		assert.Equal(t, want.ID, id, want.Text)
	}
}

type goldenLine struct{ Text, ID, Template string }

// golden returns the lines of testdata/golden.jsonl.
func golden(t testing.TB) (lines []goldenLine) {
	data, err := os.ReadFile("testdata/golden.jsonl")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		var l goldenLine
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		lines = append(lines, l)
	}
	return lines
}

func TestID(t *testing.T) {
	t.Parallel()
	for _, bb := range benchTexts {
		id, template := fingerprint.Of(bb.text)
		assert.Equal(t, id, fingerprint.Sum(bb.text).String())
		assert.Regexp(t, "^[0-9a-f]{16}$", id)
		assert.NotEmpty(t, template)
		text, err := fingerprint.Sum(bb.text).MarshalText()
		require.NoError(t, err)
		assert.Equal(t, id, string(text))
	}
	assert.Equal(t, "00000000000000ff", fingerprint.ID(255).String())
	assert.Equal(t, "44bc2cf5ad770999", fingerprint.Sum("abc").String(), "XXH64 of abc")
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"blanks only", " \n\t ", ""},
		{"words", "connection refused", "connection refused"},
		{"white space", "  a \t b\r\nc\x00d ", "a b c d"},
		{"numbers", "5 -3 +4 1,024 1.5 2.5e-07 #7 (8) [-9]", "<num> <num> <num> <num> <num> <num> #<num> (<num>) [<num>]"},
		{"a range", "5-10", "<num>-<num>"},
		{"a version", "v1.2.3 of python3.11", "v<num> of python<num>"},
		{"sizes", "10MB 1.5GiB 512 bytes 4 KiB", "<size> <size> <size> <size>"},
		{"durations", "1m30s 250ms 1.5µs 30 s 5 seconds 1 second 2h", "<duration> <duration> <duration> <duration> <duration> <duration> <duration>"},
		{"a unit that is none", "5 messages, 3 d", "<num> messages, <num> d"},
		{"percent", "99.5% of 7", "<num>% of <num>"},
		{"ids", "7f9c4d req_1aBc-2d 0xdeadBEEF1 deadbeef", "<id> req_<id> <id> <id>"},
		{"a UUID", "id=550e8400-e29b-41d4-a716-446655440000 abcdefab-abcd-abcd-abcd-abcdefabcdef", "id=<str> <id>"},
		{"a JSON Web Token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxw_RJSM-eKK7 expired", "<id> expired"},
		{"base64", "got q83vEjRWeJq83v+xyz/AbCdEf12== here", "got <id> here"},
		{"a random token without a digit", "xKjQwZpLmNbVcRtY", "<id>"},
		{"a long word", strings.Repeat("x", 65), "<id>"},
		{"names with a number", "x509 http2 S3ServiceException Base64DecodeError IPv4Address", "x<num> http<num> S<num>ServiceException Base<num>DecodeError IPv<num>Address"},
		{"names without", "getURLForID DeadlineExceeded java.io.IOException std::string", "getURLForID DeadlineExceeded java.io.IOException std::string"},
		{"IPv4", "10.0.0.7:5432 and 10.0.0.8, 10.0.0.0/8", "<ip>:<num> and <ip>, <ip>/<num>"},
		{"IPv6", "[::1]:80 fe80::1%eth0 2001:db8::8a2e:370:7334 ::ffff:10.0.0.1", "[<ip>]:<num> <ip> <ip> <ip>"},
		{"a MAC address", "00:1b:44:11:3a:b7", "<id>"},
		{"hosts", "db.internal:5432 api.example.com. redis-0.redis.default.svc", "<host>:<num> <host>. <host>"},
		{"hosts of one word", "dial tcp redis:6379: lookup db-a on 10.0.0.10:53: getaddrinfo EAI_AGAIN api; ENOTFOUND db, connect to host build port 22; resolve host: x",
			"dial tcp <host>:<num>: lookup <host> on <ip>:<num>: getaddrinfo EAI_AGAIN <host>; ENOTFOUND <host>, connect to host <host> port <num>; resolve host: <host>"},
		{"no hosts", "lookup failed, tcp reset, host unreachable: no such host: x; lookup https://a/b to host a@b.org to host a/b/c lookup fe80::1", "lookup failed, tcp reset, host unreachable: no such host: x; lookup <url> to host <email> to host <path> lookup <ip>"},
		{"a part of an object", `"Message":"lost 5","user":"bob"`, `"Message":"lost <num>",<str>:<str>`},
		{"e-mail", "mail to alice.b+c@example.com.", "mail to <email>."},
		{"URLs", "see https://u:p@h/x?y=z, (http://[::1]:80/) jdbc:mysql://h/db", "see <url>, (<url>) jdbc:<url>"},
		{"paths", "open /etc/x.conf: ./a ../b ~/c a/b/c.go:12 pkg/main.go", "open <path>: <path> <path> <path> <path>:<num> <path>"},
		{"Windows paths", `C:\Program Files\x y\z.txt: \\srv\share\f`, "<path>: <path>"},
		{"no paths", "read/write i/o N/A application/json HTTP/1.1 </b>", "read/write i/o N/A application/json HTTP/<num> </b>"},
		{"dates and times", "2026-11-23T09:23:28.123Z|2026-11-23 09:23:28,123 +0000 UTC m=+0.5|11/23/2026|09:23:28|20261123T092328",
			"<time>|<time>|<time>|<time>|<time>"},
		{"times without seconds", "on September 19, 2026 at 9:10 AM; 9:10 PM", "on <time>; <time>"},
		{"a value of several lines in an object", "{\"message\":\"a\nb 'x'\",\"y\":\"a\nb\"}", "{\"message\":\"a b <str>\",\"y\":<str>}"},
		{"named months", "Nov 23 09:23:28 x; Mon Nov  2 09:23:28 UTC 2026; Mon, 23 Nov 2026 09:23:28 GMT; 23/Nov/2026:09:23:28 +0000",
			"<time> x; <time>; <time>; <time>"},
		{"no dates", "May I? Mon Dieu, March on, main.go:10:23", "May I? Mon Dieu, March on, main.go:<num>:<num>"},
		{"quotes", "\"a\" 'b' `c` `d' “e” ‘f’ «g» \\\"h\\\" ''", "<str> <str> <str> <str> <str> <str> <str> <str> <str>"},
		{"apostrophes", "can't open the users' file, it isn't 'x y'", "can't open the users' file, it isn't <str>"},
		{"an open quote", "a \"b\nc\" d", "a \"b c\" d"},
		{"escaped quotes", `a "b \"c\" d" e`, `a <str> e`},
		{"values of keys", "user=alice n=5 f=x(y) m=map[a:b] a==b c!=d", "user=<str> n=<str> f=<str>) m=<str>] a==b c!=d"},
		{"values that speak", `error=refused msg="no 'x' at 10.0.0.1" desc = "lost 5" name = "bob"`, `error=refused msg="no <str> at <ip>" desc = "lost <num>" name = <str>`},
		{"JSON", `{"error": {"message": "bad 'x' 5", "user_id": "bob", "a b": "c", "n": 5}}`,
			`{"error":{"message":"bad <str> <num>","user_id":<str>, <str>: <str>,"n":<num>}}`},
		{"JSON in a string", `"{\"message\":\"bad\"}" {\"message\":\"bad 5\"}`, `<str> {"message":"bad <num>"}`},
		{"a Python object", `{'error': {'message': "it's bad", 'user': 'bob'}}`, `{"error":{"message":"it's bad","user":<str>}}`},
		{"a quoted value before a colon", `open "x": denied`, `open <str>: denied`},
		{"other alphabets", "не найден файл 5 ファイル", "не найден файл <num> ファイル"},
		{"HTTP statuses", `HTTP 503 HTTP/1.1 502 status: 404 {"status_code":429} StatusCode=500 status code 401`, `HTTP 503 HTTP/<num> 502 status: 404 {"status_code":429} StatusCode=500 status code 401`},
		{"error codes", `exit status 1: errno 104, [WinError 10054] Error 1062 {"err_code": 17, "code": -32}`, `exit status 1: errno 104, [WinError 10054] Error 1062 {"err_code":17,"code":-32}`},
		{"SQLSTATEs", "(SQLSTATE 40P01) SQLSTATE[HY000]: SQLState: 23505 sqlstate=08006", "(SQLSTATE 40P01) SQLSTATE[HY000]: SQLState: 23505 sqlstate=08006"},
		{"no codes", `status 3 of 9, error 2/5, zip code 90210, access code 482913, http 8080, code 12:30, status 1.5, error 104ms, order_code: 12 tracking_status 7, error  5 "error" 6`,
			`status <num> of <num>, error <num>/<num>, zip code <num>, access code <num>, http <num>, code <num>:<num>, status <num>, error <duration>, order_code: <num> tracking_status <num>, error <num> <str> <num>`},
		{"an error text in prose", `Exception (403) Reason: "no 'x'" error: "alice" {code: 'EPIPE', path: 'x'}`, `Exception (<num>) Reason: "no <str>" error: <str> {code: "EPIPE", path: <str>}`},
		{"names of error texts", `{"errorSummary":"a","refusalReason":"b","statusMessage":"c","user_message":"d","errors":["e 5","f"]}`,
			`{"errorSummary":"a","refusalReason":"b","statusMessage":"c","user_message":<str>,"errors":["e <num>",<str>]}`},
		{"klog", `"msg"="lost 5" "name"="bob"`, `"msg"="lost <num>" "name"=<str>`},
		{"a template", "<num> of <str>", "<num> of <str>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, template(tt.text))
		})
	}
}

// The texts of a group differ only in values and quotes. They must have one id.
func TestQuoting(t *testing.T) {
	t.Parallel()
	for _, group := range [][]string{
		{`open "a": denied`, `open 'b c': denied`, "open `d`: denied", `open “e”: denied`, `open «f»: denied`, `open \"g\": denied`, "open `h': denied"},
		{`level=error msg="lost 5" user=alice`, `level=error msg="lost 6" user="bob b"`, `level=error msg='lost 7' user='c'`},
		{`{"error":{"message":"bad 5","user":"a","n":1}}`, `{"error": {"message": "bad 6", "user": "b", "n": 2}}`, `{'error': {'message': 'bad 7', 'user': 'c', 'n': 3}}`,
			"{\n  \"error\": {\n    \"message\": \"bad 8\",\n    \"user\": \"d\",\n    \"n\": 4\n  }\n}", `{\"error\":{\"message\":\"bad 9\",\"user\":\"e\",\"n\":5}}`, `{"error" : {"message" : "bad 1", "user" : "f", "n" : 6}}`},
	} {
		for _, text := range group {
			assert.Equal(t, template(group[0]), template(text), text)
			assert.Equal(t, fingerprint.Sum(group[0]), fingerprint.Sum(text), text)
		}
	}
}

// A long text has a shortened template. The template must not be cut within a value,
// contain a value or depend on values.
func TestTemplateIsBounded(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{`x "VALUE" `, `{"message":"x VALUE","y":"VALUE"}, `, "VALUE ", "VALUE,", "日本語 VALUE", "'VALUE", "msg=\"a VALUE"} {
		var templates []string
		for _, value := range []string{"4711", "47110815471108154711"} {
			got := template(strings.Repeat(strings.ReplaceAll(unit, "VALUE", value), 5000))
			assert.LessOrEqual(t, len(got), 4<<10+80, unit)
			assert.NotContains(t, got, "4711", unit)
			templates = append(templates, got)
		}
		assert.True(t, templates[0] == templates[1], unit) //nolint:testifylint // Equal would print 20 KB
	}
	assert.LessOrEqual(t, len(template(strings.Repeat("\x80", 1<<16))), 4<<10+80)
}

func TestSumDoesNotAllocate(t *testing.T) {
	for _, bb := range benchTexts {
		assert.Zero(t, testing.AllocsPerRun(100, func() { fingerprint.Sum(bb.text) }), bb.name)
	}
}

// TestLinear checks that no text costs much more per byte than ordinary text.
func TestLinear(t *testing.T) {
	check := cputime.Scaling{Run: func(text string) { fingerprint.Sum(text) }, Ordinary: strings.Repeat(benchTexts[1].text, 12), MaxRatio: 8}
	// When the template is full, Sum should do little work for the rest of a text.
	rest := cputime.Scaling{Run: check.Run, Ordinary: check.Ordinary, MaxRatio: 1.7}
	for _, unit := range []string{
		"\"", "'", " '", "`", `\"`, `\`, `\\`, "“", "{\"", "{\"a\":\"", "='", "a=", "a='", "=", "a@", "@", ".", "a.", "1.", "1,", "1:", ":", "::", "a:", "/", "a/", "//", "/ ",
		"C:\\", "C:\\a ", " \\", "-", "a-", "1-", "1a-", "a1", "1", "a", "_", "1s", "1 ", "Mon ", "Nov 1 ", "12:34:56 ", "2026-11-23 ", "12/", "+0000 ", "a://", "://", "\x80", "日", " ", "\n", "\t", "{", "}", "abcdefab-", "<", "msg=\"", "msg=\\\"", "{\"a\" : ", "{ ", " }", "status 5 ", "code:", "SQLSTATE", "HTTP/1.1 5 ", "tcp ", "lookup a:", "\"a\"=", "message: \"", "'a\"b`c“",
	} {
		assert.NoError(t, check.Check(func(size int) string { return strings.Repeat(unit, size/len(unit)+1)[:size] }, 1<<10, 1<<12), "%q", unit)
		assert.NoError(t, rest.Check(func(size int) string { return strings.Repeat("\"x\" ", 10) + strings.Repeat(unit, size/len(unit)) }, 1<<18), "%q", unit)
	}
}
