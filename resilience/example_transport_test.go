package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/errclass/errclass/resilience"
)

// quick is a config with pauses of a millisecond.
var quick = &resilience.Config{
	Enabled: true,
	Retry:   resilience.RetryConfig{Schedule: resilience.CustomSchedule, BaseDelayMs: 1, MaxDelayMs: 1},
}

// overloaded starts a server that answers 529 to its first n requests.
func overloaded(n int32) *httptest.Server {
	var requests atomic.Int32
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) <= n {
			http.Error(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, 529)
			return
		}
		text, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.Path, text)
	}))
}

// show prints a response's status and body.
func show(resp *http.Response, err error) {
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	text, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	fmt.Println(resp.StatusCode, string(text))
}

func ExampleNewTransport() {
	api := overloaded(2)
	defer api.Close()

	client := &http.Client{Transport: resilience.NewTransport(nil, must(quick))} // the only change
	show(client.Get(api.URL + "/models"))
	client.CloseIdleConnections()
	// Output: 200 GET /models
}

// A POST to a model's API may be repeated.
func ExampleWithMethods() {
	api := overloaded(2)
	defer api.Close()

	client := &http.Client{Transport: resilience.NewTransport(nil, must(quick), resilience.WithMethods(http.MethodPost))}
	show(client.Post(api.URL+"/messages", "application/json", strings.NewReader(`{"max_tokens":1}`)))
	client.CloseIdleConnections()
	// Output: 200 POST /messages {"max_tokens":1}
}

// A POST to the API of a model is retried after an error response.
func ExampleWithModelAPIs() {
	api := overloaded(2)
	defer api.Close()

	client := &http.Client{Transport: resilience.NewTransport(nil, must(quick), resilience.WithModelAPIs())}
	show(client.Post(api.URL+"/v1/messages", "application/json", strings.NewReader(`{"max_tokens":1}`)))
	client.CloseIdleConnections()
	// Output: 200 POST /v1/messages {"max_tokens":1}
}

// If all retries fail, the request goes to a second gateway.
func ExampleWithCall() {
	api, second := overloaded(1000), overloaded(0)
	defer api.Close()
	defer second.Close()

	withSecond := resilience.WithCall(func(r *http.Request) resilience.Call {
		return resilience.Call{
			Key:     r.Header.Get("X-Task"),
			Targets: []resilience.Target{{Endpoint: api.URL}, {Endpoint: second.URL}},
		}
	})
	client := &http.Client{Transport: resilience.NewTransport(nil, must(quick), withSecond)}
	show(client.Get(api.URL + "/models"))
	client.CloseIdleConnections()
	// Output: 200 GET /models
}

// The second provider has other paths and another API key than the first.
func ExampleWithRewrite() {
	api, other := overloaded(1000), overloaded(0)
	defer api.Close()
	defer other.Close()

	targets := []resilience.Target{{Endpoint: api.URL, Provider: "anthropic"}, {Endpoint: other.URL, Provider: "openai"}}
	client := &http.Client{Transport: resilience.NewTransport(nil, must(quick),
		resilience.WithCall(func(*http.Request) resilience.Call { return resilience.Call{Targets: targets} }),
		resilience.WithRewrite(func(r *http.Request, t resilience.Target) error {
			to, err := url.Parse(t.Endpoint + "/v1/models")
			r.URL, r.Host = to, ""
			r.Header.Del("X-Api-Key")
			r.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
			return err
		}))}
	show(client.Get(api.URL + "/models"))
	client.CloseIdleConnections()
	// Output: 200 GET /v1/models
}

// A transport can be used without an http.Client.
func ExampleTransport_RoundTrip() {
	api := overloaded(1000)
	defer api.Close()
	transport := resilience.NewTransport(http.DefaultTransport, must(quick))
	r, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, api.URL, nil)
	show(transport.RoundTrip(r)) // the last response, as the server sent it
	transport.CloseIdleConnections()
	// Output: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}
}

func ExampleTransport_CloseIdleConnections() {
	client := &http.Client{Transport: resilience.NewTransport(http.DefaultTransport, must(quick))}
	client.CloseIdleConnections() // closes the connections of http.DefaultTransport
	fmt.Println("closed")
	// Output: closed
}

// Observers see a failed response as an error.
func ExampleResponseError() {
	var err error = &resilience.ResponseError{StatusCode: 503, Header: http.Header{"Retry-After": {"7"}}}
	fmt.Println(err)
	// Output: 503 Service Unavailable
}

func ExampleResponseError_Error() {
	fmt.Println((&resilience.ResponseError{StatusCode: 529}).Error())
	// Output: 529
}

func ExampleError_Timeout() {
	err := &resilience.Error{Err: fmt.Errorf("ask: %w", context.DeadlineExceeded)}
	fmt.Println(err.Timeout(), (&resilience.Error{Err: errors.New("no")}).Timeout())
	// Output: true false
}

func ExampleExecutor_Enabled() {
	x := must(&resilience.Config{Agents: map[string]resilience.AgentConfig{"nightly": {Enabled: new(true)}}})
	fmt.Println(x.Enabled(""), x.Enabled("nightly"))
	// Output: false true
}

// If the first event of a stream is an error, the request is repeated.
func ExampleWithFirstEventWait() {
	calls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if calls++; calls == 1 {
			fmt.Fprint(w, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n")
			return
		}
		fmt.Fprint(w, "data: hello\n\n")
	}))
	defer srv.Close()
	client := srv.Client()
	client.Transport = resilience.NewTransport(client.Transport, must(quick), resilience.WithFirstEventWait(5*time.Second))
	resp, err := client.Get(srv.URL)
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	fmt.Printf("%q %v, %d calls\n", text, err, calls)
	// Output: "data: hello\n\n" <nil>, 2 calls
}
