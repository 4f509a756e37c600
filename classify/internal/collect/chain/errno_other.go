//go:build aix || (!unix && !windows)

package chain

// errnoID names a system error number. On systems that name fewer of them
// (js, wasip1, aix) or have texts instead (plan9), the text alone counts.
func errnoID(error) string { return "" }
