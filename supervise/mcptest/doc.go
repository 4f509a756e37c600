// Package mcptest tests package supervise with a real MCP server and client. The
// server crashes, hangs or writes invalid output. An example uses supervise with
// package resilience.
//
// The package is a module of its own, so users of supervise do not inherit its
// requirements.
package mcptest
