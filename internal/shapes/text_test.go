package shapes_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/shapes"
)

// event is a shapes.Event together with its lines.
type event struct {
	shape string
	shapes.Event
	lines []string
}

func events(lines []string) (all []event) {
	var s shapes.Events
	for _, line := range lines {
		if !s.Add([]byte(line)) {
			all = append(all, event{})
		}
		e := &all[len(all)-1]
		e.Event = s.Event()
		e.lines = append(e.lines, line)
		if e.Shape != nil {
			e.shape = e.Shape.Name
		}
	}
	return all
}

// TestPrintedTexts reads logs that loggers printed as text. Only an error can have
// several lines.
func TestPrintedTexts(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/printed-text.txt")
	require.NoError(t, err)
	for _, section := range strings.Split("\n"+strings.TrimSuffix(string(data), "\n"), "\n# ")[1:] {
		header, body, _ := strings.Cut(section, "\n")
		shape, origin, ok := strings.Cut(header, " | ")
		require.True(t, ok, header)
		errors := 0
		for _, e := range events(strings.Split(strings.TrimSuffix(body, "\n"), "\n")) {
			assert.Equal(t, shape, e.shape, "%s: %q", origin, e.lines)
			all := strings.Join(e.lines, "\n")
			if strings.Contains(all, "ERR") || strings.Contains(all, "FATAL") || strings.HasPrefix(all, "E1123") || strings.Contains(all, "[error]") {
				errors++
				assert.Equal(t, shapes.Error, e.Severity, "%s: %q", origin, e.lines)
			} else {
				assert.Equal(t, shapes.Below, e.Severity, "%s: %q", origin, e.lines)
				assert.Len(t, e.lines, 1, "%s: %q", origin, e.lines)
			}
		}
		assert.NotZero(t, errors, origin)
	}
}

const refused = "dial tcp 10.0.0.7:5432: connect: connection refused"

// textTests are log lines from documentation. Each text is one event.
var textTests = []struct {
	shape, text, message string // the message of the first line
	severity             shapes.Severity
}{
	{"Spring Boot", "2026-01-02T03:04:05.678Z ERROR 7 --- [app] [main] c.e.App : query failed", "[app] [main] c.e.App : query failed", shapes.Error},
	{"Spring Boot", "2026-01-02T03:04:05.678Z  INFO 7 --- [app] [main] c.e.App : started", "[app] [main] c.e.App : started", shapes.Below},
	{"nginx", "2026/01/02 03:04:05 [error] 7#7: *1 connect() failed (111: Connection refused) while connecting to upstream", "*1 connect() failed (111: Connection refused) while connecting to upstream", shapes.Error},
	{"nginx", "2026/01/02 03:04:05 [notice] 7#7: start worker processes", "start worker processes", shapes.Below},
	{"Apache", "[Fri Jan 02 03:04:05.123456 2026] [proxy:error] [pid 7:tid 1] (111)Connection refused: AH00957: http: attempt to connect", "[pid 7:tid 1] (111)Connection refused: AH00957: http: attempt to connect", shapes.Error},
	{"Apache", "[Fri Jan 02 03:04:05.123456 2026] [mpm_event:notice] [pid 7:tid 1] AH00489: configured", "[pid 7:tid 1] AH00489: configured", shapes.Below},
	{"HAProxy", "[ALERT]    (7) : Binding [:80] for frontend web: cannot bind socket (Address already in use)", "Binding [:80] for frontend web: cannot bind socket (Address already in use)", shapes.Error},
	{"HAProxy", "[NOTICE]   (7) : New worker (9) forked", "New worker (9) forked", shapes.Below},
	{"", "<11>Jan  2 03:04:05 host app[7]: " + refused, refused, shapes.Error},
	{"", "<14>Jan  2 03:04:05 host app[7]: started", "started", shapes.Below},
	{"", "<12>Jan  2 03:04:05 host app[7]: disk nearly full", "disk nearly full", shapes.Below},
	{"", "<11>1 2026-01-02T03:04:05.678Z host app 7 ID47 - " + refused, refused, shapes.Error},
	{"", "<165>1 2026-01-02T03:04:05.678Z host app 7 ID47 - started", "started", shapes.Below},
	{"", "Jan  2 03:04:05 host app[7]: started", "started", shapes.Unknown},
	{"klog", "Jan  2 03:04:05 host app[7]: E0102 03:04:05.678901       7 main.go:8] " + refused, refused, shapes.Error},
	{"Postgres", "2026-01-02 03:04:05.678 UTC [7] FATAL:  password authentication failed for user \"app\"", "password authentication failed for user \"app\"", shapes.Error},
	{"Postgres with a user", "2026-01-02 03:04:05.678 UTC [7] app@db ERROR:  deadlock detected", "deadlock detected", shapes.Error},
	{"MySQL", "2026-01-02T03:04:05.678901Z 0 [ERROR] [MY-010119] [Server] Aborting", "[MY-010119] [Server] Aborting", shapes.Error},
	{"MySQL", "2026-01-02T03:04:05.678901Z 0 [Warning] [MY-010068] [Server] CA certificate is self signed.", "[MY-010068] [Server] CA certificate is self signed.", shapes.Below},
	{"dmesg -x", "kern  :err   : [    1.234567] nvme nvme0: I/O error", "nvme nvme0: I/O error", shapes.Error},
	{"dmesg -x", "kern  :info  : [    1.234567] Freeing memory", "Freeing memory", shapes.Below},
	{"dmesg -r", "<3>[    1.234567] nvme nvme0: I/O error", "nvme nvme0: I/O error", shapes.Error},
	{"Windows events, CSV", "Error,1/2/2026 3:04:05 AM,Service Control Manager,7031,None,\"The service terminated unexpectedly.\"", "None,\"The service terminated unexpectedly.\"", shapes.Error},
	{"Windows events, text", "Event[0]:\n  Log Name: System\n  Level: Error\n  Description:\nThe service terminated.", "", shapes.Error},
	{"Windows events, text", "Event[1]:\n  Log Name: System\n  Level: Information", "", shapes.Below},
	{".NET console", "fail: App.Worker[0]\n      query failed\n      System.Net.Sockets.SocketException (111): Connection refused\n         at A.Main() in /app/A.cs:line 7", "", shapes.Error},
	{".NET console", "info: App.Worker[0]\n      started", "", shapes.Below},
	{"", "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:", "panic: runtime error: index out of range [3] with length 3", shapes.Error},
	{"Ruby Logger", "E, [2026-01-02T03:04:05.678901 #7] ERROR -- : query failed", ": query failed", shapes.Error},
	{"a time and a level", "2026-01-02T03:04:05.678Z\t1-2-3\tERROR\tInvoke Error \t{\"errorType\":\"Error\"}", "Invoke Error \t{\"errorType\":\"Error\"}", shapes.Error},
	{"a time in brackets and a level", "[2026-01-02 03:04:05 +0000] [7] [CRITICAL] WORKER TIMEOUT (pid:9)", "WORKER TIMEOUT (pid:9)", shapes.Error},
	{"a level in brackets", "[ERROR] query failed", "query failed", shapes.Error},
	{"a level and a colon", "FATAL: query failed", "query failed", shapes.Error},
	{"Python logging", "web-1  | ERROR:root:query failed\nweb-1  | Traceback (most recent call last):\nweb-1  |   File \"a.py\", line 1, in f\nweb-1  | OSError: [Errno 111] Connection refused", "query failed", shapes.Error},
	{"", "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]\n\ngoroutine 1 [running]:\nmain.(*T).run(0x0)\n\t/app/main.go:7 +0x1d\nmain.main()\n\t/app/main.go:3 +0x1d\nexit status 2", "", shapes.Error},
	{"", "panic: runtime error: index out of range [7] with length 3\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/x/main.go:7 +0x1d\nexit status 2", "", shapes.Error},
	{"", "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 3, in g\nOSError: [Errno 111] Connection refused", "", shapes.Error},
	{"", "Exception in thread \"main\" java.lang.RuntimeException: x\n\tat A.main(A.java:4)\nCaused by: java.net.ConnectException: Connection refused\n\t... 1 more", "", shapes.Error},
	{"", "node:internal/process/promises:288\n            triggerUncaughtException(err, true /* fromPromise */);\n            ^\n\nError: connect ECONNREFUSED 127.0.0.1:80\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16) {\n  errno: -111,\n  code: 'ECONNREFUSED'\n}\n\nNode.js v20.20.2", "", shapes.Error},
	{"", "Error: connect ECONNREFUSED 127.0.0.1:80\n    at f (/app/a.js:1:2)", "", shapes.Error},
	{"", "Unhandled exception. System.Exception: x\n ---> System.Net.Sockets.SocketException (111): Connection refused\n   at A.Main()\n   --- End of inner exception stack trace ---\n   at A.Main()", "", shapes.Error},
	{"", "thread 'main' panicked at src/main.rs:2:5:\nconnection refused\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace", "", shapes.Error},
	{"", "Error: so it goes", "", shapes.Unknown},
	{"", "error in the middle of a sentence: ERROR", "", shapes.Unknown},
	{"", "starting\n  with options", "", shapes.Unknown},
	{"", "Information about errors", "", shapes.Unknown},
	{"", "12:04", "", shapes.Unknown},
	{"syslog without a known header", "<11>" + refused, refused, shapes.Error},
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range textTests {
		t.Run(fmt.Sprintf("%.30s", tt.text), func(t *testing.T) {
			t.Parallel()
			lines := strings.Split(tt.text, "\n")
			all := events(lines)
			require.NotEmpty(t, all)
			e := all[0]
			assert.Equal(t, tt.shape, e.shape)
			assert.Equal(t, tt.severity, e.Severity)
			if tt.shape != "Windows events, text" { // the description of such an event is not indented
				assert.Len(t, all, 1, "one event")
			}
			if tt.message != "" {
				assert.Equal(t, tt.message, lines[0][e.Message:])
			}
			// The next message of the same program begins a new event.
			next := events(append(lines, "2026-01-02 03:04:06,678 INFO next"))
			assert.Equal(t, []string{"2026-01-02 03:04:06,678 INFO next"}, next[len(next)-1].lines)
		})
	}
}

// TestExceptionsInARow checks that an exception after another exception begins a new
// event. An exception after a Python frame must not begin a new event.
func TestExceptionsInARow(t *testing.T) {
	t.Parallel()
	var got [][]string
	for _, e := range events([]string{"[ERROR] x", "OSError: a", "OSError: b", "  File \"a.py\", line 1, in f", "OSError: c", "main.main()", "OSError: d"}) {
		got = append(got, e.lines)
	}
	assert.Equal(t, [][]string{{"[ERROR] x", "OSError: a"}, {"OSError: b", "  File \"a.py\", line 1, in f", "OSError: c", "main.main()"}, {"OSError: d"}}, got)
}

// TestTextTable checks that each row of the table has a sample line.
func TestTextTable(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for _, tt := range textTests {
		tested[tt.shape] = true
	}
	data, err := os.ReadFile("testdata/printed-text.txt")
	require.NoError(t, err)
	for i := range shapes.Texts {
		row := &shapes.Texts[i]
		assert.True(t, tested[row.Name] || strings.Contains(string(data), "# "+row.Name+" | "), row.Name)
		assert.NotEmpty(t, row.Source, row.Name)
	}
}

// TestTextEvents checks that an event includes its stack trace, but no headers or
// prefixes.
func TestTextEvents(t *testing.T) {
	t.Parallel()
	var texts []string
	var lines []int64
	var e shapes.TextEvents
	r := shapes.NewReader(nil)
	starts := func(line string) bool {
		assert.False(t, r.Read([]byte(line), func(*shapes.Record) {}))
		return e.Starts(r, []byte(line))
	}
	for _, line := range []string{
		"2026-01-02 03:04:05,000 ERROR boom\r\n", "\tat a.b(c:1)\r\n", "ERROR: second\n", "api-1  | ERROR: third\n", "api-1  | \tat d\n", "ERROR: " + strings.Repeat("x", 2*shapes.MaxText) + "\n",
	} {
		if starts(line) {
			texts, lines = append(texts, ""), append(lines, 0)
		}
		e.Add([]byte(line))
		texts[len(texts)-1], lines[len(lines)-1] = string(e.Text()), e.Lines()
		assert.Equal(t, shapes.Error, e.Event().Severity)
	}
	require.Len(t, texts, 4)
	assert.Equal(t, []string{"boom\n\tat a.b(c:1)", "second", "third\n\tat d"}, texts[:3])
	assert.Len(t, texts[3], shapes.MaxText)
	assert.Equal(t, []int64{2, 1, 2, 1}, lines)
	e.End()
	assert.True(t, starts("\tat e"))
}

// TestEventsAfterHarmlessLines checks that a panic or an exception begins a new event if
// the previous line has no error. If the previous line has an error, the panic or
// exception belongs to the event of that line.
func TestEventsAfterHarmlessLines(t *testing.T) {
	t.Parallel()
	trace := []string{"goroutine 1 [running]:", "main.main()", "\t/app/main.go:14 +0x1d", "exit status 2"}
	for _, tt := range []struct {
		first, second string
		rest          []string
		starts        bool
		severity      shapes.Severity // of the last event
	}{
		{"2026-01-02T03:04:05Z INFO started", "panic: boom", trace, true, shapes.Error},
		{"I0102 03:04:05.678901       7 main.go:8] started", "panic: boom", trace, true, shapes.Error},
		{"2026/01/02 03:04:05 listening on :8080", "panic: boom", trace, true, shapes.Error},
		{"started", "panic: boom", trace, true, shapes.Error},
		{"2026-01-02T03:04:05Z ERROR giving up", "panic: boom", trace, false, shapes.Error},
		{"panic: boom [recovered]", "panic: again", trace, false, shapes.Error},
		{"2026-01-02T03:04:05Z INFO config {", "panic: boom", trace, true, shapes.Error},
		{"2026-01-02 03:04:05,000 INFO [main] c.f.B - started", "java.lang.IllegalStateException: x", []string{"\tat a.b.C.d(C.java:1)"}, true, shapes.Error},
		{"2026-01-02 03:04:05,000 ERROR [main] c.f.B - failed", "java.net.SocketTimeoutException: Read timed out", []string{"\tat a.b.C.d(C.java:1)"}, false, shapes.Error},
	} {
		var s shapes.Events
		require.False(t, s.Add([]byte(tt.first)), tt.first)
		assert.Equal(t, tt.starts, !s.Add([]byte(tt.second)), "%s\n%s", tt.first, tt.second)
		for _, line := range tt.rest {
			assert.True(t, s.Add([]byte(line)), "%s\n%s", tt.first, line)
		}
		assert.Equal(t, tt.severity, s.Event().Severity, "%s\n%s", tt.first, tt.second)
	}
}
