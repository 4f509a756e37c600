package classify_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

// grpcStatus imitates status.Status of package google.golang.org/grpc/status.
type (
	grpcCode   uint32
	grpcStatus struct {
		code    grpcCode
		message string
		details []any
	}
	grpcError struct{ s *grpcStatus }
)

func (s *grpcStatus) Code() grpcCode {
	if s == nil {
		return 0
	}
	return s.code
}
func (s *grpcStatus) Message() string        { return s.message }
func (s *grpcStatus) Details() []any         { return s.details }
func (e *grpcError) GRPCStatus() *grpcStatus { return e.s }
func (e *grpcError) Error() string           { return e.s.message }

func grpcErr(code grpcCode, message string, details ...any) error {
	return &grpcError{&grpcStatus{code, message, details}}
}

func TestGRPC(t *testing.T) {
	t.Parallel()
	for code, want := range [...]classify.Reason{
		1: classify.ReasonAborted, 2: classify.ReasonUnknown, 3: classify.ReasonInvalidRequest, 4: classify.ReasonTimeout,
		5: classify.ReasonInvalidRequest, 6: classify.ReasonInvalidRequest, 7: classify.ReasonAuthentication,
		8: classify.ReasonRateLimit, 9: classify.ReasonInvalidRequest, 10: classify.ReasonTransient,
		11: classify.ReasonInvalidRequest, 12: classify.ReasonInvalidRequest, 13: classify.ReasonTransient,
		14: classify.ReasonTransient, 15: classify.ReasonParsing, 16: classify.ReasonAuthentication, 17: classify.ReasonUnknown,
	} {
		if code == 0 {
			continue
		}
		t.Run(fmt.Sprint("code ", code), func(t *testing.T) {
			t.Parallel()
			got := classify.Error(fmt.Errorf("call: %w", grpcErr(grpcCode(code), "so it goes")))
			assert.Equal(t, want, got.Reason, got.Rule)
			assert.NotEqual(t, classify.CategoryTimeout, got.Category, "a peer's deadline is not this program's")
		})
	}
	runTyped(t, []typedCase{
		{name: "OK", err: grpcErr(0, "so it goes"), reason: classify.ReasonUnknown},
		{name: "no status", err: noStatus{}, reason: classify.ReasonUnknown},
		{name: "the description decides on Unavailable", err: grpcErr(14, "Too Many Requests"), reason: classify.ReasonRateLimit},
		{name: "and on Internal", err: grpcErr(13, "Too Many Requests"), reason: classify.ReasonRateLimit},
		{name: "but not on NotFound", err: grpcErr(5, "Too Many Requests"), reason: classify.ReasonInvalidRequest},
	})
}

// noStatus is an error of Google's clients for REST calls: GRPCStatus returns nil.
type noStatus struct{}

func (noStatus) Error() string           { return "so it goes" }
func (noStatus) GRPCStatus() *grpcStatus { return nil }

// These types are details of package google.rpc with the getters that the classifier
// calls.
type (
	errorInfo struct{}
	retryInfo struct{}
	duration  time.Duration
	violation struct{}
	quota     struct{}
)

func (errorInfo) GetReason() string              { return "RATE_LIMIT_EXCEEDED" }
func (errorInfo) GetDomain() string              { return "googleapis.com" }
func (errorInfo) GetMetadata() map[string]string { return map[string]string{"service": "x"} }
func (retryInfo) GetRetryDelay() duration        { return duration(34 * time.Second) }
func (d duration) AsDuration() time.Duration     { return time.Duration(d) }
func (violation) GetSubject() string             { return "s" }
func (violation) GetDescription() string         { return "d" }
func (quota) GetViolations() []violation         { return []violation{{}} }

func TestGRPCDetails(t *testing.T) {
	t.Parallel()
	got := classify.Error(grpcErr(8, "so it goes", errorInfo{}, retryInfo{}, quota{}, "something else"))
	assert.Equal(t, classify.ReasonRateLimit, got.Reason, got.Rule)
}

// connectError imitates connect.Error, and twirpError imitates twirp.Error.
type (
	connectCode  uint32
	connectError struct{ code connectCode }
	twirpCode    string
	twirpError   struct{ code twirpCode }
)

func (c connectCode) String() string {
	return map[connectCode]string{4: "deadline_exceeded", 16: "unauthenticated", 1: "canceled"}[c]
}
func (e *connectError) Code() connectCode { return e.code }
func (*connectError) Error() string       { return "so it goes" }
func (e twirpError) Code() twirpCode      { return e.code }
func (twirpError) Error() string          { return "so it goes" }

// wireError imitates jsonrpc.Error of the MCP SDK. chainError imitates the JSON-RPC
// error of go-ethereum.
type (
	wireError struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}
	chainError int
)

func (e *wireError) Error() string  { return e.Message }
func (chainError) Error() string    { return "so it goes" }
func (e chainError) ErrorCode() int { return int(e) }

func TestOtherRPC(t *testing.T) {
	t.Parallel()
	runTyped(t, []typedCase{
		{name: "connect", err: &connectError{16}, reason: classify.ReasonAuthentication, rule: "grpc/Unauthenticated"},
		{name: "connect, two Ls or one", err: &connectError{1}, reason: classify.ReasonAborted},
		{name: "twirp", err: twirpError{"resource_exhausted"}, reason: classify.ReasonRateLimit},
		{name: "twirp, its own", err: twirpError{"too_many_requests"}, reason: classify.ReasonRateLimit},
		{name: "mcp: no such method", err: &wireError{Code: -32601, Message: "so it goes"}, reason: classify.ReasonMCP},
		{name: "mcp: closed", err: &wireError{Code: -32000, Message: "so it goes"}, reason: classify.ReasonMCP},
		{name: "mcp: the text tells", err: &wireError{Code: -32000, Message: "Too Many Requests"}, reason: classify.ReasonRateLimit},
		{name: "mcp: parameters", err: &wireError{Code: -32602, Message: "so it goes"}, reason: classify.ReasonInvalidRequest},
		{name: "json-rpc: parse error", err: chainError(-32700), reason: classify.ReasonParsing},
		{name: "json-rpc: not its range", err: chainError(3), reason: classify.ReasonUnknown},
	})
}
