package endtoend

import (
	"net/http"
	"time"
)

// stub counts the calls of its methods. A method panics if its bit is set.
type stub struct {
	calls  *int
	panics uint16
}

// These are bits of stub.panics, one for each method.
const (
	inError uint16 = 1 << iota
	inUnwrap
	inIs
	inTimeout
	inTemporary
	inStatusCode
	inCode
	inReason
	inRetryAfter
	inRawJSON
	inSQLState
	methods = iota
)

func (m stub) called(method uint16) {
	if m.calls == nil {
		panic("a nil pointer")
	}
	*m.calls++
	if m.panics&method != 0 {
		panic("broken method")
	}
}

// wrapper wraps an error, possibly itself, without repeating the wrapped text.
type wrapper struct {
	stub
	text string
	next error
}

func (e *wrapper) Error() string { e.called(inError); return e.text }
func (e *wrapper) Unwrap() error { e.called(inUnwrap); return e.next }

// multiError wraps several errors. It cannot be compared with ==.
type multiError []error

func (e multiError) Error() string   { return "several" }
func (e multiError) Unwrap() []error { return e }

// caused returns the wrapped error from the method Cause, as errors of old packages do.
type caused struct{ chain wrapper }

func (e *caused) Error() string { return e.chain.Error() }
func (e *caused) Cause() error  { return e.chain.Unwrap() }

// endless wraps another endless error, so its chain has no end.
type endless int

func (e endless) Error() string { return "and so on" }
func (e endless) Unwrap() error { return e + 1 }

// withMethods has methods that are common in errors of SDKs.
type withMethods struct {
	wrapper
	status int
	code   string
	yes    bool
	wait   time.Duration
	raw    string
}

func (e *withMethods) Is(error) bool             { e.called(inIs); return e.yes }
func (e *withMethods) Timeout() bool             { e.called(inTimeout); return e.yes }
func (e *withMethods) Temporary() bool           { e.called(inTemporary); return e.yes }
func (e *withMethods) StatusCode() int           { e.called(inStatusCode); return e.status }
func (e *withMethods) Code() string              { e.called(inCode); return e.code }
func (e *withMethods) ErrorCode() string         { e.called(inCode); return e.code }
func (e *withMethods) Reason() string            { e.called(inReason); return e.code }
func (e *withMethods) RetryAfter() time.Duration { e.called(inRetryAfter); return e.wait }
func (e *withMethods) RawJSON() string           { e.called(inRawJSON); return e.raw }
func (e *withMethods) SQLState() string          { e.called(inSQLState); return e.code }

// withFields has fields that are common in errors of SDKs.
type withFields struct {
	StatusCode int
	Code       string
	Type       string
	Message    string
	Body       []byte
	Header     http.Header
	Response   *http.Response
	RetryAfter string
	wrapper
}

// withFieldsByValue is like withFields, but it is used without a pointer.
type withFieldsByValue struct {
	Status       int
	Code         string
	ResponseBody string
	Headers      map[string][]string
	text         string
}

func (e withFieldsByValue) Error() string { return e.text }
