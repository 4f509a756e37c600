package jsontop_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/internal/jsontop"
)

func ExampleEnds() {
	text, ok := jsontop.Ends([]byte(`"connection reset, retried 99 times, EOF"`), 20)
	fmt.Printf("%q %v\n", text, ok)
	// Output: "connection\ntimes, EOF" true
}

// TestEnds cuts strings at every index. A cut must not divide an escape.
func TestEnds(t *testing.T) {
	t.Parallel()
	pieces := []string{`a`, `u`, `\\`, `\"`, `\n`, `\u0041`, `\u005c`, `\ud83d\ude00`, `é`, `0041`}
	rapid.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), "")
		limit := rapid.IntRange(0, 60).Draw(t, "limit")
		var whole string
		require.NoError(t, json.Unmarshal([]byte(`"`+raw+`"`), &whole))
		got, ok := jsontop.Ends([]byte(`"`+raw+`"`), limit)
		require.True(t, ok)
		if len(raw) <= limit {
			require.Equal(t, whole, got)
			return
		}
		// A cut within a surrogate pair leaves two halves. Each half becomes
		// U+FFFD.
		whole = strings.ReplaceAll(whole, "😀", "\ufffd\ufffd")
		got = strings.ReplaceAll(got, "😀", "\ufffd\ufffd")
		for cut := 0; ; cut++ {
			require.LessOrEqual(t, cut, len(got), "%q is not a start and an end of %q", got, whole)
			if cut < len(got) && got[cut] == '\n' && strings.HasPrefix(whole, got[:cut]) && strings.HasSuffix(whole, got[cut+1:]) {
				return
			}
		}
	})
}

func TestEndsAllocatesWithinItsLimit(t *testing.T) {
	const limit = 1 << 10
	for name, unit := range map[string]string{"plain": "abcdef", "escapes": `\u0041`, "backslashes": `\\`} {
		value := []byte(`"` + strings.Repeat(unit, 16<<20/len(unit)) + `"`)
		text := ""
		grown := allocated(func() { text, _ = jsontop.Ends(value, limit) })
		assert.LessOrEqual(t, len(text), limit+1, name)
		assert.Less(t, grown, uint64(64<<10), name)
	}
}

// TestEscapedKeysShareABuffer checks the memory for 10,000 keys with escapes. The
// keys must share one buffer.
func TestEscapedKeysShareABuffer(t *testing.T) {
	line := []byte("{" + strings.Repeat(`"\u006cevel":1,`, 10_000) + `"a":1}`)
	n := 0
	allocs := testing.AllocsPerRun(10, func() {
		n = 0
		jsontop.Object(line, func(key, _ []byte) {
			if string(key) == "level" {
				n++
			}
		})
	})
	assert.Equal(t, 10_000, n)
	assert.LessOrEqual(t, allocs, 1.0)
}

// TestLongKeysAreNotDecoded checks the memory for a key of 6 MB. The key must not
// be decoded.
func TestLongKeysAreNotDecoded(t *testing.T) {
	for _, tt := range []struct {
		escapes int
		want    string
	}{{jsontop.MaxKey / 6, strings.Repeat("A", jsontop.MaxKey/6)}, {1 << 20, strings.Repeat(`\u0041`, 1<<20)}} {
		line := []byte(`{"` + strings.Repeat(`\u0041`, tt.escapes) + `":1}`)
		same := false
		grown := allocated(func() { jsontop.Object(line, func(key, _ []byte) { same = string(key) == tt.want }) })
		assert.True(t, same)
		assert.Less(t, grown, uint64(64<<10))
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
