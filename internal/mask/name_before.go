package mask

import "strings"

// nameBefore returns the name before the separator at i. If a quote or a bracket
// follows the name, quoted is true.
func (s *scanner) nameBefore(i int) (from, to int, quoted bool) {
	to = i
	for least := i - maxGap; to > 0 && to > least; {
		n := blankBefore(s.text[:to])
		if n == 0 {
			break
		}
		to -= n
	}
	for range 3 {
		if n := closes(s.text[:to]); n > 0 {
			to, quoted = to-n, true
		} else if strings.HasSuffix(s.text[:to], "[]") { // api_key[]=
			to -= 2
		} else if to > 1 && s.text[to-1] == ']' && (class[s.text[to-2]]&(quote|wordly) != 0) {
			to, quoted = to-1, true
		}
	}
	return s.nameFrom(to), to, quoted
}

// nameFrom returns the start of the name that ends at s.text[end]. Single spaces
// separate the words.
func (s *scanner) nameFrom(end int) int {
	from := end
	for least := end - nameBytes; from > 0 && from > least; from-- {
		c := s.text[from-1]
		if c >= 0x80 {
			n := unicodeLetter(s.text[:from])
			if n == 0 {
				break
			}
			from -= n - 1
			continue
		}
		if c == '\'' && s.elided(from-1, end) {
			continue
		}
		if class[c]&(wordly|dot) == 0 && c != '$' && c != ' ' || c == ' ' && from > 1 && s.text[from-2] == ' ' {
			break
		}
		if s.escapeEnds(from) || colourBefore(s.text[:from]) > 0 {
			break
		}
	}
	for from < end && s.text[from] == ' ' {
		from++
	}
	return from
}

// elisions are the shortened words before an apostrophe, as in l'utilisateur and
// dell'utente.
var elisions = set("d l dell")

// elided reports whether the apostrophe at i follows an elision, as in
// l'utilisateur. The name ends at s.text[end].
func (s *scanner) elided(i, end int) bool {
	const longest = 4 // bytes of an elision
	from := i
	for from > 0 && i-from <= longest && class[s.text[from-1]]&(wordly|nonASCII) != 0 {
		from--
	}
	return i+1 < end && class[s.text[i+1]]&(lower|upper|nonASCII) != 0 && elisions[lowerWord(s.text[from:i])]
}

// escapeEnds reports whether an escape sequence such as \n ends at i.
func (s *scanner) escapeEnds(i int) bool {
	if i >= 2 && s.text[i-2] == '\\' && strings.IndexByte("nrtbf", s.text[i-1]) >= 0 {
		return true
	}
	if i >= 3 && isHex(s.text[i-1]) && isHex(s.text[i-2]) {
		p := i - 3
		for p >= 2 && i-p < 8 && s.text[p] == '5' && s.text[p-1] == '2' {
			p -= 2
		}
		return s.text[p] == '%' || s.text[p] == 'x' && p > 0 && s.text[p-1] == '\\' ||
			i >= 6 && s.text[i-6] == '\\' && s.text[i-5] == 'u' && isHex(s.text[i-3]) && isHex(s.text[i-4])
	}
	return false
}
