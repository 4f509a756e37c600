package form

import "strings"

// Rewriting finds the pieces of a text that the standard rules see in another
// form. It calls found for each, from left to right: text[start:end] reads as
// with. The pieces do not overlap.
type Rewriting func(text string, found func(start, end int, with string))

// splicer builds the other form of a text from what a rewriting finds. Handing
// its method to a rewriting costs no allocation where nothing is found.
type splicer struct {
	text string
	b    strings.Builder
	done int // how far text is copied
}

func (s *splicer) replace(start, end int, with string) {
	if s.done == 0 {
		s.b.Grow(len(s.text))
	}
	s.b.WriteString(s.text[s.done:start])
	s.b.WriteString(with)
	s.done = end
}

// result is the other form; changed is false where nothing was found.
func (s *splicer) result() (text string, changed bool) {
	if s.done == 0 {
		return s.text, false
	}
	s.b.WriteString(s.text[s.done:])
	return s.b.String(), true
}

// original maps a byte of the other form to the byte of text that it came from.
func (r Rewriting) original(text string, place int) int {
	shift, found := 0, false // shift is how many bytes the pieces before place lost
	r(text, func(start, end int, with string) {
		switch at := start - shift; {
		case found || place < at:
			found = true
		case place < at+len(with):
			place, found = at, true
		default:
			shift += end - start - len(with)
		}
	})
	return place + shift
}

// View is a text that a rule sees, and where its bytes stand in the source.
type View struct {
	Text   string
	Source func(place int) int
}

// Cut returns a part of the view.
func (v View) Cut(from, to int) View {
	return View{v.Text[from:to], func(place int) int { return v.Source(from + place) }}
}

// Rewritten returns the view in another form.
func (v View) Rewritten(r Rewriting) View {
	s := splicer{text: v.Text}
	r(v.Text, s.replace)
	text, _ := s.result()
	return View{text, func(place int) int { return v.Source(r.original(v.Text, place)) }}
}
