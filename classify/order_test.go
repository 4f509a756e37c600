package classify_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

// TestOrder has cases for the section "Deciding between signals" in rules/README.md.
func TestOrder(t *testing.T) {
	t.Parallel()
	const (
		rateLimit  = classify.ReasonRateLimit
		transient  = classify.ReasonTransient
		network    = classify.ReasonNetwork
		timeout    = classify.ReasonTimeout
		overflow   = classify.ReasonContextOverflow
		auth       = classify.ReasonAuthentication
		budget     = classify.ReasonBudgetExceeded
		invalid    = classify.ReasonInvalidRequest
		forGood    = classify.ReasonNetworkPermanent
		resource   = classify.ReasonResource
		aborted    = classify.ReasonAborted
		parsing    = classify.ReasonParsing
		spawn      = classify.ReasonSpawn
		notAnError = classify.ReasonUnknown
	)
	for _, tt := range []struct {
		statement, text string
		want            classify.Reason
	}{
		{"1 all of a text is read", "HTTP 503 " + "and so on, and so on, and so on, and so on, and so on: invalid api key", auth},
		{"1 whatever comes first", "invalid api key, says HTTP 503", auth},

		{"2 cause before code", "HTTP 429: insufficient_quota", budget},
		{"2 code before phrase", "HTTP 429: connection refused", rateLimit},
		{"2 phrase before word", "JSON endpoint: connection refused", network},
		{"2 the more telling of two equals", "HTTP 500, then HTTP 401", auth},

		{"3 cause within 500", `HTTP 500: {"error":"invalid api key"}`, auth},
		{"3 cause within 500, a long prompt", "HTTP 500: prompt is too long: 210000 tokens > 200000 maximum", overflow},
		{"3 cause within Unavailable", "rpc error: code = Unavailable desc = tls: failed to verify certificate: x509: certificate signed by unknown authority", forGood},
		{"3 cause within Unavailable, no such host", "rpc error: code = Unavailable desc = dial tcp: lookup db.internal: no such host", forGood},
		{"3 phrase within 502", "502 Bad Gateway: upstream said: permission denied for role reader", auth},
		{"3 phrase within 503", "HTTP 503: write /var/lib/x: no space left on device", resource},
		{"3 phrase around 500", "no space left on device, so HTTP 500", resource},
		{"3 timeout within 500", "HTTP 500: the call of the model timed out", timeout},
		{"3 the step that failed", "The SSL connection could not be established, see inner exception. Connection reset by peer", network},
		{"3 what was not found follows from what was not reached", "Retrying after connection broken by 'NewConnectionError(': Connection refused')'\nERROR: No matching distribution found for x", network},
		{"3 a refusal for now", "HTTP 400: the server is locked", transient},
		{"3 a step that failed alone", "The SSL connection could not be established, see inner exception.", forGood},
		{"3 a 5xx with nothing more", "502 Bad Gateway: something went wrong", transient},

		{"4 400", "HTTP 400: unexpected EOF", invalid},
		{"4 404", "HTTP 404 Not Found: read body: unexpected EOF", invalid},
		{"4 401", "HTTP 401 Unauthorized: unexpected EOF", auth},
		{"4 400 and a reset", "status code 400: read tcp 10.0.0.1:1->10.0.0.2:2: connection reset by peer", invalid},
		{"4 404 and a code", "status code 404: ECONNRESET", invalid},
		{"4 429 may be tried again", "HTTP 429: unexpected EOF", rateLimit},
		{"4 425 may be tried again", "HTTP 425: ECONNRESET", network},
		{"4 409 may be tried again", "HTTP 409: ECONNRESET", network},
		{"4 the loss came first", "ECONNRESET, after HTTP 404", network},

		{"5 tokens a minute are no overflow", "Rate limit reached: too many tokens per minute. Limit: 30000 TPM", rateLimit},
		{"5 but one request that is larger is", "Request too large for model x on tokens per min (TPM): Limit 6000, Requested 12328", overflow},
		{"5 a day is no rate, even with 429", "HTTP 429: rate limit reached: requests per day (RPD): Limit 200, Used 200", budget},
		{"5 billing is no rate, even with 429", "HTTP 429: Rate limit exceeded, please check your plan and billing details", budget},
		{"5 temporary is not NXDOMAIN", "getaddrinfo ENOTFOUND x: Temporary failure in name resolution", network},
		{"5 server misbehaving", "dial tcp: lookup api.example.org on 10.0.0.2:53: server misbehaving", network},
		{"5 NXDOMAIN", "dial tcp: lookup api.example.org: no such host", forGood},

		{"6 over an hour", "HTTP 429: try again in 3 hours", budget},
		{"6 under an hour", "HTTP 429: try again in 30 minutes", rateLimit},
		{"6 a header's copy", "HTTP 429, Retry-After: 86400", rateLimit},
		{"6 of anything else", "HTTP 503: try again in 3 hours", transient},

		{"7 the last try", "attempt 1: HTTP 503\nattempt 2: HTTP 503\nattempt 3: HTTP 401 Unauthorized", auth},
		{"7 the last try, healed before", "attempt 1: HTTP 401 Unauthorized\nattempt 2: token refreshed\nattempt 3: HTTP 503", transient},
		{"7 the number behind", "HTTP 401 (attempt 1/3)\nHTTP 503 (attempt 2/3)", transient},
		{"7 final", "attempt 1 failed: connection refused, attempt 2 failed: connection refused; final error: HTTP 403 Forbidden", auth},
		{"7 final, of what was refused first", "HTTP 400, retrying\nfinal: dial tcp 10.0.0.1:80: connection refused", network},
		{"7 last error", "giving up, last error: i/o timeout; the first was HTTP 401", auth},
		{"7 giving up", "retry 1/2: ECONNRESET\nretry 2/2: ECONNRESET\nERROR giving up: 422 Unprocessable Entity", invalid},
		{"7 a last try that says nothing", "attempt 1: HTTP 401\nattempt 2: hm", auth},
		{"7 one try is all of the text", "invalid api key (attempt 1): connection refused", auth},

		{"8 port", "listening on port 429", notAnError},
		{"8 count", "copied 500 of 503 rows", notAnError},
		{"8 progress", "request 401 of 500 done", notAnError},
		{"8 retries", "after 403 retries", notAnError},
		{"8 name", "model gpt-429 loaded", notAnError},
		{"8 duration", "took 502ms", notAnError},
		{"8 id", "order 404-1 shipped", notAnError},
		{"8 size", "500 MB were written", notAnError},
		{"8 status", "status: 429", rateLimit},
		{"8 code", "code=503", transient},
		{"8 another protocol's", "503 Bad sequence of commands", invalid},

		{"9 network", "the network team was told", notAnError},
		{"9 timeout as a name", "set the timeout parameter", notAnError},
		{"9 timeout as a setting", "timeout: 30", notAnError},
		{"9 timeout as an event", "read tcp 10.0.0.1:1->10.0.0.2:2: i/o timeout", timeout},
		{"9 token", "next token", notAnError},
		{"9 limit", "the limit of the field", notAnError},
		{"9 connect", "connect the dots", notAnError},
		{"9 connect in company", "dial tcp 10.0.0.1:80: connect: connection refused", network},

		{"10 aborted", "context canceled", aborted},
		{"10 within 500", "HTTP 500: context canceled", aborted},
		{"10 a signal is none", "signal: aborted", spawn},
		{"10 nor is a transaction", "transaction is aborted, commands ignored", invalid},

		{"11 frames do not vote", "bad width\n    at TLSSocket.onTimeout (/srv/econnreset.js:429:7)", notAnError},
		{"11 what stands between them does", "x\n\tat a.B.c(B.java:1)\nCaused by: java.net.SocketTimeoutException: Read timed out", timeout},
		{"11 a parser's message", "SyntaxError: Unexpected end of JSON input\n    at JSON.parse (<anonymous>)", parsing},
	} {
		t.Run(tt.statement, func(t *testing.T) {
			t.Parallel()
			got := rulesAlone.Message(tt.text)
			assert.Equal(t, tt.want, got.Reason, "rule %s, text %q", got.Rule, tt.text)
		})
	}
}

// TestOrderOfEvidence checks which kind of evidence decides if two kinds disagree.
func TestOrderOfEvidence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		e    classify.Evidence
		want classify.Reason
	}{
		{"a message within a 5xx", classify.Evidence{Status: 502, Message: "permission denied for role reader"}, classify.ReasonAuthentication},
		{"a body within a 5xx", classify.Evidence{Status: 500, Body: []byte(`{"error":{"message":"no space left on device"}}`)}, classify.ReasonResource},
		{"a message within a 429", classify.Evidence{Status: 429, Message: "permission denied"}, classify.ReasonRateLimit},
		{"a message that knows less than a 4xx", classify.Evidence{Status: 404, Message: "unexpected EOF"}, classify.ReasonInvalidRequest},
		{"a cause in the message", classify.Evidence{Status: 429, Message: "insufficient_quota"}, classify.ReasonBudgetExceeded},
		{"a type before a message", classify.Evidence{Type: "RateLimitError", Message: "connection refused"}, classify.ReasonRateLimit},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := classify.Standard.Classify(tt.e)
			assert.Equal(t, tt.want, got.Reason, "rule %s", got.Rule)
		})
	}
}

// TestUsersRuleBeatsALastTry checks that a user's rule decides even if it matches only
// an earlier attempt.
func TestUsersRuleBeatsALastTry(t *testing.T) {
	t.Parallel()
	c, err := classify.New(classify.WithRules(classify.Rule{ID: "mine", Reason: classify.ReasonPolicy, Pattern: "frob"}))
	assert.NoError(t, err)
	assert.Equal(t, "mine", c.Message("attempt 1: frob\nattempt 2: HTTP 503").Rule)
	assert.Equal(t, "mine", c.Message("HTTP 404: frob: ECONNRESET").Rule)
}
