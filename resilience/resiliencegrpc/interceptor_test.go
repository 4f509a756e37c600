package resiliencegrpc_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/resiliencegrpc"
)

var busy = status.Error(codes.Unavailable, "busy")

// The status code decides how many calls are made.
func TestUnary_Codes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code   codes.Code
		reason classify.Reason
		calls  int
	}{
		{codes.Canceled, classify.ReasonAborted, 1},
		{codes.Unknown, classify.ReasonUnknown, 1},
		{codes.InvalidArgument, classify.ReasonInvalidRequest, 1},
		{codes.DeadlineExceeded, classify.ReasonTimeout, 3},
		{codes.NotFound, classify.ReasonInvalidRequest, 1},
		{codes.AlreadyExists, classify.ReasonInvalidRequest, 1},
		{codes.PermissionDenied, classify.ReasonAuthentication, 1},
		{codes.ResourceExhausted, classify.ReasonRateLimit, 3},
		{codes.FailedPrecondition, classify.ReasonInvalidRequest, 1},
		{codes.Aborted, classify.ReasonTransient, 3},
		{codes.OutOfRange, classify.ReasonInvalidRequest, 1},
		{codes.Unimplemented, classify.ReasonInvalidRequest, 1},
		{codes.Internal, classify.ReasonTransient, 3},
		{codes.Unavailable, classify.ReasonTransient, 3},
		{codes.DataLoss, classify.ReasonParsing, 1},
		{codes.Unauthenticated, classify.ReasonAuthentication, 1},
	} {
		t.Run(tt.code.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var seen []classify.Reason
				x := executor(t, resilience.WithObserver(func(_ context.Context, e resilience.Event) {
					if e.Kind == resilience.KindAttempt {
						seen = append(seen, e.Result.Reason)
					}
				}))
				s := fails(status.Error(tt.code, "qwertz"))
				_, err := invoke(t.Context(), s.dial(t, "shop", withInterceptor(x)), get)
				assert.Equal(t, tt.calls, s.made())
				require.Len(t, seen, tt.calls)
				assert.Equal(t, tt.reason, seen[0])
				st, ok := status.FromError(err)
				assert.True(t, ok)
				assert.Equal(t, tt.code, st.Code())
				assert.Equal(t, "qwertz", st.Message(), "the status is the server's own")
				assert.EqualError(t, err, fmt.Sprintf("rpc error: code = %s desc = qwertz", tt.code))
				all, several := errors.AsType[*resilience.Error](err)
				assert.Equal(t, tt.calls > 1, several)
				if several {
					assert.Len(t, all.Attempts, tt.calls)
				}
			})
		})
	}
}

func TestUnary_Methods(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		method string
		opts   []resiliencegrpc.Option
		want   bool
	}{
		{name: "no side effects", method: get, want: true},
		{name: "idempotent", method: put, want: true},
		{name: "not declared", method: buy},
		{name: "not known", method: "/other.Service/Get"},
		{name: "no method at all", method: "/shop.Shop/"},
		{name: "named", method: buy, opts: []resiliencegrpc.Option{nil, resiliencegrpc.WithMethods(buy)}, want: true},
		{name: "another one named", method: buy, opts: []resiliencegrpc.Option{resiliencegrpc.WithMethods("/shop.Shop/B")}},
		{name: "the service named", method: buy, opts: []resiliencegrpc.Option{resiliencegrpc.WithMethods("/shop.Shop/"), resiliencegrpc.WithMethods()}, want: true},
		{name: "all", method: "/other.Service/Get", opts: []resiliencegrpc.Option{resiliencegrpc.WithMethods("/")}, want: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, x := fails(busy, nil), executor(t)
				got, err := invoke(t.Context(), s.dial(t, "shop", withInterceptor(x, tt.opts...)), tt.method)
				if tt.want {
					require.NoError(t, err)
					assert.Equal(t, "hello", got)
					return
				}
				assert.Equal(t, codes.Unavailable, status.Code(err))
				assert.Equal(t, 1, s.made())
				assert.Equal(t, 1, x.Breakers().Snapshot()[0].Failures, "the breaker knows of it all the same")
			})
		})
	}
}

// The server can set the pause or forbid retries.
func TestUnary_Hints(t *testing.T) {
	t.Parallel()
	retryInfo := func(d time.Duration) error {
		st, err := status.New(codes.ResourceExhausted, "slow down").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(d)})
		require.NoError(t, err)
		return st.Err()
	}
	quota, err := status.New(codes.ResourceExhausted, "quota").WithDetails(&errdetails.QuotaFailure{
		Violations: []*errdetails.QuotaFailure_Violation{{QuotaId: "RequestsPerDayPerProject"}},
	})
	require.NoError(t, err)
	for _, tt := range []struct {
		name    string
		err     error
		trailer metadata.MD
		calls   int
		took    time.Duration
	}{
		{name: "nothing", err: busy, calls: 2, took: 500 * time.Millisecond},
		{name: "RetryInfo", err: retryInfo(7 * time.Second), calls: 2, took: 7 * time.Second},
		{name: "RetryInfo of more than a minute", err: retryInfo(61 * time.Second), calls: 1},
		{name: "a quota of the day", err: quota.Err(), calls: 1},
		{name: "pushback", err: busy, trailer: metadata.Pairs("grpc-retry-pushback-ms", "2500"), calls: 2, took: 2500 * time.Millisecond},
		{name: "pushback of nothing", err: busy, trailer: metadata.Pairs("grpc-retry-pushback-ms", "0"), calls: 2, took: 500 * time.Millisecond},
		{name: "pushback that forbids", err: busy, trailer: metadata.Pairs("grpc-retry-pushback-ms", "-1"), calls: 1},
		{name: "pushback that is no number", err: busy, trailer: metadata.Pairs("grpc-retry-pushback-ms", "soon"), calls: 1},
		{name: "pushback twice", err: busy, trailer: metadata.Pairs("grpc-retry-pushback-ms", "1", "grpc-retry-pushback-ms", "2"), calls: 1},
		{name: "pushback beyond all measure", err: busy, trailer: metadata.Pairs("grpc-retry-pushback-ms", "99999999999999999999"), calls: 1},
		{name: "pushback beside a RetryInfo", err: retryInfo(7 * time.Second), trailer: metadata.Pairs("grpc-retry-pushback-ms", "20"), calls: 2, took: 7 * time.Second},
		{name: "retry-after that is none", err: busy, trailer: metadata.Pairs("retry-after", "later"), calls: 2, took: 500 * time.Millisecond},
		{name: "retry-after without end", err: busy, trailer: metadata.Pairs("retry-after", strings.Repeat("1s", 1000)), calls: 2, took: 500 * time.Millisecond},
		{name: "too many of them", err: busy, trailer: metadata.MD{"retry-after": append(slices.Repeat([]string{"later"}, 100), "3")}, calls: 2, took: 500 * time.Millisecond},
		{name: "retry-after", err: busy, trailer: metadata.Pairs("retry-after", "3"), calls: 2, took: 3 * time.Second},
		{name: "another trailer", err: busy, trailer: metadata.Pairs("request-id", "3"), calls: 2, took: 500 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := fails(nil, nil)
				s.answers[0] = func(ctx context.Context) error {
					assert.NoError(t, grpc.SetTrailer(ctx, tt.trailer))
					return tt.err
				}
				conn := s.dial(t, "shop", withInterceptor(executor(t)))
				start := time.Now()
				var own metadata.MD
				got, err := invoke(t.Context(), conn, get, grpc.Trailer(&own))
				assert.Equal(t, tt.took, time.Since(start))
				assert.Equal(t, tt.calls, s.made())
				if tt.calls > 1 {
					require.NoError(t, err)
					assert.Equal(t, "hello", got)
					return
				}
				assert.Equal(t, status.Code(tt.err), status.Code(err))
				for key, values := range tt.trailer {
					assert.Equal(t, values, own[key], "the caller's own trailer option")
				}
			})
		})
	}
}

// When the context ends, a pause ends at once. The error has the code Canceled.
func TestUnary_ContextEndsInPause(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(context.Context) (context.Context, context.CancelFunc)
		code codes.Code
		is   error
	}{
		{name: "cancelled", code: codes.Canceled, is: context.Canceled, end: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(200*time.Millisecond, cancel)
			return ctx, cancel
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := fails(busy)
				conn := s.dial(t, "shop", withInterceptor(executor(t)))
				ctx, cancel := tt.end(t.Context())
				defer cancel()
				start := time.Now()
				_, err := invoke(ctx, conn, get)
				assert.Equal(t, 200*time.Millisecond, time.Since(start))
				assert.Equal(t, tt.code, status.Code(err))
				require.ErrorIs(t, err, tt.is)
				require.ErrorIs(t, err, busy)
				assert.Equal(t, 1, s.made())
			})
		})
	}
}

// If a pause would end after the deadline, the call fails at once.
func TestUnary_DeadlineBeforeThePauseEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := fails(busy)
		conn := s.dial(t, "shop", withInterceptor(executor(t)))
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := invoke(ctx, conn, get)
		assert.Zero(t, time.Since(start))
		assert.Equal(t, codes.Unavailable, status.Code(err))
		require.ErrorIs(t, err, resilience.ErrNoTime)
		require.ErrorIs(t, err, busy)
		assert.Equal(t, 1, s.made())
	})
}

// If a rate limit lasts beyond the deadline, the call fails with ResourceExhausted.
func TestUnary_Held(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited := status.Error(codes.ResourceExhausted, "rate limit exceeded, retry in 30s")
		s := fails(limited)
		conn := s.dial(t, "shop", withInterceptor(executor(t)))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := invoke(ctx, conn, get)
		require.ErrorIs(t, err, limited)
		_, err = invoke(ctx, conn, get)
		require.ErrorIs(t, err, resilience.ErrHeld)
		assert.Equal(t, codes.ResourceExhausted, status.Code(err))
		assert.Equal(t, 1, s.made())
	})
}

// If a method hangs, the attempt timeout ends the attempt.
func TestUnary_AttemptTimeout(t *testing.T) {
	t.Parallel()
	for _, answers := range []int{1, 3} {
		t.Run(fmt.Sprint(answers, " hang"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := fails(nil, nil, nil)
				for i := range answers {
					s.answers[i] = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
				}
				x, err := resilience.New(&resilience.Config{Enabled: true, Retry: resilience.RetryConfig{AttemptTimeoutMs: 1000}})
				require.NoError(t, err)
				conn := s.dial(t, "shop", withInterceptor(x))
				_, err = invoke(t.Context(), conn, get)
				if answers == 1 {
					require.NoError(t, err)
					assert.Equal(t, 2, s.made())
					return
				}
				assert.Equal(t, codes.DeadlineExceeded, status.Code(err))
				assert.Equal(t, 3, s.made())
			})
		})
	}
}

func TestUnary_Breaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, x := fails(busy), executor(t)
		conn := s.dial(t, "shop", withInterceptor(x))
		for len(x.Breakers().Snapshot()) == 0 || x.Breakers().Snapshot()[0].State != resilience.BreakerOpen {
			_, err := invoke(t.Context(), conn, get)
			require.Error(t, err)
		}
		time.Sleep(30 * time.Second)                          // new calls no longer wait
		go func() { _, _ = invoke(t.Context(), conn, get) }() // the trial
		synctest.Wait()
		calls := s.made()
		_, err := invoke(t.Context(), conn, get)
		assert.Equal(t, calls, s.made())
		require.ErrorIs(t, err, resilience.ErrOpen)
		st, ok := status.FromError(err)
		assert.True(t, ok)
		assert.Equal(t, codes.Unavailable, st.Code())
		assert.Equal(t, `circuit breaker open for "passthrough:///shop": try again in 2s, or force it closed`, st.Message())
		assert.Equal(t, "passthrough:///shop", x.Breakers().Snapshot()[0].Endpoint)
	})
}

// If the executor is not enabled, each call is made once.
func TestUnary_Disabled(t *testing.T) {
	t.Parallel()
	off, err := resilience.New(nil)
	require.NoError(t, err)
	agent := resiliencegrpc.WithCall(func(context.Context, string) resilience.Call { return resilience.Call{Agent: "off"} })
	except, err := resilience.New(&resilience.Config{Enabled: true, Agents: map[string]resilience.AgentConfig{"off": {Enabled: new(false)}}})
	require.NoError(t, err)
	for _, tt := range []struct {
		name string
		x    *resilience.Executor
		opts []resiliencegrpc.Option
	}{
		{name: "no executor"},
		{name: "not enabled", x: off},
		{name: "not for this agent", x: except, opts: []resiliencegrpc.Option{agent}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			conn := fails(nil).dial(t, "shop")
			calls := 0
			err := resiliencegrpc.UnaryClientInterceptor(tt.x, tt.opts...)(t.Context(), get, 1, 2, conn,
				func(_ context.Context, method string, req, reply any, cc *grpc.ClientConn, opts ...grpc.CallOption) error {
					calls++
					assert.Equal(t, get, method)
					assert.Equal(t, 1, req)
					assert.Equal(t, 2, reply)
					assert.Same(t, conn, cc)
					assert.Empty(t, opts)
					return busy
				})
			assert.Same(t, busy, err)
			assert.Equal(t, 1, calls)
		})
	}
}

func TestUnary_FallsBack(t *testing.T) {
	t.Parallel()
	gone := errors.New("no connection to it")
	targets := []resilience.Target{{Endpoint: "first"}, {Endpoint: "second"}}
	for _, tt := range []struct {
		name  string
		conn  func(*grpc.ClientConn) func(resilience.Target) (*grpc.ClientConn, error)
		calls [2]int
		err   error
	}{
		{name: "the same connection", calls: [2]int{6, 0}, err: busy},
		{name: "another one", calls: [2]int{3, 1}, conn: func(second *grpc.ClientConn) func(resilience.Target) (*grpc.ClientConn, error) {
			return func(resilience.Target) (*grpc.ClientConn, error) { return second, nil }
		}},
		{name: "none", calls: [2]int{3, 0}, err: gone, conn: func(*grpc.ClientConn) func(resilience.Target) (*grpc.ClientConn, error) {
			return func(resilience.Target) (*grpc.ClientConn, error) { return nil, gone }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				first, second := fails(busy), fails(nil)
				opts := []resiliencegrpc.Option{resiliencegrpc.WithCall(nil), resiliencegrpc.WithConn(nil), resiliencegrpc.WithCall(
					func(_ context.Context, method string) resilience.Call {
						return resilience.Call{Key: method, Targets: targets}
					})}
				if tt.conn != nil {
					opts = append(opts, resiliencegrpc.WithConn(tt.conn(second.dial(t, "second"))))
				}
				got, err := invoke(t.Context(), first.dial(t, "first", withInterceptor(executor(t), opts...)), put)
				assert.Equal(t, tt.calls[0], first.made())
				assert.Equal(t, tt.calls[1], second.made())
				if tt.err != nil {
					require.ErrorIs(t, err, tt.err)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, "hello", got)
			})
		})
	}
}

// withToken returns dial options of interceptors that add a credential.
func withToken(token string) []grpc.DialOption {
	with := func(ctx context.Context) context.Context {
		return metadata.AppendToOutgoingContext(ctx, "authorization", token)
	}
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			return invoke(with(ctx), method, req, reply, conn, opts...)
		}),
		grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			return streamer(with(ctx), desc, conn, method, opts...)
		}),
	}
}

// A fallback over another connection runs the interceptors of that connection, and not
// those of the first one. The other connection makes no attempts of its own.
func TestFallsBack_Interceptors(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"call", "stream"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var seen []string
				second := fails(nil)
				second.answers[0] = func(ctx context.Context) error {
					md, _ := metadata.FromIncomingContext(ctx)
					seen = append(seen, md["authorization"]...)
					return busy
				}
				first, x := fails(busy), executor(t)
				retried := func(opts ...resiliencegrpc.Option) []grpc.DialOption {
					return []grpc.DialOption{withInterceptor(x, opts...), streaming(x, opts...)}
				}
				other := second.dial(t, "second", append(retried(), withToken("second")...)...)
				conn := first.dial(t, "first", append(retried(
					resiliencegrpc.WithCall(func(context.Context, string) resilience.Call {
						return resilience.Call{Targets: []resilience.Target{{Endpoint: "first"}, {Endpoint: other.Target()}}}
					}),
					resiliencegrpc.WithConn(func(resilience.Target) (*grpc.ClientConn, error) { return other, nil }),
				), withToken("first")...)...)
				err := error(nil)
				if kind == "call" {
					_, err = invoke(t.Context(), conn, get)
				} else {
					var s grpc.ClientStream
					s, err = ask(t.Context(), conn, get)
					require.NoError(t, err)
					_, err = receive(s)
				}
				assert.Equal(t, codes.Unavailable, status.Code(err))
				assert.Equal(t, []int{3, 3}, []int{first.made(), second.made()})
				assert.Equal(t, []string{"second", "second", "second"}, seen)
				_, err = invoke(t.Context(), other, get)
				require.Error(t, err)
				assert.Equal(t, 6, second.made(), "a call of its own is retried")
			})
		})
	}
}

// A call is repeated only if the caller's Repeatable function allows it.
func TestUnary_Repeatable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := fails(busy)
		call := resiliencegrpc.WithCall(func(context.Context, string) resilience.Call {
			return resilience.Call{Repeatable: func(a resilience.Attempt) bool { return a.Number < 2 }}
		})
		_, err := invoke(t.Context(), s.dial(t, "shop", withInterceptor(executor(t), call)), get)
		require.ErrorIs(t, err, busy)
		assert.Equal(t, 2, s.made())
	})
}

func TestUnary_Provider(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]string{
		"dns:///generativelanguage.googleapis.com:443": "google",
		"generativelanguage.googleapis.com":            "google",
		"dns:///api.example.com:443":                   "",
		"unix:///run/shop.sock":                        "",
	} {
		var got resilience.Target
		x := executor(t, resilience.WithObserver(func(_ context.Context, e resilience.Event) { got = e.Target }))
		conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
		require.NoError(t, err)
		err = resiliencegrpc.UnaryClientInterceptor(x)(t.Context(), get, nil, nil, conn,
			func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil })
		require.NoError(t, err)
		assert.Equal(t, resilience.Target{Endpoint: endpoint, Provider: want}, got)
		require.NoError(t, conn.Close())
	}
}

// Concurrent calls share one connection. The first hundred calls fail.
func TestUnary_ConcurrentSafe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var seen int
		s := fails(nil)
		s.answers[0] = func(ctx context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			if seen++; seen <= 100 {
				assert.NoError(t, grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", "10")))
				return busy
			}
			return nil
		}
		x := executor(t)
		conn := s.dial(t, "shop", withInterceptor(x))
		require.NoError(t, x.Breakers().Force(t.Context(), conn.Target(), resilience.BreakerForceClosed))
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				got, err := invoke(t.Context(), conn, get)
				assert.NoError(t, err)
				assert.Equal(t, "hello", got)
			})
		}
		wg.Wait()
		assert.Equal(t, 200, s.made())
	})
}
