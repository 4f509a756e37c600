// Package mcptest holds no code, only tests: package supervise keeps a real MCP
// server, built with the official SDK, and its real client through crashes,
// silence and garbage.
//
// It is a module of its own: nobody who uses errclass inherits what it requires.
package mcptest
