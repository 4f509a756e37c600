package triage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/rulesfile"
	"github.com/errclass/errclass/cmd/errclass/internal/eval"
)

const unknownLog = `{"level":"error","msg":"job 7 failed","err":"widget frobnication drained at stage 3","service":"shop"}
{"level":"error","msg":"job 8 failed","err":"widget frobnication drained at stage 4","service":"shop"}
{"level":"error","msg":"it's \"odd\": the  zyzzyva 'a b' at /x/y said {1}"}
{"level":"error","msg":"it's \"odd\": the  zyzzyva 'c' at /z said {22}"}
{"level":"error","msg":"xyzzy 1"}
{"level":"error","msg":"dial tcp 10.0.0.7:80: connect: connection refused"}
ERROR: the glorp is blorked
	at a.b(c:1)
`

func rulesOf(t *testing.T, r *Report) (text string, n int) {
	t.Helper()
	var b strings.Builder
	n, err := WriteRules(&b, r)
	require.NoError(t, err)
	return b.String(), n
}

// TestRules checks that a file is refused until a person has chosen the reasons.
func TestRules(t *testing.T) {
	t.Parallel()
	r := triaged(t, unknownLog)
	unknown := 0
	for _, g := range r.Groups {
		if g.Reason == classify.ReasonUnknown {
			unknown++
		}
	}
	require.GreaterOrEqual(t, unknown, 3)
	text, n := rulesOf(t, r)
	assert.Equal(t, 3, n, text)
	assert.Contains(t, text, "pattern: 'widget frobnication drained at stage'")
	assert.Contains(t, text, "No pattern, because the template has too few words:\n  # xyzzy <num>")

	_, err := rulesfile.Load(strings.NewReader(text))
	require.ErrorContains(t, err, `unknown reason "CHOOSE"; use one of rate_limit, `)
	chosen := strings.ReplaceAll(text, "reason: CHOOSE", "reason: resource")
	rules, err := rulesfile.Load(strings.NewReader(chosen))
	require.NoError(t, err, chosen)
	c, err := classify.New(classify.WithRules(rules...))
	require.NoError(t, err)
	again := Run(t.Context(), Options{Inputs: []string{"-"}, Stdin: strings.NewReader(unknownLog), Classifier: c})
	for _, g := range again.Groups {
		if g.Template != "xyzzy <num>" && !strings.HasPrefix(g.Template, "dial") {
			assert.Equal(t, classify.ReasonResource, g.Reason, g.Template)
		}
	}
}

func TestNoRules(t *testing.T) {
	t.Parallel()
	text, n := rulesOf(t, triaged(t, ""))
	assert.Zero(t, n)
	rules, err := rulesfile.Load(strings.NewReader(text))
	require.NoError(t, err)
	assert.Empty(t, rules)
}

func TestManyRules(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	for i := range 2 * maxRules {
		fmt.Fprintf(&log, "ERROR: the glorp%s of %s\n", strings.Repeat(" very", i), word(i))
	}
	text, n := rulesOf(t, triaged(t, log.String()))
	assert.Equal(t, maxRules, n)
	assert.Contains(t, text, "# More groups are unknown.")
}

// FuzzRules checks that a file with chosen reasons can be loaded, for any texts.
func FuzzRules(f *testing.F) {
	f.Add("the glorp 'x' is {blorked} at 10.0.0.1: \"a\"", "the glorp 'y' is {blorked} at h: \"b\"")
	f.Add("tab\tand \\ back \x1b[31mred # comment", "ünïcode \u2028 words : - ? words")
	f.Add("((((aaaaaaaaaa", "*+?.|[]{}^$ letters")
	f.Fuzz(func(t *testing.T, a, b string) {
		var log strings.Builder
		for _, text := range []string{a, b} {
			log.WriteString("ERROR: " + strings.ReplaceAll(text, "\n", " ") + "\n")
		}
		r := triaged(t, log.String())
		for i := range r.Groups {
			r.Groups[i].Reason = classify.ReasonUnknown
		}
		text, _ := rulesOf(t, r)
		if _, err := rulesfile.Load(strings.NewReader(strings.ReplaceAll(text, "reason: CHOOSE", "reason: logic"))); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	})
}

// TestCorpus checks that "errclass eval" reads lines that a person has labelled.
func TestCorpus(t *testing.T) {
	t.Parallel()
	r := triaged(t, unknownLog)
	var b strings.Builder
	n, err := WriteCorpus(&b, r)
	require.NoError(t, err)
	assert.Equal(t, strings.Count(b.String(), "\n"), n)
	assert.GreaterOrEqual(t, n, 4)
	assert.Contains(t, b.String(), `"product":"shop","message":"widget frobnication drained at stage 3","category":"","reason":""`)
	assert.NotContains(t, b.String(), "connection refused")

	var c eval.Corpus
	require.ErrorContains(t, c.Read(strings.NewReader(b.String()), "new.jsonl"), "no category; fill in one of retryable, ")
	c = eval.Corpus{}
	filled := strings.ReplaceAll(b.String(), `"category":"","reason":""`, `"category":"fatal","reason":"resource"`)
	require.NoError(t, c.Read(strings.NewReader(filled), "new.jsonl"))
	assert.Len(t, c.Entries, n)
}
