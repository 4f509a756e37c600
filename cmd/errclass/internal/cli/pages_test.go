package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
)

var (
	pageCommand = regexp.MustCompile("errclass (classify|eval|explain|logs|rules|run|triage)\\b([^`|#\n]*)")
	pageFlag    = regexp.MustCompile(`(?:^|\s)(--[a-z][a-z-]*)`)
	pageExample = regexp.MustCompile(`(?m)^( *)\$ errclass (.+)\n((?: +\S.*\n)+)`)
	pageWord    = regexp.MustCompile(`'([^']*)'|\S+`)
)

// pages returns the README, CONTRIBUTING and the pages in docs/.
func pages(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../../../../docs/*.md")
	require.NoError(t, err)
	texts := map[string]string{}
	for _, path := range append(paths, "../../../../README.md", "../../../../CONTRIBUTING.md") {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		texts[filepath.Base(path)] = string(data)
	}
	return texts
}

// TestPagesHaveFlags checks that all flags on the pages exist.
func TestPagesHaveFlags(t *testing.T) {
	t.Parallel()
	found := 0
	for page, text := range pages(t) {
		for _, command := range pageCommand.FindAllStringSubmatch(text, -1) {
			ours, _, _ := strings.Cut(command[2], " -- ")
			for _, flag := range pageFlag.FindAllStringSubmatch(ours, -1) {
				found++
				assert.Regexp(t, `(?m)^ +`+flag[1]+" ", run(t, "", "help", command[1]).out, "%s: %s", page, command[0])
			}
		}
	}
	assert.Greater(t, found, 20)
}

// TestPagesHaveOutput runs the examples on the pages and compares their output.
func TestPagesHaveOutput(t *testing.T) {
	t.Parallel()
	found := 0
	for page, text := range pages(t) {
		for _, example := range pageExample.FindAllStringSubmatch(text, -1) {
			found++
			var args []string
			for _, word := range pageWord.FindAllString(example[2], -1) {
				args = append(args, strings.Trim(word, "'"))
			}
			want := strings.ReplaceAll("\n"+example[3], "\n"+example[1], "\n")[1:]
			assert.Equal(t, result{code: cli.ExitOK, out: want}, run(t, "", args...), "%s: errclass %s", page, example[2])
		}
	}
	assert.Positive(t, found)
}
