package mask

import "strings"

// commandLine is the state of reading one command.
type commandLine struct {
	program  *program
	letters  uint64 // short options that were read: bit c&63 for the option c
	pending  byte   // form of an option that the next argument belongs to, or 0
	stdin    bool   // the program reads a secret from its standard input
	operands [mostOperands]value
	n        int   // number of operands
	echoed   value // the last argument of an echo before a pipe
}

// commandDepth is how deeply commands can be nested, as in `sh -c "mysql -px"`.
const commandDepth = 2

// command masks the secrets of the command line that begins with the program name
// s.text[i:end].
func (s *scanner) command(i, end int) {
	if i < s.commandTo || !s.startsProgram(i, end) {
		return
	}
	s.commandTo = s.commands(i, len(s.text), commandDepth)
	s.gluedOnly.to = min(s.gluedOnly.to, s.commandTo)
}

// startsProgram reports whether s.text[i:end] is a program name. A path can precede
// the name.
func (s *scanner) startsProgram(i, end int) bool {
	if i > 0 && class[s.text[i-1]]&(wordly|dot) != 0 && !s.escapeEnds(i) && colourBefore(s.text[:i]) == 0 || i > 0 && strings.IndexByte("@=", s.text[i-1]) >= 0 {
		return false
	}
	end += len(exeSuffix(s.text[end:]))
	return end < len(s.text) && (s.text[end] == ' ' || s.text[end] == 0x1b || s.text[end] == '\t' || class[s.text[end]]&quote != 0 || s.text[end] == '\\')
}

// exeSuffix returns the suffix at the beginning of text, such as .exe, or "".
func exeSuffix(text string) string {
	for _, e := range []string{".exe", ".py", ".cmd", ".bat", ".sh"} {
		if hasPrefix(text, e) && (len(text) == len(e) || class[text[len(e)]]&wordly == 0) {
			return text[:len(e)]
		}
	}
	return ""
}

// commands masks the secrets of the commands in s.text[i:end], up to the end of the
// command line at i. It returns the index after these commands.
func (s *scanner) commands(i, end, depth int) int {
	var line commandLine
	if depth == commandDepth { // a quoted path: "C:\Program Files\7z.exe" x
		if arg, next, separator := s.commandArg(i, end); separator == 0 {
			if n := closes(s.text[next:min(end, next+1)]); n > 0 && next+n < end && s.text[next+n] == ' ' && i > 0 && class[s.text[i-1]]&space == 0 {
				s.commandArgument(&line, arg)
				i = next + n
			}
		}
	}
	for i < end {
		arg, next, separator := s.commandArg(i, end)
		switch {
		case separator == '\n':
			return next
		case separator == '|':
			line = commandLine{echoed: line.echoed}
		case separator == '<': // <<< word
			if line.stdin {
				line.pending = '_'
			}
		case separator == ',':
		case separator != 0:
			line = commandLine{}
		case arg.quoted && depth > 0 && strings.IndexByte(head(s.text[arg.from:arg.to]), ' ') > 0 && line.pending == 0:
			s.commands(arg.from, arg.to, depth-1)
			s.commandArgument(&line, arg)
		default:
			s.commandArgument(&line, arg)
		}
		i = next
	}
	return i
}

// commandArg returns the argument at i, and the index after the argument. The
// result separator is
//   - 0 if there is an argument,
//   - a comma if there is no argument at i and the command continues,
//   - '<' if a here-string (<<<) follows,
//   - otherwise the byte that ends the command.
func (s *scanner) commandArg(i, end int) (arg value, next int, separator byte) {
	for i < end && (s.text[i] == ' ' || s.text[i] == '\t' || s.text[i] == ',' || s.text[i] == '[' || s.text[i] == '(' || colour(s.text[i:end]) > 0) {
		i += max(1, colour(s.text[i:end]))
	}
	if i+1 < end && s.text[i] == '\\' && (s.text[i+1] == '\n' || s.text[i+1] == 'n') { // a continued line, or an escaped line break
		if s.text[i+1] == 'n' {
			return value{}, i + 2, '\n'
		}
		return value{}, i + 2, ','
	}
	if i >= end {
		return value{}, end, '\n'
	}
	switch c := s.text[i]; c {
	case '\n':
		return value{}, i + 1, c
	case '|', ';', '&':
		return value{}, i + 1, c
	case '<':
		if strings.HasPrefix(s.text[i:end], "<<<") {
			return value{}, i + len("<<<"), c
		}
		fallthrough
	case '>': // >secret of Redis
		if i+1 < end && class[s.text[i+1]]&(alnum|percent) != 0 {
			to := min(end, s.runEnd(i+1, false))
			return value{from: i, to: to}, to, 0
		}
		return value{}, i + 1, ','
	}
	if q := opens(s.text[i:end]); q.n > 0 {
		if i > 0 && class[s.text[i-1]]&space == 0 && s.text[i-1] != ',' && s.text[i-1] != '[' && s.text[i-1] != '(' {
			return s.afterArg(i+q.n, end)
		}
		to := min(end, s.quotedEnd(q, i+q.n))
		return value{from: i + q.n, to: to, quoted: true}, min(end, to+q.n), 0
	}
	to := min(end, max(i+1, s.runEnd(i, false)))
	if q := opens(s.text[to:end]); q.n > 0 && to-i >= 2 && (s.text[i] == '-' && to-i == 2 || s.text[to-1] == '=' || s.text[to-1] == ':') { // -p'two words'
		to = min(end, s.quotedEnd(q, to+q.n))
		return value{from: i, to: to}, min(end, to+q.n), 0
	}
	return value{from: i, to: to}, to, 0
}

// afterArg is like commandArg, but for the text after a closing quote. The command ends
// there, unless another quoted argument follows, as in ["mysql", "-px"].
func (s *scanner) afterArg(i, end int) (arg value, next int, separator byte) {
	at := i
	for at < end && (s.text[at] == ' ' || s.text[at] == ',') {
		at++
	}
	if at > i && at < end && opens(s.text[at:end]).n > 0 {
		return s.commandArg(at, end)
	}
	return value{}, i, ';'
}
