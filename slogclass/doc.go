// Package slogclass puts error.category and error.reason on every error
// record that a program logs with log/slog. Wrap the handler once, with [New]
// or [Middleware]; no call site changes:
//
//	logger := slog.New(slogclass.New(slog.NewJSONHandler(os.Stderr, nil)))
//	logger.Error("completion failed", "err", err)
//	// {..., "error.category":"retryable","error.reason":"rate_limit","err":"429 Too Many Requests"}
//
// What happens to a record:
//
//   - Below the level ([WithLevel], by default Error) it goes to the next
//     handler as it is, without an allocation.
//   - From the level on it is classified. The sources, in this order: the
//     error values among its attributes, inside groups too (an []error is read
//     as errors.Join of its first 256); error values given to Logger.With, the
//     latest call first; string attributes with one of the names of
//     [WithTextKeys], the record's own first; the message.
//     The first source whose reason is not unknown decides. Where none does,
//     the record is fatal and unknown.
//   - An integer attribute status, status_code or http.response.status_code
//     from 400 to 599 is taken as the HTTP status that belongs to the error.
//     Where the context has ended, its cause is evidence too: an error that is
//     this program's own deadline or cancellation is called so.
//   - Both keys, and with [WithDetails] the rule and the provider's wait, are
//     written at the root of the record, also where groups are open, so that a
//     dashboard has one name to look for. Their place among the other
//     attributes of the root is not promised.
//   - A key that the caller has set at the root, in the record, with
//     Logger.With or as the name of a group that is not empty, is kept as it is,
//     each on its own; nothing is written twice, also where one Handler of this
//     package wraps another.
//   - Values that are both an error and a slog.LogValuer are read as errors.
//     LogValue is called here for two kinds of attributes at the root of a
//     classified record or of Logger.With: those without a key, whose group
//     would belong to the root, and those under one of our keys, whose
//     group a handler leaves out if it is empty. It is called once, and the next
//     handler gets what it returned.
//   - The work for a record is bounded: 4 errors, 4 texts and the message are
//     read, 64 KiB of texts together, and 65,536 members of groups, and 1,024
//     LogValuers are called. What is left out decides nothing; where it may hold
//     one of the two keys, neither is added.
//   - The text of an error or a message is never copied into an attribute:
//     the values come from a closed set of words. docs/reasons.md has a
//     section for each reason: what to look at first, what not to do.
//
// # Handlers below and above
//
// The next handler gets WithAttrs and WithGroup as they are called, so what it
// does with them (formatting in advance, turning an error into exception.*)
// it still does. The keys reach it through a WithAttrs of its own: for each
// pair of category and reason that occurs, such a handler is prepared once and
// kept with the logger that it was needed for. Where groups are open, the
// calls since the first group are repeated on it, once for a pair and logger,
// starting at the nearest logger above where that was done already;
// a LogValuer or a pointer that was given to With under a group is thus read
// again, when the first error of a kind is logged. With [WithDetails] nothing is
// prepared: what stands under a group is read again for each classified record.
//
// Handlers that choose by attributes (a router, a filter) see the keys when
// they stand below this one.
//
// # The default handler of log/slog
//
// The handler that slog.Default starts with writes through package log, and
// slog.SetDefault makes package log write through the new default: wrapped, the
// two wait for each other for ever. [New] recognises it and writes through a
// slog.TextHandler on standard error instead, at the level that was set with
// slog.SetLogLoggerLevel. Attributes and groups given to that handler before
// are not known to this package and are left out: call With on the new logger.
package slogclass
