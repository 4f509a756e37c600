package shapes

import "github.com/errclass/errclass/internal/jsontop"

// fields has the undecoded values of an object or of a logfmt line. Only keys of the
// Set have values. If a key repeats, the last value counts.
type fields struct {
	set    *Set
	seen   mask // keys of this object; other keys have values of earlier lines
	values [maxKeys][]byte

	groups  [maxGroups]group // members that are objects, such as slog's groups
	nGroups int
	nested  [maxGroups][]byte // the errors in groups of a logfmt line, such as job.err
	nNested int

	end    int  // index of the closing brace
	empty  bool // the object has no members
	logfmt bool
	visit  func(name, value []byte)
}

type group struct {
	key   uint8
	known bool
	value []byte
}

// maxGroups is how many groups of a line, such as slog's groups, are searched for errors.
const maxGroups = 16

func newFields(s *Set) *fields {
	f := &fields{set: s}
	f.visit = f.add
	return f
}

func (f *fields) reset() {
	f.seen = mask{}
	f.nGroups, f.nNested = 0, 0
	f.empty, f.logfmt = true, false
}

// object reads the members of data. It returns false if data is not a JSON object.
// The values share memory with data.
func (f *fields) object(data []byte) (ok bool) {
	f.reset()
	f.end, ok = jsontop.Object(data, f.visit)
	return ok
}

func (f *fields) add(name, value []byte) {
	f.empty = false
	k, known := f.lookup(name)
	if known {
		f.seen.set(k)
		f.values[k] = value
	}
	if value[0] == '{' && f.nGroups < maxGroups {
		f.groups[f.nGroups] = group{k, known, value}
		f.nGroups++
	}
}

func (f *fields) lookup(name []byte) (k uint8, ok bool) {
	for _, k := range f.set.buckets[hash(name)] {
		if string(name) == f.set.names[k] {
			return k, true
		}
	}
	return 0, false
}

// key returns the value of a key, or nil.
func (f *fields) key(k uint8) []byte {
	if !f.seen.has(k) {
		return nil
	}
	return f.values[k]
}

// at returns the value of a path, or nil.
func (f *fields) at(p path) []byte {
	v := f.key(p.key)
	for _, name := range p.rest {
		if len(v) == 0 || v[0] != '{' {
			return nil
		}
		v = member(v, name)
	}
	return v
}

// first returns the value of the first path that has a value, or nil.
func (f *fields) first(paths []path) []byte {
	for _, p := range paths {
		if v := f.at(p); present(v) {
			return v
		}
	}
	return nil
}

// member returns the value of the object's member with this name, or nil.
func member(object []byte, name string) (value []byte) {
	jsontop.Object(object, func(n, v []byte) {
		if string(n) == name {
			value = v
		}
	})
	return value
}

// attributes adds the items of a list of keys and values. The list has the form of
// OTLP or of OpenTelemetry's SDK for Go.
func (f *fields) attributes(list []byte) {
	jsontop.Array(list, func(item []byte) {
		var name, value []byte
		jsontop.Object(item, func(n, v []byte) {
			switch string(n) {
			case "key", "Key":
				name = v
			case "value", "Value":
				value = v
			}
		})
		if len(name) > longestKey {
			return
		}
		if k, ok := f.lookup(unquoted(name)); ok {
			if v := anyValue(value); len(v) > 0 {
				f.seen.set(k)
				f.values[k] = v
			}
		}
	})
}

// longestKey is the maximum length of a key in a list of attributes, in bytes.
const longestKey = 128

// anyValue returns the value within v, if v is an AnyValue of OTLP. Otherwise it
// returns v.
func anyValue(v []byte) []byte {
	if len(v) == 0 || v[0] != '{' {
		return v
	}
	inner := v
	jsontop.Object(v, func(n, value []byte) {
		switch string(n) {
		case "stringValue", "boolValue", "doubleValue", "Value":
			inner = value
		case "intValue": // a 64-bit number is a text in JSON
			inner = unquoted(value)
		}
	})
	return inner
}
