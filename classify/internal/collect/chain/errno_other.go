//go:build aix || (!unix && !windows)

package chain

// errnoID always returns "". js, wasip1 and aix lack some of the error numbers that
// other systems have. plan9 has texts instead of numbers. On these systems only the
// text of an error is classified.
func errnoID(error) string { return "" }
