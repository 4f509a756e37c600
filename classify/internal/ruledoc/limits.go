package ruledoc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
)

// These are the limits of a document, mostly in tokens. A key with a value has three
// tokens. An item of a list has one or two.
const (
	tokenBytes = 2 // bytes that the file must have for each token after the first tokensFree
	tokensFree = 1000
	tokensAll  = 1_000_000
	tokensOne  = 40_000 // maximum for one rule with its examples
	itemBytes  = 16     // bytes that the file must have for each rule after the first itemsFree
	itemsFree  = 1000
	depthMost  = 1000 // maximum nesting of brackets
	maxName    = 100  // maximum length of an alias in an error, in bytes
	marksAll   = 1000 // maximum number of anchors, aliases and tags
)

var (
	errDense = errors.New("too many values for so short a file; a rule has an id, a reason and a pattern")
	errMany  = fmt.Errorf("more than %d keys and values; split the file", tokensAll)
	errRule  = fmt.Errorf("more than %d keys and values in one rule; drop examples", tokensOne)
	errDepth = fmt.Errorf("brackets exceeded max depth of %d; a rule needs two", depthMost)
	errMarks = fmt.Errorf("more than %d anchors, aliases and tags; write the values out instead", marksAll)
)

// scanner estimates the number of tokens of a document. It recognises only these
// elements of YAML:
//
//   - quoted texts, comments, block texts (after | or >) and brackets
//   - unquoted texts of several lines
type scanner struct {
	bytes, line int
	depth       int  // number of open brackets
	quote       byte // the open quote, or 0
	plain       bool // the previous line ended in an unquoted text, which may continue
	indent      int  // column of the last key or list dash
	block       int  // column of the key or dash before a block text; -1 = no block text
	outer       int  // column of the outermost list dashes; -1 = none so far

	tokens, inRule, most, rules, marks, deepest int

	alias     string // the first alias
	aliasLine int
}

// checkLimits returns an error if a document exceeds a limit. It builds no syntax
// tree.
func checkLimits(data []byte) error {
	data = unixLines(data)
	s := scanner{bytes: len(data), block: -1, outer: -1}
	var fault error
	for len(data) > 0 {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		s.line++
		s.readLine(line)
		if err := s.check(); err != nil && fault == nil {
			fault = &Error{Line: s.line, Err: err}
		}
		if fault != nil && s.alias != "" { // an alias is more likely the cause
			return &Error{Line: s.aliasLine, Err: fmt.Errorf("alias *%s; write the value out instead", s.alias)}
		}
	}
	return fault
}

// unixLines returns data as UTF-8 with a line feed at the end of every line. YAML
// also allows UTF-16 and other line ends.
func unixLines(data []byte) []byte {
	for mark, order := range map[string]binary.ByteOrder{"\xff\xfe": binary.LittleEndian, "\xfe\xff": binary.BigEndian} {
		if rest, ok := bytes.CutPrefix(data, []byte(mark)); ok {
			units := make([]uint16, len(rest)/2)
			for i := range units {
				units[i] = order.Uint16(rest[2*i:])
			}
			data = []byte(string(utf16.Decode(units)))
			break
		}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for _, end := range []string{"\r\n", "\r", "\u0085", "\u2028", "\u2029"} {
		if bytes.Contains(data, []byte(end)) {
			data = bytes.ReplaceAll(data, []byte(end), []byte{'\n'})
		}
	}
	return data
}

// check returns an error if one of the counts so far exceeds its limit.
func (s *scanner) check() error {
	switch {
	case s.deepest > depthMost:
		return errDepth
	case s.marks > marksAll:
		return errMarks
	case s.tokens > tokensAll:
		return errMany
	case s.tokens > tokensFree+s.bytes/tokenBytes, s.rules > itemsFree+s.bytes/itemBytes:
		return errDense
	case s.most > tokensOne:
		return errRule
	}
	return nil
}

func (s *scanner) count() {
	s.tokens++
	s.inRule++
	s.most = max(s.most, s.inRule)
}

func (s *scanner) beginRule() {
	s.rules++
	s.inRule = 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// readLine counts the tokens of a line.
func (s *scanner) readLine(line []byte) {
	at := 0
	for at < len(line) && isSpace(line[at]) {
		at++
	}
	if at == len(line) {
		return
	}
	if s.depth == 0 {
		if s.block >= 0 && at > s.block {
			return // the line belongs to a block text
		}
		s.block = -1
		if at <= s.indent { // a quoted or unquoted text has ended before this line
			s.quote, s.plain = 0, false
		}
	}
	if at == 0 && s.depth == 0 && bytes.HasPrefix(line, []byte("---")) && (len(line) == 3 || isSpace(line[3])) {
		at, s.indent = 3, 0 // a document begins
	}
	begins := !s.plain // a value may begin here
	begin := at        // start of the last value
	for at < len(line) {
		c := line[at]
		if s.quote != 0 {
			at = s.skipQuoted(line, at)
			continue
		}
		if isSpace(c) {
			at++
			continue
		}
		spaced := at+1 == len(line) || isSpace(line[at+1])
		flow := s.depth > 0
		switch {
		case c == '#' && (at == 0 || isSpace(line[at-1])):
			s.plain = false
			return
		case begins && c == '-' && spaced && !flow:
			s.count()
			s.indent = at
			if s.outer < 0 || at <= s.outer {
				s.outer = at
				s.beginRule()
			}
		case begins && (c == '|' || c == '>') && !flow:
			s.count()
			s.block, s.plain = s.indent, false
			return
		case begins && (c == '"' || c == '\''):
			s.count()
			s.quote, begin, begins, s.plain = c, at, false, false
		case begins && (c == '&' || c == '!' || c == '*'):
			s.count()
			s.marks++
			start := at + 1
			for at+1 < len(line) && !isSpace(line[at+1]) && (c == '!' || strings.IndexByte("[]{},", line[at+1]) < 0) {
				if at++; strings.IndexByte("[]{},", line[at]) >= 0 { // allowed in a tag
					s.count()
				}
			}
			if c == '*' && s.alias == "" {
				s.alias, s.aliasLine = string(line[start:min(at+1, start+maxName)]), s.line
			}
		case (begins || flow) && (c == '[' || c == '{'):
			s.count()
			s.depth++
			s.deepest = max(s.deepest, s.depth)
			if c == '{' {
				s.beginRule()
			}
			begins, s.plain = true, false
		case flow && (c == ']' || c == '}'):
			s.depth--
			begins, s.plain = false, false
		case flow && c == ',':
			s.count()
			begins, s.plain = true, false
		case c == ':' && (spaced || flow && (!s.plain || strings.IndexByte(",[]{}", line[at+1]) >= 0)), begins && c == '?' && spaced:
			s.count()
			if !flow {
				s.indent = min(begin, at)
			}
			begins, s.plain = true, false
		case begins:
			s.count()
			begin, begins, s.plain = at, false, true
		}
		at++
	}
}

// skipQuoted returns the index after the quoted text at line[at]. If the text does
// not end on this line, the result is len(line).
func (s *scanner) skipQuoted(line []byte, at int) int {
	for ; at < len(line); at++ {
		switch c := line[at]; {
		case c == '\\' && s.quote == '"':
			at++
		case c == '\'' && s.quote == c && at+1 < len(line) && line[at+1] == c:
			at++
		case c == s.quote:
			s.quote = 0
			return at + 1
		}
	}
	return len(line)
}
