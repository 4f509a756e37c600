// Package resiliencegrpc makes the calls and streams of a gRPC client through a
// [resilience.Executor]:
//
//	conn, err := grpc.NewClient("dns:///api.example.com",
//		grpc.WithUnaryInterceptor(resiliencegrpc.UnaryClientInterceptor(x)),
//		grpc.WithStreamInterceptor(resiliencegrpc.StreamClientInterceptor(x)))
//
// Streams are retried until the server has sent something
// ([StreamClientInterceptor]). Calls are retried as package resilience describes,
// with these rules for gRPC:
//
//   - The status of a failed call is classified, including the status details:
//     RetryInfo gives the pause, QuotaFailure tells whether waiting helps.
//   - The trailer grpc-retry-pushback-ms has the meaning of gRFC A6: a number is the
//     pause (0 means the pause of the schedule), any other value forbids retries.
//     Without this trailer, the trailer retry-after is read like the HTTP header
//     Retry-After.
//   - Only methods declared as idempotent, and methods of [WithMethods], are called
//     again.
//   - Errors remain gRPC errors: status.Code and status.FromError return the last
//     status. If the context ended during a pause, the code is Canceled or
//     DeadlineExceeded. After an attempt timeout, the code is DeadlineExceeded. If
//     a circuit breaker refused the call, the code is Unavailable. If the call was
//     refused because of a rate limit, the code is ResourceExhausted. errors.As
//     finds the [resilience.Error] with all attempts.
//
// Let either the gRPC service config or the interceptor retry, not both. If the
// service config retries a call, the interceptor sees all attempts of gRPC as one
// call.
package resiliencegrpc
