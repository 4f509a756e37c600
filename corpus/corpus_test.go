package corpus_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/corpus"
)

const valid = `{"id":"a-1","kind":"service","product":"redis","message":"LOADING","category":"retryable","reason":"transient","accept":["network"],"source":"redis/redis#1"}`

func TestRead(t *testing.T) {
	entries, err := corpus.Read(fstest.MapFS{"slices/data.jsonl": {Data: []byte(valid + "\n")}})
	require.NoError(t, err)
	assert.Equal(t, []corpus.Entry{{
		ID: "a-1", Kind: "service", Product: "redis", Message: "LOADING",
		Category: classify.CategoryRetryable, Reason: classify.ReasonTransient, Accept: []classify.Reason{classify.ReasonNetwork},
		Source: "redis/redis#1", Slice: "data",
	}}, entries)
}

func TestReadRefuses(t *testing.T) {
	// change returns a second line: a copy of the line valid with another id and another
	// message. In the copy, replacement also replaces the first occurrence of old.
	change := func(old, replacement string) string {
		line := strings.NewReplacer("a-1", "a-2", "LOADING", "BUSY").Replace(valid)
		changed := strings.Replace(line, old, replacement, 1)
		require.NotEqual(t, line, changed, "nothing replaced")
		return changed
	}
	for _, tt := range []struct{ name, second, want string }{
		{"no id", change(`"id":"a-2",`, ""), `slices/b.jsonl:2: entry "" has no id`},
		{"no kind", change(`"kind":"service",`, ""), `slices/b.jsonl:2: entry "a-2" has no kind`},
		{"no product", change(`"product":"redis",`, ""), `slices/b.jsonl:2: entry "a-2" has no product`},
		{"product in upper case", change(`"redis"`, `"Redis"`), `slices/b.jsonl:2: entry "a-2": product "Redis" is not in lower case`},
		{"no message", change(`"BUSY"`, `" "`), `slices/b.jsonl:2: entry "a-2" has no message`},
		{"no category", change(`"category":"retryable",`, ""), `slices/b.jsonl:2: entry "a-2" has no category`},
		{"no reason", change(`"reason":"transient",`, ""), `slices/b.jsonl:2: entry "a-2" has no reason`},
		{"no accept", change(`"accept":["network"],`, ""), `slices/b.jsonl:2: entry "a-2" has no accept; an empty list is valid`},
		{"no source", change(`,"source":"redis/redis#1"`, ""), `slices/b.jsonl:2: entry "a-2" has no source`},
		{"unknown category", change("retryable", "retry"), `slices/b.jsonl:2: entry "a-2": unknown category "retry"`},
		{"unknown reason", change("transient", "busy"), `slices/b.jsonl:2: entry "a-2": unknown reason "busy"`},
		{"unknown accepted reason", change(`["network"]`, `["net"]`), `slices/b.jsonl:2: entry "a-2": unknown reason "net"`},
		{"unknown accepted category", change(`"source"`, `"accept_category":["x"],"source"`), `slices/b.jsonl:2: entry "a-2": unknown category "x"`},
		{"unknown field", change(`"kind"`, `"note":"","kind"`), `slices/b.jsonl:2: not an entry: json: unknown field "note"`},
		{"id of another file", change("a-2", "a-0"), `slices/b.jsonl:2: id "a-0" is already used at slices/a.jsonl:1`},
		{"message of another file", change("BUSY", " Error 17 "), `slices/b.jsonl:2: entry "a-2" has the same message as slices/a.jsonl:1`},
		{"two values", change("}", "} 1"), `slices/b.jsonl:2: not an entry: more than one JSON value`},
		{"blank line", "\n", `slices/b.jsonl:2: not an entry: EOF`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := strings.NewReplacer("a-1", "a-0", "LOADING", "Error 4").Replace(valid)
			_, err := corpus.Read(fstest.MapFS{
				"slices/a.jsonl": {Data: []byte(first)},
				"slices/b.jsonl": {Data: []byte(valid + "\n" + tt.second)},
			})
			assert.EqualError(t, err, tt.want)
		})
	}
	t.Run("no files", func(t *testing.T) {
		_, err := corpus.Read(fstest.MapFS{})
		assert.EqualError(t, err, "no files slices/*.jsonl")
	})
}

// All entries of the corpus are valid. A slice has at most five messages of each
// product. This limit does not apply to the slices "dev" and "second".
func TestSlices(t *testing.T) {
	entries, err := corpus.Read(corpus.Slices)
	require.NoError(t, err)
	products := map[string]int{}
	for _, e := range entries {
		if e.Slice == "dev" || e.Slice == "second" {
			continue // drawn without the limit
		}
		products[e.Slice+"/"+e.Product]++
	}
	require.NotEmpty(t, products)
	for product, n := range products {
		assert.LessOrEqual(t, n, 5, "messages of %s", product)
	}
}

func TestReadPhrases(t *testing.T) {
	const phrase = `{"message":"the node left","category":"retryable","reason":"network"}`
	entries := []corpus.Entry{{ID: "a-1", Message: "Error 17"}}
	read := func(lines string) ([]corpus.Phrase, error) {
		return corpus.ReadPhrases(fstest.MapFS{"phrases.jsonl": {Data: []byte(lines)}}, entries)
	}
	phrases, err := read(phrase)
	require.NoError(t, err)
	assert.Equal(t, []corpus.Phrase{{Message: "the node left", Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork}}, phrases)
	for _, tt := range []struct{ name, second, want string }{
		{"no message", strings.Replace(phrase, "the node left", " ", 1), "phrases.jsonl:2: no message"},
		{"unknown category", strings.Replace(phrase, "retryable", "retry", 1), `phrases.jsonl:2: unknown category "retry"`},
		{"unknown reason", strings.Replace(phrase, "network", "net", 1), `phrases.jsonl:2: unknown reason "net"`},
		{"unknown field", strings.Replace(phrase, "message", "text", 1), `phrases.jsonl:2: not a phrase: json: unknown field "text"`},
		{"message of a phrase", phrase, "phrases.jsonl:2: the same message as phrases.jsonl:1"},
		{"message of an entry", strings.Replace(phrase, "the node left", "Error 4", 1), `phrases.jsonl:2: the same message as entry "a-1"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(phrase + "\n" + tt.second)
			assert.EqualError(t, err, tt.want)
		})
	}
	_, err = corpus.ReadPhrases(fstest.MapFS{}, entries)
	assert.Error(t, err, "no file")
}

// All phrases of the corpus are valid.
func TestPhrases(t *testing.T) {
	entries, err := corpus.Read(corpus.Slices)
	require.NoError(t, err)
	phrases, err := corpus.ReadPhrases(corpus.Phrases, entries)
	require.NoError(t, err)
	assert.NotEmpty(t, phrases)
}

// TestFresh checks that the slices in the directory fresh are valid. None of their
// messages may be in the corpus or equal a phrase, because the model is trained with the
// corpus and the phrases.
func TestFresh(t *testing.T) {
	fresh, err := corpus.Read(os.DirFS("fresh"))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(fresh), 290)
	entries, err := corpus.Read(corpus.Slices)
	require.NoError(t, err)
	_, err = corpus.ReadPhrases(corpus.Phrases, append(entries, fresh...))
	require.NoError(t, err, "a phrase equals a message")
	digits := regexp.MustCompile(`\d`)
	seen := map[string]string{}
	for _, e := range entries {
		seen[digits.ReplaceAllString(e.Message, "")] = e.ID
	}
	for _, e := range fresh {
		assert.Empty(t, seen[digits.ReplaceAllString(e.Message, "")], "%s is a message of the corpus", e.ID)
	}
}
