package mask

import "strings"

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	pemDash  = "-----"
	pemLabel = 48 // maximum length of a label such as "RSA PRIVATE KEY"
)

// block masks the private key with a BEGIN or END line at i. One of these lines can
// be missing. A text about these lines, without a key, stays.
func (s *scanner) block(i int) {
	text := s.text[i:]
	begin := strings.HasPrefix(text, pemBegin)
	if !begin && !strings.HasPrefix(text, pemEnd) {
		return
	}
	if _, ok := s.privateKey.known(i); ok {
		return
	}
	label, isPrivate := pemLabelOf(text)
	switch {
	case !begin:
		if from := s.cutBlock(i); isPrivate && from < i {
			s.add(from, s.endOfBlock(i))
		}
	case isPrivate:
		body := min(len(s.text), i+len(pemBegin)+len(label)+len(pemDash))
		if end := s.keyBlock(body); end > body {
			s.privateKey.keep(i, end)
			s.add(i, end)
		}
	}
}

// pemLabelOf returns the label of the BEGIN or END line with which text begins, and
// whether it is the label of a private key.
func pemLabelOf(text string) (label string, isPrivate bool) {
	begin := pemBegin
	if strings.HasPrefix(text, pemEnd) {
		begin = pemEnd
	}
	label, _, _ = strings.Cut(text[len(begin):min(len(text), len(begin)+pemLabel)], pemDash)
	return label, strings.Contains(label, "PRIVATE")
}

// keyBlock returns the end of the private key at i, after a BEGIN line. Without a key, it
// returns i. The key ends with the END line. If that is missing, the key ends before the
// first text that is neither base64 nor a header.
func (s *scanner) keyBlock(i int) int {
	key := s.keyText(i)
	rest := s.text[i:]
	if next := strings.Index(rest, pemBegin); next >= 0 {
		rest = rest[:next]
	}
	end := strings.Index(rest, pemEnd)
	if end < 0 {
		return key
	}
	if _, isPrivate := pemLabelOf(rest[end:]); isPrivate && (key > i || hasKeyWord(rest[:end]) || s.cutBlock(i+end) == i) {
		return s.endOfBlock(i + end)
	}
	return key
}

// keyText returns the end of the base64 and the headers at i. Without base64, it returns
// i.
func (s *scanner) keyText(i int) int {
	end := i
	for at, fresh := i, false; at < len(s.text); {
		if n := gap(s.text[at:]); n > 0 {
			fresh = fresh || s.text[at] != ' '
			at += n
			continue
		}
		to := at
		for to < len(s.text) && isKeyByte(s.text[to]) {
			to++
		}
		switch word := s.text[at:to]; {
		case len(word) >= keyWord, fresh && s.endsLine(to) && !plainWord(word):
			at, end = to, to
		case fresh && pemHeaders[s.headerName(at)]:
			at = s.shortLine(at)
		default:
			last := s.lastWord(at)
			if len(s.text)-last < longKeyWord || !all(s.text[last:last+longKeyWord], alnum|base64) {
				return end
			}
			at = last // after the prefix of a log line
		}
		fresh = false
	}
	return end
}

const (
	keyWord     = 16  // minimum length of base64 that shares a line with other text
	longKeyWord = 40  // the same, if the other text is before it
	keyLine     = 160 // maximum length of a header or of a line with a prefix
)

// pemHeaders are the names of the headers in a private key.
var pemHeaders = set("Proc-Type: DEK-Info: Key-Info: Content-Domain: Comment: Version: Charset: Hash: MessageID:")

// headerName returns the name of the header at i, with the colon.
func (s *scanner) headerName(i int) string {
	name, _, _ := strings.Cut(s.text[i:min(len(s.text), i+longestWord)], " ")
	return name
}

// shortLine returns the end of the line at i, or of its first keyLine bytes.
func (s *scanner) shortLine(i int) int {
	end := i
	for end < len(s.text) && end-i < keyLine && lineBreak(s.text[end:]) == "" {
		end++
	}
	return end
}

// lastWord returns the start of the last word of the line at i.
func (s *scanner) lastWord(i int) int {
	end := s.shortLine(i)
	return i + strings.LastIndexByte(s.text[i:end], ' ') + 1
}

// isKeyByte reports whether c can be part of a private key in base64.
func isKeyByte(c byte) bool { return class[c]&(alnum|base64) != 0 || c == '=' }

// plainWord reports whether word looks like a word or a number, and not like base64. MII
// begins most keys.
func plainWord(word string) bool {
	return len(word) < 2 || !strings.HasPrefix(word, "MII") && all(word, upper|digit) || all(word[1:], lower) && all(word[:1], lower|upper)
}

// hasKeyWord reports whether text has a long word of base64.
func hasKeyWord(text string) bool {
	n := 0
	for i := range len(text) {
		if n++; !isKeyByte(text[i]) {
			n = 0
		} else if n == keyWord {
			return true
		}
	}
	return false
}

// gap returns the length of the space, tab or line break at the beginning of text, or 0.
func gap(text string) int {
	if text[0] == ' ' || text[0] == '\t' {
		return 1
	}
	return len(lineBreak(text))
}

// publicBlock returns the end of the PEM block at i. Without a block, or for a
// private key, it returns i.
func (s *scanner) publicBlock(i int) int {
	text := s.text[i:]
	if !strings.HasPrefix(text, pemBegin) {
		return i
	}
	label, _, ok := strings.Cut(text[len(pemBegin):min(len(text), len(pemBegin)+pemLabel)], pemDash)
	if !ok || strings.Contains(label, "PRIVATE") {
		return i
	}
	body := len(pemBegin) + len(label) + len(pemDash)
	n := strings.Index(text[body:], pemDash)
	if n < 0 {
		return i
	}
	return i + body + n
}

// endOfBlock returns the end of the END line at i.
func (s *scanner) endOfBlock(i int) int {
	from := min(len(s.text), i+len(pemEnd))
	label := s.text[from:min(len(s.text), from+pemLabel)]
	if j := strings.Index(label, pemDash); j >= 0 {
		return from + j + len(pemDash)
	}
	return from
}

// cutBlock returns the start of the base64 text that ends at i. It is for a block
// without a BEGIN line.
func (s *scanner) cutBlock(i int) int {
	from := i
	for from > 0 {
		c := s.text[from-1]
		if class[c]&(alnum|base64) == 0 && c != '=' && c != '\n' && c != '\r' && c != '\\' {
			break
		}
		from--
	}
	return from
}
