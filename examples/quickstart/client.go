package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// APIError is an error response of the provider, like the error types of real SDKs.
// errclass reads these fields without importing the type.
type APIError struct {
	StatusCode int
	Response   *http.Response
	Body       string
}

func (e *APIError) Error() string {
	return fmt.Sprintf("%s %q: %d %s", e.Response.Request.Method, e.Response.Request.URL.Path, e.StatusCode, e.Body)
}

// A client asks the provider for completions. It is safe for concurrent use.
type client struct {
	url  string
	http *http.Client
}

func newClient(url string) *client {
	return &client{url: url, http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
}

// complete asks the provider for a completion. Its error wraps an [*APIError], or the
// error of net/http or ctx.
func (c *client) complete(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, strings.NewReader(`{"prompt":"hello"}`))
	if err != nil {
		return "", fmt.Errorf("complete: %w", err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return "", fmt.Errorf("complete: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", fmt.Errorf("complete: %w", err)
	}
	if resp.StatusCode >= 400 {
		return "", fmt.Errorf("complete: %w", &APIError{StatusCode: resp.StatusCode, Response: resp, Body: string(body)})
	}
	return string(body), nil
}
