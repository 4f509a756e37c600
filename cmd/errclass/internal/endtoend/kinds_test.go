package endtoend

import (
	"net/http"
	"time"
)

// manners is what the errors below have in common: they count how often their
// methods are called, and the methods whose bits are set panic.
type manners struct {
	calls  *int
	panics uint16
}

// The methods, as bits of manners.panics.
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

func (m manners) called(method uint16) {
	if m.calls == nil {
		panic("a nil pointer")
	}
	*m.calls++
	if m.panics&method != 0 {
		panic("broken method")
	}
}

// wraps is a chain. Its text does not depend on what it wraps, which may be the
// error itself.
type wraps struct {
	manners
	text string
	next error
}

func (e *wraps) Error() string { e.called(inError); return e.text }
func (e *wraps) Unwrap() error { e.called(inUnwrap); return e.next }

// lists is a tree, and cannot be compared.
type lists []error

func (e lists) Error() string   { return "several" }
func (e lists) Unwrap() []error { return e }

// caused wraps as older modules do.
type caused struct{ chain wraps }

func (e *caused) Error() string { return e.chain.Error() }
func (e *caused) Cause() error  { return e.chain.Unwrap() }

// ever wraps a new error each time that it is asked.
type ever int

func (e ever) Error() string { return "and so on" }
func (e ever) Unwrap() error { return e + 1 }

// answers has the methods that SDKs give to their errors.
type answers struct {
	wraps
	status int
	code   string
	yes    bool
	wait   time.Duration
	raw    string
}

func (e *answers) Is(error) bool             { e.called(inIs); return e.yes }
func (e *answers) Timeout() bool             { e.called(inTimeout); return e.yes }
func (e *answers) Temporary() bool           { e.called(inTemporary); return e.yes }
func (e *answers) StatusCode() int           { e.called(inStatusCode); return e.status }
func (e *answers) Code() string              { e.called(inCode); return e.code }
func (e *answers) ErrorCode() string         { e.called(inCode); return e.code }
func (e *answers) Reason() string            { e.called(inReason); return e.code }
func (e *answers) RetryAfter() time.Duration { e.called(inRetryAfter); return e.wait }
func (e *answers) RawJSON() string           { e.called(inRawJSON); return e.raw }
func (e *answers) SQLState() string          { e.called(inSQLState); return e.code }

// carries has the fields that SDKs give to their errors.
type carries struct {
	StatusCode int
	Code       string
	Type       string
	Message    string
	Body       []byte
	Header     http.Header
	Response   *http.Response
	RetryAfter string
	wraps
}

// carriesText is the same by value, as some SDKs return it.
type carriesText struct {
	Status       int
	Code         string
	ResponseBody string
	Headers      map[string][]string
	text         string
}

func (e carriesText) Error() string { return e.text }
