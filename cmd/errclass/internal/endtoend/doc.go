// Package endtoend tests all of errclass with one error at a time. The error is sent
// as a slog record, a span, an OpenTelemetry log record and an input line of
// "errclass logs". The tests are in this module, because only the command errclass
// requires all these packages.
package endtoend
