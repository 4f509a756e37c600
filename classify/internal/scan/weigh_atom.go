package scan

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// atom reads the operand of a quantifier such as *: a rune, a class, a group or an
// escape.
func (w *weigher) atom() part {
	c := w.expr[w.at]
	switch c {
	case '(':
		return w.group()
	case '[':
		return w.class()
	case '\\':
		return w.escape()
	case '.':
		w.at++
		return part{steps: weightWide, worst: weightWide, first: anyByte, class: true, broad: true}
	case '^', '$':
		w.at++
		return assertion
	}
	return w.rune()
}

var assertion = part{steps: weightAssert, worst: weightAssert, empty: true, asserts: true}

// rune reads a literal rune.
func (w *weigher) rune() part {
	c := w.expr[w.at]
	if c >= utf8.RuneSelf {
		_, size := utf8.DecodeRuneInString(w.expr[w.at:])
		w.at += size
		return part{steps: weightRune, worst: weightRune, first: setOf(c), class: true, literal: true}
	}
	w.at++
	steps := weightByte + int(foldedWeights[c])
	return part{steps: steps, worst: steps, first: setOf(c), class: true, literal: true}
}

func (w *weigher) group() part {
	w.at++
	if strings.HasPrefix(w.expr[w.at:], "?") { // flags, or a name
		begin := w.at
		for w.at < len(w.expr) && strings.IndexByte(":>)", w.expr[w.at]) < 0 {
			w.at++
		}
		w.exact = w.exact || strings.Contains(w.expr[begin:w.at], "-")
		if w.at < len(w.expr) && w.expr[w.at] != ')' {
			w.at++
		}
	}
	if w.depth++; w.depth > mostDepth {
		w.at = len(w.expr)
		return part{}
	}
	all := w.alternatives()
	w.depth--
	if w.at < len(w.expr) {
		w.at++
	}
	return all
}

// escapes has the estimates for escapes that are classes, by the letter after the
// backslash.
var escapes = [256]part{
	'd': {steps: weightClass + 10*weightMember, first: digits, class: true},
	'w': {steps: 4*weightRange + 37*weightMember, first: anyByte, class: true, broad: true},
	's': {steps: weightClass + 3*weightRange, first: setOf(' ') | setOf('\t') | setOf('\n') | setOf('\f') | setOf('\r'), class: true},
	'D': {steps: weightWide, first: anyByte, class: true, broad: true},
	'S': {steps: weightWide, first: anyByte, class: true, broad: true},
	'W': {steps: 2 * weightWide, first: anyByte, class: true},
}

const digits byteSet = (1<<10 - 1) << '0'

func (w *weigher) escape() part {
	if w.at++; w.at == len(w.expr) {
		return part{}
	}
	c := w.expr[w.at]
	if h := escapes[c]; h.class {
		w.at++
		h.worst = h.steps
		return h
	}
	switch c {
	case 'b', 'B', 'A', 'z':
		w.at++
		return assertion
	case 'p', 'P':
		steps := w.named()
		return part{steps: steps, worst: steps, first: anyByte, class: true, broad: true}
	case 'Q':
		return w.quoted()
	}
	w.at--
	r, size := runeAt(w.expr[w.at:])
	w.at += size
	steps, first := weightRune, anyByte
	if r < utf8.RuneSelf {
		steps, first = weightByte+int(foldedWeights[byte(r)]), setOf(byte(r))
	}
	return part{steps: steps, worst: steps, first: first, class: true, literal: true}
}

// quoted reads the text between \Q and \E.
func (w *weigher) quoted() part {
	text, _, closed := strings.Cut(w.expr[w.at+1:], `\E`)
	w.at += 1 + len(text)
	if closed {
		w.at += 2
	}
	steps := weightRune * len(text)
	return part{steps: steps, worst: steps, first: anyByte, empty: text == ""}
}

// named reads the name of a Unicode class after \p. It returns the estimated steps
// for the class.
func (w *weigher) named() int {
	w.at++
	name := ""
	if w.at < len(w.expr) && w.expr[w.at] == '{' {
		name, _, _ = strings.Cut(w.expr[w.at+1:min(len(w.expr), w.at+40)], "}")
		w.at += len(name) + 2
	} else if w.at < len(w.expr) {
		name = w.expr[w.at : w.at+1]
		w.at++
	}
	w.at = min(w.at, len(w.expr))
	name = strings.TrimPrefix(name, "^")
	t := unicode.Categories[name]
	if t == nil {
		t = unicode.Scripts[name]
	}
	w.read += tableSteps
	if t == nil {
		return weightNamed
	}
	return weightNamed + weightTable*(len(t.R16)+len(t.R32))
}

// class reads a class in brackets.
func (w *weigher) class() part {
	w.at++
	begin := w.at
	h := part{steps: weightClass, class: true}
	negated := w.at < len(w.expr) && w.expr[w.at] == '^'
	if negated {
		w.at++
	}
	for first := true; w.at < len(w.expr) && (first || w.expr[w.at] != ']'); first = false {
		w.member(&h)
	}
	w.read += weightRead * (w.at - begin)
	if w.at < len(w.expr) {
		w.at++
	}
	if negated {
		h.steps, h.first, h.broad = bounded(h.steps+weightWide), anyByte, true
	}
	h.worst = h.steps
	return h
}

// Package syntax takes about tableSteps steps to parse a named class. For a range,
// it takes one step for each rune below maxFold.
const (
	tableSteps = 2500
	maxFold    = 0x1e944 // greater than every rune that has another case
)

// member reads one member of a class: a rune, a range or a named class.
func (w *weigher) member(h *part) {
	rest := w.expr[w.at:]
	if strings.HasPrefix(rest, "[:") {
		if end := strings.Index(rest[:min(len(rest), 16)], ":]"); end > 0 {
			w.at += end + 2
			h.steps += weightWide
			h.first, h.broad = anyByte, true
			w.restOfRange(0, h)
			return
		}
	}
	if rest[0] == '\\' && len(rest) > 1 {
		if rest[1]|0x20 == 'p' {
			w.at++
			h.steps = bounded(h.steps + w.named())
			h.first, h.broad = anyByte, true
			w.restOfRange(0, h)
			return
		}
		if e := &escapes[rest[1]]; e.class {
			w.at += 2
			h.steps += e.steps
			h.first |= e.first
			h.broad = h.broad || e.broad
			w.restOfRange(0, h)
			return
		}
	}
	r, size := runeAt(rest)
	w.at += size
	if !w.restOfRange(r, h) {
		w.addRange(r, r, h)
	}
}

// restOfRange reads the rest of a range after the first rune. It returns false if
// there is no range.
func (w *weigher) restOfRange(first rune, h *part) bool {
	rest := w.expr[w.at:]
	if len(rest) < 2 || rest[0] != '-' || rest[1] == ']' {
		return false
	}
	last, size := runeAt(rest[1:])
	w.at += 1 + size
	w.read += int(max(0, min(last, maxFold)-first))
	w.addRange(first, max(first, last), h)
	return true
}

// addRange adds the runes from first to last to the estimate of a class.
func (w *weigher) addRange(first, last rune, h *part) {
	if first == last {
		h.steps += weightByte
	} else {
		h.steps += weightRange + weightMember*int(min(last, utf8.RuneSelf)-min(first, utf8.RuneSelf))
	}
	if last >= utf8.RuneSelf {
		h.steps += 3 * weightRune
		h.first = anyByte
	}
	for c := max(first, 0); c <= last && c < utf8.RuneSelf; c++ {
		h.first |= setOf(byte(c))
		h.broad = h.broad || 'a' <= c && c <= 'z'
		if f := foldedWeights[byte(c)]; f > 0 {
			h.steps += int(f)
		}
	}
}

// runeAt reads a rune that may be escaped: \x{4e00}, \x41, \101 or \-. For other
// escaped letters, such as \n, it returns 0.
func runeAt(s string) (r rune, size int) {
	switch {
	case s == "":
		return 0, 0
	case s[0] != '\\' || len(s) == 1:
		return utf8.DecodeRuneInString(s)
	}
	digits, base := s[1:], 8
	begin, end := 1, 1
	switch {
	case strings.HasPrefix(digits, "x{"):
		begin, base = 3, 16
		if end = strings.IndexByte(s, '}'); end < 0 {
			end = len(s)
		}
		size = min(end+1, len(s))
	case digits[0] == 'x':
		begin, base = 2, 16
		end = min(4, len(s))
		size = end
	case '0' <= digits[0] && digits[0] <= '7':
		for end < min(4, len(s)) && '0' <= s[end] && s[end] <= '7' {
			end++
		}
		size = end
	default:
		r, size = utf8.DecodeRuneInString(digits)
		if unicode.IsLetter(r) {
			r = 0
		}
		return r, size + 1
	}
	n, err := strconv.ParseUint(s[min(begin, end):end], base, 32)
	if err != nil { // not a number, or too large: package syntax refuses the pattern
		return 0, size
	}
	return rune(min(n, unicode.MaxRune)), size
}
