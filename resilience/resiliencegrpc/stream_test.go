package resiliencegrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/resiliencegrpc"
)

var (
	serverStream = &grpc.StreamDesc{StreamName: "Get", ServerStreams: true}
	clientStream = &grpc.StreamDesc{StreamName: "Get", ClientStreams: true}
	bothStreams  = &grpc.StreamDesc{StreamName: "Get", ServerStreams: true, ClientStreams: true}
)

// handlers is a server with one function per stream. The last function also serves
// all later streams.
type handlers struct {
	mu    sync.Mutex
	serve []func(grpc.ServerStream) error
	calls int
}

func (h *handlers) handle(_ any, s grpc.ServerStream) error {
	h.mu.Lock()
	f := h.serve[min(h.calls, len(h.serve)-1)]
	h.calls++
	h.mu.Unlock()
	return f(s)
}

func (h *handlers) made() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls
}

func refuse(err error) func(grpc.ServerStream) error {
	return func(grpc.ServerStream) error { return err }
}

// count returns a function that sends n answers and then returns err. Each answer is
// the text of the request followed by a number.
func count(n int, err error) func(grpc.ServerStream) error {
	return func(s grpc.ServerStream) error {
		text := new(wrapperspb.StringValue)
		if err := s.RecvMsg(text); err != nil {
			return err
		}
		for i := range n {
			if err := s.SendMsg(wrapperspb.String(fmt.Sprint(text.GetValue(), i))); err != nil {
				return err
			}
		}
		s.SetTrailer(metadata.Pairs("shop", "closed"))
		return err
	}
}

func streaming(x *resilience.Executor, opts ...resiliencegrpc.Option) grpc.DialOption {
	return grpc.WithStreamInterceptor(resiliencegrpc.StreamClientInterceptor(x, opts...))
}

// ask starts a server stream with the request "n", like generated code.
func ask(ctx context.Context, conn *grpc.ClientConn, method string) (grpc.ClientStream, error) {
	s, err := conn.NewStream(ctx, serverStream, method)
	if err != nil {
		return nil, err
	}
	if err := s.SendMsg(wrapperspb.String("n")); err != nil {
		return nil, err
	}
	return s, s.CloseSend()
}

// receive reads a stream to its end.
func receive(s grpc.ClientStream) (texts []string, err error) {
	for {
		text := new(wrapperspb.StringValue)
		if err := s.RecvMsg(text); err != nil {
			return texts, err
		}
		texts = append(texts, text.GetValue())
	}
}

// If an established stream fails, observers get one event. If the client ends the
// stream, they get none.
func TestStream_FailsLater(t *testing.T) {
	t.Parallel()
	header := func(err error) func(grpc.ServerStream) error {
		return func(s grpc.ServerStream) error { return errors.Join(s.SendHeader(metadata.Pairs("a", "b")), err) }
	}
	for _, tt := range []struct {
		name   string
		desc   *grpc.StreamDesc
		serve  []func(grpc.ServerStream) error
		cancel bool
		number int // number of the failed attempt; 0 = no event
	}{
		{name: "after a message", serve: []func(grpc.ServerStream) error{refuse(busy), count(2, busy)}, number: 2},
		{name: "after a header", serve: []func(grpc.ServerStream) error{header(busy)}, number: 1},
		{name: "a single answer", desc: clientStream, serve: []func(grpc.ServerStream) error{header(busy)}, number: 1},
		{name: "before", serve: []func(grpc.ServerStream) error{refuse(busy)}},
		{name: "not at all", serve: []func(grpc.ServerStream) error{count(2, nil)}},
		{name: "canceled", cancel: true, serve: []func(grpc.ServerStream) error{func(s grpc.ServerStream) error {
			err := s.SendHeader(nil)
			<-s.Context().Done()
			return err
		}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := &handlers{serve: tt.serve}
				var mu sync.Mutex
				var told []resilience.Event
				x := executor(t, resilience.WithObserver(func(_ context.Context, e resilience.Event) {
					mu.Lock()
					defer mu.Unlock()
					if e.Kind == resilience.KindStream || e.Kind == resilience.KindDone {
						told = append(told, e)
					}
				}))
				conn := dialTo(t, "a", h.handle, streaming(x, resiliencegrpc.WithCall(func(context.Context, string) resilience.Call {
					return resilience.Call{Key: "k", Agent: "g", Targets: []resilience.Target{{Endpoint: "e"}}}
				})))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel {
					time.AfterFunc(time.Minute, cancel)
				}
				desc := tt.desc
				if desc == nil {
					desc = serverStream
				}
				s, err := conn.NewStream(ctx, desc, get)
				require.NoError(t, err)
				_ = s.SendMsg(wrapperspb.String("n")) // RecvMsg returns the error
				_ = s.CloseSend()
				_, err = receive(s)
				again := s.RecvMsg(new(wrapperspb.StringValue))
				assert.Equal(t, status.Code(err), status.Code(again))
				mu.Lock()
				defer mu.Unlock()
				require.Equal(t, resilience.KindDone, told[0].Kind)
				if tt.number == 0 {
					assert.Len(t, told, 1)
					return
				}
				require.Len(t, told, 2)
				assert.Equal(t, resilience.Event{
					Kind: resilience.KindStream, Time: told[1].Time, Key: "k", Agent: "g", Target: resilience.Target{Endpoint: "e"}, Attempt: tt.number,
					Result: told[1].Result, Err: err,
				}, told[1])
				assert.Equal(t, classify.Error(err).Reason, told[1].Result.Reason)
			})
		})
	}
}

// A failed stream is made again unless the server has sent something.
func TestStream_Establishes(t *testing.T) {
	t.Parallel()
	key := status.Error(codes.Unauthenticated, "who is it?")
	header := func(s grpc.ServerStream) error {
		if err := s.SendHeader(metadata.Pairs("a", "b")); err != nil {
			return err
		}
		return busy
	}
	for _, tt := range []struct {
		name   string
		method string
		serve  []func(grpc.ServerStream) error
		calls  int
		texts  []string
		err    error
		took   time.Duration

		attempts, failures int // number of attempts in the error; failures counted by the breaker
	}{
		{name: "at once", serve: []func(grpc.ServerStream) error{count(2, nil)}, calls: 1, texts: []string{"n0", "n1"}, err: io.EOF},
		{name: "empty", serve: []func(grpc.ServerStream) error{count(0, nil)}, calls: 1, err: io.EOF},
		{name: "empty, unread", serve: []func(grpc.ServerStream) error{refuse(nil)}, calls: 1, err: io.EOF},
		{name: "the second time", serve: []func(grpc.ServerStream) error{refuse(busy), count(2, nil)}, calls: 2, texts: []string{"n0", "n1"}, err: io.EOF, took: 500 * time.Millisecond},
		{name: "the third time, after the request was read", serve: []func(grpc.ServerStream) error{count(0, busy), count(0, busy), count(1, nil)}, calls: 3, texts: []string{"n0"}, err: io.EOF, took: 1500 * time.Millisecond},
		{name: "never", serve: []func(grpc.ServerStream) error{count(0, busy)}, calls: 3, err: busy, took: 1500 * time.Millisecond, attempts: 3, failures: 3},
		{name: "not after a final error", serve: []func(grpc.ServerStream) error{refuse(key), count(1, nil)}, calls: 1, err: key},
		{name: "not after a message", serve: []func(grpc.ServerStream) error{count(1, busy)}, calls: 1, texts: []string{"n0"}, err: busy},
		{name: "not after a header", serve: []func(grpc.ServerStream) error{header}, calls: 1, err: busy},
		{name: "not a method with effects", method: buy, serve: []func(grpc.ServerStream) error{refuse(busy)}, calls: 1, err: busy, failures: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				h := &handlers{serve: tt.serve}
				x := executor(t)
				conn := dialTo(t, "shop", h.handle, streaming(x))
				if tt.method == "" {
					tt.method = get
				}
				s, err := ask(t.Context(), conn, tt.method)
				require.NoError(t, err)
				texts, err := receive(s)
				assert.Equal(t, tt.texts, texts)
				assert.Equal(t, status.Code(tt.err), status.Code(err))
				assert.Equal(t, errors.Is(tt.err, io.EOF), errors.Is(err, io.EOF))
				assert.Equal(t, tt.calls, h.made())
				assert.Equal(t, tt.took, time.Since(start))
				if len(tt.texts) > 0 {
					assert.Equal(t, []string{"closed"}, s.Trailer().Get("shop"))
				}
				all, several := errors.AsType[*resilience.Error](err)
				assert.Equal(t, tt.attempts > 1, several)
				if several {
					assert.Len(t, all.Attempts, tt.attempts)
				}
				assert.Equal(t, tt.failures, x.Breakers().Snapshot()[0].Failures)
			})
		})
	}
}

// NewStream does not wait for the first message of the server.
func TestStream_Silent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		h := &handlers{serve: []func(grpc.ServerStream) error{func(s grpc.ServerStream) error {
			time.Sleep(time.Hour)
			return count(1, nil)(s)
		}}}
		s, err := ask(t.Context(), dialTo(t, "shop", h.handle, streaming(executor(t))), get)
		require.NoError(t, err)
		assert.Zero(t, time.Since(start))
		texts, err := receive(s)
		assert.Equal(t, io.EOF, err)
		assert.Equal(t, []string{"n0"}, texts)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

// Header waits until a stream is established. The attempt timeout does not end an
// established stream.
func TestStream_Header(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &handlers{serve: []func(grpc.ServerStream) error{
			func(s grpc.ServerStream) error { <-s.Context().Done(); return busy }, // hangs
			func(s grpc.ServerStream) error {
				if err := s.SendHeader(metadata.Pairs("a", "b")); err != nil {
					return err
				}
				time.Sleep(time.Minute)
				return count(1, nil)(s)
			},
		}}
		x, err := resilience.New(&resilience.Config{Enabled: true, Retry: resilience.RetryConfig{AttemptTimeoutMs: 2000}},
			resilience.WithRandom(func() float64 { return 0.5 }))
		require.NoError(t, err)
		start := time.Now()
		s, err := ask(t.Context(), dialTo(t, "shop", h.handle, streaming(x)), get)
		require.NoError(t, err)
		header, err := s.Header()
		require.NoError(t, err)
		assert.Equal(t, []string{"b"}, header.Get("a"))
		assert.Equal(t, 2500*time.Millisecond, time.Since(start))
		require.NoError(t, s.Context().Err())
		texts, err := receive(s)
		assert.Equal(t, io.EOF, err)
		assert.Equal(t, []string{"n0"}, texts)
		require.Error(t, s.Context().Err(), "the stream's context is released")
	})
}

// A stream with several requests is made again only if SendMsg has not been called yet.
func TestStream_Requests(t *testing.T) {
	t.Parallel()
	echo := func(s grpc.ServerStream) error {
		for {
			text := new(wrapperspb.StringValue)
			if err := s.RecvMsg(text); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			if err := s.SendMsg(text); err != nil {
				return err
			}
		}
	}
	sum := func(s grpc.ServerStream) error {
		n := 0
		for s.RecvMsg(new(wrapperspb.StringValue)) == nil {
			n++
		}
		return s.SendMsg(wrapperspb.String(fmt.Sprint(n)))
	}
	t.Run("none was sent", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h := &handlers{serve: []func(grpc.ServerStream) error{refuse(busy), echo}}
			s, err := dialTo(t, "shop", h.handle, streaming(executor(t))).NewStream(t.Context(), bothStreams, get)
			require.NoError(t, err)
			synctest.Wait() // the first attempt has failed
			for _, text := range []string{"a", "b"} {
				require.NoError(t, s.SendMsg(wrapperspb.String(text)))
			}
			require.NoError(t, s.CloseSend())
			texts, err := receive(s)
			assert.Equal(t, io.EOF, err)
			assert.Equal(t, []string{"a", "b"}, texts)
			assert.Equal(t, 2, h.made())
		})
	})
	t.Run("closed between two attempts", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h := &handlers{serve: []func(grpc.ServerStream) error{refuse(busy), sum}}
			s, err := dialTo(t, "shop", h.handle, streaming(executor(t))).NewStream(t.Context(), bothStreams, get)
			require.NoError(t, err)
			synctest.Wait() // the first attempt has failed
			require.NoError(t, s.CloseSend())
			texts, err := receive(s)
			assert.Equal(t, io.EOF, err)
			assert.Equal(t, []string{"0"}, texts)
		})
	})
	t.Run("one was sent", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h := &handlers{serve: []func(grpc.ServerStream) error{count(0, busy)}}
			s, err := dialTo(t, "shop", h.handle, streaming(executor(t))).NewStream(t.Context(), bothStreams, get)
			require.NoError(t, err)
			require.NoError(t, s.SendMsg(wrapperspb.String("a")))
			_, err = receive(s)
			assert.Equal(t, codes.Unavailable, status.Code(err))
			assert.Equal(t, io.EOF, s.SendMsg(wrapperspb.String("b")))
			assert.Equal(t, 1, h.made())
		})
	})
	t.Run("one answer", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h := &handlers{serve: []func(grpc.ServerStream) error{sum}}
			s, err := dialTo(t, "shop", h.handle, streaming(executor(t))).NewStream(t.Context(), clientStream, get)
			require.NoError(t, err)
			for range 3 {
				require.NoError(t, s.SendMsg(wrapperspb.String("a")))
			}
			require.NoError(t, s.CloseSend())
			text := new(wrapperspb.StringValue)
			require.NoError(t, s.RecvMsg(text))
			assert.Equal(t, "3", text.GetValue())
		})
	})
}

// If the circuit breaker is open, NewStream returns an error.
func TestStream_NotMade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &handlers{serve: []func(grpc.ServerStream) error{refuse(nil)}}
		x := executor(t)
		conn := dialTo(t, "shop", h.handle, streaming(x))
		require.NoError(t, x.Breakers().Force(t.Context(), "passthrough:///shop", resilience.BreakerForceOpen))
		s, err := conn.NewStream(t.Context(), serverStream, get)
		assert.Nil(t, s)
		assert.Equal(t, codes.Unavailable, status.Code(err))
		require.ErrorIs(t, err, resilience.ErrOpen)
		assert.Zero(t, h.made())
	})
}

// When the caller's context ends, the stream ends too. This is true in a pause between
// attempts, before the stream is established, and afterwards.
func TestStream_ContextEnds(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(grpc.ServerStream) error{
		"in a pause":  refuse(status.Error(codes.Unavailable, "busy")),
		"in a wait":   func(s grpc.ServerStream) error { <-s.Context().Done(); return nil },
		"established": func(s grpc.ServerStream) error { err := s.SendHeader(nil); <-s.Context().Done(); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := &handlers{serve: []func(grpc.ServerStream) error{serve}}
				ctx, cancel := context.WithCancel(t.Context())
				s, err := ask(ctx, dialTo(t, "shop", h.handle, streaming(executor(t))), get)
				require.NoError(t, err)
				time.AfterFunc(100*time.Millisecond, cancel)
				_, err = receive(s)
				assert.Equal(t, codes.Canceled, status.Code(err))
				assert.Equal(t, 1, h.made())
			})
		})
	}
}

// If a function of the resilience.Call panics, RecvMsg panics. If the function calls
// runtime.Goexit, RecvMsg returns the code Internal.
func TestStream_Panics(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(){"panic": func() { panic("no") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := &handlers{serve: []func(grpc.ServerStream) error{refuse(busy)}}
				call := resiliencegrpc.WithCall(func(context.Context, string) resilience.Call {
					return resilience.Call{Repeatable: func(resilience.Attempt) bool { fail(); return true }}
				})
				s, err := ask(t.Context(), dialTo(t, "shop", h.handle, streaming(executor(t), call)), get)
				require.NoError(t, err)
				if name == "panic" {
					assert.PanicsWithValue(t, "no", func() { _ = s.RecvMsg(new(wrapperspb.StringValue)) })
				} else {
					assert.Equal(t, codes.Internal, status.Code(s.RecvMsg(new(wrapperspb.StringValue))))
				}
			})
		})
	}
}

// If retries are disabled, the client gets gRPC's own stream.
func TestStream_Disabled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &handlers{serve: []func(grpc.ServerStream) error{refuse(busy)}}
		s, err := ask(t.Context(), dialTo(t, "shop", h.handle, streaming(nil)), get)
		require.NoError(t, err)
		_, err = receive(s)
		assert.Equal(t, codes.Unavailable, status.Code(err))
		assert.Equal(t, 1, h.made())
	})
}

// If the first target fails, the second connection is used.
func TestStream_FallsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := &handlers{serve: []func(grpc.ServerStream) error{refuse(busy)}}
		up := &handlers{serve: []func(grpc.ServerStream) error{count(1, nil)}}
		second := dialTo(t, "second", up.handle)
		call := resiliencegrpc.WithCall(func(context.Context, string) resilience.Call {
			return resilience.Call{Targets: []resilience.Target{{Endpoint: "a"}, {Endpoint: "b"}}}
		})
		to := resiliencegrpc.WithConn(func(resilience.Target) (*grpc.ClientConn, error) { return second, nil })
		s, err := ask(t.Context(), dialTo(t, "shop", down.handle, streaming(executor(t), call, to)), get)
		require.NoError(t, err)
		texts, err := receive(s)
		assert.Equal(t, io.EOF, err)
		assert.Equal(t, []string{"n0"}, texts)
		assert.Equal(t, 3, down.made())
	})
}

// Many streams share a connection. Each is refused once and then made again.
func TestStream_ConcurrentSafe(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 10, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				serve := func(_ any, s grpc.ServerStream) error {
					if calls.Add(1) <= int32(n) { //nolint:gosec // n is at most 1,000
						time.Sleep(10 * time.Millisecond) // simultaneous failures count once for the breaker
						return busy
					}
					return count(20, busy)(s)
				}
				conn := dialTo(t, "shop", serve, streaming(executor(t)))
				var wg sync.WaitGroup
				for i := range n {
					wg.Go(func() {
						s, err := conn.NewStream(t.Context(), serverStream, get)
						if !assert.NoError(t, err) {
							return
						}
						assert.NoError(t, s.SendMsg(wrapperspb.String(fmt.Sprint(i, " "))))
						assert.NoError(t, s.CloseSend())
						texts, err := receive(s)
						assert.Equal(t, codes.Unavailable, status.Code(err))
						if assert.Len(t, texts, 20) {
							assert.Equal(t, fmt.Sprint(i, " 19"), texts[19])
						}
					})
				}
				wg.Wait()
				assert.EqualValues(t, 2*n, calls.Load())
			})
		})
	}
}
