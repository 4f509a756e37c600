// Package bound holds what the adapters share to bound the work for one record
// or span: [Text] shortens a text, [HasText] says whether an error may be asked
// for its text.
package bound

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// MaxText is how many bytes of texts are read for one record or span.
const MaxText = 64 << 10

// Texts hands out the texts of one record or span to be read, [MaxText] bytes in
// all. The zero Texts has handed out none.
type Texts struct{ taken int }

// Take returns what of text may be read. Texts of rest bytes follow that are of
// less worth: they leave at least half of what there is to this one.
func (t *Texts) Take(text string, rest int) string {
	left := t.Left()
	return t.Cut(text, max(left/2, left-rest))
}

// Cut returns at most n bytes of text.
func (t *Texts) Cut(text string, n int) string {
	text = Text(text, min(n, t.Left()))
	t.taken += len(text)
	return text
}

// Left is how many bytes may still be read.
func (t *Texts) Left() int { return MaxText - t.taken }

// gap stands between the two pieces of a shortened text. It holds a line break,
// which phrases do not reach across.
const gap = "\n...\n"

// Text returns text if it has at most n bytes, and otherwise its beginning and
// its end, at most n bytes together. Where a space is near, no word is cut. It
// copies at most n bytes.
func Text(text string, n int) string {
	if len(text) <= n {
		return text
	}
	half := (n - len(gap)) / 2
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
	return head + gap + tail
}

// maxWord is how far from a cut a space is looked for.
const maxWord = 48

// The types of errors.New and fmt.Errorf: their text was made when they were.
var fixed = map[reflect.Type]bool{
	reflect.TypeOf(errors.New("")):                                     true,
	reflect.TypeOf(fmt.Errorf("%w", errors.New(""))):                   true,
	reflect.TypeOf(fmt.Errorf("%w%w", errors.New(""), errors.New(""))): true,
}

// Limits of an error that is asked for its text.
const (
	maxDepth = 1 << 10
	maxNodes = 1 << 16
)

// HasText reports whether err.Error may be called. An error that wraps itself
// calls itself there until the stack is gone, which no recover survives; one that
// joins the same errors again and again makes a text larger than memory. An
// Error method that does not return for another reason cannot be recognised.
func HasText(err error) bool {
	nodes := maxNodes
	return finite(err, 0, &nodes)
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

// unwrap returns what err wraps, in the standard library's two ways and in those
// of older modules, whose Error methods follow them too.
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
			next = nil // the bottom of such a chain may be its own cause
		}
	case interface{ OrigErr() error }:
		next = e.OrigErr()
	case interface{ Errors() []error }:
		branches = e.Errors()
	}
	return next, branches
}

// Panic returns the text of what somebody panicked with: its type, where that is
// an error that may not be asked for its text.
func Panic(p any) string {
	if err, ok := p.(error); ok && !HasText(err) {
		return fmt.Sprintf("%T", err)
	}
	return fmt.Sprint(p)
}
