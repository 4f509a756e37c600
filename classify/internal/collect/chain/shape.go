package chain

import (
	"io/fs"
	"net/url"
	"os/exec"
	"reflect"
	"runtime"
	"sync"

	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// capability is a kind of evidence that all errors of a type have. The values are
// bits of a set.
type capability uint32

const (
	// These capabilities belong to types of the standard library. Types of net and
	// crypto are recognised by name, because importing these packages costs too much.
	canErrno capability = 1 << iota
	canOp
	canDNS
	canAlert
	canDeadline
	canURL
	canPath
	canSpawn
	canExit
	canReply
	// These capabilities come from methods and fields of any type.
	canIs
	canTimeout
	canTemporary
	canCanceled
	canHTTP
	canRetryAfter
	canGRPC
	canConnect
	canJSONRPC
	canCode
	canSQLState
	canSQLNumber
	canLabels
)

// answerCaps has the capabilities of errors that contain a remote server's answer.
const answerCaps = canHTTP | canGRPC | canConnect | canCode | canJSONRPC | canSQLState | canSQLNumber

// ownFieldCaps has the capabilities that come from an error's own fields. Reading these
// fields calls no method that might follow the chain through Unwrap.
const ownFieldCaps = canErrno | canOp | canDNS | canAlert | canPath | canSpawn | canExit | canReply

// Shape describes the evidence in errors of one type. It is computed once for each
// type, shared and immutable.
type Shape struct {
	Caps   capability
	Leaf   bool             // wraps nothing
	fact   signal.Signal    // the signal of the type itself, if it has one
	fields map[string][]int // indexes of the exported fields to read, by name
}

// shapes caches the *Shape of every reflect.Type that an error had.
var shapes sync.Map

// ShapeOf returns the shape of a type; err is any error of that type.
func ShapeOf(t reflect.Type, err error) *Shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*Shape)
	}
	s, _ := shapes.LoadOrStore(t, newShape(t, err))
	return s.(*Shape)
}

// typeCaps maps types of the standard library to their capabilities.
var typeCaps = map[string]capability{
	"net.OpError":                         canOp,
	"net.DNSError":                        canDNS,
	"crypto/tls.alert":                    canAlert,
	"crypto/tls.AlertError":               canAlert,
	"context.deadlineExceededError":       canDeadline,
	"internal/poll.DeadlineExceededError": canDeadline,
	"net/http.timeoutError":               canDeadline,
	"net/textproto.Error":                 canReply,
	"syscall.Errno":                       canErrno,
	"os.SyscallError":                     0, // only wraps another error
	"os.LinkError":                        0,
}

// newShape computes the shape of a type. err is any error of that type.
func newShape(t reflect.Type, err error) *Shape {
	s := &Shape{Leaf: true}
	switch err.(type) {
	case wrapper, joiner, causer, originator, multi, aggregate:
		s.Leaf = false
	}
	named := t
	if t.Kind() == reflect.Pointer {
		named = t.Elem()
	}
	name := named.PkgPath() + "." + named.Name()
	if reason := standard.GoType.Reason(name); reason != signal.NoReason {
		s.fact = signal.Of("go/"+named.String(), reason, signal.Fact)
	} else if reason := standard.GoParser.Reason(name); reason != signal.NoReason {
		// The strength is only Phrase: the text that could not be parsed, such as an
		// error page, can be better evidence.
		s.fact = signal.Of("go/"+named.String(), reason, signal.Phrase)
	} else if _, ok := err.(runtime.Error); ok {
		s.fact = signal.Of("go/runtime.Error", signal.ReasonLogic, signal.Fact)
	}
	std := true // a type of the standard library; its other methods and fields are skipped
	switch err.(type) {
	case *url.Error:
		s.Caps = canURL
	case *fs.PathError:
		s.Caps = canPath
	case *exec.Error:
		s.Caps = canSpawn
	case *exec.ExitError:
		s.Caps = canExit
	default:
		s.Caps, std = typeCaps[name]
	}
	if named.Kind() == reflect.Struct {
		s.fields = interesting(named)
	}
	if !std {
		s.Caps |= s.methods(t, err) | s.shapeOfFields()
	}
	return s
}

// methods returns the kinds of evidence in the methods of a type. err is an error of
// the type.
func (s *Shape) methods(t reflect.Type, err error) (caps capability) {
	if _, ok := err.(interface{ Is(error) bool }); ok {
		caps |= canIs
	}
	if _, ok := err.(interface{ Timeout() bool }); ok {
		caps |= canTimeout
	}
	if _, ok := err.(interface{ Temporary() bool }); ok {
		caps |= canTemporary
	}
	if _, ok := err.(interface{ CanceledError() bool }); ok {
		caps |= canCanceled
	}
	if _, ok := err.(interface{ HasErrorLabel(string) bool }); ok {
		caps |= canLabels
	}
	if _, ok := err.(interface{ SQLState() string }); ok {
		caps |= canSQLState
	}
	switch err.(type) {
	case interface{ HTTPStatusCode() int }, interface{ StatusCode() int }, interface{ HTTPCode() int }, interface{ HTTPStatus() int }:
		caps |= canHTTP
	}
	switch err.(type) {
	case interface{ ErrorCode() string }, interface{ Code() string }, interface{ Reason() string }:
		caps |= canCode
	case interface{ ErrorCode() int }:
		caps |= canJSONRPC
	}
	if _, ok := err.(interface{ SQLErrorNumber() int32 }); ok {
		caps |= canSQLNumber
	}
	// These methods return types of other modules. The names are constants;
	// variables would make the linker keep every exported method.
	if m, ok := t.MethodByName("GRPCStatus"); ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 1 {
		caps |= canGRPC
	}
	if m, ok := t.MethodByName("Code"); ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 1 && m.Type.Out(0).PkgPath() != "" {
		switch m.Type.Out(0).Kind() {
		case reflect.Uint32, reflect.String:
			caps |= canConnect
		}
	}
	if m, ok := t.MethodByName("RetryAfter"); ok && m.Type.NumIn() == 1 && m.Type.NumOut() >= 1 {
		caps |= canRetryAfter
	}
	return caps
}
