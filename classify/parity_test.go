package classify

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/internal/collect"
	collecttext "github.com/errclass/errclass/classify/internal/collect/text"
	"github.com/errclass/errclass/classify/internal/resolve"
	"github.com/errclass/errclass/classify/internal/signal"
)

// sdkError is an error of an SDK with the fields of a response.
type sdkError struct {
	StatusCode    int
	Code, Message string
}

func (e *sdkError) Error() string { return e.Message }

// failure has the status, the code and the message of one failure.
type failure struct {
	status        int
	code, message string
}

// forms returns the failure as different evidence: a response, an error, a text and
// so on.
func (f failure) forms() map[string]Evidence {
	fields := map[string]string{"code": f.code, "message": f.message}
	if f.code == "" {
		delete(fields, "code")
	}
	body, err := json.Marshal(map[string]any{"error": fields})
	if err != nil {
		panic(err)
	}
	text := string(body)
	if f.status != 0 {
		text = "HTTP " + strconv.Itoa(f.status) + ": " + text
	}
	sdk := &sdkError{f.status, f.code, f.message}
	return map[string]Evidence{
		"Type":            {Status: f.status, Type: f.code, Message: f.message},
		"Code":            {Status: f.status, Code: f.code, Message: f.message},
		"Err's text":      {Status: f.status, Code: f.code, Err: errors.New(f.message)},
		"Body":            {Status: f.status, Body: body},
		"Body, and text":  {Status: f.status, Body: body, Message: f.message},
		"Header":          {Status: f.status, Header: map[string][]string{"X-Amzn-Errortype": {f.code}}, Message: f.message},
		"Err":             {Err: sdk},
		"Err wrapped":     {Err: fmt.Errorf("ask: %w", sdk)},
		"Err joined":      {Err: errors.Join(errors.New("ask"), sdk)},
		"Err and Status":  {Err: sdk, Status: f.status},
		"Message":         {Message: text},
		"a text as Err":   {Err: errors.New(text)},
		"status as Code":  {Code: numberOf(f.status), Type: f.code, Message: f.message},
		"status as error": {Err: errors.Join(&sdkError{StatusCode: f.status}, &sdkError{Code: f.code, Message: f.message})},
	}
}

func numberOf(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// TestParity checks that the form of a failure does not change its result.
func TestParity(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		failure
		want Reason
	}{
		// These words do not change the meaning of the status.
		{failure{400, "", "no"}, ReasonInvalidRequest},
		{failure{401, "", "no"}, ReasonAuthentication},
		{failure{402, "", "no"}, ReasonBudgetExceeded},
		{failure{403, "", "no"}, ReasonAuthentication},
		{failure{404, "", "no"}, ReasonInvalidRequest},
		{failure{405, "", "no"}, ReasonInvalidRequest},
		{failure{408, "", "no"}, ReasonTimeout},
		{failure{409, "", "no"}, ReasonInvalidRequest},
		{failure{413, "", "no"}, ReasonInvalidRequest},
		{failure{422, "", "no"}, ReasonInvalidRequest},
		{failure{423, "", "no"}, ReasonTransient},
		{failure{429, "", "no"}, ReasonRateLimit},
		{failure{451, "", "no"}, ReasonPolicy},
		{failure{500, "", "no"}, ReasonTransient},
		{failure{502, "", "no"}, ReasonTransient},
		{failure{503, "", "no"}, ReasonTransient},
		{failure{504, "", "no"}, ReasonTimeout},
		{failure{529, "", "no"}, ReasonTransient},

		// These codes belong to providers.
		{failure{0, "insufficient_quota", "no"}, ReasonBudgetExceeded},
		{failure{429, "insufficient_quota", "no"}, ReasonBudgetExceeded},
		{failure{429, "quota_exceeded", "no"}, ReasonRateLimit},
		{failure{403, "quota_exceeded", "no"}, ReasonBudgetExceeded},
		{failure{0, "rate_limit_exceeded", "no"}, ReasonRateLimit},
		{failure{429, "rate_limit_error", "no"}, ReasonRateLimit},
		{failure{529, "overloaded_error", "no"}, ReasonTransient},
		{failure{0, "authentication_error", "no"}, ReasonAuthentication},
		{failure{401, "authentication_error", "no"}, ReasonAuthentication},
		{failure{400, "invalid_request_error", "no"}, ReasonInvalidRequest},
		{failure{400, "context_length_exceeded", "no"}, ReasonContextOverflow},
		{failure{0, "context_length_exceeded", "no"}, ReasonContextOverflow},
		{failure{400, "content_filter", "no"}, ReasonPolicy},
		{failure{400, "ThrottlingException", "no"}, ReasonRateLimit},
		{failure{400, "AccessDeniedException", "no"}, ReasonAuthentication},
		{failure{403, "AccessDenied", "no"}, ReasonAuthentication},
		{failure{503, "SlowDown", "no"}, ReasonRateLimit},
		{failure{0, "ECONNRESET", "no"}, ReasonNetwork},
		{failure{0, "ECONNREFUSED", "no"}, ReasonNetwork},
		{failure{0, "ETIMEDOUT", "no"}, ReasonTimeout},
		{failure{0, "ENOSPC", "no"}, ReasonResource},
		{failure{500, "insufficient_quota", "no"}, ReasonBudgetExceeded},
		{failure{500, "authentication_error", "no"}, ReasonAuthentication},

		// These words contradict the status, but the status must decide.
		{failure{401, "authentication_error", "The key service is overloaded"}, ReasonAuthentication},
		{failure{401, "", "The key service is overloaded, please try again later"}, ReasonAuthentication},
		{failure{401, "", "connection reset by peer"}, ReasonAuthentication},
		{failure{401, "", "rate limit exceeded"}, ReasonAuthentication},
		{failure{402, "", "the model is overloaded"}, ReasonBudgetExceeded},
		{failure{403, "", "i/o timeout"}, ReasonAuthentication},
		{failure{404, "", "ECONNRESET"}, ReasonInvalidRequest},
		{failure{404, "", "connection refused"}, ReasonInvalidRequest},
		{failure{404, "", "unexpected EOF"}, ReasonInvalidRequest},
		{failure{404, "", "Service Unavailable"}, ReasonInvalidRequest},
		{failure{400, "", "the model is overloaded"}, ReasonInvalidRequest},
		{failure{400, "", "deadlock detected"}, ReasonInvalidRequest},
		{failure{422, "", "i/o timeout"}, ReasonInvalidRequest},
		{failure{451, "", "temporarily unavailable"}, ReasonPolicy},
		{failure{429, "", "permission denied for role reader"}, ReasonRateLimit},
		{failure{429, "", "connection refused"}, ReasonRateLimit},

		// These words are more specific than the status, so they decide.
		{failure{400, "", "the server is locked"}, ReasonTransient},
		{failure{409, "", "Another operation: OperationInProgress"}, ReasonTransient},
		{failure{422, "", "Droplet already has a pending event."}, ReasonTransient},
		{failure{429, "", "You exceeded your current quota, please check your plan and billing details."}, ReasonBudgetExceeded},
		{failure{400, "", "prompt is too long: 210000 tokens > 200000 maximum"}, ReasonContextOverflow},
		{failure{403, "", "API rate limit exceeded for user ID 7."}, ReasonRateLimit},
		{failure{500, "", "invalid api key"}, ReasonAuthentication},
		{failure{503, "", "permission denied for role reader"}, ReasonAuthentication},
		{failure{502, "", "no space left on device"}, ReasonResource},
		{failure{500, "", "the call of the model timed out"}, ReasonTimeout},
		{failure{503, "", "x509: certificate signed by unknown authority"}, ReasonNetworkPermanent},
		{failure{0, "", "dial tcp: lookup db.internal: no such host"}, ReasonNetworkPermanent},
		{failure{0, "", "read: connection reset by peer"}, ReasonNetwork},
	} {
		t.Run(fmt.Sprint(tt.status, " ", tt.code, " ", tt.message), func(t *testing.T) {
			t.Parallel()
			for form, e := range tt.forms() {
				got := Standard.Classify(e)
				assert.Equal(t, tt.want, got.Reason, "%s: rule %s", form, got.Rule)
				assert.Equal(t, tt.want.Policy().Category, got.Category, "%s: rule %s", form, got.Rule)
			}
		})
	}
}

// TestParityOfStatuses checks that a message with a status has the same reason if this
// status is also in Evidence.Status.
func TestParityOfStatuses(t *testing.T) {
	t.Parallel()
	named := 0
	for _, text := range corpusMessages(t) {
		was := Message(text)
		if was.Status == 0 {
			continue
		}
		named++
		is := Standard.Classify(Evidence{Status: was.Status, Message: text})
		assert.Equal(t, was.Reason, is.Reason, "%s, with its status %s: %q", was.Rule, is.Rule, text)
		assert.Equal(t, was.Category, is.Category, "%s, with its status %s: %q", was.Rule, is.Rule, text)
	}
	assert.Greater(t, named, 50)
}

// TestShuffledSignals checks that the order of the signals does not change the
// result.
func TestShuffledSignals(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, text := range append(corpusMessages(t), ruleExamples(t)...) {
		q := collect.Inquiry{Seen: Standard.seen, Now: Standard.clock(), Set: Standard.rules(), Budget: collect.NewBudget(DefaultMaxBytes)}
		q.Budget.ShareText()
		collecttext.ReadText(&q, text)
		list := q.List.All()
		require.Less(t, len(list), signal.ListSize, text)
		want := ""
		if i := resolve.Resolve(list); i >= 0 {
			want = list[i].Rule
		}
		for range 5 {
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			got := ""
			if i := resolve.Resolve(list); i >= 0 {
				got = list[i].Rule
			}
			require.Equal(t, want, got, text)
		}
	}
}

// TestRulesThatMatchNothing checks that many unmatched user rules do not change a
// result.
func TestRulesThatMatchNothing(t *testing.T) {
	t.Parallel()
	texts := corpusMessages(t)
	var rules []Rule
	for n := 1; n <= 200; n++ {
		rules = append(rules, Rule{ID: fmt.Sprint("mine/", n), Reason: ReasonPolicy, Pattern: fmt.Sprint("no text says so ", n)})
		c, err := New(WithRules(rules...))
		require.NoError(t, err)
		for i := n % 4; i < len(texts); i += 4 {
			require.Equal(t, Message(texts[i]), c.Message(texts[i]), "%d rules: %q", n, texts[i])
		}
	}
}

// TestImportPathIsNoEvidence checks that the import path in a type name does not
// count.
func TestImportPathIsNoEvidence(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"github.com/acme/timeout/", "example.org/authentication/rate-limit/v2/", "internal/aborted/"} {
		for _, name := range []string{"store.Error", "*store.Error", "pgconn.ConnectError", "net.DNSError"} {
			long := path + name
			if pointer, ok := strings.CutPrefix(name, "*"); ok {
				long = "*" + path + pointer
			}
			want := Standard.Classify(Evidence{Message: "it failed", Type: name})
			assert.Equal(t, want, Standard.Classify(Evidence{Message: "it failed", Type: long}), long)
		}
	}
	const problem = "https://example.org/problems/too-many-requests/v1.0"
	assert.Equal(t, ReasonRateLimit, Standard.Classify(Evidence{Type: problem}).Reason, "a URL is no import path")
}
