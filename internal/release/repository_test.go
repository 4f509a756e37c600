package main

import (
	"os"
	"path"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestModulesOfThisRepository checks which modules get a tag. Modules of tests and
// examples get none.
func TestModulesOfThisRepository(t *testing.T) {
	t.Parallel()
	modules, err := readModules("../..")
	require.NoError(t, err)
	tags := tagsOf(modules, "v1.2.3")
	assert.Equal(t, "v1.2.3", tags[0])
	for _, m := range modules {
		private := slices.Contains([]string{"compat", "examples"}, firstElement(m.Dir)) || path.Base(m.Dir) == "test"
		if private {
			assert.NotContains(t, tags, m.Dir+"/v1.2.3", "users do not install %s: add a replace to its go.mod", m.Dir)
		}
	}
}

func firstElement(dir string) string {
	for path.Dir(dir) != "." {
		dir = path.Dir(dir)
	}
	return dir
}

// TestDependabotKnowsEveryModule compares go.work with the directories in
// dependabot.yml. Dependabot does not read go.work.
func TestDependabotKnowsEveryModule(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../.github/dependabot.yml")
	require.NoError(t, err)
	var file struct {
		Updates []struct {
			Ecosystem   string   `yaml:"package-ecosystem"`
			Directories []string `yaml:"directories"`
		} `yaml:"updates"`
	}
	require.NoError(t, yaml.Unmarshal(data, &file))
	require.NotEmpty(t, file.Updates)
	require.Equal(t, "gomod", file.Updates[0].Ecosystem)
	modules, err := readModules("../..")
	require.NoError(t, err)
	for _, m := range modules {
		assert.Contains(t, file.Updates[0].Directories, path.Join("/", m.Dir), "add the directory to .github/dependabot.yml")
	}
}
