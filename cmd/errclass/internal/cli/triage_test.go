package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
)

const triageLog = `{"time":"2026-01-02T03:04:05Z","level":"ERROR","msg":"call failed","err":"dial tcp 10.0.0.7:80: connect: connection refused","service":"api"}
{"time":"2026-01-02T03:05:05Z","level":"ERROR","msg":"call failed","err":"dial tcp 10.0.0.8:81: connect: connection refused","service":"api"}
{"time":"2026-01-02T03:05:07Z","level":"INFO","msg":"fine"}
{"time":"2026-01-02T03:06:00Z","level":"ERROR","msg":"job 7","err":"the glorp is blorked \u001b[31m"}
`

func TestTriage(t *testing.T) {
	t.Parallel()
	r := run(t, triageLog, "triage")
	head, advice, ok := strings.Cut(r.out, "\nwhat to do\n")
	require.True(t, ok, r.out)
	assert.Equal(t, `3 errors in 4 lines, 2 groups, 2026-01-02 03:04:05Z to 2026-01-02 03:06:00Z
 COUNT  SHARE   FIRST     LAST      RATE                      CATEGORY   REASON   GROUP
------------------------------------------------------------------------------------------------------------------------------------------------
     2  66.7 %  03:04:05  03:05:05  █           █             retryable  network  call failed: dial tcp <ip>:<num>: connect: connection refused
     1  33.3 %  03:06:00  03:06:00                         █  fatal      unknown  job <num>: the glorp is blorked
`, head)
	assert.Contains(t, advice, "  network: From the machine that fails: ")
	assert.Contains(t, advice, "docs/reasons.md#network\n")
	assert.Contains(t, advice, "docs/reasons.md#unknown\n")
	assert.Empty(t, r.err)
	assert.Zero(t, r.code)

	r = run(t, triageLog, "triage", "--top", "1")
	assert.Contains(t, r.out, "\nand 1 more groups: --top 0 shows all\n")
	assert.NotContains(t, r.out, "glorp")
	r = run(t, "", "triage")
	assert.Equal(t, result{out: "0 errors in 0 lines, 0 groups\n"}, r)
}

func TestTriageJSON(t *testing.T) {
	t.Parallel()
	r := run(t, triageLog, "triage", "--format", "json")
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	require.Len(t, lines, 2)
	var g map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &g))
	for key, want := range map[string]any{
		"template": "call failed: dial tcp <ip>:<num>: connect: connection refused", "count": 2.0, "category": "retryable", "reason": "network",
		"first": "2026-01-02T03:04:05Z", "last": "2026-01-02T03:05:05Z", "example": "call failed: dial tcp 10.0.0.7:80: connect: connection refused",
		"series_start": "2026-01-02T03:04:05Z", "series_step_seconds": 1.0,
	} {
		assert.Equal(t, want, g[key], key)
	}
}

// TestTriageProblems checks messages and exit codes: for inputs that cannot be read, too
// many groups, wrong flags, and an output that cannot be written.
func TestTriageProblems(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.log"), filepath.Join(dir, "bad.gz")
	require.NoError(t, os.WriteFile(good, []byte(triageLog), 0o600))
	require.NoError(t, os.WriteFile(bad, []byte("\x1f\x8b\x08\x00xxxxxxxxxxxxxxx"), 0o600))
	r := run(t, "", "triage", dir, filepath.Join(dir, "missing"))
	assert.Equal(t, cli.ExitFailed, r.code)
	assert.Contains(t, r.out, "3 errors in 4 lines of 2 files, 2 groups")
	assert.Contains(t, r.err, "errclass triage: "+bad+": ")
	assert.Contains(t, r.err, "missing: stat: no such file or directory\n")

	r = run(t, triageLog+"ERROR: another\n", "triage", "--max-groups", "2")
	assert.Contains(t, r.err, "errclass triage: more than 2 groups: 1 of 4 errors are in none, those of the 1 rarest groups; see --max-groups\n")
	assert.Zero(t, r.code)

	for _, args := range [][]string{{"--top", "-1"}, {"--max-groups", "0"}, {"--format", "xml"}, {"--rules", "missing.yaml"}} {
		r := run(t, "", append([]string{"triage"}, args...)...)
		assert.Equal(t, cli.ExitUsage, r.code, args)
	}
	r = run(t, triageLog, "triage", "--rules-out", filepath.Join(dir, "no", "x.yaml"))
	assert.Equal(t, cli.ExitFailed, r.code)
	assert.Contains(t, r.err, "no such file or directory")
}

// TestTriageKeepsInputs checks that no output replaces an input, the rules file or
// another output.
func TestTriageKeepsInputs(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--html", "--rules-out", "--corpus-out"} {
		log := file(t, "app.jsonl", triageLog)
		for _, input := range []string{log, filepath.Dir(log)} {
			r := run(t, "", "triage", flag, log, input)
			assert.Equal(t, cli.ExitUsage, r.code, flag)
			assert.Contains(t, r.err, flag+" "+log+" would replace an input")
		}
		data, err := os.ReadFile(log)
		require.NoError(t, err)
		assert.Equal(t, triageLog, string(data))
	}
	const rule = "rules:\n  - id: a\n    match: quota of the shop\n    reason: budget_exceeded\n"
	for _, flag := range []string{"--rules", "--rules-only"} {
		rules := file(t, "rules.yaml", rule)
		r := run(t, triageLog, "triage", flag, rules, "--rules-out", rules)
		assert.Equal(t, cli.ExitUsage, r.code)
		assert.Contains(t, r.err, "--rules-out "+rules+" would replace an input")
		data, err := os.ReadFile(rules)
		require.NoError(t, err)
		assert.Equal(t, rule, string(data))
	}
	out := filepath.Join(t.TempDir(), "out")
	r := run(t, triageLog, "triage", "--html", out, "--rules-out", out)
	assert.Equal(t, cli.ExitUsage, r.code)
	assert.Contains(t, r.err, "--html and --rules-out are the same file")
}

// TestTriageRefusesOutputBelow checks that triage returns an error if standard output is
// a file in the input folder.
func TestTriageRefusesOutputBelow(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(file(t, "app.jsonl", triageLog))
	sub := filepath.Join(dir, "a", "b")
	require.NoError(t, os.MkdirAll(sub, 0o700))
	for out, want := range map[string]int{
		filepath.Join(dir, "report.txt"): cli.ExitUsage, filepath.Join(sub, "report.txt"): cli.ExitUsage,
		filepath.Join(t.TempDir(), "report.txt"): cli.ExitOK,
	} {
		f, err := os.OpenFile(out, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		require.NoError(t, err)
		defer f.Close()
		var errs bytes.Buffer
		require.Equal(t, want, cli.Main([]string{"triage", dir}, cli.Streams{Out: f, Err: &errs}), out)
		info, err := f.Stat()
		require.NoError(t, err)
		if want == cli.ExitOK {
			assert.Positive(t, info.Size())
			continue
		}
		assert.Equal(t, "errclass: "+dir+": the output is a file in this input folder; write to another folder\n", errs.String())
		assert.Zero(t, info.Size())
	}
}

// TestTriageLeavesStandardInput checks that standard input is read only if an
// argument names it.
func TestTriageLeavesStandardInput(t *testing.T) {
	t.Parallel()
	log := file(t, "app.jsonl", triageLog)
	in, w, err := os.Pipe()
	require.NoError(t, err)
	defer in.Close()
	_, err = w.WriteString("next.log\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	var out, errs bytes.Buffer
	assert.Zero(t, cli.Main([]string{"triage", log}, cli.Streams{In: in, Out: &out, Err: &errs}), errs.String())
	rest, err := io.ReadAll(in)
	require.NoError(t, err)
	assert.Equal(t, "next.log\n", string(rest))
}

// TestTriageUnknown checks that a group with an unknown reason becomes a rule and a
// corpus line.
func TestTriageUnknown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rules, corpus := filepath.Join(dir, "new.yaml"), filepath.Join(dir, "new.jsonl")
	r := run(t, triageLog, "triage", "--rules-out", rules, "--corpus-out", corpus)
	assert.Equal(t, "errclass triage: wrote "+rules+": 1 rules; choose their reasons\nerrclass triage: wrote "+corpus+": 1 lines; fill in their labels\n", r.err)

	r = run(t, triageLog, "triage", "--rules", rules)
	assert.Equal(t, cli.ExitUsage, r.code)
	assert.Contains(t, r.err, `unknown reason "CHOOSE"; use one of rate_limit, `)
	replace(t, rules, "CHOOSE", "resource")
	r = run(t, triageLog, "triage", "--rules", rules)
	assert.Contains(t, r.out, "fatal      resource  job <num>: the glorp is blorked")

	r = run(t, "", "eval", corpus)
	assert.Contains(t, r.err, "no category; fill in one of")
	replace(t, corpus, `"category":"","reason":""`, `"category":"fatal","reason":"resource"`)
	r = run(t, "", "eval", corpus, "--rules", rules, "--min-category", "100")
	assert.Zero(t, r.code, r.err)
}

// TestTriageHTML checks that --html writes the page in addition to the table.
func TestTriageHTML(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	got := run(t, `{"level":"ERROR","msg":"call failed","err":"HTTP 503 </script>"}`+"\n", "triage", "--html", page)
	assert.Zero(t, got.code)
	assert.Contains(t, got.out, "transient")
	assert.Contains(t, got.err, "wrote "+page+": 1 groups")
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(data), `HTTP 503 \u003c/script\u003e`)

	require.NoError(t, os.Chmod(page, 0o640))
	link := filepath.Join(dir, "link.html")
	require.NoError(t, os.Symlink(page, link))
	for _, name := range []string{page, link} {
		assert.Zero(t, run(t, "", "triage", "--html", name).code)
		info, err := os.Stat(page)
		require.NoError(t, err)
		assert.EqualValues(t, 0o640, info.Mode(), "the file keeps its mode")
		data, err := os.ReadFile(page)
		require.NoError(t, err)
		assert.NotContains(t, string(data), "HTTP 503")
		require.NoError(t, os.WriteFile(page, []byte("HTTP 503"), 0o600))
	}
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.Equal(t, os.ModeSymlink, info.Mode().Type(), "a link stays a link")

	got = run(t, "", "triage", "--html", filepath.Join(dir, "missing", "page.html"))
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "missing")
}

func replace(t *testing.T, name, old, by string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(text), old, by)), 0o600))
}
