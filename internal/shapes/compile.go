package shapes

import (
	"slices"
	"strings"
	"sync"
)

// These are the keys of the two fields that are inserted into a line.
const (
	CategoryKey = "error.category"
	ReasonKey   = "error.reason"
)

// Keys has the paths that the user has set for levels, messages and errors. These paths
// are tried before the paths of a shape.
type Keys struct {
	Levels, Message, Errors []string
}

// A Set is a compiled table of shapes. It is immutable and safe for concurrent use.
type Set struct {
	shapes []compiled
	common compiled
	record compiled // OTLPRecord
	logfmt compiled
	names  []string
	// buckets[h] has the indexes of the names with the hash h.
	buckets          [256][]uint8
	category, reason uint8
	services         []path // the paths of [Services], in the same order
	serviceKeys      mask   // the first key of each path in services, and resource
	resource         uint8
}

// Standard returns the set for [Table].
var Standard = sync.OnceValue(func() *Set { return NewSet(Keys{}) })

// NewSet returns the set for [Table] and the user's keys.
func NewSet(keys Keys) *Set {
	s := new(Set)
	s.category, s.reason = s.key(CategoryKey), s.key(ReasonKey)
	custom := Shape{Errors: keys.Errors, Message: keys.Message}
	for _, k := range keys.Levels {
		custom.Levels = append(custom.Levels, Level{k, pinoScale})
	}
	for i := range Table {
		s.shapes = append(s.shapes, s.compile(&Table[i], &custom))
	}
	s.record = s.compile(&OTLPRecord, &custom)
	s.common = s.compile(&Common, &custom)
	s.logfmt = s.compile(&Logfmt, &custom)
	s.services, s.resource = s.paths(Services), s.key("resource")
	s.serviceKeys.set(s.resource)
	for _, p := range s.services {
		s.serviceKeys.set(p.key)
	}
	for k, name := range s.names {
		h := hash(name)
		s.buckets[h] = append(s.buckets[h], uint8(k))
	}
	return s
}

// maxKeys is the maximum number of keys of a [Set].
const maxKeys = 192

// mask is a set of keys, by index in Set.names.
type mask [maxKeys / 64]uint64

func (m *mask) set(k uint8) { m[k/64] |= 1 << (k % 64) }

func (m *mask) has(k uint8) bool { return m[k/64]&(1<<(k%64)) != 0 }

func (m *mask) contains(o *mask) bool {
	return m[0]&o[0] == o[0] && m[1]&o[1] == o[1] && m[2]&o[2] == o[2]
}

func (m *mask) meets(o *mask) bool { return m[0]&o[0] != 0 || m[1]&o[1] != 0 || m[2]&o[2] != 0 }

// path is a compiled path. The first element is an index in Set.names.
type path struct {
	key  uint8
	rest []string
}

type compiledLevel struct {
	path
	scale *Scale
}

type compiled struct {
	*Shape
	needs, any                                           mask
	levels                                               []compiledLevel
	errors, message, codes, types, stacks, status, times []path
	attributes, stream                                   []path // one or none
	records                                              []string
	leaves                                               mask // keys of errors and messages, not of groups
}

// compile compiles a shape. The user's paths come first, and the common paths last.
func (s *Set) compile(shape, custom *Shape) compiled {
	c := compiled{Shape: shape}
	for _, k := range shape.Needs {
		c.needs.set(s.key(k))
	}
	for _, k := range shape.Any {
		c.any.set(s.key(k))
	}
	seen := map[string]bool{}
	for _, l := range slices.Concat(custom.Levels, shape.Levels, Common.Levels) {
		if !seen[l.Path] {
			seen[l.Path] = true
			c.levels = append(c.levels, compiledLevel{s.path(l.Path), l.Scale})
		}
	}
	c.errors = s.paths(custom.Errors, shape.Errors, Common.Errors)
	c.message = s.paths(custom.Message, shape.Message, Common.Message)
	c.codes = s.paths(shape.Codes, Common.Codes)
	c.types = s.paths(shape.Types, Common.Types)
	c.stacks = s.paths(shape.Stacks, Common.Stacks)
	c.status = s.paths(shape.Status, Common.Status)
	c.times = s.paths(shape.Times, Common.Times)
	if shape.Attributes != "" {
		c.attributes = s.paths([]string{shape.Attributes})
	}
	if shape.Stream != "" {
		c.stream = s.paths([]string{shape.Stream})
	}
	if shape.Records != "" {
		c.records = strings.Split(shape.Records, "/")
	}
	for _, p := range slices.Concat(c.errors, c.message) {
		if len(p.rest) == 0 {
			c.leaves.set(p.key)
		}
	}
	return c
}

// paths compiles the paths of all lists, without duplicates.
func (s *Set) paths(lists ...[]string) (paths []path) {
	seen := map[string]bool{}
	for _, p := range slices.Concat(lists...) {
		if !seen[p] {
			seen[p] = true
			paths = append(paths, s.path(p))
		}
	}
	return paths
}

func (s *Set) path(p string) path {
	// Google Cloud's keys have a slash in their names.
	if strings.HasPrefix(p, "logging.googleapis.com/") {
		return path{key: s.key(p)}
	}
	parts := strings.Split(p, "/")
	return path{key: s.key(parts[0]), rest: parts[1:]}
}

// key returns the index of a name, and adds a new name. If s.names is full, the
// index is maxKeys-1. The method lookup never returns this index.
func (s *Set) key(name string) uint8 {
	if i := slices.Index(s.names, name); i >= 0 {
		return uint8(i)
	}
	if len(s.names) == maxKeys-1 {
		return maxKeys - 1
	}
	s.names = append(s.names, name)
	return uint8(len(s.names) - 1)
}

func hash[T string | []byte](name T) uint8 {
	n := len(name)
	if n == 0 {
		return 0
	}
	return uint8(n*37) + name[0]*7 + name[n-1]*3 + name[n/2]
}

// find returns the first shape that matches the keys in m.
func (s *Set) find(m *mask) *compiled {
	for i := range s.shapes {
		c := &s.shapes[i]
		if m.contains(&c.needs) && (len(c.Any) == 0 || m.meets(&c.any)) {
			return c
		}
	}
	return &s.common
}
