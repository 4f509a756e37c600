package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMeasure checks that a right group has exactly the messages of one label.
func TestMeasure(t *testing.T) {
	t.Parallel()
	assert.Equal(t, result{accuracy: 1.0 / 3, groups: 4, labels: 4}, measure([]message{
		{"disk 1 is full", "a"}, {"disk 2 is full", "a"}, // right
		{"host up", "b"}, {"host down", "b"}, // divided
		{"disk 3 is empty", "c"}, {"disk 4 is empty", "d"}, // put together
	}))
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.csv": "LineId,Content,EventId,EventTemplate\n1,\"a \"\"b\"\", c\",E1,x\n", "empty.csv": "", "head.csv": "LineId,Content\n1,a\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	got, err := read(filepath.Join(dir, "good.csv"))
	require.NoError(t, err)
	assert.Equal(t, []message{{`a "b", c`, "E1"}}, got)
	_, err = read(filepath.Join(dir, "empty.csv"))
	require.ErrorContains(t, err, "it has no messages")
	_, err = read(filepath.Join(dir, "head.csv"))
	require.ErrorContains(t, err, "EventId")
	require.ErrorContains(t, run(dir), "HDFS_2k.log_structured.csv")
}
