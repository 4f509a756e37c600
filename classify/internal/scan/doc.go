// Package scan matches a whole set of regular expressions in one pass over a
// text and reports which of them match.
//
// [Compile] takes the patterns apart and builds one automaton for all of them:
//
//  1. parse.go reads Go regexp syntax (case ignored unless (?-i), groups only
//     group) and cuts every pattern at its gaps, such as the .{0,40} of
//     "rate.{0,40}limit", into pieces that are short and plain.
//  2. nfa.go turns the pieces into one automaton over UTF-8 bytes.
//  3. dfa.go makes it deterministic: one table, a row a state, a column a class
//     of bytes that no pattern tells apart.
//  4. match.go walks the table with four cursors, each over its own slice of
//     the text and on into its neighbour's until nothing that began in its own
//     slice is alive. A processor then has four independent loads in flight
//     instead of waiting for one after the other.
//  5. gaps.go puts pieces together again: two pieces of a pattern that were
//     seen with a gap between them that the pattern allows.
//
// The result is exact: for every set of patterns that Compile accepts, and for
// every text, valid UTF-8 or not, [Matcher.Match] reports what package regexp
// reports for each pattern with (?i). Time is linear in the text; nothing is
// allocated for a text that is valid UTF-8. A set that would need more than
// [MaxStates] states is refused.
package scan
