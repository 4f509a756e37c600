// Package mcptest tests how package supervise handles crashes, missing answers and
// invalid output, with a real MCP server and client built with the official SDK. It
// also has an example of supervise with package resilience.
//
// It is a module of its own, so that users of supervise do not depend on these
// libraries.
package mcptest
