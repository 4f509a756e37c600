// Package test tests package shapes with the lines that Go loggers print. This
// module is separate from errclass, which must not depend on the loggers.
package test
