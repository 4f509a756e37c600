// Package slogclass adds error.category and error.reason to every error record that
// a program logs with log/slog. Wrap the handler once, with [New] or [Middleware].
// No call site changes:
//
//	logger := slog.New(slogclass.New(slog.NewJSONHandler(os.Stderr, nil)))
//	logger.Error("completion failed", "err", err)
//	// {..., "error.category":"retryable","error.reason":"rate_limit","err":"429 Too Many Requests"}
//
// What happens to a record:
//
//   - If the record is below the level ([WithLevel], by default Error), it goes to
//     the next handler unchanged.
//   - Other records are classified. The sources are tried in this order: the
//     record's error values, also in groups; error values given to Logger.With, the
//     latest call first; string attributes under the keys of [WithTextKeys], the
//     record's own first; the message. The first source with a known reason
//     determines the result. If no source has a known reason, the category is fatal
//     and the reason is unknown.
//   - An []error is read as errors.Join of its first 256 errors.
//   - An integer attribute status, status_code or http.response.status_code from 400
//     to 599 is read as the HTTP status of the error. If the context has ended, the
//     cause of the context is read too.
//   - The keys are written at the root of the record, outside all groups. Their
//     order is not specified.
//   - A key that the caller has set at the root is kept. The caller may have set it
//     in the record, with Logger.With, or as the name of a group that is not empty.
//     The missing keys are still added. No key is written twice, even if one Handler
//     wraps another.
//   - A value that is both an error and a slog.LogValuer is read as an error.
//   - LogValue is called only for an attribute at the root of a classified record or
//     of Logger.With, and only if its key is empty or one of this package's keys.
//     LogValue is called once. The next handler gets the result.
//   - The work for a record has limits: 4 errors, 4 texts and the message, 64 KiB of
//     text in all, 65,536 group members, 1,024 calls of LogValue. What exceeds a
//     limit is not read. If the unread attributes may contain one of this package's
//     keys, no key is added.
//   - The text of an error or a message is never copied into an attribute:
//     categories, reasons and rule ids come from fixed lists, and the fingerprint is
//     a hash.
//
// docs/reasons.md says what to do about each reason.
//
// # Handlers below and above
//
// Calls of WithAttrs and WithGroup are passed on at once, so the next handler can
// still format attributes in advance. The attributes for category and reason are
// passed on in a separate call of WithAttrs. The resulting handler is built once for
// each pair of category and reason, and is cached in the logger. A logger made by With
// or WithGroup may instead add the two attributes to each of its first four error
// records.
//
// If WithAttrs of the next handler returns a handler of another type, or returns its
// receiver, or panics, the attributes are always added to the record. The type differs,
// for example, if the next handler is a struct that embeds a handler and has its own
// Handle, but not its own WithAttrs.
//
// If the logger has a group, the calls of WithAttrs and WithGroup since the first
// group are repeated on the resulting handler, once for each such pair in each logger. A
// LogValuer or a pointer under a group is then read again. With [WithDetails] or
// [WithFingerprint] nothing is cached: attributes under a group are read again for
// each classified record.
//
// A handler that filters or routes by attributes sees the keys if it comes after the
// Handler of this package.
//
// # The default handler of log/slog
//
// The initial handler of slog.Default writes through package log, so wrapping it
// would deadlock after slog.SetDefault. If [New] gets the initial handler, it wraps a
// slog.TextHandler instead. The TextHandler writes to standard error, at the level set
// with slog.SetLogLoggerLevel. Attributes and groups that were added to the initial
// handler earlier are dropped. Call With on the new logger instead.
package slogclass
