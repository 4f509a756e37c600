package chain

import (
	"reflect"
	"unicode/utf8"

	"github.com/errclass/errclass/classify/internal/collect"
)

// room is the remaining space, in bytes, in a body that this package encodes.
// Callers reserve space before they encode a value.
type room struct {
	q    *collect.Inquiry
	left int
}

// entryRoom bytes are reserved for the key and the quotes of each value. For a text that
// does not fit, refuseRoom bytes are subtracted from the room.
const (
	entryRoom  = 128
	refuseRoom = 1 << 10
)

// openRoom returns the room for one body, at most collect.MaxBody. If too little of
// the budget is left, ok is false.
func openRoom(q *collect.Inquiry) (r room, ok bool) {
	r = room{q, min(collect.MaxBody, q.Budget.Left[collect.BodyBytes])}
	ok = r.entry()
	return r, ok
}

// close subtracts the used space from the budget.
func (r *room) close() {
	left := &r.q.Budget.Left[collect.BodyBytes]
	used := min(collect.MaxBody, *left) - max(r.left, 0)
	*left -= used
}

// entry reserves entryRoom for one value. If too little is left, it returns false.
func (r *room) entry() bool {
	if r.left < entryRoom {
		r.q.Lose(collect.BodyBytes, entryRoom)
		return false
	}
	r.left -= entryRoom
	return true
}

// text returns s. If there is no room for s, it returns "".
func (r *room) text(s string) string {
	if !r.fits(s) {
		return ""
	}
	return s
}

func (r *room) fits(s string) bool {
	if n := encodedLength(s, r.left); n <= r.left {
		r.left -= n
		return true
	}
	r.q.Lose(collect.BodyBytes, len(s))
	r.left = max(0, r.left-refuseRoom)
	return false
}

// reserve reserves space for v as JSON. If v does not fit or contains itself,
// reserve returns false.
func (r *room) reserve(v reflect.Value) bool {
	if !r.entry() {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		return r.fits(v.String())
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || r.reserve(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); (f.IsExported() || f.Anonymous) && !r.reserve(v.Field(i)) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !r.reserve(v.Index(i)) {
				return false
			}
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			if !r.reserve(each.Key()) || !r.reserve(each.Value()) {
				return false
			}
		}
	}
	return true
}

// encodedLength returns an upper bound of the length of s as JSON. It stops at
// limit.
func encodedLength(s string, limit int) int {
	if len(s) > limit {
		return len(s)
	}
	const escaped = len(`\u0000`)
	if !utf8.ValidString(s) {
		return escaped * len(s)
	}
	n := len(s)
	for i := 0; i < len(s) && n <= limit; i++ {
		switch c := s[i]; {
		case c < ' ', c == '"', c == '\\', c == '<', c == '>', c == '&':
			n += escaped - 1
		}
	}
	return n
}
