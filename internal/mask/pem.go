package mask

import "strings"

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	pemDash  = "-----"
	pemLabel = 48 // maximum length of a label such as "RSA PRIVATE KEY"
)

// block masks the private key with a BEGIN or END line at i. One of these lines can
// be missing.
func (s *scanner) block(i int) {
	text := s.text[i:]
	begin := strings.HasPrefix(text, pemBegin)
	if !begin && !strings.HasPrefix(text, pemEnd) {
		return
	}
	label := text[len(pemEnd):min(len(text), len(pemBegin)+pemLabel)]
	if j := strings.Index(label, pemDash); j >= 0 {
		label = label[:j]
	}
	secret := strings.Contains(label, "PRIVATE")
	if _, ok := s.privateKey.known(i); ok {
		return
	}
	if !begin {
		if from := s.cutBlock(i); secret {
			s.add(from, s.endOfBlock(i))
		}
		return
	}
	if !secret {
		return
	}
	end := len(s.text)
	if j := strings.Index(text, pemEnd); j >= 0 {
		end = s.endOfBlock(i + j)
	}
	s.privateKey.keep(i, end)
	s.add(i, end)
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
