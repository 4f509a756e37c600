package classify_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// typedCase is one error with its expected result.
type typedCase struct {
	name     string
	err      error
	reason   classify.Reason
	category classify.Category // "" = the reason's own
	rule     string            // "" = any rule
}

// runTyped classifies every error alone, wrapped and joined, and expects the same
// result each time.
func runTyped(t *testing.T, cases []typedCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := tt.category
			if want == "" {
				want = tt.reason.Policy().Category
			}
			for how, err := range map[string]error{
				"bare":    tt.err,
				"wrapped": fmt.Errorf("render: %w", fmt.Errorf("load: %w", tt.err)),
				"joined":  errors.Join(errors.New("so be it"), tt.err),
				"both":    fmt.Errorf("%w, and %w", errors.New("so it goes"), fmt.Errorf("x: %w", errors.Join(tt.err))),
			} {
				got := classify.Error(err)
				assert.Equal(t, tt.reason, got.Reason, "%s: reason (rule %s)", how, got.Rule)
				assert.Equal(t, want, got.Category, "%s: category (rule %s)", how, got.Rule)
				if tt.rule != "" {
					assert.Equal(t, tt.rule, got.Rule, "%s: rule", how)
				}
			}
		})
	}
}

// answersIs is an error. Its method Is returns true for target.
type answersIs struct{ target error }

func (answersIs) Error() string          { return "it is what it is" }
func (e answersIs) Is(target error) bool { return target == e.target }

func TestOwnDoing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(1, 0))
	defer cancel()
	_, dialErr := new(net.Dialer).DialContext(ctx, "tcp", "127.0.0.1:9")
	require.Error(t, dialErr)
	canceled, cancelNow := context.WithCancel(context.Background())
	cancelNow()
	_, canceledErr := new(net.Dialer).DialContext(canceled, "tcp", "127.0.0.1:9")
	require.Error(t, canceledErr)
	runTyped(t, []typedCase{
		{name: "canceled", err: context.Canceled, reason: classify.ReasonAborted, rule: "context/canceled"},
		{name: "deadline", err: context.DeadlineExceeded, reason: classify.ReasonTimeout, category: classify.CategoryTimeout, rule: "context/deadline-exceeded"},
		{name: "i/o deadline", err: os.ErrDeadlineExceeded, reason: classify.ReasonTimeout, category: classify.CategoryTimeout, rule: "os/deadline-exceeded"},
		{name: "read deadline of a connection", err: readDeadline(t), reason: classify.ReasonTimeout, category: classify.CategoryTimeout},
		{name: "dial past the deadline", err: dialErr, reason: classify.ReasonTimeout, category: classify.CategoryTimeout},
		{name: "dial cancelled", err: canceledErr, reason: classify.ReasonAborted},
		{name: "http.Client.Timeout", err: clientTimeout(t), reason: classify.ReasonTimeout, category: classify.CategoryTimeout},
		{name: "request past its deadline", err: requestDeadline(t), reason: classify.ReasonTimeout, category: classify.CategoryTimeout},
		{name: "is a deadline", err: answersIs{context.DeadlineExceeded}, reason: classify.ReasonTimeout, category: classify.CategoryTimeout},
		{name: "is a cancellation", err: answersIs{context.Canceled}, reason: classify.ReasonAborted},
		{name: "own budget", err: classify.ErrBudgetExceeded, reason: classify.ReasonBudgetExceeded, rule: "own/budget"},
		{name: "is the own budget", err: answersIs{classify.ErrBudgetExceeded}, reason: classify.ReasonBudgetExceeded, rule: "own/budget"},
		{name: "own budget before a cancellation", err: errors.Join(context.Canceled, classify.ErrBudgetExceeded), reason: classify.ReasonBudgetExceeded, rule: "own/budget"},
		{name: "own budget before a fact", err: fmt.Errorf("%w: %w", x509.UnknownAuthorityError{}, classify.ErrBudgetExceeded), reason: classify.ReasonBudgetExceeded, rule: "own/budget"},
		{name: "deadline before its wrapper", err: &url.Error{Op: "Get", URL: "http://x", Err: context.DeadlineExceeded}, reason: classify.ReasonTimeout, category: classify.CategoryTimeout},
	})
}

// readDeadline returns the error of a read on a real connection after its deadline.
func readDeadline(t *testing.T) error {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetReadDeadline(time.Unix(1, 0)))
	_, err = conn.Read(make([]byte, 1))
	require.Error(t, err)
	return err
}

// clientTimeout returns the error of net/http after Client.Timeout has passed.
func clientTimeout(t *testing.T) error {
	t.Helper()
	release := make(chan struct{})
	srv := newServer(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	_, err := (&http.Client{Timeout: time.Millisecond}).Get(srv)
	require.Error(t, err)
	require.Contains(t, err.Error(), "Client.Timeout")
	return err
}

func requestDeadline(t *testing.T) error {
	t.Helper()
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(1, 0))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:9/", nil)
	require.NoError(t, err)
	_, err = http.DefaultClient.Do(req)
	require.Error(t, err)
	return err
}

func newServer(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	srv := &http.Server{Handler: h}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return "http://" + l.Addr().String()
}

func TestCause(t *testing.T) {
	t.Parallel()
	slow := errors.New("the model takes too long")
	past := fmt.Errorf("too long: %w", context.DeadlineExceeded)
	for _, tt := range []struct {
		name       string
		err, cause error
		want       classify.Category
	}{
		{"ctx.Err, cancelled", context.Canceled, context.Canceled, classify.CategoryAborted},
		{"ctx.Err, deadline", context.DeadlineExceeded, context.DeadlineExceeded, classify.CategoryTimeout},
		{"a cause of the caller's own", slow, slow, classify.CategoryAborted},
		{"a cause that is about a deadline", past, past, classify.CategoryTimeout},
		{"wrapped", fmt.Errorf("call: %w", slow), slow, classify.CategoryAborted},
		{"joined with ctx.Err: deadline", fmt.Errorf("call: %w", slow), errors.Join(slow, context.DeadlineExceeded), classify.CategoryTimeout},
		{"joined with ctx.Err: cancelled", past, errors.Join(past, context.Canceled), classify.CategoryAborted},
		{"the chain tells of the deadline", fmt.Errorf("%w: %w", context.DeadlineExceeded, slow), slow, classify.CategoryTimeout},
		{"another error while the context has ended", errors.New("connection reset by peer"), slow, ""},
		{"what the cause wraps is no cause", io.EOF, fmt.Errorf("stop: %w", io.EOF), classify.CategoryRetryable},
		{"a cause that cannot be compared", uncomparable{{}}, uncomparable{{}}, classify.CategoryFatal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := classify.Standard.Classify(classify.Evidence{Err: tt.err, Cause: tt.cause})
			if tt.want == "" {
				assert.NotContains(t, []classify.Category{classify.CategoryAborted, classify.CategoryTimeout}, got.Category)
				return
			}
			assert.Equal(t, tt.want, got.Category, got.Rule)
		})
	}
}

// uncomparable is an error type. Comparing two values with == panics.
type uncomparable []struct{}

func (uncomparable) Error() string { return "no == for me" }

func TestStandardLibrary(t *testing.T) {
	t.Parallel()
	_, parseURL := url.Parse("http://a b.example/")
	_, unsupported := http.Get("gopher://127.0.0.1/")
	var runtimeErr error
	func() {
		defer func() { runtimeErr, _ = recover().(error) }()
		var m map[string]int
		m["x"] = 1
	}()
	_, atoi := strconv.Atoi("twelve")
	_, date := time.Parse(time.RFC3339, "yesterday")
	_, base := base64.StdEncoding.DecodeString("%")
	_, hexErr := hex.DecodeString("zz")
	_, csvErr := csv.NewReader(strings.NewReader("a\n\"b")).ReadAll()
	var v struct{ N int }
	var noPointer any = v
	_, open := os.Open("/no/such/file")
	_, netip := net.ResolveTCPAddr("tcp", "nonsense")
	_, network := net.Dial("carrier-pigeon", "127.0.0.1:1")
	runTyped(t, []typedCase{
		{name: "EOF", err: io.EOF, reason: classify.ReasonNetwork},
		{name: "unexpected EOF", err: io.ErrUnexpectedEOF, reason: classify.ReasonNetwork},
		{name: "EOF of a request", err: &url.Error{Op: "Post", URL: "http://x", Err: io.EOF}, reason: classify.ReasonNetwork, rule: "go/io.EOF"},
		{name: "closed pipe", err: io.ErrClosedPipe, reason: classify.ReasonNetwork},

		{name: "DNS: not found", err: &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, reason: classify.ReasonNetworkPermanent, rule: "dns/not-found"},
		{name: "DNS: temporary", err: &net.DNSError{Err: "server misbehaving", Name: "x", IsTemporary: true}, reason: classify.ReasonNetwork, rule: "dns/temporary"},
		{name: "DNS: timeout", err: &net.DNSError{Err: "i/o timeout", Name: "x", IsTimeout: true}, reason: classify.ReasonTimeout, rule: "dns/timeout"},
		{name: "DNS: in a request", err: &url.Error{Op: "Get", URL: "http://x", Err: &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Name: "x", IsNotFound: true}}}, reason: classify.ReasonNetworkPermanent},
		{name: "net: op alone", err: &net.OpError{Op: "read", Net: "tcp", Err: errors.New("so it goes")}, reason: classify.ReasonNetwork, rule: "net/op"},
		{name: "net: closed", err: net.ErrClosed, reason: classify.ReasonNetwork},
		{name: "net: address", err: netip, reason: classify.ReasonInvalidRequest},
		{name: "net: unknown network", err: network, reason: classify.ReasonNetworkPermanent},

		{name: "url: scheme", err: unsupported, reason: classify.ReasonNetworkPermanent, rule: "url/scheme"},
		{name: "url: parse", err: parseURL, reason: classify.ReasonInvalidRequest},

		{name: "x509: authority", err: x509.UnknownAuthorityError{}, reason: classify.ReasonNetworkPermanent, rule: "go/x509.UnknownAuthorityError"},
		{name: "x509: expired", err: x509.CertificateInvalidError{Reason: x509.Expired}, reason: classify.ReasonNetworkPermanent},
		{name: "x509: host", err: x509.HostnameError{Host: "x", Certificate: new(x509.Certificate)}, reason: classify.ReasonNetworkPermanent},
		{name: "tls: verification", err: &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, reason: classify.ReasonNetworkPermanent},
		{name: "tls: record header", err: tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, reason: classify.ReasonNetworkPermanent},
		{name: "tls: alert", err: &net.OpError{Op: "remote error", Err: tls.AlertError(70)}, reason: classify.ReasonNetworkPermanent, rule: "tls/alert"},
		{name: "tls: passing alert", err: tls.AlertError(20), reason: classify.ReasonNetwork},
		{name: "x509 before the code around it", err: fmt.Errorf("rpc error: code = Unavailable desc = %w", x509.UnknownAuthorityError{}), reason: classify.ReasonNetworkPermanent},

		{name: "json: syntax", err: json.Unmarshal([]byte("{"), &v), reason: classify.ReasonParsing},
		{name: "json: type", err: json.Unmarshal([]byte(`{"N":"x"}`), &v), reason: classify.ReasonParsing},
		{name: "json: the caller's bug", err: json.Unmarshal([]byte("{}"), noPointer), reason: classify.ReasonLogic},
		{name: "xml", err: xml.Unmarshal([]byte("<a>"), &v), reason: classify.ReasonParsing},
		{name: "base64", err: base, reason: classify.ReasonParsing},
		{name: "hex", err: hexErr, reason: classify.ReasonParsing},
		{name: "csv", err: csvErr, reason: classify.ReasonParsing},
		{name: "strconv", err: atoi, reason: classify.ReasonParsing},
		{name: "time", err: date, reason: classify.ReasonParsing},
		{name: "scanner", err: bufio.ErrTooLong, reason: classify.ReasonParsing},

		{name: "runtime", err: runtimeErr, reason: classify.ReasonLogic, rule: "go/runtime.Error"},

		{name: "fs: not exist", err: open, reason: classify.ReasonInvalidRequest},
		{name: "fs: sentinel not exist", err: fs.ErrNotExist, reason: classify.ReasonInvalidRequest},
		{name: "fs: sentinel permission", err: fs.ErrPermission, reason: classify.ReasonAuthentication},
		{name: "fs: sentinel exist", err: &fs.PathError{Op: "mkdir", Path: "x", Err: fs.ErrExist}, reason: classify.ReasonInvalidRequest},
		{name: "fs: closed", err: fs.ErrClosed, reason: classify.ReasonLogic},

		{name: "http: body too large", err: &http.MaxBytesError{Limit: 1}, reason: classify.ReasonInvalidRequest},
		{name: "http: plain answer to TLS", err: http.ErrSchemeMismatch, reason: classify.ReasonNetworkPermanent},
		{name: "sql: no rows", err: sql.ErrNoRows, reason: classify.ReasonInvalidRequest},
		{name: "sql: connection done", err: sql.ErrConnDone, reason: classify.ReasonLogic},
		{name: "sql: connection done, wrapped", err: fmt.Errorf("begin: %w", sql.ErrConnDone), reason: classify.ReasonLogic},
		{name: "sql: transaction done", err: sql.ErrTxDone, reason: classify.ReasonLogic},
		{name: "sql: bad connection", err: driver.ErrBadConn, reason: classify.ReasonNetwork},

		{name: "smtp: try again", err: &textproto.Error{Code: 451, Msg: "local error in processing"}, reason: classify.ReasonTransient},
		{name: "smtp: login", err: &textproto.Error{Code: 535, Msg: "no"}, reason: classify.ReasonAuthentication},
		{name: "smtp: mailbox", err: &textproto.Error{Code: 550, Msg: "no mailbox"}, reason: classify.ReasonInvalidRequest},

		{name: "exec: not found", err: &exec.Error{Name: "agent", Err: exec.ErrNotFound}, reason: classify.ReasonSpawn},
		{name: "exec: not executable", err: &exec.Error{Name: "agent", Err: fs.ErrPermission}, reason: classify.ReasonSpawn},
		{name: "exec: relative", err: &exec.Error{Name: "agent", Err: exec.ErrDot}, reason: classify.ReasonSpawn},
	})
}

// TestErrConnDoneAsItsText checks that sql.ErrConnDone and its text both have the reason
// [classify.ReasonLogic].
func TestErrConnDoneAsItsText(t *testing.T) {
	t.Parallel()
	value, text := classify.Error(sql.ErrConnDone), classify.Message(sql.ErrConnDone.Error())
	assert.Equal(t, classify.ReasonLogic, value.Reason, value.Rule)
	assert.Equal(t, text.Reason, value.Reason, text.Rule)
	assert.Equal(t, text.Category, value.Category)
	assert.False(t, value.Retryable())
}

// TestPlaceOfSiblings checks that a failed start of a program does not change the reason
// of an fs.ErrPermission that is joined with it.
func TestPlaceOfSiblings(t *testing.T) {
	t.Parallel()
	got := classify.Error(errors.Join(&exec.Error{Name: "agent", Err: errors.New("so it goes")}, fs.ErrPermission))
	assert.Equal(t, classify.ReasonAuthentication, got.Reason, got.Rule)
}

// TestTextRefinesWeakFacts checks that a text outranks weak evidence, such as an
// exit status.
func TestTextRefinesWeakFacts(t *testing.T) {
	t.Parallel()
	var v struct{}
	syntax := json.Unmarshal([]byte("<html>"), &v)
	for _, tt := range []struct {
		name string
		err  error
		want classify.Reason
	}{
		{"error page", fmt.Errorf("decode (HTTP 502): %w", syntax), classify.ReasonTransient},
		{"throttled, then parsed", fmt.Errorf("Too Many Requests: %w", syntax), classify.ReasonRateLimit},
		{"exit status", fmt.Errorf("HTTP 429: %w", new(exec.ExitError)), classify.ReasonRateLimit},
		{"what the child wrote", &exec.ExitError{Stderr: []byte("Too Many Requests\n")}, classify.ReasonRateLimit},
		{"Timeout()", fmt.Errorf("Too Many Requests: %w", slowPeer{}), classify.ReasonRateLimit},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := classify.Error(tt.err)
			assert.Equal(t, tt.want, got.Reason, got.Rule)
		})
	}
}

// slowPeer is the error of a slow remote server, recognisable only by its Timeout
// method.
type slowPeer struct{}

func (slowPeer) Error() string { return "so it goes" }
func (slowPeer) Timeout() bool { return true }

// passing is a temporary error, recognisable only by its Temporary method.
type passing struct{}

func (passing) Error() string   { return "so it goes" }
func (passing) Temporary() bool { return true }

// imitated is an error with the text of a timeout of net/http's client.
type imitated struct{ slowPeer }

func (imitated) Error() string {
	return "context canceled (Client.Timeout exceeded while awaiting headers)"
}

func TestTimeoutMethod(t *testing.T) {
	t.Parallel()
	runTyped(t, []typedCase{
		{name: "a peer's", err: slowPeer{}, reason: classify.ReasonTimeout, category: classify.CategoryRetryable, rule: "go/timeout"},
		{name: "a copy of net/http's", err: imitated{}, reason: classify.ReasonTimeout, category: classify.CategoryTimeout, rule: "http/client-timeout"},
		{name: "temporary", err: passing{}, reason: classify.ReasonTransient, rule: "go/temporary"},
	})
}

// These errors wrap other errors, but return them from methods other than Unwrap, as the
// errors of old packages do.
type (
	causes     struct{ err error }
	origErr    struct{ err error }
	multierror struct{ errs []error }
	aggregated struct{ errs []error }
	ownCause   struct{}
)

func (causes) Error() string                { return "so it goes" }
func (e causes) Cause() error               { return e.err }
func (origErr) Error() string               { return "so it goes" }
func (e origErr) OrigErr() error            { return e.err }
func (multierror) Error() string            { return "so it goes" }
func (multierror) Unwrap() error            { return errors.New("so it goes") }
func (e multierror) WrappedErrors() []error { return e.errs }
func (aggregated) Error() string            { return "so it goes" }
func (e aggregated) Errors() []error        { return e.errs }
func (ownCause) Error() string              { return "HTTP 429" }
func (e ownCause) Cause() error             { return e }

func TestOlderWrappers(t *testing.T) {
	t.Parallel()
	lookup := &net.DNSError{Name: "x", IsNotFound: true}
	runTyped(t, []typedCase{
		{name: "Cause", err: causes{lookup}, reason: classify.ReasonNetworkPermanent},
		{name: "OrigErr", err: origErr{lookup}, reason: classify.ReasonNetworkPermanent},
		{name: "WrappedErrors", err: multierror{[]error{io.EOF, lookup}}, reason: classify.ReasonNetworkPermanent},
		{name: "Errors", err: aggregated{[]error{lookup}}, reason: classify.ReasonNetworkPermanent},
		{name: "its own cause", err: ownCause{}, reason: classify.ReasonRateLimit},
	})
}
