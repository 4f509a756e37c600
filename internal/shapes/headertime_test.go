package shapes_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/shapes"
)

func TestHeaderTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ name, line, want string }{
		{"CRI", `2026-01-02T03:04:05.123456789Z stderr F boom`, "2026-01-02T03:04:05.123456789Z"},
		{"syslog RFC 3164", `<11>Jan  2 03:04:05 host app[7]: boom`, "2026-01-02T03:04:05Z"},
		{"syslog RFC 5424", `<11>1 2026-01-02T03:04:05+01:00 host app 7 - - boom`, "2026-01-02T02:04:05Z"},
		{"syslog of last year", `Dec 31 23:59:59 host app[7]: boom`, "2025-12-31T23:59:59Z"},
		{"syslog of today", `Mar  1 23:59:59 host app[7]: boom`, "2026-03-01T23:59:59Z"},
		{"klog", `E0102 03:04:05.123456       7 file.go:8] boom`, "2026-01-02T03:04:05.123456Z"},
		{"Apache", `[Fri Jan 02 03:04:05.123456 2026] [core:error] [pid 7] boom`, "2026-01-02T03:04:05.123456Z"},
		{"a number", `404 boom`, ""},
		{"none", `boom`, ""},
		{"nothing", ``, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := shapes.HeaderTime([]byte(tt.line+"\n"), now)
			assert.Equal(t, tt.want != "", ok)
			if ok {
				assert.Equal(t, tt.want, got.Format(time.RFC3339Nano))
			}
		})
	}
}
