package compat_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// queryPGX connects to a server with pgx and runs a statement.
func queryPGX(ctx context.Context, address, params string, dial dialer) error {
	config, err := pgx.ParseConfig("postgres://shop:none@" + address + "/shop?" + params)
	if err != nil {
		return err
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	if dial != nil {
		config.DialFunc = pgconn.DialFunc(dial)
		config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	}
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	_, err = c.Exec(ctx, "update stock set left_over = left_over - 1")
	return err
}

func TestPGX(t *testing.T) {
	t.Parallel()
	for _, tt := range pgLogins {
		t.Run("login/"+tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, queryPGX(t.Context(), pgFake{startup: tt.error}.serve(t), "sslmode=disable", nil), tt.want)
		})
	}
	for _, tt := range pgQueries {
		t.Run("query/"+tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, queryPGX(t.Context(), pgFake{query: tt.error}.serve(t), "sslmode=disable", nil), tt.want)
		})
	}
	for _, tt := range dialErrors {
		t.Run("dial/"+tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, queryPGX(t.Context(), "db.example:5432", "sslmode=disable", failingDial(tt.err)), tt.want)
		})
	}
	t.Run("dropped", func(t *testing.T) {
		t.Parallel()
		check(t, queryPGX(t.Context(), pgFake{}.serve(t), "sslmode=disable", nil), want{reason: classify.ReasonNetwork})
	})
	t.Run("no TLS over there", func(t *testing.T) {
		t.Parallel()
		check(t, queryPGX(t.Context(), pgFake{}.serve(t), "sslmode=require", nil), want{reason: classify.ReasonNetworkPermanent})
	})
	t.Run("DSN", func(t *testing.T) {
		t.Parallel()
		check(t, queryPGX(t.Context(), "127.0.0.1:x", "sslmode=disable", nil), want{reason: classify.ReasonInvalidRequest})
	})
	t.Run("the context's deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), shortDeadline)
		defer cancel()
		check(t, queryPGX(ctx, pgFake{hang: true}.serve(t), "sslmode=disable", nil), ownDeadline)
	})
	t.Run("the caller cancels", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		check(t, queryPGX(ctx, pgFake{hang: true, onQuery: cancel}.serve(t), "sslmode=disable", nil), want{reason: classify.ReasonAborted})
	})
	t.Run("no rows", func(t *testing.T) {
		t.Parallel()
		require.EqualError(t, pgx.ErrNoRows, "no rows in result set")
		check(t, pgx.ErrNoRows, want{reason: classify.ReasonInvalidRequest})
	})
}
