//go:build unix

package triage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/errclass/errclass/classify"
)

// serviceLog returns the log of a web service. One line in errorEvery is an error.
func serviceLog(lines, errorEvery int, repeated bool) []byte {
	rnd := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same lines in every run
	messages := []func() string{
		func() string {
			return fmt.Sprintf("dial tcp 10.1.%d.%d:5432: connect: connection refused", rnd.IntN(9), rnd.IntN(250))
		},
		func() string { return fmt.Sprintf("429 Too Many Requests: slow down, try again in %ds", rnd.IntN(60)) },
		func() string {
			return fmt.Sprintf("rpc error: code = Unavailable desc = transport %d is closing", rnd.IntN(1e6))
		},
		func() string { return fmt.Sprintf("open /var/lib/app/%d: permission denied", rnd.IntN(1e6)) },
		func() string { return fmt.Sprintf("job %d: the frobnicator is drained", rnd.IntN(1e6)) },
	}
	if repeated {
		for i, message := range messages {
			text := message()
			messages[i] = func() string { return text }
		}
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var b bytes.Buffer
	for i := range lines {
		at = at.Add(time.Duration(rnd.IntN(1e8)))
		if i%errorEvery == 0 {
			fmt.Fprintf(&b, `{"time":%q,"level":"ERROR","msg":"request failed","err":%q,"path":"/v1/items/%d","attempt":%d}`+"\n",
				at.Format(time.RFC3339Nano), messages[rnd.IntN(len(messages))](), i, i%3)
			continue
		}
		fmt.Fprintf(&b, `{"time":%q,"level":"INFO","msg":"request served","method":"GET","path":"/v1/items/%d","status":200,"duration_ms":%d.7,"user":{"id":"u-%d","plan":"pro"}}`+"\n",
			at.Format(time.RFC3339Nano), i, i%90, i)
	}
	return b.Bytes()
}

// BenchmarkTriage measures a triage on one core. A triage should read 50 MB for each
// second of processor time (50 cpu-MB/s).
func BenchmarkTriage(b *testing.B) {
	for _, bb := range []struct {
		name     string
		every    int
		repeated bool
	}{
		{"one error in 1000", 1000, false}, {"one error in 100", 100, false}, {"one error in 10", 10, false},
		{"errors alone, repeated", 1, true}, {"errors alone, all different", 1, false},
	} {
		b.Run(bb.name, func(b *testing.B) {
			data := serviceLog(50_000, bb.every, bb.repeated)
			classify.Standard.Message("built")
			b.ReportAllocs()
			least := math.MaxFloat64
			for b.Loop() {
				least = min(least, cpu(b, func() {
					if r := Run(b.Context(), Options{Inputs: []string{"-"}, Stdin: bytes.NewReader(data)}); len(r.Notes) > 0 {
						b.Fatal(r.Notes)
					}
				}))
			}
			b.ReportMetric(float64(len(data))/1e6/least, "cpu-MB/s")
			b.ReportMetric(least/decodeAll(b, data), "x-json")
		})
	}
}

// cpu returns the processor time that f takes, in seconds.
func cpu(b *testing.B, f func()) float64 {
	b.Helper()
	now := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	start := now()
	f()
	return now() - start
}

// decodeAll decodes every line and returns the shortest time of three rounds.
func decodeAll(b *testing.B, data []byte) float64 {
	b.Helper()
	best := math.MaxFloat64
	for range 3 {
		best = min(best, cpu(b, func() {
			for line := range bytes.Lines(data) {
				var v map[string]any
				if err := json.Unmarshal(line, &v); err != nil {
					b.Fatal(err)
				}
			}
		}))
	}
	return best
}
