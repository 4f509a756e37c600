// Package chain collects signals from error values: the types, methods and fields of a chain.
package chain

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/signal"
)

// Bounds of the walk. An error may be built by anyone: what lies deeper, or
// beyond so many nodes, is not evidence any more but an accident or an attack.
const (
	maxDepth = 64
)

// Walk is one pass over the chain of an error: down Unwrap() error and over
// every branch of Unwrap() []error. The standard library's errors.Is and
// errors.As would never return from a cyclic chain, so neither is used here.
//
// Every method of a foreign error is called under recover, one at a time:
// a method that panics costs its own evidence and nothing else. No recover
// stops one that calls itself for ever, so in a chain without a bottom those
// are not called that may go down it. A walk is
// never handed to a func value and holds no foreign error or text itself,
// which keeps it, and the inquiry, on the stack.
type Walk struct {
	Q     *collect.Inquiry
	ended *ended   // how the caller's context has ended
	place place    // where the errors further down came about
	seen  sight    // what decide looks at when the walk is over
	which deadline // that was seen
	loops bool     // the chain has no bottom
}

// sight is a set of things that only mean something once the whole chain has
// been read.
type sight uint8

const (
	sawBudget   sight = 1 << iota // errBudgetExceeded
	sawCause                      // the very error that ended the caller's context
	sawCanceled                   // context.Canceled
	sawDeadline                   // a deadline of this program
	sawTimeout                    // something answers true to Timeout()
	sawAgain                      // EAGAIN, which answers true to Timeout() and is none
)

// ReadChain takes the chain of err into account and returns its text, which
// is "" where the chain has decided already. cause is Evidence.Cause.
func ReadChain(q *collect.Inquiry, err, cause error) string {
	if err == nil {
		return ""
	}
	end := endedBy(cause)
	w := Walk{Q: q, ended: &end, loops: endless(err)}
	w.chain(err, 0)
	w.decide()
	if q.Ended || w.loops && !fixedText(err) {
		return ""
	}
	return CutText(err, q.Budget.Limit)
}

// The types of errors.New, fmt.Errorf("%w") and fmt.Errorf("%w %w"). They are
// most of all nodes and have nothing to say but their text.
var (
	plainType = reflect.TypeOf(ErrBudgetExceeded)
	wrapType  = reflect.TypeOf(fmt.Errorf("%w", ErrBudgetExceeded))
	wrapsType = reflect.TypeOf(fmt.Errorf("%w%w", ErrBudgetExceeded, ErrBudgetExceeded))
	joinType  = reflect.TypeOf(errors.Join(ErrBudgetExceeded))
)

// Nil pointers of these types, which only reflection makes: their methods panic.
var (
	nilPlain = reflect.Zero(plainType).Interface().(error)
	nilWrap  = reflect.Zero(wrapType).Interface().(error)
)

// isPlain reports whether err was made by errors.New.
func isPlain(err error) bool { return reflect.TypeOf(err) == plainType && err != nilPlain }

// isWrap reports whether err was made by fmt.Errorf with one %w.
func isWrap(err error) bool { return reflect.TypeOf(err) == wrapType && err != nilWrap }

// The ways to wrap: the standard library's two, and what older modules have
// instead (pkg/errors; aws-sdk-go v1; go-multierror, whose Unwrap hides the
// errors; Kubernetes' Aggregate).
type (
	wrapper    interface{ Unwrap() error }
	joiner     interface{ Unwrap() []error }
	causer     interface{ Cause() error }
	originator interface{ OrigErr() error }
	multi      interface{ WrappedErrors() []error }
	aggregate  interface{ Errors() []error }
)

// chain reads err and everything below it.
func (w *Walk) chain(err error, depth int) {
	for ; err != nil; depth++ {
		if depth == maxDepth || !w.Q.Budget.Spend(collect.ChainErrors, 1) {
			w.Q.Lose(collect.ChainErrors, 1)
			return
		}
		if w.seen&sawCause == 0 && w.ended.cause != nil && w.ended.by(err) {
			w.seen |= sawCause
		}
		switch {
		case isPlain(err):
			w.plain(err)
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
			if w.loops && !s.Leaf {
				caps &= shallow
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
		place := w.place
		for i, branch := range branches {
			if w.Q.Budget.Left[collect.ChainErrors] == 0 {
				w.Q.Lose(collect.ChainErrors, len(branches)-i)
				break
			}
			w.place = place
			w.chain(branch, depth+1)
		}
		return
	}
}

// unwrap gives what err wraps: one error, or several.
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
			next = nil // the bottom of such a chain may be its own cause
		}
	case originator:
		next = e.OrigErr()
	case aggregate:
		branches = e.Errors()
	}
	return next, branches
}

// IgnorePanic is deferred around the methods of foreign errors.
func IgnorePanic() { _ = recover() }

// errorText is err.Error(), or "" where that panics. The chain of err must have
// a bottom, or its text be fixed: see safeText.
func errorText(err error) (text string) {
	defer IgnorePanic()
	return err.Error()
}

// CutText is the text of err, as far as a classifier with this limit reads it.
// What errors.Join made is put together here: its own method would copy all that
// it joins. Where that is more than limit, one byte stands for the middle, which
// is not read.
func CutText(err error, limit int) string {
	if limit <= 0 || reflect.TypeOf(err) != joinType {
		return errorText(err)
	}
	_, all := unwrap(err)
	head, i := make([]byte, 0, 256), 0
	for ; i < len(all) && len(head) <= limit; i++ {
		if i > 0 {
			head = append(head, '\n')
		}
		text := CutText(all[i], limit)
		head = append(head, text[:min(len(text), limit+1-min(limit, len(head)))]...)
	}
	if len(head) <= limit {
		return string(head)
	}
	head = append(head[:limit/2], ' ')
	tail, left := make([]string, 0, 8), limit-limit/2
	for i := len(all) - 1; i >= 0 && left > 0; i-- {
		text := CutText(all[i], limit)
		text = text[len(text)-min(len(text), left):]
		tail = append(tail, text)
		if left -= len(text); left > 0 {
			tail = append(tail, "\n")
			left--
		}
	}
	for _, text := range slices.Backward(tail) {
		head = append(head, text...)
	}
	return string(head)
}

// textOf is the text of an error of the chain. Texts that were made beforehand
// cost nothing. Each of the others may be as long as all that it wraps, and so
// may those below it: once they have become too long, no further one is asked for.
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

// SafeText is the text of an error of which nothing is known: "" where Error
// may call itself until the stack is gone.
func SafeText(err error) string {
	if !fixedText(err) && endless(err) {
		return ""
	}
	return errorText(err)
}

// fixedText reports whether the text of err was made when err was, so that
// asking for it calls nothing further down.
func fixedText(err error) bool {
	t := reflect.TypeOf(err)
	return t == plainType || t == wrapType || t == wrapsType
}

// endless reports whether nobody can tell that the chain of err ends: twice as
// deep as evidence is read, or after more errors than any batch joins, it still
// goes on. An error gets there that wraps itself, makes up ever new ones, or
// joins the same ones again and again: 64 joins of two make 2^64 texts.
func endless(err error) bool {
	nodes := maxTree
	return bottomless(err, 0, &nodes)
}

// maxTree is how many errors a chain may have and still be asked for its text.
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
