// Package test tests package slogclass with the handlers and errors of other
// libraries. It is a module of its own, so that users do not get these dependencies.
package test
