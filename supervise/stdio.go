package supervise

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
)

// stdio is a connection to a child's standard input and output. It notes when
// it breaks, and why.
type stdio struct {
	in  *os.File // written to here, read by the child
	out *os.File // read here, written to by the child

	childs []*os.File // the child's ends, until it has them

	once  sync.Once
	broke chan struct{} // closed once err and child are set
	err   error
	child bool // the child broke it
}

var _ io.ReadWriteCloser = (*stdio)(nil)

var (
	errOutputClosed = errors.New("it closed its standard output")
	errInputClosed  = errors.New("it closed its standard input")
	errGivenUp      = errors.New("the client closed the connection")
)

// connectStdio makes the pipes itself: those of os/exec are closed when the
// process has ended, read to their end or not.
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
	return &stdio{in: in, out: out, childs: []*os.File{childIn, childOut}, broke: make(chan struct{})}, nil
}

// started gives up the child's ends, which the child has now or never will.
func (s *stdio) started() {
	for _, f := range s.childs {
		_ = f.Close()
	}
	s.childs = nil
}

// Read reads what the child writes. io.EOF is the end of the child's output.
func (s *stdio) Read(p []byte) (int, error) {
	n, err := s.out.Read(p)
	if err != nil {
		s.breakUp(errOutputClosed, true)
	}
	return n, err
}

// Write writes what the child reads.
func (s *stdio) Write(p []byte) (int, error) {
	n, err := s.in.Write(p)
	if err != nil {
		s.breakUp(errInputClosed, true)
	}
	return n, err
}

// Close closes both pipes. A client that calls it has no use for the child any
// more, for instance since it could not read what it got.
func (s *stdio) Close() error {
	s.fail(errGivenUp)
	return nil
}

// fail ends the connection from this side.
func (s *stdio) fail(why error) {
	s.breakUp(why, false)
	_ = s.in.Close() // twice is an error of no interest
	_ = s.out.Close()
}

func (s *stdio) breakUp(why error, byChild bool) {
	s.once.Do(func() {
		s.err, s.child = why, byChild
		close(s.broke)
	})
}

// why is what broke the connection, nil while it holds.
func (s *stdio) why() error {
	select {
	case <-s.broke:
		return s.err
	default:
		return nil
	}
}

func (s *stdio) byChild() bool { return s.why() != nil && s.child }
