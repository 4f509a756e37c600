package modelerrors

import (
	"regexp"

	"github.com/errclass/errclass/classify"
)

// thinkingBudget matches Anthropic's error for a conversation that leaves less of
// the window than the thinking budget needs. Package classify calls it a bad
// request, this package an overflow.
var thinkingBudget = regexp.MustCompile(`(?i)max_tokens\W{1,4}must be greater than\W{1,4}thinking\.budget_tokens`)

// IsContextOverflowError reports whether the conversation exceeds the model's
// context window. It looks for a [*ContextOverflowError] in the chain, the codes
// and fields of SDK errors, and texts such as
//
//   - Anthropic's 400 "prompt is too long: N tokens > M maximum",
//   - Anthropic's 400 "max_tokens must be greater than thinking.budget_tokens",
//   - OpenAI's 400 "maximum context length" and "context_length_exceeded",
//   - any of these with status 500, as Anthropic sometimes sends them.
//
// A 500 without such a text is not an overflow, and neither is a limit of tokens
// per minute.
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

// overflowAdvice omits the provider's text: token counts do not help a user.
const overflowAdvice = "The conversation has exceeded the model's context window. " +
	"Compact it (/compact in command line agents) or start a new session."

// FormatError returns a text for the user: advice for a context overflow, the
// error's own text otherwise. FormatError(nil) is "".
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
