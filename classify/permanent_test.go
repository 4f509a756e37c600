package classify_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

// TestPermanentWithinPassing has pairs of similar messages. One of each pair names a
// permanent cause.
func TestPermanentWithinPassing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, permanent string
		want            classify.Reason
		passing         string
	}{
		{"protocol", "rpc error: code = Unavailable desc = connection error: desc = \"error reading server preface: http2: frame too large\"", classify.ReasonNetworkPermanent, "rpc error: code = Unavailable desc = connection error: desc = \"error reading server preface: EOF\""},
		{"token", "rpc error: code = Unavailable desc = oauth2: cannot fetch token: 400 Bad Request", classify.ReasonAuthentication, "rpc error: code = Unavailable desc = oauth2: cannot fetch token: 503 Service Unavailable"},
		{"push", "remote: fatal: pack exceeds maximum allowed size\nfatal: the remote end hung up unexpectedly", classify.ReasonInvalidRequest, "fatal: early EOF\nfatal: the remote end hung up unexpectedly"},
		{"helper", "error: pack-objects died of signal 9\nfatal: the remote end hung up unexpectedly", classify.ReasonSpawn, "send-pack: unexpected disconnect while reading sideband packet\nfatal: the remote end hung up unexpectedly"},
		{"container", "OCI runtime create failed: read init-p: connection reset by peer: unknown. error waiting for container: context canceled", classify.ReasonSpawn, "read tcp 192.0.2.1:1->192.0.2.2:2: connection reset by peer"},
		{"language server", "write EPIPE\nServer process exited with code 1", classify.ReasonSpawn, "write EPIPE"},
		{"header", "TypeError: fetch failed\n[cause]: InvalidArgumentError: invalid header key", classify.ReasonInvalidRequest, "TypeError: fetch failed\n[cause]: Error: read ECONNRESET"},
		{"driver", "Failed to obtain JDBC Connection: No suitable driver found for jdbc:foo", classify.ReasonSpawn, "Failed to obtain JDBC Connection: Connection refused"},
		{"hosts", "NoHostAvailableException: All host(s) tried for query failed (InvalidQueryException: unconfigured table users)", classify.ReasonInvalidRequest, "NoHostAvailableException: All host(s) tried for query failed (Connection refused)"},
		{"target", `unable to upgrade connection: container not found ("web")`, classify.ReasonInvalidRequest, "unable to upgrade connection: EOF"},
		{"wait", "timed out waiting for the condition: pod web-0: CrashLoopBackOff", classify.ReasonSpawn, "timed out waiting for the condition"},
		{"lock", "Error acquiring the state lock\n\nError message: resource not found", classify.ReasonInvalidRequest, "Error acquiring the state lock\n\nError message: ConditionalCheckFailedException: The conditional request failed"},
		{"storage", "452 4.3.1 Insufficient system storage", classify.ReasonResource, "452 4.3.0 Temporary lookup failure"},
		{"breaker", `{"type":"circuit_breaking_exception","durability":"PERMANENT"}`, classify.ReasonResource, `{"type":"circuit_breaking_exception","durability":"TRANSIENT"}`},
		{"plan", "HTTP 429: Free limit of 50000 events reached. To go on, upgrade your plan", classify.ReasonBudgetExceeded, "HTTP 429: free plan limit of 20 requests per minute reached. Upgrade your plan"},
		{"bug", "litellm.APIConnectionError: 'NoneType' object is not subscriptable", classify.ReasonLogic, "litellm.APIConnectionError: the peer hung up"},
		{"courtesy", "The upload is of an unsupported format. Please try again later.", classify.ReasonInvalidRequest, "The upload did not come through. Please try again later."},
		{"setting", "rate limit must be between 1 and 100 requests per minute", classify.ReasonInvalidRequest, "rate limit of 100 requests per minute exceeded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := rulesAlone.Message(tt.permanent)
			assert.Equal(t, tt.want, got.Reason, "rule %s", got.Rule)
			assert.Equal(t, classify.CategoryFatal, got.Category, "rule %s", got.Rule)
			got = rulesAlone.Message(tt.passing)
			assert.Equal(t, classify.CategoryRetryable, got.Category, "rule %s", got.Rule)
		})
	}
}

// TestModelKeepsPermanentCauses checks that the model never makes a permanent cause
// retryable.
func TestModelKeepsPermanentCauses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"connection to license server lost: license has expired, reconnecting in 60 seconds",
		"PPPoE: peer terminated link, account suspended, reconnecting in 30 seconds",
		"Stream interrupted, client will reconnect: the organisation has been deactivated",
		"satellite modem: network connection lost - subscription inactive - reconnecting",
		"redis-sentinel: connection to master dropped, ERR unknown command `SENTINEL`, reconnecting in 1s",
		"websocket reader: connection to node lost: index out of range [5]",
	} {
		r := classify.Message(text)
		assert.Equal(t, classify.CategoryFatal, r.Category, "%q: %s by %s", text, r.Reason, r.Rule)
	}
}
