package chain

import (
	"iter"
	"math"
	"reflect"
	"slices"
)

// CutText returns the text of err. If errors.Join made err, a text longer than limit
// bytes loses its middle. CutText then does not build the whole text. If limit is 0,
// nothing is cut.
func CutText(err error, limit int) string {
	if reflect.TypeOf(err) != joinType {
		return errorText(err)
	}
	if limit <= 0 {
		limit = math.MaxInt / 2
	}
	// The text of nested joins is the texts of all leaves, one a line. So each leaf is
	// copied only once, even if each join has another one as its first error.
	text, lines := make([]byte, 0, 256), 0
	for leaf := range leaves(err, false) {
		if lines++; lines > 1 {
			text = append(text, '\n')
		}
		line := errorText(leaf)
		text = append(text, line[:min(len(line), limit+1-len(text))]...)
		if len(text) > limit {
			return string(appendTail(append(text[:limit/2], ' '), err, limit-limit/2))
		}
	}
	return string(text)
}

// appendTail appends the last size bytes of the text of a joined error.
func appendTail(text []byte, err error, size int) []byte {
	parts := make([]string, 0, 8) // last part first
	for leaf := range leaves(err, true) {
		if len(parts) > 0 {
			parts = append(parts, "\n")
			size--
		}
		line := errorText(leaf)
		line = line[len(line)-min(len(line), size):]
		parts = append(parts, line)
		if size -= len(line); size == 0 {
			break
		}
	}
	for _, part := range slices.Backward(parts) {
		text = append(text, part...)
	}
	return text
}

// leaves returns the errors that are joined in err, in order or backward. If such an
// error was itself made by errors.Join, its own errors take its place. If err was not made
// by errors.Join, it is the only leaf.
func leaves(err error, backward bool) iter.Seq[error] {
	return func(yield func(error) bool) {
		rest := []error{err}
		var outer [][]error // what is left of the joins around rest
		for {
			for len(rest) == 0 {
				if len(outer) == 0 {
					return
				}
				rest, outer = outer[len(outer)-1], outer[:len(outer)-1]
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
