package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
)

// answers maps a request's path to a response like Anthropic's or OpenAI's.
var answers = map[string]struct {
	status     int
	retryAfter string
	body       string
}{
	"/rate-limit": {429, "17", `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 50,000 input tokens per minute."},"request_id":"req_011"}`},
	"/bad-key":    {401, "", `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_012"}`},
	"/overloaded": {529, "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_013"}`},
	"/too-long":   {400, "", `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130221 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
	"/gateway":    {500, "", `{"error":{"message":"upstream refused: invalid api key","type":"server_error"}}`},
}

// startProvider serves on a free port of the loopback interface until stop is
// called.
func startProvider() (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: http.HandlerFunc(fail)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with http.ErrServerClosed
	}()
	stop = func() {
		_ = server.Close()
		<-done
	}
	return "http://" + listener.Addr().String(), stop, nil
}

// fail answers every request with an error.
func fail(w http.ResponseWriter, r *http.Request) {
	// The server notices a closed connection only after it has read the request.
	_, _ = io.Copy(io.Discard, r.Body)
	switch r.URL.Path {
	case "/drop":
		panic(http.ErrAbortHandler) // net/http closes the connection without a response
	case "/hang":
		<-r.Context().Done()
		return
	}
	answer, ok := answers[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if answer.retryAfter != "" {
		w.Header().Set("Retry-After", answer.retryAfter)
	}
	w.WriteHeader(answer.status)
	_, _ = fmt.Fprint(w, answer.body)
}
