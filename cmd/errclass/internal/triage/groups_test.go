package triage

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
)

func TestSteps(t *testing.T) {
	t.Parallel()
	for i := 1; i < len(steps); i++ {
		assert.Zero(t, steps[i]%steps[i-1], "%d does not divide %d", steps[i-1], steps[i])
	}
	span := time.Date(lastYear+1, 1, 1, 0, 0, 0, 0, time.UTC).Sub(time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC))
	assert.Less(t, int64(span/time.Second)/steps[len(steps)-1], int64(MaxSteps))
}

// TestSeries checks that events are counted in the right steps, in any order.
func TestSeries(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(0, rapid.SampledFrom([]int64{10, 1000, 1e6, 3e9}).Draw(t, "range")), 1, 60).Draw(t, "times")
		var g grid
		var parts [3]counts
		for i, sec := range times {
			g.add(sec)
			parts[i%2].add(&g, sec, 1)
		}
		for i := range 2 {
			parts[2].merge(&g, &parts[i])
		}
		got := parts[2].series(&g)
		require.LessOrEqual(t, g.length(), MaxSteps)
		if g.level > 0 { // shorter steps would be too many
			s := steps[g.level-1]
			require.Greater(t, g.last/s-g.first/s+1, int64(MaxSteps))
		}
		want := map[int]int64{}
		for _, sec := range times {
			want[int(sec/g.step()-g.first/g.step())]++
		}
		for i := range g.length() {
			require.Equal(t, want[i], got.Sum(i, i+1))
		}
		require.Equal(t, int64(len(times)), got.Sum(0, g.length()))
		require.Zero(t, got.Sum(-1, 0))
		require.Zero(t, got.Sum(g.length(), g.length()+1))
	})
}

// distinct writes lines with errors. Every error has different words.
func distinct(w io.Writer, lines int) error {
	for i := range lines {
		_, err := fmt.Fprintf(w, `{"time":%d,"level":"error","msg":"%s %s%s has %s"}`+"\n", 1767323045+i/100, word(i*7919), word(i), strings.Repeat(" and", i%40), word(i*31))
		if err != nil {
			return err
		}
	}
	return nil
}

// word returns a text of letters that is different for each n.
func word(n int) (text string) {
	for range 6 {
		text += string(rune('a' + n%26))
		n /= 26
	}
	return text
}

// TestBound checks that a limit on groups bounds the memory and loses no event.
func TestBound(t *testing.T) {
	t.Parallel()
	lines := 100_000
	if testing.Short() {
		lines = 30_000
	}
	in, out := io.Pipe()
	var most uint64
	go func() {
		var err error
		for i := 0; i < 10 && err == nil; i++ {
			err = distinct(out, lines/10)
			if err == nil {
				_, err = io.WriteString(out, strings.Repeat(`{"time":1767323045,"level":"error","msg":"connection refused"}`+"\n", 20))
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		_ = out.CloseWithError(err)
	}()
	const bound = 1000
	r := Run(t.Context(), Options{Inputs: []string{"-"}, Stdin: in, MaxGroups: bound})
	check(t, r)
	assert.Empty(t, r.Notes)
	assert.EqualValues(t, lines+200, r.Events)
	assert.LessOrEqual(t, len(r.Groups), bound)
	assert.Equal(t, bound, r.Rest.Bound)
	assert.Positive(t, r.Rest.Events)
	assert.Equal(t, "connection refused", r.Groups[indexOf(r, "connection refused")].Template)
	assert.EqualValues(t, 200, r.Groups[indexOf(r, "connection refused")].Count)
	assert.Less(t, most, uint64(120<<20), "bytes of heap")
}

func indexOf(r *Report, template string) int {
	for i, g := range r.Groups {
		if g.Template == template {
			return i
		}
	}
	return 0
}

// TestGiveUp checks that the smallest groups are removed first and, of equally small
// groups, the oldest.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	for i := range 11 {
		for range 1 + i%2 {
			fmt.Fprintf(&log, `{"level":"error","msg":"the %s is broken%s"}`+"\n", word(i), strings.Repeat(" very", i))
		}
	}
	r := Run(t.Context(), Options{Inputs: []string{"-"}, Stdin: strings.NewReader(log.String()), MaxGroups: 10})
	check(t, r)
	assert.EqualValues(t, 2, r.Rest.Groups)
	assert.EqualValues(t, 2, r.Rest.Events)
	assert.Len(t, r.Groups, 9)
	for _, g := range r.Groups {
		assert.NotContains(t, []string{"the aaaaaa is broken", "the caaaaa is broken very very"}, g.Template)
	}
}

// TestMostEventsDecide checks which category and reason a group gets if its events have
// different ones, and that the totals agree.
func TestMostEventsDecide(t *testing.T) {
	t.Parallel()
	words := []string{"socket", "token", "password", "disk", "certificate", "shard", "queue"}
	for _, tt := range []struct {
		name string
		seen []classify.Reason // of the events, whose texts differ in one word
		want classify.Reason
	}{
		{"first", []classify.Reason{"network", "network", "network", "unknown", "resource", "unknown"}, "network"},
		{"later", []classify.Reason{"network", "unknown", "resource", "unknown", "unknown", "network"}, "unknown"},
		{"earlier of two", []classify.Reason{"resource", "network", "unknown", "network", "resource"}, "resource"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newGroups(100)
			for i, reason := range tt.seen {
				e := event{text: "could not process the " + words[i] + " of this request", time: int64(1+i) * 1e9, noRule: true}
				e.id, e.category, e.reason, e.full = fingerprint.Sum(e.text), reason.Policy().Category, reason, e.text
				g.add(&e, "f")
			}
			r := g.report()
			check(t, r)
			require.Len(t, r.Groups, 1)
			assert.Equal(t, "could not process the <*> of this request", r.Groups[0].Template)
			assert.Equal(t, tt.want, r.Groups[0].Reason)
			assert.Equal(t, tt.want.Policy().Category, r.Groups[0].Category)
			require.Len(t, r.Counts, 1)
			assert.Equal(t, tt.want, r.Counts[0].Reason)
		})
	}
}

// TestTemplatesHaveNoSecrets checks that secrets are found before a template loses the
// text around them.
func TestTemplatesHaveNoSecrets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"bad values:\npassword: |\n  marzipan\nsecrets:\n  db: saffron": "bad values: password: | [masked] secrets: db: [masked]",
		"[secrets]\ndb = saffron":         "[secrets] db = [masked]",
		"denied: net1 user carol saffron": "denied: net<num> user carol [masked]",
		"denied: tool -p marzipan7":       "denied: tool -p [masked]",
		"denied: net user bob /domain:no": "denied: net user bob <path>:no",
	} {
		e := event{text: headline(text), full: text}
		e.id = fingerprint.Sum(e.text)
		assert.Equal(t, fingerprint.Sum(text), e.id, text)
		g := newGroups(10)
		g.add(&e, "f")
		r := g.report()
		require.Len(t, r.Groups, 1)
		assert.Equal(t, want, r.Groups[0].Template)
	}
}

// TestExamplesAreDifferent checks that a text becomes an example only once.
func TestExamplesAreDifferent(t *testing.T) {
	t.Parallel()
	g := newGroups(10)
	g.size = exampleBytes + 1
	for _, text := range []string{"a", "a", "b"} {
		e := event{text: "failed:" + strings.Repeat(" again", 100) + " " + text}
		e.full, e.source = e.text, e.text
		e.id = fingerprint.Sum(e.text)
		g.add(&e, "f")
	}
	for c := range g.tree.All() {
		for _, o := range c.Value {
			assert.LessOrEqual(t, len(o.examples), 1)
			for _, x := range o.examples {
				assert.LessOrEqual(t, len(x.full), shortExample)
			}
		}
	}
}

// TestOrigins checks that names beyond the limit are counted together.
func TestOrigins(t *testing.T) {
	t.Parallel()
	var a, b origins
	for i := range 2 * maxKept {
		a.add(fmt.Sprint(i), int64(1+i%3))
	}
	b.add("0", 5)
	b.add("new", 7)
	a.merge(&b)
	names, more := a.top()
	assert.Len(t, names, MaxOrigins)
	assert.Equal(t, Origin{"0", 6}, names[0])
	sum := more
	for _, n := range names {
		sum += n.Count
	}
	var want int64 = 12
	for i := range 2 * maxKept {
		want += int64(1 + i%3)
	}
	assert.Equal(t, want, sum)
}
