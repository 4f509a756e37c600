package triage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

var testNow = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// triaged returns the report of a log.
func triaged(t testing.TB, log string) *Report {
	t.Helper()
	return Run(t.Context(), Options{Inputs: []string{"-"}, Stdin: strings.NewReader(log), Now: testNow})
}

// write writes files into a new directory and returns the path of the directory.
func write(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return dir
}

// found has the properties that a test expects of a group.
type found struct {
	count    int64
	reason   classify.Reason
	template string
	first    string
	service  string
}

func TestShapes(t *testing.T) {
	t.Parallel()
	const at = "2026-01-02T03:04:05Z"
	for _, tt := range []struct {
		name, log string
		want      []found
	}{
		{"slog", `{"time":"2026-01-02T03:04:05Z","level":"ERROR","msg":"request failed","err":"dial tcp 10.0.0.7:80: connect: connection refused","service":"api"}
{"time":"2026-01-02T03:04:06Z","level":"ERROR","msg":"request failed","err":"dial tcp 10.0.0.8:81: connect: connection refused","service":"api"}
{"time":"2026-01-02T03:04:07Z","level":"INFO","msg":"connection refused"}`,
			[]found{{2, "network", "request failed: dial tcp <ip>:<num>: connect: connection refused", at, "api"}}},
		{"pino", `{"level":50,"time":1767323045000,"err":{"type":"Error","message":"socket hang up","stack":"Error: socket hang up\n    at a (b.js:1:2)"},"msg":"socket hang up"}`,
			[]found{{1, "network", "socket hang up", at, ""}}},
		{"one text contains the other", `{"level":"error","msg":"open x: disk quota exceeded","error":"disk quota exceeded"}`,
			[]found{{1, "resource", "open x: disk quota exceeded", "", ""}}},
		{"logfmt", `time=2026-01-02T03:04:05Z level=error msg="write failed" err="no space left on device" app=shop`,
			[]found{{1, "resource", "write failed: no space left on device", at, "shop"}}},
		{"klog", "E0102 03:04:05.000000       1 main.go:7] connection refused", []found{{1, "network", "connection refused", at, ""}}},
		{"CRI", `2026-01-02T03:04:05Z stderr F {"level":"error","msg":"connection refused"}`, []found{{1, "network", "connection refused", at, ""}}},
		{"syslog", "Jan  2 03:04:05 host api[7]: connection refused", []found{{1, "network", "connection refused", at, "api"}}},
		{"compose", `api-1  | {"level":"error","msg":"connection refused"}`, []found{{1, "network", "connection refused", "", "api-1"}}},
		{"docker", `{"log":"2026-01-02 03:04:05 ERROR connection refused\n","stream":"stdout","time":"2026-01-02T03:04:05Z"}`, []found{{1, "network", "connection refused", at, ""}}},
		{"OTLP", `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"api"}}]},"scopeLogs":[{"logRecords":[{"timeUnixNano":"1767323045000000000","severityNumber":17,"body":{"stringValue":"connection refused"}},{"severityNumber":9,"body":{"stringValue":"connection refused"}}]}]}]}`,
			[]found{{1, "network", "connection refused", at, "api"}}},
		{"several lines", "hello\n{\n  \"level\": \"error\",\n  \"time\": \"2026-01-02T03:04:05Z\",\n  \"err\": {\n    \"message\": \"connection refused\"\n  },\n  \"service\": \"api\"\n}\n{\n  \"level\": \"error\",\n",
			[]found{{1, "network", "connection refused", at, "api"}}},
		{"annotated", `{"level":"error","msg":"connection refused","error.category":"aborted","error.reason":"aborted"}`, []found{{1, "aborted", "connection refused", "", ""}}},
		{"annotated with unknown names", `{"level":"error","msg":"connection refused","error.category":"x","error.reason":"y"}`, []found{{1, "network", "connection refused", "", ""}}},
		{"no level, known", `{"msg":"dial tcp: connection refused"}`, []found{{1, "network", "dial tcp: connection refused", "", ""}}},
		{"no level, unknown", `{"msg":"hello"}`, nil},
		{"no level, a status", `{"msg":"GET /x","status":404}`, nil},
		{"text without a level", "hello\ndial tcp: connection refused\nbye\n", []found{{1, "network", "dial tcp: connection refused", "", ""}}},
		{"Java", `2026-01-02 03:04:05,000 ERROR [main] c.e.Main - boom 7
java.lang.IllegalStateException: bad
	at c.e.Main.run(Main.java:7)
Caused by: java.net.ConnectException: Connection refused
	at c.e.Net.open(Net.java:9)
	... 1 more
2026-01-02 03:04:06,000 INFO [main] c.e.Main - fine`,
			[]found{{1, "network", "[main] c.e.Main - boom <num> java.lang.IllegalStateException: bad Caused by: java.net.ConnectException: Connection refused", at, ""}}},
		{"Python", `Traceback (most recent call last):
  File "/srv/app.py", line 7, in run
    open(x)
ConnectionResetError: [Errno 104] Connection reset by peer`,
			[]found{{1, "network", "Traceback (most recent call last): ConnectionResetError: [Errno 104] Connection reset by peer", "", ""}}},
		{"Go", "panic: runtime error: index out of range [7] with length 3\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/x/main.go:7 +0x1d\nexit status 2\n",
			[]found{{1, "logic", "panic: runtime error: index out of range [<num>] with length <num>", "", ""}}},
		{"JSON between lines of text", "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\n{\"level\":\"info\",\"msg\":\"x\"}\n\tmore\n",
			[]found{{1, "logic", "panic: assignment to entry in nil map", "", ""}}},
		{"one template, two reasons", `{"level":"error","msg":"call failed","status":429}
{"level":"error","msg":"call failed","status":401}
{"level":"error","msg":"call failed","status":401}`,
			[]found{{2, "authentication", "call failed", "", ""}, {1, "rate_limit", "call failed", "", ""}}},
		{"nothing", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := triaged(t, tt.log)
			var got []found
			for _, g := range r.Groups {
				f := found{count: g.Count, reason: g.Reason, template: g.Template}
				if !g.First.IsZero() {
					f.first = g.First.Format(time.RFC3339)
				}
				if len(g.Services) > 0 {
					f.service = g.Services[0].Name
				}
				got = append(got, f)
			}
			assert.Equal(t, tt.want, got)
			assert.Empty(t, r.Notes)
			check(t, r)
		})
	}
}

// check checks properties that every report must have.
func check(t testing.TB, r *Report) {
	t.Helper()
	var events, timed int64
	ids := map[string]bool{}
	for i, g := range r.Groups {
		events += g.Count
		require.False(t, ids[g.ID], "id %s occurs twice", g.ID)
		ids[g.ID] = true
		require.Positive(t, g.Count)
		require.NotEmpty(t, g.Examples)
		require.NotEmpty(t, g.WhatToDo.First, g.Reason)
		if i > 0 {
			require.LessOrEqual(t, g.Count, r.Groups[i-1].Count)
		}
		require.LessOrEqual(t, g.Series.Offset+len(g.Series.Counts), r.Steps)
		timed += g.Series.Sum(0, r.Steps)
	}
	for _, c := range r.Rest.Counts {
		timed += c.Series.Sum(0, r.Steps)
	}
	var counted, series int64
	for _, c := range r.Counts {
		n := c.Count
		for _, g := range r.Groups {
			if g.Category == c.Category && g.Reason == c.Reason {
				n -= g.Count
			}
		}
		for _, rest := range r.Rest.Counts {
			if rest.Category == c.Category && rest.Reason == c.Reason {
				n -= rest.Count
			}
		}
		require.Zero(t, n, "%s/%s does not agree with the groups", c.Category, c.Reason)
		counted += c.Count
		series += c.Series.Sum(0, r.Steps)
	}
	require.Equal(t, r.Events, events+r.Rest.Events)
	require.Equal(t, r.Events, counted)
	require.Equal(t, r.Events-r.NoTime, timed)
	require.Equal(t, r.Events-r.NoTime, series)
	require.LessOrEqual(t, r.Steps, MaxSteps)
}

func TestExamples(t *testing.T) {
	t.Parallel()
	r := triaged(t, `{"time":"2026-01-02T03:04:05Z","level":"error","msg":"failed","err":"widget 1 jammed\n\tat a.b(c:1)\n\tat d"}
{"time":"2026-01-02T03:04:06Z","level":"error","msg":"failed","err":"widget 1 jammed\n\tat other"}
`+"\n"+`{"time":"2026-01-02T03:04:07Z","level":"error","msg":"failed","err":"widget 2 jammed","service":"api"}
{"level":"error","msg":"failed","err":"widget 3 jammed"}
{"level":"error","msg":"failed","err":"widget 4 jammed"}`)
	require.Len(t, r.Groups, 1)
	g := r.Groups[0]
	assert.Equal(t, "failed: widget <num> jammed", g.Template)
	assert.Equal(t, []Example{
		{Text: "failed: widget 1 jammed\n\tat a.b(c:1)\n\tat d", Source: "widget 1 jammed\n\tat a.b(c:1)\n\tat d", Time: g.First, File: "-", Line: 1},
		{Text: "failed: widget 2 jammed", Source: "widget 2 jammed", Time: g.Last, File: "-", Line: 4, Service: "api"},
		{Text: "failed: widget 3 jammed", Source: "widget 3 jammed", File: "-", Line: 5},
	}, g.Examples)
	assert.EqualValues(t, 2, r.NoTime)
	assert.EqualValues(t, 6, r.Lines)
	assert.Equal(t, []Origin{{"-", 5}}, g.Files)
}

// TestID checks that a group's id is the fingerprint that log records get.
func TestID(t *testing.T) {
	t.Parallel()
	r := triaged(t, `{"level":"error","msg":"dial tcp 10.0.0.7:5432: i/o timeout after 30s"}
{"level":"error","msg":"dial tcp 10.0.0.7:5432: i/o timeout after 30s","error.category":"aborted","error.reason":"aborted"}
{"level":"error","msg":"dial tcp 10.0.0.7:5432: i/o timeout after 30s"}`)
	require.Len(t, r.Groups, 2)
	assert.Equal(t, "045c907cd8ee7000", r.Groups[0].ID)
	assert.Equal(t, "045c907cd8ee7000-aborted", r.Groups[1].ID)
}

// TestSameTemplate checks that texts with different secrets are in one group.
func TestSameTemplate(t *testing.T) {
	t.Parallel()
	r := triaged(t, `{"level":"error","msg":"connection refused with -p alpha7 and --password blafaselfoo"}
{"level":"error","msg":"connection refused with -p alpha7 and --password hunterxyzzy"}`)
	check(t, r)
	require.Len(t, r.Groups, 1)
	assert.EqualValues(t, 2, r.Groups[0].Count)
	assert.Contains(t, r.Groups[0].Template, "--password [masked]")
}

// TestSecrets checks that no output has a secret.
func TestSecrets(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	r := triaged(t, `{"level":"error","msg":"login failed","err":"bad widget: password=`+secret+`"}
{"level":"error","msg":"Authorization: Bearer `+secret+` refused"}
{"level":"error","msg":"cannot use -p `+secret+` with mysql --password `+secret+`"}`)
	require.NotEmpty(t, r.Groups)
	var out strings.Builder
	fmt.Fprintf(&out, "%+v", r)
	_, err := WriteRules(&out, r)
	require.NoError(t, err)
	_, err = WriteCorpus(&out, r)
	require.NoError(t, err)
	assert.Contains(t, out.String(), "[masked]")
	assert.NotContains(t, out.String(), "password="+secret)
	assert.NotContains(t, out.String(), "Bearer "+secret)
	assert.NotContains(t, out.String(), "--password "+secret)
}

// TestSecretsAtTheCut checks that no part of a secret remains where a long text is cut.
func TestSecretsAtTheCut(t *testing.T) {
	t.Parallel()
	const secret = "sk-proj-vB7nQ2xK9mZ4tR8wL1yP6cD3"
	for _, limit := range []int{shortExample, maxFull} {
		g := newGroups(1000)
		if limit == shortExample {
			g.size = exampleBytes + 1
		}
		r := newEventReader(classify.Standard, nil, &input{name: "f"}, func(e event) { g.add(&e, "f") })
		for before := limit - len(secret) - 20; before <= limit; before++ {
			text := strings.Repeat("x ", before/2) + strings.Repeat("y", before%2) + " key " + secret + " refused" + strings.Repeat(" z", maxFull)
			require.NoError(t, r.read(strings.NewReader(`{"level":"error","msg":"`+text+`","err":"`+text+`"}`+"\n")))
		}
		report := g.report()
		require.NotEmpty(t, report.Groups)
		for _, group := range report.Groups {
			require.NotContains(t, group.Template, "sk-")
			for _, x := range group.Examples {
				require.NotContains(t, x.Text+x.Source, "sk-")
				require.LessOrEqual(t, len(x.Text), limit)
			}
		}
	}
}

// TestDeepAndLong checks that deeply nested and very long lines are read.
func TestDeepAndLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x y ", 16<<10)
	r := triaged(t, strings.Join([]string{
		`{"level":"error","msg":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`,
		`{"level":"error","err":` + strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000) + `}`,
		`{"level":"error","msg":"` + long + `"}`,
		`ERROR: ` + long,
		"ERROR: \xff\xfe\x80 \x01\x02",
		`{"level":"error","msg":"\ud800"}`,
		`{"level":"error","msg":"` + strings.Repeat("z", MaxLine) + `"}`,
		`{"level":"error","msg":"the last"}`,
	}, "\n"))
	check(t, r)
	assert.EqualValues(t, 8, r.Lines)
	assert.EqualValues(t, 7, r.Events)
	assert.EqualValues(t, 1, r.TooLong)
	require.Len(t, r.Notes, 1)
	assert.Equal(t, "lines longer than 4194304 bytes, not read: 1", r.Notes[0].Problem)
	for _, g := range r.Groups {
		assert.LessOrEqual(t, len(g.Template), 5<<10)
		for _, x := range g.Examples {
			assert.LessOrEqual(t, len(x.Text), maxFull)
		}
	}
}

// FuzzRun checks that no input makes Run panic or lose an event.
func FuzzRun(f *testing.F) {
	f.Add([]byte(`{"level":"error","msg":"x"}` + "\npanic: y\n\tz\n"))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte("\x28\xb5\x2f\xfd\x00"))
	f.Add([]byte("ERROR a\nERROR b\n{\"x\n"))
	f.Add([]byte("{\n\"level\":\"error\"\n}\n{\n\"a\":\n"))
	f.Add([]byte(`level=error msg="a" time=9999999999999` + "\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		r := Run(t.Context(), Options{Inputs: []string{"-"}, Stdin: strings.NewReader(string(log)), Now: testNow, MaxGroups: 3})
		check(t, r)
		assert.LessOrEqual(t, len(r.Groups), 3)
	})
}
