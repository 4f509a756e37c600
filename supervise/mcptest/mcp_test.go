package mcptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

// asServer is an environment variable. If it is set, the test binary runs the MCP
// server.
const asServer = "MCPTEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asRateLimited) != "" {
		fmt.Fprint(os.Stderr, "HTTP 429: rate limit exceeded, try again in 0.001s")
		os.Exit(1)
	}
	if os.Getenv(asServer) != "" {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

type word struct {
	Word string `json:"word"`
}

func serve() error {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "v1.0.0"}, nil)
	tool := func(name string, do func(string) (string, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: name}, func(_ context.Context, _ *mcp.CallToolRequest, in word) (*mcp.CallToolResult, any, error) {
			text, err := do(in.Word)
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	}
	tool("echo", func(w string) (string, error) { return w, nil })
	tool("fail", func(w string) (string, error) { return "", errors.New(w) })
	tool("crash", func(string) (string, error) {
		fmt.Fprintln(os.Stderr, "panic: out of cheese")
		os.Exit(3)
		return "", nil
	})
	tool("hang", func(string) (string, error) { time.Sleep(time.Hour); return "", nil })
	mcp.AddTool(s, &mcp.Tool{Name: "slow", Description: "slow"}, func(ctx context.Context, req *mcp.CallToolRequest, in word) (*mcp.CallToolResult, any, error) {
		lasts, err := time.ParseDuration(in.Word)
		if err != nil {
			return nil, nil, err
		}
		for began := time.Now(); time.Since(began) < lasts; time.Sleep(lasts / 50) {
			if token := req.Params.GetProgressToken(); token != nil {
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: time.Since(began).Seconds()})
			}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
	})
	tool("garble", func(string) (string, error) {
		fmt.Println("Debug: I am not JSON")
		time.Sleep(time.Hour)
		return "", nil
	})
	return s.Run(context.Background(), &mcp.StdioTransport{})
}

// connect connects the MCP client of the SDK.
func connect(ctx context.Context, conn io.ReadWriteCloser) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "mcptest", Version: "v1.0.0"}, nil)
	return client.Connect(ctx, &mcp.IOTransport{Reader: conn, Writer: conn}, nil)
}

// use calls a tool and returns the text or the error of the tool.
func use(ctx context.Context, s *supervise.Server[*mcp.ClientSession], tool, w string) (string, error) {
	return supervise.Call(ctx, s, tool, func(ctx context.Context, c *mcp.ClientSession) (string, error) {
		res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: word{w}})
		if err != nil {
			return "", err
		}
		text, _ := res.Content[0].(*mcp.TextContent)
		if res.IsError {
			return "", errors.New(text.Text)
		}
		return text.Text, nil
	})
}

type log struct {
	mu     sync.Mutex
	states []supervise.ServerState
	came   chan supervise.ServerStatus
}

func (l *log) observe(s supervise.ServerStatus) {
	l.mu.Lock()
	l.states = append(l.states, s.State)
	l.mu.Unlock()
	l.came <- s
}

// until waits for the next status with the given state.
func (l *log) until(t *testing.T, state supervise.ServerState) supervise.ServerStatus {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		select {
		case s := <-l.came:
			if s.State == state {
				return s
			}
		case <-limit:
			require.Fail(t, "timeout waiting for "+string(state))
		}
	}
}

func server(t *testing.T, opts ...supervise.ServerOption) (*supervise.Server[*mcp.ClientSession], *log) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	l := &log{came: make(chan supervise.ServerStatus, 100)}
	s := supervise.NewServer("test", supervise.Command{
		Name:  program,
		Env:   append(os.Environ(), asServer+"=1", "GORACE=atexit_sleep_ms=0"),
		Grace: time.Second,
	}, connect, append(opts, supervise.WithObserver(l.observe))...)
	t.Cleanup(func() { assert.NoError(t, s.Stop(context.Background())) })
	require.NoError(t, s.Start(t.Context()))
	return s, l
}

func TestServes(t *testing.T) {
	t.Parallel()
	s, _ := server(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			got, err := use(t.Context(), s, "echo", fmt.Sprint(i))
			assert.NoError(t, err)
			assert.Equal(t, fmt.Sprint(i), got)
		})
	}
	wg.Wait()
}

// If a tool returns an error, the call of the tool fails, and the server keeps running.
func TestToolError(t *testing.T) {
	t.Parallel()
	s, l := server(t)
	_, err := use(t.Context(), s, "fail", "HTTP 429: rate limit exceeded")
	require.EqualError(t, err, `tool "fail": HTTP 429: rate limit exceeded`)
	assert.Equal(t, classify.ReasonRateLimit, classify.Error(err).Reason)
	_, err = use(t.Context(), s, "no-such-tool", "")
	require.Error(t, err)
	assert.Equal(t, classify.ReasonMCP, classify.Error(err).Reason)
	_, err = use(t.Context(), s, "echo", "on")
	require.NoError(t, err)
	assert.Equal(t, []supervise.ServerState{supervise.ServerRunning}, l.states)
}

// The first failure restarts the server. After the second failure, the server is
// degraded.
func TestLost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tool, reason string
		text         string // of the call's error
		means        [2]string
		answer       time.Duration
	}{
		{"crash", "exited with code 3", `MCP server "test": exited with code 3`, [2]string{"fatal", "mcp"}, time.Minute},
		{"hang", "no answer within 3s", `MCP server "test": no answer within 3s`, [2]string{"timeout", "timeout"}, 3 * time.Second},
		{"garble", "the client closed the connection", "", [2]string{}, time.Minute},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			t.Parallel()
			s, l := server(t, supervise.WithAnswerTimeout(tt.answer))
			for _, next := range []supervise.ServerState{supervise.ServerRestarting, supervise.ServerDegraded} {
				_, err := use(t.Context(), s, tt.tool, "")
				require.ErrorContains(t, err, fmt.Sprintf("tool %q: %s", tt.tool, tt.text))
				if res := classify.Error(err); tt.means[0] != "" {
					got := [2]string{string(res.Category), res.Name(classify.ViewDiagnostics)}
					assert.Equal(t, tt.means, got, res.Rule)
				}
				assert.Equal(t, tt.reason, l.until(t, next).Reason)
				got, err := use(t.Context(), s, "echo", "back")
				if next == supervise.ServerRestarting {
					require.NoError(t, err)
					assert.Equal(t, "back", got)
				} else {
					require.ErrorContains(t, err, tt.reason)
				}
			}
		})
	}
}

// A call with progress notifications gets more time. If a call hangs but the server
// answers a ping, only the call ends, and the server keeps running.
func TestProgressAndPing(t *testing.T) {
	t.Parallel()
	const answer = 3 * time.Second
	program, err := os.Executable()
	require.NoError(t, err)
	var s *supervise.Server[*mcp.ClientSession]
	connect := func(ctx context.Context, conn io.ReadWriteCloser) (*mcp.ClientSession, error) {
		client := mcp.NewClient(&mcp.Implementation{Name: "mcptest", Version: "v1.0.0"}, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
				s.Progress(r.Params.ProgressToken)
			},
		})
		return client.Connect(ctx, &mcp.IOTransport{Reader: conn, Writer: conn}, nil)
	}
	ping := func(ctx context.Context, c *mcp.ClientSession) error { return c.Ping(ctx, nil) }
	s = supervise.NewServer("test", supervise.Command{
		Name: program, Env: append(os.Environ(), asServer+"=1", "GORACE=atexit_sleep_ms=0"), Grace: time.Second,
	}, connect, supervise.WithAnswerTimeout(answer), supervise.WithPing(ping))
	require.NoError(t, s.Start(t.Context()))
	defer func() { assert.NoError(t, s.Stop(t.Context())) }()

	var calls sync.WaitGroup
	calls.Go(func() {
		res, err := supervise.Call(t.Context(), s, "slow", func(ctx context.Context, c *mcp.ClientSession) (*mcp.CallToolResult, error) {
			params := &mcp.CallToolParams{Name: "slow", Arguments: word{(2 * answer).String()}}
			params.SetProgressToken(supervise.ProgressToken(ctx))
			return c.CallTool(ctx, params)
		})
		if assert.NoError(t, err) {
			assert.False(t, res.IsError)
		}
	})
	for _, tool := range []string{"hang", "slow"} { // without a token, both tools have the same time
		calls.Go(func() {
			_, err := use(t.Context(), s, tool, "1h")
			assert.ErrorContains(t, err, "no answer within 3s")
		})
	}
	calls.Wait()
	assert.Equal(t, supervise.ServerRunning, s.Status().State)
}
