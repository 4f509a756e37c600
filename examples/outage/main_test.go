package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asProgram is an environment variable. If it is set, the test binary runs main.
const asProgram = "OUTAGE_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// simulated returns the figures of a run under fake time.
func simulated(t *testing.T, o options, rate float64) (f figures) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		f, err = simulate(t.Context(), o, rate)
		require.NoError(t, err)
	})
	return f
}

// The client with package resilience reaches all targets in the list aims. Both
// clients get the same number of tasks, and calls of the plain loop fail too.
func TestFigures(t *testing.T) {
	t.Parallel()
	f := simulated(t, options{seed: 1, tasks: 10_000, bridge: 10 * time.Minute}, 2)
	for _, a := range aims {
		assert.True(t, a.met(f), "%s: %s", a.name, a.value(f))
	}
	all := f.all()
	assert.Equal(t, 10_000, all.succeeded[plain].total)
	assert.Equal(t, 10_000, all.succeeded[gated].total)
	assert.Equal(t, all.recovered[plain].total, all.recovered[gated].total)
	assert.Greater(t, all.recovered[plain].total, 4000, "tasks that need a retry")
	assert.Greater(t, all.openings.total, 30)
	assert.Greater(t, f.mostBusy, 100)
	for _, p := range plans {
		r := f.endpoints[p.host]
		assert.Equal(t, p.tasks(10_000), r.succeeded[gated].total, p.host)
		assert.Equal(t, p.longMax > 0, r.troubles > 0, p.host)
		assert.Equal(t, p.longMax > 0, r.vain[plain] > 0, p.host)
		switch p.kind {
		case fine:
			assert.Zero(t, r.recovered[plain].total)
			assert.Equal(t, share{500, 500}, r.succeeded[gated])
		case flaky, broken:
			assert.InDelta(t, 20, 100*float64(r.recovered[plain].total)/float64(r.succeeded[plain].total), 4, p.host)
		default:
			assert.Less(t, r.vain[gated], r.vain[plain]/4, p.host)
		}
	}
	assert.Less(t, f.endpoints["outages.example"].succeeded[plain].percent(), 50.0)
	assert.Greater(t, f.endpoints["outages.example"].restarts.part, 1000)
}

// At a low rate, a restarted task may have to make the trial call of an open breaker.
// If the trial fails, the task has used up one of its restarts. Even so, at least 99 %
// of the tasks whose first call failed must succeed in the end.
func TestFigures_FewCalls(t *testing.T) {
	t.Parallel()
	f := simulated(t, options{seed: 1, tasks: 10_000, bridge: 10 * time.Minute}, 0.2)
	assert.GreaterOrEqual(t, f.all().recovered[gated].percent(), 99.0)
}

// By default, a new call waits at an open breaker only if the call begins within 30
// seconds after the opening. The simulated outages last longer, so later calls fail,
// and the queue repeats them when the breaker closes.
func TestFigures_Bridge(t *testing.T) {
	t.Parallel()
	f := simulated(t, options{seed: 1, tasks: 10_000, bridge: 30 * time.Second}, 2)
	outages := f.endpoints["outages.example"]
	assert.Less(t, outages.paired[gated].quantile(0.5), 30*time.Second)
	assert.Less(t, outages.paired[plain].quantile(0.5), 20*time.Second)
	assert.GreaterOrEqual(t, f.all().recovered[gated].percent(), 95.0)
}

// If the figures miss one aim, figures.met returns false. The function met of the
// missed aim returns false, and that of each other aim returns true.
func TestAims(t *testing.T) {
	t.Parallel()
	for i, spoil := range []func(*result){
		func(r *result) { r.recovered[gated].total += 1000 },
		func(r *result) { r.openings.part += 2 },
		func(r *result) { r.succeeded[gated].part-- },
		func(r *result) {
			for range 200 {
				r.paired[gated].add(time.Minute)
			}
		},
		func(r *result) { r.vain[gated] += 1000 },
	} {
		f := newFigures(100, 1)
		r := f.endpoints["blips.example"]
		r.recovered = [clients]share{{100, 100}, {100, 100}}
		r.succeeded = r.recovered
		r.openings = share{1, 50}
		r.vain = [clients]int{1000, 100}
		for c := range r.paired {
			r.paired[c].add(10 * time.Second)
		}
		assert.True(t, f.met())
		spoil(r)
		assert.False(t, f.met())
		for j, a := range aims {
			assert.Equal(t, i != j, a.met(f), a.name)
		}
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
		not  string
	}{
		{name: "the default", want: []string{"10000 tasks, 2 a second", "time to recover", "outages.example"}, not: "MISSED"},
		{
			name: "a low rate", args: []string{"-tasks", "3000", "-rate", "0.2"}, code: 1,
			want: []string{"<= a tenth MISSED", "outage: an aim was missed"},
		},
		{
			name: "some rates", args: []string{"-tasks", "3000", "-all"}, code: 1,
			want: []string{"left out: -tasks 3000 is too few for 50 a second", "use 70000", "errclass at all rates"},
		},
		{name: "too few tasks", args: []string{"-tasks", "5"}, code: 2, want: []string{"-tasks 5 is too few for 2 a second", "use 2800"}},
		{name: "no rate", args: []string{"-rate", "0"}, code: 2, want: []string{"-rate 0: must be above 0"}},
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
			if tt.not != "" {
				assert.NotContains(t, string(out), tt.not)
			}
			assert.NotContains(t, string(out), "PASS", "no output of package testing")
		})
	}
}

func TestScript_At(t *testing.T) {
	t.Parallel()
	s := script{{time.Hour, 2 * time.Hour}, {3 * time.Hour, 4 * time.Hour}}
	for _, tt := range []struct{ t, left time.Duration }{
		{0, 0},
		{time.Hour, time.Hour},
		{2*time.Hour - 1, 1},
		{2 * time.Hour, 0},
		{3*time.Hour + time.Minute, 59 * time.Minute},
		{4 * time.Hour, 0},
	} {
		assert.Equal(t, tt.left, s.remaining(tt.t), tt.t)
	}
}

// The troubles of an endpoint, the periods in which its calls fail, are sorted by time
// and have lengths and gaps within the limits of its plan. If a plan has troubles,
// at least one occurs.
func TestScripts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		for _, p := range plans {
			until, end := p.time(fewest(2), 2), time.Duration(0)
			s := p.script(rand.New(rand.NewPCG(seed, 0)), until)
			assert.Equal(t, p.longMax == 0, len(s) == 0, p.host)
			for _, one := range s {
				assert.GreaterOrEqual(t, one.from, end+p.gapMin)
				assert.GreaterOrEqual(t, one.to, one.from+p.longMin)
				assert.LessOrEqual(t, one.to, one.from+p.longMax)
				end = one.to
			}
			assert.LessOrEqual(t, end, until)
		}
	}
}

func TestTimes_Quantile(t *testing.T) {
	t.Parallel()
	var d times
	assert.Zero(t, d.quantile(0.5))
	for i := range 1001 {
		d.add(time.Duration(i) * 10 * time.Millisecond)
	}
	assert.InEpsilon(t, 5*time.Second, d.quantile(0.5), 0.02)
	assert.InEpsilon(t, 9500*time.Millisecond, d.quantile(0.95), 0.02)
	d.add(1000 * time.Hour)
	assert.Greater(t, d.quantile(1), time.Hour)
}

func TestDigits(t *testing.T) {
	t.Parallel()
	for percent, want := range map[float64]string{0: "0.0", 100: "100.0", 33.333: "33.3", 99.99: "99.990", 0.012: "0.012", 99.2: "99.2"} {
		assert.Equal(t, want, digits(percent))
	}
}

func TestPlan_String(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "none", plans[0].String())
	assert.Equal(t, "down, 1m to 6m", plans[2].String())
	assert.Equal(t, "429, 10s to 55s", plans[3].String())
	assert.Equal(t, "no answer, 20s to 2m", plans[4].String())
	sum := 0
	for _, p := range plans {
		sum += p.share
	}
	assert.Equal(t, 100, sum)
}
