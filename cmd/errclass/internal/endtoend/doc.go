// Package endtoend tests all of errclass with one error at a time: as a slog
// record, a span, an OpenTelemetry log record and a line of errclass logs. The
// tests are in the command's module, which alone may import all of these.
package endtoend
