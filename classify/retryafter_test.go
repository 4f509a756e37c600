package classify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

var now = time.Date(2026, 11, 6, 8, 49, 37, 0, time.UTC)

func ExampleParseRetryAfter() {
	now := time.Date(2026, 11, 6, 8, 49, 37, 0, time.UTC)
	for _, value := range []string{"120", "1.5", "Fri, 06 Nov 2026 08:50:07 GMT", "6m0s", "-1", "soon"} {
		wait, ok := classify.ParseRetryAfter(value, now)
		fmt.Println(wait, ok)
	}
	// Output:
	// 2m0s true
	// 1.5s true
	// 30s true
	// 6m0s true
	// 0s true
	// 0s false
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	tests := []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"0", 0, true},
		{" 30 ", 30 * time.Second, true},
		{"+30", 30 * time.Second, true},
		{"0.25", 250 * time.Millisecond, true},
		{".5", 500 * time.Millisecond, true},
		{"-0.5", 0, true},
		{"99999999", year, true},
		{"999999999999999999999999999999", year, true},
		{fmt.Sprint(now.Unix() + 90), 90 * time.Second, true},
		{fmt.Sprint(now.UnixMilli() + 90_500), 90_500 * time.Millisecond, true},
		{fmt.Sprint(now.Unix() - 90), 0, true},
		// These dates have the three formats of RFC 9110, section 5.6.7.
		{"Fri, 06 Nov 2026 08:50:37 GMT", time.Minute, true},
		{"Friday, 06-Nov-26 08:50:37 GMT", time.Minute, true},
		{"Fri Nov  6 08:50:37 2026", time.Minute, true},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 0, true},
		{"Sun, 06 Nov 1994 08:49:37 GMT", 0, true},
		{"Fri, 31 Dec 9999 23:59:59 GMT", year, true},
		{"2026-11-06T08:50:07Z", 30 * time.Second, true},
		{"2026-11-06T09:50:07.5+01:00", 30*time.Second + 500*time.Millisecond, true},
		{"1s", time.Second, true},
		{"20ms", 20 * time.Millisecond, true},
		{"6m0s", 6 * time.Minute, true},
		{"1h2m3.5s", time.Hour + 2*time.Minute + 3500*time.Millisecond, true},
		{"2 minutes", 2 * time.Minute, true},
		{"", 0, false},
		{"-", 0, false},
		{".", 0, false},
		{"1.2.3", 0, false},
		{"--1", 0, false},
		{"inf", 0, false},
		{"NaN", 0, false},
		{"1e9", 0, false},
		{"0x10", 0, false},
		{"1_000", 0, false},
		{"30 parsecs", 0, false},
		{"30, 60", 0, false},
		{"6m0", 0, false},
		{"Fri, 06 Nov 2026", 0, false},
		{"2026-13-41T99:99:99Z", 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			t.Parallel()
			got, ok := classify.ParseRetryAfter(tt.value, now)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestRetryAfterHeaders(t *testing.T) {
	t.Parallel()
	at := func(d time.Duration) string { return now.Add(d).Format(time.RFC3339) }
	type header = map[string][]string
	type want struct {
		wait    time.Duration
		has     bool
		derived bool
		reason  classify.Reason
	}
	explicit := func(d time.Duration) want { return want{d, true, false, classify.ReasonRateLimit} }
	derived := func(d time.Duration) want { return want{d, true, true, classify.ReasonRateLimit} }
	none := want{reason: classify.ReasonRateLimit}
	tests := []struct {
		name   string
		status int
		header header
		body   string
		want   want
	}{
		{name: "none", want: none},
		{name: "seconds", header: header{"Retry-After": {"30"}}, want: explicit(30 * time.Second)},
		{name: "any case", header: header{"rETRY-aFTER": {"30"}}, want: explicit(30 * time.Second)},
		{name: "no value", header: header{"Retry-After": nil}, want: none},
		{name: "not a value", header: header{"Retry-After": {"soon"}}, want: none},
		{name: "0 is not absent", header: header{"Retry-After": {"0"}}, want: explicit(0)},
		{name: "date", header: header{"Retry-After": {"Fri, 06 Nov 2026 08:50:37 GMT"}}, want: explicit(time.Minute)},
		{name: "relative to Date", header: header{"Retry-After": {"Fri, 06 Nov 2026 08:50:37 GMT"}, "date": {"Fri, 06 Nov 2026 08:50:07 GMT"}}, want: explicit(30 * time.Second)},
		{name: "a bad Date", header: header{"Retry-After": {"Fri, 06 Nov 2026 08:50:37 GMT"}, "Date": {"today"}}, want: explicit(time.Minute)},
		{name: "past", header: header{"Retry-After": {"Fri, 06 Nov 2020 08:50:37 GMT"}}, want: explicit(0)},
		{name: "milliseconds", header: header{"retry-after-ms": {"1500"}}, want: explicit(1500 * time.Millisecond)},
		{name: "the longest counts", header: header{"retry-after-ms": {"500"}, "Retry-After": {"1", "3", "2"}}, want: explicit(3 * time.Second)},
		{name: "milliseconds of Azure", header: header{"x-ms-retry-after-ms": {"250"}}, want: explicit(250 * time.Millisecond)},
		{name: "negative", header: header{"Retry-After": {"-30"}}, want: explicit(0)},
		{name: "negative milliseconds", header: header{"Retry-After-Ms": {"-1"}}, want: explicit(0)},
		{name: "overflow", header: header{"Retry-After": {"99999999999999999999"}}, want: explicit(365 * 24 * time.Hour)},
		{name: "RetryInfo is longer", header: header{"Retry-After": {"1"}}, body: `{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}`, want: explicit(34 * time.Second)},
		{name: "RetryInfo beats derived", header: header{"X-RateLimit-Reset": {"600"}}, body: `{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}`, want: explicit(34 * time.Second)},
		{name: "text beats derived", header: header{"X-RateLimit-Reset": {"600"}}, body: "Please try again in 20s.", want: explicit(20 * time.Second)},
		{name: "0 beats derived", header: header{"Retry-After": {"0"}, "X-RateLimit-Reset": {"600"}}, want: explicit(0)},
		{name: "text is longer", header: header{"Retry-After": {"1"}}, body: "Please try again in 20s.", want: explicit(20 * time.Second)},
		{name: "text is shorter", header: header{"Retry-After": {"30"}}, body: "Please try again in 20s.", want: explicit(30 * time.Second)},
		{name: "a header alone is no budget, ruling 8", header: header{"Retry-After": {"86400"}}, want: explicit(24 * time.Hour)},
		{name: "anthropic", header: header{
			"anthropic-ratelimit-requests-remaining": {"0"}, "anthropic-ratelimit-requests-reset": {at(20 * time.Second)},
			"anthropic-ratelimit-tokens-remaining": {"80000"}, "anthropic-ratelimit-tokens-reset": {at(50 * time.Second)},
		}, want: derived(20 * time.Second)},
		{name: "anthropic, nothing told to remain", header: header{
			"Anthropic-Ratelimit-Requests-Remaining": {"0"}, "Anthropic-Ratelimit-Requests-Reset": {at(20 * time.Second)},
			"Anthropic-Ratelimit-Tokens-Reset": {at(50 * time.Second)},
		}, want: derived(50 * time.Second)},
		{name: "anthropic, all remain", header: header{
			"anthropic-ratelimit-requests-remaining": {"9"}, "anthropic-ratelimit-requests-reset": {at(20 * time.Second)},
		}, want: none},
		{name: "anthropic, unified", header: header{
			"anthropic-ratelimit-unified-5h-status": {"rejected"}, "anthropic-ratelimit-unified-5h-reset": {fmt.Sprint(now.Unix() + 60)},
			"anthropic-ratelimit-unified-7d-status": {"allowed"}, "anthropic-ratelimit-unified-7d-reset": {fmt.Sprint(now.Unix() + 6000)},
		}, want: derived(time.Minute)},
		{name: "explicit beats derived", header: header{
			"Retry-After": {"5"}, "anthropic-ratelimit-requests-remaining": {"0"}, "anthropic-ratelimit-requests-reset": {at(20 * time.Second)},
		}, want: explicit(5 * time.Second)},
		{name: "openai", header: header{
			"x-ratelimit-remaining-requests": {"0"}, "x-ratelimit-reset-requests": {"6m0s"},
			"x-ratelimit-remaining-tokens": {"149984"}, "x-ratelimit-reset-tokens": {"10m0s"},
		}, want: derived(6 * time.Minute)},
		{name: "openai, milliseconds", header: header{"X-Ratelimit-Reset-Tokens": {"20ms"}}, want: derived(20 * time.Millisecond)},
		{name: "seconds of a reset", header: header{"X-RateLimit-Reset": {"17"}}, want: derived(17 * time.Second)},
		{name: "Unix time of a reset", header: header{"X-RateLimit-Reset": {fmt.Sprint(now.Unix() + 17)}}, want: derived(17 * time.Second)},
		{name: "a reset that is over", header: header{"X-RateLimit-Reset": {at(-time.Hour)}}, want: derived(0)},
		{name: "reset after", header: header{"X-RateLimit-Reset-After": {"1.5"}, "X-RateLimit-Remaining": {"0"}}, want: derived(1500 * time.Millisecond)},
		{name: "not a reset", header: header{"X-Ratelimit-Resetting": {"17"}, "X-Reset": {"3"}, "X-Ratelimit-Limit": {"3"}}, want: none},
		{name: "derived is for rate limits only", status: 503, header: header{"X-RateLimit-Reset": {"17"}}, want: want{reason: classify.ReasonTransient}},
		{name: "explicit is for all", status: 503, header: header{"Retry-After": {"17"}}, want: want{17 * time.Second, true, false, classify.ReasonTransient}},
		{name: "github's 403", status: 403, header: header{"X-RateLimit-Remaining": {"0"}, "X-RateLimit-Reset": {fmt.Sprint(now.Unix() + 600)}}, want: derived(10 * time.Minute)},
		{name: "a 403 with something left", status: 403, header: header{"X-RateLimit-Remaining": {"4"}, "X-RateLimit-Reset": {fmt.Sprint(now.Unix() + 600)}}, want: want{reason: classify.ReasonAuthentication}},
		{name: "aws", status: 400, header: header{"X-Amzn-Errortype": {"ThrottlingException:http://internal.amazon.com/coral/"}}, want: none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			status := tt.status
			if status == 0 {
				status = 429
			}
			got := classify.Standard.At(now).Classify(classify.Evidence{Status: status, Header: tt.header, Body: []byte(tt.body)})
			assert.Equal(t, tt.want, want{got.RetryAfter, got.HasRetryAfter, got.Derived, got.Reason})
		})
	}
}

func TestRetryAfterText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want time.Duration // -1 = no waiting time
	}{
		{"Please try again in 1.2s. Visit https://platform.openai.com", 1200 * time.Millisecond},
		{"Please try again in 6m0s.", 6 * time.Minute},
		{"Please try again in 20ms.", 20 * time.Millisecond},
		{"Please try again in 500 milliseconds.", 500 * time.Millisecond},
		{"retry in 34s", 34 * time.Second},
		{"Please retry in 41.318820457s.", 41318820 * time.Microsecond},
		{"try again after 3 seconds", 3 * time.Second},
		{"Please retry after 26 seconds", 26 * time.Second},
		{"Try again\nin 2 minutes", 2 * time.Minute},
		{"try again in about 2 minutes and 30 seconds", 150 * time.Second},
		{"please wait for 20 seconds", 20 * time.Second},
		{"Please wait 20 seconds before you try again.", 20 * time.Second},
		{"retry-after: 30", 30 * time.Second},
		{"Retry-After=30; Server=x", 30 * time.Second},
		{"{'Retry-After': '30'}", 30 * time.Second},
		{`\"retry_after\": 12.5}`, 12500 * time.Millisecond},
		{`"retry_after_ms": 250,`, 250 * time.Millisecond},
		{`"retryAfterSeconds":7}`, 7 * time.Second},
		{"retry_delay {\n  seconds: 34\n}", 34 * time.Second},
		{`"retryDelay": "34s"`, 34 * time.Second},
		{`"retryDelay":{"seconds":34}`, 34 * time.Second},
		{"The quota will reset after 11s.", 11 * time.Second},
		{"limit resets in 3 hours", 3 * time.Hour},
		{"retry after 2026-11-06T08:50:07Z", 30 * time.Second},
		{"try again in 5s, or try again in 9s, or in 20s", 9 * time.Second},
		{"retry after 0 seconds", 0},
		{"retry after 99999999999999999999999 seconds", 365 * 24 * time.Hour},
		{"retry after 9999999999999999 days", 365 * 24 * time.Hour},

		{"retry_delay { seconds: 34 nanos: 500 }", 34 * time.Second},
		{"retry after 1,200 seconds", 1200 * time.Second},
		{"retry after 1,234,567.5 seconds", 1234567500 * time.Millisecond},
		{"Retry-After: Fri, 06 Nov 2026 08:50:37 GMT", time.Minute},
		{"Retry-After: Fri, 06 Nov 2020 08:50:37 GMT", 0},
		{"try again in 1m30s", 90 * time.Second},
		{"try again in 1h2m", 62 * time.Minute},
		{"try again in 1h2m3s", 62*time.Minute + 3*time.Second},
		{"try again in 500ms", 500 * time.Millisecond},
		{"retry-after-ms: 1500", 1500 * time.Millisecond},
		{"RETRY AFTER 5S", 5 * time.Second},
		{"retry in 999999999999999999999h", 365 * 24 * time.Hour},
		{"retry after 1" + strings.Repeat("0", 400) + " seconds", 365 * 24 * time.Hour},

		{"retry after 1e30 seconds", -1},
		{"Retry-After: -5", -1},
		{"Date: Fri, 06 Nov 2026 08:50:37 GMT; please retry after a while", -1},
		{"Retry-After: Fri, 06 Foo 2026 08:50:37 GMT", -1},
		{"Retry-After: Fri, 06", -1},
		{"please try again later", -1},
		{"will retry in 5s", -1},
		{"We'll retry in 5s", -1},
		{"Retrying in 35 seconds (attempt 3/10)", -1},
		{"retrying 2/5 in 412ms", -1},
		{"retry after 3 attempts", -1},
		{"retry after 403 retries", -1},
		{"retry after v1.2.3", -1},
		{"retry after 1.2.3", -1},
		{"try again in 30", -1},
		{"try again after September 19, 2026 at 9:10 AM", -1},
		{"retry after -5 seconds", -1},
		{"reset reason: connection failure after 5s", -1},
		{"retry inflation 5s", -1},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{tt.text, "HTTP 503: " + tt.text + "\n"} {
				got := classify.Standard.At(now).Message(text)
				assert.Equal(t, tt.want >= 0, got.HasRetryAfter, text)
				assert.Equal(t, max(tt.want, 0), got.RetryAfter, text)
				assert.False(t, got.Derived)
			}
		})
	}
}

// TestLongWait checks that a rate limit becomes budget_exceeded if the waiting time is
// more than an hour. The value of a Retry-After header, or of its copy in a text, does
// not count.
func TestLongWait(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want classify.Reason
		rule string
	}{
		{"status 429: try again in 59 minutes", classify.ReasonRateLimit, "http/429"},
		{"status 429: try again in 1h0m0s", classify.ReasonRateLimit, "http/429"},
		{"status 429: try again in 1h0m1s", classify.ReasonBudgetExceeded, "http/429+long-wait"},
		{"status 429: Please retry after 86400 seconds.", classify.ReasonBudgetExceeded, "http/429+long-wait"},
		{"status 429, retry-after: 86400", classify.ReasonRateLimit, "http/429"},
		{"status 503: try again in 2 hours", classify.ReasonTransient, "http/503"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			got := classify.Message(tt.text)
			assert.Equal(t, tt.want, got.Reason)
			assert.Equal(t, tt.want.Policy().Category, got.Category)
			assert.Equal(t, tt.rule, got.Rule)
			assert.True(t, got.HasRetryAfter)
		})
	}
	mine, err := classify.New(classify.WithRules(classify.Rule{ID: "mine", Reason: classify.ReasonRateLimit, Pattern: "slow"}))
	assert.NoError(t, err)
	got := mine.Message("slow down, try again in 2 hours")
	assert.Equal(t, classify.ReasonRateLimit, got.Reason, "a user's rule is taken at its word")
	assert.Equal(t, 2*time.Hour, got.RetryAfter, "and the hints stay")
	assert.False(t, classify.Minimal.Message("429: try again in 2 hours").HasRetryAfter)
}
