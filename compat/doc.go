// Package compat has only tests. They make real clients fail and check how package
// classify classifies the errors. The clients are SDKs of model providers, gRPC,
// database drivers, an MCP client, net/http and os/exec.
//
// Package classify recognises these errors by methods and fields, without importing
// the clients. The tests notice when a client changes its errors. The README
// describes the checks and how to add a client.
//
// The package is a module of its own, so users of errclass do not inherit its
// requirements.
package compat
