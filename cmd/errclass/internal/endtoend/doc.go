// Package endtoend tests all of errclass with one error at a time: as a slog record,
// a span, an OpenTelemetry log record and an input line of "errclass logs". Only the
// module of the command errclass requires all of these packages, so the tests are in
// that module.
package endtoend
