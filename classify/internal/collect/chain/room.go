package chain

import (
	"reflect"
	"unicode/utf8"

	"github.com/errclass/errclass/classify/internal/collect"
)

// room is what is left of the budget for a body that this package writes
// itself, of what an error holds. It is taken before anything is encoded, so
// that what does not fit costs next to nothing.
type room struct {
	q    *collect.Inquiry
	left int
}

// What an entry of a body takes beside its texts: keys, quotes, and the work of
// asking for it. A text that does not fit takes something too, or a thousand of
// them would cost nothing.
const (
	entryRoom  = 128
	refuseRoom = 1 << 10
)

// openRoom gives room for one body; ok is false where there is too little.
func openRoom(q *collect.Inquiry) (r room, ok bool) {
	r = room{q, min(collect.MaxBody, q.Budget.Left[collect.BodyBytes])}
	ok = r.entry()
	return r, ok
}

// close spends what was taken.
func (r *room) close() {
	left := &r.q.Budget.Left[collect.BodyBytes]
	taken := min(collect.MaxBody, *left) - max(r.left, 0)
	*left -= taken
}

// entry takes room for one value.
func (r *room) entry() bool {
	if r.left < entryRoom {
		r.q.Lose(collect.BodyBytes, entryRoom)
		return false
	}
	r.left -= entryRoom
	return true
}

// text returns a text, or "" where it does not fit.
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

// holds takes room for a value that package json is to encode, and all that it
// holds. A value that holds itself fits nowhere.
func (r *room) holds(v reflect.Value) bool {
	if !r.entry() {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		return r.fits(v.String())
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || r.holds(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); (f.IsExported() || f.Anonymous) && !r.holds(v.Field(i)) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !r.holds(v.Index(i)) {
				return false
			}
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			if !r.holds(each.Key()) || !r.holds(each.Value()) {
				return false
			}
		}
	}
	return true
}

// encodedLength is the length of a text as JSON, at most: as soon as it is more
// than limit, it stops to count.
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
