// Package otelclass adds error.category and error.reason to the spans and log
// records that a program gives to OpenTelemetry, and counts errors by category and
// reason. Wrap the processors once, with [NewSpanProcessor] and [NewLogProcessor];
// no call site changes:
//
//	counter, err := otelclass.NewCounter(meter)
//	...
//	sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(sdktrace.NewBatchSpanProcessor(spans), otelclass.WithCounter(counter)))
//	sdklog.WithProcessor(otelclass.NewLogProcessor(sdklog.NewBatchProcessor(logs), otelclass.WithCounter(counter)))
//
// What happens to a span when it ends:
//
//   - A span that has not failed and has recorded no exception goes to the next
//     processor unchanged, without an allocation.
//   - Each event with an exception.* attribute is classified by type and message
//     and gets both attributes. The event's name does not matter.
//   - A span with status Error gets the attributes of its last exception. If there
//     is none, or its reason is unknown, these are read: http.response.status_code,
//     rpc.response.status_code, rpc.grpc.status_code, db.response.status_code
//     (interpreted by db.system.name), error.type and the status description.
//     Codes may be integers or strings; http.status_code is read as the old name
//     of http.response.status_code. If nothing is known, the span is fatal and
//     unknown.
//   - An exception on a span with another status counts as handled: its event is
//     classified, but the span is not ([WithHandled] changes that).
//   - The next processor gets a wrapper of the span that has the added attributes.
//     The span itself and its slices are not changed. A processor cannot read the
//     span's limits, so the two attributes may exceed them. If a limit has shortened
//     a value that [RecordError] set on the span, the wrapper has the full value.
//
// What happens to a log record:
//
//   - A record below severity Error without an exception.* attribute is passed on
//     unchanged.
//   - For other records, these sources are read in order: exception.type and
//     exception.message; strings under the keys error, err, cause, exception or
//     stderr, in maps too; the body, together with the attributes that are read for
//     spans. The first source with a known reason determines the result.
//     http.response.status_code is used together with each source.
//   - The record is changed in place, so processors registered later see it.
//   - If a record already has as many attributes as its provider allows (128 by
//     default, see sdklog.WithAttributeCountLimit), category and reason replace its
//     last attributes. Attributes of an exception are replaced only if no others are
//     left. The record counts the replaced attributes as dropped. If the limit is 1,
//     only the category is added.
//   - A value longer than sdklog.WithAttributeValueLengthLimit is not written,
//     because a shortened value would be another value. All categories and reasons
//     have at most 17 bytes.
//   - The first attribute that cannot be added is reported to otel.Handle.
//
// Wherever category or reason are added, [WithDetails] adds the rule that determined
// the reason, the confidence and the retry-after time of the provider.
// [WithFingerprint] adds the id of the error's template.
//
// In both signals, an attribute that the caller has set under one of these keys
// is kept. If the caller has set only the category or only the reason, the other
// one is added. A stack trace is read only if nothing else gives a known reason. The
// text of an error is never copied: categories, reasons and rule ids come from fixed
// lists, and the fingerprint is a hash of the text without its values. The provider
// is the value of gen_ai.provider.name or gen_ai.system.
//
// # Which attributes a remote server can write
//
// If this program ended a call itself, by its deadline or by cancelling, the result
// is timeout or aborted, whatever else the attributes say. So only an attribute that
// no remote server can write proves such an end. This table says who writes the
// content of each attribute:
//
//	exception.type                                    this program: OpenTelemetry records the type of an error value
//	gen_ai.provider.name, gen_ai.system               this program; they do not change the result
//	exception.message, exception.stacktrace           a server: error texts quote its response
//	description of a span's status, body              a server, likewise
//	error, err, cause, exception, stderr              a server, likewise
//	error.type                                        a server, if it has answered: a code of its response
//	http.response.status_code, http.status_code       a server
//	rpc.response.status_code, rpc.grpc.status_code    a server
//	db.response.status_code                           a server
//	db.system.name, db.system                         this program; they say how to read the code
//
// The types context.deadlineExceededError and *poll.DeadlineExceededError in
// exception.type therefore give the category timeout, whatever status is present.
//
// In error.type on a span, these types give the category timeout if neither the span
// nor its events have an attribute of a server's response. Without a response,
// error.type must be the type of an error value, written by an instrumentation of
// this program. Attributes of a response are recognised by their keys: those that end
// in status_code or error_code, contain .response. or begin with gen_ai., and the
// codes of rpc, db, messaging and graphql. In all other cases, and on every log
// record, the type counts as a server's deadline, which is retryable. This protection
// fails if a program copies a server's text into exception.type.
//
// # Bounds
//
// The work for a span or a record has limits. The processors ignore what exceeds
// them:
//
//   - 64 KiB of text. If there is more, the beginning and the end of a text are
//     read. The last exception is read first; half of this limit or more is
//     available to it. The status description is read next; half of the remainder or
//     more is available to it. The other exceptions share the rest evenly.
//   - 512 bytes of a type, a code or a provider's name.
//   - The newest 128 exceptions of a span. Older ones get no attributes.
//   - 16,384 attributes of exceptions are copied; further exceptions get no
//     attributes. If a span has more than 16,384 events, no exception gets any.
//   - 16,384 attributes of a span or record, and 65,536 of all events of a span. If
//     a span or record has more, nothing is added to it, because its unread
//     attributes may include the ones to add. Observers are still called.
//   - 4,096 members of the maps in a record, down to four levels, and four texts in
//     these maps.
//   - If a record already has as many attributes as its provider allows, and more
//     than 4,096, neither category nor reason is added.
//
// # Errors as values
//
// A span stores only an error's outer type and its text. [RecordError] classifies
// the error itself with everything that it wraps, and a processor keeps that
// result. [RecordErrorContext] also reads how the context has ended. For logs, put
// package slogclass before a bridge such as otelslog, because slogclass also
// classifies the error itself. The LogProcessor then finds the attributes on the
// record.
//
// # Counting
//
// [NewCounter] counts errors; [NewCallMetrics] counts attempts, retries and
// fallbacks. A failure counts once in each signal: a failed span when it ends, a log
// record when it gets its category. One failure may end several spans, so base
// alerts on attempts and logs. If slogclass adds the category, give it
// slogclass.WithObserver(counter.Observe); the LogProcessor then counts only the
// other records. Handled exceptions are not counted. An exception is handled if the
// status of its span is not Error, or if its record is below severity Error.
//
// # Errors of this package
//
// The errors of this package have a method ErrorType, which OpenTelemetry uses for
// error.type. The types are otelclass.instrument (a meter rejected a name),
// otelclass.observer_panic and otelclass.limit (an attribute could not be added).
package otelclass
