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
	call    func(ctx context.Context, method string) resilience.Call // nil = the connection's
	conn    func(resilience.Target) (*grpc.ClientConn, error)
}

// WithMethods adds methods that may be called again: one as
// "/package.Service/Method", all of a service as "/package.Service/", all there
// are as "/". By default it is those that their .proto file declares to be
// idempotent (option idempotency_level = IDEMPOTENT or NO_SIDE_EFFECTS), as far
// as the program has its generated code. All others are called once; breaker,
// health and alerts look after them too.
func WithMethods(methods ...string) Option {
	return optionFunc(func(o options) options {
		o.methods = slices.Concat(o.methods, methods)
		return o
	})
}

// WithCall sets which [resilience.Call] a call of a method is: its key, its
// agent, who else may be asked ([WithConn]; the first target stands for the
// connection that the call is made on). By default, and with nil, it is a Call
// with one target: what the connection was made with ([grpc.ClientConn.Target])
// as its endpoint, and the provider whose host that is, where
// [classify.HostProvider] knows it.
func WithCall(call func(ctx context.Context, method string) resilience.Call) Option {
	return optionFunc(func(o options) options {
		if call != nil {
			o.call = call
		}
		return o
	})
}

// WithConn sets which connection leads to a target other than the first one.
// Its error is one of the call. The default, and nil, is the same connection
// for all targets.
func WithConn(conn func(resilience.Target) (*grpc.ClientConn, error)) Option {
	return optionFunc(func(o options) options {
		if conn != nil {
			o.conn = conn
		}
		return o
	})
}

// UnaryClientInterceptor returns an interceptor that makes each unary call
// through x. With an executor that is nil or not enabled calls are passed on as
// they are. It is safe for concurrent use and starts no goroutine.
func UnaryClientInterceptor(x *resilience.Executor, opts ...Option) grpc.UnaryClientInterceptor {
	var o options
	for _, option := range opts {
		if option != nil {
			o = option.apply(o)
		}
	}
	return func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, callOptions ...grpc.CallOption) error {
		call := o.callOf(ctx, method, conn)
		if !x.Enabled(call.Agent) {
			return invoke(ctx, method, req, reply, conn, callOptions...)
		}
		u := &unary{primary: target(call)}
		// The caller's own trailer options still work: each has its own place.
		callOptions = append(slices.Clip(callOptions), grpc.Trailer(&u.trailer))
		call.Repeatable = u.repeatable(call.Repeatable, o.mayRepeat(method))
		_, err := resilience.Do(ctx, x, call, func(ctx context.Context, t resilience.Target) (any, error) {
			to, err := conn, error(nil)
			if t != u.primary && o.conn != nil {
				to, err = o.conn(t)
			}
			u.trailer = nil
			if err == nil {
				err = invoke(ctx, method, req, reply, to, callOptions...)
			}
			return reply, u.failed(err)
		})
		return u.result(ctx, err)
	}
}

// callOf is the Call that a call of a method is.
func (o options) callOf(ctx context.Context, method string, conn *grpc.ClientConn) resilience.Call {
	if o.call != nil {
		return o.call(ctx, method)
	}
	return resilience.Call{Targets: []resilience.Target{{
		Endpoint: conn.Target(),
		Provider: classify.HostProvider(host(conn.CanonicalTarget())),
	}}}
}

// host is that of a target in canonical form, "dns:///example.com:443".
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

// target is the first one of a call.
func target(c resilience.Call) resilience.Target {
	if len(c.Targets) == 0 {
		return resilience.Target{}
	}
	return c.Targets[0]
}

// mayRepeat reports whether a method may be called more than once.
func (o options) mayRepeat(method string) bool {
	return declaredIdempotent(method) || slices.ContainsFunc(o.methods, func(m string) bool {
		return m == method || strings.HasSuffix(m, "/") && strings.HasPrefix(method, m)
	})
}

// unary is one call. It belongs to one goroutine.
type unary struct {
	primary resilience.Target
	trailer metadata.MD // of the last attempt
	last    error       // of the last attempt, as gRPC gave it
	refuse  bool        // the server forbids another one
}
