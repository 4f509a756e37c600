package resiliencegrpc_test

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/resiliencegrpc"
)

// These are the methods of the test service.
const (
	get = "/shop.Shop/Get" // declared NO_SIDE_EFFECTS
	put = "/shop.Shop/Put" // declared IDEMPOTENT
	buy = "/shop.Shop/Buy" // not declared
)

// register registers the .proto file of the test service, like generated code.
func register() error {
	method := func(name string, level descriptorpb.MethodOptions_IdempotencyLevel) *descriptorpb.MethodDescriptorProto {
		m := &descriptorpb.MethodDescriptorProto{
			Name: &name, InputType: proto.String(".google.protobuf.StringValue"), OutputType: proto.String(".google.protobuf.StringValue"),
		}
		if level != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN {
			m.Options = &descriptorpb.MethodOptions{IdempotencyLevel: &level}
		}
		return m
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("shop.proto"), Package: proto.String("shop"), Syntax: proto.String("proto3"),
		Dependency: []string{wrapperspb.File_google_protobuf_wrappers_proto.Path()},
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name: proto.String("Shop"),
			Method: []*descriptorpb.MethodDescriptorProto{
				method("Get", descriptorpb.MethodOptions_NO_SIDE_EFFECTS),
				method("Put", descriptorpb.MethodOptions_IDEMPOTENT),
				method("Buy", descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN),
			},
		}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		return err
	}
	return protoregistry.GlobalFiles.RegisterFile(file)
}

func TestMain(m *testing.M) {
	if err := register(); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// shop is a server with one function per call. The last function also answers all
// later calls.
//
//   - If the function returns an error, the call fails.
//   - If the function returns nil, the server echoes the request.
type shop struct {
	mu      sync.Mutex
	answers []func(context.Context) error
	calls   []string // called methods
}

func fails(errs ...error) *shop {
	s := &shop{}
	for _, err := range errs {
		s.answers = append(s.answers, func(context.Context) error { return err })
	}
	return s
}

func (s *shop) serve(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	s.mu.Lock()
	s.calls = append(s.calls, method)
	answer := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	s.mu.Unlock()
	text := new(wrapperspb.StringValue)
	if err := stream.RecvMsg(text); err != nil {
		return err
	}
	if err := answer(stream.Context()); err != nil {
		return err
	}
	return stream.SendMsg(text)
}

func (s *shop) made() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// dial starts the server in memory and returns a connection. A cleanup function of t
// closes the connection and stops the server.
func (s *shop) dial(t testing.TB, name string, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	return dialTo(t, name, s.serve, opts...)
}

// dialTo is like dial, but serves with the given handler.
func dialTo(t testing.TB, name string, serve grpc.StreamHandler, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer(grpc.UnknownServiceHandler(serve))
	var serving sync.WaitGroup
	serving.Go(func() { assert.NoError(t, server.Serve(listener)) })
	conn, err := grpc.NewClient("passthrough:///"+name, append(opts,
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, conn.Close())
		server.Stop()
		serving.Wait()
	})
	return conn
}

// withInterceptor returns a dial option with the interceptor.
func withInterceptor(x *resilience.Executor, opts ...resiliencegrpc.Option) grpc.DialOption {
	return grpc.WithUnaryInterceptor(resiliencegrpc.UnaryClientInterceptor(x, opts...))
}

// invoke makes one call and returns its answer.
func invoke(ctx context.Context, conn *grpc.ClientConn, method string, opts ...grpc.CallOption) (string, error) {
	reply := wrapperspb.String("left over")
	err := conn.Invoke(ctx, method, wrapperspb.String("hello"), reply, opts...)
	return reply.GetValue(), err
}

func executor(t testing.TB, opts ...resilience.Option) *resilience.Executor {
	t.Helper()
	x, err := resilience.New(&resilience.Config{Enabled: true},
		append([]resilience.Option{resilience.WithRandom(func() float64 { return 0.5 })}, opts...)...)
	require.NoError(t, err)
	return x
}
