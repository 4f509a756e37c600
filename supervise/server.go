package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Server keeps a child alive that serves on its standard input and output, such
// as an MCP server. Make one with [NewServer], start it, and ask it with [Call].
// C is the client that speaks its protocol.
//
// A server that crashes is started once more; when it crashes again it is
// degraded: its calls fail at once, and everything else goes on. A crash is an
// exit, the end of its output, a pipe that broke, a client that gave up the
// connection (as MCP's do when they read what is no JSON), or a call without an
// answer in time, after which it is ended.
//
// Safe for concurrent use. It never logs; see [WithObserver].
type Server[C any] struct {
	name    string
	command Command
	connect func(context.Context, io.ReadWriteCloser) (C, error)
	cfg     serverConfig

	life context.Context // ends with Stop
	end  context.CancelCauseFunc
	done chan struct{} // closed when nothing of the server is left; nil before Start

	mu      sync.Mutex
	status  ServerStatus
	session *session[C]   // while running
	changed chan struct{} // closed and replaced with every change of status
}

// ServerState is what can be said of a server.
type ServerState string

// The states of a server.
const (
	ServerNew        ServerState = "new"        // not started yet
	ServerStarting   ServerState = "starting"   // for the first time
	ServerRunning    ServerState = "running"    // and takes calls
	ServerRestarting ServerState = "restarting" // after a crash; calls wait for it
	ServerSkipped    ServerState = "skipped"    // it would not start: a warning, and life without it
	ServerDegraded   ServerState = "degraded"   // it crashed too often: life without it
	ServerStopped    ServerState = "stopped"    // by Stop
)

// ServerStatus is what is known of a server. As JSON it is an event for a
// program's users: {"type":"degraded","server":"files","reason":"exited with
// code 1"}.
type ServerStatus struct {
	State  ServerState `json:"type"`
	Server string      `json:"server"`
	Reason string      `json:"reason,omitempty"` // of skipped, degraded and restarting: "exited with code 1"
	Err    error       `json:"-"`                // the same as an error, with all that is known
}

// errStopped ends the life of a server.
var errStopped = errors.New("the server was stopped")

// NewServer returns a server that is not started yet. command says how to run
// it; its Stdin, Stdout, Timeout and Silence are not used. connect gets a new
// connection to the child's standard input and output after each start, and
// returns the client that [Call] hands out. The context that it is given ends
// when the child has not answered in time. A client that has a Close method is
// closed when its child has ended.
func NewServer[C any](name string, command Command, connect func(context.Context, io.ReadWriteCloser) (C, error), opts ...ServerOption) *Server[C] {
	s := &Server[C]{
		name: name, command: command, connect: connect, cfg: serverDefaults(),
		status:  ServerStatus{State: ServerNew, Server: name},
		changed: make(chan struct{}),
	}
	for _, o := range opts {
		if o != nil {
			s.cfg = o.apply(s.cfg)
		}
	}
	s.life, s.end = context.WithCancelCause(context.Background())
	return s
}

// Status returns the state of the server, and the reason where there is one.
func (s *Server[C]) Status() ServerStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// set changes the status and tells those who wait for it, then the observers.
// After Stop only stopped comes.
func (s *Server[C]) set(to ServerStatus, with *session[C]) {
	to.Server = s.name
	s.mu.Lock()
	if s.life.Err() != nil && to.State != ServerStopped || s.status.State == ServerStopped {
		s.mu.Unlock()
		return
	}
	s.status, s.session = to, with
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	for _, observe := range s.cfg.observers {
		notify(observe, to)
	}
}

// notify survives an observer's panic: who watches a server must not be able to
// end it.
func notify(observe func(ServerStatus), s ServerStatus) {
	defer func() { _ = recover() }()
	observe(s)
}

// Start starts the child and connects to it. Where that fails the server is
// skipped, which is a warning and no more: the error is an [*ServerError]. ctx
// is for starting alone; Stop ends the child. Start may be called once.
func (s *Server[C]) Start(ctx context.Context) error {
	s.mu.Lock()
	if state := s.status.State; state != ServerNew || s.life.Err() != nil {
		s.mu.Unlock()
		return fmt.Errorf("server %q: it can be started once, and is %s; make a new one", s.name, state)
	}
	s.status.State = ServerStarting
	s.done = make(chan struct{})
	s.mu.Unlock()

	first, err := s.launch(ctx)
	if err != nil {
		s.set(ServerStatus{State: ServerSkipped, Reason: err.Reason, Err: err}, nil)
		close(s.done)
		return err
	}
	s.set(ServerStatus{State: ServerRunning}, first)
	go s.supervise(first)
	return nil
}

// supervise waits for the ends of sessions and starts new ones, until it may not
// any more.
func (s *Server[C]) supervise(current *session[C]) {
	defer close(s.done)
	for restarts := 0; ; restarts++ {
		crash := current.wait(s.life)
		if s.life.Err() != nil {
			return
		}
		if restarts == s.cfg.restarts {
			s.set(ServerStatus{State: ServerDegraded, Reason: crash.Reason, Err: crash}, nil)
			return
		}
		s.set(ServerStatus{State: ServerRestarting, Reason: crash.Reason, Err: crash}, nil)
		next, err := s.launch(s.life)
		if err != nil {
			s.set(ServerStatus{State: ServerDegraded, Reason: err.Reason, Err: err}, nil)
			return
		}
		s.set(ServerStatus{State: ServerRunning}, next)
		current = next
	}
}

// Stop ends the server: its standard input is closed and its group gets SIGTERM
// and, after Command.Grace, SIGKILL. It returns when the child has ended, or with
// ctx's error when that ends first; the child is then ended all the same. Calls
// that wait fail. Stopping twice, or what was never started, is no error.
func (s *Server[C]) Stop(ctx context.Context) error {
	s.end(errStopped)
	s.mu.Lock()
	done := s.done
	s.mu.Unlock()
	if done != nil {
		select {
		case <-done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s.set(ServerStatus{State: ServerStopped}, nil)
	return nil
}

// ready returns the session that takes calls, and waits for it while one is
// being started.
func (s *Server[C]) ready(ctx context.Context) (*session[C], error) {
	for {
		s.mu.Lock()
		status, current, changed := s.status, s.session, s.changed
		s.mu.Unlock()
		switch {
		case s.life.Err() != nil:
			return nil, s.failure(errStopped)
		case current != nil && !current.broken():
			return current, nil
		case status.State == ServerNew:
			return nil, s.failure(errors.New("it was not started"))
		case status.State == ServerSkipped, status.State == ServerDegraded:
			return nil, status.Err
		}
		select {
		case <-changed:
		case <-s.life.Done():
		case <-ctx.Done():
			return nil, ended(ctx)
		}
	}
}

// limited is ctx with the time that the server has to answer.
func limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, noAnswer(limit))
}
