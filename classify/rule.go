package classify

// Rule is a user's own text rule. Pattern is a Go regular expression; it
// matches anywhere in the text and ignores case unless it says (?-i). Groups
// only group. A rule that matches beats all other evidence but the caller's
// own cancellation or deadline; among several, the first one given wins.
type Rule struct {
	ID      string // stable and unique; becomes Result.Rule
	Reason  Reason
	Pattern string
}
