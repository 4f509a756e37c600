package resiliencegrpc

import (
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errclass/errclass/resilience"
)

// StreamClientInterceptor returns an interceptor that establishes each stream
// through x. If x is nil or not enabled, streams are made once. The interceptor is
// safe for concurrent use.
//
// A stream is established when the header of the server has arrived. The header
// comes with the first message at the latest. A stream that ended without an error
// counts as established too.
//
//   - If a stream fails before it is established, it is made again by the rules for
//     unary calls.
//   - If an established stream fails, RecvMsg returns gRPC's own error. Observers
//     get an event of [resilience.KindStream], unless the context has ended.
//   - When a server stream is made again, the request is sent again.
//   - A stream with several requests is made again only if SendMsg has not been called
//     yet. If SendMsg is called between two attempts, it waits for the next attempt.
//
// The time limit attemptTimeoutMs applies until the stream is established. If a server
// may send nothing for longer than this limit, set no limit, or let the server send
// the header at once.
//
// While a stream is being established, another goroutine runs the observers. This
// goroutine also runs the functions of the [resilience.Call]. It ends with the
// context of the stream at the latest.
func StreamClientInterceptor(x *resilience.Executor, opts ...Option) grpc.StreamClientInterceptor {
	o := collect(opts)
	return func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, streamer grpc.Streamer, callOptions ...grpc.CallOption) (grpc.ClientStream, error) {
		if own, ok := relayed(ctx, conn); ok {
			return streamer(own, desc, conn, method, callOptions...)
		}
		call := o.callOf(ctx, method, conn)
		if !x.Enabled(call.Agent) {
			return streamer(ctx, desc, conn, method, callOptions...)
		}
		s := &stream{ctx: ctx, desc: desc, state: attempts{primary: target(call)}}
		s.failed = func(err error) {
			a := s.latest
			a.Err = err
			x.StreamFailed(ctx, call, a)
		}
		s.changed.L = &s.mu
		s.open = func(ctx context.Context, t resilience.Target) (grpc.ClientStream, error) {
			to, err := o.connTo(t, s.state.primary, conn)
			switch {
			case err != nil:
				return nil, err
			case to == conn:
				return streamer(ctx, desc, conn, method, callOptions...)
			default:
				return to.NewStream(relay(ctx, to), desc, method, callOptions...)
			}
		}
		repeatable := s.state.repeatable(call.Repeatable, o.mayRepeat(method))
		call.Repeatable = func(a resilience.Attempt) bool { return s.replayable() && repeatable(a) }
		go s.establish(x, call)
		return s.begun()
	}
}

// stream is a client stream. After a failure, establish makes a new gRPC stream.
type stream struct {
	ctx    context.Context // the caller's context
	desc   *grpc.StreamDesc
	open   func(context.Context, resilience.Target) (grpc.ClientStream, error)
	failed func(error)        // tells the observers that the established stream has failed
	state  attempts           // used only by the establishing goroutine
	latest resilience.Attempt // the last attempt; read only after finished is set
	told   bool               // the failure was reported

	mu       sync.Mutex
	changed  sync.Cond          // signals a change of current or finished
	current  grpc.ClientStream  // the stream in use; nil between attempts
	last     grpc.ClientStream  // the last stream that was made
	cancel   context.CancelFunc // ends the last stream
	request  any                // the request of a server stream
	sent     bool               // the client has sent a message
	closed   bool               // the client has called CloseSend
	finished bool               // the stream is established, or err is set
	err      error              // why the stream failed, or io.EOF after a normal end
	panicked any                // panic value of a function of the Call
}

var _ grpc.ClientStream = (*stream)(nil)

// establish makes attempts until the stream is established or has finally failed.
func (s *stream) establish(x *resilience.Executor, call resilience.Call) {
	var err error
	returned := false
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !returned {
			s.panicked = recover()
			s.err = status.Error(codes.Internal, "a function of the call called runtime.Goexit")
		} else if err != nil {
			s.err = s.state.result(s.ctx, err)
		}
		s.finished = true
		s.changed.Broadcast()
	}()
	_, err = resilience.Do(s.ctx, x, call, func(ctx context.Context, t resilience.Target) (any, error) {
		s.state.trailer = nil
		if t != s.latest.Target {
			s.latest = resilience.Attempt{Target: t}
		}
		s.latest.Number++
		return nil, s.state.recordError(s.attempt(ctx, t))
	})
	returned = true
}

// attempt makes a gRPC stream and waits until it is established. If ctx ends after
// that, the stream continues.
func (s *stream) attempt(ctx context.Context, t resilience.Target) error {
	own, cancel := context.WithCancel(s.ctx)
	stop := context.AfterFunc(ctx, cancel)
	established := false
	defer func() {
		stop()
		if !established {
			s.mu.Lock()
			s.current = nil
			s.mu.Unlock()
			cancel()
		}
	}()
	made, err := s.open(own, t)
	if err != nil {
		return err
	}
	if err := s.begin(made, cancel); err != nil {
		return err
	}
	header, err := made.Header()
	if err == nil && header == nil { // the stream has ended
		if err = made.RecvMsg(new(emptypb.Empty)); err == nil {
			err = status.Error(codes.Internal, "a message without a header")
		}
		s.state.trailer = made.Trailer()
	}
	switch {
	case errors.Is(err, io.EOF):
		s.mu.Lock()
		s.err = io.EOF
		s.mu.Unlock()
	case err != nil:
		return err
	case !stop():
		return context.Cause(ctx)
	}
	established = true
	return nil
}

// begin repeats on a new stream what the client has done so far. Then the client can
// use the new stream.
func (s *stream) begin(made grpc.ClientStream, cancel context.CancelFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.cancel = made, cancel
	if s.request != nil {
		if err := made.SendMsg(s.request); err != nil {
			return err
		}
	}
	if s.closed {
		if err := made.CloseSend(); err != nil {
			return err
		}
	}
	s.current = made
	s.changed.Broadcast()
	return nil
}

// replayable reports whether the stream can be made again without losing messages.
func (s *stream) replayable() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.sent || !s.desc.ClientStreams
}

// begun waits until an attempt has created a stream. If no attempt does so, begun
// returns an error.
func (s *stream) begun() (grpc.ClientStream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.last == nil && !s.finished {
		s.changed.Wait()
	}
	if s.last != nil {
		return s, nil
	}
	return nil, s.failure()
}

// established waits until the stream is established or has failed. If it has failed,
// established returns the error.
func (s *stream) established() (grpc.ClientStream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.finished {
		s.changed.Wait()
	}
	return s.last, s.failure()
}

// failure returns the error of the stream. If a function of the Call panicked,
// failure panics. The caller has locked mu.
func (s *stream) failure() error {
	if s.panicked != nil {
		panic(s.panicked)
	}
	return s.err
}

// Header waits until the stream is established.
func (s *stream) Header() (metadata.MD, error) {
	made, err := s.established()
	if err != nil {
		return nil, nil //nolint:nilnil // RecvMsg returns the status, as the interface says
	}
	return made.Header()
}

// Trailer returns the trailer of the last attempt. It returns nil until the stream
// is established or has failed.
func (s *stream) Trailer() metadata.MD {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.finished {
		return nil
	}
	return s.last.Trailer()
}

// Context waits until the stream is established and returns its context. If the
// stream has failed, Context returns the caller's context.
func (s *stream) Context() context.Context {
	if made, err := s.established(); err == nil {
		return made.Context()
	}
	return s.ctx
}

// CloseSend closes the sending direction of the stream, also in later attempts.
func (s *stream) CloseSend() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.current == nil {
		return nil
	}
	return s.current.CloseSend()
}

// SendMsg sends a message. What it does between two attempts depends on the stream:
//
//   - SendMsg of a server stream stores the request for the next attempt.
//   - SendMsg of a stream with several requests blocks until the next attempt.
func (s *stream) SendMsg(m any) error {
	s.mu.Lock()
	if !s.desc.ClientStreams {
		defer s.mu.Unlock()
		s.sent, s.request = true, m
		if s.current == nil {
			return nil
		}
		return s.current.SendMsg(m)
	}
	for s.current == nil && !s.finished {
		s.changed.Wait()
	}
	made := s.current
	s.sent = s.sent || made != nil
	s.mu.Unlock()
	if made == nil {
		return io.EOF // RecvMsg returns the status
	}
	return made.SendMsg(m)
}

// RecvMsg receives a message of the established stream.
func (s *stream) RecvMsg(m any) error {
	made, err := s.established()
	if err == nil {
		err = made.RecvMsg(m)
		if err != nil && !errors.Is(err, io.EOF) && s.ctx.Err() == nil && !s.told {
			s.told = true
			s.failed(err)
		}
	}
	if err != nil || !s.desc.ServerStreams { // the stream has ended
		s.end()
	}
	return err
}

// end cancels the context of the gRPC stream that was made last.
func (s *stream) end() {
	s.mu.Lock()
	cancel := s.cancel
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
