package scan

import (
	"encoding/binary"
	"regexp/syntax"
	"unicode"
)

// appendKey appends a key that identifies re. Expressions with equal String results
// have equal keys. The method String itself is too slow.
func appendKey(key []byte, re *syntax.Regexp) []byte {
	number := func(n int) { key = binary.AppendVarint(key, int64(n)) }
	switch op := re.Op; {
	case op == syntax.OpConcat: // adds nothing, so "a" and "b" in a row have the key of "ab"
		for _, sub := range re.Sub {
			key = appendKey(key, sub)
		}
		return key
	case op == syntax.OpLiteral:
		for _, r := range re.Rune {
			fold := re.Flags&syntax.FoldCase != 0 && unicode.SimpleFold(r) != r
			key = append(key, byte(op), oneIf(fold))
			number(int(r))
		}
		return key
	case op == syntax.OpCharClass && len(re.Rune) == 0:
		return append(key, byte(syntax.OpNoMatch))
	}
	key = append(key, byte(re.Op), oneIf(re.Flags&syntax.NonGreedy != 0), oneIf(re.Flags&syntax.WasDollar != 0))
	switch re.Op {
	case syntax.OpCharClass:
		number(len(re.Rune))
		for _, r := range re.Rune {
			number(int(r))
		}
	case syntax.OpRepeat:
		number(re.Min)
		number(re.Max)
	}
	if len(re.Sub) == 0 {
		return key
	}
	number(len(re.Sub))
	for _, sub := range re.Sub {
		key = append(appendKey(key, sub), 0) // 0 marks the end of sub: no syntax.Op is 0
	}
	return key
}
