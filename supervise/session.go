package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// session is one life of a server's child.
type session[C any] struct {
	server *Server[C]
	child  *child
	conn   *stdio
	tail   *tail
	client C
	closer io.Closer     // the client, where it has to be closed; nil before it is connected
	over   chan struct{} // closed once crash is set
	crash  *ServerError
}

// settle is how long a child that closed a pipe may take to exit, before it is
// ended for that, as the exit code says more than the pipe; and how long what it
// wrote last may take to come.
const settle = time.Second

// launch starts the child and connects to it.
func (s *Server[C]) launch(ctx context.Context) (*session[C], *ServerError) {
	ctx, cancel := limited(ctx, s.cfg.answer)
	defer cancel()
	if ctx.Err() != nil {
		return nil, s.failure(ended(ctx))
	}
	if s.connect == nil {
		return nil, s.failure(errors.New("NewServer was given no function that connects"))
	}
	cmd := s.command.cmd()
	c := &session[C]{server: s, tail: new(tail), over: make(chan struct{})}
	stderr := io.Writer(c.tail)
	if s.command.Stderr != nil {
		stderr = io.MultiWriter(c.tail, s.command.Stderr)
	}
	var o outputs
	toErrs, err := o.add("standard error", stderr)
	if err != nil {
		return nil, s.failure(err)
	}
	cmd.Stderr = toErrs
	if c.conn, err = connectStdio(cmd); err != nil {
		o.begin(false)
		return nil, s.failure(err)
	}
	c.child, err = start(cmd, &o, s.command.grace())
	c.conn.started()
	if err != nil {
		_ = c.conn.Close()
		return nil, s.failure(err)
	}
	// Whatever connect waits for, it is over when the connection is.
	forget := context.AfterFunc(ctx, func() { c.conn.fail(ended(ctx)) })
	forgetLife := context.AfterFunc(s.life, func() { c.conn.fail(errStopped) })
	defer forgetLife()
	c.client, err = s.dial(ctx, c.conn)
	if forget() && err == nil {
		c.closer, _ = any(c.client).(io.Closer)
		return c, nil
	}
	if err == nil { // at the last moment, and the connection is closed already
		err = ended(ctx)
	}
	c.conn.fail(fmt.Errorf("connect: %w", err))
	return nil, c.wait(context.Background())
}

// dial connects. After a crash that happens in the background, where a panic
// would end the program.
func (s *Server[C]) dial(ctx context.Context, conn io.ReadWriteCloser) (client C, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
	return s.connect(ctx, conn)
}

// wait waits until the child has ended or has to, ends it, and says why. When
// life ends the child is ended too.
func (c *session[C]) wait(life context.Context) *ServerError {
	select {
	case <-c.child.exited:
		c.child.wait(settle) // for its last words
	case <-c.conn.broke:
		// Where the child crashed, its exit comes with the end of its pipes. Where
		// this side gave up, nothing is to be waited for.
		if c.conn.byChild() {
			c.child.wait(settle)
		}
	case <-life.Done():
		c.conn.fail(errStopped)
	}
	c.crash = c.reason()
	close(c.over)
	_ = c.conn.Close()
	c.child.stop()
	if c.closer != nil {
		_ = c.closer.Close() // what it says is that its connection was lost
	}
	return c.crash
}

// broken reports whether the session takes no more calls.
func (c *session[C]) broken() bool {
	select {
	case <-c.conn.broke:
		return true
	case <-c.child.exited:
		return true
	default:
		return false
	}
}

// reason is why the session is over.
func (c *session[C]) reason() *ServerError {
	why := c.conn.why()
	select {
	case <-c.child.exited:
		if why != nil && !c.conn.byChild() {
			break // this side had given it up before
		}
		return c.withTail(c.server.failure(exitError{c.child.err}))
	default:
	}
	if why == nil {
		why = errStopped
	}
	return c.withTail(c.server.failure(why))
}

// withTail adds what the child said last.
func (c *session[C]) withTail(e *ServerError) *ServerError {
	e.Stderr = lastRunes(c.server.command.mask(c.tail.text()), StderrRunes)
	return e
}

// exitError words the end of a process: "exited with code 1".
type exitError struct{ err error } // of Wait

func (e exitError) Error() string {
	var exit *exec.ExitError
	if !errors.As(e.err, &exit) {
		return "exited with code 0" // which a server does not do either
	}
	if exit.ExitCode() < 0 {
		return "ended by a " + exit.Error() // "signal: killed"
	}
	return fmt.Sprintf("exited with code %d", exit.ExitCode())
}

func (e exitError) Unwrap() error { return e.err }
