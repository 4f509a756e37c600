package workspace_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/release/workspace"
)

func TestSums(t *testing.T) {
	t.Parallel()
	const root = "example.com/root"
	lines := workspace.ThirdParty("example.com/x v1.0.0 h1:a=\n"+root+" v0.1.0 h1:b=\n"+root+"/a v0.1.0/go.mod h1:c=\nexample.com/root2 v1.0.0 h1:g=\n", root)
	assert.Equal(t, []string{"example.com/x v1.0.0 h1:a=", "example.com/root2 v1.0.0 h1:g="}, lines)
	lines = append(lines[:1], "example.com/x v1.0.0/go.mod h1:d=", "example.com/a v1.10.0 h1:e=", "example.com/a v1.9.0 h1:f=")
	assert.Equal(t, "example.com/a v1.9.0 h1:f=\nexample.com/a v1.10.0 h1:e=\nexample.com/x v1.0.0 h1:a=\nexample.com/x v1.0.0/go.mod h1:d=\n", workspace.FormatSums(lines))
}
