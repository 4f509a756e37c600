package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", `package p
const C = 1
var V, v string
type T struct { F int; f int }
func (T) M(n int) error { return nil }
func (*T) P() {}
func (T) m() {}
type I interface { Do() }
type G[E any] struct { Next *G[E] }
type hidden struct { F int }
func F(t *T) {}
func f() {}
`, 0)
	require.NoError(t, err)
	p, err := new(types.Config).Check("example.com/p", files, []*ast.File{file}, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"const C untyped int = 1",
		"field G.Next *G[E]",
		"field T.F int",
		"func F(t *T)",
		"method (*T) P()",
		"method (T) M(n int) error",
		"type G[E any] struct",
		"type I interface{Do()}",
		"type T struct",
		"var V string",
	}, lines(p))
}

func TestMissing(t *testing.T) {
	t.Parallel()
	a := map[string]string{"api/a.txt": "func F()\nfunc G()\n", "api/b.txt": "func H()\n"}
	b := map[string]string{"api/a.txt": "func F()\nfunc G(n int)\n"}
	assert.Equal(t, []string{"api/a.txt: func G()", "api/b.txt: func H()"}, missing(a, b))
	assert.Equal(t, []string{"api/a.txt: func G(n int)"}, missing(b, a))
}
