package drain_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/cmd/errclass/internal/triage/drain"
)

// texts adds texts to a tree. It returns the final template of each text, and the number
// of texts with each template.
func texts(all ...string) (templates []string, counts map[string]int) {
	tree := drain.New(func(into, from *drain.Cluster[int]) { into.Value += from.Value })
	var clusters []*drain.Cluster[int]
	for _, text := range all {
		_, masked := fingerprint.Of(text)
		c := tree.Add(masked)
		c.Value++
		clusters = append(clusters, c)
	}
	counts = map[string]int{}
	seen := map[*drain.Cluster[int]]bool{}
	for _, c := range clusters {
		c = c.Current()
		templates = append(templates, c.Template())
		if !seen[c] {
			seen[c] = true
			counts[c.Template()] += c.Value
		}
	}
	return templates, counts
}

func TestAdd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		texts []string
		want  map[string]int
	}{
		{"values", []string{"dial tcp 10.0.0.7:5432: i/o timeout", "dial tcp 10.0.0.8:80: i/o timeout"}, map[string]int{"dial tcp <ip>:<num>: i/o timeout": 2}},
		{"values of other types", []string{"no answer from 10.0.0.7", "no answer from db.internal"}, map[string]int{"no answer from <*>": 2}},
		{"a part of a word", []string{"no answer (10.0.0.7)", "no answer (db.internal)", "no answer ()"}, map[string]int{"no answer (<*>)": 3}},
		{"two words are two events", []string{"VM 7 started", "VM 7 stopped"}, map[string]int{"VM <num> started": 1, "VM <num> stopped": 1}},
		{"five words are a value", []string{"user alice not found", "user bob not found", "user carol not found", "user dan not found", "user eve not found", "user eve not found"},
			map[string]int{"user <*> not found": 6}},
		{"types of exceptions", []string{"java.io.IOException: reset", "java.net.SocketException: reset"}, map[string]int{"java.io.IOException: reset": 1, "java.net.SocketException: reset": 1}},
		{"codes", []string{"HTTP 503 from api", "HTTP 502 from api"}, map[string]int{"HTTP 503 from api": 1, "HTTP 502 from api": 1}},
		{"names with a number", []string{"node rack-a7 is down", "node host_b12 is down"}, map[string]int{"node <*> is down": 2}},
		{"a value that looks like a word", []string{"limit of org-5ec2d9, reached", "limit of org-bfcfad, reached", "limit of org-1234, reached"}, map[string]int{"limit of org-<*>, reached": 3}},
		{"lists", []string{"lost parts 1, 2, 3 of file", "lost parts 4, 5 of file", "lost parts 6 of file"}, map[string]int{"lost parts <num> of file": 3}},
		{"other lengths", []string{"disk full", "disk is full"}, map[string]int{"disk full": 1, "disk is full": 1}},
		{"nothing", []string{"", " "}, map[string]int{"": 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, got := texts(tt.texts...)
			assert.Equal(t, tt.want, got)
		})
	}
}

// TestLong checks that a template has a limited number of words.
func TestLong(t *testing.T) {
	t.Parallel()
	got, _ := texts(strings.Repeat("a b ", 500))
	assert.Len(t, strings.Fields(got[0]), drain.MaxWords)
	assert.True(t, strings.HasSuffix(got[0], drain.Any))
}

func TestRemove(t *testing.T) {
	t.Parallel()
	tree := drain.New(func(_, _ *drain.Cluster[int]) { t.Error("nothing to merge") })
	c := tree.Add("disk full")
	assert.Same(t, c, tree.Add("disk full"))
	tree.Remove(c)
	tree.Remove(c)
	tree.Prune()
	assert.Empty(t, slices.Collect(tree.All()))
	assert.NotSame(t, c, tree.Add("disk full"))
}

// TestManyTemplates checks that adding a template takes no longer in a large tree than
// in a small one.
func TestManyTemplates(t *testing.T) {
	t.Parallel()
	tree := drain.New(func(into, from *drain.Cluster[int]) { into.Value += from.Value })
	for i := range 50_000 {
		tree.Add(fmt.Sprintf("%s %s %s", letters(i), letters(i*7919), letters(i*104729))).Value++
	}
	c := tree.Add("a b c")
	c.Value++
	assert.Positive(t, c.Current().Value)
}

// TestNoWordsAfterManyLengths adds a text without words, which once caused a panic.
func TestNoWordsAfterManyLengths(t *testing.T) {
	t.Parallel()
	all := []string{""}
	for n := range 100 {
		all = append(all, strings.TrimSpace(strings.Repeat("word ", n+1)))
	}
	slices.Reverse(all)
	templates, counts := texts(all...)
	assert.Equal(t, all, templates)
	assert.Len(t, counts, len(all))
}

// letters returns a text of letters that is different for each n.
func letters(n int) (word string) {
	for range 6 {
		word += string(rune('a' + n%26))
		n /= 26
	}
	return word
}

// FuzzAdd checks that every text always matches the template of its cluster.
func FuzzAdd(f *testing.F) {
	f.Add("user alice not found\nuser bob not found\nuser carol not found\nuser dan not found\nuser eve not found\n")
	f.Add("a <num> <ip>\na <*> <ip>\na () <>\na (7)\n")
	f.Add("1, 2, 3\n4, 5\n<num>,\n")
	f.Add(strings.Repeat("x ", 200) + "\n" + strings.Repeat("x ", 300))
	f.Add("org-1, a\norg-b, a\norg-, a\norg-c5d6e7f8-1, a")
	f.Add("x-1ay2z a\nx-fooz a\nx-3z a")
	f.Add("node-1 a\nrack_2 a\nx:1 a\ny:2: a\n")
	f.Fuzz(func(t *testing.T, log string) {
		lines := strings.Split(log, "\n")
		if len(lines) > 200 {
			return
		}
		templates, counts := texts(lines...)
		for i, line := range lines {
			_, masked := fingerprint.Of(line)
			if !drain.Matches(templates[i], masked) {
				t.Errorf("%q has the template %q, which does not match %q", line, templates[i], masked)
			}
		}
		sum := 0
		for _, n := range counts {
			sum += n
		}
		if sum != len(lines) {
			t.Errorf("%d lines, %d in clusters", len(lines), sum)
		}
	})
}

// BenchmarkAdd measures Add in two cases. The case "usual" adds texts of four templates.
// The case "random" is the worst: it adds texts of the same words in random order, and
// Add compares each text with many clusters.
func BenchmarkAdd(b *testing.B) {
	var usual, random []string
	order := rand.New(rand.NewPCG(1, 1))
	words := strings.Fields("user connection failed <path> <host>:<num> id-<num> a=<num> (<ip>) timeout")
	for i := range 1000 {
		usual = append(usual, fmt.Sprintf("dial tcp <ip>:<num>: %s: i/o timeout after <duration>", letters(i%4)))
		text := "x"
		for range 12 {
			text += " " + words[order.IntN(len(words))]
		}
		random = append(random, text)
	}
	for name, masked := range map[string][]string{"usual": usual, "random": random} {
		b.Run(name, func(b *testing.B) {
			tree := drain.New(func(_, _ *drain.Cluster[int]) {})
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				tree.Add(masked[i%len(masked)])
			}
		})
	}
}
