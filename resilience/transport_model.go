package resilience

import (
	"errors"
	"net"
	"net/http"
	"path"
	"strings"
)

// modelPaths are patterns for path.Match. They match the ends of URL paths. The lines
// are for Anthropic, for OpenAI and compatible servers, for Google, and for Bedrock.
var modelPaths = []string{
	"messages", "messages/count_tokens",
	"chat/completions", "completions", "responses", "embeddings", "moderations",
	"models/*:generateContent", "models/*:streamGenerateContent", "models/*:countTokens", "models/*:embedContent",
	"model/*/invoke", "model/*/invoke-with-response-stream", "model/*/converse", "model/*/converse-stream",
}

// connecting has the values of net.OpError.Op for which no request can have been sent.
// The last two are of connections through a proxy.
var connecting = map[string]bool{"dial": true, "proxyconnect": true, "socks connect": true}

// WithModelAPIs also retries POST requests to the APIs of language models. A request
// is retried only if the response is an error or if no connection was made. If a
// connection breaks later, the request is not retried, because the model may have
// answered, and an answer costs money. By default, a POST is retried only with an
// Idempotency-Key.
//
// The APIs are recognized by the end of the path, such as "/v1/messages".
//
// Switch off the retries of the provider's SDK; docs/faq.md says how. Otherwise the
// SDK and the Transport both retry, and the numbers of retries multiply.
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

// unanswered reports whether a failed request had no effect, because the response is an
// error or no connection was made.
func unanswered(a Attempt) bool {
	if _, ok := errors.AsType[*ResponseError](a.Err); ok {
		return true
	}
	err := a.Err
	for { // a proxy's client wraps the error of the dial in an error of its own
		op, ok := errors.AsType[*net.OpError](err)
		if !ok || connecting[op.Op] {
			return ok
		}
		err = op.Err
	}
}
