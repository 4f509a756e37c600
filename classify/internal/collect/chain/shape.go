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

// capability is something that errors of a type can be asked for. The values
// are bits; read has one case for each.
type capability uint32

const (
	// Types of the standard library. Those of net and crypto are known by
	// name and read by field: importing net would link a program to cgo, and
	// crypto/x509 alone adds more than a megabyte to it.
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
	// Methods and fields of anyone's types.
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

// answered are the capabilities of errors that carry what a peer answered. What
// such an error says of itself is no word of this program's.
const answered = canHTTP | canGRPC | canConnect | canCode | canJSONRPC | canSQLState | canSQLNumber

// shallow are the capabilities that are read of an error's own fields: reading
// them calls no method that asks what the error wraps.
const shallow = canErrno | canOp | canDNS | canAlert | canPath | canSpawn | canExit | canReply

// Shape is what is known about a type of errors. It is found once and then
// shared; it is immutable.
type Shape struct {
	Caps   capability
	Leaf   bool             // wraps nothing
	fact   signal.Signal    // what the type itself says
	fields map[string][]int // the exported fields that are of interest, by name
}

// shapes holds a *Shape for every reflect.Type of an error seen so far. There
// are no more of them than types in the program.
var shapes sync.Map

// ShapeOf returns the shape of a type; err is any error of that type.
func ShapeOf(t reflect.Type, err error) *Shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*Shape)
	}
	s, _ := shapes.LoadOrStore(t, newShape(t, err))
	return s.(*Shape)
}

// typeCaps are the types with a meaning that depends on their fields.
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
	"os.SyscallError":                     0, // says nothing, and only passes on what it wraps
	"os.LinkError":                        0,
}

// newShape finds out what a type of errors can be asked for. err is any error
// of that type.
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
		// What did not parse may be an error page, whose text says more.
		s.fact = signal.Of("go/"+named.String(), reason, signal.Phrase)
	} else if _, ok := err.(runtime.Error); ok {
		s.fact = signal.Of("go/runtime.Error", signal.ReasonLogic, signal.Fact)
	}
	std := true // has no need of being asked for more
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

// methods are the capabilities that the methods of err show.
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
	// The methods below give types of other modules, so they are looked up by
	// name. The names are constants at the call: with a variable one the
	// linker would keep every exported method of the program.
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
