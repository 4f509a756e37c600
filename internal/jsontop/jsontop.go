// Package jsontop reads the top level of JSON objects. It does not decode the
// values.
//
// [Object] checks the whole text against the grammar of RFC 8259. It passes each key
// and its undecoded value to a function. It accepts exactly the objects that
// json.Valid accepts, including invalid UTF-8 in strings and up to 10,000 levels of
// nesting. It allocates only one buffer, for all keys with escapes.
package jsontop

// MaxKey is the maximum length of a key with escapes that Object decodes, in bytes
// before decoding. Object passes a longer key with escapes undecoded.
const MaxKey = 4 << 10

// Object calls visit for every member of the JSON object in data, in order. It
// returns the index of the closing brace. The key is decoded (see [MaxKey]). The
// value is a part of data, without white space around it. The key and the value are
// valid only during the call of visit.
//
// If ok is false, data is not a JSON object. Then the caller must ignore the members
// that were passed to visit.
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

// Array calls visit for every item of the JSON array in data, in order. The item is
// a part of data. If ok is false, data is not a JSON array. Then the caller must
// ignore the items that were passed to visit.
func Array(data []byte, visit func(item []byte)) (ok bool) {
	i := space(data, 0)
	if i >= len(data) || data[i] != '[' {
		return false
	}
	after := array(data, i+1, 1, visit)
	return after >= 0 && space(data, after) == len(data)
}
