package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
)

// trainer is the source code of a trainer program that only prints the file answers.txt.
const trainer = `package main

import (
	"fmt"
	"os"
)

func main() {
	if got := fmt.Sprint(os.Args[1:]); got != "[-predictions -]" {
		fmt.Fprintln(os.Stderr, "wrong arguments", got)
		os.Exit(3)
	}
	answers, err := os.ReadFile("answers.txt")
	if err != nil {
		fmt.Fprintln(os.Stderr, "no lesson")
		os.Exit(4)
	}
	os.Stdout.Write(answers)
}
`

// answers is the output of the trainer. For a-2, it wrongly says retryable.
const answers = `{"id":"a-1","category":"retryable","reason":"rate_limit","rule":"http/429","confidence":0.95}
{"id":"a-2","category":"retryable","reason":"transient","rule":"model","confidence":0.85}
{"id":"b-1","category":"retryable","reason":"network","rule":"model","confidence":0.75}
{"id":"b-2","category":"fatal","reason":"authentication","rule":"model","confidence":0.65}
`

// module returns the files of a corpus with a trainer.
func module(answers string) map[string]string {
	return map[string]string{
		"go.mod":            "module example.com/corpus\n\ngo 1.26\n",
		"cmd/train/main.go": trainer,
		"slices/data.jsonl": corpus,
		"answers.txt":       answers,
	}
}

func TestEvalCrossValidate(t *testing.T) {
	t.Parallel()
	dir := folder(t, module(answers))
	r := run(t, "", "eval", dir, "--cross-validate", "--errors")
	require.Equal(t, cli.ExitOK, r.code, r.err)
	assert.Empty(t, r.err)
	assert.True(t, strings.HasPrefix(r.out, `entries         4
category right  75.0 % (1 wrong)
reason right    75.0 % (1 wrong)
`), r.out)
	assert.Contains(t, r.out, `
 model        3  66.7 %    66.7 %               1               0
 http         1  100.0 %   100.0 %              0               0
`)
	assert.True(t, strings.HasSuffix(r.out, `
Misses: 1 of 1

a-2
  | HTTP 503 out of money
  want  fatal/budget_exceeded
  got   retryable/transient (false retry), decided by model
`), r.out)

	then := file(t, "then.jsonl", answers)
	now := filepath.Join(t.TempDir(), "now.jsonl")
	r = run(t, "", "eval", dir, "--cross-validate", "--split", "0/2", "--against", then, "--predictions", now)
	require.Equal(t, cli.ExitOK, r.code, r.err)
	assert.Contains(t, r.out, "\nwon                  0\nlost                 0\nchanged while wrong  0\n")
	saved, err := os.ReadFile(now)
	require.NoError(t, err)
	assert.NotEmpty(t, saved)
	assert.Less(t, len(saved), len(answers), "a part of the answers")
	for line := range strings.Lines(string(saved)) {
		assert.Contains(t, answers, line)
	}
}

func TestEvalCrossValidateFaults(t *testing.T) {
	t.Parallel()
	first, _, _ := strings.Cut(answers, "\n")
	untrained := module("")
	delete(untrained, "answers.txt")
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string // without the folder and the colon after it
	}{
		{"no trainer", map[string]string{"data.jsonl": corpus}, "no folder cmd/train, so no trainer; cross-validation needs the folder corpus of a clone"},
		{"the trainer fails", untrained, "go run ./cmd/train -predictions -: exit status 1"},
		{"no answers", module("trained in 9 s\n"), "go run ./cmd/train -predictions -:1: not a JSON object: "},
		{"too few answers", module(first), "cross-validation has no answer for 3 of 4 entries: a-2, b-1, b-2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, "", "eval", "--cross-validate", folder(t, tt.files))
			assert.Equal(t, cli.ExitFailed, r.code)
			assert.Contains(t, r.err, tt.want)
			assert.Empty(t, r.out)
			if tt.name == "the trainer fails" {
				assert.Contains(t, r.err, "no lesson\n", "what the trainer says")
			}
		})
	}
	name := file(t, "corpus.jsonl", corpus)
	assert.Contains(t, run(t, "", "eval", "--cross-validate", name).err, "errclass: "+name+": no folder cmd/train, so no trainer")
	assert.Contains(t, run(t, corpus, "eval", "--cross-validate", "-").err, "errclass: -: no folder cmd/train, so no trainer")
	for _, flag := range []string{"--rules=minimal", "--rules-only=x", "--no-model"} {
		r := run(t, "", "eval", "--cross-validate", name, flag)
		assert.Equal(t, cli.ExitUsage, r.code, flag)
		assert.Contains(t, r.err, "leave out --rules, --rules-only and --no-model", flag)
	}
}

// TestEvalCrossValidateWithoutGo checks the error if PATH has no go command.
func TestEvalCrossValidateWithoutGo(t *testing.T) {
	dir := folder(t, module(answers))
	t.Setenv("PATH", t.TempDir())
	r := run(t, "", "eval", "--cross-validate", dir)
	assert.Equal(t, cli.ExitFailed, r.code)
	assert.Contains(t, r.err, `errclass: cross-validation runs the trainer with the go command: exec: "go": executable file not found in `)
}
