//go:generate ../../.ci/mdatagen metadata.yaml

// Package errclassprocessor is a processor for the OpenTelemetry Collector. It adds
// error.category and error.reason to error records, failed spans and exceptions.
// [NewFactory] is the entry point. README.md describes the configuration.
//
// What happens to a log record:
//
//   - A record below min_severity passes unchanged, unless it has an exception.*
//     attribute.
//   - If the record has no severity number, its level comes from the severity text. If
//     that text names no level, the level comes from the body.
//   - A body is read as a log line: JSON, logfmt or a line of a container runtime. A
//     map is read as JSON. In any other text, the header is skipped.
//   - These sources are read in order: the exception, error texts among the
//     attributes, the body, the outcome of a call (such as its HTTP status), the
//     stack trace. The first source with a known reason determines the result.
//   - Attributes that the record already has are kept.
//
// A span is treated as in package otelclass.
//
// All work has limits. If a record cannot be read or the classification panics, the
// record passes unchanged and is counted. The field ErrorMode of [Config] changes
// this.
package errclassprocessor
