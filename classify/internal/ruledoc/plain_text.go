package ruledoc

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxBrackets is the maximum nesting of brackets for a plainParser.
const maxBrackets = 10

// bracketDocument reads a document that is a map in braces, such as JSON.
func (p *plainParser) bracketDocument() {
	p.at++
	p.skipLines(-1)
	if p.bracketKey() != "rules" {
		panic(giveUp{})
	}
	p.skipLines(-1)
	if p.peek() != '[' {
		panic(giveUp{})
	}
	p.bracketRules()
	p.skipLines(-1)
	p.expect('}')
	p.endLine()
}

// bracketRules reads a list of rules in brackets.
func (p *plainParser) bracketRules() {
	p.bracketItems(']', -1, func() { p.addRule(p.flow(-1, 1)) })
}

// bracket reads a list or a map in brackets. All lines must be indented by more than
// indent.
func (p *plainParser) bracket(indent int) *yaml.Node { return p.flow(indent, 1) }

func (p *plainParser) flow(indent, depth int) *yaml.Node {
	if depth > maxBrackets {
		panic(giveUp{})
	}
	switch p.peek() {
	case '[':
		n := p.node(yaml.SequenceNode, "", "")
		p.bracketItems(']', indent, func() { n.Content = append(n.Content, p.flow(indent, depth+1)) })
		return n
	case '{':
		n := p.node(yaml.MappingNode, "", "")
		p.bracketItems('}', indent, func() {
			k := p.scalar("")
			k.Value = p.bracketKey()
			p.skipLines(indent)
			n.Content = append(n.Content, k, p.flow(indent, depth+1))
		})
		return n
	case '"', '\'':
		n := p.scalar("")
		n.Value = p.quoted()
		return n
	}
	return p.unquoted(",[]{}:")
}

// bracketItems reads items in brackets, separated by commas. The function item reads
// each of them. end is the closing bracket.
func (p *plainParser) bracketItems(end byte, indent int, item func()) {
	p.at++
	for p.skipLines(indent); p.peek() != end; p.skipLines(indent) {
		item()
		if p.skipLines(indent); p.peek() != end {
			p.expect(',')
		}
	}
	p.at++
}

// bracketKey reads a key and the colon after it, in a map in braces.
func (p *plainParser) bracketKey() string {
	if c := p.peek(); c != '"' && c != '\'' {
		return p.key()
	}
	name := p.quoted()
	p.skipSpaces()
	p.expect(':')
	return name
}

// skipLines skips spaces, comments and line ends within brackets. New lines must be
// indented by more than indent.
func (p *plainParser) skipLines(indent int) {
	for {
		begin := p.at
		p.skipSpaces()
		switch c := p.peek(); {
		case c == '\n' || c == '#' && p.at > begin:
			p.endLine()
			if at := p.nextLine(); at <= indent || at == 0 && (strings.HasPrefix(p.text[p.at:], "---") || strings.HasPrefix(p.text[p.at:], "...")) {
				panic(giveUp{})
			}
		case c == '#' || c == 0:
			panic(giveUp{})
		default:
			return
		}
	}
}

// unquoted reads a text without quotes. The text ends at the end of the line, before a
// comment, or before any byte that the argument ends contains.
func (p *plainParser) unquoted(ends string) *yaml.Node {
	rest := p.text[p.at:]
	if !beginsUnquoted(rest) {
		panic(giveUp{})
	}
	end := 0
	for ; end < len(rest); end++ {
		c := rest[end]
		if c == '\n' || c == '#' && rest[end-1] == ' ' || strings.IndexByte(ends, c) >= 0 {
			break
		}
		if c == ':' && (end+1 == len(rest) || rest[end+1] == ' ' || rest[end+1] == '\n') {
			panic(giveUp{}) // the text may be a key
		}
	}
	if end < len(rest) && rest[end] == ':' {
		panic(giveUp{}) // YAML parsers differ on a colon in brackets
	}
	value := strings.TrimRight(rest[:end], " ")
	p.at += len(value)
	switch value {
	case "~", "null", "Null", "NULL":
		return p.node(yaml.ScalarNode, "!!null", value)
	}
	return p.scalar(value)
}

// beginsUnquoted reports whether s begins with a text without quotes. In doubtful
// cases it returns false.
func beginsUnquoted(s string) bool {
	switch {
	case s == "":
		return false
	case s[0] == '-':
		return len(s) > 1 && isName(s[1])
	}
	return isName(s[0]) || s[0] >= utf8.RuneSelf || strings.IndexByte(`/.\(^~$+<;`, s[0]) >= 0
}

// quoted reads a text in quotes and returns it without the quotes. The closing quote
// must be on the same line.
func (p *plainParser) quoted() string {
	quote := p.text[p.at]
	p.at++
	begin, escaped := p.at, false
	for {
		switch c := p.peek(); {
		case c == 0 || c == '\n':
			panic(giveUp{})
		case c == '\\' && quote == '"':
			escaped = true
			p.at++
			if p.peek() == '\n' || p.peek() == 0 {
				panic(giveUp{})
			}
		case c == quote && quote == '\'' && strings.HasPrefix(p.text[p.at+1:], "'"):
			escaped = true
			p.at++
		case c == quote:
			value := p.text[begin:p.at]
			p.at++
			switch {
			case !escaped:
			case quote == '\'':
				value = strings.ReplaceAll(value, "''", "'")
			default:
				value = unescape(value)
			}
			return value
		}
		p.at++
	}
}

// unescape replaces the escape sequences of a text in double quotes.
func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case '"', '\\', '/':
			b.WriteByte(s[i])
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		default:
			panic(giveUp{})
		}
	}
	return b.String()
}

// literal reads a block text that begins with |. The lines must be indented by more
// than outer.
func (p *plainParser) literal(outer int) *yaml.Node {
	n := p.scalar("")
	p.at++
	chomp := p.peek()
	if chomp == '-' || chomp == '+' {
		p.at++
	}
	p.endLine()
	indent, blank := -1, 0
	var b strings.Builder
	for p.at < len(p.text) {
		line, _, ended := strings.Cut(p.text[p.at:], "\n")
		if !ended {
			panic(giveUp{})
		}
		text := strings.TrimLeft(line, " ")
		lead := len(line) - len(text)
		switch {
		case text == "" && (indent < 0 && lead > 0 || lead > indent && indent >= 0):
			panic(giveUp{}) // the spaces may belong to the text
		case text == "":
			blank++
		case indent < 0 && lead <= outer:
			panic(giveUp{})
		case indent >= 0 && lead < indent:
			if lead > outer {
				panic(giveUp{})
			}
			return p.endLiteral(n, &b, chomp, blank)
		default:
			if indent < 0 {
				indent = lead
			} else {
				blank++
			}
			b.WriteString(strings.Repeat("\n", blank))
			b.WriteString(line[indent:])
			blank = 0
		}
		p.at += len(line) + 1
		p.line++
	}
	if indent < 0 {
		panic(giveUp{})
	}
	return p.endLiteral(n, &b, chomp, blank)
}

// endLiteral sets the value of n to the block text in b. chomp is the byte after |.
// blank is the number of blank lines at the end.
func (p *plainParser) endLiteral(n *yaml.Node, b *strings.Builder, chomp byte, blank int) *yaml.Node {
	switch chomp {
	case '-':
	case '+':
		b.WriteString(strings.Repeat("\n", blank+1))
	default:
		b.WriteByte('\n')
	}
	n.Value = b.String()
	return n
}
