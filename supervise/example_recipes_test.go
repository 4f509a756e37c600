package supervise_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

// If a tool server does not start, this program warns and continues.
func Example_serverDoesNotStart() {
	ctx := context.Background()
	var tools []*supervise.Server[*lineClient]
	for name, c := range map[string]supervise.Command{"files": program("lines"), "search": {Name: "/nonexistent/search-server"}} {
		server := supervise.NewServer(name, c, dialLines)
		if err := server.Start(ctx); err != nil {
			line, _ := json.Marshal(struct {
				Type   string `json:"type"`
				Server string `json:"server"`
			}{"warning", server.Status().Server})
			fmt.Println(string(line)) // part of the init event; log the error
			continue
		}
		defer func() { _ = server.Stop(ctx) }()
		tools = append(tools, server)
	}

	answer, err := ask(ctx, tools[0], "echo still here")
	fmt.Println(len(tools), answer, err)
	// Output:
	// {"type":"warning","server":"search"}
	// 1 still here <nil>
}

// If a tool call fails, the error becomes the answer to the agent.
func Example_toolCallFails() {
	ctx := context.Background()
	server := supervise.NewServer("files", program("lines"), dialLines)
	_ = server.Start(ctx)
	defer func() { _ = server.Stop(ctx) }()

	for _, question := range []string{"fail no such file", "crash 1", "echo done"} {
		answer, err := ask(ctx, server, question)
		var call *supervise.CallError
		switch {
		case errors.As(err, &call):
			fmt.Printf("tool_result is_error=true %v\n", call)
		case err == nil:
			fmt.Printf("tool_result is_error=false %s\n", answer)
		}
	}
	// Output:
	// tool_result is_error=true tool "lines": no such file
	// tool_result is_error=true tool "lines": MCP server "files": exited with code 1
	// tool_result is_error=false done
}

// If one tool is unavailable, this program uses another.
func Example_toolUnavailable() {
	ctx := context.Background()
	web := supervise.NewServer("web search", supervise.Command{Name: "/nonexistent/web-search"}, dialLines)
	files := supervise.NewServer("files", program("lines"), dialLines)
	for _, server := range []*supervise.Server[*lineClient]{web, files} {
		_ = server.Start(ctx) // a server that does not start is skipped
		defer func() { _ = server.Stop(ctx) }()
	}

	for _, server := range []*supervise.Server[*lineClient]{web, files} {
		if status := server.Status(); status.State == supervise.ServerSkipped || status.State == supervise.ServerDegraded {
			fmt.Println(status.Server, "is", status.State)
			continue
		}
		answer, err := ask(ctx, server, "echo found it")
		fmt.Println(answer, err)
	}
	// Output:
	// web search is skipped
	// found it <nil>
}

// If a session is lost, this program starts a new one. If a key is invalid or a rate
// limit is reached, the program does not start a new session.
func Example_sessionLost() {
	ctx := context.Background()
	resume := program("say", "1", "No conversation found with session ID 1234")
	fresh := program("both")

	out, err := supervise.Run(ctx, resume)
	switch out.Result.Category {
	case classify.CategoryFatal:
		if out.Result.Reason == classify.ReasonAuthentication {
			break
		}
		fmt.Println(supervise.NewSessionText)
		out, err = supervise.Run(ctx, fresh)
	case classify.CategoryContextOverflow:
		fmt.Println(supervise.NewSessionText)
		out, err = supervise.Run(ctx, fresh)
	}
	fmt.Println(out.ExitCode, err)
	// Output:
	// Starting new session (previous session unavailable)
	// 0 <nil>
}
