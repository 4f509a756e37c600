package modelerrors

import "context"

// These limit a search in an error chain. This package does not use errors.Is and
// errors.As, because these functions never return on a cyclic chain.
const (
	maxDepth = 64
	maxNodes = 256 // errors in the chain
)

// search looks for a matching error in an error and all errors that it wraps.
type search struct {
	match   func(error) bool
	nodes   int  // errors examined so far
	tooDeep bool // the chain is deeper than maxDepth
}

// anyMatch reports whether s.match returns true for err or for an error that err
// wraps.
func (s *search) anyMatch(err error, depth int) bool {
	if err == nil || s.nodes == maxNodes {
		return false
	}
	if depth == maxDepth {
		s.tooDeep = true
		return false
	}
	s.nodes++
	if s.match(err) {
		return true
	}
	for _, next := range unwrap(err) {
		if s.anyMatch(next, depth+1) {
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
	chain := search{match: func(e error) bool {
		if s, ok := any(e).(*S); ok {
			found = s
		} else if a, ok := e.(interface{ As(any) bool }); ok {
			safeAs(a.As, &found)
		}
		return found != nil
	}}
	chain.anyMatch(err, 0)
	return found
}

// safeAs calls the As method of an unknown error. If the method panics, safeAs
// recovers.
func safeAs(as func(any) bool, target any) {
	defer ignorePanic()
	as(target)
}

// contextEnded reports whether the caller's context ended the call. It looks for
// context.Canceled and context.DeadlineExceeded in the chain. It ignores Is
// methods, because in package net every dial timeout claims to be
// context.DeadlineExceeded.
func contextEnded(err error) bool {
	s := search{match: func(e error) bool { return e == context.Canceled || e == context.DeadlineExceeded }}
	return s.anyMatch(err, 0)
}

// text returns err.Error(), or "" if Error panics. If the chain is deeper than
// maxDepth, text returns "" and does not call Error. Such an error may wrap itself.
// Its Error method would then call itself without end, and a program cannot recover
// from a stack overflow.
func text(err error) (s string) {
	chain := search{match: func(error) bool { return false }}
	if chain.anyMatch(err, 0); chain.tooDeep {
		return ""
	}
	defer ignorePanic()
	return err.Error()
}
