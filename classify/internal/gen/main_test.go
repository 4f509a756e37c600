package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/internal/ruledoc"
)

// TestAddTable: documents may share a table, and must not contradict each other.
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
