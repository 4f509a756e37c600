// Package test tests package otelclass with real bridges, processors, exporters
// and instrumentations of OpenTelemetry. Exported spans and log records must have
// the right attributes. All servers listen on loopback.
//
// It is a module of its own, so that users of errclass do not depend on the
// bridges, exporters and instrumentations.
package test
