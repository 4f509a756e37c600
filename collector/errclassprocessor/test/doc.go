// Package test compares the errclass processor with the transform processor. It is a
// module of its own, so that users do not get its dependencies.
package test
