package classify

// Rule is a user's own text rule. Pattern is a Go regular expression. It matches
// anywhere in the text and ignores case, unless it contains (?-i). Groups do not
// capture. A matching rule beats all other evidence except the program's own
// deadline, cancellation and spent budget. If several rules match, the first one
// wins.
type Rule struct {
	ID      string // unique; becomes Result.Rule
	Reason  Reason
	Pattern string
}
