// Package test tests package shapes with the lines that Go loggers print. It is a
// module of its own, so that users of errclass do not depend on the loggers.
package test
