// Package mcptest holds no code, only tests: package supervise keeps a real MCP
// server, built with the official SDK, and its real client through crashes,
// silence and garbage. The example of an agent under package resilience is here
// too: supervise does not require that package.
//
// It is a module of its own: nobody who uses errclass inherits what it requires.
package mcptest
