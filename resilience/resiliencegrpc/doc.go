// Package resiliencegrpc makes the unary calls of a gRPC client through a
// [resilience.Executor]:
//
//	conn, err := grpc.NewClient("dns:///api.example.com",
//		grpc.WithUnaryInterceptor(resiliencegrpc.UnaryClientInterceptor(x)))
//
// What happens to a call is what package resilience says, and in particular:
//
//   - The status of a failed call is classified, its details included: a
//     RetryInfo says how long to wait, a QuotaFailure whether waiting helps.
//   - The trailer grpc-retry-pushback-ms means what it does to gRPC's own retries
//     (gRFC A6): a number is the pause, anything else forbids them. Without it
//     the trailer retry-after is read like HTTP's header.
//   - Only methods that are declared idempotent are called again, and those that
//     [WithMethods] names.
//   - Errors stay errors of gRPC: status.Code and status.FromError see the last
//     status. Where the context ended in a pause it is Canceled or
//     DeadlineExceeded, and where a circuit breaker let no call through,
//     Unavailable. errors.As finds the [resilience.Error] with all attempts.
//
// The retries of a service config are gRPC's own and come beneath: a call that
// they repeat is one call here. It is better to have one of both.
package resiliencegrpc
