// Package otelclass adds error.category and error.reason to the spans and log
// records that a program gives to OpenTelemetry. It also counts errors by category
// and reason. Wrap the processors once, with [NewSpanProcessor] and
// [NewLogProcessor]. Call sites need no change:
//
//	counter, err := otelclass.NewCounter(meter)
//	...
//	sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(sdktrace.NewBatchSpanProcessor(spans), otelclass.WithCounter(counter)))
//	sdklog.WithProcessor(otelclass.NewLogProcessor(sdklog.NewBatchProcessor(logs), otelclass.WithCounter(counter)))
//
// What happens to a span when it ends:
//
//   - If the span has not failed and has no exception, it is passed on unchanged.
//   - Each event with an exception.* attribute is classified by type and message,
//     and gets both attributes. The event's name does not matter.
//   - A span with status Error gets the attributes of its last exception. If there
//     is none, or its reason is unknown, these are read: http.response.status_code,
//     rpc.response.status_code, rpc.grpc.status_code, db.response.status_code
//     (interpreted by db.system.name), error.type and the status description. If
//     nothing is known, the span is fatal and unknown.
//   - Codes may be integers or strings. The old name http.status_code is read too.
//   - On a span with another status, an exception counts as handled. Its event is
//     classified, but the span is not. [WithHandled] changes that.
//   - The next processor gets a wrapper of the span that has the added attributes.
//     The span itself is not changed. The two attributes may exceed the span's
//     limits. If a limit has shortened a value of [RecordError], the wrapper has the
//     full value.
//
// What happens to a log record:
//
//   - If the record is below severity Error and has no exception.* attribute, it is
//     passed on unchanged.
//   - For other records, these sources are read in order: exception.type and
//     exception.message; strings under the keys error, err, cause, exception or
//     stderr, in maps too; the body, together with the attributes that are read for
//     spans. The first source with a known reason determines the result.
//     http.response.status_code is used together with each source.
//   - The record is changed in place, so processors registered later see the
//     attributes.
//   - If the record is full (128 attributes by default, see
//     sdklog.WithAttributeCountLimit), category and reason replace its last
//     attributes, but an attribute of an exception only if no other is left. The
//     replaced attributes count as dropped. If the limit is 1, only the category is
//     added.
//   - If a value is longer than sdklog.WithAttributeValueLengthLimit, it is not
//     written. All categories and reasons have at most 17 bytes.
//   - If an attribute cannot be added, the next ForceFlush or Shutdown returns an
//     error, once. The error is not passed to otel.Handle, because the error handler
//     may log a further record while the first one is still being emitted.
//
// [WithDetails] adds the rule that determined the reason, the confidence and the
// provider's retry-after time. [WithFingerprint] adds the id of the error's
// template.
//
// On spans and records, an attribute that the caller has set under one of these keys
// is kept. If the caller has set only the category or only the reason, the other
// attribute is added. A stack trace is read only if nothing else gives a known
// reason. The text of an error is never copied: categories, reasons and rule ids
// come from fixed lists, and the fingerprint is a hash. The provider is the value of
// gen_ai.provider.name or gen_ai.system.
//
// # Which attributes a remote server can write
//
// If this program ended a call by its deadline or by cancelling, the result is
// timeout or aborted. Only an attribute that no remote server can write proves such
// an end. This table says who writes the content of each attribute:
//
//	exception.type                                    this program: OpenTelemetry records the type of an error value
//	gen_ai.provider.name, gen_ai.system               this program; they do not change the result
//	exception.message, exception.stacktrace           a server: error texts quote its response
//	description of a span's status, body              a server: they quote its response
//	error, err, cause, exception, stderr              a server: they quote its response
//	error.type                                        a server, if it has answered: a code of its response
//	http.response.status_code, http.status_code       a server
//	rpc.response.status_code, rpc.grpc.status_code    a server
//	db.response.status_code                           a server
//	db.system.name, db.system                         this program; they say how to read the code
//
// In exception.type, the types context.deadlineExceededError and
// *poll.DeadlineExceededError therefore give the category timeout, with any status.
//
// In error.type on a span, these types give the category timeout only if the server
// has not answered. An attribute of the span or of its events shows an answer if its
// key:
//
//   - ends in status_code or error_code,
//   - contains .response. or begins with gen_ai., or
//   - names a code of rpc, db, messaging or graphql.
//
// In all other cases, and on every log record, the type counts as a server's
// deadline, which is retryable. This protection fails if a program copies a server's
// text into exception.type.
//
// # Bounds
//
// The work for a span or a record has limits. The processors ignore what exceeds
// them:
//
//   - 64 KiB of text. If a text is too long, its beginning and its end are read. At
//     least half of this limit is for the last exception, and at least half of the
//     remainder for the status description. The other exceptions share the rest evenly.
//   - 512 bytes of a type, a code or a provider's name.
//   - The newest 128 exceptions of a span. Older ones get no attributes.
//   - 16,384 copied attributes of exceptions. Further exceptions get no attributes.
//   - 16,384 events of a span. If a span has more, no exception gets attributes.
//   - 16,384 attributes of a span or record, and 65,536 of all events of a span. If
//     there are more, nothing is added. Observers are still called.
//   - 4,096 members of the maps in a record, down to four levels, and four texts in
//     these maps.
//   - 4,096 attributes of a full record. If a full record has more, neither category
//     nor reason is added.
//
// # Errors as values
//
// A span stores only an error's outer type and its text. [RecordError] classifies
// the error itself with everything that it wraps. A processor keeps that result.
// [RecordErrorContext] also reads how the context has ended.
//
// For logs, put package slogclass before a bridge such as otelslog: slogclass also
// classifies the error itself. The LogProcessor then finds the attributes on the
// record.
//
// # Counting
//
// [NewCounter] counts errors. [NewCallMetrics] counts attempts, retries and
// fallbacks. Create them after otel.SetMeterProvider: otherwise the first failure is the
// first value of its series, and Prometheus sees no increase.
//
// A failure counts once in each signal. A failed span counts when it ends. A log record
// counts when it gets its category. One failure may cause several failed spans, so base
// alerts on attempts and logs. If slogclass adds the category, give it
// slogclass.WithObserver(counter.Observe). The LogProcessor then counts only the other
// records.
//
// Handled exceptions are not counted. An exception is handled if the status of its
// span is not Error, or if its record is below severity Error.
//
// # Errors of this package
//
// The errors of this package have a method ErrorType, which OpenTelemetry uses for
// error.type. The types are:
//
//   - otelclass.instrument: a meter rejected a name
//   - otelclass.observer_panic: an observer panicked
//   - otelclass.limit: an attribute could not be added
//
// In both processors, ForceFlush and Shutdown return errors of type
// otelclass.observer_panic. In the LogProcessor, these methods also return errors of type
// otelclass.limit. The LogProcessor's OnEmit returns only errors of the next processor:
// OpenTelemetry's error handler may log, and a record about the error would fail in the
// same way.
package otelclass
