package modelerrors

import "context"

// Bounds of the walk over a chain. errors.Is and errors.As never return from a
// chain that is a circle, so neither is used in this package.
const (
	maxDepth = 64
	maxNodes = 256
)

// walk is one pass over an error and all that it wraps.
type walk struct {
	match func(error) bool
	nodes int
	deep  bool // the depth did not end within maxDepth
}

// from reports whether match holds for err or for something that it wraps.
func (w *walk) from(err error, depth int) bool {
	if err == nil || w.nodes == maxNodes {
		return false
	}
	if depth == maxDepth {
		w.deep = true
		return false
	}
	w.nodes++
	if w.match(err) {
		return true
	}
	for _, next := range unwrap(err) {
		if w.from(next, depth+1) {
			return true
		}
	}
	return false
}

// unwrap gives what err wraps.
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

// ignorePanic is deferred around the methods of foreign errors.
func ignorePanic() { _ = recover() }

// find is errors.As for *S; nil means that there is none in the chain.
func find[S any](err error) (found *S) {
	w := walk{match: func(e error) bool {
		if s, ok := any(e).(*S); ok {
			found = s
		} else if a, ok := e.(interface{ As(any) bool }); ok {
			asPanics(a.As, &found)
		}
		return found != nil
	}}
	w.from(err, 0)
	return found
}

// asPanics asks a foreign error whether it can be seen as what target points
// to; where it panics it cannot.
func asPanics(as func(any) bool, target any) {
	defer ignorePanic()
	as(target)
}

// ended reports whether the caller's context ended the call. The two errors
// themselves count, not what only says Is to them: package net calls every dial
// that took too long a deadline.
func ended(err error) bool {
	w := walk{match: func(e error) bool { return e == context.Canceled || e == context.DeadlineExceeded }}
	return w.from(err, 0)
}

// text is err.Error(). It is "" where that panics, and where err wraps itself:
// its text may well do the same until the stack is gone.
func text(err error) (s string) {
	w := walk{match: func(error) bool { return false }}
	if w.from(err, 0); w.deep {
		return ""
	}
	defer ignorePanic()
	return err.Error()
}
