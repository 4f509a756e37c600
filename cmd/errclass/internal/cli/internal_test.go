package cli

import (
	"bytes"
	"io"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	const record = "v1.2.3 fedcba9876543210fedc\n"
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123"}
	modified := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	tests := []struct {
		name     string
		version  string
		settings []debug.BuildSetting
		record   string
		want     string
	}{
		{name: "go build without version control", want: "(devel) (commit not recorded, go1.26.8)"},
		{name: "go build in a clone", version: "v1.2.4-0.20261122230000-0123456789ab", settings: []debug.BuildSetting{revision}, record: record,
			want: "v1.2.4-0.20261122230000-0123456789ab (commit 0123456789ab, go1.26.8)"},
		{name: "go build in a clone with changes", version: "v1.2.3", settings: []debug.BuildSetting{revision, modified},
			want: "v1.2.3 (commit 0123456789ab with changes, go1.26.8)"},
		{name: "go install of a commit", version: "v1.2.4-0.20261122230000-0123456789ab", record: record,
			want: "v1.2.4-0.20261122230000-0123456789ab (commit 0123456789ab, go1.26.8)"},
		{name: "go install of a commit before any tag", version: "v0.0.0-20261122230000-0123456789ab",
			want: "v0.0.0-20261122230000-0123456789ab (commit 0123456789ab, go1.26.8)"},
		{name: "go install of a commit after a candidate", version: "v1.2.3-rc.1.0.20261122230000-0123456789ab",
			want: "v1.2.3-rc.1.0.20261122230000-0123456789ab (commit 0123456789ab, go1.26.8)"},
		{name: "go install of a release", version: "v1.2.3", record: record, want: "v1.2.3 (released from commit fedcba987654, go1.26.8)"},
		{name: "a record of another release", version: "v1.2.4", record: record, want: "v1.2.4 (commit not recorded, go1.26.8)"},
		{name: "a release of a fork without a record", version: "v1.2.3", want: "v1.2.3 (commit not recorded, go1.26.8)"},
		{name: "a damaged record", version: "v1.2.3", record: "v1.2.3", want: "v1.2.3 (commit not recorded, go1.26.8)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: test.version}, Settings: test.settings}
			assert.Equal(t, test.want, describe(info, test.record))
		})
	}
}

func TestMillisecondsRoundUp(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]int64{0: 0, 1: 1, time.Millisecond: 1, 1500 * time.Microsecond: 2, 2 * time.Second: 2000, 1<<63 - 1: 9223372036855} {
		assert.Equal(t, want, milliseconds(d), d)
	}
}

func TestRetryHints(t *testing.T) {
	t.Parallel()
	r := classify.Result{Category: "retryable", Reason: "rate_limit", Rule: "http/429", Confidence: 0.95, Status: 429, HasRetryAfter: true, RetryAfter: 1500 * time.Millisecond}
	assert.Equal(t, `{"id":"a","category":"retryable","reason":"rate_limit","rule":"http/429","confidence":0.95,"status":429,"retry_after_ms":1500}`, string(appendResultJSON(nil, []byte(`"a"`), r)))
	r.RetryAfter = 0
	assert.Equal(t, `{"category":"retryable","reason":"rate_limit","rule":"http/429","confidence":0.95,"status":429,"retry_after_ms":0}`, string(appendResultJSON(nil, nil, r)))
	assert.Contains(t, string(quoted("\xff")), `\ufffd`, "invalid UTF-8 is replaced")
	x := explanationJSON(classify.Explanation{Result: r})
	require.NotNil(t, x.RetryAfterMS)
	assert.Zero(t, *x.RetryAfterMS)
	var b bytes.Buffer
	require.NoError(t, writeExplanation(&b, "", classify.Explanation{Result: r}, false))
	assert.Contains(t, b.String(), "retry after 0s\n")
}

func TestColours(t *testing.T) {
	text.EnableColors()
	var b bytes.Buffer
	const message = "an HTTP 429"
	require.NoError(t, writeExplanation(&b, message, classify.Minimal.Explain(classify.Evidence{Message: message}), true))
	assert.Contains(t, b.String(), "an HTTP \x1b[1;93m429\x1b[0m\n")
	assert.NotContains(t, b.String(), "»")

	b.Reset()
	const several = "network, é network: HTTP 429 on the network"
	require.NoError(t, writeExplanation(&b, several, classify.Minimal.Explain(classify.Evidence{Message: several}), true))
	assert.Contains(t, b.String(), "  \x1b[4mnetwork\x1b[0m, é network: HTTP \x1b[1;93m429\x1b[0m on the network\n", "the leftmost match is underlined")

	assert.True(t, colours())
	text.DisableColors()
	defer text.EnableColors()
	assert.False(t, colours())
}

// TestUnderlined checks matches that overlap or are only partly shown.
func TestUnderlined(t *testing.T) {
	text.EnableColors()
	signals := []classify.Signal{{}, {Start: 2, End: 6}, {Start: 4, End: 8}, {Start: -1, End: -1}, {Start: 9, End: 99}}
	assert.Equal(t, "01\x1b[4m2345\x1b[0m\x1b[4m67\x1b[0m8\x1b[4m9\x1b[0m", underlined("0123456789", 0, 10, signals, true))
	assert.Equal(t, "\x1b[4m567\x1b[0m8", underlined("0123456789", 5, 9, signals, true))
	assert.Equal(t, "345", underlined("0123456789", 3, 6, signals, false))
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var none *progressBar
	r := strings.NewReader("x")
	assert.Same(t, r, none.reader(r))
	none.done()
	assert.Nil(t, newProgress(Streams{Err: io.Discard, Out: io.Discard}, nil), "not without a terminal")

	for range 20 { // stopped at once
		bar := startProgress(io.Discard, 5)
		n, err := io.Copy(io.Discard, bar.reader(strings.NewReader("hello")))
		require.NoError(t, err)
		require.Equal(t, int64(5), n)
		require.Equal(t, int64(5), bar.tracker.Value())
		bar.done()
	}
	startProgress(io.Discard, 1<<40).done()
}

func TestHeadKeepsWholeCharacters(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "short", head("short"))
	for _, message := range []string{strings.Repeat("é", 200), "x" + strings.Repeat("日", 200), strings.Repeat("\x80", 300)} {
		assert.LessOrEqual(t, len(head(message)), 103)
		assert.Equal(t, utf8.ValidString(message), utf8.ValidString(head(message)))
	}
}

func TestOutputClosed(t *testing.T) {
	t.Parallel()
	assert.True(t, outputClosed(syscall.EPIPE))
	assert.True(t, outputClosed(io.ErrClosedPipe))
	assert.False(t, outputClosed(nil))
	assert.False(t, outputClosed(io.ErrShortWrite))
}

// TestPauses checks the number of runs and the pauses between them.
func TestPauses(t *testing.T) {
	t.Parallel()
	type wait struct {
		pause time.Duration
		again bool
	}
	network := classify.Message("ECONNRESET")
	var got []wait
	for r := (retrier{calls: 1}); r.calls <= 6; r.calls++ {
		d, again := r.pause(network)
		got = append(got, wait{d, again})
	}
	s := time.Second
	assert.Equal(t, []wait{{s, true}, {2 * s, true}, {4 * s, true}, {8 * s, true}, {16 * s, true}, {0, false}}, got)

	for _, tt := range []struct {
		name string
		r    retrier
		res  classify.Result
		want wait
	}{
		{"a hint", retrier{calls: 2}, classify.Message("HTTP 429, retry after 50s"), wait{50 * s, true}},
		{"a hint of no wait", retrier{calls: 1}, classify.Message("HTTP 429, retry after 0s"), wait{0, true}},
		{"a hint that is too long", retrier{calls: 1}, classify.Message("HTTP 429, retry after 61s"), wait{61 * s, false}},
		{"a limit", retrier{calls: 2, maxRuns: 2}, network, wait{}},
		{"not retryable", retrier{calls: 1}, classify.Message("Invalid API key"), wait{}},
		{"a watchdog's timeout", retrier{calls: 1}, classify.Result{Category: classify.CategoryTimeout, Reason: classify.ReasonTimeout}, wait{s, true}},
		{"corrective only", retrier{calls: 1}, classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonParsing}, wait{}},
	} {
		d, again := tt.r.pause(tt.res)
		assert.Equal(t, tt.want, wait{d, again}, tt.name)
	}
}
