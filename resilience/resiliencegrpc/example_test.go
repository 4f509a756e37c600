package resiliencegrpc_test

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/resiliencegrpc"
)

// start runs a server in memory. If down is true, every call fails.
func start(down bool, opts ...grpc.DialOption) (conn *grpc.ClientConn, stop func()) {
	s := fails(nil)
	if down {
		s = fails(status.Error(codes.Unavailable, "down for maintenance"))
	}
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer(grpc.UnknownServiceHandler(s.serve))
	go func() { _ = server.Serve(listener) }() // returns after Stop
	conn, err := grpc.NewClient("passthrough:///shop", append(opts,
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		panic(err)
	}
	return conn, func() {
		_ = conn.Close()
		server.Stop()
	}
}

func must() *resilience.Executor {
	x, err := resilience.New(&resilience.Config{
		Enabled: true,
		Retry:   resilience.RetryConfig{Schedule: resilience.CustomSchedule, BaseDelayMs: 1, MaxDelayMs: 1}, // short pauses
	})
	if err != nil {
		panic(err)
	}
	return x
}

func ExampleUnaryClientInterceptor() {
	x := must()
	conn, stop := start(false, grpc.WithUnaryInterceptor(resiliencegrpc.UnaryClientInterceptor(x))) // the only change
	defer stop()
	fmt.Println(invoke(context.Background(), conn, get))
	// Output: hello <nil>
}

func ExampleStreamClientInterceptor() {
	x := must()
	conn, stop := start(false, grpc.WithStreamInterceptor(resiliencegrpc.StreamClientInterceptor(x))) // the only change
	defer stop()
	stream, err := conn.NewStream(context.Background(), &grpc.StreamDesc{ServerStreams: true}, get) // as generated code does
	if err != nil {
		panic(err)
	}
	reply := new(wrapperspb.StringValue)
	fmt.Println(stream.SendMsg(wrapperspb.String("hello")), stream.CloseSend())
	fmt.Println(stream.RecvMsg(reply), reply.GetValue())
	fmt.Println(stream.RecvMsg(reply))
	// Output:
	// <nil> <nil>
	// <nil> hello
	// EOF
}

func ExampleWithMethods() {
	x := must()
	conn, stop := start(true, grpc.WithUnaryInterceptor(resiliencegrpc.UnaryClientInterceptor(x,
		resiliencegrpc.WithMethods("/shop.Shop/Buy"))))
	defer stop()
	_, err := invoke(context.Background(), conn, "/shop.Shop/Buy")
	fmt.Println(err)
	fmt.Println(x.Breakers().Snapshot()[0].Failures, "calls")
	// Output:
	// rpc error: code = Unavailable desc = down for maintenance
	// 3 calls
}

// The key of each call is its method. Failed calls go to a second server.
func ExampleWithCall() {
	second, stop := start(false)
	defer stop()
	x := must()
	targets := []resilience.Target{{Endpoint: "berlin"}, {Endpoint: "paris"}}
	conn, stop := start(true, grpc.WithUnaryInterceptor(resiliencegrpc.UnaryClientInterceptor(x,
		resiliencegrpc.WithCall(func(_ context.Context, method string) resilience.Call {
			return resilience.Call{Key: method, Targets: targets}
		}),
		resiliencegrpc.WithConn(func(resilience.Target) (*grpc.ClientConn, error) { return second, nil }))))
	defer stop()
	fmt.Println(invoke(context.Background(), conn, get))
	// Output: hello <nil>
}

func ExampleWithConn() {
	conns := map[resilience.Target]*grpc.ClientConn{} // connections by target
	option := resiliencegrpc.WithConn(func(t resilience.Target) (*grpc.ClientConn, error) {
		if conn, ok := conns[t]; ok {
			return conn, nil
		}
		return nil, fmt.Errorf("no connection to %s", t.Name())
	})
	interceptor := resiliencegrpc.UnaryClientInterceptor(must(), option)
	fmt.Println(interceptor != nil)
	// Output: true
}
