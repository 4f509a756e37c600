// Package jsontop reads the top level of JSON objects. It does not decode the
// values.
//
// [Object] passes each key and its undecoded value to a function. It accepts exactly
// the objects that json.Valid accepts. It allocates one buffer, for all keys with
// escapes.
package jsontop

// MaxKey is the maximum length in bytes of an encoded key that Object decodes. A
// longer key with escapes is passed undecoded.
const MaxKey = 4 << 10

// Object calls visit for every member of the JSON object in data, in order. It
// returns the index of the closing brace. The key is decoded (see [MaxKey]). The
// value is a part of data, without white space around it. Both are valid only during
// the call of visit.
//
// If ok is false, data is not a JSON object. Then ignore the visited members.
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
// a part of data. If ok is false, data is not a JSON array. Then ignore the visited
// items.
func Array(data []byte, visit func(item []byte)) (ok bool) {
	i := space(data, 0)
	if i >= len(data) || data[i] != '[' {
		return false
	}
	after := array(data, i+1, 1, visit)
	return after >= 0 && space(data, after) == len(data)
}
