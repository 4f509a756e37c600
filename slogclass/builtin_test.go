package slogclass_test

import (
	"bytes"
	"context"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/slogclass"
)

// childEnv is an environment variable. It names the function that the test binary runs
// as a child process. slog.SetDefault can be tested only in a child process.
const childEnv = "SLOGCLASS_TEST_CHILD"

var children = map[string]func(){
	"default": func() {
		slog.SetDefault(slog.New(slogclass.New(slog.Default().Handler())))
		slog.Info("started")
		slog.Debug("unseen")
		slog.Error("failed", "error", "status code: 429")
		slog.Default().WithGroup("g").Error("failed", "error", "status code: 429")
		log.Print("through package log")
	},
	"level": func() {
		slog.SetLogLoggerLevel(slog.LevelDebug)
		slog.SetDefault(slog.New(slogclass.Middleware()(slog.Default().Handler())))
		slog.Debug("seen")
	},
	"not the default": func() {
		slog.New(slogclass.New(slog.Default().Handler())).Error("failed", "status", 401)
	},
	"derived": func() {
		slog.SetDefault(slog.New(slogclass.New(slog.Default().With("a", 1).WithGroup("g").Handler())))
		slog.Error("failed", "status", 401)
	},
	"twice": func() {
		slog.SetDefault(slog.New(slogclass.New(slog.Default().Handler())))
		slog.SetDefault(slog.New(slogclass.New(slog.Default().Handler())))
		log.Print("through package log")
		slog.Error("failed", "status", 401)
	},
}

// stderrOf runs the function child in a child process and returns its standard
// error.
func stderrOf(t *testing.T, child string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+child)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "child %q: %s", child, &stderr)
	assert.Empty(t, stdout.String())
	return stderr.String()
}

func TestNewReplacesTheBuiltinHandler(t *testing.T) {
	t.Parallel()
	const stamp, both = `time=\S+ level=`, ` error.category=fatal error.reason=authentication`
	tests := []struct {
		child string
		want  string
	}{
		{"default", stamp + `INFO msg=started\n` +
			stamp + `ERROR msg=failed error.category=retryable error.reason=rate_limit error="status code: 429"\n` +
			stamp + `ERROR msg=failed error.category=retryable error.reason=rate_limit g.error="status code: 429"\n` +
			stamp + `INFO msg="through package log"\n`},
		{"level", stamp + `DEBUG msg=seen\n`},
		{"not the default", stamp + `ERROR msg=failed` + both + ` status=401\n`},
		{"derived", stamp + `ERROR msg=failed` + both + ` status=401\n`},
		{"twice", stamp + `INFO msg="through package log"\n` + stamp + `ERROR msg=failed` + both + ` status=401\n`},
	}
	for _, tt := range tests {
		t.Run(tt.child, func(t *testing.T) {
			t.Parallel()
			assert.Regexp(t, `^`+tt.want+`$`, stderrOf(t, tt.child))
		})
	}
}

func TestNewNilNext(t *testing.T) {
	t.Parallel()
	h := slogclass.New(nil, nil, slogclass.WithClassifier(nil), slogclass.WithObserver(nil))
	assert.False(t, h.Enabled(t.Context(), slog.LevelError))
	logger := slog.New(h)
	logger.With("a", 1).WithGroup("g").Error("failed")
	assert.NoError(t, h.Handle(t.Context(), slog.NewRecord(time.Time{}, slog.LevelError, "failed", 0)))
}
