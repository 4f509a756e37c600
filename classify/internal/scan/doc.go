// Package scan matches a whole set of regular expressions in one pass over a text
// and reports which of them match.
//
// [Compile] cuts the patterns into pieces and builds one automaton for all pieces:
//
//  1. parse.go reads Go regexp syntax. Patterns ignore case unless they say (?-i),
//     and groups do not capture. It cuts every pattern at its long repetitions. For
//     example, it cuts "rate.{0,40}limit" into the pieces "rate" and "limit", and
//     the gap ".{0,40}" between them.
//  2. nfa.go turns the pieces into one nondeterministic automaton (NFA) over UTF-8
//     bytes. Equal pieces, of one or several patterns, are built only once.
//  3. dfa.go makes the automaton deterministic (DFA). Every run of the DFA begins at
//     a given offset, so a state need not record at which other offsets a match may
//     have begun. Therefore the numbers of states of the patterns add up and do not
//     multiply: there are about as many states as letters in the patterns.
//  4. exact.go checks the case of letters. The DFA ignores case. A second, small DFA
//     checks the case-sensitive pieces.
//  5. table.go stores the edges of all states in one array, with four bytes per edge.
//     The edges of different states are interleaved. place.go finds free entries of
//     the array for the edges of a state.
//  6. filter.go records which bytes may begin a match: the first four bytes, the
//     first eight, and the fifth to the twelfth.
//
// [Matcher.Match] reads the text once. match.go tests every offset with the filter,
// and runs the DFA from the few offsets that pass. join.go finds the patterns whose
// pieces occur in the right order, with a valid gap between each piece and the next.
// gaps.go checks the gaps.
//
// The result is exact. For every set of patterns that Compile accepts, and for every
// text, valid UTF-8 or not, Match sets the bits of the patterns that match the text
// according to package regexp, with the flag (?i). No run of the DFA is longer than
// the longest piece, so the time is linear in the length of the text. The match of a
// piece is dropped once no later piece can follow it, so the memory depends on the
// patterns alone. The memory is reused for the next text. A text is copied only if
// it is invalid UTF-8.
//
// Before anything is built, precheck.go refuses a set that is too large: it
// estimates the cost of each pattern from the pattern's text (weigh.go) and compiles
// some of the patterns (sample.go). A [Budget] of steps limits the rest of the work.
// The error names the pattern at fault.
package scan
