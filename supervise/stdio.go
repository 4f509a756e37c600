package supervise

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
)

// stdio is a connection to a child's standard input and output. It records why the
// connection broke.
type stdio struct {
	in  *os.File // this program writes to the child's input
	out *os.File // this program reads the child's output

	childEnds []*os.File // open until the child has started

	once    sync.Once
	broken  chan struct{} // closed when err and byChild are set
	err     error
	byChild bool // the child broke the connection

	endOnce sync.Once
	ended   chan struct{} // closed when the client has read all output, or the connection is closed
}

var _ io.ReadWriteCloser = (*stdio)(nil)

var (
	errOutputClosed = errors.New("closed its standard output")
	errInputClosed  = errors.New("closed its standard input")
	errClientClosed = errors.New("the client closed the connection")
)

// connectStdio creates the pipes. It does not use the pipes of os/exec, because Wait
// closes them when the child exits, even if output is still unread.
func connectStdio(cmd *exec.Cmd) (*stdio, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		_, _ = childIn.Close(), in.Close()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout = childIn, childOut
	return &stdio{in: in, out: out, childEnds: []*os.File{childIn, childOut}, broken: make(chan struct{}), ended: make(chan struct{})}, nil
}

// closeChildEnds closes the child's ends of the pipes in this process. It is called
// after the start of the child.
func (s *stdio) closeChildEnds() {
	for _, f := range s.childEnds {
		_ = f.Close()
	}
	s.childEnds = nil
}

// Read reads from the child's standard output.
func (s *stdio) Read(p []byte) (int, error) {
	n, err := s.out.Read(p)
	if err != nil {
		s.setBroken(errOutputClosed, true)
		s.setEnded()
	}
	return n, err
}

// Write writes to the child's standard input.
func (s *stdio) Write(p []byte) (int, error) {
	n, err := s.in.Write(p)
	if err != nil {
		s.setBroken(errInputClosed, true)
	}
	return n, err
}

// Close closes both pipes. If the client calls Close, the session ends.
func (s *stdio) Close() error {
	s.fail(errClientClosed)
	return nil
}

// fail closes the connection and records the given cause.
func (s *stdio) fail(cause error) {
	s.setBroken(cause, false)
	s.setEnded()
	_ = s.in.Close() // may be closed already
	_ = s.out.Close()
}

// setBroken records why the connection broke, if this is the first cause.
func (s *stdio) setBroken(cause error, byChild bool) {
	s.once.Do(func() {
		s.err, s.byChild = cause, byChild
		close(s.broken)
	})
}

// setEnded records that the client reads no more output.
func (s *stdio) setEnded() { s.endOnce.Do(func() { close(s.ended) }) }

// cause returns the error that broke the connection, or nil.
func (s *stdio) cause() error {
	select {
	case <-s.broken:
		return s.err
	default:
		return nil
	}
}

func (s *stdio) brokenByChild() bool { return s.cause() != nil && s.byChild }
