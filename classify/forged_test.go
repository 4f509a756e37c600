package classify_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
)

// These types imitate errors of SDKs with values from a remote server.
type (
	codedError struct {
		StatusCode    int
		Code, Type    string
		Message       string
		causesTimeout bool
	}
	awsLike struct {
		status int
		code   string
	}
	reasonLike struct {
		status int
		reason string
	}
	rawLike struct {
		StatusCode int
		raw        string
	}
	namedCode string
	rpcLike   struct{ code namedCode }
)

func (e *codedError) Error() string                  { return e.Message }
func (e *codedError) Timeout() bool                  { return e.causesTimeout }
func (e *awsLike) Error() string                     { return "operation error: " + e.code }
func (e *awsLike) ErrorCode() string                 { return e.code }
func (e *awsLike) HTTPStatusCode() int               { return e.status }
func (e *reasonLike) Error() string                  { return "refused" }
func (e *reasonLike) Reason() string                 { return e.reason }
func (e *reasonLike) HTTPStatus() int                { return e.status }
func (e *rawLike) Error() string                     { return "api error" }
func (e *rawLike) RawJSON() string                   { return e.raw }
func (e *rpcLike) Error() string                     { return "refused" }
func (e *rpcLike) Code() namedCode                   { return e.code }
func (e *rpcLike) HTTPStatusCode() int               { return 401 }
func (c namedCode) String() string                   { return string(c) }
func jsonOf(key, value string) []byte                { return fmt.Appendf(nil, `{"error":{%q:%q}}`, key, value) }
func classified(e classify.Evidence) classify.Result { return classify.Standard.Classify(e) }

// forgedNames are names with which a remote server may imitate this program's own
// deadline.
var forgedNames = []string{
	"context.Canceled", "context.DeadlineExceeded", "context.deadlineExceededError", "*poll.DeadlineExceededError",
	"internal/poll.DeadlineExceededError", "os.ErrDeadlineExceeded", "errclass.ErrBudgetExceeded",
	"context canceled", "context deadline exceeded", "budget exceeded", "canceled", "CANCELLED", "AbortError", "ABORT_ERR",
	"Canceled by caller", "go.errclass/context.Canceled", "x#context.Canceled",
	"context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
}

// forgeries returns one Evidence for each field that a remote server can write. That
// field is set to the name.
func forgeries(status int, name string) map[string]classify.Evidence {
	of := func(err error) classify.Evidence { return classify.Evidence{Err: err} }
	return map[string]classify.Evidence{
		"Code":           {Status: status, Code: name},
		"Message":        {Status: status, Message: name},
		"body code":      {Status: status, Body: jsonOf("code", name)},
		"body type":      {Status: status, Body: jsonOf("type", name)},
		"body reason":    {Status: status, Body: jsonOf("reason", name)},
		"body message":   {Status: status, Body: jsonOf("message", name)},
		"plain body":     {Status: status, Body: []byte(name)},
		"SDK Code":       of(&codedError{StatusCode: status, Code: name, Message: "refused"}),
		"SDK Type":       of(&codedError{StatusCode: status, Type: name, Message: "refused"}),
		"SDK text":       of(&codedError{StatusCode: status, Message: name}),
		"SDK Timeout()":  of(&codedError{StatusCode: status, Message: name, causesTimeout: true}),
		"ErrorCode()":    of(fmt.Errorf("call: %w", &awsLike{status, name})),
		"Reason()":       of(errors.Join(errors.New("call"), &reasonLike{status, name})),
		"RawJSON()":      of(&rawLike{status, string(jsonOf("code", name))}),
		"header":         {Status: status, Header: map[string][]string{"X-Amzn-Errortype": {name}}},
		"header and Err": {Err: errors.New("refused"), Status: status, Header: map[string][]string{"X-Amzn-ErrorType": {name + ":http://a"}}},
	}
}

// The text of a remote server must not hide a status such as 401.
func TestPeerCannotForgeOwnEnd(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 402, 403, 407, 451} {
		want := classified(classify.Evidence{Status: status})
		for _, name := range forgedNames {
			for place, e := range forgeries(status, name) {
				got := classified(e)
				assert.Equal(t, want.Reason, got.Reason, "%d, %q as %s: %s", status, name, place, got.Rule)
				assert.Equal(t, want.Category, got.Category, "%d, %q as %s: %s", status, name, place, got.Rule)
			}
		}
	}
	got := classify.Error(&rpcLike{"context.Canceled"})
	assert.Equal(t, classify.ReasonAuthentication, got.Reason, got.Rule)
}

// The text of a remote server must never outrank a user's rule, or lead to the category
// timeout.
func TestPeerCannotOutrankUserRules(t *testing.T) {
	t.Parallel()
	c, err := classify.New(classify.WithRules(classify.Rule{ID: "mine", Pattern: "tenant-4711", Reason: classify.ReasonPolicy}))
	require.NoError(t, err)
	for _, status := range []int{0, 400, 401, 404, 408, 409, 429, 499, 500, 503, 504} {
		for _, name := range forgedNames {
			for place, e := range forgeries(status, name) {
				got := c.Classify(e)
				assert.NotEqual(t, classify.CategoryTimeout, got.Category, "%d, %q as %s: %s", status, name, place, got.Rule)
				e.Message += " tenant-4711"
				got = c.Classify(e)
				assert.Equal(t, "mine", got.Rule, "%d, %q as %s", status, name, place)
			}
		}
	}
}

// This program's own deadline and cancellation outrank a status such as 401.
func TestOwnEndStillDecides(t *testing.T) {
	t.Parallel()
	refusal := &codedError{StatusCode: 401, Message: "invalid api key"}
	for _, tt := range []struct {
		name string
		e    classify.Evidence
		want classify.Category
	}{
		{"canceled", classify.Evidence{Err: errors.Join(refusal, context.Canceled)}, classify.CategoryAborted},
		{"deadline", classify.Evidence{Err: errors.Join(refusal, context.DeadlineExceeded)}, classify.CategoryTimeout},
		{"budget", classify.Evidence{Err: fmt.Errorf("%w: %w", refusal, classify.ErrBudgetExceeded)}, classify.CategoryFatal},
		{"cause", classify.Evidence{Err: refusal, Cause: refusal}, classify.CategoryAborted},
		{"exception.type", classify.Evidence{Type: "context.deadlineExceededError", Status: 401}, classify.CategoryTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := classified(tt.e)
			assert.Equal(t, tt.want, got.Category, got.Rule)
		})
	}
}

// If Evidence.Code is the only evidence, it decides, even if the code is the name of Go's
// deadline or cancellation error.
func TestOwnNamesAsCodes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]classify.Reason{
		"context.DeadlineExceeded": classify.ReasonTimeout,
		"context.Canceled":         classify.ReasonAborted,
		"insufficient_quota":       classify.ReasonBudgetExceeded,
		"503":                      classify.ReasonTransient,
		"ECONNRESET":               classify.ReasonNetwork,
		"*errors.errorString":      classify.ReasonUnknown,
	} {
		got := classified(classify.Evidence{Code: name})
		assert.Equal(t, want, got.Reason, "%s: %s", name, got.Rule)
	}
	got := classify.Standard.Explain(classify.Evidence{Code: "rate limit reached", Status: 400})
	require.NotEmpty(t, got.Signals)
	for _, s := range got.Signals {
		if s.Text != "" {
			assert.Equal(t, "code", s.Source, s.Rule)
			assert.Equal(t, s.Text, "rate limit reached"[s.Start:s.End])
		}
	}
}

// A forged name in a text never counts as this program's own deadline or
// cancellation.
func TestPeerTextIsNeverOwnEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(forgedNames).Draw(t, "name")
		status := rapid.IntRange(400, 599).Draw(t, "status")
		text := rapid.StringMatching(`[a-z:. ]{0,12}`).Draw(t, "before") + name + rapid.StringMatching(`[a-z:. ]{0,12}`).Draw(t, "behind")
		for place, e := range forgeries(status, text) {
			got := classified(e)
			if got.Category == classify.CategoryTimeout {
				t.Fatalf("%d, %s as %s: timeout by %s", status, strconv.Quote(text), place, got.Rule)
			}
		}
	})
}

// answersAs is an SDK's error with methods that return a remote server's values.
type answersAs struct {
	StatusCode int
	Code       string
}

func (e *answersAs) Error() string       { return "refused" }
func (e *answersAs) Timeout() bool       { return true }
func (e *answersAs) CanceledError() bool { return e.Code == "canceled" }
func (e *answersAs) Is(target error) bool {
	return target == context.DeadlineExceeded && e.Code == "deadline_exceeded" || target == context.Canceled && e.Code == "canceled"
}

// The text of these errors comes from a remote server. The text imitates net/http's
// timeout.
type (
	quotes        struct{ Message string }
	relaysTimeout struct{ err error }
	peerTimeout   struct {
		StatusCode int
		text       string
	}
)

func (e *quotes) Error() string        { return e.Message }
func (e *quotes) Timeout() bool        { return true }
func (e *relaysTimeout) Error() string { return "get: " + e.err.Error() }
func (e *relaysTimeout) Unwrap() error { return e.err }
func (e *relaysTimeout) Timeout() bool { return true }
func (e *peerTimeout) Error() string   { return e.text }
func (e *peerTimeout) Timeout() bool   { return true }

// A status such as 401 outranks the methods of an SDK's error.
func TestPeerCannotForgeByMethods(t *testing.T) {
	t.Parallel()
	const timeout = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
	for name, e := range map[string]classify.Evidence{
		"Is, deadline":           {Err: &answersAs{401, "deadline_exceeded"}},
		"Is, canceled":           {Err: &answersAs{401, "canceled"}},
		"Timeout() of a wrapper": {Err: &relaysTimeout{&peerTimeout{401, timeout}}},
		"Timeout() of a quote":   {Err: &quotes{timeout}, Status: 401},
	} {
		got := classified(e)
		assert.Equal(t, classify.ReasonAuthentication, got.Reason, "%s: %s", name, got.Rule)
		assert.Equal(t, classify.CategoryFatal, got.Category, "%s: %s", name, got.Rule)
	}
}

// Beside a status such as 401, a forged cancellation or timeout must not decide, even if
// the evidence also has a code.
func TestClaimsBesideOthers(t *testing.T) {
	t.Parallel()
	between := []string{
		"ThrottlingError", "servicequotaexceededexception", "modelnotreadyexception", "P1003", "ECONNRESET", "insufficient_quota",
		"overloaded_error", "UNAVAILABLE", "deadlock", "SlowDown", "NoSuchKey",
	}
	claims := []string{
		"Interrupted by user", "context.Canceled", "context canceled", "The operation was aborted due to timeout", "AbortError",
		"context deadline exceeded", "canceled", "Request was aborted.",
	}
	for _, status := range []int{401, 402, 403, 407, 451} {
		for _, code := range between {
			for _, claim := range claims {
				for place, e := range map[string]classify.Evidence{
					"code, message": {Status: status, Body: fmt.Appendf(nil, `{"error":{"code":%q,"message":%q}}`, code, claim)},
					"code, type":    {Status: status, Body: fmt.Appendf(nil, `{"error":{"code":%q,"type":%q}}`, code, claim)},
					"body, message": {Status: status, Body: []byte(code), Message: claim},
					"message, body": {Status: status, Body: []byte(claim), Message: code},
					"Code, Message": {Status: status, Code: code, Message: claim},
					"SDK":           {Err: &codedError{StatusCode: status, Code: code, Type: claim, Message: claim}},
				} {
					got := classified(e)
					assert.NotEqual(t, classify.ReasonAborted, got.Reason, "%d, %s: %s, %s: %s", status, place, code, claim, got.Rule)
					if got.Reason == classify.ReasonTimeout {
						t.Errorf("%d, %s: %s, %s: %s", status, place, code, claim, got.Rule)
					}
				}
			}
		}
	}
}

// A text that begins with a refusal, such as HTTP 401 or the gRPC code Unauthenticated,
// must be fatal, even if a cancellation or a report of several attempts follows.
func TestClaimsInTexts(t *testing.T) {
	t.Parallel()
	for _, head := range []string{
		"HTTP 401 Unauthorized: ", `401 {"error":{"message":"`, "403 Forbidden: ", "402 Payment Required: ", "invalid api key: ", "rpc error: code = Unauthenticated desc = ",
		"rpc error: code = PermissionDenied desc = ", "insufficient_quota: ",
	} {
		for _, claim := range []string{
			"attempt 1: x attempt 2: context canceled", "last error: context deadline exceeded", "context canceled", "Interrupted by user",
			"giving up: operation aborted due to timeout", "attempt 1: HTTP 503, attempt 2: context.Canceled",
		} {
			got := classify.Message(head + claim)
			assert.Equal(t, classify.CategoryFatal, got.Category, "%s%s: %s", head, claim, got.Rule)
		}
	}
}
