package modelerrors

import (
	"regexp"

	"github.com/errclass/errclass/classify"
)

// thinkingBudget is what Anthropic answers where so little of the window is
// left that max_tokens cannot hold the budget for thinking. Package classify
// takes it for what it literally is, a bad request; this package for an overflow.
var thinkingBudget = regexp.MustCompile(`(?i)max_tokens\W{1,4}must be greater than\W{1,4}thinking\.budget_tokens`)

// IsContextOverflowError reports whether err says that the conversation exceeds
// the model's context window: by a [*ContextOverflowError] in its chain, by the
// codes and fields of SDKs' errors, or by its text. Among the texts are
//
//   - Anthropic's 400 "prompt is too long: N tokens > M maximum",
//   - Anthropic's 400 "max_tokens must be greater than thinking.budget_tokens",
//   - OpenAI's 400 "maximum context length" and "context_length_exceeded",
//   - any of these behind a 500, which Anthropic has been seen to send.
//
// A 500 that does not say so is none: who takes such a one for an overflow,
// because the conversation was near the limit, has to check that elsewhere.
// Neither is a limit of tokens a minute.
func IsContextOverflowError(err error) bool {
	switch {
	case err == nil:
		return false
	case find[ContextOverflowError](err) != nil:
		return true
	case classify.Error(err).Category == classify.CategoryContextOverflow:
		return true
	default:
		return thinkingBudget.MatchString(text(err))
	}
}

// overflowAdvice never repeats the provider's text: users can do nothing with
// numbers of tokens.
const overflowAdvice = "The conversation has exceeded the model's context window. " +
	"Compact it (/compact in command line agents) or start a new session."

// FormatError returns what to show to a user. A context overflow gets advice
// instead of the provider's words; every other error keeps its own text.
// FormatError(nil) is "".
func FormatError(err error) string {
	switch {
	case err == nil:
		return ""
	case IsContextOverflowError(err):
		return overflowAdvice
	default:
		return text(err)
	}
}
