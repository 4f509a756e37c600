// Package chain collects signals (matches in the evidence) from error values. It
// reads the types, methods and fields of all errors in a chain.
package chain

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/signal"
)

// maxDepth is the greatest depth at which errors of a chain are read.
const (
	maxDepth = 64
)

// Walk is one pass over the chain of an error. It follows every branch. It does not
// use errors.Is and errors.As, which may not return for a cyclic chain.
//
// If a method of a foreign error panics, Walk recovers and continues. Infinite
// recursion cannot be recovered. In an endless chain, Walk calls no method that
// might itself follow the chain through Unwrap.
//
// A Walk is never passed to a func value and holds no foreign error or text. This
// keeps it on the stack.
type Walk struct {
	Q        *collect.Inquiry
	ended    *ended       // why the caller's context has ended
	op       operation    // the operation in which the wrapped errors occurred
	seen     observations // what the chain contains; for the method decide
	deadline deadline     // the first deadline of this program that was seen
	cyclic   bool         // the chain may have no end: see endless
}

// observations is a set of things that were seen in the chain. The method decide
// uses it at the end.
type observations uint8

const (
	sawBudget   observations = 1 << iota // ErrBudgetExceeded
	sawCause                             // the error that ended the caller's context
	sawCanceled                          // context.Canceled
	sawDeadline                          // a deadline of this program
	sawTimeout                           // an error whose Timeout() returns true
	sawAgain                             // EAGAIN; its Timeout() returns true, but it is no timeout
)

// ReadChain reads the chain of err and returns the text of err. If this program
// ended the call itself, the text is "". If the Error method of err might never return,
// the text is "" too. If errors.Join made err, the text lacks only the joined errors
// whose Error method might never return. The argument cause is Evidence.Cause.
func ReadChain(q *collect.Inquiry, err, cause error) string {
	if err == nil {
		return ""
	}
	end := endedBy(cause)
	w := Walk{Q: q, ended: &end, cyclic: endless(err)}
	w.chain(err, 0)
	w.decide()
	if q.Ended {
		return ""
	}
	limit := q.Budget.Limit
	if q.Budget.LeftOut != nil && !w.cyclic {
		limit = 0 // for Explain: package text counts the bytes that it leaves out
	}
	text, unread := CutText(err, limit, w.cyclic)
	q.Lose(collect.ChainTexts, unread)
	return text
}

// These are the types of errors made by errors.New, fmt.Errorf and errors.Join.
// Their only evidence is the text.
var (
	plainType = reflect.TypeOf(ErrBudgetExceeded)
	wrapType  = reflect.TypeOf(fmt.Errorf("%w", ErrBudgetExceeded))
	wrapsType = reflect.TypeOf(fmt.Errorf("%w%w", ErrBudgetExceeded, ErrBudgetExceeded))
	joinType  = reflect.TypeOf(errors.Join(ErrBudgetExceeded))
)

// Every method of these nil pointers panics. Other packages can make such pointers only
// by reflection.
var (
	nilPlain = reflect.Zero(plainType).Interface().(error)
	nilWrap  = reflect.Zero(wrapType).Interface().(error)
)

// isPlain reports whether err was made by errors.New.
func isPlain(err error) bool { return reflect.TypeOf(err) == plainType && err != nilPlain }

// isWrap reports whether err was made by fmt.Errorf with one %w.
func isWrap(err error) bool { return reflect.TypeOf(err) == wrapType && err != nilWrap }

// These are interfaces of errors that wrap others. The last four belong to
// pkg/errors, aws-sdk-go v1, go-multierror and Kubernetes.
type (
	wrapper    interface{ Unwrap() error }
	joiner     interface{ Unwrap() []error }
	causer     interface{ Cause() error }
	originator interface{ OrigErr() error }
	multi      interface{ WrappedErrors() []error }
	aggregate  interface{ Errors() []error }
)

// chain reads err and all errors that err wraps.
func (w *Walk) chain(err error, depth int) {
	for ; err != nil; depth++ {
		if depth == maxDepth || !w.Q.Budget.Spend(collect.ChainErrors, 1) {
			w.Q.Lose(collect.ChainErrors, 1)
			return
		}
		if w.seen&sawCause == 0 && w.ended.cause != nil && w.ended.includes(err) {
			w.seen |= sawCause
		}
		switch {
		case isPlain(err):
			w.readPlain(err)
			return
		case isWrap(err):
			err = err.(wrapper).Unwrap()
			continue
		default:
			s := ShapeOf(reflect.TypeOf(err), err)
			if s.fact.Strength != signal.NoStrength {
				w.Q.Add(s.fact)
			}
			caps := s.Caps
			if w.cyclic && !s.Leaf {
				caps &= ownFieldCaps
			}
			for ; caps != 0; caps &= caps - 1 {
				w.read(caps&-caps, s, err)
			}
			if s.Leaf {
				return
			}
		}
		next, branches := unwrap(err)
		if branches == nil {
			err = next
			continue
		}
		op := w.op
		for i, branch := range branches {
			if w.Q.Budget.Left[collect.ChainErrors] == 0 {
				w.Q.Lose(collect.ChainErrors, len(branches)-i)
				break
			}
			w.op = op
			w.chain(branch, depth+1)
		}
		return
	}
}

// unwrap returns the errors that err wraps: one error, or several branches.
func unwrap(err error) (next error, branches []error) {
	defer IgnorePanic()
	switch e := err.(type) {
	case multi:
		branches = e.WrappedErrors()
	case wrapper:
		next = e.Unwrap()
	case joiner:
		branches = e.Unwrap()
	case causer:
		if next = e.Cause(); next != nil && Same(next, err) {
			next = nil // the innermost error may return itself as its cause
		}
	case originator:
		next = e.OrigErr()
	case aggregate:
		branches = e.Errors()
	}
	return next, branches
}

// IgnorePanic recovers a panic. It is deferred around calls of foreign methods.
func IgnorePanic() { _ = recover() }

// errorText returns err.Error(). If the method panics, it returns "".
func errorText(err error) (text string) {
	defer IgnorePanic()
	return err.Error()
}

// textOf returns the text of an error of the chain. If the budget for such texts is
// spent, it returns "".
func (w *Walk) textOf(err error) string {
	if fixedText(err) {
		return errorText(err)
	}
	left := &w.Q.Budget.Left[collect.ChainTexts]
	if *left <= 0 {
		w.Q.Lose(collect.ChainTexts, 1)
		return ""
	}
	text := errorText(err)
	*left -= len(text)
	return text
}

// SafeText returns the text of any error. If the Error method of err, or of an error
// joined in err, may recurse without end, SafeText leaves out the text of that error.
func SafeText(err error) string {
	text, _ := CutText(err, 0, !fixedText(err) && endless(err))
	return text
}

// fixedText reports whether err stores its text, so that Error calls no other
// method.
func fixedText(err error) bool {
	t := reflect.TypeOf(err)
	return t == plainType || t == wrapType || t == wrapsType
}

// endless reports whether the chain of err is too large to follow: deeper than
// 2*maxDepth, or with more than maxTree errors. For example:
//
//   - An error wraps itself.
//   - Each Unwrap returns a new error.
//   - Joining an error with itself 64 times makes 2^64 texts.
//
// At the top of the chain, errors of errors.Join may be nested more deeply. CutText reads
// them itself, so no Error method follows them.
func endless(err error) bool {
	nodes := maxTree
	if reflect.TypeOf(err) != joinType {
		return bottomless(err, 0, &nodes)
	}
	for leaf := range leaves(err, false, &nodes) {
		nodes++ // bottomless counts the leaf again
		if bottomless(leaf, 0, &nodes) {
			return true
		}
	}
	return nodes < 0
}

// maxTree is the number of errors above which a chain counts as endless.
const maxTree = 1 << 14

func bottomless(err error, depth int, nodes *int) bool {
	for ; err != nil; depth++ {
		if *nodes--; *nodes < 0 || depth == 2*maxDepth {
			return true
		}
		switch {
		case isPlain(err):
			return false
		case isWrap(err):
			err = err.(wrapper).Unwrap()
			continue
		}
		next, branches := unwrap(err)
		for _, branch := range branches {
			if bottomless(branch, depth+1, nodes) {
				return true
			}
		}
		err = next
	}
	return false
}
