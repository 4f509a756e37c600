package jsontop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/jsontop"
)

func ExampleScanner() {
	var s jsontop.Scanner
	for _, line := range []string{"{", `  "level": "error"`, "}"} {
		fmt.Println(s.Add([]byte(line)) == jsontop.Complete)
	}
	// Output:
	// false
	// false
	// true
}

// scan adds the lines of data to a scanner. It returns the last progress.
func scan(data []byte) (got jsontop.Progress) {
	var s jsontop.Scanner
	got = jsontop.Open
	for line := range bytes.Lines(data) {
		if got = s.Add(line); got == jsontop.Broken {
			return got
		}
	}
	return got
}

func TestScannerEqualsEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, s := range samples {
		requireSameScan(t, []byte(s))
		requireSameScan(t, []byte(strings.NewReplacer(",", ",\n", "{", "{\n\n", "}", "\n}", "[", "\n[", "]", "\r\n ]").Replace(s)))
	}
}

// The Scanner recognises every beginning of an object, unless the beginning ends
// within a token.
func TestScannerKnowsBeginnings(t *testing.T) {
	t.Parallel()
	object := "{\n\"a\": [1, {\"b\": \"x\\n\"}, -1.5e3],\n\"c\": {}, \"d\": null\n}"
	for i := range object {
		inToken := strings.LastIndexAny(object[:i], "\n ,:[]{}") + 1
		cut := object[inToken:i]
		want := jsontop.Open
		if cut != "" && !json.Valid([]byte(cut)) {
			want = jsontop.Broken
		}
		assert.Equal(t, want, scan([]byte(object[:i])), "%q", object[:i])
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range samples[:len(samples)-5] {
		f.Add([]byte(s))
		f.Add([]byte(strings.ReplaceAll(s, ",", ",\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) { requireSameScan(t, data) })
}

// requireSameScan compares a Scanner with encoding/json.
func requireSameScan(t *testing.T, data []byte) {
	t.Helper()
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	isObject := json.Valid(data) && len(trimmed) > 0 && trimmed[0] == '{'
	require.Equal(t, isObject, scan(data) == jsontop.Complete, "%.200q", data)
}
