// Package jsontop reads the top level of JSON objects and leaves the rest as
// bytes.
//
// Log lines are looked at for a handful of keys and passed on unchanged, so
// decoding them would be most of the work. [Object] checks the whole text by
// the grammar of RFC 8259, exactly as json.Valid does (invalid UTF-8 in strings
// and 10,000 levels of nesting are fine there too; a fuzz test compares the
// two), and hands out each key with its undecoded value. It allocates nothing
// but one buffer for all keys with escapes.
package jsontop

// MaxKey is how long a key with escapes may be, as it stands in the text, to be
// decoded. Nobody looks for longer ones.
const MaxKey = 4 << 10

// Object calls visit for every member of the JSON object in data, in order,
// and returns the index of the closing brace. The key is decoded (see [MaxKey]), the value is
// as it stands in data, without white space around it; both are valid during
// the call only. Where ok is false data is no JSON object, and what was visited
// so far means nothing.
func Object(data []byte, visit func(key, value []byte)) (end int, ok bool) {
	i := space(data, 0)
	if i >= len(data) || data[i] != '{' {
		return 0, false
	}
	after := object(data, i+1, 1, visit)
	if after < 0 || space(data, after) != len(data) {
		return 0, false
	}
	return after - 1, true
}
