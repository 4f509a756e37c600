package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asProgram is an environment variable. If it is set, the test binary runs main
// instead of the tests, so that a test can check the fake time, the output and
// the exit code.
const asProgram = "OUTAGE_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// bubble returns a function that runs f under fake time.
func bubble(t *testing.T) func(func()) {
	return func(f func()) { synctest.Test(t, func(*testing.T) { f() }) }
}

// The default day reaches the goals of the specification, number 004 in
// docs/specifications.md.
func TestFigures(t *testing.T) {
	t.Parallel()
	results, err := compare(bubble(t), 1, 10_000)
	require.NoError(t, err)
	ours, without, naive := results[errclass], results[noRetry], results[everything]

	assert.GreaterOrEqual(t, ours.recovered.percent(), 80.0)
	assert.Greater(t, ours.recovered.of, 250, "a large enough sample")
	assert.InDelta(t, 3, mean(ours.retries, ours.retried), 0.5)
	assert.Greater(t, ours.openings.of, 30)
	assert.Less(t, ours.openings.percent(), 5.0)
	assert.Greater(t, ours.restarts.of, 50)
	assert.GreaterOrEqual(t, ours.restarts.percent(), 90.0)
	assert.Zero(t, ours.wasted)
	for _, g := range goals {
		assert.True(t, g.met(ours), g.name)
	}

	assert.Zero(t, without.recovered.part)
	assert.Less(t, naive.recovered.percent(), 50.0)
	assert.Greater(t, naive.wasted, 1000)
	assert.Less(t, ours.calls, naive.calls)
	assert.Less(t, ours.down, naive.down)
	assert.Less(t, without.succeeded.part, naive.succeeded.part)
	assert.Less(t, naive.succeeded.part, ours.succeeded.part)
	assert.Equal(t, without.byHost["deadkey.example"], ours.byHost["deadkey.example"], "a dead key needs a person")
	for s, f := range results {
		assert.Equal(t, 10_000, f.succeeded.of, s)
		assert.Equal(t, share{2000, 2000}, f.byHost["steady.example"], s)
		failed := 0
		for _, n := range f.failed {
			failed += n
		}
		assert.Equal(t, f.succeeded.of-f.succeeded.part, failed, s)
	}
	assert.Equal(t, 10_000, without.calls)
}

// Other days reach the goals too.
func TestFigures_OtherDays(t *testing.T) {
	t.Parallel()
	var sum figures // the sum of all days: a single day has too few openings
	for seed := range uint64(5) {
		bubble(t)(func() {
			f, err := simulate(context.Background(), 100+seed, 10_000, errclass)
			require.NoError(t, err)
			assert.GreaterOrEqual(t, f.recovered.percent(), 80.0, seed)
			assert.Zero(t, f.wasted, seed)
			sum.retries, sum.retried = sum.retries+f.retries, sum.retried+f.retried
			sum.openings.part, sum.openings.of = sum.openings.part+f.openings.part, sum.openings.of+f.openings.of
			sum.restarts.part, sum.restarts.of = sum.restarts.part+f.restarts.part, sum.restarts.of+f.restarts.of
		})
	}
	assert.InDelta(t, 3, mean(sum.retries, sum.retried), 0.5)
	assert.Less(t, sum.openings.percent(), 5.0)
	assert.GreaterOrEqual(t, sum.restarts.percent(), 90.0)
}

// The same seed gives the same figures, in whatever order the goroutines run.
func TestFigures_Deterministic(t *testing.T) {
	t.Parallel()
	first, err := compare(bubble(t), 7, 10_000)
	require.NoError(t, err)
	second, err := compare(bubble(t), 7, 10_000)
	require.NoError(t, err)
	assert.Equal(t, first, second)
	other, err := compare(bubble(t), 8, 10_000)
	require.NoError(t, err)
	assert.NotEqual(t, first, other)
}

func TestProgram(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{name: "the day as it is", want: []string{"A day of 10000 tasks, seed 1", "recovered from temporary failures", "█", "24h"}},
		{name: "another day", args: []string{"-seed", "3"}, want: []string{"seed 3"}},
		{name: "too few tasks to open a breaker", args: []string{"-tasks", "5"}, code: 1, want: []string{"A day of 5 tasks", "MISSED", "outage: a goal was missed"}},
		{name: "bad usage", args: []string{"-seed", "x"}, code: 2, want: []string{"invalid value"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			program := exec.CommandContext(t.Context(), os.Args[0], tt.args...)
			program.Env = append(os.Environ(), asProgram+"=1")
			out, err := program.CombinedOutput()
			if tt.code == 0 {
				require.NoError(t, err, string(out))
			}
			assert.Equal(t, tt.code, program.ProcessState.ExitCode(), string(out))
			for _, want := range tt.want {
				assert.Contains(t, string(out), want)
			}
			if tt.code == 0 {
				assert.NotContains(t, string(out), "MISSED")
			}
			assert.NotContains(t, string(out), "PASS", "no output of package testing")
		})
	}
}

func TestScript_At(t *testing.T) {
	t.Parallel()
	s := script{{time.Hour, 2 * time.Hour, outage}, {3 * time.Hour, 4 * time.Hour, limit}}
	for _, tt := range []struct {
		t    time.Duration
		want kind
		left time.Duration
	}{
		{0, fine, 0},
		{time.Hour, outage, time.Hour},
		{2*time.Hour - 1, outage, 1},
		{2 * time.Hour, fine, 0},
		{3*time.Hour + time.Minute, limit, 59 * time.Minute},
		{4 * time.Hour, fine, 0},
		{day, fine, 0},
	} {
		got, left := s.at(tt.t)
		assert.Equal(t, tt.want, got, tt.t)
		assert.Equal(t, tt.left, left, tt.t)
	}
}

// The outages of an endpoint are in order and within the limits of the endpoint's
// plan.
func TestScripts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		for host, s := range scripts(seed) {
			p, end := plans[host], time.Duration(0)
			assert.Equal(t, p.kind == fine, len(s) == 0, host)
			for _, one := range s {
				assert.Equal(t, p.kind, one.kind)
				assert.GreaterOrEqual(t, one.from, end+p.gapMin)
				assert.LessOrEqual(t, one.to, one.from+p.longMax)
				end = one.to
			}
		}
	}
}

func TestPlan_String(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "none", plans["steady.example"].String())
	assert.Equal(t, "down, 1m to 6m", plans["outages.example"].String())
	assert.Equal(t, "dead key, 3h", plans["deadkey.example"].String())
	assert.Equal(t, "429, 10s to 55s", plans["limits.example"].String())
}

func TestChart(t *testing.T) {
	t.Parallel()
	few := figures{}
	few.failed[0], few.failed[1], few.failed[slots-1] = 800, 1, 400
	var out bytes.Buffer
	chart(&out, map[strategy]figures{errclass: few})
	assert.Contains(t, out.String(), "(█ is 800)")
	assert.Contains(t, out.String(), "│█▁"+strings.Repeat(" ", slots-3)+"▄│")
	assert.Contains(t, out.String(), "no retry         │"+strings.Repeat(" ", slots)+"│")
}
