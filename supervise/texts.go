package supervise

import (
	"strings"

	"github.com/errclass/errclass/classify"
)

// Text is what a program tells its user about a failure.
type Text struct {
	Message string // "Your OpenAI API key is invalid or expired"
	Action  string // "Update your API key in workspace settings"; "" where there is nothing to do
}

// NewSessionText is what to tell a user whose session could not be resumed and
// who gets a new one instead.
const NewSessionText = "Starting new session (previous session unavailable)"

// signInText is said where a key does not help.
var signInText = Text{"Your {name }sign-in is missing or has expired", "Sign in again"}

// userTexts are the words for each reason. {Name} and {name} are the provider,
// at the beginning of a sentence and within one; {name } is left out where the
// provider is not known.
var userTexts = map[classify.Reason]Text{
	classify.ReasonRateLimit:        {"{Name} takes no more requests at the moment", "Try again in a minute"},
	classify.ReasonTransient:        {"{Name} is not available at the moment", "Try again in a minute"},
	classify.ReasonNetwork:          {"The connection to {name} failed", "Check your network and try again"},
	classify.ReasonTimeout:          {"{Name} did not answer in time", "Try again"},
	classify.ReasonContextOverflow:  {"The conversation is too long for the model", "Compact the conversation or start a new session"},
	classify.ReasonAuthentication:   {"Your {name }API key is invalid or expired", "Update your API key in workspace settings"},
	classify.ReasonBudgetExceeded:   {"Your {name }budget or quota is used up", "Check your plan and billing"},
	classify.ReasonPolicy:           {"{Name} declined the request for its usage policy", "Change the request"},
	classify.ReasonInvalidRequest:   {"{Name} could not work with the request", "Check the model and the settings"},
	classify.ReasonParsing:          {"{Name} gave an answer that could not be read", "Try again"},
	classify.ReasonNetworkPermanent: {"{Name} cannot be reached from here", "Check the address, the proxy and the certificates"},
	classify.ReasonSpawn:            {"The program for {name} could not be run to its end", "Check that it is installed and up to date"},
	classify.ReasonMCP:              {"A tool server is not available", "Go on without its tools, or check its settings"},
	classify.ReasonResource:         {"This machine has run out of memory, disk space or another resource", "Free some and try again"},
	classify.ReasonLogic:            {"The request failed for an internal error", "Report it"},
	classify.ReasonAborted:          {"The request was cancelled", ""},
	classify.ReasonUnknown:          {"The request failed", ""},
}

// providerNames are the names of providers, and of their programs, as people
// know them.
var providerNames = map[string]string{
	"anthropic": "Anthropic", "claude": "Anthropic",
	"openai": "OpenAI", "codex": "OpenAI",
	"google": "Google", "gemini": "Google",
	"azure": "Azure", "bedrock": "Amazon Bedrock", "mistral": "Mistral", "deepseek": "DeepSeek",
	"openrouter": "OpenRouter", "ollama": "Ollama", "xai": "xAI", "groq": "Groq",
}

// UserText is what to tell the user of a program about a failure: words from a
// fixed table, with nothing in them that a provider or a child has said. provider
// is the name that the caller uses ("codex"), or "" where it is not known; stderr
// is looked at for whether a key or a sign-in is at fault, and may be empty.
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
