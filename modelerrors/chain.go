package modelerrors

import "context"

// These limits apply to the walk over a chain. This package does not use errors.Is
// and errors.As, because they never return on a cyclic chain.
const (
	maxDepth = 64
	maxNodes = 256
)

// walk is one pass over an error and all errors that it wraps.
type walk struct {
	match   func(error) bool
	nodes   int
	tooDeep bool // the chain is deeper than maxDepth
}

// anyMatch reports whether w.match is true for err or for an error that err
// wraps.
func (w *walk) anyMatch(err error, depth int) bool {
	if err == nil || w.nodes == maxNodes {
		return false
	}
	if depth == maxDepth {
		w.tooDeep = true
		return false
	}
	w.nodes++
	if w.match(err) {
		return true
	}
	for _, next := range unwrap(err) {
		if w.anyMatch(next, depth+1) {
			return true
		}
	}
	return false
}

// unwrap returns the errors that err wraps.
func unwrap(err error) (wrapped []error) {
	defer ignorePanic()
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		wrapped = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		wrapped = e.Unwrap()
	}
	return wrapped
}

// ignorePanic recovers from a panic. Defer it before calling a method of an
// unknown error.
func ignorePanic() { _ = recover() }

// find returns the first *S in the chain, or nil if there is none.
func find[S any](err error) (found *S) {
	w := walk{match: func(e error) bool {
		if s, ok := any(e).(*S); ok {
			found = s
		} else if a, ok := e.(interface{ As(any) bool }); ok {
			safeAs(a.As, &found)
		}
		return found != nil
	}}
	w.anyMatch(err, 0)
	return found
}

// safeAs calls a foreign As method. A panic counts as no match.
func safeAs(as func(any) bool, target any) {
	defer ignorePanic()
	as(target)
}

// contextEnded reports whether the caller's context ended the call. It looks for
// context.Canceled and context.DeadlineExceeded in the chain. It ignores Is
// methods, because in package net every dial timeout claims to be
// context.DeadlineExceeded.
func contextEnded(err error) bool {
	w := walk{match: func(e error) bool { return e == context.Canceled || e == context.DeadlineExceeded }}
	return w.anyMatch(err, 0)
}

// text returns err.Error(), or "" if Error panics. If the chain is deeper than
// maxDepth, text returns "" and does not call Error. Such an error may wrap itself,
// and then Error could overflow the stack, which recover cannot stop.
func text(err error) (s string) {
	w := walk{match: func(error) bool { return false }}
	if w.anyMatch(err, 0); w.tooDeep {
		return ""
	}
	defer ignorePanic()
	return err.Error()
}
