package supervise_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

// program returns a command that runs the test binary in one of its roles. A real
// program would run "codex".
func program(role string, args ...string) supervise.Command { return self(nil, role, args...) }

func ExampleRun() {
	c := program("say", "1", "HTTP 429: rate limit exceeded, try again in 20s")
	c.Provider = "codex"

	out, err := supervise.Run(context.Background(), c)

	fmt.Println(err != nil, out.ExitCode, out.Stderr)
	fmt.Println(out.Result.Category, out.Result.Reason, out.Result.RetryAfter)
	// Output:
	// true 1 HTTP 429: rate limit exceeded, try again in 20s
	// retryable rate_limit 20s
}

// Run ends a silent child and all processes that the child has started.
func ExampleRun_silence() {
	c := program("wait")
	c.Silence = 100 * time.Millisecond

	out, err := supervise.Run(context.Background(), c)

	fmt.Println(errors.Is(err, supervise.ErrWatchdog), out.Result.Category, out.Result.Rule)
	// Output: true timeout watchdog/silence
}

// If the error of Run is classified again, the result stays the same.
func ExampleError() {
	_, err := supervise.Run(context.Background(), program("say", "1", "Invalid API key"))

	wrapped := fmt.Errorf("ask the agent: %w", err)

	var run *supervise.Error
	fmt.Println(errors.As(wrapped, &run), run.Outcome.Stderr)
	fmt.Println(classify.Error(wrapped).Reason, run.ErrorType())
	// Output:
	// true Invalid API key
	// authentication authentication
}

func ExampleLookUp() {
	_, err := supervise.LookUp(context.Background(), "/nonexistent/codex", "0.34.0", "npm install -g @openai/codex")
	fmt.Println(err)
	fmt.Println(classify.Error(err).Reason)
	// Output:
	// Codex CLI not found. Run: npm install -g @openai/codex
	// spawn
}

func ExampleWithProduct() {
	_, err := supervise.LookUp(context.Background(), "/nonexistent/indexer", "", "", supervise.WithProduct("The indexer"))
	fmt.Println(err)
	// Output: The indexer not found
}

func ExampleWithVersionTimeout() {
	env := append(os.Environ(), roleVariable+"=wait") // the program hangs
	self, _ := os.Executable()
	_, err := supervise.LookUp(context.Background(), self, "1.0", "",
		supervise.WithProduct("The indexer"), supervise.WithVersionTimeout(100*time.Millisecond), supervise.WithLookUpEnv(env...))
	fmt.Println(err)
	// Output: The indexer check failed: no answer to --version within 100ms
}

func ExampleWithLookUpEnv() {
	env := append(os.Environ(), roleVariable+"=version", "SUPERVISE_TEST_VERSION=indexer 0.9.1")
	self, _ := os.Executable()
	_, err := supervise.LookUp(context.Background(), self, "1.0", "", supervise.WithProduct("The indexer"), supervise.WithLookUpEnv(env...))
	fmt.Println(err)
	// Output: The indexer needs update: 0.9.1 is installed, 1.0 or later is needed
}

func ExampleNewEvent() {
	out, _ := supervise.Run(context.Background(), program("say", "1", "Incorrect API key provided: sk-abcdefgh12345678"))

	event := supervise.NewEvent("request-1", "codex", 1, out)

	fmt.Println(event.Line())
	// Output: {"type":"error","requestId":"request-1","error":"auth_failed","authError":true,"diagnostics":{"provider":"codex","errorType":"auth","recoverable":true,"retried":0,"stderr":"Incorrect API key provided: [masked]"}}
}

// This event describes an error that did not come from a child process.
func ExampleEvent_Line() {
	failed := supervise.Outcome{Result: classify.Error(errors.New("HTTP 503 Service Unavailable"))}
	fmt.Println(supervise.NewEvent("request-2", "claude", 3, failed).Line())
	// Output: {"type":"error","requestId":"request-2","error":"Anthropic is not available at the moment","diagnostics":{"provider":"claude","errorType":"unknown","recoverable":true,"retried":2}}
}

func ExampleEvent_WriteTo() {
	failed := supervise.Outcome{Result: classify.Message("ECONNRESET")}
	n, err := supervise.NewEvent("request-3", "codex", 6, failed).WriteTo(os.Stdout)
	fmt.Println(n > 0, err)
	// Output:
	// {"type":"error","requestId":"request-3","error":"The connection to OpenAI failed","diagnostics":{"provider":"codex","errorType":"network","recoverable":true,"retried":5}}
	// true <nil>
}

func ExampleRecoverable() {
	for _, stderr := range []string{"Invalid API key", "OAuth token has expired", "HTTP 429", "insufficient_quota"} {
		fmt.Println(supervise.Recoverable(classify.Message(stderr), stderr), stderr)
	}
	// Output:
	// true Invalid API key
	// false OAuth token has expired
	// true HTTP 429
	// false insufficient_quota
}

func ExampleUserText() {
	text := supervise.UserText(classify.Message("HTTP 401: invalid x-api-key"), "codex", "")
	fmt.Println(text.Message)
	fmt.Println(text.Action)
	// Output:
	// Your OpenAI API key is invalid or expired
	// Update your API key in workspace settings
}

func ExampleMaskSecrets() {
	fmt.Println(supervise.MaskSecrets("curl -H 'Authorization: Bearer abc123def' https://app:hunter2@example.com?key=sk-abcdefgh1"))
	fmt.Println(supervise.MaskSecrets("Bearer authentication failed, token: expired"))
	// Output:
	// curl -H 'Authorization: Bearer [masked]' https://app:[masked]@example.com?key=[masked]
	// Bearer authentication failed, token: expired
}

func ExampleNewServer() {
	server := supervise.NewServer("files", program("lines"), dialLines)
	ctx := context.Background()
	if err := server.Start(ctx); err != nil {
		fmt.Println("warning:", err)
		return
	}
	defer func() { _ = server.Stop(ctx) }()

	answer, err := supervise.Call(ctx, server, "echo", func(_ context.Context, c *lineClient) (string, error) {
		return c.ask("echo hello")
	})

	fmt.Println(answer, err, server.Status().State)
	// Output: hello <nil> running
}

// The server crashes, so the call fails. The server is then restarted.
func ExampleCall() {
	ctx := context.Background()
	server := supervise.NewServer("files", program("lines"), dialLines)
	_ = server.Start(ctx)
	defer func() { _ = server.Stop(ctx) }()

	for _, question := range []string{"crash 3", "echo back"} {
		answer, err := ask(ctx, server, question)
		fmt.Println(answer, err)
	}
	// Output:
	//  tool "lines": MCP server "files": exited with code 3
	// back <nil>
}

func ExampleServer_Start() {
	server := supervise.NewServer("files", supervise.Command{Name: "/nonexistent/server"}, dialLines)
	err := server.Start(context.Background())
	fmt.Println(err != nil, server.Status().State, classify.Error(err).Reason)
	// Output: true skipped mcp
}

func ExampleServer_Status() {
	server := supervise.NewServer("files", program("lines"), dialLines)
	fmt.Println(server.Status().State)
	_ = server.Start(context.Background())
	fmt.Println(server.Status().State)
	_ = server.Stop(context.Background())
	fmt.Println(server.Status().State)
	// Output:
	// new
	// running
	// stopped
}

func ExampleServer_Stop() {
	server := supervise.NewServer("files", program("lines"), dialLines)
	_ = server.Start(context.Background())
	fmt.Println(server.Stop(context.Background()))
	_, err := ask(context.Background(), server, "echo x")
	fmt.Println(err)
	// Output:
	// <nil>
	// tool "lines": MCP server "files": the server was stopped
}

func ExampleWithObserver() {
	ctx := context.Background()
	degraded := make(chan supervise.ServerStatus, 1)
	server := supervise.NewServer("files", program("lines"), dialLines, supervise.WithObserver(func(s supervise.ServerStatus) {
		line, _ := json.Marshal(s)
		fmt.Println(string(line))
		if s.State == supervise.ServerDegraded {
			degraded <- s
		}
	}))
	_ = server.Start(ctx)
	for range 2 {
		_, _ = ask(ctx, server, "crash 1")
	}
	<-degraded
	_ = server.Stop(ctx)
	// Output:
	// {"type":"running","server":"files"}
	// {"type":"restarting","server":"files","reason":"exited with code 1"}
	// {"type":"running","server":"files"}
	// {"type":"degraded","server":"files","reason":"exited with code 1"}
	// {"type":"stopped","server":"files"}
}

func ExampleWithRestarts() {
	ctx := context.Background()
	server := supervise.NewServer("files", program("lines"), dialLines, supervise.WithRestarts(0))
	_ = server.Start(ctx)
	defer func() { _ = server.Stop(ctx) }()
	for _, question := range []string{"crash 1", "echo x"} {
		_, err := ask(ctx, server, question)
		fmt.Println(err)
	}
	// Output:
	// tool "lines": MCP server "files": exited with code 1
	// tool "lines": MCP server "files": exited with code 1
}

func ExampleWithAnswerTimeout() {
	ctx := context.Background()
	server := supervise.NewServer("files", program("lines"), dialLines, supervise.WithAnswerTimeout(3*time.Second))
	_ = server.Start(ctx)
	defer func() { _ = server.Stop(ctx) }()
	_, err := ask(ctx, server, "hang")
	fmt.Println(err)
	fmt.Println(classify.Error(err).Category)
	// Output:
	// tool "lines": MCP server "files": no answer within 3s
	// timeout
}

// Run looks for the program codex in the directories of PATH.
func ExampleCommand() {
	c := supervise.Command{
		Name: "codex", Args: []string{"exec", "fix the tests"},
		Dir:     filepath.Join("work", "repository"),
		Stdout:  os.Stdout,
		Timeout: 10 * time.Minute, Silence: 2 * time.Minute,
		Provider: "codex",
	}
	fmt.Println(c.Name, c.Args)
	// Output: codex [exec fix the tests]
}
