package shapes

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestByteNumbers compares byteNumbers with encoding/json.
func TestByteNumbers(t *testing.T) {
	t.Parallel()
	values := []string{"0", "9", "65", "104", "255", "256", "1000", "-1", "1.5", "1e1", `"a"`, "null", "[1]", "{}", "true"}
	rapid.Check(t, func(t *rapid.T) {
		bad := rapid.IntRange(0, 9).Draw(t, "bad") == 0
		known := values[:5]
		if bad {
			known = values
		}
		items := rapid.SliceOfN(rapid.SampledFrom(known), 1, 40).Draw(t, "items")
		space := rapid.SampledFrom([]string{"", " ", "\t\r\n"}).Draw(t, "space")
		v := "[" + space + strings.Join(items, space+","+space) + space + "]"
		limit := 2 * rapid.IntRange(1, 30).Draw(t, "half")

		var numbers []uint16
		valid := json.Unmarshal([]byte(v), &numbers) == nil && !strings.Contains(v, "null")
		want := make([]byte, len(numbers))
		for i, n := range numbers {
			valid = valid && n <= 0xff
			want[i] = byte(n)
		}
		got, ok := byteNumbers([]byte(v), limit)
		switch {
		case len(items) <= limit:
			require.Equal(t, valid, ok, v)
			if ok {
				require.Equal(t, string(want), got)
			}
		case valid:
			require.True(t, ok, v)
			require.LessOrEqual(t, len(got), limit+limit/2)
			require.Equal(t, string(want[:limit/2]), got[:limit/2])
			require.Equal(t, string(want[len(want)-limit/2:]), got[len(got)-limit/2:])
		}
	})
}
