package supervise_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

// shortTimeout is the answer timeout in tests whose child does not answer.
const shortTimeout = 3 * time.Second

// lineServer returns a server that runs the test binary until the test ends.
func lineServer(t *testing.T, faults string, opts ...supervise.ServerOption) (s *supervise.Server[*lineClient], seen *statuses, starts func() int) {
	t.Helper()
	counter := filepath.Join(t.TempDir(), "starts")
	c := self(t, "lines")
	c.Env = append(c.Env, startsVariable+"="+counter, faultsVariable+"="+faults)
	c.Grace = shortGrace
	seen = newStatuses()
	opts = append([]supervise.ServerOption{supervise.WithObserver(seen.observe), supervise.WithAnswerTimeout(time.Minute)}, opts...)
	s = supervise.NewServer("files", c, dialLines, opts...)
	t.Cleanup(func() { assert.NoError(t, s.Stop(context.Background())) })
	return s, seen, func() int {
		b, err := os.ReadFile(counter)
		require.NoError(t, err)
		return len(b)
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	s, seen, starts := lineServer(t, "")
	assert.Equal(t, supervise.ServerNew, s.Status().State)
	require.NoError(t, s.Start(t.Context()))
	assert.Equal(t, supervise.ServerStatus{State: supervise.ServerRunning, Server: "files"}, s.Status())
	for _, word := range []string{"a", "b"} {
		got, err := ask(t.Context(), s, "echo "+word)
		require.NoError(t, err)
		assert.Equal(t, word, got)
	}
	require.NoError(t, s.Stop(t.Context()))
	require.NoError(t, s.Stop(t.Context()), "twice is no error")
	assert.Equal(t, []supervise.ServerState{supervise.ServerRunning, supervise.ServerStopped}, seen.states())
	assert.Equal(t, 1, starts())

	_, err := ask(t.Context(), s, "echo late")
	require.ErrorContains(t, err, `tool "lines": MCP server "files": the server was stopped`)
	require.ErrorContains(t, s.Start(t.Context()), "state is stopped: it can be started only once, make a new one")
}

// After the first crash, the server is restarted. After the second crash, it is
// degraded.
func TestServerCrashes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, question, reason string }{
		{"exits", "crash 3", "exited with code 3"},
		{"exits with 0", "crash 0", "exited with code 0"},
		{"closes its output", "close-output", "closed its standard output"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, seen, starts := lineServer(t, "")
			require.NoError(t, s.Start(t.Context()))
			for range 2 {
				_, err := ask(t.Context(), s, tt.question)
				var call *supervise.CallError
				require.ErrorAs(t, err, &call)
				assert.Equal(t, "files", call.Server)
				assert.Equal(t, "lines", call.Tool)
				var server *supervise.ServerError
				require.ErrorAs(t, err, &server)
				assert.Equal(t, tt.reason, server.Reason)
				assert.Equal(t, "mcp", server.ErrorType())
				if strings.HasPrefix(tt.question, "crash") {
					assert.Equal(t, "boom, key=[masked]", server.Stderr)
				}
				res := classify.Error(err)
				assert.Equal(t, classify.ReasonMCP, res.Reason, res.Rule)
				assert.Equal(t, classify.CategoryFatal, res.Category)
			}
			degraded := seen.until(t, supervise.ServerDegraded)
			assert.Equal(t, tt.reason, degraded.Reason)
			assert.Equal(t, "files", degraded.Server)
			assert.Equal(t, degraded, s.Status())
			assert.Equal(t, []supervise.ServerState{supervise.ServerRunning, supervise.ServerRestarting, supervise.ServerRunning, supervise.ServerDegraded}, seen.states())
			assert.Equal(t, 2, starts())
			line, err := json.Marshal(degraded)
			require.NoError(t, err)
			assert.JSONEq(t, fmt.Sprintf(`{"type":"degraded","server":"files","reason":%q}`, tt.reason), string(line))

			_, err = ask(t.Context(), s, "echo x")
			require.ErrorContains(t, err, tt.reason, "later calls fail at once")
		})
	}
}

// A client that reads slowly gets the whole answer of a child that has already ended.
func TestServerLastAnswer(t *testing.T) {
	t.Parallel()
	c := self(t, "lines")
	gone, _ := withLifeline(t, &c)
	seen := newStatuses()
	s := supervise.NewServer("files", c, dialLines, supervise.WithObserver(seen.observe), supervise.WithRestarts(0))
	require.NoError(t, s.Start(t.Context()))
	got, err := supervise.Call(t.Context(), s, "lines", func(_ context.Context, c *lineClient) ([]byte, error) {
		_, err := fmt.Fprintln(c.conn, "last")
		assert.NoError(t, err)
		waitClosed(t, gone, "the child's end")
		return io.ReadAll(iotest.OneByteReader(c.conn))
	})
	require.NoError(t, err)
	assert.Len(t, got, 4_000)
	assert.Equal(t, "exited with code 0", seen.until(t, supervise.ServerDegraded).Reason)
	assert.NoError(t, s.Stop(t.Context()))
}

// A call during a restart is answered after the restart.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	s, _, starts := lineServer(t, "")
	require.NoError(t, s.Start(t.Context()))
	_, err := ask(t.Context(), s, "crash 1")
	require.Error(t, err)
	got, err := ask(t.Context(), s, "echo back")
	require.NoError(t, err)
	assert.Equal(t, "back", got)
	assert.Equal(t, 2, starts())
}

func TestServerDoesNotStart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, faults, reason string
		answer               time.Duration
	}{
		{"exits", "exit 7", "exited with code 7", time.Minute},
		{"says nothing", "mute", "no answer within 3s", shortTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, seen, starts := lineServer(t, tt.faults, supervise.WithAnswerTimeout(tt.answer))
			err := s.Start(t.Context())
			require.ErrorContains(t, err, `MCP server "files": `+tt.reason)
			assert.Equal(t, []supervise.ServerState{supervise.ServerSkipped}, seen.states())
			assert.Equal(t, tt.reason, s.Status().Reason)
			assert.Equal(t, 1, starts(), "a start that failed is not repeated")
			_, err = ask(t.Context(), s, "echo x")
			require.ErrorContains(t, err, tt.reason)
		})
	}
	t.Run("is not there", func(t *testing.T) {
		t.Parallel()
		s := supervise.NewServer("files", supervise.Command{Name: "errclass-no-such-program"}, dialLines)
		err := s.Start(t.Context())
		require.ErrorContains(t, err, "executable file not found")
		assert.Equal(t, supervise.ServerSkipped, s.Status().State)
		assert.Equal(t, classify.ReasonMCP, classify.Error(err).Reason)
		assert.NoError(t, s.Stop(t.Context()))
	})
	t.Run("has no client", func(t *testing.T) {
		t.Parallel()
		s := supervise.NewServer[*lineClient]("files", self(t, "lines"), nil)
		require.ErrorContains(t, s.Start(t.Context()), "connect function of NewServer is nil")
		assert.NoError(t, s.Stop(t.Context()))
	})
	t.Run("refuses its client", func(t *testing.T) {
		t.Parallel()
		s, _, _ := lineServer(t, "")
		other := supervise.NewServer("files", self(t, "cat"), func(ctx context.Context, conn ioConn) (*lineClient, error) {
			_, err := dialLines(ctx, conn)
			require.NoError(t, err) // the client accepts the handshake that cat echoes
			return nil, errors.New("protocol version 1 is too old")
		})
		require.ErrorContains(t, other.Start(t.Context()), "connect: protocol version 1 is too old")
		require.NoError(t, s.Start(t.Context()), "the others go on")
		assert.NoError(t, other.Stop(t.Context()))
	})
}

// The reason in a status is masked, because it may quote the child.
func TestServerReasonIsMasked(t *testing.T) {
	t.Parallel()
	s := supervise.NewServer("files", self(t, "cat"), func(context.Context, ioConn) (*lineClient, error) {
		return nil, errors.New("unexpected answer: api_key=sk-abcdef0123456789")
	})
	err := s.Start(t.Context())
	require.ErrorContains(t, err, "unexpected answer: api_key=[masked]")
	assert.NotContains(t, s.Status().Reason, "abcdef")
	assert.NoError(t, s.Stop(t.Context()))
}

// A panic of connect during a restart does not end the program.
func TestConnectPanics(t *testing.T) {
	t.Parallel()
	connected := 0
	seen := newStatuses()
	s := supervise.NewServer("files", self(t, "lines"), func(ctx context.Context, conn ioConn) (*lineClient, error) {
		if connected++; connected > 1 {
			panic("oh")
		}
		return dialLines(ctx, conn)
	}, supervise.WithObserver(seen.observe))
	require.NoError(t, s.Start(t.Context()))
	_, err := ask(t.Context(), s, "crash 1")
	require.Error(t, err)
	assert.Equal(t, "connect: panicked: oh", seen.until(t, supervise.ServerDegraded).Reason)
	assert.NoError(t, s.Stop(t.Context()))
}

func TestServerRestartFails(t *testing.T) {
	t.Parallel()
	s, seen, starts := lineServer(t, ",exit 9")
	require.NoError(t, s.Start(t.Context()))
	_, err := ask(t.Context(), s, "crash 1")
	require.ErrorContains(t, err, "exited with code 1")
	assert.Equal(t, "exited with code 9", seen.until(t, supervise.ServerDegraded).Reason)
	assert.Equal(t, 2, starts())
}

// A panic of an observer does not affect the server and the other observers.
func TestObserverPanics(t *testing.T) {
	t.Parallel()
	s, seen, _ := lineServer(t, "", supervise.WithObserver(func(supervise.ServerStatus) { panic("oh") }), supervise.WithObserver(nil), nil)
	require.NoError(t, s.Start(t.Context()))
	_, err := ask(t.Context(), s, "crash 1")
	require.Error(t, err)
	_, err = ask(t.Context(), s, "echo back")
	require.NoError(t, err)
	seen.until(t, supervise.ServerRestarting)
}

func TestServerRestartLimit(t *testing.T) {
	t.Parallel()
	s, seen, starts := lineServer(t, "", supervise.WithRestarts(0))
	require.NoError(t, s.Start(t.Context()))
	_, err := ask(t.Context(), s, "crash 1")
	require.Error(t, err)
	seen.until(t, supervise.ServerDegraded)
	assert.Equal(t, 1, starts())
}

// A server is restarted as often as allowed. Failed restarts count too.
func TestServerKeepsCrashing(t *testing.T) {
	t.Parallel()
	s, seen, starts := lineServer(t, ",,exit 9", supervise.WithRestarts(3))
	require.NoError(t, s.Start(t.Context()))
	for range 3 {
		_, err := ask(t.Context(), s, "crash 1")
		require.ErrorContains(t, err, "exited with code 1")
	}
	degraded := seen.until(t, supervise.ServerDegraded)
	assert.Equal(t, "exited with code 1", degraded.Reason)
	assert.Equal(t, 4, starts())
	_, err := ask(t.Context(), s, "echo x")
	require.ErrorIs(t, err, degraded.Err)
}

// A restart counts only until the window has passed.
func TestServerRestartWindow(t *testing.T) {
	t.Parallel()
	const window = 500 * time.Millisecond
	s, seen, starts := lineServer(t, "", supervise.WithRestartWindow(window))
	require.NoError(t, s.Start(t.Context()))
	for range 3 {
		_, err := ask(t.Context(), s, "crash 1")
		require.ErrorContains(t, err, "exited with code 1")
		_, err = ask(t.Context(), s, "echo back")
		require.NoError(t, err)
		time.Sleep(window)
	}
	assert.NotContains(t, seen.states(), supervise.ServerDegraded)
	assert.Equal(t, 4, starts())

	forever, seen, _ := lineServer(t, "", supervise.WithRestartWindow(-1))
	require.NoError(t, forever.Start(t.Context()))
	for range 2 {
		_, err := ask(t.Context(), forever, "crash 1")
		require.ErrorContains(t, err, "exited with code 1")
	}
	seen.until(t, supervise.ServerDegraded)
}

// If the server does not answer in time, the child is ended.
func TestServerHangs(t *testing.T) {
	t.Parallel()
	s, seen, starts := lineServer(t, "", supervise.WithAnswerTimeout(shortTimeout))
	require.NoError(t, s.Start(t.Context()))
	_, err := ask(t.Context(), s, "hang")
	require.ErrorContains(t, err, "no answer within 3s")
	require.ErrorIs(t, err, supervise.ErrWatchdog)
	res := classify.Error(err)
	assert.Equal(t, classify.CategoryTimeout, res.Category)
	assert.Equal(t, "no answer within 3s", seen.until(t, supervise.ServerRestarting).Reason)
	got, err := ask(t.Context(), s, "echo back")
	require.NoError(t, err)
	assert.Equal(t, "back", got)
	assert.Equal(t, 2, starts())
}

// If the context of a call ends, the call fails and the child keeps running.
func TestServerCallerLeaves(t *testing.T) {
	t.Parallel()
	s, seen, _ := lineServer(t, "")
	require.NoError(t, s.Start(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := supervise.Call(ctx, s, "lines", func(ctx context.Context, _ *lineClient) (string, error) {
		cancel()
		<-ctx.Done()
		return "", errors.New("gave up")
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, classify.CategoryAborted, classify.Error(err).Category)
	_, err = ask(ctx, s, "echo x")
	require.NoError(t, err, "who has a client that looks at no context gets an answer")
	assert.Equal(t, []supervise.ServerState{supervise.ServerRunning}, seen.states())
}

// If a tool returns an error, the server has not crashed.
func TestToolFails(t *testing.T) {
	t.Parallel()
	s, seen, _ := lineServer(t, "")
	require.NoError(t, s.Start(t.Context()))
	_, err := ask(t.Context(), s, "fail 429 rate limit")
	require.EqualError(t, err, `tool "lines": 429 rate limit`)
	assert.Equal(t, classify.ReasonRateLimit, classify.Error(err).Reason)
	_, err = ask(t.Context(), s, "echo on")
	require.NoError(t, err)
	assert.Equal(t, []supervise.ServerState{supervise.ServerRunning}, seen.states())
}

// A child that closes its input without exiting counts as crashed.
func TestServerBrokenPipe(t *testing.T) {
	t.Parallel()
	s, seen, _ := lineServer(t, "")
	require.NoError(t, s.Start(t.Context()))
	got, err := ask(t.Context(), s, "close-input")
	require.NoError(t, err)
	require.Equal(t, "closed", got)
	_, err = ask(t.Context(), s, "echo x")
	require.ErrorContains(t, err, "closed its standard input")
	assert.Equal(t, "closed its standard input", seen.until(t, supervise.ServerRestarting).Reason)
}

func TestServerStops(t *testing.T) {
	t.Parallel()
	t.Run("with its group and its calls", func(t *testing.T) {
		t.Parallel()
		c := self(t, "lines")
		gone, _ := withLifeline(t, &c)
		s := supervise.NewServer("files", c, dialLines)
		require.NoError(t, s.Start(t.Context()))
		asked := make(chan struct{})
		failed := make(chan error, 1)
		go func() {
			_, err := supervise.Call(t.Context(), s, "lines", func(_ context.Context, c *lineClient) (string, error) {
				close(asked)
				return c.ask("hang")
			})
			failed <- err
		}()
		<-asked
		require.NoError(t, s.Stop(t.Context()))
		waitClosed(t, gone, "the end of the child")
		require.ErrorContains(t, <-failed, "the server was stopped")
	})
	t.Run("before it was started", func(t *testing.T) {
		t.Parallel()
		s, seen, _ := lineServer(t, "")
		_, err := ask(t.Context(), s, "echo x")
		require.ErrorContains(t, err, "the server was not started")
		require.NoError(t, s.Stop(t.Context()))
		require.Error(t, s.Start(t.Context()))
		assert.Equal(t, []supervise.ServerState{supervise.ServerStopped}, seen.states())
	})
	t.Run("while it starts", func(t *testing.T) {
		t.Parallel()
		connecting := make(chan struct{})
		s := supervise.NewServer("files", self(t, "cat"), func(_ context.Context, conn ioConn) (struct{}, error) {
			close(connecting)
			_, err := conn.Read(make([]byte, 1)) // blocks
			return struct{}{}, err
		})
		failed := make(chan error, 1)
		go func() { failed <- s.Start(t.Context()) }()
		<-connecting
		require.NoError(t, s.Stop(t.Context()))
		require.ErrorContains(t, <-failed, "the server was stopped")
		assert.Equal(t, supervise.ServerStopped, s.Status().State)
	})
	t.Run("with a start that is cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		s := supervise.NewServer("files", self(t, "cat"), func(_ context.Context, conn ioConn) (struct{}, error) {
			cancel()
			_, err := conn.Read(make([]byte, 1))
			return struct{}{}, err
		})
		err := s.Start(ctx)
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, classify.CategoryAborted, classify.Error(err).Category)
	})
}

// closing is a client with a Close method.
type closing struct {
	*lineClient
	closed chan struct{}
}

func (c *closing) Close() error { close(c.closed); return c.conn.Close() }

func TestServerClosesItsClient(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	s := supervise.NewServer("files", self(t, "lines"), func(ctx context.Context, conn ioConn) (*closing, error) {
		c, err := dialLines(ctx, conn)
		return &closing{c, closed}, err
	})
	require.NoError(t, s.Start(t.Context()))
	require.NoError(t, s.Stop(t.Context()))
	waitClosed(t, closed, "the client to be closed")
}

// Calls, a crash and Stop run concurrently. Every call returns.
func TestServerConcurrentSafe(t *testing.T) {
	t.Parallel()
	s, _, _ := lineServer(t, "")
	require.NoError(t, s.Start(t.Context()))
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			question, want := fmt.Sprintf("echo %d", i), fmt.Sprint(i)
			if i == 25 {
				question = "crash 1"
			}
			got, err := ask(t.Context(), s, question)
			if err == nil {
				assert.Equal(t, want, got)
			}
			s.Status()
			if i == 45 {
				assert.NoError(t, s.Stop(t.Context()))
			}
		})
	}
	wg.Wait()
}
