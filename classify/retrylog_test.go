package classify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/internal/form"
)

func TestMarks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want string // the mark, "" = none
	}{
		{"attempt 1: x", "attempt 1"},
		{"Attempt #12 failed", "Attempt #12"},
		{"ATTEMPT=3", "ATTEMPT=3"},
		{"try 2/3", "try 2"},
		{"retry: 2", "retry: 2"},
		{"final error: x", "final error"},
		{"Last Exception", "Last Exception"},
		{"most recent failure", "most recent failure"},
		{"finally: x", "finally: "},
		{"retry 3 times", ""},
		{"try 2 more", ""},
		{"attempt1", ""},
		{"attempt    1", ""},
		{"attempts 1", ""},
		{"retrying 1", ""},
		{"last errors", ""},
		{"final answer", ""},
		{"attempt ", ""},
		{"last ", ""},
	} {
		got := ""
		if end := form.MarkAt(tt.text, 0); end > 0 {
			got = tt.text[:end]
		}
		assert.Equal(t, tt.want, got, tt.text)
		assert.Zero(t, form.MarkAt("x"+tt.text, 1), "within a word")
		assert.Zero(t, form.MarkAt("_"+tt.text, 1), "within a name")
	}
}

func partsOf(log form.AttemptLog) (parts []string) {
	for back := range form.MaxAttempts {
		if part, ok := log.Part(back); ok {
			parts = append(parts, part)
		}
	}
	return parts
}

func TestTries(t *testing.T) {
	t.Parallel()
	const text = "a (attempt 1) b, attempt 2: c; last error: d; final error: e"
	log := form.NewAttemptLog(text)
	assert.Equal(t, 4, log.N)
	assert.Equal(t, ": e", text[log.Final:])
	assert.Equal(t, []string{": e", ": d; ", ": c; ", ") b, ", "a ("}, partsOf(log))
	log = form.NewAttemptLog("")
	assert.Zero(t, log.N)
	assert.Zero(t, log.Final)
	assert.Empty(t, partsOf(log))
}

// TestOverlappingMarks checks marks (words that introduce an attempt) that overlap.
// "last attempt 2" is one mark.
func TestOverlappingMarks(t *testing.T) {
	t.Parallel()
	const text = "attempt 1: HTTP 503; last attempt 2: zz"
	assert.Equal(t, []string{" 2: zz", ": HTTP 503; "}, partsOf(form.NewAttemptLog(text)))
	got := Message(text)
	assert.Equal(t, ReasonTransient, got.Reason, got.Rule)
	assert.Equal(t, "http/503", got.Rule)
}

// TestAttemptLogParts checks that attempts are parts of the text, ordered and
// without overlap.
func TestAttemptLogParts(t *testing.T) {
	t.Parallel()
	words := []string{
		"last ", "final ", "most recent ", "attempt", " 2", "1", ": ", "retry", "try", "#", "error", "failure", "giving up: ", "finally: ",
		"attempt 3", "HTTP 503", " ", "\n", "x", "_", "LAST ATTEMPT 9",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 40).Draw(t, "words"), "")
		log := form.NewAttemptLog(text)
		before := len(text)
		for _, part := range partsOf(log) {
			at := strings.LastIndex(text[:before], part)
			if at < 0 {
				t.Fatalf("%q: part %q is not left of byte %d", text, part, before)
			}
			before = at
		}
		if got := Message(text); strings.HasSuffix(got.Rule, panicSuffix) {
			t.Fatalf("%q: %s", text, got.Rule)
		}
	})
}

// TestLongRetryLog checks that only the last few of many attempts are read.
func TestLongRetryLog(t *testing.T) {
	t.Parallel()
	log := strings.Repeat("attempt 1: HTTP 401 Unauthorized\n", 1000) + "attempt 2: HTTP 503\n" + strings.Repeat("attempt 3: hm\n", 6)
	assert.Equal(t, ReasonTransient, Message(log).Reason)
	assert.Equal(t, ReasonTransient, Message(strings.Repeat("x ", DefaultMaxBytes)+log).Reason)
	for _, s := range []string{"attempt 1 ", "last error ", "a", "try 1", "final: "} {
		assert.NotEmpty(t, Message(strings.Repeat(s, DefaultMaxBytes)).Category)
	}
}

// TestManyRefusals checks that a text is not read again for each status.
func TestManyRefusals(t *testing.T) {
	t.Parallel()
	assert.Equal(t, ReasonInvalidRequest, Message("HTTP 404, HTTP 422, HTTP 410, HTTP 405: ECONNRESET").Reason)
	assert.Equal(t, ReasonNetwork, Message("ECONNRESET, HTTP 404, HTTP 422, HTTP 410, HTTP 405").Reason)
	assert.NotEmpty(t, Message(strings.Repeat("HTTP 404 HTTP 400 HTTP 401 HTTP 403 HTTP 405 HTTP 422 HTTP 410 HTTP 411 HTTP 412 ECONNRESET ", 1000)).Category)
}
