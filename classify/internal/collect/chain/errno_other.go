//go:build aix || (!unix && !windows)

package chain

// errnoID returns "". These systems have fewer error numbers (js, wasip1, aix) or
// texts instead of numbers (plan9), so only the text of an error counts.
func errnoID(error) string { return "" }
