package scan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCompileErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ expr, want string }{
		{`(abc`, "missing closing )"},
		{`abc)`, "unexpected )"},
		{`[a`, "missing closing ]"},
		{`a**`, "invalid nested repetition operator: **"},
		{`(?=a)b`, "invalid or unsupported Perl syntax: (?="},
		{`(a)\1`, "invalid escape sequence: \\1"},
		{`a{1001}`, "invalid repeat count: {1001}"},
		{`a(?:bc)+d`, errGroup.Error()},
		{`(a|b)*a(a|b){30}`, errGroup.Error()},
		{`a(b){2,}`, errGroup.Error()},
		{`a(?:b.{0,9}c){0,9}d`, errLoops.Error()},
		{strings.Repeat(`(?:a.*b|c.*d|e.*f)`, 4), errLoops.Error()},
		{"a\xff", "invalid UTF-8: \xff"},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			t.Parallel()
			_, err := Compile([]string{"fine", tt.expr})
			var at *PatternError
			require.ErrorAs(t, err, &at)
			assert.Equal(t, 1, at.Index)
			assert.Equal(t, tt.want, at.Err.Error())
		})
	}
}

// TestCompileTooLarge compiles patterns with exponentially many states. They must be
// refused early, with an error that names the pattern.
func TestCompileTooLarge(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{`x(?:ab|cd){0,30}ab(?:ab|cd){30}y`, `\pL{200}`} {
		_, err := Compile([]string{"first", expr, "last"})
		var at *PatternError
		if !assert.ErrorAs(t, err, &at, expr) {
			continue
		}
		assert.Equal(t, 1, at.Index, expr)
		var much *BudgetError
		require.ErrorAs(t, err, &much, expr)
	}
}

// TestCompileExponential compiles patterns that are cut at gaps, and so need few
// states. Without the cuts, the first pattern would need 2^30 states.
func TestCompileExponential(t *testing.T) {
	t.Parallel()
	m, err := Compile([]string{`[ab]*a[ab]{30}`, `x[ab]{40}y`})
	require.NoError(t, err)
	assert.Less(t, m.Stats().States, 100)
	assert.Equal(t, []bool{true, false}, matched(m, "cabab"+strings.Repeat("ab", 14)))
	assert.Equal(t, []bool{false, true}, matched(m, "x"+strings.Repeat("b", 40)+"y"))
}

// TestMatchPositions tests a match at every offset of texts of many lengths.
func TestMatchPositions(t *testing.T) {
	t.Parallel()
	m, err := Compile([]string{`rate.?limit`, `\blimit\b`, `limit$`, `^rate`, `rate.{0,60}exceeded`, `nothing`})
	require.NoError(t, err)
	for _, n := range []int{0, 1, 63, 64, 65, 66, 67, 130, 255} {
		for at := range n + 1 {
			text := strings.Repeat("-", at) + "rate limit" + strings.Repeat("-", n-at)
			set := make([]uint64, m.Words())
			m.Match(set, text)
			want := uint64(0b11)
			if at == n {
				want |= 0b100
			}
			if at == 0 {
				want |= 0b1000
			}
			require.Equal(t, want, set[0], "at %d of %d", at, n)
			set[0] = 0
			m.Match(set, text+" exceeded")
			require.Equal(t, n-at < 54, set[0]&0b10000 != 0, "gap of %d", n-at)
		}
	}
}

// fewestAllocs calls f many times and returns the smallest number of allocations of
// one call. The garbage collector may empty the pool before some calls.
func fewestAllocs(f func()) float64 {
	fewest := testing.AllocsPerRun(1, f)
	for range 100 {
		fewest = min(fewest, testing.AllocsPerRun(1, f))
	}
	return fewest
}

func TestMatchAllocatesNothing(t *testing.T) {
	m, err := Compile([]string{`rate.?limit`, `too many.{0,20}requests`, `\b429\b`})
	require.NoError(t, err)
	set := make([]uint64, m.Words())
	for _, n := range []int{1, 5, 1000} {
		text := strings.Repeat("HTTP 429 is too many of your requests, rate limit. ", n)
		m.Match(set, text)
		assert.Zero(t, fewestAllocs(func() { m.Match(set, text) }), "%d times", n)
	}
}

func ExampleCompile() {
	m, err := Compile([]string{`rate.?limit`, `context.{0,9}length`, `\b429\b`})
	if err != nil {
		fmt.Println(err)
		return
	}
	set := make([]uint64, m.Words())
	m.Match(set, "HTTP 429: Rate Limit exceeded")
	fmt.Printf("%03b\n", set[0])
	// Output: 101
}

// TestLoadTruncated loads tables that were cut off. Load must refuse each of them.
func TestLoadTruncated(t *testing.T) {
	t.Parallel()
	m, err := Compile([]string{`rate.?limit`, `too many.{0,20}requests`})
	require.NoError(t, err)
	data, err := m.AppendBinary(nil)
	require.NoError(t, err)
	for n := 0; n < len(data); n += 1 + n/50 {
		_, err := Load(string(data[:n]))
		require.ErrorIs(t, err, errTruncated, "%d of %d bytes", n, len(data))
	}
}
