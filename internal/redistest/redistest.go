// Package redistest starts a redis-server or valkey-server for tests and examples.
// The server uses a free port on loopback. It keeps its files in the caller's
// directory. It does not save its data.
package redistest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"
)

// Required is an environment variable that the CI sets. If no server is installed and
// the variable is set, tests that need a server fail. If no server is installed and the
// variable is not set, these tests pass without a server.
const Required = "ERRCLASS_REQUIRE_REDIS"

// ErrNotInstalled is returned by [Start] if neither redis-server nor valkey-server
// is installed.
var ErrNotInstalled = errors.New("neither redis-server nor valkey-server is installed")

// IsRequired reports whether [Required] is set.
func IsRequired() bool { return os.Getenv(Required) != "" }

// Server is a running server.
type Server struct {
	Addr string

	dir    string
	cmd    *exec.Cmd
	output bytes.Buffer
	exited chan struct{}
}

// Start starts a server and waits until it answers. The server keeps its files in
// dir. Call Kill to end the server.
func Start(ctx context.Context, dir string) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: l.Addr().String(), dir: dir}
	if err := l.Close(); err != nil {
		return nil, err
	}
	if err := s.Start(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Start starts the server again after Kill. It has the same address and no data.
func (s *Server) Start(ctx context.Context) error {
	path, err := find()
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return err
	}
	s.output.Reset()
	s.cmd = exec.Command(path, "--bind", "127.0.0.1", "--port", port, "--dir", s.dir, "--save", "", "--appendonly", "no", "--daemonize", "no")
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	if err := s.cmd.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	s.exited = exited
	go func() { _ = s.cmd.Wait(); close(exited) }()
	return s.wait(ctx)
}

func find() (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}

// wait waits until the server answers.
func (s *Server) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for !s.answers() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-s.exited:
			return fmt.Errorf("%s ended: %s", s.cmd.Path, s.output.String())
		case <-ctx.Done():
			s.Kill()
			return fmt.Errorf("%s does not answer: %w", s.cmd.Path, ctx.Err())
		}
	}
	return nil
}

func (s *Server) answers() bool {
	c, err := net.DialTimeout("tcp", s.Addr, time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return false
	}
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	answer := make([]byte, len("+PONG"))
	_, err = c.Read(answer)
	return err == nil && string(answer) == "+PONG"
}

// Kill kills the server and waits until it has ended.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	<-s.exited
}

// Signal sends a signal to the server, for example SIGSTOP to pause the server.
func (s *Server) Signal(sig os.Signal) error { return s.cmd.Process.Signal(sig) }
