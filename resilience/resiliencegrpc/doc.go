// Package resiliencegrpc makes the calls and streams of a gRPC client through a
// [resilience.Executor]:
//
//	conn, err := grpc.NewClient("dns:///api.example.com",
//		grpc.WithUnaryInterceptor(resiliencegrpc.UnaryClientInterceptor(x)),
//		grpc.WithStreamInterceptor(resiliencegrpc.StreamClientInterceptor(x)))
//
// Calls are retried as package resilience describes. Streams are retried until the
// server has sent something ([StreamClientInterceptor]). gRPC adds these rules:
//
//   - Only methods that are declared as idempotent, or named by [WithMethods], are
//     called again.
//   - A failed call is classified by its status and the status details. RetryInfo
//     gives the pause. QuotaFailure tells whether waiting helps.
//   - In the trailer grpc-retry-pushback-ms, a number is the pause (gRFC A6). The
//     number 0 means the pause of the backoff schedule. Any other value, such as -1,
//     forbids retries.
//   - Without that trailer, the trailer retry-after is read like the HTTP header
//     Retry-After.
//
// Errors remain gRPC errors. status.Code and status.FromError return the last
// status. errors.As finds the [resilience.Error] with all attempts. Some errors have
// a code of their own:
//
//   - If the context ended during a pause, the code is Canceled or DeadlineExceeded.
//   - After an attempt timeout, the code is DeadlineExceeded.
//   - If a circuit breaker refused the call, the code is Unavailable.
//   - If the call was refused because of a rate limit, the code is
//     ResourceExhausted.
//
// Let either the gRPC service config or the interceptor retry, not both. The
// interceptor sees all attempts of the service config as one call.
package resiliencegrpc
