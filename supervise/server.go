package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Server keeps a child running that serves on standard input and output. An MCP
// server is an example. Create a Server with [NewServer], call Start, and use
// [Call]. C is the type of the client. A Server is safe for concurrent use. It never
// logs; see [WithObserver].
//
// A server has crashed in these cases:
//
//   - The child exits.
//   - The child closes its input or its output.
//   - The child does not answer a call in time. [WithPing] gives the child another
//     chance.
//   - The client closes the connection. MCP clients do this after invalid JSON.
//
// A crashed server is restarted once. If the child still runs, the Server ends it
// first. After another crash within ten minutes, the server is degraded: its calls
// fail at once. [WithRestarts] and [WithRestartWindow] change these limits.
type Server[C any] struct {
	name    string
	command Command
	connect func(context.Context, io.ReadWriteCloser) (C, error)
	cfg     serverConfig
	ping    func(context.Context, C) error // cfg.ping; nil if cfg.ping has another type

	calls     sync.Map // running calls: token -> *callLimit[C]
	lastToken atomic.Uint64

	lifetime context.Context // ends with Stop
	cancel   context.CancelCauseFunc
	done     chan struct{} // closed when the last child has ended; nil before Start

	mu      sync.Mutex
	status  ServerStatus
	session *session[C]   // nil unless running
	changed chan struct{} // closed and replaced at every change of status
}

// ServerState is the state of a [Server].
type ServerState string

// These are the states of a server.
const (
	ServerNew        ServerState = "new"        // not started yet
	ServerStarting   ServerState = "starting"   // for the first time
	ServerRunning    ServerState = "running"    // takes calls
	ServerRestarting ServerState = "restarting" // after a crash; calls wait
	ServerSkipped    ServerState = "skipped"    // did not start; the program continues without it
	ServerDegraded   ServerState = "degraded"   // crashed too often; the program continues without it
	ServerStopped    ServerState = "stopped"    // by Stop
)

// ServerStatus is the state of a server, with the reason. Its JSON is an event for
// the program's users, for example
// {"type":"degraded","server":"files","reason":"exited with code 1"}.
type ServerStatus struct {
	State  ServerState `json:"type"`
	Server string      `json:"server"`
	Reason string      `json:"reason,omitempty"` // of skipped, degraded and restarting: "exited with code 1"
	Err    error       `json:"-"`                // the reason as an error
}

// errStopped is the error of calls and of the connection after Stop was called.
var errStopped = errors.New("the server was stopped")

// NewServer returns a server that is not started yet. command describes the child.
// Its fields Stdin, Stdout, Timeout and Silence are not used.
//
// After each start, connect is called with a connection to the child. connect returns
// the client that [Call] passes to its function. If the child does not answer in time,
// the context of connect ends. If the client has a Close method, it is called after
// the child has ended.
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
	s.ping, _ = s.cfg.ping.(func(context.Context, C) error)
	s.lifetime, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// Status returns the state of the server, with the reason if there is one.
func (s *Server[C]) Status() ServerStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// setStatus changes the status, wakes the waiting calls and calls the observers.
// After Stop, it accepts only ServerStopped.
func (s *Server[C]) setStatus(status ServerStatus, current *session[C]) {
	status.Server = s.name
	s.mu.Lock()
	if s.lifetime.Err() != nil && status.State != ServerStopped || s.status.State == ServerStopped {
		s.mu.Unlock()
		return
	}
	s.status, s.session = status, current
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	for _, observe := range s.cfg.observers {
		callObserver(observe, status)
	}
}

// callObserver calls an observer and recovers from its panic.
func callObserver(observe func(ServerStatus), s ServerStatus) {
	defer func() { _ = recover() }()
	observe(s)
}

// Start starts the child and connects to it. It may be called once. ctx applies only
// to starting. After that, only Stop ends the child.
//
// If the start or the connection fails, the state becomes [ServerSkipped]. The error
// is then a [*ServerError]. A program may treat this error as a warning and
// continue.
func (s *Server[C]) Start(ctx context.Context) error {
	s.mu.Lock()
	if state := s.status.State; state != ServerNew || s.lifetime.Err() != nil {
		s.mu.Unlock()
		return fmt.Errorf("server %q: state is %s: it can be started only once, make a new one", s.name, state)
	}
	s.status.State = ServerStarting
	s.done = make(chan struct{})
	s.mu.Unlock()

	first, err := s.launch(ctx)
	if err != nil {
		s.setStatus(ServerStatus{State: ServerSkipped, Reason: err.Reason, Err: err}, nil)
		close(s.done)
		return err
	}
	s.setStatus(ServerStatus{State: ServerRunning}, first)
	go s.supervise(first)
	return nil
}

// supervise restarts the server after each crash, as often as allowed.
func (s *Server[C]) supervise(current *session[C]) {
	defer close(s.done)
	var restarts []time.Time // within the window
	crash := current.wait(s.lifetime)
	for s.lifetime.Err() == nil {
		now := time.Now()
		restarts = slices.DeleteFunc(restarts, func(t time.Time) bool { return s.cfg.window > 0 && now.Sub(t) > s.cfg.window })
		if len(restarts) >= s.cfg.restarts {
			s.setStatus(ServerStatus{State: ServerDegraded, Reason: crash.Reason, Err: crash}, nil)
			return
		}
		restarts = append(restarts, now)
		s.setStatus(ServerStatus{State: ServerRestarting, Reason: crash.Reason, Err: crash}, nil)
		next, err := s.launch(s.lifetime)
		if crash = err; err == nil {
			s.setStatus(ServerStatus{State: ServerRunning}, next)
			crash = next.wait(s.lifetime)
		}
	}
}

// Stop ends the server and returns when the child has ended. It may be called twice,
// and before Start. Waiting calls fail. Stop closes the child's standard input and
// sends SIGTERM to its group. After Command.Grace, it sends SIGKILL. If ctx ends
// first, Stop returns the cause of ctx, but still ends the child. The state becomes
// [ServerStopped] when the child has ended.
func (s *Server[C]) Stop(ctx context.Context) error {
	s.cancel(errStopped)
	s.mu.Lock()
	done := s.done
	s.mu.Unlock()
	if done != nil {
		select {
		case <-done:
		case <-ctx.Done():
			go func() {
				<-done
				s.setStatus(ServerStatus{State: ServerStopped}, nil)
			}()
			return context.Cause(ctx)
		}
	}
	s.setStatus(ServerStatus{State: ServerStopped}, nil)
	return nil
}

// readySession returns the current session. If the child is being started,
// readySession waits.
func (s *Server[C]) readySession(ctx context.Context) (*session[C], error) {
	for {
		s.mu.Lock()
		status, current, changed := s.status, s.session, s.changed
		s.mu.Unlock()
		switch {
		case s.lifetime.Err() != nil:
			return nil, s.failure(errStopped)
		case current != nil && !current.broken():
			return current, nil
		case status.State == ServerNew:
			return nil, s.failure(errors.New("the server was not started"))
		case status.State == ServerSkipped, status.State == ServerDegraded:
			return nil, status.Err
		}
		select {
		case <-changed:
		case <-s.lifetime.Done():
		case <-ctx.Done():
			return nil, contextError(ctx)
		}
	}
}

// answerContext returns a copy of ctx with the time limit of WithAnswerTimeout.
func answerContext(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, answerError(limit))
}
