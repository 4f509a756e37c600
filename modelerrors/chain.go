package modelerrors

import "context"

// These limit a search in an error chain, because a chain may be cyclic. On a cyclic
// chain, errors.Is and errors.As never return.
const (
	maxDepth = 64
	maxNodes = 256 // errors in the chain
)

// search finds a matching error in a chain.
type search struct {
	match   func(error) bool
	nodes   int  // errors examined so far
	tooDeep bool // the chain is deeper than maxDepth
}

// anyMatch reports whether s.match is true for err or a wrapped error.
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

// ignorePanic recovers from a panic in a method of an unknown error. Defer it.
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

// safeAs calls the As method of an unknown error and recovers a panic.
func safeAs(as func(any) bool, target any) {
	defer ignorePanic()
	as(target)
}

// contextEnded reports whether the caller's context ended the call. It ignores the
// Is methods of errors, because the error of a dial timeout claims to be
// context.DeadlineExceeded.
func contextEnded(err error) bool {
	s := search{match: func(e error) bool { return e == context.Canceled || e == context.DeadlineExceeded }}
	return s.anyMatch(err, 0)
}

// text returns err.Error(), or "" if Error panics. If the chain is deeper than
// maxDepth, it may be cyclic, and Error could overflow the stack. Then text returns
// "" too.
func text(err error) (s string) {
	chain := search{match: func(error) bool { return false }}
	if chain.anyMatch(err, 0); chain.tooDeep {
		return ""
	}
	defer ignorePanic()
	return err.Error()
}
