// Package test holds no code, only tests: real bridges, processors, exporters
// and instrumentations of OpenTelemetry hand their spans and log records through
// package otelclass, and what arrives at the other end has to say what went
// wrong. Everything listens on loopback.
//
// It is a module of its own: nobody who uses errclass inherits what it
// requires.
package test
