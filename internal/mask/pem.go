package mask

import "strings"

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	pemDash  = "-----"
	pemLabel = 48 // bytes at most
)

// block looks at the dashes of a PEM block at i. A private key is masked from its
// beginning to its end, as far as the text has them: what was cut out of a longer
// text may have one of them alone.
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
	if _, ok := s.armour.known(i); ok {
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
	s.armour.keep(i, end)
	s.add(i, end)
}

// publicBlock returns where the lines of a PEM block end that begins at i and is
// no private key, or i.
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

// endOfBlock returns the end of the line that ends a block and begins at i.
func (s *scanner) endOfBlock(i int) int {
	from := min(len(s.text), i+len(pemEnd))
	label := s.text[from:min(len(s.text), from+pemLabel)]
	if j := strings.Index(label, pemDash); j >= 0 {
		return from + j + len(pemDash)
	}
	return from
}

// cutBlock returns where the lines of base64 before i begin, which lost their
// first line.
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
