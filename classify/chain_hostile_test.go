package classify_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
)

type (
	// nilDeref is an error type. Every method panics if the pointer is nil.
	nilDeref struct{ text string }
	// panics is an error type. All its methods panic.
	panics struct{}
	// loop is an error that wraps itself and has a constant text.
	loop struct{ next error }
	// recursive is an error that wraps itself. Its Error method never returns.
	recursive struct{ next error }
	// timesOut is like recursive, but its Timeout method returns true.
	timesOut struct{ recursive }
	// generator is an error. Each call of Unwrap returns a new error.
	generator int
	// bush is an error that joins two errors. Both are bushes again, without end.
	bush struct{}
	// huge is an error with a text of 100 MB.
	huge struct{}
	// liar is an error whose methods Temporary and Timeout return true. Its status and
	// waiting time are invalid.
	liar struct{}
)

func (e *nilDeref) Error() string              { return e.text }
func (e *nilDeref) Unwrap() error              { return errors.New(e.text) }
func (e *nilDeref) Timeout() bool              { return e.text != "" }
func (*timesOut) Timeout() bool                { return true }
func (panics) Error() string                   { panic("Error") }
func (panics) Unwrap() error                   { panic("Unwrap") }
func (panics) Is(error) bool                   { panic("Is") }
func (panics) Timeout() bool                   { panic("Timeout") }
func (panics) Temporary() bool                 { panic("Temporary") }
func (panics) StatusCode() int                 { panic("StatusCode") }
func (panics) GRPCStatus() *grpcStatus         { panic("GRPCStatus") }
func (panics) SQLState() string                { panic("SQLState") }
func (panics) Code() string                    { panic("Code") }
func (panics) RetryAfter() time.Duration       { panic("RetryAfter") }
func (panics) RawJSON() string                 { panic("RawJSON") }
func (panics) HasErrorLabel(string) bool       { panic("HasErrorLabel") }
func (panics) CanceledError() bool             { panic("CanceledError") }
func (panics) SQLErrorNumber() int32           { panic("SQLErrorNumber") }
func (*loop) Error() string                    { return "loop" }
func (e *loop) Unwrap() error                  { return e.next }
func (e *recursive) Error() string             { return "recursive: " + e.next.Error() }
func (e *recursive) Unwrap() error             { return e.next }
func (g generator) Error() string              { return (g + 1).Error() }
func (g generator) Unwrap() error              { return g + 1 }
func (bush) Error() string                     { return bush{}.Unwrap()[0].Error() }
func (bush) Unwrap() []error                   { return []error{bush{}, bush{}} }
func (huge) Error() string                     { return strings.Repeat("so it goes ", 10<<20) }
func (liar) Error() string                     { return "yes" }
func (liar) Timeout() bool                     { return true }
func (liar) Temporary() bool                   { return true }
func (liar) StatusCode() int                   { return -1 }
func (liar) RetryAfter() (time.Duration, bool) { return -1, true }

// passesOn is an error that delegates all methods to the wrapped error.
type passesOn struct{ next error }

func (e *passesOn) Error() string        { return "call: " + e.next.Error() }
func (e *passesOn) Unwrap() error        { return e.next }
func (e *passesOn) Is(target error) bool { return errors.Is(e.next, target) }
func (e *passesOn) Timeout() bool {
	t, ok := e.next.(interface{ Timeout() bool })
	return !ok || t.Timeout()
}

// exits is an error type. Its Error method panics with a value that is not an error.
type exits struct{}

func (exits) Error() string { panic((*runtime.Error)(nil)) }

func TestHostile(t *testing.T) {
	t.Parallel()
	self := &loop{}
	self.next = self
	two := &loop{}
	two.next = fmt.Errorf("again: %w", two)
	deep := &recursive{}
	deep.next = deep
	asks := &passesOn{}
	asks.next = asks
	slow := &timesOut{recursive{}}
	slow.next = slow
	request := &url.Error{Op: "Get", URL: "https://example.com"}
	request.Err = request
	joined := &loop{}
	joined.next = errors.Join(errors.New("x"), joined)
	for name, err := range map[string]error{
		"nil pointer":                (*nilDeref)(nil),
		"nil *net.OpError":           (*net.OpError)(nil),
		"nil *net.DNSError":          (*net.DNSError)(nil),
		"nil *url.Error":             (*url.Error)(nil),
		"nil *fs.PathError":          (*fs.PathError)(nil),
		"nil *exec.ExitError":        (*exec.ExitError)(nil),
		"nil *googleapi.Error":       (*googleapiError)(nil),
		"nil *openai.Error":          (*openaiError)(nil),
		"empty *anthropic.Error":     &anthropicError{},
		"empty smithy ResponseError": &smithyResponseError{},
		"smithy without a response":  &smithyResponseError{Response: &smithyResponse{}},
		"gRPC error without status":  &grpcError{},
		"panics":                     panics{},
		"panics with nil":            exits{},
		"wraps itself":               self,
		"wraps itself wrapped":       two,
		"Error never returns":        deep,
		"asks itself":                asks,
		"times out within itself":    slow,
		"a request within itself":    request,
		"joins itself":               joined,
		"wraps ever new errors":      generator(0),
		"a bush without leaves":      bush{},
		"huge":                       huge{},
		"nil branches":               branches{nil, nil},
		"uncomparable":               uncomparable{{}},
		"no error inside":            fmt.Errorf("so it goes: %w", error(nil)),
		"nil of errors.New":          nilOf(errors.New("")),
		"nil of fmt.Errorf":          nilOf(fmt.Errorf("%w", errors.New(""))),
		"nil of two wrapped":         nilOf(fmt.Errorf("%w%w", errors.New(""), errors.New(""))),
		"nil of errors.Join":         nilOf(errors.Join(errors.New(""))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, e := range []error{err, fmt.Errorf("call: %w", answersText{err}), branches{errors.New("x"), err}} {
				got := classify.Standard.Classify(classify.Evidence{Err: e, Cause: err})
				if got.Category != classify.CategoryAborted && got.Rule != classify.RuleModel { // it may be the cause
					assert.Contains(t, []classify.Reason{classify.ReasonUnknown, classify.ReasonSpawn, classify.ReasonTimeout, classify.ReasonNetwork}, got.Reason, got.Rule)
				}
				minimal := classify.Minimal.Error(e)
				assert.Equal(t, classify.ReasonUnknown, minimal.Reason, minimal.Rule)
				assert.Equal(t, got, classify.Standard.Explain(classify.Evidence{Err: e, Cause: err}).Result)
				bare := classify.Error(e)
				for _, r := range []classify.Result{got, minimal, bare} {
					assert.NotContains(t, r.Rule, "panic")
				}
				if bare.Rule != classify.RuleModel {
					assert.Contains(t, []classify.Reason{classify.ReasonUnknown, classify.ReasonSpawn, classify.ReasonNetwork}, bare.Reason, bare.Rule)
				}
			}
		})
	}
	assert.Equal(t, classify.ReasonTimeout, classify.Error(liar{}).Reason)
}

// nilOf returns a nil pointer that has the type of err.
func nilOf(err error) error { return reflect.Zero(reflect.TypeOf(err)).Interface().(error) }

// branches is a joined error with a constant text.
type branches []error

func (branches) Error() string     { return "several" }
func (b branches) Unwrap() []error { return b }

// answersText is a wrapper with a constant text.
type answersText struct{ err error }

func (answersText) Error() string   { return "so it goes" }
func (e answersText) Unwrap() error { return e.err }

// TestEvidenceBesideACycle checks a chain with a cycle. The classifier must not call
// a method that could recurse without end.
func TestEvidenceBesideACycle(t *testing.T) {
	t.Parallel()
	round := &recursive{}
	round.next = branches{&net.OpError{Op: "read", Err: round}, httpStatus(503)}
	assert.Equal(t, classify.ReasonTransient, classify.Error(round).Reason)
	x := classify.Standard.Explain(classify.Evidence{Err: round})
	assert.Equal(t, "http/503", x.Result.Rule)
}

// TestEvidenceBesidePanics checks a chain in which some methods panic. The evidence
// of the other methods must be read.
func TestEvidenceBesidePanics(t *testing.T) {
	t.Parallel()
	got := classify.Error(fmt.Errorf("%w, %w", halfBroken{}, (*nilDeref)(nil)))
	assert.Equal(t, classify.ReasonNetwork, got.Reason, got.Rule)
}

// halfBroken is an error type. Only Error and Unwrap do not panic.
type halfBroken struct{ panics }

func (halfBroken) Error() string { return "so it goes" }
func (halfBroken) Unwrap() error { return &net.DNSError{IsTemporary: true} }

// TestBounds checks the limits on the errors of a chain. Beyond the limits, only the
// text of the whole chain counts.
func TestBounds(t *testing.T) {
	t.Parallel()
	err := context.Canceled
	for range 63 {
		err = answersText{err}
	}
	require.Equal(t, classify.ReasonAborted, classify.Error(err).Reason)
	require.Equal(t, classify.ReasonUnknown, classify.Error(answersText{err}).Reason, "too deep")

	wide := make([]error, 255)
	for i := range wide {
		wide[i] = errors.New("so it goes")
	}
	wide[254] = syscall.ECONNRESET
	assert.Equal(t, classify.ReasonNetwork, classify.Error(branches(wide)).Reason)

	many := make([]error, 5000)
	for i := range many {
		many[i] = errors.New("HTTP 429")
	}
	assert.Equal(t, classify.ReasonRateLimit, classify.Error(branchesText{many}).Reason, "the text of a large batch")

	deep := errors.New("HTTP 429")
	for range 100 {
		deep = &relays{deep}
	}
	assert.Equal(t, classify.ReasonRateLimit, classify.Error(deep).Reason, "the text of a long chain")
}

// TestSharedTree checks errors whose whole text is too large to build. If an error is
// joined with itself 40 times, its text has 2^40 lines.
func TestSharedTree(t *testing.T) {
	t.Parallel()
	shared := func(err error) error {
		for range 40 {
			err = errors.Join(err, err)
		}
		return err
	}
	assert.Equal(t, classify.ReasonNetwork, classify.Error(shared(syscall.ECONNRESET)).Reason)
	got := classify.Error(&relays{errors.Join(errors.New("HTTP 429"), shared(errors.New("so it goes")))})
	assert.Equal(t, classify.ReasonUnknown, got.Reason, got.Rule)
	beside := errors.Join(errors.New("HTTP 429"), &relays{shared(errors.New("so it goes"))})
	assert.Equal(t, classify.ReasonRateLimit, classify.Error(beside).Reason, "the text beside one that is too large")
	assert.Contains(t, classify.Standard.Explain(classify.Evidence{Err: beside}).Omitted, unreadTexts(1))

	cycle := &relays{}
	cycle.err = cycle
	batch := make([]error, 20_000)
	for i := range batch {
		batch[i] = &relays{errors.New("so it goes")}
	}
	got = classify.Error(errors.Join(append(batch, cycle)...))
	assert.Equal(t, classify.ReasonUnknown, got.Reason, got.Rule)
}

func unreadTexts(n int) classify.Omission {
	return classify.Omission{Source: "error", Unit: "texts of errors", Amount: n}
}

// TestNestedJoinsKeepTheirText checks err = errors.Join(err, e) in a loop. The text must be
// read, whatever the depth. Explain must report what is not read.
func TestNestedJoinsKeepTheirText(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 100, 130, 5000, 9000} {
		var first, last error
		for i := range n {
			e := fmt.Errorf("item %d: 429 Too Many Requests", i)
			first, last = errors.Join(first, e), errors.Join(e, last)
		}
		for _, err := range []error{first, last} {
			assert.Equal(t, classify.ReasonRateLimit, classify.Error(err).Reason, n)
			x := classify.Standard.Explain(classify.Evidence{Err: err})
			assert.Equal(t, classify.ReasonRateLimit, x.Result.Reason, n)
			assert.Equal(t, n == 9000, slices.Contains(x.Omitted, unreadTexts(1)), n)
			i := slices.IndexFunc(x.Omitted, func(o classify.Omission) bool { return o.Unit == "bytes of text" })
			if n == 5000 && assert.GreaterOrEqual(t, i, 0) {
				assert.Greater(t, x.Omitted[i].Amount, 90_000)
			}
		}
	}

	cycle := errors.Join(errors.New("HTTP 429"), errors.New("x"))
	cycle.(interface{ Unwrap() []error }).Unwrap()[1] = cycle
	assert.Equal(t, classify.ReasonRateLimit, classify.Error(cycle).Reason)
	assert.Contains(t, classify.Standard.Explain(classify.Evidence{Err: cycle}).Omitted, unreadTexts(1))
	cycle.(interface{ Unwrap() []error }).Unwrap()[0] = cycle
	assert.Equal(t, classify.ReasonUnknown, classify.Error(cycle).Reason)
}

type branchesText struct{ errs []error }

func (b branchesText) Error() string   { return b.errs[0].Error() }
func (b branchesText) Unwrap() []error { return b.errs }

type relays struct{ err error }

func (r *relays) Error() string { return r.err.Error() }
func (r *relays) Unwrap() error { return r.err }

// TestWrappingKeepsTheReason wraps a known error in random trees of wrappers. The
// reason must remain.
func TestWrappingKeepsTheReason(t *testing.T) {
	t.Parallel()
	known := []error{
		context.Canceled, context.DeadlineExceeded, classify.ErrBudgetExceeded, syscall.ECONNRESET, syscall.ENOSPC,
		&net.DNSError{Name: "x", IsNotFound: true}, &exec.Error{Name: "x", Err: exec.ErrNotFound}, grpcErr(16, "x"),
		&openaiError{StatusCode: http.StatusTooManyRequests}, &pgError{Code: "40001"}, httpStatus(402),
	}
	rapid.Check(t, func(t *rapid.T) {
		err := rapid.SampledFrom(known).Draw(t, "error")
		want := classify.Error(err)
		for range rapid.IntRange(0, 20).Draw(t, "depth") {
			switch rapid.IntRange(0, 5).Draw(t, "wrapper") {
			case 0:
				err = fmt.Errorf("call: %w", err)
			case 1:
				err = errors.Join(errors.New("so it goes"), err)
			case 2:
				err = fmt.Errorf("%w and %w", err, errors.New("so it goes"))
			case 3:
				err = answersText{err}
			case 4:
				err = branches{panics{}, err, nil}
			case 5:
				err = &loop{err}
			}
		}
		got := classify.Error(err)
		if got.Reason != want.Reason || got.Category != want.Category || got.Rule != want.Rule {
			t.Fatalf("got %+v, want %+v, of %#v", got, want, err)
		}
	})
}
