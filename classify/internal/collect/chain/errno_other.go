//go:build aix || (!unix && !windows)

package chain

// errnoID always returns "" on these systems. js, wasip1 and aix lack some error
// numbers of other systems, and plan9 has texts instead of numbers.
func errnoID(error) string { return "" }
