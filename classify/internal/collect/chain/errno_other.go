//go:build aix || (!unix && !windows)

package chain

// errnoID always returns "" on these systems, so only the text of an error is
// classified. js, wasip1 and aix lack some of the error numbers that other systems
// have, and plan9 has texts instead of numbers.
func errnoID(error) string { return "" }
