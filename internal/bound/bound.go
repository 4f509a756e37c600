// Package bound limits how much text is read from one record or span.
//
//   - [Text] shortens a text.
//   - [HasText] reports whether the Error method of an error may be called.
//   - [ErrorText] calls the Error method.
package bound

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// MaxText is the maximum number of bytes of text that are read from one record or
// span.
const MaxText = 64 << 10

// Texts shortens the texts of one record or span to [MaxText] bytes in total. The
// zero value is ready to use.
type Texts struct{ taken int }

// AtMost returns a Texts that shortens texts to n bytes in total.
func AtMost(n int) Texts { return Texts{taken: MaxText - n} }

// Take returns text, shortened if the limit requires it. The argument rest is the
// length, in bytes, of the texts that follow. At most half of the remaining bytes
// are reserved for these texts.
func (t *Texts) Take(text string, rest int) string {
	left := t.Left()
	return t.Cut(text, max(left/2, left-rest))
}

// Cut returns text, shortened to at most n bytes.
func (t *Texts) Cut(text string, n int) string {
	text = Text(text, min(n, t.Left()))
	t.taken += len(text)
	return text
}

// Left returns how many more bytes Take and Cut can return in total.
func (t *Texts) Left() int { return MaxText - t.taken }

// ellipsis separates the beginning and the end of a shortened text. Its line breaks
// prevent a match that spans both parts.
const ellipsis = "\n...\n"

// Text returns text if it has at most n bytes. If text is longer, Text returns its
// beginning and its end, at most n bytes in total. The cuts are at white space, if
// there is some nearby.
func Text(text string, n int) string {
	if len(text) <= n {
		return text
	}
	half := (n - len(ellipsis)) / 2
	if half <= 0 {
		return ""
	}
	head, tail := text[:half], text[len(text)-half:]
	if i := strings.LastIndexAny(head[half-min(half, maxWord):], " \n\t"); i >= 0 {
		head = head[:half-min(half, maxWord)+i]
	}
	if i := strings.IndexAny(tail[:min(half, maxWord)], " \n\t"); i >= 0 {
		tail = tail[i+1:]
	}
	return head + ellipsis + tail
}

// maxWord is the largest distance from a cut at which Text looks for a space, in
// bytes.
const maxWord = 48

// fixed has the error types of errors.New and fmt.Errorf. Their Error methods only
// return a stored text.
var fixed = map[reflect.Type]bool{
	reflect.TypeOf(errors.New("")):                                     true,
	reflect.TypeOf(fmt.Errorf("%w", errors.New(""))):                   true,
	reflect.TypeOf(fmt.Errorf("%w%w", errors.New(""), errors.New(""))): true,
}

// These are the limits of [HasText] for a tree of errors.
const (
	maxDepth = 1 << 10
	maxNodes = 1 << 16
)

// HasText reports whether err.Error may be called. It returns false in two cases:
//
//   - The error wraps itself. Error would overflow the stack, which recover cannot
//     stop.
//   - The tree of errors is very large. Its text might not fit in memory.
//
// HasText cannot detect an Error method that runs forever for another reason.
func HasText(err error) bool {
	nodes := maxNodes
	return finite(err, 0, &nodes)
}

// ErrorText returns err.Error(). ok is false if Error must not be called (see
// [HasText]) or panics.
func ErrorText(err error) (text string, ok bool) {
	if !HasText(err) {
		return "", false
	}
	defer func() {
		if recover() != nil {
			text, ok = "", false
		}
	}()
	return err.Error(), true
}

func finite(err error, depth int, nodes *int) bool {
	for ; err != nil; depth++ {
		if fixed[reflect.TypeOf(err)] {
			return true
		}
		if *nodes--; *nodes < 0 || depth == maxDepth {
			return false
		}
		next, branches := unwrap(err)
		for _, branch := range branches {
			if !finite(branch, depth+1, nodes) {
				return false
			}
		}
		err = next
	}
	return true
}

// unwrap returns the errors that err wraps. It also calls methods of older modules,
// such as Cause.
func unwrap(err error) (next error, branches []error) {
	defer func() { _ = recover() }()
	switch e := err.(type) {
	case interface{ WrappedErrors() []error }:
		branches = e.WrappedErrors()
	case interface{ Unwrap() error }:
		next = e.Unwrap()
	case interface{ Unwrap() []error }:
		branches = e.Unwrap()
	case interface{ Cause() error }:
		if next = e.Cause(); next != nil && next == err {
			next = nil // in such modules the last error of a chain may return itself
		}
	case interface{ OrigErr() error }:
		next = e.OrigErr()
	case interface{ Errors() []error }:
		branches = e.Errors()
	}
	return next, branches
}

// Panic returns the text of a recovered value. If the value is an error without a
// readable text (see [HasText]), Panic returns the type's name.
func Panic(p any) string {
	if err, ok := p.(error); ok && !HasText(err) {
		return fmt.Sprintf("%T", err)
	}
	return fmt.Sprint(p)
}
