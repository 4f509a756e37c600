package resiliencegrpc

import (
	"context"
	"net"
	"net/url"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// Option configures an interceptor.
type Option interface{ apply(options) options }

type optionFunc func(options) options

func (f optionFunc) apply(o options) options { return f(o) }

type options struct {
	methods []string
	call    func(ctx context.Context, method string) resilience.Call // nil = derived from the connection
	conn    func(resilience.Target) (*grpc.ClientConn, error)
}

// WithMethods adds methods that may be called again. "/package.Service/Method" is
// one method. "/package.Service/" is a whole service. "/" means all methods.
//
// By default, a method may be called again if the .proto file declares it as
// idempotent. The option is idempotency_level = IDEMPOTENT or NO_SIDE_EFFECTS. The
// program must contain the code that was generated from this file.
//
// All other methods are called once. Circuit breakers, health reports and alerts
// still count these calls.
func WithMethods(methods ...string) Option {
	return optionFunc(func(o options) options {
		o.methods = slices.Concat(o.methods, methods)
		return o
	})
}

// WithCall sets the function that returns the [resilience.Call] for a method. The
// Call can have a key, an agent and fallback targets ([WithConn]). The first target
// describes the connection of the client.
//
// By default, and with nil, the Call has one target. Its endpoint is
// [grpc.ClientConn.Target]. Its provider is the result of [classify.HostProvider].
func WithCall(call func(ctx context.Context, method string) resilience.Call) Option {
	return optionFunc(func(o options) options {
		if call != nil {
			o.call = call
		}
		return o
	})
}

// WithConn sets the function that returns the connection for a fallback target. If
// the function returns an error, the attempt fails with that error. By default, and
// with nil, all targets use the same connection.
//
// An attempt over another connection runs the interceptors of that connection. It skips
// the interceptors that follow this one on the client's own connection. So an
// interceptor that adds a credential belongs after this one. Call options, and the
// metadata of the context, go to every connection. If the other connection has an
// interceptor of this package, that interceptor lets the attempt pass unchanged.
func WithConn(conn func(resilience.Target) (*grpc.ClientConn, error)) Option {
	return optionFunc(func(o options) options {
		if conn != nil {
			o.conn = conn
		}
		return o
	})
}

// UnaryClientInterceptor returns an interceptor that makes each unary call
// through x. If x is nil or not enabled, calls are made once. The interceptor
// is safe for concurrent use and starts no goroutine.
func UnaryClientInterceptor(x *resilience.Executor, opts ...Option) grpc.UnaryClientInterceptor {
	o := collect(opts)
	return func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, callOptions ...grpc.CallOption) error {
		if own, ok := relayed(ctx, conn); ok {
			return invoke(own, method, req, reply, conn, callOptions...)
		}
		call := o.callOf(ctx, method, conn)
		if !x.Enabled(call.Agent) {
			return invoke(ctx, method, req, reply, conn, callOptions...)
		}
		u := &attempts{primary: target(call)}
		// The caller's own grpc.Trailer options still receive the trailer.
		callOptions = append(slices.Clip(callOptions), grpc.Trailer(&u.trailer))
		call.Repeatable = u.repeatable(call.Repeatable, o.mayRepeat(method))
		_, err := resilience.Do(ctx, x, call, func(ctx context.Context, t resilience.Target) (any, error) {
			to, err := o.connTo(t, u.primary, conn)
			u.trailer = nil
			switch {
			case err != nil:
			case to == conn:
				err = invoke(ctx, method, req, reply, to, callOptions...)
			default:
				err = to.Invoke(relay(ctx, to), method, req, reply, callOptions...)
			}
			return reply, u.recordError(err)
		})
		return u.result(ctx, err)
	}
}

// collect applies options in order.
func collect(opts []Option) options {
	var o options
	for _, option := range opts {
		if option != nil {
			o = option.apply(o)
		}
	}
	return o
}

// connTo returns the connection for a target. For the primary target, this is conn.
// For other targets, it calls the function of WithConn, if set.
func (o options) connTo(t, primary resilience.Target, conn *grpc.ClientConn) (*grpc.ClientConn, error) {
	if t == primary || o.conn == nil {
		return conn, nil
	}
	return o.conn(t)
}

// relayKey is the key of a context value: the connection that relay was called with.
type relayKey struct{}

// relay returns the context for an attempt over another connection. An interceptor of
// this package on that connection must make no attempts of its own. Attempts would
// multiply, and a trial would wait for itself.
func relay(ctx context.Context, to *grpc.ClientConn) context.Context {
	return context.WithValue(ctx, relayKey{}, to)
}

// relayed reports whether relay returned ctx for an attempt over conn. If so, own is
// the context without this mark, for example for the calls of other interceptors.
func relayed(ctx context.Context, conn *grpc.ClientConn) (own context.Context, ok bool) {
	if to, _ := ctx.Value(relayKey{}).(*grpc.ClientConn); to == nil || to != conn {
		return ctx, false
	}
	return relay(ctx, nil), true
}

// callOf returns the Call for a method.
func (o options) callOf(ctx context.Context, method string, conn *grpc.ClientConn) resilience.Call {
	if o.call != nil {
		return o.call(ctx, method)
	}
	return resilience.Call{Targets: []resilience.Target{{
		Endpoint: conn.Target(),
		Provider: classify.HostProvider(host(conn.CanonicalTarget())),
	}}}
}

// host returns the host of a target: "dns:///example.com:443" -> "example.com".
func host(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return ""
	}
	name := strings.TrimPrefix(u.Path, "/")
	if h, _, err := net.SplitHostPort(name); err == nil {
		return h
	}
	return name
}

// target returns the first target of c, or the zero Target.
func target(c resilience.Call) resilience.Target {
	if len(c.Targets) == 0 {
		return resilience.Target{}
	}
	return c.Targets[0]
}

// mayRepeat reports whether a method may be called again.
func (o options) mayRepeat(method string) bool {
	return declaredIdempotent(method) || slices.ContainsFunc(o.methods, func(m string) bool {
		return m == method || strings.HasSuffix(m, "/") && strings.HasPrefix(method, m)
	})
}

// attempts is the state of one call or stream. It is used by one goroutine.
type attempts struct {
	primary resilience.Target
	trailer metadata.MD // trailer of the last attempt
	last    error       // gRPC's error of the last attempt
	noRetry bool        // the server has forbidden another attempt
}
