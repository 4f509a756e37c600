// Package compat holds no code, only tests: real clients (the SDKs of model
// providers, gRPC, database drivers, an MCP client, net/http, os/exec) fail in
// every way that is known of them, and package classify has to say why.
//
// Package classify knows those clients by the methods and fields of their
// errors, without importing them. What is tested there is the shape that an
// error has today; what is tested here is that the errors of the real module
// still have it. The README says what is checked and how to add a client.
//
// It is a module of its own: nobody who uses errclass inherits what it
// requires.
package compat
