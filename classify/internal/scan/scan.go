package scan

import "regexp"

type Matcher struct{ re []*regexp.Regexp }

func Compile(exprs []string) (*Matcher, error) {
	m := &Matcher{}
	for i, e := range exprs {
		re, err := regexp.Compile("(?i)" + e)
		if err != nil {
			return nil, &PatternError{i, err}
		}
		m.re = append(m.re, re)
	}
	return m, nil
}
func (m *Matcher) Words() int { return (len(m.re) + 63) / 64 }
func (m *Matcher) Match(set []uint64, text string) {
	for i, re := range m.re {
		if re.MatchString(text) {
			set[i/64] |= 1 << (i % 64)
		}
	}
}

type PatternError struct {
	Index int
	Err   error
}

func (e *PatternError) Error() string { return e.Err.Error() }
