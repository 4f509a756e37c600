package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	primary   = resilience.Target{Endpoint: "https://a.example", Provider: "claude", Model: "a-1"}
	secondary = resilience.Target{Endpoint: "https://b.example", Provider: "openai", Model: "b-1"}
	tertiary  = resilience.Target{Endpoint: "https://c.example", Provider: "google", Model: "c-1"}
)

// answerError is an error with a status and a response, like the errors of many
// SDKs.
type answerError struct {
	StatusCode int
	Response   *http.Response
	Message    string
}

func (e *answerError) Error() string { return fmt.Sprintf("status %d: %s", e.StatusCode, e.Message) }

// answer returns an answerError. An empty retryAfter sets no header.
func answer(status int, retryAfter string) error {
	header := http.Header{}
	if retryAfter != "" {
		header.Set("Retry-After", retryAfter)
	}
	return &answerError{StatusCode: status, Response: &http.Response{StatusCode: status, Header: header}, Message: http.StatusText(status)}
}

// These are errors with different reasons.
var (
	errNetwork    = fmt.Errorf("post: %w", syscall.ECONNRESET)
	errTransient  = answer(503, "")
	errLimited    = answer(429, "")
	errSlow       = answer(504, "")
	errKey        = answer(401, "")
	errRequest    = answer(400, "")
	errOverflow   = errors.New("context_length_exceeded: maximum context length is 8192 tokens")
	errParsing    = errors.New("invalid character '<' looking for beginning of value")
	errPolicy     = answer(451, "")
	errUnknown    = errors.New("qwertz")
	errDNS        = errors.New("dial tcp: lookup a.example: no such host")
	errQuota      = answer(402, "")
	errOverloaded = answer(529, "")
)

// noJitter is a random source. Its constant value 0.5 means no jitter.
func noJitter() float64 { return 0.5 }

// enabled returns a config that is enabled and has only defaults.
func enabled() *resilience.Config { return &resilience.Config{Enabled: true} }

// executor returns an executor without jitter, unless an option sets a random
// source.
func executor(t testing.TB, cfg *resilience.Config, opts ...resilience.Option) *resilience.Executor {
	t.Helper()
	x, err := resilience.New(cfg, append([]resilience.Option{resilience.WithRandom(noJitter)}, opts...)...)
	require.NoError(t, err)
	return x
}

// events collects events.
type events struct {
	mu  sync.Mutex
	all []resilience.Event
}

func (e *events) observe(_ context.Context, event resilience.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, event)
}

// ofKind returns the collected events of one kind.
func (e *events) ofKind(kind resilience.Kind) []resilience.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	var some []resilience.Event
	for _, event := range e.all {
		if event.Kind == kind {
			some = append(some, event)
		}
	}
	return some
}

// pauses returns the duration of each pause, in the order of the events.
func (e *events) pauses() []time.Duration {
	var all []time.Duration
	for _, w := range e.ofKind(resilience.KindWait) {
		all = append(all, w.ScheduledDelay)
	}
	return all
}

// transitions returns the text "From>To" of each event of one kind.
func (e *events) transitions(kind resilience.Kind) []string {
	var all []string
	for _, w := range e.ofKind(kind) {
		all = append(all, w.From+">"+w.To)
	}
	return all
}

// script imitates the function that Do calls, and returns prepared errors. The rules
// are:
//
//   - Each call to a target returns the next error in the target's list.
//   - The last error repeats.
//   - A target without a list succeeds and returns its model.
type script struct {
	mu    sync.Mutex
	fails map[resilience.Target][]error
	calls []resilience.Target
}

func newScript(fails map[resilience.Target][]error) *script { return &script{fails: fails} }

func (s *script) call(_ context.Context, t resilience.Target) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, t)
	list := s.fails[t]
	if len(list) == 0 {
		return t.Model, nil
	}
	if len(list) > 1 {
		s.fails[t] = list[1:]
	}
	if list[0] == nil {
		return t.Model, nil
	}
	return "", list[0]
}

// count returns the number of calls to the target t.
func (s *script) count(t resilience.Target) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.calls {
		if c == t {
			n++
		}
	}
	return n
}

// repeat returns a list that contains err n times.
func repeat(n int, err error) []error {
	all := make([]error, n)
	for i := range all {
		all[i] = err
	}
	return all
}

// asError returns err as an *Error.
func asError(t testing.TB, err error) *resilience.Error {
	t.Helper()
	e, ok := errors.AsType[*resilience.Error](err)
	require.True(t, ok, "got %T: %v, want an *Error", err, err)
	return e
}

func reason(err error) classify.Reason { return classify.Error(err).Reason }
