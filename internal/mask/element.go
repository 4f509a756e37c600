package mask

import "strings"

// tag is the start tag of an element of XML or HTML.
type tag struct {
	from int  // index after the angle bracket, or 0
	open byte // first byte of this bracket, one of spelledOpen
}

const (
	tagBytes = 512 // maximum length of a start tag
	// spelledOpen has the first bytes of < &lt; \u003c and %3C.
	spelledOpen = `<&\%`
	spellings   = len(spelledOpen)
	// cdata and cdataEnd surround text that needs no escapes.
	cdata, cdataEnd = "<![CDATA[", "]]>"
)

// controls are elements of HTML. The attribute name of such an element names what a
// user enters, and the content is a label.
var controls = set("a input button select textarea form label meta iframe map object slot fieldset output option")

// angle returns the length of the angle bracket c at the beginning of text, or 0. The
// bracket can be escaped, as in &gt; \u003e and %3E.
func angle(text string, c byte) int {
	if text == "" {
		return 0
	}
	switch text[0] {
	case c:
		return 1
	case '&':
		if c == '<' && strings.HasPrefix(text, "&lt;") || c == '>' && strings.HasPrefix(text, "&gt;") {
			return len("&lt;")
		}
	case '\\', '%':
		if n := escape(text); escaped(text[:n]) == c {
			return n
		}
	}
	return 0
}

// element masks the content of an element if the element is named like a secret. The
// start tag ends with the bracket s.text[i:content]. These elements have such a name:
//   - <password>, also with a namespace and with attributes,
//   - <entry key="password"> and <env name="DB_PASSWORD">,
//   - the <value> after <name>password</name>.
func (s *scanner) element(i, content int) {
	t := s.tag
	s.tag = tag{}
	if t.from == 0 || i <= t.from || i-t.from > tagBytes || s.text[i-1] == '/' {
		return
	}
	to := t.from
	for to < i && to-t.from < nameBytes && (class[s.text[to]]&(wordly|dot|nonASCII) != 0 || s.text[to] == ':') {
		to++
	}
	if to == t.from || to < i && !hasAttribute(s.text[to:i]) {
		return
	}
	from := t.from + strings.LastIndexByte(s.text[t.from:to], ':') + 1
	words := newName(s.text[from:to])
	words.skipFillers(false)
	vc := valueContext{kind: words.kind(), assign: true, quoted: true}
	vc.card = vc.kind == code && words.isCard()
	switch {
	case vc.kind > weak:
	case s.lastNamed > to && !controls[lowerWord(words.words[0])]:
		vc.kind, vc.word = s.lastKind, true
	case s.lastNamed > 0 && t.from-s.lastNamed < maxGap && (words.words[0] == "value" || words.words[0] == "string"):
		vc.kind = s.lastKind
	case vc.kind == nothing || words.words[0] == "key":
		s.named(words, content, false)
	}
	if vc.kind != nothing {
		s.content(vc, content, t.open)
	}
}

// hasAttribute reports whether text, the rest of a start tag, has an attribute.
func hasAttribute(text string) bool {
	at := strings.IndexByte(text, '=')
	return at > 0 && at+1 < len(text) && (class[text[0]]&space != 0 || text[0] == '\\') && opens(text[at+1:]).n > 0
}

// content masks the content of an element at i if it is a secret.
func (s *scanner) content(vc valueContext, i int, open byte) {
	at, below := s.skipGap(i)
	if below {
		i = at
	}
	end := s.contentEnd(i, open)
	if strings.HasPrefix(s.text[i:], cdata) {
		i += len(cdata)
		end = min(len(s.text), i+tagBytes)
		if n := strings.Index(s.text[i:end], cdataEnd); n >= 0 {
			end = i + n
		}
	} else if after, _ := s.skipGap(end); below && angle(s.text[after:], '<') == 0 { // <password>, then text
		return
	}
	v := s.text[i:end]
	if vc.word && strings.IndexByte(head(v), ' ') >= 0 && vc.kind != header {
		return
	}
	if vc.kind == header && v != "" || vc.secret(v) {
		s.add(i, end)
	}
}

// contentEnd returns the end of the content at i. open is the first byte of the bracket
// before the start tag.
func (s *scanner) contentEnd(i int, open byte) int {
	e := &s.contents[strings.IndexByte(spelledOpen, open)]
	if end, ok := e.known(i); ok {
		return end
	}
	j := i
	for j < len(s.text) && !s.endsContent(j, open) {
		j++
	}
	return e.keep(i, j)
}

func (s *scanner) endsContent(i int, open byte) bool {
	switch c := s.text[i]; {
	case c == '\n', c == '<', c == open && angle(s.text[i:], '<') > 0:
		return true
	case open == '\\': // in a string
		return c == '"' && s.text[i-1] != '\\' || c == '\\' && lineBreak(s.text[i:]) != ""
	}
	return open == '%' && class[s.text[i]]&(space|stop) != 0
}
