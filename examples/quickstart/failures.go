package main

import (
	"context"
	"log/slog"
	"time"
)

// limit is the time after which a call meets its deadline or is cancelled.
const limit = 200 * time.Millisecond

// failures lists the calls. Each call has a path and a function that derives its
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

// logFailures makes the calls and logs their errors. The code is the same in a
// program without errclass.
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
	return context.WithTimeout(ctx, limit)
}

// cancelled returns a context that is cancelled during the call.
func cancelled(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(limit, cancel)
	return ctx, cancel
}
