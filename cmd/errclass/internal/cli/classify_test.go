package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
	"github.com/errclass/errclass/cmd/errclass/internal/lines"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	mine := file(t, "mine.yaml", "rules:\n  - {id: 'my \"rule\" <1>', reason: policy, pattern: 'frob'}\n")
	line := func(category, reason, rule string) string {
		return fmt.Sprintf("{\"category\":%q,\"reason\":%q,\"rule\":%q,\"status\":0}\n", category, reason, rule)
	}
	const seed = "rate_limit exceeded\nPrompt exceeds context window\nHTTP 401 Unauthorized\nboom\n"
	minimal := []string{"--rules", "minimal", "--format", "json"}
	unknown := line("fatal", "unknown", "000/default")
	busy := line("retryable", "transient", "000/503")
	odd := file(t, "odd.yaml", "rules:\n  - {id: \"a\\tb\\nc\", reason: policy, pattern: 'frob'}\n")
	for _, tt := range []struct {
		name, in, want string
		args           []string
	}{
		{"seed", seed, line("retryable", "rate_limit", "000/rate-limit") + line("context_overflow", "context_overflow", "000/context-window") +
			line("fatal", "authentication", "000/401") + unknown, minimal},
		{"nothing", "", "", minimal},
		{"blank lines", "\n\n503", unknown + unknown + busy, minimal},
		{"line end adds nothing", "503\n", busy, minimal},
		{"windows", "503\r\n\r\n", busy + unknown, minimal},
		{"arguments", "not read", busy + unknown + unknown, append([]string{"503", "", `{"message":"x"}`}, minimal...)},
		{"message", `{"message":"503"}`, busy, minimal},
		{"msg", `{"msg":"503","message":7}`, busy, minimal},
		{"message before msg", `{"msg":"x","message":"503"}`, busy, minimal},
		{"escapes", `{"m\u0073g":"5\u00303"}`, busy, minimal},
		{"no message", `{"text":"503","id":1}`, busy, minimal},
		{"no object", `["503"]`, busy, minimal},
		{"broken", `{"message":"x","id":1,"a":503`, busy, minimal},
		{"byte order mark", "\ufeff" + `{"id":1,"message":"503"}` + "\n\ufeff503", `{"id":1,` + busy[1:] + busy, minimal},
		{"text id", `{"id":"a\u003c b","message":"503"}`, `{"id":"a\u003c b",` + busy[1:], minimal},
		{"number id", `{"id": 12345678901234567890.10 ,"message":"503"}`, `{"id":12345678901234567890.10,` + busy[1:], minimal},
		{"object id", `{"id":{ "a" : [1, "<"] },"message":"503"}`, `{"id":{ "a" : [1, "<"] },` + busy[1:], minimal},
		{"several lines", "x\n{\n  \"id\": [\n    1\n  ],\n  \"message\": \"503\"\n}\n503\n", unknown + `{"id":[     1   ],` + busy[1:] + busy, minimal},
		{"several lines, cut off", "{\n  \"message\": \"503\"\n", unknown + busy, minimal},
		{"null id", `{"id":null,"message":"503"}`, `{"id":null,` + busy[1:], minimal},
		{"binary", "\x00\xff503\xfe\n", busy, minimal},
		{"text", seed, "retryable\trate_limit\t000/rate-limit\ncontext_overflow\tcontext_overflow\t000/context-window\nfatal\tauthentication\t000/401\nfatal\tunknown\t000/default\n", []string{"--rules", "minimal"}},
		{"file adds to standard", "frob\nHTTP 429", "{\"category\":\"fatal\",\"reason\":\"policy\",\"rule\":\"my \\\"rule\\\" <1>\",\"confidence\":1,\"status\":0}\n" + strings.Replace(line("retryable", "rate_limit", "http/429"), `"status":0`, `"confidence":0.95,"status":429`, 1), []string{"--rules", mine, "--format", "json"}},
		{"one line a message", "frob", "fatal\tpolicy\ta\\tb\\nc\n", []string{"--rules-only", odd}},
		{"file alone", "frob\nHTTP 429", "fatal\tpolicy\tmy \"rule\" <1>\nfatal\tunknown\tdefault\n", []string{"--rules-only", mine}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, tt.in, append([]string{"classify"}, tt.args...)...)
			assert.Equal(t, result{out: tt.want}, r)
		})
	}
}

func TestClassifyLongLine(t *testing.T) {
	t.Parallel()
	in := "HTTP 503 " + strings.Repeat("x", 65<<20) + "\nHTTP 429\n"
	r := run(t, in, "classify", "--rules", "minimal")
	assert.Equal(t, "retryable\ttransient\t000/503\nretryable\trate_limit\t000/429\n", r.out)
	assert.Equal(t, "errclass classify: line 1 is longer than 67108864 bytes; the rest of it was not read\n", r.err)
	assert.Equal(t, cli.ExitOK, r.code)
}

func TestClassifyUnreadableInput(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	in := io.MultiReader(strings.NewReader("HTTP 503\n"), iotest.ErrReader(errors.New("boom")))
	code := cli.Main([]string{"classify", "--rules", "minimal"}, cli.Streams{In: in, Out: &out, Err: &errOut})
	assert.Equal(t, cli.ExitFailed, code)
	assert.Equal(t, "retryable\ttransient\t000/503\n", out.String())
	assert.Equal(t, "errclass: standard input: boom\n", errOut.String())
}

// FuzzClassifyLines checks that each line or JSON object of the input becomes one line of
// JSON. An id in the output must come from the same line or object.
func FuzzClassifyLines(f *testing.F) {
	for _, s := range []string{"", "\n", "a\r\nb", `{"id":"\u003c","message":""}`, "{\"id\":[1,\t2],\"msg\":\"x\"}\n\n", "\xff\x00", "attempt 1: HTTP 503; last attempt 2: zz\n",
		"{\n\"id\":{\r\n\"a\":1}\n,\"msg\":\"x\"\n}\n{\n}\n{\n\"msg\":\n{\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		var out bytes.Buffer
		code := cli.Main([]string{"classify", "--format", "json"}, cli.Streams{In: strings.NewReader(in), Out: &out, Err: io.Discard})
		require.Equal(t, cli.ExitOK, code)
		var want []string
		reader := lines.NewReader(strings.NewReader(in), 64<<20, nil)
		reader.JoinObjects(nil)
		for line, err := reader.Next(); err == nil; line, err = reader.Next() {
			want = append(want, strings.NewReplacer("\r", " ", "\n", " ").Replace(string(line.Bytes)))
		}
		got := strings.SplitAfter(out.String(), "\n")
		require.Len(t, got, len(want)+1)
		for i, line := range want {
			var r struct {
				ID       json.RawMessage
				Category string
				Rule     string
			}
			require.NoError(t, json.Unmarshal([]byte(got[i]), &r))
			require.NotEmpty(t, r.Category)
			require.False(t, strings.HasSuffix(r.Rule, "+panic"), "the classifier panicked on %q", line)
			if r.ID != nil {
				require.Contains(t, line, string(r.ID))
			}
		}
	})
}

func TestClassifyErrorsOnly(t *testing.T) {
	t.Parallel()
	in := strings.Join([]string{
		`{"level":"info","msg":"HTTP 503"}`, `{"level":"error","msg":"HTTP 503"}`, `{"msg":"HTTP 503"}`, "HTTP 503",
		"2026-01-02 03:04:05 INFO HTTP 503", "2026-01-02 03:04:05 ERROR HTTP 503", `level=info msg="HTTP 503"`, `level=error msg="HTTP 503"`, "",
	}, "\n") + "\n"
	const retryable, unknown = "retryable\ttransient\t000/503\n", "fatal\tunknown\t000/default\n"
	r := run(t, in, "classify", "--rules", "minimal", "--errors-only")
	assert.Equal(t, result{out: strings.Repeat(retryable, 5) + unknown}, r)
	r = run(t, in, "classify", "--rules", "minimal")
	assert.Equal(t, result{out: strings.Repeat(retryable, 8) + unknown}, r)
}
