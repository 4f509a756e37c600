package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// asProgram is an environment variable. If it is set, the test binary runs main.
const asProgram = "QUICKSTART_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

var wanted = []struct {
	name     string
	category classify.Category
	reason   classify.Reason
}{
	{"rate limit", classify.CategoryRetryable, classify.ReasonRateLimit},
	{"bad key", classify.CategoryFatal, classify.ReasonAuthentication},
	{"overloaded", classify.CategoryRetryable, classify.ReasonTransient},
	{"prompt too long", classify.CategoryContextOverflow, classify.ReasonContextOverflow},
	{"bad key behind a gateway", classify.CategoryFatal, classify.ReasonAuthentication},
	{"dropped connection", classify.CategoryRetryable, classify.ReasonNetwork},
	{"own deadline", classify.CategoryTimeout, classify.ReasonTimeout},
	{"caller cancels", classify.CategoryAborted, classify.ReasonAborted},
}

// record is a line of standard output.
type record struct {
	Level    string            `json:"level"`
	Category classify.Category `json:"error.category"`
	Reason   classify.Reason   `json:"error.reason"`
	Case     string            `json:"case"`
	Err      string            `json:"err"`
	Call     *struct {
		Case string `json:"case"`
		Err  string `json:"err"`
	} `json:"call"`
}

func TestQuickstart(t *testing.T) {
	t.Parallel()
	stdout, stderr := runProgram(t)
	records := decode(t, stdout)
	require.Len(t, records, 2*len(wanted), "records on standard output")

	for i, w := range wanted {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			plain, grouped := records[i], records[len(wanted)+i]
			assert.Equal(t, w.name, plain.Case)
			assert.Equal(t, w.category, plain.Category)
			assert.Equal(t, w.reason, plain.Reason)
			assert.NotEmpty(t, plain.Err)

			require.NotNil(t, grouped.Call, "the second logger has a group open")
			assert.Equal(t, w.name, grouped.Call.Case)
			assert.Equal(t, w.category, grouped.Category, "at the root, through slog-multi")
			assert.Equal(t, w.reason, grouped.Reason, "at the root, through slog-multi")
			assert.NotEmpty(t, grouped.Call.Err)

			line := " level=ERR msg=\"completion failed\" error.category=" + string(w.category) + " error.reason=" + string(w.reason) + " call.case="
			assert.Contains(t, textLine(stderr, w.name), line, "the text handler behind the fan-out")
		})
	}
}

// The RetryAfter of the result is the duration in the provider's Retry-After header.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	url, stop, err := startProvider()
	require.NoError(t, err)
	defer stop()

	_, err = newClient(url).complete(t.Context(), "/rate-limit")

	res := classify.Error(err)
	assert.Equal(t, 429, res.Status)
	assert.Equal(t, 17*time.Second, res.RetryAfter)
}

func runProgram(t *testing.T) (stdout []byte, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	require.NoError(t, err, "exit code; standard error:\n%s", &errOut)
	return out.Bytes(), errOut.String()
}

func decode(t *testing.T, lines []byte) []record {
	t.Helper()
	var records []record
	for line := range bytes.Lines(lines) {
		var r record
		require.NoError(t, json.Unmarshal(line, &r), "line %s", line)
		assert.Equal(t, "ERROR", r.Level)
		records = append(records, r)
	}
	return records
}

// textLine returns the line of text about the case with the given name.
func textLine(text, name string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, `call.case="`+name+`"`) || strings.Contains(line, "call.case="+name) {
			return line
		}
	}
	return ""
}
