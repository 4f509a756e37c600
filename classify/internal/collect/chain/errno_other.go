//go:build aix || (!unix && !windows)

package chain

// errnoID always returns "". The systems for which this file is built lack some or all
// POSIX error numbers.
func errnoID(error) string { return "" }
