// Package scan matches a whole set of regular expressions in one pass over a text
// and reports which of them match.
//
// [Compile] cuts the patterns into pieces and builds an automaton for all of them:
//
//  1. parse.go reads Go regexp syntax. Patterns ignore case unless they say (?-i),
//     and groups do not capture. It cuts every pattern at its loops, such as the
//     .{0,40} of "rate.{0,40}limit", into pieces without loops.
//  2. nfa.go turns the pieces into one nondeterministic automaton (NFA) over UTF-8
//     bytes. Equal pieces are built once, and patterns that begin with the same
//     pieces share them.
//  3. dfa.go makes the automaton deterministic (DFA). A state describes how a match
//     continues, not where else a match might begin. So the numbers of states of the
//     patterns add up and do not multiply: there are about as many states as letters
//     in the patterns.
//  4. exact.go checks the case of letters. The DFA ignores case, and the
//     case-sensitive pieces get a second, small DFA.
//  5. table.go stores the edges of all states in one array, with four bytes per edge.
//     The edges of different states are interleaved. place.go finds free entries of
//     the array for the edges of a state.
//  6. filter.go records which bytes may begin a match: the first four bytes, the
//     first eight, and the fifth to the twelfth.
//
// [Matcher.Match] reads the text once. match.go asks the filter at every offset and
// runs the automaton from the few offsets that the filter lets pass. join.go joins
// the pieces of a pattern that were found in order, with a valid gap between them.
// gaps.go checks the gaps.
//
// The result is exact. For every set of patterns that Compile accepts, and for
// every text, valid UTF-8 or not, Match sets the bits of the patterns that package
// regexp finds with (?i). No run of the automaton is longer than the longest piece,
// so the time is linear in the text. Found pieces are dropped once no later piece
// can follow them, so the memory depends on the patterns alone. The memory is reused
// for the next text. Only a text that is not valid UTF-8 is copied.
//
// Before anything is built, precheck.go refuses a set that is too large: it
// estimates the cost of each pattern from its text (weigh.go) and compiles a sample
// (sample.go). A [Budget] of steps limits the rest of the work. The error names the
// pattern at fault.
package scan
