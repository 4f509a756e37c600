package main

import (
	"context"
	"log/slog"
	"time"
)

// patience is how long a call may take, and after how long the caller of the
// last one changes his mind.
const patience = 200 * time.Millisecond

// failures are the calls that the program makes: where to, and with what
// context.
var failures = []struct {
	name    string
	path    string
	context func(context.Context) (context.Context, context.CancelFunc)
}{
	{"rate limit", "/rate-limit", context.WithCancel},
	{"bad key", "/bad-key", context.WithCancel},
	{"overloaded", "/overloaded", context.WithCancel},
	{"prompt too long", "/too-long", context.WithCancel},
	{"bad key behind a gateway", "/gateway", context.WithCancel},
	{"dropped connection", "/drop", context.WithCancel},
	{"own deadline", "/hang", withDeadline},
	{"caller cancels", "/hang", cancelled},
}

// logFailures makes the calls and logs what became of them. This is how the
// program looked before errclass, and how it looks with it.
func logFailures(ctx context.Context, logger *slog.Logger, calls *client) {
	for _, f := range failures {
		callCtx, cancel := f.context(ctx)
		_, err := calls.complete(callCtx, f.path)
		cancel()
		if err != nil {
			logger.Error("completion failed", "case", f.name, "err", err)
		}
	}
}

func withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, patience)
}

// cancelled is a context that its owner cancels while the call is under way.
func cancelled(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(patience, cancel)
	return ctx, cancel
}
