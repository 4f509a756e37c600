package compat_test

import (
	"context"
	"database/sql"
	"net"
	"testing"
	"time"

	"github.com/lib/pq"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// pqDialer is a pq.Dialer that calls a function.
type pqDialer struct{ dial dialer }

func (d pqDialer) Dial(network, address string) (net.Conn, error) {
	return d.dial(context.Background(), network, address)
}

func (d pqDialer) DialTimeout(network, address string, _ time.Duration) (net.Conn, error) {
	return d.Dial(network, address)
}

func (d pqDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dial(ctx, network, address)
}

// queryPQ runs a statement through database/sql and pq.
func queryPQ(ctx context.Context, address, params string, dial dialer) error {
	connector, err := pq.NewConnector("postgres://shop:none@" + address + "/shop?" + params)
	if err != nil {
		return err
	}
	if dial != nil {
		connector.Dialer(pqDialer{dial})
	}
	db := sql.OpenDB(connector)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(ctx, "update stock set left_over = left_over - 1")
	return err
}

func TestPQ(t *testing.T) {
	t.Parallel()
	for _, tt := range pgLogins {
		t.Run("login/"+tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, queryPQ(t.Context(), pgFake{startup: tt.error}.serve(t), "sslmode=disable", nil), tt.want)
		})
	}
	for _, tt := range pgQueries {
		if tt.error.Severity == "FATAL" {
			// The driver returns only driver.ErrBadConn for this error.
			tt.want = want{reason: classify.ReasonNetwork}
		}
		t.Run("query/"+tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, queryPQ(t.Context(), pgFake{query: tt.error}.serve(t), "sslmode=disable", nil), tt.want)
		})
	}
	for _, tt := range dialErrors {
		t.Run("dial/"+tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, queryPQ(t.Context(), "db.example:5432", "sslmode=disable", failingDial(tt.err)), tt.want)
		})
	}
	t.Run("dropped", func(t *testing.T) {
		t.Parallel()
		check(t, queryPQ(t.Context(), pgFake{}.serve(t), "sslmode=disable", nil), want{reason: classify.ReasonNetwork})
	})
	t.Run("no TLS over there", func(t *testing.T) {
		t.Parallel()
		check(t, queryPQ(t.Context(), pgFake{}.serve(t), "sslmode=require", nil), want{reason: classify.ReasonNetworkPermanent})
	})
	t.Run("DSN", func(t *testing.T) {
		t.Parallel()
		check(t, queryPQ(t.Context(), "127.0.0.1:x", "sslmode=disable", nil), want{reason: classify.ReasonInvalidRequest})
	})
	// When the context ends, the driver returns the server's error.
	t.Run("the context's deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), shortDeadline)
		defer cancel()
		check(t, queryPQ(ctx, pgFake{hang: true}.serve(t), "sslmode=disable", nil), want{reason: classify.ReasonAborted})
	})
	t.Run("the caller cancels", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		check(t, queryPQ(ctx, pgFake{hang: true, onQuery: cancel}.serve(t), "sslmode=disable", nil), want{reason: classify.ReasonAborted})
	})
	t.Run("no rows", func(t *testing.T) {
		t.Parallel()
		require.EqualError(t, sql.ErrNoRows, "sql: no rows in result set")
		check(t, sql.ErrNoRows, want{reason: classify.ReasonInvalidRequest})
	})
}
