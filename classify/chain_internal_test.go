package classify

import (
	"errors"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/chain"
	"github.com/errclass/errclass/classify/internal/collect/response"
	"github.com/errclass/errclass/classify/internal/memory"
	"github.com/errclass/errclass/classify/internal/ruleset"
	"github.com/errclass/errclass/classify/internal/standard"
)

// These errors keep the body of a response in different fields, as the errors of SDKs
// do.
type (
	rawJSON struct{ raw string }
	inner   struct {
		Code, Type string
		raw        string
	}
	bodyText struct{ Body string }
	rawBytes struct{ ResponseBody []byte }
	unpacked struct {
		Code    int              `json:"code"`
		Message string           `json:"message"`
		Status  string           `json:"status"`
		Details []map[string]any `json:"details,omitempty"`
	}
	stream struct{ Response *http.Response }
)

func (rawJSON) Error() string     { return "" }
func (e rawJSON) RawJSON() string { return e.raw }
func (inner) Error() string       { return "" }
func (e inner) RawJSON() string   { return e.raw }
func (bodyText) Error() string    { return "" }
func (rawBytes) Error() string    { return "" }
func (unpacked) Error() string    { return "" }
func (*stream) Error() string     { return "" }

func TestBodyOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"anthropic", rawJSON{`{"type":"error","error":{}}`}, `{"type":"error","error":{}}`},
		{"openai keeps the inside", inner{raw: `{"message":"m"}`}, `{"error":{"message":"m"}}`},
		{"openai, whole", inner{raw: `{"error":{}}`}, `{"error":{}}`},
		{"none", inner{}, ""},
		{"text", bodyText{"m"}, "m"},
		{"bytes", rawBytes{[]byte("m")}, "m"},
		{"genai", unpacked{429, "m", "s", []map[string]any{{"a": 1}}}, `{"error":{"code":429,"message":"m","status":"s","details":[{"a":1}]}}`},
		{"a stream is not read", &stream{&http.Response{Body: http.NoBody}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := chain.ShapeOf(reflect.TypeOf(tt.err), tt.err)
			q := collect.Inquiry{Budget: collect.NewBudget(DefaultMaxBytes)}
			q.Budget.ShareBody()
			w := chain.Walk{Q: &q}
			assert.Equal(t, tt.want, w.Body(s, tt.err))
		})
	}
}

// These types are details of a gRPC status with the getters that the classifier
// calls.
type (
	status    struct{}
	retryInfo struct{}
	delay     time.Duration
	quota     struct{}
	violation struct{}
)

func (status) Code() uint32               { return 8 }
func (status) Message() string            { return "m" }
func (status) Details() []any             { return []any{retryInfo{}, quota{}, errors.New("no getters")} }
func (retryInfo) GetRetryDelay() delay    { return delay(1500 * time.Millisecond) }
func (d delay) AsDuration() time.Duration { return time.Duration(d) }
func (quota) GetViolations() []violation  { return []violation{{}} }
func (violation) GetQuotaId() string      { return "PerDay" }
func (violation) GetDescription() string  { return "d" }

func TestGRPCBody(t *testing.T) {
	t.Parallel()
	q := collect.Inquiry{Budget: collect.NewBudget(DefaultMaxBytes)}
	q.Budget.ShareBody()
	assert.JSONEq(t, `{"error":{"status":"RESOURCE_EXHAUSTED","message":"m","details":[
		{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"},
		{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"PerDay","description":"d"}]}
	]}}`, chain.GrpcBody(&q, reflect.ValueOf(status{}), "ResourceExhausted"))
	assert.Empty(t, chain.GrpcBody(&q, reflect.ValueOf(struct{}{}), "ResourceExhausted"), "no details")
}

func TestGRPCNames(t *testing.T) {
	t.Parallel()
	for _, name := range response.GrpcNames {
		assert.Equal(t, name, response.GrpcName(name))
		assert.Equal(t, name, response.GrpcName(response.Screaming(name)))
	}
	assert.Equal(t, "Canceled", response.GrpcName("CANCELLED"))
	for _, s := range []string{"", "_", "Cancel", "InternalServerError", "429"} {
		assert.Empty(t, response.GrpcName(s), s)
	}
}

// TestWindowsErrno checks that the names of Windows error codes are right and have a
// reason.
func TestWindowsErrno(t *testing.T) {
	t.Parallel()
	for code, want := range map[uintptr]string{
		2: "ENOENT", 5: "EACCES", 32: "EBUSY", 112: "ENOSPC", 10054: "ECONNRESET", 10060: "ETIMEDOUT",
		10061: "ECONNREFUSED", 11001: "ENOTFOUND", 11002: "EAI_AGAIN",
	} {
		assert.Equal(t, "errno/"+want, chain.WindowsErrnoID(code))
	}
	named := 0
	for code := range uintptr(12000) {
		id := chain.WindowsErrnoID(code)
		if id == "" {
			continue
		}
		named++
		name := id[len("errno/"):]
		assert.NotZero(t, standard.Errno.Reason(name)+standard.ErrnoLocal.Reason(name), name)
	}
	assert.Greater(t, named, 50)
	assert.Empty(t, chain.WindowsErrnoID(0))
}

// TestShapes checks that the shape of an error type (the evidence that errors of this
// type can have) is computed only once.
func TestShapes(t *testing.T) {
	t.Parallel()
	err := &stream{}
	first := chain.ShapeOf(reflect.TypeOf(err), err)
	assert.Same(t, first, chain.ShapeOf(reflect.TypeOf(err), err))
	plain := chain.ShapeOf(reflect.TypeOf(errUnknownShape{}), errUnknownShape{})
	assert.Zero(t, plain.Caps)
	assert.True(t, plain.Leaf)
}

type errUnknownShape struct{}

func (errUnknownShape) Error() string { return "" }

// TestOwnPanicCostsTheAnswerAlone makes package classify panic. Classify must
// recover, and Result.Rule must end in "+panic".
func TestOwnPanicCostsTheAnswerAlone(t *testing.T) {
	broken := &Classifier{seen: new(memory.Memory), rules: func() *ruleset.Set { panic("no table") }, fallback: "default"}
	want := Result{Category: CategoryFatal, Reason: ReasonUnknown, Rule: "default+panic", Confidence: 0.5}
	assert.Equal(t, want, broken.Message("connection refused"))
	assert.Equal(t, want, broken.Error(&net.AddrError{Err: "no"}))
	assert.Equal(t, want, broken.Classify(Evidence{Status: 500}))
	assert.Equal(t, Explanation{Result: want}, broken.Explain(Evidence{Status: 500}))
}

// TestJoinedTextIsCut checks that CutText does not build the whole text of a joined
// error.
func TestJoinedTextIsCut(t *testing.T) {
	large := make([]error, 300)
	for i := range large {
		large[i] = errors.New(strings.Repeat(strconv.Itoa(i)+" so it goes ", 5000))
	}
	joined := errors.Join(large...)
	head, tail := halves(cutText(joined, DefaultMaxBytes), DefaultMaxBytes)
	wantHead, wantTail := halves(joined.Error(), DefaultMaxBytes)
	assert.Equal(t, wantHead, head)
	assert.Equal(t, wantTail, tail)
	assert.Less(t, testing.AllocsPerRun(5, func() { _ = cutText(joined, DefaultMaxBytes) }), 40.0)

	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 12, 30)
		var draw func(depth int) error
		draw = func(depth int) error {
			if depth == 0 || rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
				return errors.New(text.Draw(t, "text"))
			}
			var all []error
			for range rapid.IntRange(1, 4).Draw(t, "errors") {
				all = append(all, draw(depth-1))
			}
			return errors.Join(all...)
		}
		err := draw(3)
		limit := rapid.IntRange(1, 60).Draw(t, "limit")
		got, want := cutText(err, limit), err.Error()
		if len(want) <= limit {
			if got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
			return
		}
		head, tail := halves(got, limit)
		wantHead, wantTail := halves(want, limit)
		if len(got) <= limit || head != wantHead || tail != wantTail {
			t.Fatalf("limit %d: got %q, want the halves of %q", limit, got, want)
		}
	})
}

// TestDeepJoinsAreCutInLinearTime checks that CutText calls Error only once for each
// error of a deep tree.
func TestDeepJoinsAreCutInLinearTime(t *testing.T) {
	t.Parallel()
	calls := 0
	var err error = &countedText{text: strings.Repeat("so it goes ", 200), calls: &calls}
	for range 100 {
		err = errors.Join(err, errors.New("close"))
	}
	got := cutText(err, 256)
	assert.Equal(t, 1, calls)
	head, tail := halves(got, 256)
	wantHead, wantTail := halves(err.Error(), 256)
	assert.Equal(t, wantHead, head)
	assert.Equal(t, wantTail, tail)
}

func cutText(err error, limit int) string {
	text, _ := chain.CutText(err, limit, false)
	return text
}

// countedText is an error that counts the calls of its Error method.
type countedText struct {
	text  string
	calls *int
}

func (e *countedText) Error() string { *e.calls++; return e.text }

// halves returns the first limit/2 and the last limit/2 bytes of a text.
func halves(text string, limit int) (head, tail string) {
	if len(text) <= limit {
		return text, ""
	}
	return text[:limit/2], text[len(text)-(limit-limit/2):]
}
