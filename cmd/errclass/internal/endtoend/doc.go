// Package endtoend holds the tests that send one error through all of errclass:
// a slog record, a span, an OpenTelemetry log record and a line of
// errclass logs. They stand here because only the command may import all of
// these.
package endtoend
