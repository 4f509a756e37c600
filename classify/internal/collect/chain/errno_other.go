//go:build aix || (!unix && !windows)

package chain

// errnoID always returns "". These systems lack some or all POSIX error numbers.
func errnoID(error) string { return "" }
