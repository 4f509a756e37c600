//go:build aix || (!unix && !windows)

package chain

// errnoID always returns "". On js, wasip1 and aix, there are fewer error numbers.
// On plan9, errors have texts instead of numbers. So only the text of an error
// counts.
func errnoID(error) string { return "" }
