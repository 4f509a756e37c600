package compat_test

import (
	"context"
	"net"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// pgFake is a minimal PostgreSQL server.
type pgFake struct {
	startup *pgproto3.ErrorResponse // response to the login, nil = success
	query   *pgproto3.ErrorResponse // response to a query; nil = close the connection
	hang    bool                    // respond to a query when it is cancelled
	onQuery func()                  // called when a query arrives; may be nil

	cancelled chan struct{} // receives for each CancelRequest
}

// serve starts the server and returns its address.
func (f pgFake) serve(t *testing.T) (address string) {
	t.Helper()
	f.cancelled = make(chan struct{}, 1)
	return listen(t, f.session)
}

// listen serves each connection until the test ends.
func listen(t *testing.T, session func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = conn.Close() }()
				session(conn)
			})
		}
	})
	t.Cleanup(func() { _ = listener.Close(); all.Wait() })
	return listener.Addr().String()
}

// session implements the minimum of the protocol:
// https://www.postgresql.org/docs/current/protocol-flow.html.
func (f pgFake) session(conn net.Conn) {
	backend := pgproto3.NewBackend(conn, conn)
	for welcome := false; !welcome; {
		msg, err := backend.ReceiveStartupMessage()
		if err != nil {
			return
		}
		switch msg.(type) {
		case *pgproto3.SSLRequest, *pgproto3.GSSEncRequest:
			if _, err := conn.Write([]byte("N")); err != nil {
				return
			}
		case *pgproto3.StartupMessage:
			welcome = true
		default: // a CancelRequest on its own connection
			select {
			case f.cancelled <- struct{}{}:
			default: // one request is enough
			}
			return
		}
	}
	if f.startup != nil {
		backend.Send(f.startup)
		_ = backend.Flush()
		return
	}
	backend.Send(&pgproto3.AuthenticationOk{})
	backend.Send(&pgproto3.ParameterStatus{Name: "standard_conforming_strings", Value: "on"})
	backend.Send(&pgproto3.ParameterStatus{Name: "client_encoding", Value: "UTF8"})
	backend.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 2}})
	backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if backend.Flush() != nil {
		return
	}
	over := make(chan struct{})
	defer close(over)
	for {
		msg, err := backend.Receive()
		if _, end := msg.(*pgproto3.Terminate); err != nil || end {
			return
		}
		if _, query := msg.(*pgproto3.Query); !query {
			continue
		}
		switch {
		case f.query != nil:
			if f.fail(backend, f.query) != nil {
				return
			}
		case f.hang:
			if f.onQuery != nil {
				f.onQuery()
			}
			go func() {
				select {
				case <-f.cancelled:
					_ = f.fail(pgproto3.NewBackend(nil, conn), pgError("ERROR", "57014", "canceling statement due to user request"))
				case <-over:
				}
			}()
		default:
			return
		}
	}
}

// fail answers a query with an error.
func (pgFake) fail(backend *pgproto3.Backend, err *pgproto3.ErrorResponse) error {
	backend.Send(err)
	backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	return backend.Flush()
}

func pgError(severity, code, message string) *pgproto3.ErrorResponse {
	return &pgproto3.ErrorResponse{Severity: severity, SeverityUnlocalized: severity, Code: code, Message: message}
}

// pgLogins are errors that a server returns during the login. The texts come
// from a real server.
var pgLogins = []struct {
	name  string
	error *pgproto3.ErrorResponse
	want  want
}{
	{"password", pgError("FATAL", "28P01", `password authentication failed for user "shop"`), want{reason: classify.ReasonAuthentication}},
	{"pg_hba.conf", pgError("FATAL", "28000", `no pg_hba.conf entry for host "192.0.2.7", user "shop", database "shop", no encryption`), want{reason: classify.ReasonAuthentication}},
	{"no such database", pgError("FATAL", "3D000", `database "shop" does not exist`), want{reason: classify.ReasonInvalidRequest}},
	{"too many clients", pgError("FATAL", "53300", "sorry, too many clients already"), want{reason: classify.ReasonTransient}},
	{"starting up", pgError("FATAL", "57P03", "the database system is starting up"), want{reason: classify.ReasonTransient}},
	{"shutting down", pgError("FATAL", "57P03", "the database system is shutting down"), want{reason: classify.ReasonTransient}},
}

// pgQueries are errors of statements.
var pgQueries = []struct {
	name  string
	error *pgproto3.ErrorResponse
	want  want
}{
	{"serialization", pgError("ERROR", "40001", "could not serialize access due to concurrent update"), want{reason: classify.ReasonTransient}},
	{"deadlock", pgError("ERROR", "40P01", "deadlock detected"), want{reason: classify.ReasonTransient}},
	{"lock", pgError("ERROR", "55P03", "could not obtain lock on row in relation \"stock\""), want{reason: classify.ReasonTransient}},
	{"lock timeout", pgError("ERROR", "55P03", "canceling statement due to lock timeout"), want{reason: classify.ReasonTransient}},
	{"statement timeout", pgError("ERROR", "57014", "canceling statement due to statement timeout"), want{reason: classify.ReasonTimeout}},
	{"cancelled", pgError("ERROR", "57014", "canceling statement due to user request"), want{reason: classify.ReasonAborted}},
	{"administrator", pgError("FATAL", "57P01", "terminating connection due to administrator command"), want{reason: classify.ReasonTransient}},
	{"crash", pgError("FATAL", "57P02", "terminating connection because of crash of another server process"), want{reason: classify.ReasonTransient}},
	{"idle in transaction", pgError("FATAL", "25P03", "terminating connection due to idle-in-transaction timeout"), want{reason: classify.ReasonTimeout}},
	{"recovery", pgError("ERROR", "40001", "canceling statement due to conflict with recovery"), want{reason: classify.ReasonTransient}},
	{"duplicate", pgError("ERROR", "23505", `duplicate key value violates unique constraint "users_email_key"`), want{reason: classify.ReasonInvalidRequest}},
	{"duplicate that reads like something else", pgError("ERROR", "23505", `duplicate key value violates unique constraint "rate_limit_429_timeout"`), want{reason: classify.ReasonInvalidRequest}},
	{"foreign key", pgError("ERROR", "23503", `insert or update on table "orders" violates foreign key constraint "orders_user_fkey"`), want{reason: classify.ReasonInvalidRequest}},
	{"not null", pgError("ERROR", "23502", `null value in column "email" of relation "users" violates not-null constraint`), want{reason: classify.ReasonInvalidRequest}},
	{"no such table", pgError("ERROR", "42P01", `relation "stocks" does not exist`), want{reason: classify.ReasonInvalidRequest}},
	{"syntax", pgError("ERROR", "42601", `syntax error at or near "SELEKT"`), want{reason: classify.ReasonInvalidRequest}},
	{"not a number", pgError("ERROR", "22P02", `invalid input syntax for type integer: "x"`), want{reason: classify.ReasonInvalidRequest}},
	{"too long", pgError("ERROR", "22001", "value too long for type character varying(8)"), want{reason: classify.ReasonInvalidRequest}},
	{"permission", pgError("ERROR", "42501", "permission denied for table stock"), want{reason: classify.ReasonAuthentication}},
	{"read only", pgError("ERROR", "25006", "cannot execute INSERT in a read-only transaction"), want{reason: classify.ReasonInvalidRequest}},
	{"failed transaction", pgError("ERROR", "25P02", "current transaction is aborted, commands ignored until end of transaction block"), want{reason: classify.ReasonInvalidRequest}},
	{"disk", pgError("ERROR", "53100", `could not extend file "base/1/2": No space left on device`), want{reason: classify.ReasonResource}},
	{"memory", pgError("ERROR", "53200", "out of memory"), want{reason: classify.ReasonResource}},
	{"not supported", pgError("ERROR", "0A000", "cached plan must not change result type"), want{reason: classify.ReasonInvalidRequest}},
	{"corrupt", pgError("ERROR", "XX001", "invalid page in block 7 of relation base/1/2"), want{reason: classify.ReasonResource}},
}

// dialErrors are errors of the connection to the server.
var dialErrors = []struct {
	name string
	err  error
	want want
}{
	{"no such host", &net.DNSError{Err: "no such host", Name: "db.example", IsNotFound: true}, want{reason: classify.ReasonNetworkPermanent}},
	{"name server misbehaves", &net.DNSError{Err: "server misbehaving", Name: "db.example", IsTemporary: true}, want{reason: classify.ReasonNetwork}},
	{"no route", syscall.EHOSTUNREACH, want{reason: classify.ReasonNetwork}},
	{"refused", syscall.ECONNREFUSED, want{reason: classify.ReasonNetwork}},
	{"nobody answers", syscall.ETIMEDOUT, want{reason: classify.ReasonTimeout}},
}

// failingDial returns a dial function that fails with err.
func failingDial(err error) dialer {
	return func(_ context.Context, network, _ string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
}
