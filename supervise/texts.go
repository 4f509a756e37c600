package supervise

import (
	"strings"

	"github.com/errclass/errclass/classify"
)

// Text is a message about a failure for the user of a program.
type Text struct {
	Message string // "Your OpenAI API key is invalid or expired"
	Action  string // "Update your API key in workspace settings"; may be ""
}

// NewSessionText tells the user that a session is lost and a new one is started.
const NewSessionText = "Starting new session (previous session unavailable)"

// signInText is the text for a missing or expired sign-in.
var signInText = Text{"Your {name }sign-in is missing or has expired", "Sign in again"}

// userTexts has the text for each reason. UserText replaces these placeholders by the
// provider's name:
//
//   - {Name} becomes the name, or "The provider" if unknown.
//   - {name} becomes the name, or "the provider" if unknown.
//   - {name } becomes the name and a space, or nothing if unknown.
var userTexts = map[classify.Reason]Text{
	classify.ReasonRateLimit:        {"{Name} takes no more requests at the moment", "Try again in a minute"},
	classify.ReasonTransient:        {"{Name} is not available at the moment", "Try again in a minute"},
	classify.ReasonNetwork:          {"The connection to {name} failed", "Check your network and try again"},
	classify.ReasonTimeout:          {"{Name} did not answer in time", "Try again"},
	classify.ReasonContextOverflow:  {"The conversation is too long for the model", "Compact the conversation or start a new session"},
	classify.ReasonAuthentication:   {"Your {name }API key is invalid or expired", "Update your API key in workspace settings"},
	classify.ReasonBudgetExceeded:   {"Your {name }budget or quota is used up", "Check your plan and billing"},
	classify.ReasonPolicy:           {"{Name} declined the request because of its usage policy", "Change the request"},
	classify.ReasonInvalidRequest:   {"{Name} could not process the request", "Check the model and the settings"},
	classify.ReasonParsing:          {"{Name} sent an answer that could not be parsed", "Try again"},
	classify.ReasonNetworkPermanent: {"{Name} cannot be reached from here", "Check the address, the proxy and the certificates"},
	classify.ReasonSpawn:            {"The program for {name} did not run to completion", "Check that it is installed and up to date"},
	classify.ReasonMCP:              {"A tool server is not available", "Go on without its tools, or check its settings"},
	classify.ReasonResource:         {"This machine has run out of memory, disk space or another resource", "Free some and try again"},
	classify.ReasonLogic:            {"The request failed because of an internal error", "Report it"},
	classify.ReasonAborted:          {"The request was cancelled", ""},
	classify.ReasonUnknown:          {"The request failed", ""},
}

// providerNames maps providers and their programs to display names.
var providerNames = map[string]string{
	"anthropic": "Anthropic", "claude": "Anthropic",
	"openai": "OpenAI", "codex": "OpenAI",
	"google": "Google", "gemini": "Google",
	"azure": "Azure", "bedrock": "Amazon Bedrock", "mistral": "Mistral", "deepseek": "DeepSeek",
	"openrouter": "OpenRouter", "ollama": "Ollama", "xai": "xAI", "groq": "Groq",
}

// UserText returns a message about a failure for the user of a program. The message
// comes from a fixed table. It never quotes a provider or a child. provider is the
// caller's name for the provider ("codex"), or "" if unknown. stderr is the child's
// standard error, or "". It is used only to distinguish a bad key from a missing
// sign-in.
func UserText(res classify.Result, provider, stderr string) Text {
	text, ok := userTexts[res.Reason]
	switch {
	case !ok:
		text = userTexts[classify.ReasonUnknown]
	case res.Reason == classify.ReasonAuthentication && mustSignIn(res, stderr):
		text = signInText
	}
	name, ok := providerNames[strings.ToLower(provider)]
	if !ok {
		name = provider
	}
	of, within, first := name+" ", name, name
	if name == "" {
		of, within, first = "", "the provider", "The provider"
	}
	text.Message = strings.NewReplacer("{Name}", first, "{name}", within, "{name }", of).Replace(text.Message)
	return text
}
