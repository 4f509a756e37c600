package endtoend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/errclass/errclass/classify"
)

// These limits of a builder are larger than those of the classifier.
const (
	maxBuilt = 400
	maxDepth = 100
	maxSize  = 400_000
)

// weight counts errors and the bytes of their texts.
type weight struct{ errors, bytes int }

// builder builds a random error. All random choices come from source.
type builder struct {
	source
	calls     int        // how often methods of the built errors were called
	built     int        // number of errors built so far
	size      int        // bytes of the texts and bodies of these errors
	repeats   weight     // weight of the repeated errors, without the first occurrence of each
	enclosing []*wrapper // errors that will wrap the next one
}

// leaves are common errors that wrap nothing, and nil pointers of error types.
var leaves = []error{
	context.Canceled, context.DeadlineExceeded, os.ErrDeadlineExceeded, classify.ErrBudgetExceeded,
	io.EOF, io.ErrUnexpectedEOF, fs.ErrPermission, exec.ErrNotFound, net.ErrClosed, http.ErrHandlerTimeout,
	syscall.ECONNRESET, syscall.ENOSPC, syscall.EAGAIN, syscall.Errno(9999),
	(*wrapper)(nil), (*withFields)(nil), (*withMethods)(nil), (*net.OpError)(nil), (*net.DNSError)(nil), (*url.Error)(nil),
	(*fs.PathError)(nil), (*exec.Error)(nil), (*json.SyntaxError)(nil), multiError(nil), multiError{nil, nil}, endless(0),
	&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, &strconv.NumError{Func: "Atoi", Num: "x", Err: strconv.ErrSyntax},
}

// build returns an error, which may be nil.
func (b *builder) build(depth int) error {
	b.built++
	if b.built > maxBuilt || depth > maxDepth {
		return errors.New("the last")
	}
	switch b.pick(16) {
	default: // also if no input is left
		return errors.New(b.words())
	case 1:
		return leaves[b.pick(len(leaves))]
	case 2:
		return fmt.Errorf("%s: %w", b.words(), b.build(depth+1))
	case 3:
		return errors.Join(b.several(depth)...)
	case 4:
		return multiError(b.several(depth))
	case 5:
		e := b.wrapper()
		b.inside(&e, depth)
		return &e
	case 6:
		e := &caused{b.wrapper()}
		b.inside(&e.chain, depth)
		return e
	case 7:
		e := &withMethods{
			wrapper: b.wrapper(), status: b.status(), code: b.code(), yes: b.pick(2) == 1,
			wait: time.Duration(b.pick(256)-128) << b.pick(57), raw: b.words(),
		}
		b.inside(&e.wrapper, depth)
		return e
	case 8:
		e := &withFields{
			StatusCode: b.status(), Code: b.code(), Type: b.code(), Message: b.words(), Body: []byte(b.words()),
			Header: b.header(), RetryAfter: b.words(), wrapper: b.wrapper(),
		}
		if b.pick(2) == 1 {
			e.Response = &http.Response{StatusCode: b.status(), Header: b.header()}
		}
		b.inside(&e.wrapper, depth)
		return e
	case 9:
		return withFieldsByValue{Status: b.status(), Code: b.code(), ResponseBody: b.words(), Headers: b.header(), text: b.words()}
	case 10:
		return status.Error(codes.Code(b.pick(20)), b.words())
	case 11:
		return &net.OpError{Op: "read", Net: "tcp", Err: b.build(depth + 1)}
	case 12:
		return &url.Error{Op: "Get", URL: "https://api.openai.com/v1", Err: b.build(depth + 1)}
	case 13: // one error, at most 512 times
		before := b.weight()
		one, n := b.build(depth+1), 1<<b.pick(10)
		after := b.weight()
		b.repeats.errors += (after.errors - before.errors) * (n - 1)
		b.repeats.bytes += (after.bytes - before.bytes) * (n - 1)
		return multiError(repeat(one, n))
	case 14: // a long chain
		err := b.build(depth + 1)
		for range 1 << b.pick(8) {
			err = &wrapper{stub{calls: &b.calls}, "call", err}
		}
		return err
	case 15: // a cycle
		if len(b.enclosing) > 0 {
			return b.enclosing[b.pick(len(b.enclosing))]
		}
		e := b.wrapper()
		e.next = &e
		return &e
	}
}

// weight returns the weight of all errors built so far.
func (b *builder) weight() weight {
	return weight{b.built + b.repeats.errors, b.size + b.repeats.bytes}
}

func repeat(err error, n int) []error {
	all := make([]error, n)
	for i := range all {
		all[i] = err
	}
	return all
}

func (b *builder) several(depth int) []error {
	all := make([]error, b.pick(4))
	for i := range all {
		all[i] = b.build(depth + 1)
	}
	return all
}

// inside builds an error that e wraps.
func (b *builder) inside(e *wrapper, depth int) {
	b.enclosing = append(b.enclosing, e)
	e.next = b.build(depth + 1)
	b.enclosing = b.enclosing[:len(b.enclosing)-1]
}

func (b *builder) wrapper() wrapper {
	m := stub{calls: &b.calls}
	if b.pick(4) == 1 {
		m.panics = 1 << b.pick(methods)
	}
	return wrapper{stub: m, text: b.words()}
}

func (b *builder) words() string {
	if b.size > maxSize {
		return "much more"
	}
	text := b.text()
	b.size += len(text)
	return text
}

func (b *builder) status() int { return [...]int{0, 401, 429, 503, 200, 418, -1, 1 << 30}[b.pick(8)] }

// code returns an error code of an API, or any text.
func (b *builder) code() string {
	codes := [...]string{"", "insufficient_quota", "context.Canceled", "40001", "ThrottlingException", "ETIMEDOUT", "overloaded_error"}
	if i := b.pick(len(codes) + 1); i < len(codes) {
		return codes[i]
	}
	return b.words()
}

func (b *builder) header() http.Header {
	names := [...]string{"Retry-After", "X-Ratelimit-Reset-Requests", "Anthropic-Ratelimit-Tokens-Reset", "Grpc-Status", "Date"}
	values := [...]string{"", "30", "-1", "1e400", "1s1s1s", "Wed, 21 Oct 2015 07:28:00 GMT", "2026-01-01T00:00:00Z"}
	h := http.Header{}
	for range b.pick(3) {
		value := b.pick(len(values) + 1)
		if value < len(values) {
			h.Add(names[b.pick(len(names))], values[value])
		} else {
			h.Add(names[b.pick(len(names))], b.words())
		}
	}
	return h
}
