package compat_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// caller makes one API request to url with client and returns the error.
type caller func(ctx context.Context, url string, client *http.Client) error

// transportFailures tests an HTTP client with failures before and during the
// response.
func transportFailures(t *testing.T, call caller) {
	t.Helper()
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, call caller) error
		want want
	}{
		{"nobody listens", refused, want{reason: classify.ReasonNetwork}},
		{"closed without an answer", dropped, want{reason: classify.ReasonNetwork}},
		{"reset", reset, want{reason: classify.ReasonNetwork}},
		{"closed within the body", cutShort, want{reason: classify.ReasonNetwork}},
		{"the context's deadline", deadline, ownDeadline},
		{"the client's timeout", clientTimeout, ownDeadline},
		{"the caller cancels", cancelled, want{reason: classify.ReasonAborted}},
		{"the caller had cancelled", cancelledBefore, want{reason: classify.ReasonAborted}},
		{"certificate of an unknown authority", unknownAuthority, want{reason: classify.ReasonNetworkPermanent}},
		{"certificate has expired", expired, want{reason: classify.ReasonNetworkPermanent}},
		{"certificate of another host", otherHost, want{reason: classify.ReasonNetworkPermanent}},
		{"TLS version", oldVersion, want{reason: classify.ReasonNetworkPermanent}},
		{"HTTP instead of TLS", plainServer, want{reason: classify.ReasonNetworkPermanent}},
		{"closed within the handshake", handshakeDropped, want{reason: classify.ReasonNetwork}},
		{"no such host", resolve(&net.DNSError{Err: "no such host", Name: "api.example", IsNotFound: true}), want{reason: classify.ReasonNetworkPermanent}},
		{"name server misbehaves", resolve(&net.DNSError{Err: "server misbehaving", Name: "api.example", Server: "192.0.2.53:53", IsTemporary: true}), want{reason: classify.ReasonNetwork}},
		{"name server is silent", resolve(&net.DNSError{Err: "i/o timeout", Name: "api.example", Server: "192.0.2.53:53", IsTimeout: true, IsTemporary: true}), want{reason: classify.ReasonTimeout}},
		{"no route", unreachable(syscall.EHOSTUNREACH), want{reason: classify.ReasonNetwork}},
		{"no network", unreachable(syscall.ENETUNREACH), want{reason: classify.ReasonNetwork}},
		{"nobody answers", unreachable(syscall.ETIMEDOUT), want{reason: classify.ReasonTimeout}},
		{"out of descriptors", unreachable(syscall.EMFILE), want{reason: classify.ReasonResource}},
		{"unknown scheme", badScheme, want{reason: classify.ReasonNetworkPermanent}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, tt.run(t, call), tt.want)
		})
	}
}

// shortDeadline is a deadline that passes while a server hangs.
const shortDeadline = 30 * time.Millisecond

func refused(t *testing.T, call caller) error {
	server := httptest.NewServer(nil)
	server.Close()
	return call(t.Context(), server.URL, newClient(t, nil))
}

func dropped(t *testing.T, call caller) error {
	url, client := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	return call(t.Context(), url, client)
}

func reset(t *testing.T, call caller) error {
	url, client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}))
	return call(t.Context(), url, client)
}

func cutShort(t *testing.T, call caller) error {
	url, client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "512")
		_, _ = io.WriteString(w, `{"id":"a1","content":[`)
		panic(http.ErrAbortHandler)
	}))
	return call(t.Context(), url, client)
}

// hang returns a handler that waits until the client disconnects. If head is true,
// the handler first sends the head of a response.
func hang(head bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if head {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"id":`)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
}

func deadline(t *testing.T, call caller) error {
	url, client := serve(t, hang(false))
	ctx, cancel := context.WithTimeout(t.Context(), shortDeadline)
	defer cancel()
	return call(ctx, url, client)
}

// deadlineInBody tests whether a client reports a deadline that passes while the
// client reads the body. AWS and MCP are not tested, because their errors vary.
func deadlineInBody(t *testing.T, call caller) {
	t.Run("the context's deadline, within the body", func(t *testing.T) {
		t.Parallel()
		url, client := serve(t, hang(true))
		ctx, cancel := context.WithTimeout(t.Context(), shortDeadline)
		defer cancel()
		check(t, call(ctx, url, client), ownDeadline)
	})
}

func clientTimeout(t *testing.T, call caller) error {
	url, client := serve(t, hang(false))
	client.Timeout = shortDeadline
	return call(t.Context(), url, client)
}

func cancelled(t *testing.T, call caller) error {
	ctx, cancel := context.WithCancel(t.Context())
	url, client := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	}))
	return call(ctx, url, client)
}

func cancelledBefore(t *testing.T, call caller) error {
	url, client := serve(t, hang(false))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return call(ctx, url, client)
}

// secure starts a TLS server. edit may change the certificate. If trust is true, the
// client trusts the certificate.
func secure(t *testing.T, trust bool, edit func(*x509.Certificate), server *tls.Config) (string, *http.Client) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	edit(cert)
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	require.NoError(t, err)
	server.Certificates = []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}

	s := httptest.NewUnstartedServer(hang(false))
	s.TLS = server
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // failures are expected
	s.StartTLS()
	t.Cleanup(s.Close)

	roots := x509.NewCertPool()
	if trust {
		parsed, err := x509.ParseCertificate(der)
		require.NoError(t, err)
		roots.AddCert(parsed)
	}
	client := newClient(t, nil)
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	return s.URL, client
}

func unknownAuthority(t *testing.T, call caller) error {
	url, client := secure(t, false, noEdit, &tls.Config{})
	return call(t.Context(), url, client)
}

func expired(t *testing.T, call caller) error {
	url, client := secure(t, true, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) }, &tls.Config{})
	return call(t.Context(), url, client)
}

func otherHost(t *testing.T, call caller) error {
	url, client := secure(t, true, func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"other.example"} }, &tls.Config{})
	return call(t.Context(), url, client)
}

func oldVersion(t *testing.T, call caller) error {
	url, client := secure(t, true, noEdit, &tls.Config{MaxVersion: tls.VersionTLS12})
	client.Transport.(*http.Transport).TLSClientConfig.MinVersion = tls.VersionTLS13
	return call(t.Context(), url, client)
}

func plainServer(t *testing.T, call caller) error {
	url, client := serve(t, hang(false))
	return call(t.Context(), strings.Replace(url, "http:", "https:", 1), client)
}

func handshakeDropped(t *testing.T, call caller) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			_, _ = conn.Read(make([]byte, 4096)) // the ClientHello
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
	return call(t.Context(), "https://"+listener.Addr().String(), newClient(t, nil))
}

// resolve returns a function that makes a call whose host lookup fails with the
// given error.
func resolve(dns *net.DNSError) func(*testing.T, caller) error {
	return func(t *testing.T, call caller) error {
		client := newClient(t, func(_ context.Context, network, _ string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: network, Err: dns}
		})
		return call(t.Context(), "http://api.example", client)
	}
}

// unreachable returns a function that makes a call whose connect(2) fails with the
// given error.
func unreachable(errno syscall.Errno) func(*testing.T, caller) error {
	return func(t *testing.T, call caller) error {
		client := newClient(t, func(_ context.Context, network, _ string) (net.Conn, error) {
			return nil, &net.OpError{
				Op: "dial", Net: network, Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 443},
				Err: os.NewSyscallError("connect", errno),
			}
		})
		return call(t.Context(), "http://192.0.2.7:443", client)
	}
}

func badScheme(t *testing.T, call caller) error {
	return call(t.Context(), "htttp://127.0.0.1:1", newClient(t, nil))
}

// garbledAnswers tests a client with responses of status 200 and malformed bodies.
func garbledAnswers(t *testing.T, call caller) {
	t.Helper()
	for _, tt := range []struct {
		name   string
		answer answer
	}{
		{"JSON that breaks off", answer{status: http.StatusOK, body: `{"id":"a1","content":[{"type":"te`}},
		{"no JSON", answer{status: http.StatusOK, body: `so it goes`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, client := serve(t, tt.answer)
			check(t, call(t.Context(), url, client), want{reason: classify.ReasonParsing})
		})
	}
}

// noEdit does not change the certificate.
func noEdit(*x509.Certificate) {}
