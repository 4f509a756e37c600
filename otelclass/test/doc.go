// Package test tests package otelclass with real bridges, processors, exporters and
// instrumentations of OpenTelemetry. All servers listen on loopback.
//
// It is a module of its own, so that users do not get these dependencies.
package test
