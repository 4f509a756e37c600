//go:generate ../../.ci/mdatagen metadata.yaml

// Package errclassprocessor is a processor for the OpenTelemetry Collector. It adds
// error.category and error.reason to error records, failed spans and exceptions.
package errclassprocessor
