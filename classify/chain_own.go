package classify

import (
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"reflect"
	"slices"
)

// ruleOwnBudget is the rule of [ErrBudgetExceeded]; Result.Policy knows it.
const ruleOwnBudget = "own/budget"

// deadline is one of the ways in which a program ends its own calls.
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

// decide turns what was seen of the program's own doing into a signal, once
// the whole chain has been read. The spent budget comes first (the pre-check
// of seed 001): it holds even where the call was cancelled because of it.
func (w *walk) decide() {
	if w.seen&sawTimeout != 0 && w.seen&sawAgain == 0 {
		w.q.add(signal{rule: "go/timeout", reason: ReasonTimeout, strength: phraseStrength})
	}
	category, rule := Category(""), ""
	switch {
	case w.seen&sawBudget != 0:
		w.q.settle(signal{rule: ruleOwnBudget, reason: ReasonBudgetExceeded, strength: ownStrength})
		return
	case w.seen&sawCause != 0:
		category, rule = w.ended.category(w.seen), "context/cause"
	case w.seen&sawCanceled != 0:
		category, rule = CategoryAborted, "context/canceled"
	case w.seen&sawDeadline != 0:
		category, rule = CategoryTimeout, deadlineRules[w.which]
	default:
		return
	}
	reason := ReasonAborted
	if category == CategoryTimeout {
		reason = ReasonTimeout
	}
	w.q.settle(signal{rule, reason, category, ownStrength})
}

func (w *walk) sawOwnDeadline(which deadline) {
	if w.seen&sawDeadline == 0 {
		w.seen, w.which = w.seen|sawDeadline, which
	}
}

// whichDeadline names the deadline whose error err is.
func whichDeadline(err error) deadline {
	switch {
	case same(err, os.ErrDeadlineExceeded):
		return ioDeadline
	case endsClientTimeout(errorText(err)):
		return clientTimeout
	}
	return contextDeadline
}

// ended is how the caller's context has ended: Evidence.Cause, which is
// context.Cause(ctx), ctx.Err(), or both joined.
type ended struct {
	cause error
	parts []error // of errors.Join
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

// isLong reports whether comparing err takes long: its value is a text, or holds
// texts, of more than anyone writes. Errors that are pointers never are.
func isLong(err error) bool {
	switch v := reflect.ValueOf(err); v.Kind() {
	case reflect.String:
		return v.Len() > DefaultMaxBytes
	case reflect.Struct:
		n := 0
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.String {
				n += f.Len()
			}
		}
		return n > DefaultMaxBytes
	}
	return false
}

// by reports whether err is the error that ended the context. What the cause
// wraps does not count: io.EOF inside it is not every io.EOF.
func (e *ended) by(err error) bool {
	if same(err, e.cause) {
		return true
	}
	for _, part := range e.parts {
		if same(err, part) {
			return true
		}
	}
	return false
}

// category is that of ctx.Err(), as far as it can be told. An exact
// context.Canceled or context.DeadlineExceeded is ctx.Err() itself; of two of
// them the last one is, as [Cause] joins them. Without one, a cause that is about
// a deadline, or an error in whose chain one was seen, says that a deadline has
// passed; otherwise the caller cancelled.
func (e *ended) category(seen sight) Category {
	parts := e.parts
	if len(parts) == 0 {
		parts = []error{e.cause}
	}
	for _, part := range slices.Backward(parts) {
		switch {
		case same(part, context.Canceled):
			return CategoryAborted
		case same(part, context.DeadlineExceeded):
			return CategoryTimeout
		}
	}
	nodes := maxNodes
	if !endless(e.cause) && aboutDeadline(e.cause, 0, &nodes) || seen&(sawDeadline|sawCanceled) == sawDeadline {
		return CategoryTimeout
	}
	return CategoryAborted
}

// aboutDeadline reports whether context.DeadlineExceeded is in the chain of err.
func aboutDeadline(err error, depth int, nodes *int) bool {
	for ; err != nil && depth < maxDepth && *nodes > 0; depth++ {
		*nodes--
		if same(err, context.DeadlineExceeded) || answersIs(err, context.DeadlineExceeded) {
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

// same is a == b for errors of any type, also those that cannot be compared.
func same(a, b error) (equal bool) {
	defer ignorePanic()
	return a == b
}

// answersIs asks the error's own Is.
func answersIs(err, target error) (is bool) {
	defer ignorePanic()
	e, ok := err.(interface{ Is(error) bool })
	return ok && e.Is(target)
}

// is asks an error's own Is about what the program did itself. An error that
// carries what a peer answered may say yes because of that.
func (w *walk) is(s *shape, err error) {
	if s.caps&answered != 0 {
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

// longestSentinel is the length beyond which a text is not in the table and need
// not be hashed for it.
const longestSentinel = 64

// sentinels are the errors of the standard library that are made by
// errors.New, by their text: that spares the import of their packages, and
// nobody else says these words without meaning it.
var sentinels = map[string]signal{
	fs.ErrNotExist.Error():              {rule: "go/fs.ErrNotExist", reason: ReasonInvalidRequest, strength: codeStrength},
	fs.ErrExist.Error():                 {rule: "go/fs.ErrExist", reason: ReasonInvalidRequest, strength: codeStrength},
	fs.ErrPermission.Error():            {rule: "go/fs.ErrPermission", reason: ReasonAuthentication, strength: factStrength},
	fs.ErrClosed.Error():                {rule: "go/fs.ErrClosed", reason: ReasonLogic, strength: codeStrength},
	os.ErrProcessDone.Error():           {rule: "go/os.ErrProcessDone", reason: ReasonLogic, strength: phraseStrength},
	exec.ErrNotFound.Error():            {rule: "go/exec.ErrNotFound", reason: ReasonSpawn, strength: factStrength},
	exec.ErrDot.Error():                 {rule: "go/exec.ErrDot", reason: ReasonSpawn, strength: factStrength},
	exec.ErrWaitDelay.Error():           {rule: "go/exec.ErrWaitDelay", reason: ReasonSpawn, strength: phraseStrength},
	io.ErrClosedPipe.Error():            {rule: "go/io.ErrClosedPipe", reason: ReasonNetwork, strength: codeStrength},
	io.ErrUnexpectedEOF.Error():         {rule: "go/io.ErrUnexpectedEOF", reason: ReasonNetwork, strength: phraseStrength},
	io.EOF.Error():                      {rule: "go/io.EOF", reason: ReasonNetwork, strength: wordStrength},
	"bufio.Scanner: token too long":     {rule: "go/bufio.ErrTooLong", reason: ReasonParsing, strength: codeStrength},
	"conn closed":                       {rule: "go/pgconn.ErrConnClosed", reason: ReasonNetwork, strength: factStrength},
	"invalid connection":                {rule: "go/mysql.ErrInvalidConn", reason: ReasonNetwork, strength: factStrength},
	"driver: bad connection":            {rule: "go/driver.ErrBadConn", reason: ReasonNetwork, strength: factStrength},
	"sql: connection is already closed": {rule: "go/sql.ErrConnDone", reason: ReasonLogic, strength: codeStrength},
	"sql: database is closed":           {rule: "go/sql.errDBClosed", reason: ReasonLogic, strength: codeStrength},
	"sql: no rows in result set":        {rule: "go/sql.ErrNoRows", reason: ReasonInvalidRequest, strength: factStrength},
	"sql: transaction has already been committed or rolled back": {rule: "go/sql.ErrTxDone", reason: ReasonLogic, strength: codeStrength},
	"http: server gave HTTP response to HTTPS client":            {rule: "go/http.ErrSchemeMismatch", reason: ReasonNetworkPermanent, strength: factStrength},
	"http: request body too large":                               {rule: "go/http.MaxBytesError", reason: ReasonInvalidRequest, strength: factStrength},
	"http: Handler timeout":                                      {rule: "go/http.ErrHandlerTimeout", reason: ReasonTimeout, strength: codeStrength},
	"http: invalid Read on closed Body":                          {rule: "go/http.ErrBodyReadAfterClose", reason: ReasonLogic, strength: codeStrength},
	"http2: client connection lost":                              {rule: "go/http2.errClientConnLost", reason: ReasonNetwork, strength: factStrength},
	"encoding/hex: odd length hex string":                        {rule: "go/hex.ErrLength", reason: ReasonParsing, strength: phraseStrength},
	"gzip: invalid header":                                       {rule: "go/gzip.ErrHeader", reason: ReasonParsing, strength: phraseStrength},
	"gzip: invalid checksum":                                     {rule: "go/gzip.ErrChecksum", reason: ReasonParsing, strength: phraseStrength},
	"zlib: invalid header":                                       {rule: "go/zlib.ErrHeader", reason: ReasonParsing, strength: phraseStrength},
	"zlib: invalid checksum":                                     {rule: "go/zlib.ErrChecksum", reason: ReasonParsing, strength: phraseStrength},
	"zip: not a valid zip file":                                  {rule: "go/zip.ErrFormat", reason: ReasonParsing, strength: phraseStrength},
	"archive/tar: invalid tar header":                            {rule: "go/tar.ErrHeader", reason: ReasonParsing, strength: phraseStrength},
	"x509: cannot verify signature: algorithm unimplemented":     {rule: "go/x509.ErrUnsupportedAlgorithm", reason: ReasonNetworkPermanent, strength: factStrength},
}

// sentinelOf returns what is known of an error made by errors.New with this text.
func sentinelOf(text string) (s signal, known bool) {
	if len(text) > longestSentinel {
		return signal{}, false
	}
	s, known = sentinels[text]
	return s, known
}

// plain reads an error made by errors.New: one of the sentinels, or nothing
// but its text.
func (w *walk) plain(err error) {
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
	case w.place == placeExec && s.reason != ReasonSpawn:
		s.reason, s.strength = ReasonSpawn, factStrength
	case w.place.onWire() && (err == io.EOF || err == io.ErrUnexpectedEOF):
		s.strength = factStrength // not the end of some document: the peer hung up
	}
	w.q.add(s)
}

// onlyText is the text of an error that has nothing else to say: of errors.New,
// also wrapped by fmt.Errorf, which is most of all errors.
func onlyText(err error) (text string, ok bool) {
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
