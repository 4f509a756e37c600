package logline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/logline"
	"github.com/errclass/errclass/internal/benchpair"
)

// logFile returns the log of a web service. One line in errorEvery is an error.
func logFile(errorEvery int) []byte {
	messages := []string{
		`dial tcp 10.1.4.7:5432: connect: connection refused`,
		`429 Too Many Requests: {\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}`,
		`rpc error: code = Unavailable desc = transport is closing`,
		`open /var/lib/app/state: permission denied`,
	}
	var b bytes.Buffer
	for i := range 20_000 {
		if i%errorEvery == 0 {
			fmt.Fprintf(&b, `{"time":"2026-01-02T03:04:%02d.%06dZ","level":"ERROR","msg":"request failed","err":"%s","path":"/v1/items/%d","attempt":%d}`+"\n",
				i%60, i, messages[i/errorEvery%len(messages)], i, i%3)
			continue
		}
		fmt.Fprintf(&b, `{"time":"2026-01-02T03:04:%02d.%06dZ","level":"INFO","msg":"request served","method":"GET","path":"/v1/items/%d","status":200,"duration_ms":%d.7,"user":{"id":"u-%d","plan":"pro"}}`+"\n",
			i%60, i, i, i%90, i)
	}
	return b.Bytes()
}

// BenchmarkLogs compares Process with encoding/json, which decodes into a map or a
// struct. Each metric is the time of Process, divided by the time of encoding/json.
// Each metric should be at most 0.5.
func BenchmarkLogs(b *testing.B) {
	for _, every := range []int{100, 10, 1} {
		b.Run(fmt.Sprintf("one error in %d", every), func(b *testing.B) {
			data := logFile(every)
			b.SetBytes(int64(len(data)))
			classify.Standard.Message("built")
			b.ReportAllocs()
			for b.Loop() {
				p := logline.NewProcessor(logline.NewAnnotator(nil, false), io.Discard, false)
				if err := p.Process(bytes.NewReader(data)); err != nil {
					b.Fatal(err)
				}
			}
			perRun := float64(b.Elapsed()) / float64(b.N)
			b.ReportMetric(perRun/float64(decode[map[string]any](b, data)), "x-json-map")
			b.ReportMetric(perRun/float64(decode[struct{ Level, Msg, Err string }](b, data)), "x-json-struct")
		})
	}
}

// decode decodes every line into a T. It returns the shortest time of three rounds.
func decode[T any](b *testing.B, data []byte) time.Duration {
	b.Helper()
	best := time.Duration(1 << 62)
	for range 3 {
		start := time.Now()
		for line := range bytes.Lines(data) {
			var v T
			if err := json.Unmarshal(line, &v); err != nil {
				b.Fatal(err)
			}
		}
		best = min(best, time.Since(start))
	}
	return best
}

// BenchmarkShapes compares Process with encoding/json. The metric x-bare is the time of
// Process, divided by the time of encoding/json. It should be at most 0.5.
func BenchmarkShapes(b *testing.B) {
	byKind := shapeLines(b)
	var data bytes.Buffer
	errorLines := slices.Concat(byKind["error"], byKind["nested"])
	for i := range 1_000 {
		line := byKind["info"][i%len(byKind["info"])]
		if i%10 == 0 {
			line = errorLines[i/10%len(errorLines)]
		}
		if line[0] == '{' {
			data.WriteString(line + "\n")
		}
	}
	benchpair.Compare(b, func() {
		for line := range bytes.Lines(data.Bytes()) {
			var v map[string]any
			if err := json.Unmarshal(line, &v); err != nil {
				b.Fatal(err)
			}
		}
	}, func() {
		p := logline.NewProcessor(logline.NewAnnotator(nil, false), io.Discard, false)
		if err := p.Process(bytes.NewReader(data.Bytes())); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkObjectsOverLines reads objects that span lines. The metric x-bare is the time
// of Process, divided by the time of encoding/json. It should be at most 0.5.
func BenchmarkObjectsOverLines(b *testing.B) {
	var data bytes.Buffer
	for _, line := range bytes.SplitAfterN(logFile(10), []byte("\n"), 1_001)[:1_000] {
		if err := json.Indent(&data, line, "", "  "); err != nil {
			b.Fatal(err)
		}
	}
	benchpair.Compare(b, func() {
		for d := json.NewDecoder(bytes.NewReader(data.Bytes())); ; {
			var v map[string]any
			err := d.Decode(&v)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}, func() {
		p := logline.NewProcessor(logline.NewAnnotator(nil, false), io.Discard, false)
		p.Waits(false)
		if err := p.Process(bytes.NewReader(data.Bytes())); err != nil {
			b.Fatal(err)
		}
		if n := p.Summary().Classified; n != 100 {
			b.Fatal(n)
		}
	})
}
