package test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/samber/oops"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/slogclass"
)

// The errors of samber/oops are LogValuers that return groups. They must be
// classified as errors.
func TestHandlerOopsError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		attr any
	}{
		{"an oops error", slog.Any("err", oops.Code("c").In("db").Wrap(errRateLimit))},
		{"an oops error in a group", slog.Group("call", "err", oops.With("k", 1).Wrapf(errRateLimit, "calling"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			logger := slog.New(slogclass.New(slog.NewJSONHandler(&out, nil)))
			// Log once at the root, and twice in a group.
			logger.Error("failed", tt.attr)
			grouped := logger.WithGroup("g").With("n", 1)
			grouped.Error("failed", tt.attr)
			grouped.Error("failed", tt.attr)
			lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
			require.Len(t, lines, 3)
			for _, line := range lines {
				var got map[string]any
				require.NoError(t, json.Unmarshal(line, &got))
				assert.Equal(t, "retryable", got[slogclass.CategoryKey], "%s", line)
				assert.Equal(t, "rate_limit", got[slogclass.ReasonKey], "%s", line)
			}
		})
	}
}
