package classify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/internal/collect"
	collecttext "github.com/errclass/errclass/classify/internal/collect/text"
	"github.com/errclass/errclass/internal/cputime"
)

// fragments are pieces of syntax: complete, cut or almost correct. Repeated many
// times, they reveal parsers with quadratic time.
var fragments = []string{
	// These fragments are parts of stack traces.
	"\n  at a.B(C:1)", "  at a.B(C:1) [", "\tat a.B.c(C.java:12) ~[c.jar:1]", "   at A.B.C(String s, Int32 n) in C:\\a.cs:line 1 --- ", "   at A.B.C() in ",
	"\n    at f (file:///a.js:1:2)", "    at Object.<anonymous> [as f] (/a.js:1:2)", "  at a.B [as ", "    at async f (", "  at /:1", "\tat a.b(((((((", "  at a.B(x,x,x,x,",
	"\n  File \"a.py\", line 3, in f\n    raise E\n", `  File "a`, `File \"a.py\", line 1, in <module>\n`, "Traceback (most recent call last):", "\n... 23 more", "... 1",
	"\nmain.(*T).f(0x1)\n\t/a.go:12 +0x1d", "\t/a.go:1 x", "\n/a.go:", "goroutine 1 [running]:", "goroutine 1 [", "created by main.f in goroutine 1\n\t/a.go:7\n",
	"\n#0 /a.php(12): f()", "#1  f (package:a/a.dart:5:2)", "#1 ", "\n\tfrom /a.rb:12:in `f'", "from a.rb:", "Caused by: ",
	// These fragments belong to a report of several attempts.
	"attempt 1: ", "attempt 2 ", "last attempt 3: ", "last error: ", "final ", "most recent ", "retry #4 ", "try  ", "giving up: ", "(attempt 1) HTTP 503, ",
	// These fragments say how long to wait.
	"retry after 5s ", "try again in 1.2s", "Retry-After: ", "please wait for about another ", "retry after Fri, 06 Nov 2026 08:49:37 GMT", "1s", "6m0s", "1.", "9", "again in 1", "retry after \"\\~{([`",
	// These fragments are HTTP statuses or resemble one.
	"HTTP 404 ", "404", "4", "(503) - x", "status code: 5", "401 ", "HTTP/1.1 500 ",
	// These fragments are parts of error envelopes and of quoted texts.
	`{"error":{"code":"x","message":"y"}}`, `{"a":`, "[[[[", `{"error":"{\"error\":\"{\\\"a`, `\"`, `\\\\`, `\n`, `\r\n`, "\"", "'", "<Error><Code>", "&lt;", "data: {", "event: error\n", "}]",
	// These fragments are escape sequences of terminals, spaces and line breaks.
	"\x1b[31m", "\x1b]0;", "\x1b", `\u001b[`, "#033[3", "^[", "\u00a0", "\u200b", "  ", "\t", " ", "\r", "\n", "│ ", "a line that a terminal of eighty columns has broken in two for want of\nroom ",
	// These fragments are ordinary words and invalid UTF-8.
	"connection reset by peer", "connection refus", "x", "ORA-00060", "\xff", "\n\xe2\x80", "\xff\xff\xc2\xff", "失败", "é", "rate limi", "HTTP 429 rate limit exceeded, connection refused, timed out; ", "\x00",
}

// repeated describes a text of any length: one beginning, then all units again and
// again.
type repeated struct {
	head  string
	units []string
}

func (s repeated) String() string { return fmt.Sprintf("%.80q + %.160q...", s.head, s.units) }

func (s repeated) text(size int) string {
	var b strings.Builder
	b.WriteString(s.head)
	for i := 0; b.Len() < size; i++ {
		b.WriteString(s.units[i%len(s.units)])
	}
	return b.String()[:size]
}

// costHead matches rules for a waiting time, a status and a report of attempts. Each
// match makes the classifier parse the text again.
const costHead = "connection reset by peer, retry after 5s HTTP 404 last error: connection reset attempt 1: attempt 2: x\n"

// decideOnce classifies a text of 2 MiB or less, without the cache.
func decideOnce(text string) {
	c := *Standard
	c.maxBytes = 2 << 20
	q := collect.Inquiry{Seen: c.seen, Now: c.clock(), Set: c.rules(), Budget: collect.NewBudget(c.maxBytes)}
	collecttext.ReadParts(&q, text, "", len(text))
}

func ordinaryText(tb testing.TB, size int) string {
	return repeated{units: []string{strings.Join(corpusMessages(tb), "\n") + "\n"}}.text(size)
}

// checkCost compares the texts of s with ordinary text. The test fails in two cases:
//
//   - A text of s takes more than five times as long per byte.
//   - The time grows faster than the length.
func checkCost(t require.TestingT, s repeated, ordinary string, sizes ...int) {
	scaling := cputime.Scaling{Run: decideOnce, Ordinary: ordinary, MaxRatio: 5}
	require.NoError(t, scaling.Check(s.text, sizes...), "%v", s)
}

// TestCost checks that no text takes much longer than ordinary text of equal length.
func TestCost(t *testing.T) {
	ordinary := ordinaryText(t, 16<<10)
	examples := ruleExamples(t)
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	var shapes []repeated
	for _, f := range fragments {
		shapes = append(shapes, repeated{"", []string{f}}, repeated{costHead + "x\n", []string{f}})
	}
	for range 150 {
		shapes = append(shapes, repeated{costHead, []string{pick(fragments), pick(fragments), pick(fragments)}})
	}
	for range 150 {
		piece := pick(examples)
		shapes = append(shapes, repeated{costHead, []string{piece[:1+random.IntN(len(piece))], pick(fragments)}})
	}
	for _, s := range shapes {
		checkCost(t, s, ordinary, 4<<10, 16<<10)
	}
	for _, s := range []repeated{
		{"x\n  at a.B(C:1) \n", []string{"  at a.B(C:1) ["}},
		{costHead + "x\n  at a.B(C:1) \n", []string{"  at a.B(C:1) ["}},
		{costHead, []string{"   at A.B.C() in C:\\a.cs:line 1 --- "}},
		{costHead + "x\n", []string{"   at A.B.C() in C:\\a.cs:line 1 --- "}},
		{costHead, fragments},
	} {
		checkCost(t, s, ordinary, 4<<10, 16<<10, 64<<10, 256<<10, 1<<20)
	}
}

// FuzzCost looks for texts that take too long for their length. The input has these
// bytes:
//
//   - The first byte, modulo 4, is the number of fragments that are not repeated.
//   - Each later byte selects one fragment: first those that are not repeated, then the
//     repeated ones.
func FuzzCost(f *testing.F) {
	ordinary := ordinaryText(f, 8<<10)
	pieces := slices.Concat(fragments, []string{costHead}, ruleExamples(f))
	for i := range fragments {
		f.Add([]byte{1, byte(len(fragments)), 0, byte(i)})
		f.Add([]byte{0, byte(i), byte((i + 7) % len(fragments)), byte((i * 5) % len(fragments))})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 || len(data) > 40 {
			return
		}
		var s repeated
		heads := int(data[0] % 4)
		for i, b := range data[1:] {
			piece := pieces[(int(b)*(1+i/8*37)+i/8)%len(pieces)]
			if i < heads && i+2 < len(data) {
				s.head += piece
			} else {
				s.units = append(s.units, piece)
			}
		}
		t.Logf("in steps of ordinary text: %d", seenCost(cputime.PerByte(decideOnce, s.text(8<<10), 2)/cputime.PerByte(decideOnce, ordinary, 2)))
		checkCost(t, s, ordinary, 4<<10, 16<<10, 64<<10)
	})
}

// seenCost shows the fuzzer how slow a text is. The fuzzer notices new branches, but not
// times, so seenCost executes more branches the slower the text is. ratio is the time of
// the text, divided by the time of ordinary text.
func seenCost(ratio float64) (steps int) {
	if ratio > 1 {
		steps++
	}
	if ratio > 2 {
		steps++
	}
	if ratio > 3 {
		steps++
	}
	if ratio > 4 {
		steps++
	}
	if ratio > 5 {
		steps++
	}
	if ratio > 6 {
		steps++
	}
	return steps
}

// BenchmarkCost measures the most expensive texts. It has these metrics:
//
//   - x-ordinary is the time per byte, divided by that of ordinary text.
//   - growth is the time for a text, divided by that for a quarter of the text.
func BenchmarkCost(b *testing.B) {
	for _, bm := range []struct {
		name string
		repeated
	}{
		{"ordinary", repeated{"", []string{ordinaryText(b, 64<<10)}}},
		{"java-brackets", repeated{costHead + "x\n  at a.B(C:1) \n", []string{"  at a.B(C:1) ["}}},
		{"dotnet", repeated{costHead + "x\n", []string{"   at A.B.C() in C:\\a.cs:line 1 --- "}}},
		{"tiny-frames", repeated{costHead, []string{" at /:1\n"}}},
		{"colours", repeated{costHead, []string{"\x1b[31m"}}},
		{"tries", repeated{costHead, []string{"attempt 1: HTTP 503 "}}},
		{"waits", repeated{costHead, []string{"retry after 1 "}}},
		{"wrapped", repeated{costHead, []string{"a line that a terminal of eighty columns has broken in two for want of\nroom "}}},
		{"often", repeated{costHead, []string{"HTTP 429 rate limit exceeded, connection refused, timed out; "}}},
		{"all", repeated{costHead, fragments}},
	} {
		ordinary := cputime.PerByte(decideOnce, ordinaryText(b, 64<<10), 5)
		for _, size := range []int{4 << 10, 16 << 10, 64 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%dKiB", bm.name, size>>10), func(b *testing.B) {
				var cost, quarter float64
				for b.Loop() {
					cost, quarter = cputime.PerByte(decideOnce, bm.text(size), 3), cputime.PerByte(decideOnce, bm.text(size/4), 3)
				}
				b.ReportMetric(cost, "ns/B")
				b.ReportMetric(cost/ordinary, "x-ordinary")
				b.ReportMetric(4*cost/quarter, "growth")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
