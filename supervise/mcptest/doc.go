// Package mcptest tests package supervise with a real MCP server and client, built
// with the official SDK: crashes, missing answers and invalid output. It also has
// the example of supervise with package resilience.
//
// It is a module of its own, so that users of supervise do not depend on these
// libraries.
package mcptest
