// Package compat has only tests. They make real clients (SDKs of model providers,
// gRPC, database drivers, an MCP client, net/http, os/exec) fail in all known
// ways and check how package classify classifies the errors.
//
// Package classify recognises the errors of these clients by methods and fields,
// without importing the clients. Its own tests use copies of the clients' error
// types. The tests here use the real modules, so they notice when a client changes
// its errors. The README describes the checks and how to add a client.
//
// The package is a module of its own, so users of errclass do not inherit its
// requirements.
package compat
