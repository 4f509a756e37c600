package compat_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// answer is an HTTP response of a provider.
type answer struct {
	status int
	header http.Header
	body   string
}

// header returns HTTP headers. The arguments are name, value, name, value, ...
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i+1 < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// ServeHTTP sends the response. The default content type is JSON.
func (a answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

// stream returns a response with server-sent events.
func stream(events ...string) answer {
	a := answer{status: http.StatusOK, header: header("Content-Type", "text/event-stream")}
	for _, e := range events {
		a.body += e + "\n\n"
	}
	return a
}

// errorPage returns the HTML error page of a proxy.
func errorPage(status int) answer {
	text := fmt.Sprintf("%d %s", status, http.StatusText(status))
	return answer{status, header("Content-Type", "text/html"),
		"<html>\r\n<head><title>" + text + "</title></head>\r\n<body>\r\n<center><h1>" + text +
			"</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"}
}

// serve starts a server on loopback. The cleanup closes server and client.
func serve(t *testing.T, handler http.Handler) (url string, client *http.Client) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL, newClient(t, nil)
}

// newClient returns a new client. A nil dial means the default dialer.
func newClient(t *testing.T, dial dialer) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: dial}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

type dialer func(ctx context.Context, network, address string) (net.Conn, error)
