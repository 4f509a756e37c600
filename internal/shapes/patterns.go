package shapes

import (
	"math/bits"
	"strings"
)

// patterns is a table of patterns. The first pattern that matches a line is used. To
// exclude most patterns, one byte of the line is enough:
//   - For each byte, starts has the patterns that can match a line with this first byte.
//   - For each verb, leads has the patterns that begin with this verb. These patterns are
//     indexed by the byte that can follow the text of the verb.
type patterns struct {
	all    []pattern
	starts byteSets // by the first byte of the line
	leads  [len(leadVerbs)]struct {
		rows  uint32   // the patterns that begin with this verb
		next  byteSets // by the byte after the text that the verb matches
		plain byteSets // by the first byte after this text that is not a space or a tab
	}
}

// byteSets has, for each byte, the patterns that can match: bit i means pattern i.
type byteSets [256]uint32

func newPatterns(n int, row func(i int) pattern) *patterns {
	p := &patterns{all: make([]pattern, n)}
	for i := range p.all {
		row := row(i)
		p.all[i] = row
		p.starts.add(i, row)
		if row[0] != '%' {
			continue
		}
		if k := strings.IndexByte(leadVerbs, row[1]); k >= 0 {
			l := &p.leads[k]
			l.rows |= 1 << i
			l.next.add(i, row[2:])
			l.plain.add(i, row[2:].withoutSpace())
		}
	}
	return p
}

// add adds pattern i to the sets of all bytes with which p can begin.
func (s *byteSets) add(i int, p pattern) {
	for c := range s {
		if p.mayStart(byte(c)) {
			s[c] |= 1 << i
		}
	}
}

// match returns the index of the first pattern that matches line, or -1.
func (p *patterns) match(line []byte, l *lead) (int, matched) {
	if len(line) == 0 {
		return -1, matched{}
	}
	set := p.starts[line[0]]
	for k := range p.leads {
		verb := &p.leads[k]
		if set&verb.rows == 0 || line[0] == '\x1b' {
			continue
		}
		end := l.find(k, line)
		if end < 0 {
			set &^= verb.rows
		} else if end < len(line) {
			plain := end
			for plain < len(line)-1 && isSpace(line[plain]) {
				plain++
			}
			set &^= verb.rows &^ (verb.next[line[end]] & verb.plain[line[plain]])
		}
	}
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros32(set)
		if m, ok := p.all[i].match(line, l); ok {
			return i, m
		}
	}
	return -1, matched{}
}

// mayStart returns false if p matches no text that begins with c.
func (p pattern) mayStart(c byte) bool {
	switch {
	case c == '\x1b' || p == "": // colours are skipped
		return true
	case p[0] != '%':
		return c == p[0]
	}
	switch p[1] {
	case 'T', 't', 'd', 'p':
		return isDigit(c)
	case 'l':
		return isLetter(c)
	case 'L':
		return 'A' <= c && c <= 'Z'
	case 'k':
		return strings.IndexByte("IWEF", c) >= 0
	case 'w':
		return isWord(c)
	case 'n':
		return keyByte(c)
	case 's':
		return c == 's'
	case 'b':
		return strings.IndexByte("JFMASOND", c) >= 0
	case '_':
		return isSpace(c)
	default:
		return true
	}
}

// withoutSpace returns p without the spaces and tabs at its start.
func (p pattern) withoutSpace() pattern {
	for {
		switch {
		case p != "" && isSpace(p[0]):
			p = p[1:]
		case strings.HasPrefix(string(p), "%_"):
			p = p[2:]
		default:
			return p
		}
	}
}

// leadVerbs has each verb, such as the T of %T, with which more than one pattern of a
// table begins.
const leadVerbs = "TtwlL"

const (
	leadDateTime = iota
	leadTime
	leadWord
	leadLevel
	leadUpperLevel
)

// lead caches how much text each verb of leadVerbs matches. The zero value is
// empty.
type lead struct {
	read     uint8               // bit k is set if ends[k] is valid
	ends     [len(leadVerbs)]int // the index after the text that the verb matches, or -1
	severity Severity            // the severity of the level that %l or %L matches
}

// find returns the index after the text that leadVerbs[k] matches, or -1.
func (l *lead) find(k int, line []byte) int {
	if l.read&(1<<k) == 0 {
		l.read |= 1 << k
		switch k {
		case leadDateTime:
			l.ends[k] = afterDate(line, l.find(leadTime, line))
		case leadTime:
			l.ends[k] = timeWord(line, 0)
		case leadWord:
			l.ends[k] = run(line, 0, isWord)
		default:
			var s Severity
			if l.ends[k], s = levelName(line, 0, k == leadUpperLevel); s != Unknown {
				l.severity = s
			}
		}
	}
	return l.ends[k]
}

// level returns the index after the level at the start of line, and the severity.
// If there is no level, the index is -1.
func (l *lead) level(upper bool, line []byte) (int, Severity) {
	k := leadLevel
	if upper {
		k = leadUpperLevel
	}
	end := l.find(k, line)
	if end < 0 {
		return -1, Unknown
	}
	return end, l.severity
}
