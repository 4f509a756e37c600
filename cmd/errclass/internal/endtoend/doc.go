// Package endtoend tests all of errclass with one error at a time: as a slog
// record, a span, an OpenTelemetry log record and a line of errclass logs. Only the
// command's module may import all of these packages, so it has the tests.
package endtoend
