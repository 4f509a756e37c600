package form

import "strings"

// Rewriting visits the substrings of text that must be replaced. The visitor also
// gets the replacement. The order is from left to right. The substrings do not
// overlap.
type Rewriting func(text string, visit func(start, end int, replacement string))

// splicer builds the rewritten text. If nothing is replaced, it allocates nothing.
type splicer struct {
	text string
	b    strings.Builder
	done int // end of the text that was copied
}

func (s *splicer) replace(start, end int, replacement string) {
	if s.done == 0 {
		s.b.Grow(len(s.text))
	}
	s.b.WriteString(s.text[s.done:start])
	s.b.WriteString(replacement)
	s.done = end
}

// result returns the rewritten text. changed is false if nothing was replaced.
func (s *splicer) result() (text string, changed bool) {
	if s.done == 0 {
		return s.text, false
	}
	s.b.WriteString(s.text[s.done:])
	return s.b.String(), true
}

// original converts an index in the rewritten text to the index in text.
func (r Rewriting) original(text string, index int) int {
	shift, found := 0, false // shift is the number of bytes removed so far
	r(text, func(start, end int, replacement string) {
		switch at := start - shift; {
		case found || index < at:
			found = true
		case index < at+len(replacement):
			index, found = at, true
		default:
			shift += end - start - len(replacement)
		}
	})
	return index + shift
}

// View is a rewritten text, for example with joined lines. The function Source
// converts an index in Text to an index in the original text.
type View struct {
	Text   string
	Source func(index int) int
}

// Cut returns the [View] with the text v.Text[start:end].
func (v View) Cut(start, end int) View {
	return View{v.Text[start:end], func(index int) int { return v.Source(start + index) }}
}

// Rewritten returns the [View] with the text that r makes of v.Text.
func (v View) Rewritten(r Rewriting) View {
	s := splicer{text: v.Text}
	r(v.Text, s.replace)
	text, _ := s.result()
	return View{text, func(index int) int { return v.Source(r.original(v.Text, index)) }}
}
