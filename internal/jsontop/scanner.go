package jsontop

// Scanner recognises a JSON object that is written over several lines. It accepts
// what [Object] accepts. The zero value is ready for the first line. It is not safe
// for concurrent use.
type Scanner struct {
	closing []byte // the closing bytes of all open objects and arrays
	next    token
}

// Progress says how much of a JSON object has been read.
type Progress uint8

// These are the values of [Progress].
const (
	Broken   Progress = iota // the lines do not begin an object
	Open                     // the lines begin an object that is not closed yet
	Complete                 // the lines are an object
)

// token is what may come next in an object.
type token uint8

const (
	atStart token = iota // the opening brace
	keyOrEnd
	key
	colon
	valueOrEnd
	anyValue
	commaOrEnd
	atEnd // nothing: the object is closed
)

// Reset makes the scanner ready for the first line of another object.
func (s *Scanner) Reset() { s.closing, s.next = s.closing[:0], atStart }

// Add reads the next line of the object. Each string, number and literal must end on
// the line on which it begins. If Add returns Broken, call Reset before the next
// Add.
func (s *Scanner) Add(line []byte) Progress {
	for i := space(line, 0); i < len(line); i = space(line, i) {
		if i = s.token(line, i); i < 0 {
			return Broken
		}
	}
	if s.next == atEnd {
		return Complete
	}
	return Open
}

// token reads the token at index i. It returns the index after the token, or -1 if
// the token is invalid.
func (s *Scanner) token(d []byte, i int) int {
	c := d[i]
	switch s.next {
	case atStart:
		if c == '{' {
			return s.open(i, '}', keyOrEnd)
		}
		return -1
	case keyOrEnd, key:
		switch {
		case c == '"':
			s.next = colon
			end, _ := text(d, i+1)
			return end
		case c == '}' && s.next == keyOrEnd:
			return s.close(i)
		}
		return -1
	case colon:
		if c != ':' {
			return -1
		}
		s.next = anyValue
		return i + 1
	case valueOrEnd, anyValue:
		switch {
		case c == '{':
			return s.open(i, '}', keyOrEnd)
		case c == '[':
			return s.open(i, ']', valueOrEnd)
		case c == ']' && s.next == valueOrEnd:
			return s.close(i)
		}
		s.next = commaOrEnd
		return value(d, i, 0)
	case commaOrEnd:
		last := s.closing[len(s.closing)-1]
		switch {
		case c == last:
			return s.close(i)
		case c != ',':
			return -1
		case last == '}':
			s.next = key
		default:
			s.next = anyValue
		}
		return i + 1
	default: // bytes after the object
		return -1
	}
}

func (s *Scanner) open(i int, closing byte, next token) int {
	if len(s.closing) == maxDepth {
		return -1
	}
	s.closing, s.next = append(s.closing, closing), next
	return i + 1
}

func (s *Scanner) close(i int) int {
	s.closing, s.next = s.closing[:len(s.closing)-1], commaOrEnd
	if len(s.closing) == 0 {
		s.next = atEnd
	}
	return i + 1
}
