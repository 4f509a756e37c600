package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// session is one run of a server's child, from its start to its end.
type session[C any] struct {
	server *Server[C]
	child  *child
	conn   *stdio
	tail   *tail
	client C
	closer io.Closer     // the client, if it has a Close method; nil before it is connected
	done   chan struct{} // closed when crash is set
	crash  *ServerError
}

// exitWait limits three pauses of a session:
//
//   - After a closed pipe, the session waits for the exit code.
//   - After the exit, the session waits until the last output was read.
//   - After the answer to a ping, the session waits for the end of the call that was
//     not answered in time.
const exitWait = time.Second

// launch starts the child and connects to it.
func (s *Server[C]) launch(ctx context.Context) (*session[C], *ServerError) {
	ctx, cancel := answerContext(ctx, s.cfg.answer)
	defer cancel()
	if ctx.Err() != nil {
		return nil, s.failure(contextError(ctx))
	}
	if s.connect == nil {
		return nil, s.failure(errors.New("connect function of NewServer is nil"))
	}
	if s.cfg.ping != nil && s.ping == nil {
		return nil, s.failure(fmt.Errorf("WithPing has a %T, which does not take the server's client", s.cfg.ping))
	}
	cmd := s.command.cmd()
	c := &session[C]{server: s, tail: new(tail), done: make(chan struct{})}
	var o outputs
	toErrs, err := o.add("standard error", tee(c.tail, s.command.Stderr))
	if err != nil {
		return nil, s.failure(err)
	}
	cmd.Stderr = toErrs
	if c.conn, err = connectStdio(cmd); err != nil {
		o.begin(false)
		return nil, s.failure(err)
	}
	c.child, err = start(cmd, &o, s.command.grace())
	c.conn.closeChildEnds()
	if err != nil {
		_ = c.conn.Close()
		return nil, s.failure(err)
	}
	// The connect function may block. Closing the connection makes it return.
	cancelTimeout := context.AfterFunc(ctx, func() { c.conn.fail(contextError(ctx)) })
	cancelStop := context.AfterFunc(s.lifetime, func() { c.conn.fail(errStopped) })
	defer cancelStop()
	c.client, err = s.dial(ctx, c.conn)
	if cancelTimeout() && err == nil {
		c.closer, _ = any(c.client).(io.Closer)
		return c, nil
	}
	if err == nil { // ctx ended at the same moment
		err = contextError(ctx)
	}
	c.conn.fail(fmt.Errorf("connect: %w", err))
	return nil, c.wait(context.Background())
}

// dial calls connect and recovers from a panic. Otherwise, a panic during a restart
// would end the program.
func (s *Server[C]) dial(ctx context.Context, conn io.ReadWriteCloser) (client C, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panicked: %v", p)
		}
	}()
	return s.connect(ctx, conn)
}

// wait waits until the child exits, the connection breaks or lifetime ends. Then it
// ends the child and returns the reason.
func (c *session[C]) wait(lifetime context.Context) *ServerError {
	select {
	case <-c.child.exited:
		c.conn.setBroken(errOutputClosed, true) // the client may close the connection from now on
		c.awaitEnd(lifetime)
	case <-c.conn.broken:
		// A crashing child closes its pipes shortly before its exit.
		if c.conn.brokenByChild() {
			c.awaitEnd(lifetime)
		}
	case <-lifetime.Done():
		c.conn.fail(errStopped)
	}
	c.crash = c.crashError()
	close(c.done)
	_ = c.conn.Close()
	c.child.stop()
	if c.closer != nil {
		_ = c.closer.Close() // may fail, because the connection is closed already
	}
	return c.crash
}

// awaitEnd waits for the child's exit and the end of its standard error. It then waits
// until the client has read the answers that are still in the pipe. If exitWait has
// passed or lifetime ends, awaitEnd returns earlier.
func (c *session[C]) awaitEnd(lifetime context.Context) {
	limit := time.NewTimer(exitWait)
	defer limit.Stop()
	for _, end := range []<-chan struct{}{c.child.drained, c.conn.ended} {
		select {
		case <-end:
		case <-limit.C:
			return
		case <-lifetime.Done():
			return
		}
	}
}

// broken reports whether the session takes no more calls.
func (c *session[C]) broken() bool {
	select {
	case <-c.conn.broken:
		return true
	case <-c.child.exited:
		return true
	default:
		return false
	}
}

// crashError returns the error that ended the session.
func (c *session[C]) crashError() *ServerError {
	cause := c.conn.cause()
	select {
	case <-c.child.exited:
		if cause != nil && !c.conn.brokenByChild() {
			break // this program closed the connection before the child exited
		}
		return c.withTail(c.server.failure(exitError{c.child.err}))
	default:
	}
	if cause == nil {
		cause = errStopped
	}
	return c.withTail(c.server.failure(cause))
}

// withTail adds the end of the child's standard error to e.
func (c *session[C]) withTail(e *ServerError) *ServerError {
	e.Stderr = lastRunes(c.server.command.mask(c.tail.text()), StderrRunes)
	return e
}

// exitError describes how a process ended, such as "exited with code 1".
type exitError struct{ err error } // err is the error of Wait

func (e exitError) Error() string {
	var exit *exec.ExitError
	if !errors.As(e.err, &exit) {
		return "exited with code 0" // a crash too, for a server
	}
	if exit.ExitCode() < 0 {
		return "ended by a " + exit.Error() // "signal: killed"
	}
	return fmt.Sprintf("exited with code %d", exit.ExitCode())
}

func (e exitError) Unwrap() error { return e.err }
