package classify_test

import (
	"testing"

	"github.com/errclass/errclass/classify"
)

func BenchmarkStatus(b *testing.B) {
	b.ReportAllocs()
	e := classify.Evidence{Status: 503}
	for b.Loop() {
		classify.Standard.Classify(e)
	}
}

func BenchmarkAnthropic429(b *testing.B) {
	e := classify.Evidence{
		Status: 429,
		Header: map[string][]string{
			"Anthropic-Organization-Id":              {"0b7e44c1-58d2-4f6a-9313-ce20a86f7d15"},
			"Anthropic-Ratelimit-Requests-Limit":     {"50"},
			"Anthropic-Ratelimit-Requests-Remaining": {"0"},
			"Anthropic-Ratelimit-Requests-Reset":     {"2026-11-06T08:50:37Z"},
			"Anthropic-Ratelimit-Tokens-Limit":       {"80000"},
			"Anthropic-Ratelimit-Tokens-Remaining":   {"79000"},
			"Anthropic-Ratelimit-Tokens-Reset":       {"2026-11-06T08:50:37Z"},
			"Content-Type":                           {"application/json"},
			"Date":                                   {"Fri, 06 Nov 2026 08:50:07 GMT"},
			"Request-Id":                             {"req_011CSxY2a"},
			"Retry-After":                            {"12"},
			"Server":                                 {"cloudflare"},
		},
		Body: []byte(`{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed the rate limit for your organization of 80,000 input tokens per minute."},"request_id":"req_011CSxY2a"}`),
	}
	b.Run("headers", func(b *testing.B) {
		b.ReportAllocs()
		e := e
		e.Body = nil
		for b.Loop() {
			classify.Standard.Classify(e)
		}
	})
	b.Run("headers and body", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			classify.Standard.Classify(e)
		}
	})
}

// TestStatusAllocatesNothing checks that classifying evidence with only a status, the
// most common kind, allocates nothing.
func TestStatusAllocatesNothing(t *testing.T) {
	e := classify.Evidence{Status: 503}
	classify.Standard.Classify(e)
	if n := testing.AllocsPerRun(100, func() { classify.Standard.Classify(e) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
