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
//     status. Codes may be integers or strings, and http.status_code is the old
//     name of the first. Where they say nothing either, the span is fatal and unknown.
//   - A span that recorded an exception and has another status handled it: the
//     event is classified, the span is not ([WithHandled] changes that).
//   - The next processor is given a view of the span. The span itself, and the
//     slices that others hold of it, stay as they are; the two attributes come on
//     top of what the span's limits allow, which are not visible here. A word of
//     [RecordError] that such a limit has shortened on the span is whole again.
//
// What happens to a log record:
//
//   - One below severity Error without exception.* goes on as it is.
//   - Of others the first of these sources whose reason is not unknown decides:
//     exception.type and exception.message; strings named error, err, cause,
//     exception or stderr, in maps too; the attributes that count for spans,
//     with the body. http.response.status_code counts with each of them.
//   - The record is changed in place, so processors registered later see it.
//   - A record that has as many attributes as its provider allows (128 unless
//     sdklog.WithAttributeCountLimit says otherwise) gets the two in place of the
//     last others, those of an exception being the last to give way; the record
//     counts them as dropped. A limit of 1 leaves room for the category alone. A
//     word that is longer than sdklog.WithAttributeValueLengthLimit allows (17
//     bytes are enough for all) is not written, for a part of it is another word.
//     The first time that one of the two can't be added it is reported to
//     otel.Handle.
//
// [WithDetails] adds the rule that decided and how long the provider asks to wait,
// wherever category or reason are added.
//
// In both, an attribute that the caller has set under one of these keys is
// kept, each on its own. A stack trace is read only where there is nothing
// else. The text of an error is never copied: the values come from a closed set
// of words. The provider is that of gen_ai.provider.name, or of gen_ai.system.
//
// # Who can write what
//
// That this program itself ended a call, by its deadline or by cancelling it,
// decides before all else. It is read only from what no peer can write:
//
//	exception.type                                    this program: OpenTelemetry records the type of an error value
//	gen_ai.provider.name, gen_ai.system               this program; they decide nothing
//	exception.message, exception.stacktrace           a peer: texts of errors repeat what it answered
//	description of a span's status, body              a peer, likewise
//	error, err, cause, exception, stderr              a peer, likewise
//	error.type                                        a peer, if it has answered: a code of its answer
//	http.response.status_code, http.status_code       a peer
//	rpc.response.status_code, rpc.grpc.status_code    a peer
//	db.response.status_code                           a peer
//	db.system.name, db.system                         this program; they say how to read the code
//
// The types context.deadlineExceededError and *poll.DeadlineExceededError in
// exception.type thus give the category timeout beside any status. In error.type
// they do so on a span that has no attribute of an answer, on its events neither:
// an instrumentation wrote the type of the error there. Attributes of an answer
// are, whatever their values, those that end in status_code or error_code, those
// that contain .response. or begin with gen_ai., and the codes of rpc, db,
// messaging and graphql. Beside one of these, and on a log record, the type is the
// deadline of somebody, and retryable. A program that copies a peer's words into
// exception.type gives that up.
//
// # Bounds
//
// The work for a span or a record is bounded, whatever it holds. What is left out
// decides nothing. Read are:
//
//   - 64 KiB of texts: of a longer text its beginning and its end. The last
//     exception and the description come first, each with half of what is left at
//     least; the other exceptions share the rest evenly.
//   - 512 bytes of a type, a code or a provider's name.
//   - The newest 128 exceptions of a span; older ones get no attributes. So do all
//     exceptions of a span with more than 16,384 events, and those that would take
//     more than 16,384 attributes to copy.
//   - 16,384 attributes of a span or record, and 65,536 of all events of a span. A
//     span or record with more attributes gets none, as not all were searched for
//     the caller's own; observers are told of it all the same.
//   - 4,096 members of maps in a record, four levels deep, and four texts in them. A
//     full record of more than 4,096 attributes gets none.
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
// otelclass.instrument (a meter refused a name), otelclass.observer_panic and
// otelclass.limit (there was no room for the two attributes).
package otelclass
