package triage

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func gzipped(t testing.TB, text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func zstandard(t testing.TB, text string) string {
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return string(w.EncodeAll([]byte(text), nil))
}

// line returns a line with an error at the given second.
func line(second int, text string) string {
	return fmt.Sprintf(`{"time":"2026-01-02T03:%02d:%02dZ","level":"error","msg":%q}`+"\n", second/60, second%60, text)
}

// arrivals returns the texts of all events in the order in which they are grouped.
func arrivals(t testing.TB, names ...string) (texts []string, notes []Note) {
	r := newRun(t.Context(), Options{Now: testNow})
	inputs, problems := findInputs(names)
	r.begin(inputs)
	m := &merger{ctx: t.Context(), start: r.start, waiting: inputs, done: r.done}
	m.run(func(_ *source, e *event) { texts = append(texts, e.text) })
	return texts, append(problems, r.problems...)
}

// TestOrder checks that files with overlapping periods are read in order of time.
func TestOrder(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"c.log":         line(1, "a") + line(4, "d") + line(7, "g"),
		"b.log.gz":      gzipped(t, line(2, "b")) + gzipped(t, line(5, "e")), // two members
		"a.log.zst":     zstandard(t, line(3, "c")+line(6, "f")),
		"sub/x/late.js": line(9, "i"),
		"sub/early":     line(0, "0") + line(8, "h"),
		"empty":         "",
		"quiet":         `{"level":"info","msg":"x"}` + "\n",
	})
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	for _, name := range []string{dir, dir + "/", link} {
		got, notes := arrivals(t, name)
		assert.Empty(t, notes)
		assert.Equal(t, "0abcdefghi", strings.Join(got, ""))
	}
}

// TestOrderWithinFile checks that an event keeps its place in its file if the event has
// no time, or an earlier time than the previous event.
func TestOrderWithinFile(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"a": line(1, "a") + `{"level":"error","msg":"b"}` + "\n" + line(5, "e") + line(2, "late") + line(6, "g"),
		"b": line(3, "c") + line(4, "d") + line(5, "f"),
	})
	got, _ := arrivals(t, dir)
	assert.Equal(t, []string{"a", "b", "c", "d", "e", "late", "f", "g"}, got)
}

// TestManyFiles reads more files than can be open at once, in order of time.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	var want []string
	const n = 3*maxOpen + 1
	for i := range n {
		a, b := fmt.Sprintf("m%03d-a", i), fmt.Sprintf("m%03d-b", i)
		files[fmt.Sprintf("app.log.%d", (i*37)%n)] = line(2*i, a) + line(2*i+1, b)
		want = append(want, a, b)
	}
	got, notes := arrivals(t, write(t, files))
	assert.Empty(t, notes)
	assert.Equal(t, want, got)
}

// TestArguments checks that the order and repetition of arguments do not matter.
func TestArguments(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"a.log": line(1, "user ann lost") + line(3, "user bob lost"), "b.log": line(2, "user cid lost") + line(4, "user dan lost") + line(5, "user eve lost")})
	a, b := filepath.Join(dir, "a.log"), filepath.Join(dir, "b.log")
	require.NoError(t, os.Symlink(a, filepath.Join(dir, "link")))
	want := Run(t.Context(), Options{Inputs: []string{a, b}, Now: testNow})
	assert.EqualValues(t, 5, want.Events)
	require.Len(t, want.Groups, 1)
	assert.Equal(t, "user <*> lost", want.Groups[0].Template)
	assert.Equal(t, []Origin{{b, 3}, {a, 2}}, want.Groups[0].Files)
	assert.Equal(t, want, Run(t.Context(), Options{Inputs: []string{b, a, b}, Now: testNow}))
	assert.Equal(t, want, Run(t.Context(), Options{Inputs: []string{a, dir}, Now: testNow}))
}

// TestBadInput checks that problems are reported and do not affect other inputs.
func TestBadInput(t *testing.T) {
	t.Parallel()
	good := line(1, "connection refused")
	many := strings.Repeat(good, 5000)
	packed := gzipped(t, many)
	damaged := []byte(packed)
	damaged[len(damaged)-5] ^= 0xff
	hole := strings.Repeat("\x00", 100_000) // what a truncated file begins with
	for _, tt := range []struct {
		name, text string
		events     int64
		want       string
	}{
		{"fine", good, 1, ""},
		{"no line end", strings.TrimSpace(good), 1, ""},
		{"BOM", "\ufeff" + good, 1, ""},
		{"truncated gzip", packed[:len(packed)-8], 5000, "the compressed data is cut off after line 5000"},
		{"damaged gzip", string(damaged), 5000, "gzip: invalid checksum after line 5000"},
		{"no gzip", "\x1f\x8b" + strings.Repeat("x", 20), 0, "gzip: invalid header"},
		{"zstd after a frame to skip", "\x5f\x2a\x4d\x18\x04\x00\x00\x00abcd" + zstandard(t, good) + "\x50\x2a\x4d\x18\x00\x00\x00\x00" + zstandard(t, good), 2, ""},
		{"damaged zstd", zstandard(t, many)[:40], 0, "the compressed data is cut off"},
		{"binary", "\x7fELF\x02\x01\x00\x00" + good, 0, "a binary file, not a log"},
		{"packed binary", gzipped(t, "\x7fELF\x00"), 0, "a binary file, not a log"},
		{"hole", hole + good, 1, ""},
		{"packed hole", gzipped(t, hole+good), 1, ""},
		{"nothing but a hole", hole, 0, ""},
		{"binary after a hole", hole + "\x7fELF\x00", 0, "a binary file, not a log"},
		{"UTF-16", "\xff\xfe{\x00", 0, "a text in UTF-16; convert it with iconv -f UTF-16 -t UTF-8"},
		{"truncated line", good + good[:30], 1, "lines of JSON that are cut off or not valid: 1, the first is line 2"},
		{"truncated lines within", good + good[:30] + "\n" + good + good[:40] + "\n", 2, "lines of JSON that are cut off or not valid: 2, the first is line 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, map[string]string{"bad": tt.text, "good": line(2, "timed out")})
			r := Run(t.Context(), Options{Inputs: []string{dir}, Now: testNow})
			var want []Note
			if tt.want != "" {
				want = []Note{{filepath.Join(dir, "bad"), tt.want}}
			}
			assert.Equal(t, want, r.Notes)
			assert.Equal(t, tt.events+1, r.Events)
			check(t, r)
		})
	}
}

// TestUnreadable checks names that cannot be opened.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"good": line(1, "x"), "closed/x": line(1, "x")})
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Symlink(loop, loop))
	missing := filepath.Join(dir, "missing")
	r := Run(t.Context(), Options{Inputs: []string{dir, missing}, Now: testNow})
	require.Len(t, r.Notes, 2)
	assert.Equal(t, loop, r.Notes[0].File)
	assert.Equal(t, Note{missing, "stat: no such file or directory"}, r.Notes[1])

	closed := filepath.Join(dir, "closed")
	var problems []Note
	walk(closed, func(string, os.FileInfo) {}, func(string, error) { t.Error("readable") })
	require.NoError(t, os.RemoveAll(closed))
	walk(closed, func(string, os.FileInfo) { t.Error("there is none") }, func(name string, err error) { problems = append(problems, Note{name, reasonOf(err)}) })
	require.Len(t, problems, 1)
	assert.Equal(t, closed, problems[0].File)
}

// TestNoPermission checks that files and folders without read permission are reported.
// If root runs the test, it checks that all of them are read.
func TestNoPermission(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"good": line(1, "x"), "closed/x": line(2, "x"), "secret": line(3, "x")})
	closed, secret := filepath.Join(dir, "closed"), filepath.Join(dir, "secret")
	require.NoError(t, os.Chmod(closed, 0))
	require.NoError(t, os.Chmod(secret, 0))
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) }) //nolint:gosec // the test removes it
	r := Run(t.Context(), Options{Inputs: []string{dir}, Now: testNow})
	if os.Geteuid() == 0 {
		assert.EqualValues(t, 3, r.Events)
		return
	}
	assert.EqualValues(t, 1, r.Events)
	assert.Equal(t, []Note{{closed, "open: permission denied"}, {secret, "open: permission denied"}}, r.Notes)
}

func TestService(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"-": "", "app.log": "app", "/var/log/shop.log.2.gz": "shop", "shop-2026-01-02.jsonl.zst": "shop", "shop.2026-01-02T03.log": "shop", "api.error.log": "api",
		"error.log": "error", "nginx": "nginx", "my-app_1.log": "my-app",
		"/var/log/pods/ns_api-5d_0a1b/api/0.log":                                              "api",
		"/var/log/pods/ns_api-5d_0a1b/api/0.log.20260102-030405.gz":                           "api",
		"/var/log/containers/api-5d_ns_api-" + strings.Repeat("0123456789abcdef", 4) + ".log": "api",
	} {
		assert.Equal(t, want, (&input{name: name}).service(), name)
	}
}

// TestInterrupted checks that events from before the end of ctx are reported.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	go func() {
		for i := range 2 * batch {
			_, _ = io.WriteString(out, line(1, "x"))
			if i == 0 {
				cancel()
			}
		}
		_ = out.CloseWithError(context.Canceled)
	}()
	r := Run(ctx, Options{Inputs: []string{"-"}, Stdin: in, Now: testNow})
	assert.Empty(t, r.Notes)
	assert.EqualValues(t, 2*batch, r.Events)
	check(t, r)
}

// progress is a Progress that records its calls.
type progress struct {
	size  int64
	known bool
	reads chan int
}

func (p *progress) Start(bytes int64, known bool) { p.size, p.known = bytes, known }

func (p *progress) Read(n int) { p.reads <- n }

func TestProgress(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"a": line(1, "x"), "b": line(2, "x")})
	p := &progress{reads: make(chan int, 100)}
	Run(t.Context(), Options{Inputs: []string{dir}, Now: testNow, Progress: p})
	close(p.reads)
	var sum int64
	for n := range p.reads {
		sum += int64(n)
	}
	assert.True(t, p.known)
	assert.Equal(t, p.size, sum)
	p = &progress{}
	Run(t.Context(), Options{Inputs: []string{"-"}, Stdin: strings.NewReader(""), Progress: p})
	assert.False(t, p.known)
}

func TestUsableTimes(t *testing.T) {
	t.Parallel()
	assert.Zero(t, usable(time.Time{}))
	assert.Zero(t, usable(time.Date(1970, 1, 1, 0, 0, 1, 0, time.UTC)))
	assert.NotZero(t, usable(testNow))
	r := triaged(t, line(1, "x")+`{"time":"9998-01-02T03:04:05Z","level":"error","msg":"x"}`)
	assert.EqualValues(t, 1, r.NoTime)
	assert.Equal(t, 1, r.Steps)
}

// TestPeek checks that peek finds the first timestamp in logs of all kinds.
func TestPeek(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano()
	for _, text := range []string{
		`{"time":"2026-01-02T03:04:05Z","level":"info","msg":"x"}`, "# a comment\n\n" + `{"msg":"x","ts":1767323045}`, "2026-01-02 03:04:05,000 INFO x",
		"time=2026-01-02T03:04:05Z level=info msg=x", "I0102 03:04:05.000000 1 a.go:1] x", "2026-01-02T03:04:05Z stderr F x", "Jan  2 03:04:05 host app: x",
	} {
		dir := write(t, map[string]string{"a": text + "\n", "b.gz": gzipped(t, text)})
		for _, name := range []string{"a", "b.gz"} {
			in := &input{name: filepath.Join(dir, name), written: testNow}
			newRun(t.Context(), Options{}).peek(in)
			assert.Equal(t, want, in.first, text)
		}
	}
	in := &input{name: filepath.Join(write(t, map[string]string{"a": strings.Repeat("x\n", maxPeek) + "2026-01-02 03:04:05 INFO x\n"}), "a")}
	newRun(t.Context(), Options{}).peek(in)
	assert.Zero(t, in.first)
}
