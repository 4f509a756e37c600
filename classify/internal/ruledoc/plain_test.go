package ruledoc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// library reads the rules of a document with the YAML library.
func library(data string) ([]Rule, error) {
	dec := yaml.NewDecoder(strings.NewReader(data))
	var root yaml.Node
	if err := dec.Decode(&root); err != nil {
		if data := strings.TrimSpace(data); err.Error() == "EOF" || data == "" {
			return nil, nil
		}
		return nil, err
	}
	if err := dec.Decode(new(yaml.Node)); err == nil || err.Error() != "EOF" {
		return nil, assert.AnError
	}
	if len(root.Content) == 0 || isNull(root.Content[0]) {
		return nil, nil
	}
	var rules []Rule
	err := eachField(root.Content[0], func(key string, value *yaml.Node) (err error) {
		if key != "rules" {
			return assert.AnError
		}
		rules, err = readRules(value)
		return err
	})
	return rules, err
}

var plainFiles = []string{
	"", "# nothing\n", "rules:\n", "---\nrules: [] # none\n", "rules:\n  # none\n\n",
	"rules:\n- id: a\n  reason: policy\n  pattern: x\n", "rules:\r\n  - id: a\r\n    pattern: 'it''s'\r\n\r\n",
	"rules:\n  - id: shop/stock-locked # ours\n    pattern: 'a: b # c'\n    match: ['x, y', \"a\\\"b\\\\d\\n\", z]\n    miss:\n    - a b\n    - 'c'\n    - |\n      two\n        lines\n\n      more\n    source: http://x.y/z#a\n",
	"rules:\n-\n  id: a\n  miss:\n      - x\n", "rules: [\n {id: a, 'pattern': b c,\n  match: [d,\n   e]}, # f\n {id: -1},\n]\n",
	"{\"rules\": [{\"id\":\"a\",\"reason\":\"policy\"},{\"id\" : \"b\"}]}", "rules:\n- {id: a,\n   pattern: \\d+}\n- {id: b}\n",
	"rules:\n- id: a\n  pattern: |-\n\n    x\n   \n  match:\n  - |+\n    y\n\n\n- id: b\n", "rules:\n- id: null\n- id: ~x\n", "\ufeffrules:\n- pattern: é日本\n  decides: {a: b, \"c\": d}\n",
	"rules:\n- id: a\n  id: b\n", "rules:\n- idd: b\n", "rules:\n- id: [a]\n", "rules:\n- match: x\n", "rules: [a]\n", "rules:\n- id: a\n rules:\n",
	"rules:\n- id: a\n  b\n", "rules:\n- id: a\n- |\n", "rules:\n- id: a:\n", "rules:\n- id: a\n---\n", "rules:\n- id: a b: c\n", "rules:\n- id: &a x\n", "rules: {a: b}\n",
}

func TestPlainReadsWhatTheLibraryReads(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../rules/*.yaml")
	require.NoError(t, err)
	files := plainFiles
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		files = append(files, string(data))
	}
	read := 0
	for _, file := range files {
		if checkPlain(t, file) {
			read++
		}
	}
	require.Greater(t, read, len(paths)/2+15, "most files are plain")
}

// checkPlain reports whether readPlain supports the YAML of file. If readPlain supports
// the YAML, the YAML library must read the same rules.
func checkPlain(t *testing.T, file string) bool {
	t.Helper()
	rules, line, err := readPlain([]byte(file), func(int, *Rule) error { return nil })
	if line > 0 {
		require.NoError(t, err)
		return false
	}
	want, wantErr := library(file)
	if err != nil {
		require.Error(t, wantErr, "%q: %v", file, err)
		return true
	}
	require.NoError(t, wantErr, "%q", file)
	require.Len(t, rules, len(want), "%q", file)
	for i := range rules {
		require.Equal(t, want[i], rules[i], "%q", file)
	}
	return true
}

func FuzzPlain(f *testing.F) {
	for _, file := range plainFiles {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkPlain(t, string(data))
	})
}
