// Package endtoend tests all of errclass with one error at a time. Each error becomes
//
//   - a slog record,
//   - a span,
//   - an OpenTelemetry log record,
//   - an input line of "errclass logs".
package endtoend
