package chain

import (
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/errclass/errclass/classify/internal/collect"
)

// CutText returns the text of err. If errors.Join made err, a text longer than limit
// bytes loses its middle. CutText then does not build the whole text. If limit is 0,
// nothing is cut.
//
// cyclic is the result of endless. If it is true, CutText calls no Error method that may
// recurse without end. unread is the number of texts that it left out because of that, as
// far as it has looked: at most at maxTree errors.
func CutText(err error, limit int, cyclic bool) (text string, unread int) {
	switch {
	case reflect.TypeOf(err) == joinType:
		j := joined{err: err, limit: limit, cyclic: cyclic}
		return j.text()
	case cyclic && !fixedText(err):
		return "", 1
	}
	return errorText(err), 0
}

// joined reads the text of an error made by errors.Join. The text of nested joins is the
// texts of all leaves, one a line. So each leaf is copied only once, even if each join has
// another one as its first error.
type joined struct {
	err    error
	limit  int
	cyclic bool
	unread int
}

func (j *joined) text() (text string, unread int) {
	switch {
	case j.limit > 0:
	case j.cyclic:
		j.limit = collect.DefaultMaxBytes
	default:
		j.limit = math.MaxInt / 2
	}
	head, n := make([]byte, 0, 256), 0
	whole := j.lines(false, func(line string) bool {
		if n++; n > 1 {
			head = append(head, '\n')
		}
		head = append(head, line[:min(len(line), j.limit+1-len(head))]...)
		return len(head) <= j.limit
	})
	unread = j.unread
	if whole {
		return string(head), unread
	}
	if j.cyclic {
		unread = max(unread, 1) // the rest may have no end
	}
	return string(j.appendTail(append(head[:min(len(head), j.limit/2)], ' '))), unread
}

// appendTail appends the end of the text.
func (j *joined) appendTail(head []byte) []byte {
	size := j.limit - j.limit/2
	parts := make([]string, 0, 8) // last part first
	j.lines(true, func(line string) bool {
		if len(parts) > 0 {
			parts = append(parts, "\n")
			size--
		}
		line = line[len(line)-min(len(line), size):]
		parts = append(parts, line)
		size -= len(line)
		return size > 0
	})
	for _, part := range slices.Backward(parts) {
		head = append(head, part...)
	}
	return head
}

// lines calls use with the text of each leaf, in order or backward. If use returned false,
// or if there are more than maxTree errors, it returns false.
func (j *joined) lines(backward bool, use func(line string) bool) (all bool) {
	nodes := maxTree
	for leaf := range leaves(j.err, backward, &nodes) {
		if j.cyclic && !fixedText(leaf) && bottomless(leaf, 0, &nodes) {
			j.unread++
			continue
		}
		if !use(errorText(leaf)) {
			return false
		}
	}
	return nodes >= 0
}

// leaves returns the errors that errors.Join has joined in err, in order or backward. If
// such an error was itself made by errors.Join, its own errors take its place. leaves
// subtracts the errors that it visits from *nodes. If *nodes falls below 0, it stops.
func leaves(err error, backward bool, nodes *int) iter.Seq[error] {
	return func(yield func(error) bool) {
		_, rest := unwrap(err)
		var outer [][]error // what is left of the joins around rest
		for {
			for len(rest) == 0 {
				if len(outer) == 0 {
					return
				}
				rest, outer = outer[len(outer)-1], outer[:len(outer)-1]
			}
			if *nodes--; *nodes < 0 {
				return
			}
			next := rest[0]
			if backward {
				next, rest = rest[len(rest)-1], rest[:len(rest)-1]
			} else {
				rest = rest[1:]
			}
			if reflect.TypeOf(next) != joinType {
				if !yield(next) {
					return
				}
				continue
			}
			if len(rest) > 0 {
				outer = append(outer, rest)
			}
			_, rest = unwrap(next)
		}
	}
}
