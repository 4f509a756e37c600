package modelerrors

import (
	"regexp"

	"github.com/errclass/errclass/classify"
)

// overflowPhrase matches texts of errors that are context overflows in this package,
// but not in package classify.
var overflowPhrase = regexp.MustCompile(`(?i)(?:request|payload) too large|token limit|maximum number of tokens|reduce the length|` +
	`max_tokens\W{1,4}must be greater than\W{1,4}thinking\.budget_tokens`)

// rateWords matches texts about a rate limit. Such a text is not an overflow.
var rateWords = regexp.MustCompile(`(?i)rate.?limit|per[ -]?(?:second|minute|min\b|hour|day)|\bTP[MD]\b`)

// IsContextOverflowError reports whether the conversation exceeds the model's
// context window. It reads a [*ContextOverflowError] in the chain, and the codes and
// fields of SDK errors. It also recognises texts such as these:
//
//   - Anthropic's 400 "prompt is too long: N tokens > M maximum"
//   - Anthropic's 400 "max_tokens must be greater than thinking.budget_tokens"
//   - OpenAI's 400 "maximum context length" and "context_length_exceeded"
//   - "request too large" and "413 Payload Too Large"
//
// The text decides, whatever the status: sometimes Anthropic sends a 500 and OpenAI
// a 429. A status alone is not an overflow. A limit of tokens per minute is not an
// overflow.
func IsContextOverflowError(err error) bool {
	switch {
	case err == nil:
		return false
	case find[ContextOverflowError](err) != nil:
		return true
	case rules.Error(err).Category == classify.CategoryContextOverflow:
		return true
	default:
		s := head(text(err))
		return overflowPhrase.MatchString(s) && !rateWords.MatchString(s)
	}
}

// overflowAdvice is the text for the user. It does not quote the provider.
const overflowAdvice = "The conversation has exceeded the model's context window. " +
	"Compact it (/compact in command line agents) or start a new session."

// FormatError returns a text for the user. Usually it is the error's own text. If a
// [*ContextOverflowError] is in the chain, the text is advice. FormatError(nil) is
// "".
func FormatError(err error) string {
	switch {
	case err == nil:
		return ""
	case find[ContextOverflowError](err) != nil:
		return overflowAdvice
	default:
		return text(err)
	}
}
