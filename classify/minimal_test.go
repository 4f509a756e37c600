package classify_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// minimalPatterns is a copy of the twenty original patterns, to detect changes.
var minimalPatterns = []struct {
	pattern  *regexp.Regexp
	category classify.Category
	reason   classify.Reason
}{
	{insensitive(`rate.?limit`), classify.CategoryRetryable, classify.ReasonRateLimit},
	{insensitive(`429`), classify.CategoryRetryable, classify.ReasonRateLimit},
	{insensitive(`503`), classify.CategoryRetryable, classify.ReasonTransient},
	{insensitive(`overloaded`), classify.CategoryRetryable, classify.ReasonTransient},
	{insensitive(`ETIMEDOUT`), classify.CategoryRetryable, classify.ReasonTimeout},
	{insensitive(`ECONNRESET`), classify.CategoryRetryable, classify.ReasonNetwork},
	{insensitive(`ECONNREFUSED`), classify.CategoryRetryable, classify.ReasonNetwork},
	{insensitive(`network`), classify.CategoryRetryable, classify.ReasonNetwork},
	{insensitive(`context.?length`), classify.CategoryContextOverflow, classify.ReasonContextOverflow},
	{insensitive(`context.?window`), classify.CategoryContextOverflow, classify.ReasonContextOverflow},
	{insensitive(`context.?overflow`), classify.CategoryContextOverflow, classify.ReasonContextOverflow},
	{insensitive(`too many tokens`), classify.CategoryContextOverflow, classify.ReasonContextOverflow},
	{insensitive(`maximum context`), classify.CategoryContextOverflow, classify.ReasonContextOverflow},
	{insensitive(`token.?limit`), classify.CategoryContextOverflow, classify.ReasonContextOverflow},
	{insensitive(`401`), classify.CategoryFatal, classify.ReasonAuthentication},
	{insensitive(`403`), classify.CategoryFatal, classify.ReasonAuthentication},
	{insensitive(`unauthorized`), classify.CategoryFatal, classify.ReasonAuthentication},
	{insensitive(`forbidden`), classify.CategoryFatal, classify.ReasonAuthentication},
	{insensitive(`invalid.?key`), classify.CategoryFatal, classify.ReasonAuthentication},
	{insensitive(`authentication`), classify.CategoryFatal, classify.ReasonAuthentication},
}

func insensitive(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) }

func bySeed000(text string) (classify.Category, classify.Reason) {
	for _, p := range minimalPatterns {
		if p.pattern.MatchString(text) {
			return p.category, p.reason
		}
	}
	return classify.CategoryFatal, classify.ReasonUnknown
}

// FuzzMinimal compares Minimal with package regexp, with and without a cache.
func FuzzMinimal(f *testing.F) {
	for _, text := range []string{
		"", "boom", "rate_limit exceeded", "Prompt exceeds context window", "HTTP 401 Unauthorized",
		"401: context length, RATE LIMIT", "rate\nlimit", "rate\xfflimit", "rate\xe2\x82limit", "rate\u20aclimit",
		"to\u212aen limit", "too many to\u212aens", "ECONNRE\u017fET", "author\x00ization", "unauthori\u017fed",
		"invalid  key", "INVALID\rKEY", "networ\u212a", "forb\u0131dden", "4029 50\u00a03 4\u0661",
		strings.Repeat("x", 40<<10) + "429" + strings.Repeat("x", 40<<10),
		strings.Repeat("rate", 40) + "limi" + strings.Repeat("\xc3", 70) + "tokenlimit",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, text := range []string{text, text + strings.Repeat("\u00e9", 40) + text, strings.ToUpper(text)} {
			category, reason := bySeed000(text)
			fresh, err := classify.New(classify.WithBase(classify.Minimal))
			require.NoError(t, err)
			for name, got := range map[string]classify.Result{
				"read":     fresh.Message(text),
				"read on":  classify.Minimal.Message(text),
				"recalled": classify.Minimal.Message(text),
			} {
				require.Equal(t, category, got.Category, "%s: %q", name, text)
				require.Equal(t, reason, got.Reason, "%s: %q", name, text)
				require.True(t, strings.HasPrefix(got.Rule, "000/"), "%s: %q: rule %s", name, text, got.Rule)
				require.NotContains(t, got.Rule, "+panic", "%s: %q", name, text)
			}
		}
	})
}
