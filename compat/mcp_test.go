package compat_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

var mcpClient = &mcp.Implementation{Name: "compat", Version: "1"}

// connectMCP opens and closes a session.
func connectMCP(ctx context.Context, transport mcp.Transport) error {
	session, err := mcp.NewClient(mcpClient, nil).Connect(ctx, transport, nil)
	if err != nil {
		return err
	}
	return session.Close()
}

// overHTTP returns an HTTP transport without reconnects.
func overHTTP(url string, client *http.Client) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true}
}

func TestMCPTransport(t *testing.T) {
	t.Parallel()
	transportFailures(t, func(ctx context.Context, url string, client *http.Client) error {
		return connectMCP(ctx, overHTTP(url, client))
	})
}

// The error of the MCP client contains either the JSON-RPC error of the response or the
// reason phrase of the HTTP status.
func TestMCPAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer answer
		want   want
	}{
		{"400", errorPage(400), want{reason: classify.ReasonInvalidRequest}},
		{"401", answer{401, header("WWW-Authenticate", "Bearer"), ""}, want{reason: classify.ReasonAuthentication}},
		{"402", errorPage(402), want{reason: classify.ReasonBudgetExceeded}},
		{"403", errorPage(403), want{reason: classify.ReasonAuthentication}},
		{"404", errorPage(404), want{reason: classify.ReasonInvalidRequest}},
		{"408", errorPage(408), want{reason: classify.ReasonTimeout}},
		{"413", errorPage(413), want{reason: classify.ReasonInvalidRequest}},
		{"429", answer{429, header("Retry-After", "3"), ""}, want{reason: classify.ReasonRateLimit}}, // the header is dropped
		{"500", errorPage(500), want{reason: classify.ReasonTransient}},
		{"502", errorPage(502), want{reason: classify.ReasonTransient}},
		{"503", errorPage(503), want{reason: classify.ReasonTransient}},
		{"504", errorPage(504), want{reason: classify.ReasonTimeout}},
		{"no MCP", answer{200, header("Content-Type", "text/html"), "<html>so it goes</html>"}, want{reason: classify.ReasonMCP}},
		{"JSON that breaks off", answer{200, nil, `{"jsonrpc":"2.0","id":1,"res`}, want{reason: classify.ReasonParsing}},
		{"an error in the body", answer{400, nil, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request"}}`}, want{reason: classify.ReasonInvalidRequest}},
		{"a key in the body", answer{400, nil, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"invalid api key"}}`}, want{reason: classify.ReasonAuthentication}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, client := serve(t, tt.answer)
			check(t, connectMCP(t.Context(), overHTTP(url, client)), tt.want)
		})
	}
}

// mcpSession returns a session with an MCP server. The server's tool "take" calls the
// function err and returns its error.
func mcpSession(t *testing.T, err func(context.Context) error) *mcp.ClientSession {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "stock", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "take", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, err(ctx) })
	here, there := mcp.NewInMemoryTransports()
	serving, cerr := server.Connect(context.WithoutCancel(t.Context()), there, nil)
	require.NoError(t, cerr)
	session, cerr := mcp.NewClient(mcpClient, nil).Connect(context.WithoutCancel(t.Context()), here, nil)
	require.NoError(t, cerr)
	t.Cleanup(func() { _ = session.Close(); _ = serving.Wait() })
	return session
}

// TestMCPCalls checks failed calls of a tool, among them calls with the error codes of
// JSON-RPC 2.0 (section 5.1) and of MCP.
func TestMCPCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		code    int64
		message string
		want    want
	}{
		{"parse error", jsonrpc.CodeParseError, "Parse error", want{reason: classify.ReasonParsing}},
		{"invalid request", jsonrpc.CodeInvalidRequest, "Invalid Request", want{reason: classify.ReasonInvalidRequest}},
		{"method", jsonrpc.CodeMethodNotFound, "Method not found", want{reason: classify.ReasonMCP}},
		{"params", jsonrpc.CodeInvalidParams, "Invalid params", want{reason: classify.ReasonInvalidRequest}},
		{"internal", jsonrpc.CodeInternalError, "Internal error", want{reason: classify.ReasonTransient}},
		{"a key behind internal", jsonrpc.CodeInternalError, "upstream: invalid api key", want{reason: classify.ReasonAuthentication}},
		{"closed", -32000, "Connection closed", want{reason: classify.ReasonMCP}},
		{"timeout", -32001, "Request timed out", want{reason: classify.ReasonTimeout}},
		{"no such resource", -32002, "Resource not found", want{reason: classify.ReasonInvalidRequest}},
		{"rate limit in its own number", -32029, "Rate limit exceeded, retry in 5 seconds", want{reason: classify.ReasonRateLimit, wait: 5e9, textWait: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			session := mcpSession(t, func(context.Context) error { return &jsonrpc.Error{Code: tt.code, Message: tt.message} })
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "take"})
			check(t, err, tt.want)
		})
	}
	t.Run("no such tool", func(t *testing.T) {
		t.Parallel()
		session := mcpSession(t, nil)
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "gone"})
		check(t, err, want{reason: classify.ReasonMCP})
	})
	t.Run("the context's deadline", func(t *testing.T) {
		t.Parallel()
		session := mcpSession(t, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		ctx, cancel := context.WithTimeout(t.Context(), shortDeadline)
		defer cancel()
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "take"})
		check(t, err, ownDeadline)
	})
	t.Run("the caller cancels", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		session := mcpSession(t, func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() })
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "take"})
		check(t, err, want{reason: classify.ReasonAborted})
	})
	t.Run("after the end", func(t *testing.T) {
		t.Parallel()
		session := mcpSession(t, nil)
		require.NoError(t, session.Close())
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "take"})
		require.ErrorIs(t, err, mcp.ErrConnectionClosed)
		check(t, err, want{reason: classify.ReasonMCP})
	})
	t.Run("a tool that fails", func(t *testing.T) {
		t.Parallel()
		var result mcp.CallToolResult
		result.SetError(fmt.Errorf("take: %w", errors.New("401 Unauthorized: invalid api key")))
		check(t, result.GetError(), want{reason: classify.ReasonAuthentication})
	})
}

// TestMCPCommand checks MCP servers in child processes. One server cannot be started, and
// the other exits at once.
func TestMCPCommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		cmd  func(t *testing.T) *exec.Cmd
		want want
	}{
		{"not in PATH", func(*testing.T) *exec.Cmd { return exec.Command("errclass-no-such-server") }, want{reason: classify.ReasonSpawn}},
		{"exits", func(t *testing.T) *exec.Cmd { return child(t.Context(), t, "exit 1") }, want{reason: classify.ReasonMCP}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, connectMCP(t.Context(), &mcp.CommandTransport{Command: tt.cmd(t)}), tt.want)
		})
	}
}
