// Package scan matches a set of regular expressions in one pass over a text. The
// result says which of the expressions match.
//
// [Compile] cuts the patterns into pieces. It builds one automaton for all pieces:
//
//  1. parse.go reads Go regexp syntax. Patterns ignore case unless they say (?-i).
//     Groups do not capture. A pattern is cut at long repetitions:
//     "rate.{0,40}limit" has the pieces "rate" and "limit", and the gap ".{0,40}".
//  2. nfa.go turns the pieces into a nondeterministic automaton (NFA) over UTF-8
//     bytes. Equal pieces are built once, even if they belong to different patterns.
//  3. dfa.go makes the automaton deterministic (DFA). There are about as many states
//     as letters in the patterns.
//  4. exact.go checks the case of letters with a second, small DFA. The large DFA
//     ignores case.
//  5. table.go stores the edges of all states in one array. Each edge has four
//     bytes. place.go finds free entries of the array.
//  6. filter.go records the bytes with which a match may begin.
//
// [Matcher.Match] reads the text once:
//
//  1. match.go tests every offset with the filter.
//  2. If an offset passes the filter, the DFA runs from this offset.
//  3. join.go finds the patterns with all pieces in the right order.
//  4. gaps.go checks the text between two pieces.
//
// The result is the same as that of package regexp with the flag (?i), even for
// invalid UTF-8. The time is linear in the length of the text. The memory depends on
// the patterns alone, and is reused for the next text. A text is copied only if it is
// invalid UTF-8.
//
// precheck.go refuses a set that is too large before anything is built. A [Budget]
// limits the steps of compiling. The error names the pattern at fault.
package scan
