package resilience

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"

	"github.com/errclass/errclass/classify"
)

// Transport is an [http.RoundTripper] that makes the requests of any client
// through an [Executor], one [Do] for each request. Make it with
// [NewTransport].
//
// A response with a status of 400 or more is classified by its status, its
// headers and the first KiB of its body, and repeated as that says. The client
// gets the last response as it came, whole body included, or the last error of
// the base; where the request's context ends in a pause, that is the error, and
// where no request was made at all, it is an [*OpenError], say. A response that
// is followed by another request is closed.
//
// Only what may be repeated is: requests without a body or with a GetBody
// (which [http.NewRequest] sets for a [bytes.Buffer], a [bytes.Reader] and a
// [strings.Reader]), and only with an idempotent method or an Idempotency-Key
// ([WithMethods]). All others are made once; breaker, health and alerts look
// after them too.
//
// The endpoint of a request is the scheme and host of its URL; [WithCall] says
// otherwise, and names other targets to fall back to.
//
// A peer cannot hold up a call by the body of a failed response: its first KiB is
// waited for at most 250 ms, and what has come by then is classified. Streams
// (text/event-stream) and bodies that the client decodes itself are not read at
// all. A response that is followed by another request is drained where its end
// is there already, within 3 KiB; otherwise its connection is closed. The client
// reads the body of the last response from its beginning, as it comes in. What
// happens while it does so is not seen.
//
// A Transport is safe for concurrent use. It never changes a request; the base
// gets a copy whose context ends with the body of its response. The goroutines
// that read the body of a failed response end with that read or when the body is
// closed, so the client must close it, as always. There is nothing else to close
// but the base's connections ([Transport.CloseIdleConnections]).
type Transport struct {
	base    http.RoundTripper
	x       *Executor
	methods map[string]bool
	call    func(*http.Request) Call
	rewrite func(*http.Request, Target) error
}

var _ http.RoundTripper = (*Transport)(nil)

// TransportOption configures a [Transport].
type TransportOption interface{ applyTransport(*Transport) }

type transportOption func(*Transport)

func (o transportOption) applyTransport(t *Transport) { o(t) }

// idempotent are the methods of which several equal requests have the effect of
// one (RFC 9110 9.2.2).
var idempotent = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodOptions: true, http.MethodTrace: true,
	http.MethodPut: true, http.MethodDelete: true,
}

// WithMethods adds methods whose requests may be repeated: mostly POST, for an
// API where a second equal request does no harm, as with those of models. By
// default it is the idempotent ones (GET, HEAD, OPTIONS, TRACE, PUT, DELETE)
// and, whatever the method, requests with a header Idempotency-Key or
// X-Idempotency-Key, as in package net/http.
func WithMethods(methods ...string) TransportOption {
	return transportOption(func(t *Transport) {
		t.methods = maps.Clone(t.methods)
		for _, m := range methods {
			t.methods[m] = true
		}
	})
}

// WithCall sets which [Call] a request is: its key, its agent, who else may be
// asked ([Call.Targets] after the first, which stands for the request as it
// is). It must not change the request. [Call.Spend] gets each answer as an
// *http.Response, whose body it must not touch. Where a restart queue takes over
// a call that ended in a response, a 504 say, only events tell. By default, and with nil, it is
// a Call with one target: the scheme and host of the URL as its endpoint, and
// the provider whose host that is, where [classify.HostProvider] knows it.
func WithCall(call func(*http.Request) Call) TransportOption {
	return transportOption(func(t *Transport) {
		if call != nil {
			t.call = call
		}
	})
}

// WithRewrite sets how a request is changed that goes to another target than
// its first one. It gets a copy of its own, body included; its error is one of
// the call. By default, and with nil, scheme and host of the URL become those of
// the target's endpoint, and all else stays: path, body and headers,
// credentials too. That is right for a second gateway to the same API; another
// provider needs more.
func WithRewrite(rewrite func(*http.Request, Target) error) TransportOption {
	return transportOption(func(t *Transport) {
		if rewrite != nil {
			t.rewrite = rewrite
		}
	})
}

// NewTransport returns a transport on top of base, which may be nil for
// [http.DefaultTransport]. With an executor that is nil or not enabled it is
// exactly the base.
func NewTransport(base http.RoundTripper, x *Executor, opts ...TransportOption) *Transport {
	t := &Transport{base: base, x: x, methods: idempotent, call: hostCall, rewrite: rehost}
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

// maxHost is far beyond the longest name that a host can have, 253 bytes in DNS.
const maxHost = 1 << 10

// hostCall is what a request is unless an option says otherwise. A peer may
// redirect a client to a host with a name of megabytes, which nothing can reach
// and for which nothing is kept.
func hostCall(r *http.Request) Call {
	if r.URL == nil || len(r.URL.Host) > maxHost {
		return Call{}
	}
	return Call{Targets: []Target{{
		Endpoint: (&url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host}).String(),
		Provider: classify.HostProvider(r.URL.Hostname()),
	}}}
}

// mayRepeat reports whether a request may be made more than once.
func (t *Transport) mayRepeat(r *http.Request) bool {
	if r.Body != nil && r.Body != http.NoBody && r.GetBody == nil {
		return false
	}
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

// RoundTrip makes a request, repeats it where that helps, and returns the last
// response or the last error.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	call := t.call(r)
	if !t.x.Enabled(call.Agent) {
		return t.base.RoundTrip(r)
	}
	e := &exchange{t: t, request: r, primary: call.primary()}
	if !t.mayRepeat(r) {
		call.Repeatable = never
	}
	return e.do(call)
}

func never(Attempt) bool { return false }

// CloseIdleConnections closes those of the base, if it can: that is what
// [http.Client.CloseIdleConnections] calls.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
