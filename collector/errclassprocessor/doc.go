//go:generate ../../.ci/mdatagen metadata.yaml

// Package errclassprocessor is a processor for the OpenTelemetry Collector. It adds
// error.category and error.reason to error records, failed spans and exceptions.
// [NewFactory] is the entry point. README.md describes the configuration.
//
// What happens to a log record:
//
//   - A record below min_severity without an exception.* attribute passes unchanged.
//     A record without a severity number has the level of its severity text or of
//     its body.
//   - A body is read in the shapes of log lines: a map is encoded as JSON, and a
//     text may be JSON, logfmt or a line of a container runtime. The header of any
//     other text is skipped.
//   - The most specific source with a known reason decides: the exception, the
//     texts of errors among the attributes, the body, the outcome of a call, the
//     stack trace.
//   - The attributes that are missing are added.
//
// A span is treated as in package otelclass. The two packages share the names of
// the attributes and the code that decides.
//
// All work is bounded. If a record cannot be read or the classification panics, the
// record passes unchanged and is counted; see [Config].
package errclassprocessor
