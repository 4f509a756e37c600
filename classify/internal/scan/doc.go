// Package scan matches a whole set of regular expressions in one pass over a
// text and reports which of them match.
//
// [Compile] takes the patterns apart and builds an automaton for all of them:
//
//  1. parse.go reads Go regexp syntax (case ignored unless (?-i), groups only
//     group) and cuts every pattern at its loops, such as the .{0,40} of
//     "rate.{0,40}limit", into pieces without loops.
//  2. nfa.go turns the pieces into one automaton over UTF-8 bytes. Equal pieces
//     are one, and patterns that begin with the same pieces share them.
//  3. dfa.go makes it deterministic. It only knows how a match goes on, not
//     where else one might begin, so patterns do not multiply each other: the
//     states are about as many as the letters of the patterns.
//  4. exact.go keeps it from telling the two cases of a letter apart: pieces that
//     do get a second, small automaton.
//  5. table.go lays the edges of all states over each other in one array, four
//     bytes an edge.
//     place.go finds room for them.
//  6. filter.go notes which bytes may begin a match: four, eight, and the fifth
//     to the twelfth.
//
// [Matcher.Match] then goes over the text once: match.go asks the filter at
// every position and follows the automaton from the few where it says yes;
// join.go puts the pieces together again that were seen with a gap between
// them that the pattern allows, which gaps.go looks at.
//
// The result is exact: for every set of patterns that Compile accepts, and for
// every text, valid UTF-8 or not, Match sets what package regexp reports for
// each pattern with (?i). No position is followed further than the longest piece, so
// the time is linear in the text. Pieces that were seen are forgotten as soon as no
// later one can stand behind them, so the memory depends on the patterns alone. It
// is kept for the next text; only a text that is not valid UTF-8 is copied.
//
// Before anything is built, foresee.go refuses a set that is too large: it weighs
// the text of each pattern (weigh.go) and compiles a sample (sample.go). A [Budget]
// of steps bounds what is left. The error names the pattern that needs the most.
package scan
