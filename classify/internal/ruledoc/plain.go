package ruledoc

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/errclass/errclass/classify/internal/scan"
)

// yamlMost is the maximum size in bytes of a document for the YAML library. The
// library is slow and needs much memory.
const yamlMost = 512 << 10

// maxRules is the maximum number of rules in a document.
const maxRules = scan.MaxPatterns

var (
	errPlain = fmt.Errorf("only plain YAML is read in a file of more than %d bytes; write the rules as a list of id, reason and pattern, each text on one line, without anchors and tags", yamlMost)
	errRules = fmt.Errorf("more than %d rules; use fewer", maxRules)
)

// plainParser parses a subset of YAML that is enough for lists of rules:
//
//   - block lists and block maps
//   - lists and maps in brackets
//   - texts on one line, with or without quotes
//   - block texts after |
//
// If plainParser finds YAML that is not in this subset, it panics with giveUp. The YAML
// nodes of a rule are reused for the next rule.
type plainParser struct {
	text  string
	at    int
	line  int
	nodes []*[64]yaml.Node
	count int // number of nodes of the current rule
	rules []Rule
	check func(int, *Rule) error
}

// The methods of plainParser panic with giveUp if they find YAML that they do not
// support. They panic with fault if a rule is faulty. readPlain recovers from both.
type (
	giveUp struct{}
	fault  struct{ err error }
)

// readPlain reads a document with a plainParser. If the parser does not support the YAML
// of a line, the result line is the number of that line. Otherwise line is 0.
func readPlain(data []byte, check func(int, *Rule) error) (rules []Rule, line int, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	if at := firstOdd(data); at >= 0 {
		return nil, 1 + bytes.Count(data[:at], []byte("\n")), nil
	}
	p := plainParser{text: string(data), line: 1, check: check}
	p.rules = make([]Rule, 0, min(strings.Count(p.text, "id"), maxRules)) // an upper bound: every valid rule has an id
	defer func() {
		switch r := recover().(type) {
		case nil:
		case giveUp:
			rules, line, err = nil, p.line, nil
		case fault:
			rules, err = nil, r.err
		default:
			panic(r)
		}
	}()
	p.document()
	return p.rules, 0, nil
}

// firstOdd returns the offset of the first character that a plainParser refuses, or
// -1. Such a character is not printable, or is an unusual line end.
func firstOdd(data []byte) int {
	for at := 0; at < len(data); at++ {
		c := data[at]
		if ' ' <= c && c < 0x7f || c == '\n' {
			continue
		}
		r, size := utf8.DecodeRune(data[at:])
		if r < 0xa0 || r == utf8.RuneError || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff {
			return at
		}
		at += size - 1
	}
	return -1
}

// node returns a new node for the current rule.
func (p *plainParser) node(kind yaml.Kind, tag, value string) *yaml.Node {
	if p.count == tokensOne {
		panic(fault{&Error{p.line, errRule}})
	}
	chunk, i := p.count/len(p.nodes[0]), p.count%len(p.nodes[0])
	if chunk == len(p.nodes) {
		p.nodes = append(p.nodes, new([64]yaml.Node))
	}
	p.count++
	n := &p.nodes[chunk][i]
	*n = yaml.Node{Kind: kind, Tag: tag, Value: value, Line: p.line, Content: n.Content[:0]}
	return n
}

// scalar returns a new node for a text.
func (p *plainParser) scalar(value string) *yaml.Node { return p.node(yaml.ScalarNode, "!!str", value) }

// addRule converts a node to a rule, checks it and adds it to p.rules.
func (p *plainParser) addRule(n *yaml.Node) {
	if len(p.rules) == maxRules {
		panic(fault{&Error{n.Line, errRules}})
	}
	r, err := readRule(n)
	p.rules = append(p.rules, r)
	if err == nil {
		err = p.check(len(p.rules)-1, &p.rules[len(p.rules)-1])
	}
	if err != nil {
		panic(fault{err})
	}
	p.count = 0
}

// peek returns the next byte, or 0 at the end of the document.
func (p *plainParser) peek() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// expect reads the byte c. If the next byte is not c, expect panics with giveUp.
func (p *plainParser) expect(c byte) {
	if p.peek() != c {
		panic(giveUp{})
	}
	p.at++
}

func (p *plainParser) skipSpaces() {
	for p.peek() == ' ' {
		p.at++
	}
}

// skipComment moves to the end of the line.
func (p *plainParser) skipComment() {
	if end := strings.IndexByte(p.text[p.at:], '\n'); end >= 0 {
		p.at += end
	} else {
		p.at = len(p.text)
	}
}

// endLine reads the rest of a line. Only spaces and a comment are allowed there.
func (p *plainParser) endLine() {
	begin := p.at
	p.skipSpaces()
	switch p.peek() {
	case '#':
		if p.at == begin {
			panic(giveUp{})
		}
		p.skipComment()
	case 0, '\n':
	default:
		panic(giveUp{})
	}
	if p.peek() == '\n' {
		p.at++
		p.line++
	}
}

// nextLine skips blank lines and comments. It returns the indentation of the next
// line, or -1 at the end of the document.
func (p *plainParser) nextLine() (indent int) {
	for p.at < len(p.text) {
		begin := p.at
		p.skipSpaces()
		switch p.peek() {
		case '#':
			p.skipComment()
		case '\n':
			p.at++
			p.line++
		case 0:
			return -1
		default:
			return p.at - begin
		}
	}
	return -1
}

// dash reports whether an item of a block list begins at p.at.
func (p *plainParser) dash() bool {
	rest := p.text[p.at:]
	return rest != "" && rest[0] == '-' && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\n')
}

// key reads a key and its colon.
func (p *plainParser) key() string {
	begin := p.at
	for isName(p.peek()) {
		p.at++
	}
	name := p.text[begin:p.at]
	p.expect(':')
	if c := p.peek(); name == "" || c != ' ' && c != '\n' && c != 0 {
		panic(giveUp{})
	}
	return name
}

func isName(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' }

// document reads a map with the single key "rules".
func (p *plainParser) document() {
	p.nodes = append(p.nodes, new([64]yaml.Node))
	indent := p.nextLine()
	if indent == 0 && strings.HasPrefix(p.text[p.at:], "---") {
		p.at += len("---")
		p.endLine()
		indent = p.nextLine()
	}
	switch {
	case indent < 0:
		return
	case indent > 0:
		panic(giveUp{})
	case p.peek() == '{':
		p.bracketDocument()
	case p.key() != "rules":
		panic(giveUp{})
	default:
		p.skipSpaces()
		if p.peek() == '[' {
			p.bracketRules()
			p.endLine()
			break
		}
		p.endLine()
		if indent = p.nextLine(); indent >= 0 {
			p.blockRules(indent)
		}
	}
	if p.nextLine() >= 0 {
		panic(giveUp{})
	}
}

// blockRules reads a block list of rules.
func (p *plainParser) blockRules(indent int) {
	for at := indent; at == indent; {
		if !p.dash() {
			panic(giveUp{})
		}
		begin := p.at
		p.at++
		p.skipSpaces()
		switch p.peek() {
		case '{':
			n := p.bracket(indent)
			p.endLine()
			at = p.nextLine()
			p.addRule(n)
		case '\n', '#', 0:
			p.endLine()
			first := p.nextLine()
			if first <= indent {
				panic(giveUp{})
			}
			var n *yaml.Node
			n, at = p.blockMap(first)
			p.addRule(n)
		default:
			var n *yaml.Node
			n, at = p.blockMap(indent + p.at - begin)
			p.addRule(n)
		}
		if at > indent {
			panic(giveUp{})
		}
	}
}

// blockMap reads a block map. indent is the indentation of the keys. next is the
// indentation of the line after the map, or -1 at the end.
func (p *plainParser) blockMap(indent int) (n *yaml.Node, next int) {
	n = p.node(yaml.MappingNode, "", "")
	for {
		if p.dash() {
			panic(giveUp{})
		}
		k := p.scalar("")
		k.Value = p.key()
		var v *yaml.Node
		v, next = p.blockValue(indent)
		n.Content = append(n.Content, k, v)
		switch {
		case next < indent:
			return n, next
		case next > indent:
			panic(giveUp{})
		}
	}
}

// blockValue reads the value of a key in a block map. next is the indentation of the
// line after the value.
func (p *plainParser) blockValue(indent int) (v *yaml.Node, next int) {
	p.skipSpaces()
	switch p.peek() {
	case '\n', '#', 0:
		p.endLine()
		next = p.nextLine()
		if next < indent || !p.dash() {
			panic(giveUp{}) // no value, or a nested map
		}
		return p.blockTexts(next, indent)
	case '[', '{':
		v = p.bracket(indent)
		p.endLine()
	default:
		v = p.blockText(indent)
	}
	return v, p.nextLine()
}

// blockTexts reads a block list of texts. The list is the value of a key. indent is the
// indentation of the list. outer is the indentation of the key.
func (p *plainParser) blockTexts(indent, outer int) (n *yaml.Node, next int) {
	n = p.node(yaml.SequenceNode, "", "")
	for {
		p.at++
		if p.peek() != ' ' {
			panic(giveUp{})
		}
		p.skipSpaces()
		n.Content = append(n.Content, p.blockText(indent))
		next = p.nextLine()
		switch {
		case next == indent && p.dash():
		case next < indent || next == outer:
			return n, next
		default:
			panic(giveUp{})
		}
	}
}

// blockText reads a text on one line, or a block text of several lines after |.
func (p *plainParser) blockText(indent int) *yaml.Node {
	switch p.peek() {
	case '|':
		return p.literal(indent)
	case '"', '\'':
		n := p.scalar("")
		n.Value = p.quoted()
		p.endLine()
		return n
	}
	n := p.unquoted("")
	p.endLine()
	return n
}
