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
//     is none, or its reason is unknown, these decide: http.response.status_code,
//     rpc.response.status_code, rpc.grpc.status_code, db.response.status_code
//     (interpreted by db.system.name), error.type and the status description.
//     Codes may be integers or strings; http.status_code is read as the old name
//     of http.response.status_code. If nothing is known, the span is fatal and
//     unknown.
//   - An exception on a span with another status counts as handled: its event is
//     classified, but the span is not ([WithHandled] changes that).
//   - The next processor gets a view of the span. The span itself and its slices
//     are not changed. A processor cannot read the span's limits, so the two
//     attributes may exceed them. If a limit has shortened a value that
//     [RecordError] set on the span, the view has the full value.
//
// What happens to a log record:
//
//   - A record below severity Error without an exception.* attribute is passed on
//     unchanged.
//   - For other records, these sources are read in order: exception.type and
//     exception.message; strings under the keys error, err, cause, exception or
//     stderr, in maps too; the body, together with the attributes that decide for
//     spans. The first source whose reason is not "unknown" decides.
//     http.response.status_code is used together with each source.
//   - The record is changed in place, so processors registered later see it.
//   - If a record already has as many attributes as its provider allows (128 by
//     default, see sdklog.WithAttributeCountLimit), category and reason replace its
//     last attributes. Attributes of an exception are replaced only if no others are
//     left. The record counts the replaced attributes as dropped. A limit of 1
//     leaves room for the category only.
//   - A value longer than sdklog.WithAttributeValueLengthLimit is not written,
//     because a shortened value would be another value. All categories and reasons
//     have at most 17 bytes.
//   - The first attribute that cannot be added is reported to otel.Handle.
//
// Wherever category or reason are added, [WithDetails] adds the rule that decided,
// the confidence and the provider's retry-after hint, and [WithFingerprint] adds the
// id of the error's template.
//
// In both signals, an attribute that the caller has set under one of these keys
// is kept. If the caller has set only the category or only the reason, the other
// one is added. A stack trace is read only if there is no other evidence. The text
// of an error is never copied: all values come from a closed set of words. The
// fingerprint is a hash of the text without its values. The provider is
// gen_ai.provider.name or gen_ai.system.
//
// # Which attributes a peer can write
//
// If this program ended a call itself, by its deadline or by cancelling, that
// outranks all other evidence. So only an attribute that no peer can write counts as
// evidence of such an end. This table says who writes the content of each attribute:
//
//	exception.type                                    this program: OpenTelemetry records the type of an error value
//	gen_ai.provider.name, gen_ai.system               this program; they decide nothing
//	exception.message, exception.stacktrace           a peer: error texts quote its answer
//	description of a span's status, body              a peer, likewise
//	error, err, cause, exception, stderr              a peer, likewise
//	error.type                                        a peer, if it has answered: a code of its answer
//	http.response.status_code, http.status_code       a peer
//	rpc.response.status_code, rpc.grpc.status_code    a peer
//	db.response.status_code                           a peer
//	db.system.name, db.system                         this program; they say how to read the code
//
// The types context.deadlineExceededError and *poll.DeadlineExceededError in
// exception.type therefore give the category timeout, whatever status is present. In
// error.type, these types give the category timeout only on a span, and only if
// neither the span nor its events have an attribute of a peer's answer. Without an
// answer, error.type must be the type of an error value, written by an
// instrumentation of this program. Attributes of an answer are recognised by their
// keys: those that end in status_code or error_code, contain .response. or begin
// with gen_ai., and the codes of rpc, db, messaging and graphql. In all other cases,
// and on every log record, the type counts as a peer's deadline, which is retryable.
// This protection fails if a program copies a peer's text into exception.type.
//
// # Bounds
//
// The work for a span or a record is bounded. The processors ignore what exceeds
// these limits:
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
//   - A record is full if its provider allows no further attribute. A full record
//     with more than 4,096 attributes gets neither category nor reason.
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
// fallbacks and shows breakers, holds and health. A failure counts once in each
// signal: a failed span when it ends, a log record when it gets its category. One
// failure may end several spans, so base alerts on attempts and logs. If slogclass
// adds the category, give it slogclass.WithObserver(counter.Observe); the
// LogProcessor then counts only the other records. Handled exceptions are not
// counted. An exception is handled if the status of its span is not Error, or if
// its record is below severity Error.
//
// # Errors of this package
//
// The errors of this package have a method ErrorType, which OpenTelemetry uses for
// error.type. The types are otelclass.instrument (a meter rejected a name),
// otelclass.observer_panic and otelclass.limit (there was no room for the two
// attributes).
package otelclass
