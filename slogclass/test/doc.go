// Package test holds no code, only tests: package slogclass with the handlers and
// errors of other libraries, which its own module does not require.
//
// It is a module of its own: nobody who uses errclass inherits what it requires.
package test
