package logline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/lines"
	"github.com/errclass/errclass/cmd/errclass/internal/logline"
)

const added = `,"error.category":"retryable","error.reason":"rate_limit"`

func process(t testing.TB, inputs ...string) (string, logline.Summary) {
	t.Helper()
	var out bytes.Buffer
	p := logline.NewProcessor(logline.NewAnnotator(testRules(t), false), &out, true)
	for _, in := range inputs {
		require.NoError(t, p.Process(strings.NewReader(in)))
	}
	return out.String(), p.Summary()
}

func ExampleProcessor_Process() {
	var out strings.Builder
	p := logline.NewProcessor(logline.NewAnnotator(classify.Minimal, false), &out, false)
	if err := p.Process(strings.NewReader("starting\n{\"level\":\"error\",\"msg\":\"HTTP 503\"}\n")); err != nil {
		fmt.Println(err)
	}
	fmt.Print(out.String())
	fmt.Println(p.Summary().NotJSON, "line is not JSON")
	// Output:
	// starting
	// {"level":"error","msg":"HTTP 503","error.category":"retryable","error.reason":"transient"}
	// 1 line is not JSON
}

func TestProcess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		in         []string
	}{
		{"nothing", "", []string{""}},
		{"no last line end", `{"error":"slow down"` + added + `}`, []string{`{"error":"slow down"}`}},
		{"line ends", "{\"error\":\"slow down\"" + added + "}\r\nx\r\n\r\n\n{}\n", []string{"{\"error\":\"slow down\"}\r\nx\r\n\r\n\n{}\n"}},
		{"a line end between inputs", "a\nb\nc", []string{"a", "", "b\n", "c"}},
		{"broken and binary", "{\"error\":\"slow down\n\x00\xff{\n", []string{"{\"error\":\"slow down\n\x00\xff{\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _ := process(t, tt.in...)
			assert.Equal(t, tt.want, got)
		})
	}
}

// TestRecordsWithoutAttributesPass checks OTLP lines with four records. In two of the
// records, the attributes are not a list. These records must stay unchanged, because no
// field can be inserted into them.
func TestRecordsWithoutAttributesPass(t *testing.T) {
	t.Parallel()
	const (
		record = `{"severityNumber":17,"body":{"stringValue":"slow down"}`
		fields = `{"key":"error.category","value":{"stringValue":"retryable"}},{"key":"error.reason","value":{"stringValue":"rate_limit"}}`
		before = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[`
		after  = `]}]}]}` + "\n"
	)
	for _, odd := range []string{`null`, `{}`, `""`, `1`} {
		without := record + `,"attributes":` + odd + `}`
		in := before + record + `},` + without + `,` + without + `,` + record + `}` + after
		want := before + record + `,"attributes":[` + fields + `]},` + without + `,` + without + `,` + record + `,"attributes":[` + fields + `]}` + after
		got, summary := process(t, in, in)
		assert.Equal(t, want+want, got)
		assert.EqualValues(t, 8, summary.Classified)
	}
}

func TestProcessLongLines(t *testing.T) {
	t.Parallel()
	ten := `{"error":"slow down","pad":"` + strings.Repeat("é", 5<<20) + `"`
	over := `{"error":"slow down","pad":"` + strings.Repeat("x", logline.MaxLine) + "\"}\n"
	got, s := process(t, ten+"}\n"+over+`{"error":"slow down"}`)
	assert.True(t, got == ten+added+"}\n"+over+`{"error":"slow down"`+added+"}", "a line of 10 MB is classified, a line over the limit is not")
	assert.Equal(t, int64(3), s.Lines)
	assert.Equal(t, int64(2), s.Classified)
	assert.Equal(t, int64(1), s.TooLong)
	assert.Equal(t, int64(2), s.FirstTooLong)
	assert.Zero(t, s.NotJSON)
}

// TestProcessMemory checks how much memory a line of 256 MiB takes.
func TestProcessMemory(t *testing.T) {
	p := logline.NewProcessor(logline.NewAnnotator(nil, false), io.Discard, false)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, p.Process(io.LimitReader(repeat("x"), 256<<20)))
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(5*logline.MaxLine))
	assert.Equal(t, int64(1), p.Summary().TooLong)
}

type repeat string

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r[i%len(r)]
	}
	return len(p), nil
}

func TestProcessSummary(t *testing.T) {
	t.Parallel()
	_, s := process(t, strings.Join([]string{
		`{"level":"error","msg":"slow down","time":"2026-01-02T03:04:05+01:00"}`,
		`no JSON`,
		`{"level":"error","msg":"slow down","ts":1767323040.5}`,
		`{"level":50,"msg":"slow down","time":1767323000123}`,
		`{"PRIORITY":"3","MESSAGE":"bad key","__REALTIME_TIMESTAMP":"1767323045123456"}`,
		`{"level":"error","msg":"zzz","@timestamp":"yesterday"}`,
		`{"level":"error","msg":"x","error.category":"mine","error.reason":"network"}`,
		`{"level":"info","msg":"slow down","time":"2020-01-02T03:04:05Z"}`,
		``, `broken {`,
	}, "\n"))
	assert.Equal(t, logline.Summary{
		Lines: 10, Classified: 6, NotJSON: 2, FirstNotJSON: 2,
		Counts: []logline.Count{
			{Category: "retryable", Reason: "rate_limit", Count: 3,
				First: time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC), Last: time.Date(2026, 1, 2, 3, 4, 0, 5e8, time.UTC)},
			{Category: "fatal", Reason: "authentication", Count: 1,
				First: time.Date(2026, 1, 2, 3, 4, 5, 123456000, time.UTC), Last: time.Date(2026, 1, 2, 3, 4, 5, 123456000, time.UTC)},
			{Category: "fatal", Reason: "unknown", Count: 1},
			{Category: "other", Reason: "network", Count: 1},
		},
	}, s)
}

func TestTimes(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		value string
		want  time.Time
	}{
		{`"2026-01-02T03:04:05Z"`, want}, {`"2026-01-02T05:04:05.000+02:00"`, want}, {`"2026-01-02T05:04:05.000+0200"`, want},
		{`"2026-01-02 03:04:05,000"`, want}, {`"2026-01-02 03:04:05"`, want}, {`"2026/01/02 03:04:05"`, want}, {`"Fri, 02 Jan 2026 03:04:05 GMT"`, want},
		{`1767323045`, want}, {`1767323045.0`, want}, {`1767323045000`, want}, {`"1767323045000000"`, want}, {`1767323045000000000`, want}, {`1.767323045e9`, want},
		{`"x"`, time.Time{}}, {`""`, time.Time{}}, {`null`, time.Time{}}, {`-1`, time.Time{}}, {`0`, time.Time{}}, {`1e300`, time.Time{}}, {`{}`, time.Time{}}, {`"12:04"`, time.Time{}},
		{`"9999-12-31T23:59:59-01:00"`, time.Time{}}, {`"0000-01-01T00:00:00+01:00"`, time.Time{}}, {`"0000-12-31T23:59:59Z"`, time.Time{}},
	} {
		_, s := process(t, `{"error":"x","time":`+tt.value+`}`)
		require.Len(t, s.Counts, 1, tt.value)
		assert.Equal(t, tt.want, s.Counts[0].First, tt.value)
		_, err := json.Marshal(s)
		require.NoError(t, err, "a summary with this time can be written as JSON")
	}
}

// TestProcessFlushes checks that each line is written before the next one is read.
func TestProcessFlushes(t *testing.T) {
	t.Parallel()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	p := logline.NewProcessor(logline.NewAnnotator(testRules(t), false), outW, false)
	go func() {
		err := p.Process(inR)
		outW.Close()
		done <- err
	}()
	buf := make([]byte, 1<<10)
	for range 3 {
		_, err := inW.Write([]byte("{\"error\":\"slow down\"}\n"))
		require.NoError(t, err)
		n, err := outR.Read(buf)
		require.NoError(t, err)
		require.Equal(t, "{\"error\":\"slow down\""+added+"}\n", string(buf[:n]))
	}
	require.NoError(t, inW.Close())
	_, err := outR.Read(buf)
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, <-done)
}

func TestProcessErrors(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	t.Run("read", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		p := logline.NewProcessor(logline.NewAnnotator(nil, false), &out, false)
		err := p.Process(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(boom)))
		require.ErrorIs(t, err, boom)
		assert.NotErrorAs(t, err, new(*logline.OutputError))
		assert.Equal(t, "a\nb", out.String(), "the lines before the error are written")
	})
	t.Run("write", func(t *testing.T) {
		t.Parallel()
		r, w := io.Pipe()
		require.NoError(t, r.Close())
		p := logline.NewProcessor(logline.NewAnnotator(nil, false), w, false)
		err := p.Process(repeat("{}\n"))
		require.ErrorIs(t, err, io.ErrClosedPipe)
		assert.ErrorAs(t, err, new(*logline.OutputError))
	})
}

// waiter returns one element of pieces per Read. The element "wait" makes Wait return
// false.
type waiter struct {
	pieces []string
	waits  int
}

func (w *waiter) Wait(time.Duration) bool {
	w.waits++
	if w.pieces[0] != "wait" {
		return true
	}
	w.pieces = w.pieces[1:]
	return false
}

func (w *waiter) Read(p []byte) (int, error) {
	if len(w.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, w.pieces[0])
	w.pieces = w.pieces[1:]
	return n, nil
}

// TestTextEventsAreHeldForInput checks that the lines of an event are classified together
// if they arrive in separate reads without a pause.
func TestTextEventsAreHeldForInput(t *testing.T) {
	t.Parallel()
	const pairs = " error.category=retryable error.reason=rate_limit"
	const unknown = " error.category=fatal error.reason=unknown"
	for _, tt := range []struct {
		name, want string
		pieces     []string
	}{
		{"one event", "[ERROR] zzz" + pairs + "\n\tat a\n\tslow down\n", []string{"[ERROR] zzz\n", "\tat a\n\tslow", " down\n", ""}},
		{"a pause", "[ERROR] zzz" + unknown + "\n\tat a\n\tslow down\n[ERROR] slow down" + pairs + "\n", []string{"[ERROR] zzz\n", "\tat a\n", "wait", "\tslow down\n", "[ERROR] slow down\n", "wait", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			p := logline.NewProcessor(logline.NewAnnotator(testRules(t), false), &out, false)
			p.ReadTexts(true)
			w := &waiter{pieces: tt.pieces}
			require.NoError(t, p.Process(w))
			assert.Equal(t, tt.want, out.String())
			assert.NotZero(t, w.waits)
		})
	}
}

// TestObjectsAreHeldForInput checks that a JSON object is classified if its lines arrive
// in separate reads without a pause.
func TestObjectsAreHeldForInput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		pieces     []string
	}{
		{"one object", "{\n \"error\": \"slow down\"" + added + "\n}\n", []string{"{\n", " \"error\": \"slow", " down\"\n}", "\n", ""}},
		{"a pause", "{\n \"error\": \"slow down\"\n}\n{\"error\":\"slow down\"" + added + "}\n", []string{"{\n \"error\": ", "wait", "\"slow down\"\n}\n", "{\"error\":\"slow down\"}\n", ""}},
		{"the end of the input", "{\n \"error\": \"slow down\"" + added + "\n}", []string{"{\n", " \"error\": \"slow down\"\n}", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			p := logline.NewProcessor(logline.NewAnnotator(testRules(t), false), &out, false)
			w := &waiter{pieces: tt.pieces}
			require.NoError(t, p.Process(w))
			assert.Equal(t, tt.want, out.String())
			assert.NotZero(t, w.waits)
		})
	}
	var out strings.Builder
	p := logline.NewProcessor(logline.NewAnnotator(testRules(t), false), &out, false)
	require.NoError(t, p.Process(iotest.OneByteReader(strings.NewReader("{\n \"error\": \"slow down\"\n}\n"))))
	assert.Equal(t, "{\n \"error\": \"slow down\"\n}\n", out.String(), "a reader that may block and is no Waiter")
}

// FuzzProcess checks that the output differs from the input only by an added category
// and reason.
func FuzzProcess(f *testing.F) {
	for _, s := range []string{
		"", "\n", "x\n{\"level\":\"error\"}\r\n", `{"error":"slow down"}`, "\ufeff{\"level\":50,\"err\":{\"code\":\"x\",\"stack\":\"a\\n at b\"}}\n{}",
		`{"error.category":1,"PRIORITY":"3","MESSAGE":[1,2,300]}`, `{"severity":"Error3","time":1e9,"exception.type":"x"}`, "{\"error\":\"\xff\\u00\"}",
		`{"error\u002ecategory":"a","error.reason":"b","error.reason":null,"err":{"code":"context.Canceled","message":"401"}}`,
		`{"level":"error","err":[{}],"msg":{"a":"\ud800"},"error.reas\u006fn":[]}` + "\r\r\n\u2028\n" + `{ "error" : "x" , "error.category" : { } } `,
		"{\"PRIORITY\":\"3\",\"MESSAGE\":[ 114 ,\t101,0,255]}\n{\"err\":{\"ms\\u0067\":\"\\\\\\u005c\"},\"status\":429}\n",
		`{"level":"error","msg":"attempt 1: HTTP 503; last attempt 2: zz"}`,
		"{\n  \"level\": \"error\",\n  \"msg\": \"slow down\"\n}\n{\r\n\t\"error\": {\r\n\t\t\"code\": 1\r\n\t}\r\n}", "{\n}\n{\n\"error\":\"x\"\n} y\n{\n\"error\":\"x\",\n{\n \"error.category\": 1\n}\n",
	} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	c := testRules(f)
	c.Message("the rules are compiled at first use")
	f.Fuzz(func(t *testing.T, in []byte, all bool) {
		a := logline.NewAnnotator(c, all)
		a.OnResult(func(r classify.Result) {
			require.False(t, strings.HasSuffix(r.Rule, "+panic"), "the classifier panicked on %q", in)
		})
		out := bytes.NewBuffer(make([]byte, 0, 2*len(in)+1<<10))
		p := logline.NewProcessor(a, out, true)
		p.Waits(false)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, p.Process(bytes.NewReader(in)))
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20+100*len(in)))
		is := bytes.SplitAfter(out.Bytes(), []byte("\n"))
		count := 0
		for _, record := range records(t, in) {
			before := count
			count += record.Count
			require.LessOrEqual(t, count, len(is))
			require.Equal(t, string(record.Bytes), string(withoutInserted(t, record.Bytes, bytes.Join(is[before:count], nil))))
		}
		require.Empty(t, bytes.Join(is[count:], nil))
		require.EqualValues(t, count, p.Summary().Lines)
	})
}

// records returns the lines of the input, and the JSON objects that span lines.
func records(t *testing.T, in []byte) (all []lines.Line) {
	t.Helper()
	r := lines.NewReader(bytes.NewReader(in), logline.MaxLine, nil)
	r.JoinObjects(nil)
	for {
		line, err := r.Next()
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			return all
		}
		line.Bytes = bytes.Clone(line.Bytes)
		all = append(all, line)
	}
}

// withoutInserted checks the inserted bytes and returns the line without them.
func withoutInserted(t *testing.T, before, after []byte) []byte {
	t.Helper()
	if bytes.Equal(before, after) {
		return after
	}
	if !json.Valid(bytes.TrimPrefix(before, []byte("\ufeff"))) { // logfmt, or JSON after a prefix
		return []byte(removed(string(after)))
	}
	n := len(after) - len(before)
	at := len(bytes.TrimRight(after[:bytes.LastIndexByte(after, '}')], " \t\r\n")) - n
	require.GreaterOrEqual(t, at, 0)
	inserted := after[at : at+n]
	count := map[string]int{}
	values := map[string]string{}
	for _, m := range topLevel(t, bytes.TrimPrefix(after, []byte("\ufeff"))) {
		count[m.key]++
		values[m.key] = m.value
	}
	var ours map[string]string
	require.NoError(t, json.Unmarshal([]byte("{"+strings.TrimPrefix(string(inserted), ",")+"}"), &ours))
	for k, v := range ours {
		require.Contains(t, []string{logline.CategoryKey, logline.ReasonKey}, k)
		require.Equal(t, `"`+v+`"`, values[k])
		require.Equal(t, 1, count[k], "%q is there more than once", k)
	}
	return append(bytes.Clone(after[:at]), after[at+n:]...)
}

type member struct{ key, value string }

// topLevel returns the members of an object. It decodes them with encoding/json.
func topLevel(t *testing.T, object []byte) (members []member) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	_, err := d.Token()
	require.NoError(t, err)
	for d.More() {
		key, err := d.Token()
		require.NoError(t, err)
		var value json.RawMessage
		require.NoError(t, d.Decode(&value))
		members = append(members, member{key.(string), string(value)})
	}
	return members
}
