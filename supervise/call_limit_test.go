package supervise_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

// noAnswer is a function for Call. It waits for an answer that never comes.
func noAnswer(ctx context.Context, _ *lineClient) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// If the child answers a ping, the child keeps running.
func TestPing(t *testing.T) {
	t.Parallel()
	echo := func(_ context.Context, c *lineClient) error { _, err := c.ask("echo ping"); return err }
	for _, tt := range []struct {
		name   string
		ping   func(context.Context, *lineClient) error
		f      func(context.Context, *lineClient) (string, error)
		starts int
	}{
		{"answered", echo, noAnswer, 1},
		{"failed", func(context.Context, *lineClient) error { return errors.New("no") }, noAnswer, 2},
		{"not answered", func(_ context.Context, c *lineClient) error { _, err := c.ask("hang"); return err }, noAnswer, 2},
		{"panicked", func(context.Context, *lineClient) error { panic("oh") }, noAnswer, 2},
		{
			"answered, but the function does not return", func(context.Context, *lineClient) error { return nil },
			func(_ context.Context, c *lineClient) (string, error) { return c.ask("hang") }, 2,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, seen, starts := lineServer(t, "", supervise.WithAnswerTimeout(shortTimeout), supervise.WithPing(tt.ping))
			require.NoError(t, s.Start(t.Context()))
			_, err := supervise.Call(t.Context(), s, "lines", tt.f)
			require.ErrorContains(t, err, "no answer within 3s")
			require.ErrorIs(t, err, supervise.ErrWatchdog)
			assert.Equal(t, classify.CategoryTimeout, classify.Error(err).Category)
			if tt.starts > 1 {
				assert.Equal(t, "no answer within 3s", seen.until(t, supervise.ServerRestarting).Reason)
			}
			got, err := ask(t.Context(), s, "echo back")
			require.NoError(t, err)
			assert.Equal(t, "back", got)
			assert.Equal(t, tt.starts, starts())
		})
	}
}

func TestPingTakesAnotherClient(t *testing.T) {
	t.Parallel()
	s := supervise.NewServer("files", self(t, "lines"), dialLines, supervise.WithPing(func(context.Context, int) error { return nil }))
	require.ErrorContains(t, s.Start(t.Context()), "WithPing has a func(context.Context, int) error")
	assert.NoError(t, s.Stop(t.Context()))
}

// A progress notification gives its call more time, up to a maximum.
func TestProgress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lasts time.Duration // the call with progress
		token func(context.Context) any
		total time.Duration
		err   string
	}{
		{"own token", 2 * shortTimeout, func(ctx context.Context) any { return supervise.ProgressToken(ctx) }, 0, ""},
		{"another token", 2 * shortTimeout, func(context.Context) any { return "another" }, 0, "no answer within 3s"},
		{"too long in total", 3 * shortTimeout, func(ctx context.Context) any { return supervise.ProgressToken(ctx) }, shortTimeout + time.Second, "progress, but no answer within 4s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, _, _ := lineServer(t, "", supervise.WithAnswerTimeout(shortTimeout), supervise.WithMaxCallTime(tt.total))
			require.NoError(t, s.Start(t.Context()))
			got, err := supervise.Call(t.Context(), s, "lines", func(ctx context.Context, c *lineClient) (string, error) {
				step := time.NewTicker(shortTimeout / 30)
				defer step.Stop()
				for done := time.After(tt.lasts); ; {
					select {
					case <-step.C:
						s.Progress(tt.token(ctx))
					case <-ctx.Done():
						return "", ctx.Err()
					case <-done:
						return c.ask("echo done")
					}
				}
			})
			if tt.err == "" {
				require.NoError(t, err)
				assert.Equal(t, "done", got)
				return
			}
			require.ErrorContains(t, err, tt.err)
			require.ErrorIs(t, err, supervise.ErrWatchdog)
			assert.Equal(t, classify.CategoryTimeout, classify.Error(err).Category)
		})
	}
}

// Calls that run at the same time have different progress tokens.
func TestProgressTokens(t *testing.T) {
	t.Parallel()
	assert.Empty(t, supervise.ProgressToken(t.Context()))
	s, _, _ := lineServer(t, "")
	require.NoError(t, s.Start(t.Context()))
	s.Progress([]int{1}) // from a server that breaks the protocol
	tokens := map[string]bool{}
	for range 3 {
		_, err := supervise.Call(t.Context(), s, "lines", func(ctx context.Context, _ *lineClient) (string, error) {
			tokens[supervise.ProgressToken(ctx)] = true
			return "", nil
		})
		require.NoError(t, err)
	}
	assert.Len(t, tokens, 3)
	assert.NotContains(t, tokens, "")
}
