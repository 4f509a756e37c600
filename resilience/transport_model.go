package resilience

import (
	"errors"
	"net"
	"net/http"
	"path"
	"strings"
)

// modelPaths are the ends of the URL paths of model APIs, as patterns for
// path.Match. They cover Anthropic, OpenAI and compatible servers, Google and
// Bedrock.
var modelPaths = []string{
	"messages", "messages/count_tokens",
	"chat/completions", "completions", "responses", "embeddings", "moderations",
	"models/*:generateContent", "models/*:streamGenerateContent", "models/*:countTokens", "models/*:embedContent",
	"model/*/invoke", "model/*/invoke-with-response-stream", "model/*/converse", "model/*/converse-stream",
}

// WithModelAPIs also retries POST requests to the APIs of language models. It does
// so only if the model did not answer: the response is an error, or there was no
// connection. If a connection breaks after the request was sent, the request is not
// retried. The model may have answered, and the answer costs money.
//
// The APIs are recognized by the end of the path, such as "/v1/messages" or
// "/v1/chat/completions". By default, a POST is retried only with an
// Idempotency-Key.
//
// Switch off the retries of the SDK itself; docs/faq.md says how. Otherwise each
// retry of the Transport repeats all retries of the SDK.
func WithModelAPIs() TransportOption {
	return transportOption(func(t *Transport) { t.modelAPIs = true })
}

// isModelCall reports whether r is a request to the API of a language model.
func isModelCall(r *http.Request) bool {
	if r.Method != http.MethodPost || r.URL == nil {
		return false
	}
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	for _, pattern := range modelPaths {
		n := strings.Count(pattern, "/") + 1
		if n > len(segments) {
			continue
		}
		if ok, _ := path.Match(pattern, strings.Join(segments[len(segments)-n:], "/")); ok {
			return true
		}
	}
	return false
}

// unanswered reports whether a failed request has had no effect: the response is
// an error, or no connection was made.
func unanswered(a Attempt) bool {
	if _, ok := errors.AsType[*ResponseError](a.Err); ok {
		return true
	}
	dial, ok := errors.AsType[*net.OpError](a.Err)
	return ok && dial.Op == "dial"
}
