package classify

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/internal/memory"
	"github.com/errclass/errclass/classify/internal/ruleset"
	"github.com/errclass/errclass/classify/internal/scan"
	"github.com/errclass/errclass/classify/internal/standard"
)

// corpusMessages returns the error texts of the labelled corpus.
func corpusMessages(tb testing.TB) []string {
	tb.Helper()
	f, err := os.Open("testdata/corpus.jsonl")
	require.NoError(tb, err)
	defer f.Close()
	var all []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var entry struct{ Message string }
		require.NoError(tb, json.Unmarshal(lines.Bytes(), &entry))
		all = append(all, entry.Message)
	}
	require.NoError(tb, lines.Err())
	return all
}

// benchmarkPatterns returns n patterns from all families of standard rules. If there
// are too few, it adds variants with one more word.
func benchmarkPatterns(n int) []string {
	exprs := make([]string, n)
	for i := range exprs {
		r := standard.Rules[i*max(len(standard.Rules)/n, 1)%len(standard.Rules)]
		exprs[i] = r.Pattern
		if round := i / len(standard.Rules); round > 0 {
			exprs[i] = fmt.Sprintf("(?:%s) v%d", r.Pattern, round)
		}
	}
	return exprs
}

// benchmarkTexts returns the texts of the benchmarks by name:
//
//   - "near" has the beginnings of many matches, but no match.
//   - "often" has matches everywhere.
func benchmarkTexts(tb testing.TB) map[string][]string {
	corpus := corpusMessages(tb)
	var long strings.Builder
	for i := 0; long.Len() < 8<<10; i++ {
		long.WriteString(corpus[i%len(corpus)])
		long.WriteByte('\n')
	}
	cut := func(n int) []string {
		var all []string
		for _, s := range corpus {
			if len(s) >= n {
				all = append(all, strings.ToValidUTF8(s[:n], ""))
			}
		}
		return all
	}
	return map[string][]string{
		"corpus": corpus,
		"50B":    cut(50),
		"250B":   cut(250),
		"8KiB":   {long.String()[:8<<10]},
		"rare":   {strings.Repeat("the quick brown fox jumps over the lazy dog and all is well. ", 4)},
		"often":  {strings.Repeat("HTTP 429 rate limit exceeded, connection refused, timed out; ", 4)},
		"near":   {strings.Repeat("rate limi connection refuse too many request contex lengt HTTP 4 ", 4)},
	}
}

func perText(b *testing.B, texts []string, f func(text string)) float64 {
	b.Helper()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		f(texts[i%len(texts)])
	}
	return float64(b.Elapsed().Nanoseconds()) / float64(b.N)
}

// BenchmarkScan measures the search of a text for all patterns at once. The metric
// x-regexp is the time that package regexp takes, divided by the time of this search.
func BenchmarkScan(b *testing.B) {
	all := benchmarkTexts(b)
	for _, n := range []int{20, 100, 300, 1000, len(standard.Rules)} {
		exprs := benchmarkPatterns(n)
		m, err := scan.Compile(exprs)
		require.NoError(b, err)
		stats := m.Stats()
		set := make([]uint64, m.Words())
		for _, name := range []string{"corpus", "50B", "250B", "8KiB", "rare", "often", "near"} {
			b.Run(fmt.Sprintf("rules=%d/%s", n, name), func(b *testing.B) {
				texts := all[name]
				perText := perText(b, texts, func(text string) { m.Match(set, text) })
				b.ReportMetric(perText*float64(len(texts))/float64(len(strings.Join(texts, ""))), "ns/B")
				if name == "corpus" {
					b.ReportMetric(regexpPerText(exprs, texts)/perText, "x-regexp")
					b.ReportMetric(float64(stats.States), "states")
					b.ReportMetric(float64(stats.Bytes), "table-B")
				}
			})
		}
	}
}

// BenchmarkScanPhrases is like [BenchmarkScan], but its patterns are phrases of three
// words. One phrase in four occurs in the corpus.
func BenchmarkScanPhrases(b *testing.B) {
	texts := corpusMessages(b)
	words := strings.Fields(strings.Join(texts, " "))
	random := rand.New(rand.NewPCG(1, 2))
	exprs := make([]string, 1000)
	for i := range exprs {
		at := random.IntN(len(words) - 2)
		phrase := words[at : at+3]
		if i%4 > 0 {
			phrase = []string{words[at], words[random.IntN(len(words))], words[random.IntN(len(words))]}
		}
		exprs[i] = regexp.QuoteMeta(strings.Join(phrase, " "))
	}
	for _, n := range []int{20, 100, 300, 1000} {
		m, err := scan.Compile(exprs[:n])
		require.NoError(b, err)
		set := make([]uint64, m.Words())
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			perText(b, texts, func(text string) { m.Match(set, text) })
		})
	}
}

// regexpPerText returns how many nanoseconds package regexp takes, on average, to match
// all patterns against one text.
func regexpPerText(exprs, texts []string) float64 {
	compiled := make([]*regexp.Regexp, len(exprs))
	for i, expr := range exprs {
		compiled[i] = regexp.MustCompile("(?i:" + expr + ")")
	}
	part := texts[:min(len(texts), 40)]
	begin := time.Now()
	for _, text := range part {
		for _, re := range compiled {
			re.MatchString(text)
		}
	}
	ratio := float64(len(strings.Join(texts, ""))) / float64(len(texts)) / (float64(len(strings.Join(part, ""))) / float64(len(part)))
	return float64(time.Since(begin).Nanoseconds()) / float64(len(part)) * ratio
}

// BenchmarkFirstUse measures loading the standard rule set. A program loads this set
// at its first classification.
func BenchmarkFirstUse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		standardSet()
	}
}

// BenchmarkCompile measures compiling the standard rule set. Only go generate compiles
// this set. Programs load the result.
func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ruleset.Compile(standard.Rules[:]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMessage measures a whole classification, of cached and of new texts.
func BenchmarkMessage(b *testing.B) {
	texts := corpusMessages(b)
	b.Run("seen", func(b *testing.B) {
		perText(b, texts, func(text string) { Message(text) })
	})
	b.Run("new", func(b *testing.B) {
		c := *Standard
		c.seen = new(memory.Memory)
		n := 0
		perText(b, texts, func(text string) {
			if n++; n%len(texts) == 0 {
				c.seen = new(memory.Memory)
			}
			c.Message(text)
		})
	})
}
