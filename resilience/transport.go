package resilience

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/errclass/errclass/classify"
)

// Transport is an [http.RoundTripper] that makes each request through an [Executor].
// There is one [Do] per request. Make a Transport with [NewTransport].
//
// A response with status 400 or higher is a failure. Transport classifies it by
// status, headers and the first KiB of the body. The result decides whether Transport
// retries. Before a retry, it closes the failed response. The client gets the last
// response with its whole body, or the last error. If the context ends during a
// pause, the client gets the context's error. If no request was made, the error says
// why, for example an [*OpenError].
//
// A response with status 200 is a failure if its body begins with an error:
//
//   - an event stream (text/event-stream): the first event, in the formats of
//     Anthropic, OpenAI and Google
//   - JSON lines (application/x-ndjson): a first line {"error":...}, as Ollama sends
//     it
//   - an Amazon event stream: a first message that is an exception or an error
//   - JSON: a body such as {"error":{...}}
//
// Transport reads at most 4 KiB of such a body. The client gets the response after
// 250 ms at the latest ([WithFirstEventWait]). If reading the beginning fails, the
// failure is a network error.
//
// A later error in a successful response causes no retry. If a stream contains an
// error, observers get an event of [KindStream]. If reading a body fails later,
// observers get this event too. The client reads every byte unchanged.
//
// Transport retries a request on two conditions:
//
//   - The request has no body, or has a GetBody that returns the body again.
//   - The method is idempotent, or the request has an Idempotency-Key
//     ([WithMethods], [WithModelAPIs]).
//
// [http.NewRequest] sets GetBody for a [bytes.Buffer], a [bytes.Reader] and a
// [strings.Reader]. A request that does not meet both conditions is made once. Its
// outcome still counts for breaker, health and alerts.
//
// The endpoint of a request is the scheme and host of its URL. [WithCall] can set
// another endpoint and add fallback targets.
//
// Transport waits at most 250 ms for the first KiB of a failed response. It does not
// read the body of a failed response if this body is an event stream, or if the client
// decompresses this body itself. If a failed response has at most 3 KiB and is
// complete, its connection is reused. Otherwise the connection is closed.
//
// A Transport is safe for concurrent use. It never changes a request, but sends a
// copy. The context of the copy ends with the body of the response. So the client
// must close the body, as always. A Transport itself needs no Close.
// [Transport.CloseIdleConnections] closes the connections of the base transport.
type Transport struct {
	base    http.RoundTripper
	x       *Executor
	methods map[string]bool
	// modelAPIs is set by WithModelAPIs.
	modelAPIs bool
	firstWait time.Duration // for the beginning of a successful response
	reported  atomic.Bool   // an event of KindNotRepeated was sent
	call      func(*http.Request) Call
	rewrite   func(*http.Request, Target) error
}

var _ http.RoundTripper = (*Transport)(nil)

// TransportOption configures a [Transport].
type TransportOption interface{ applyTransport(*Transport) }

type transportOption func(*Transport)

func (o transportOption) applyTransport(t *Transport) { o(t) }

// idempotent lists the idempotent methods (RFC 9110 9.2.2).
var idempotent = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodOptions: true, http.MethodTrace: true,
	http.MethodPut: true, http.MethodDelete: true,
}

// WithMethods adds methods that may be retried. The default is the idempotent
// methods GET, HEAD, OPTIONS, TRACE, PUT and DELETE. Add POST only for an API where
// a repeated request does no harm. A request with an Idempotency-Key or
// X-Idempotency-Key may always be retried.
func WithMethods(methods ...string) TransportOption {
	return transportOption(func(t *Transport) {
		t.methods = maps.Clone(t.methods)
		for _, m := range methods {
			t.methods[m] = true
		}
	})
}

// WithCall sets the function that returns the [Call] for a request. The function
// must not change the request. The first of [Call.Targets] is the target of the
// unchanged request. [Call.Spend] gets each answer as an *http.Response and must not
// touch its body.
//
// By default, and with nil, the Call has one target. The endpoint is the scheme and
// host of the URL. The provider is the result of [classify.HostProvider].
//
// If a restart queue accepts a call, the client still gets its last response. Only
// an event shows that the call is queued.
func WithCall(call func(*http.Request) Call) TransportOption {
	return transportOption(func(t *Transport) {
		if call != nil {
			t.call = call
		}
	})
}

// WithRewrite sets the function that changes a request for a fallback target. The
// function gets a copy of the request, body included. If it returns an error, the
// call fails with that error.
//
// By default, and with nil, the URL gets the scheme and host of the target's
// endpoint. Path, body and headers, including credentials, stay unchanged. If the
// fallback target has a different provider, set a function.
func WithRewrite(rewrite func(*http.Request, Target) error) TransportOption {
	return transportOption(func(t *Transport) {
		if rewrite != nil {
			t.rewrite = rewrite
		}
	})
}

// WithFirstEventWait sets how long Transport waits for the beginning of a response.
// It applies to event streams and JSON with status 200. The default is 250 ms. If
// the beginning is an error, the response counts as failed. After the wait, the
// client gets the response, and observers get later errors. With 0 or less, the
// client gets the response at once.
func WithFirstEventWait(wait time.Duration) TransportOption {
	return transportOption(func(t *Transport) { t.firstWait = wait })
}

// NewTransport returns a transport on top of base. A nil base means
// [http.DefaultTransport]. If x is nil or not enabled, requests go to the base
// unchanged.
func NewTransport(base http.RoundTripper, x *Executor, opts ...TransportOption) *Transport {
	t := &Transport{base: base, x: x, methods: idempotent, call: hostCall, rewrite: rehost, firstWait: peekTime}
	if base == nil {
		t.base = http.DefaultTransport
	}
	for _, o := range opts {
		if o != nil {
			o.applyTransport(t)
		}
	}
	return t
}

// maxHost limits the length of a host. A DNS name has at most 253 bytes.
const maxHost = 1 << 10

// hostCall is the default of [WithCall]. If the host is longer than maxHost, the
// call has no target.
func hostCall(r *http.Request) Call {
	if r.URL == nil || len(r.URL.Host) > maxHost {
		return Call{}
	}
	return Call{Targets: []Target{{
		Endpoint: (&url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host}).String(),
		Provider: classify.HostProvider(r.URL.Hostname()),
	}}}
}

// replayable reports whether the body of a request can be sent again.
func replayable(r *http.Request) bool {
	return r.Body == nil || r.Body == http.NoBody || r.GetBody != nil
}

// repeatable reports whether a request may be made again after any failure.
func (t *Transport) repeatable(r *http.Request) bool {
	if t.methods[cmp.Or(r.Method, http.MethodGet)] {
		return true
	}
	for _, key := range [...]string{"Idempotency-Key", "X-Idempotency-Key"} {
		if _, ok := r.Header[key]; ok {
			return true
		}
	}
	return false
}

// RoundTrip makes a request, with retries, and returns the last response or the last
// error.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	call := t.call(r)
	if !t.x.Enabled(call.Agent) {
		return t.base.RoundTrip(r)
	}
	e := &exchange{t: t, request: r, agent: call.Agent, key: call.Key, primary: call.primary()}
	call.limitsItself = true
	switch {
	case !replayable(r):
		call.Repeatable = e.neverFor("body")
	case t.repeatable(r):
	case t.modelAPIs && isModelCall(r):
		call.Repeatable = both(unanswered, call.Repeatable)
	default:
		call.Repeatable = e.neverFor("method")
	}
	return e.do(call)
}

// both returns a function that reports whether a and b both return true. If b is nil,
// it returns a.
func both(a, b func(Attempt) bool) func(Attempt) bool {
	if b == nil {
		return a
	}
	return func(attempt Attempt) bool { return a(attempt) && b(attempt) }
}

// CloseIdleConnections closes the idle connections of the base.
// [http.Client.CloseIdleConnections] calls it.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
