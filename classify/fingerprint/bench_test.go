package fingerprint_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/internal/cputime"
)

// benchTexts has texts of 238 bytes, the mean length of an error text in the corpus.
var benchTexts = []struct{ name, text string }{
	{"prose", fit("the connection to the upstream server was closed before a response had been read, because the remote side has reset it while the request was in flight; check that the service is running and that it accepts requests ")},
	{"values", fit(`2026-11-23T09:23:28.123Z request req_011CSHoEeqs5C35K2UUqR7Fy to https://api.example.com/v1/chat?id=7 failed after 30.5s: dial tcp 10.0.0.7:443: i/o timeout (attempt 3 of 5, user "alice", file /var/lib/app/state.db) `)},
	{"JSON", fit(`429 Too Many Requests {"error":{"message":"Rate limit reached for gpt-4o in organization org-AbC123 on tokens per min: Limit 10000, Used 9500. Please try again in 6.5s.","type":"tokens","code":"rate_limit_exceeded"}} `)},
}

func fit(text string) string { return strings.Repeat(text, 2)[:238] }

// BenchmarkSum computes only the ids of texts. The metric cpu-ns is the CPU time of
// a call.
func BenchmarkSum(b *testing.B) {
	benchmark(b, func(text string) { fingerprint.Sum(text) })
}

func BenchmarkOf(b *testing.B) {
	benchmark(b, func(text string) { fingerprint.Of(text) })
}

func benchmark(b *testing.B, run func(text string)) {
	for _, bb := range benchTexts {
		b.Run(bb.name, func(b *testing.B) { measure(b, run, []string{bb.text}) })
	}
	b.Run("messages", func(b *testing.B) {
		var texts []string
		size := 0
		for _, line := range golden(b) {
			texts = append(texts, line.Text)
			size += len(line.Text)
		}
		measure(b, run, texts)
		b.ReportMetric(float64(size)/float64(len(texts)), "bytes")
	})
}

func measure(b *testing.B, run func(text string), texts []string) {
	b.ReportAllocs()
	const turn = 1000
	least := time.Duration(math.MaxInt64)
	for i := 0; b.Loop(); i++ {
		run(texts[i%len(texts)])
	}
	turns := turn/len(texts) + 1
	for range 20 {
		least = min(least, cputime.Of(func() {
			for range turns {
				for _, text := range texts {
					run(text)
				}
			}
		}))
	}
	b.ReportMetric(float64(least)/float64(turns*len(texts)), "cpu-ns")
}
