// Package otelclass puts error.category and error.reason on what a program
// hands to OpenTelemetry, and counts errors by them. Wrap the processors once,
// with [NewSpanProcessor] and [NewLogProcessor]; no call site changes:
//
//	counter, err := otelclass.NewCounter(meter)
//	...
//	sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(sdktrace.NewBatchSpanProcessor(spans), otelclass.WithCounter(counter)))
//	sdklog.WithProcessor(otelclass.NewLogProcessor(sdklog.NewBatchProcessor(logs), otelclass.WithCounter(counter)))
//
// What happens to a span when it ends:
//
//   - One that has not failed and has recorded no exception goes to the next
//     processor as it is, without an allocation.
//   - Each event that has an attribute exception.* is classified by its type
//     and message and gets both attributes, whatever the event is called.
//   - A span whose status is Error gets those of its last exception. Where it has
//     none, or that is unknown, these decide: http.response.status_code,
//     rpc.response.status_code, rpc.grpc.status_code, db.response.status_code
//     (read as db.system.name has it), error.type and the description of the
//     status. Where they say nothing either, the span is fatal and unknown.
//   - A span that recorded an exception and has another status handled it: the
//     event is classified, the span is not ([WithHandled] changes that).
//   - The next processor is given a view of the span. The span itself, and the
//     slices that others hold of it, stay as they are; the two attributes come on
//     top of what the span's limits allow, which are not visible here.
//
// What happens to a log record:
//
//   - One below severity Error without exception.* goes on as it is.
//   - Of others the first of these sources whose reason is not unknown decides:
//     exception.type and exception.message; strings named error, err, cause,
//     exception or stderr, in maps too; the attributes that count for spans,
//     with the body. http.response.status_code counts with each of them.
//   - The record is changed in place, so processors registered later see it.
//
// In both, an attribute that the caller has set under one of the two keys is
// kept, each on its own. A stack trace is read only where there is nothing
// else. The text of an error is never copied: the values come from a closed set
// of words. The provider is that of gen_ai.provider.name, or of gen_ai.system.
//
// # Errors as values
//
// A span keeps of an error its outer type and its text. [RecordError] classifies
// the error itself, with all that it wraps, and a processor leaves what it says
// alone. For logs, package slogclass above a bridge such as otelslog does the
// same; the LogProcessor then finds the attributes there.
//
// # Counting
//
// [NewCounter] counts errors, [NewCallMetrics] what is done about them. A
// failure counts once in each signal: a failed span when it ends, a log record
// where it gets its category. If that is slogclass, give it
// slogclass.WithObserver(counter.Observe); the LogProcessor then counts only
// records that came another way. Exceptions that were handled (a span whose
// status is not Error, a record below severity Error) do not count.
//
// # Errors of this package
//
// They have a method ErrorType, which OpenTelemetry takes for error.type:
// otelclass.instrument (a meter refused a name) and otelclass.observer_panic.
package otelclass
