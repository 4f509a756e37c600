package form

import "strings"

// Rewriting finds the substrings of a text that must be replaced. For each
// text[start:end], it calls visit with the replacement. It goes from left to right.
// The substrings do not overlap.
type Rewriting func(text string, visit func(start, end int, replacement string))

// splicer builds the rewritten text. If nothing is replaced, it allocates nothing.
type splicer struct {
	text string
	b    strings.Builder
	done int // index up to which text is copied
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

// original maps place, an index in the rewritten text, to an index in text.
func (r Rewriting) original(text string, place int) int {
	shift, found := 0, false // shift is the number of bytes removed before place
	r(text, func(start, end int, replacement string) {
		switch at := start - shift; {
		case found || place < at:
			found = true
		case place < at+len(replacement):
			place, found = at, true
		default:
			shift += end - start - len(replacement)
		}
	})
	return place + shift
}

// View is one form of a text that rules read, such as the text with its lines
// joined. The function Source maps an index in Text to an index in the original
// text.
type View struct {
	Text   string
	Source func(place int) int
}

// Cut returns a view of only v.Text[from:to].
func (v View) Cut(from, to int) View {
	return View{v.Text[from:to], func(place int) int { return v.Source(from + place) }}
}

// Rewritten applies r to v.Text and returns a view of the result.
func (v View) Rewritten(r Rewriting) View {
	s := splicer{text: v.Text}
	r(v.Text, s.replace)
	text, _ := s.result()
	return View{text, func(place int) int { return v.Source(r.original(v.Text, place)) }}
}
