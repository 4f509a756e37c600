package slogclass_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/slogclass"
)

// TestHandlerRedactedGroup checks that a line stays valid JSON if ReplaceAttr removes
// all members of a group of a With call.
func TestHandlerRedactedGroup(t *testing.T) {
	t.Parallel()
	redact := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "password" {
			return slog.Attr{}
		}
		return a
	}}
	for name, attr := range map[string]slog.Attr{
		"group":     slog.Group("login", "password", "x"),
		"LogValuer": slog.Any("login", valuer(slog.GroupValue(slog.String("password", "x")).Any())),
	} {
		for _, opts := range [][]slogclass.Option{nil, {slogclass.WithDetails()}, {slogclass.WithFingerprint()}} {
			var plain, wrapped bytes.Buffer
			for _, h := range []slog.Handler{slog.NewJSONHandler(&plain, redact), slogclass.New(slog.NewJSONHandler(&wrapped, redact), opts...)} {
				l := slog.New(h).WithGroup("app").With("a", 1).With(attr)
				for range 6 {
					l.Error("m", "user", "bob")
				}
			}
			lines := bytes.Split(bytes.TrimSpace(wrapped.Bytes()), []byte("\n"))
			require.Len(t, lines, 6)
			for i, line := range bytes.Split(bytes.TrimSpace(plain.Bytes()), []byte("\n")) {
				var want, got map[string]any
				require.NoError(t, json.Unmarshal(line, &want), "%s: %s", name, line)
				require.NoError(t, json.Unmarshal(lines[i], &got), "%s: %s", name, lines[i])
				assert.Equal(t, want["app"], got["app"], name)
			}
		}
	}
}
