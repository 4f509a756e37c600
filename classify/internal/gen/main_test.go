package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/internal/ruledoc"
)

// TestAddTable checks that two documents can add rows to one table. Contradictory
// rows are refused.
func TestAddTable(t *testing.T) {
	t.Parallel()
	row := func(code, reason string) ruledoc.Row { return ruledoc.Row{Code: code, Reason: reason} }
	var doc ruledoc.Document
	require.NoError(t, addTable(&doc, ruledoc.Table{Name: "grpc", Rows: []ruledoc.Row{row("Aborted", "transient")}}))
	require.NoError(t, addTable(&doc, ruledoc.Table{Name: "mysql", Rows: []ruledoc.Row{row("1213", "transient")}}))
	require.NoError(t, addTable(&doc, ruledoc.Table{Name: "grpc", Rows: []ruledoc.Row{row("Aborted", "transient"), row("Canceled", "aborted")}}))
	require.Len(t, doc.Tables, 2)
	assert.Equal(t, []ruledoc.Row{row("Aborted", "transient"), row("Canceled", "aborted")}, doc.Tables[0].Rows)
	err := addTable(&doc, ruledoc.Table{Name: "grpc", Rows: []ruledoc.Row{row("Aborted", "network")}})
	assert.EqualError(t, err, "table grpc: code Aborted is network here and transient in another document")
}

// Every generated table must be used in internal/collect or a package below it.
func TestLookedUpTablesAreRead(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../collect/*/*.go")
	require.NoError(t, err)
	more, err := filepath.Glob("../collect/*.go")
	require.NoError(t, err)
	paths = append(paths, more...)
	var code strings.Builder
	for _, path := range paths {
		if strings.HasSuffix(path, "_gen.go") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		code.Write(src)
	}
	for _, name := range lookedUp {
		assert.Regexp(t, `\bstandard\.`+exported(name)+`\b`, code.String())
	}
}
