package chain

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"reflect"
	"slices"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/signal"
)

// ErrBudgetExceeded is classify.ErrBudgetExceeded.
var ErrBudgetExceeded = errors.New("budget exceeded")

// RuleOwnBudget is the rule id for [ErrBudgetExceeded].
const RuleOwnBudget = "own/budget"

// deadline is a kind of deadline with which a program ends its own calls.
type deadline uint8

const (
	contextDeadline deadline = iota
	ioDeadline
	clientTimeout
)

var deadlineRules = [...]string{
	contextDeadline: "context/deadline-exceeded",
	ioDeadline:      "os/deadline-exceeded",
	clientTimeout:   "http/client-timeout",
}

// decide adds a signal if this program ended the call itself. Call it after the
// whole chain was read. A spent budget outranks a cancellation.
func (w *Walk) decide() {
	if w.seen&sawTimeout != 0 && w.seen&sawAgain == 0 {
		w.Q.Add(signal.Of("go/timeout", signal.ReasonTimeout, signal.Phrase))
	}
	var category signal.Category
	var rule string
	switch {
	case w.seen&sawBudget != 0:
		w.Q.Add(signal.Of(RuleOwnBudget, signal.ReasonBudgetExceeded, signal.Own))
		return
	case w.seen&sawCause != 0:
		category, rule = w.ended.category(w.seen), "context/cause"
	case w.seen&sawCanceled != 0:
		category, rule = signal.CategoryAborted, "context/canceled"
	case w.seen&sawDeadline != 0:
		category, rule = signal.CategoryTimeout, deadlineRules[w.deadline]
	default:
		return
	}
	reason := signal.ReasonAborted
	if category == signal.CategoryTimeout {
		reason = signal.ReasonTimeout
	}
	own := signal.Of(rule, reason, signal.Own)
	own.Category = category
	w.Q.Add(own)
}

func (w *Walk) sawOwnDeadline(d deadline) {
	if w.seen&sawDeadline == 0 {
		w.seen, w.deadline = w.seen|sawDeadline, d
	}
}

// whichDeadline returns the kind of deadline in err, by default contextDeadline.
func whichDeadline(err error) deadline {
	switch {
	case Same(err, os.ErrDeadlineExceeded):
		return ioDeadline
	case endsClientTimeout(errorText(err)):
		return clientTimeout
	}
	return contextDeadline
}

// ended says why the caller's context has ended. The field cause is Evidence.Cause.
type ended struct {
	cause error
	parts []error // the errors that are joined in cause
}

func endedBy(cause error) ended {
	if cause == nil {
		return ended{}
	}
	if isLong(cause) {
		return ended{}
	}
	_, parts := unwrap(cause)
	return ended{cause, slices.DeleteFunc(slices.Clone(parts[:min(len(parts), maxDepth)]), isLong)}
}

// isLong reports whether comparing err with == may take long because of a very long
// string.
func isLong(err error) bool {
	switch v := reflect.ValueOf(err); v.Kind() {
	case reflect.String:
		return v.Len() > collect.DefaultMaxBytes
	case reflect.Struct:
		n := 0
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.String {
				n += f.Len()
			}
		}
		return n > collect.DefaultMaxBytes
	}
	return false
}

// includes reports whether err is the cause or joined in it. An error that the cause
// only wraps does not count.
func (e *ended) includes(err error) bool {
	if Same(err, e.cause) {
		return true
	}
	for _, part := range e.parts {
		if Same(err, part) {
			return true
		}
	}
	return false
}

// category returns the category of ctx.Err(): timeout or aborted. The cause may lack
// ctx.Err(), so the first of these rules that applies decides:
//
//   - If the cause is context.Canceled or context.DeadlineExceeded, the cause is
//     ctx.Err().
//   - If one or both of these errors are joined in the cause, the last of them is
//     ctx.Err().
//   - If context.DeadlineExceeded is in the chain of the cause, the category is timeout.
//   - If the chain of Evidence.Err has a deadline of this program and no cancellation,
//     the category is timeout.
//   - Otherwise the category is aborted.
func (e *ended) category(seen observations) signal.Category {
	parts := e.parts
	if len(parts) == 0 {
		parts = []error{e.cause}
	}
	for _, part := range slices.Backward(parts) {
		switch {
		case Same(part, context.Canceled):
			return signal.CategoryAborted
		case Same(part, context.DeadlineExceeded):
			return signal.CategoryTimeout
		}
	}
	nodes := collect.MaxNodes
	if !endless(e.cause) && aboutDeadline(e.cause, 0, &nodes) || seen&(sawDeadline|sawCanceled) == sawDeadline {
		return signal.CategoryTimeout
	}
	return signal.CategoryAborted
}

// aboutDeadline reports whether context.DeadlineExceeded is in the chain of err.
func aboutDeadline(err error, depth int, nodes *int) bool {
	for ; err != nil && depth < maxDepth && *nodes > 0; depth++ {
		*nodes--
		if Same(err, context.DeadlineExceeded) || answersIs(err, context.DeadlineExceeded) {
			return true
		}
		next, branches := unwrap(err)
		for _, branch := range branches {
			if *nodes <= 0 {
				return false
			}
			if aboutDeadline(branch, depth+1, nodes) {
				return true
			}
		}
		err = next
	}
	return false
}

// Same returns a == b. If the values cannot be compared, it returns false.
func Same(a, b error) (equal bool) {
	defer IgnorePanic()
	return a == b
}

// answersIs returns the result of err's Is method. If there is no such method, it
// returns false.
func answersIs(err, target error) (is bool) {
	defer IgnorePanic()
	e, ok := err.(interface{ Is(error) bool })
	return ok && e.Is(target)
}

// readIs asks the Is method of err about this program's own budget, cancellation and
// deadline. It skips errors with a remote server's answer.
func (w *Walk) readIs(s *Shape, err error) {
	if s.Caps&answerCaps != 0 {
		return
	}
	if answersIs(err, ErrBudgetExceeded) {
		w.seen |= sawBudget
	}
	if answersIs(err, context.Canceled) {
		w.seen |= sawCanceled
	}
	if answersIs(err, context.DeadlineExceeded) || answersIs(err, os.ErrDeadlineExceeded) {
		w.sawOwnDeadline(contextDeadline)
	}
}

// longestSentinel is the length, in bytes, of the longest text to look up in
// sentinels.
const longestSentinel = 64

// sentinels maps the texts of well-known errors to signals. Literals avoid costly
// imports such as database/sql.
var sentinels = map[string]signal.Signal{
	fs.ErrNotExist.Error():              signal.Of("go/fs.ErrNotExist", signal.ReasonInvalidRequest, signal.Code),
	fs.ErrExist.Error():                 signal.Of("go/fs.ErrExist", signal.ReasonInvalidRequest, signal.Code),
	fs.ErrPermission.Error():            signal.Of("go/fs.ErrPermission", signal.ReasonAuthentication, signal.Fact),
	fs.ErrClosed.Error():                signal.Of("go/fs.ErrClosed", signal.ReasonLogic, signal.Code),
	os.ErrProcessDone.Error():           signal.Of("go/os.ErrProcessDone", signal.ReasonLogic, signal.Phrase),
	exec.ErrNotFound.Error():            signal.Of("go/exec.ErrNotFound", signal.ReasonSpawn, signal.Fact),
	exec.ErrDot.Error():                 signal.Of("go/exec.ErrDot", signal.ReasonSpawn, signal.Fact),
	exec.ErrWaitDelay.Error():           signal.Of("go/exec.ErrWaitDelay", signal.ReasonSpawn, signal.Phrase),
	io.ErrClosedPipe.Error():            signal.Of("go/io.ErrClosedPipe", signal.ReasonNetwork, signal.Code),
	io.ErrUnexpectedEOF.Error():         signal.Of("go/io.ErrUnexpectedEOF", signal.ReasonNetwork, signal.Phrase),
	io.EOF.Error():                      signal.Of("go/io.EOF", signal.ReasonNetwork, signal.Word),
	"bufio.Scanner: token too long":     signal.Of("go/bufio.ErrTooLong", signal.ReasonParsing, signal.Code),
	"conn closed":                       signal.Of("go/pgconn.ErrConnClosed", signal.ReasonNetwork, signal.Fact),
	"invalid connection":                signal.Of("go/mysql.ErrInvalidConn", signal.ReasonNetwork, signal.Fact),
	"driver: bad connection":            signal.Of("go/driver.ErrBadConn", signal.ReasonNetwork, signal.Fact),
	"sql: connection is already closed": signal.Of("go/sql.ErrConnDone", signal.ReasonLogic, signal.Code),
	"sql: database is closed":           signal.Of("go/sql.errDBClosed", signal.ReasonLogic, signal.Code),
	"sql: no rows in result set":        signal.Of("go/sql.ErrNoRows", signal.ReasonInvalidRequest, signal.Fact),
	"sql: transaction has already been committed or rolled back": signal.Of("go/sql.ErrTxDone", signal.ReasonLogic, signal.Code),
	"http: server gave HTTP response to HTTPS client":            signal.Of("go/http.ErrSchemeMismatch", signal.ReasonNetworkPermanent, signal.Fact),
	"http: request body too large":                               signal.Of("go/http.MaxBytesError", signal.ReasonInvalidRequest, signal.Fact),
	"http: Handler timeout":                                      signal.Of("go/http.ErrHandlerTimeout", signal.ReasonTimeout, signal.Code),
	"http: invalid Read on closed Body":                          signal.Of("go/http.ErrBodyReadAfterClose", signal.ReasonLogic, signal.Code),
	"http2: client connection lost":                              signal.Of("go/http2.errClientConnLost", signal.ReasonNetwork, signal.Fact),
	"encoding/hex: odd length hex string":                        signal.Of("go/hex.ErrLength", signal.ReasonParsing, signal.Phrase),
	"gzip: invalid header":                                       signal.Of("go/gzip.ErrHeader", signal.ReasonParsing, signal.Phrase),
	"gzip: invalid checksum":                                     signal.Of("go/gzip.ErrChecksum", signal.ReasonParsing, signal.Phrase),
	"zlib: invalid header":                                       signal.Of("go/zlib.ErrHeader", signal.ReasonParsing, signal.Phrase),
	"zlib: invalid checksum":                                     signal.Of("go/zlib.ErrChecksum", signal.ReasonParsing, signal.Phrase),
	"zip: not a valid zip file":                                  signal.Of("go/zip.ErrFormat", signal.ReasonParsing, signal.Phrase),
	"archive/tar: invalid tar header":                            signal.Of("go/tar.ErrHeader", signal.ReasonParsing, signal.Phrase),
	"x509: cannot verify signature: algorithm unimplemented":     signal.Of("go/x509.ErrUnsupportedAlgorithm", signal.ReasonNetworkPermanent, signal.Fact),
}

// sentinelOf returns the signal of the well-known error with this text.
func sentinelOf(text string) (s signal.Signal, known bool) {
	if len(text) > longestSentinel {
		return signal.Signal{}, false
	}
	s, known = sentinels[text]
	return s, known
}

// readPlain reads an error made by errors.New. It adds a signal if sentinels has the
// text.
func (w *Walk) readPlain(err error) {
	switch err {
	case ErrBudgetExceeded:
		w.seen |= sawBudget
		return
	case context.Canceled:
		w.seen |= sawCanceled
		return
	}
	s, known := sentinelOf(err.Error())
	if !known {
		return
	}
	switch {
	case w.op == opExec && s.Reason != signal.ReasonSpawn:
		s.Reason, s.Strength = signal.ReasonSpawn, signal.Fact
	case w.op.remote() && (err == io.EOF || err == io.ErrUnexpectedEOF):
		s.Strength = signal.Fact // the remote server closed the connection; this is not the end of a document
	}
	w.Q.Add(s)
}

// OnlyText returns the text of an error whose text is the only evidence. Such an error
// was made by errors.New or fmt.Errorf. For any other error, ok is false. ok is also
// false if err is or wraps ErrBudgetExceeded, context.Canceled or an error in sentinels.
func OnlyText(err error) (text string, ok bool) {
	inner, depth := err, 0
	for isWrap(inner) && depth < maxDepth {
		inner = inner.(wrapper).Unwrap()
		depth++
	}
	if !isPlain(inner) {
		return "", false
	}
	text = inner.Error()
	if _, known := sentinelOf(text); known || inner == ErrBudgetExceeded || inner == context.Canceled {
		return "", false
	}
	if depth > 0 {
		text = err.Error()
	}
	return text, true
}
