package mask

import "strings"

// commandArgument masks the secret in arg, and adds arg to the state of the
// command.
func (s *scanner) commandArgument(line *commandLine, arg value) {
	text := head(s.text[arg.from:arg.to])
	if line.pending != 0 {
		form := line.pending
		line.pending = 0
		if text != "" && text[0] != '-' {
			s.addForm(form, arg)
			return
		}
	}
	if p := programOf(text); p != nil && (line.program == nil || !line.program.takes(lowerWord(text))) {
		*line = commandLine{program: p, echoed: line.echoed}
		if p.glued {
			s.gluedOnly = extent{arg.from, len(s.text)}
		} else {
			s.gluedOnly.to = min(s.gluedOnly.to, arg.from)
		}
		s.operand(line)
		return
	}
	if line.program == nil {
		return
	}
	if line.program.echo {
		line.echoed = arg
		return
	}
	for _, o := range line.program.options {
		if !strings.HasPrefix(text, o.flag) {
			if strings.IndexByte(":%", o.form) >= 0 && endsCluster(text, o.flag) {
				line.pending = o.form
				return
			}
			continue
		}
		rest := value{from: arg.from + len(o.flag), to: arg.to}
		switch {
		case o.form == '<' && len(text) == len(o.flag):
			line.stdin = true
			s.addEchoed(line)
			return
		case o.form == '<', o.form == '_' && len(text) > len(o.flag):
			continue
		case len(text) == len(o.flag):
			if o.form != '*' {
				line.pending = o.form
				return
			}
			continue
		}
		if s.text[rest.from] == '=' && len(o.flag) > 2 {
			rest.from++
		} else if len(o.flag) > 2 && o.flag[1] == '-' {
			continue // --user-agent is not --user
		}
		if q := opens(s.text[rest.from:rest.to]); q.n > 0 {
			rest.from += q.n
			rest.quoted = true
		}
		s.addForm(o.form, rest)
		return
	}
	if text != "" && text[0] == '-' && !arg.quoted {
		for _, c := range []byte(text[1:min(len(text), 8)]) {
			if class[c]&(lower|upper) != 0 {
				line.letters |= 1 << (c & 0x3f)
			}
		}
		return
	}
	if line.n < mostOperands {
		line.operands[line.n] = arg
		line.n++
		s.operand(line)
	}
}

// endsCluster reports whether text joins short options, and flag is the last:
// "-sSu" ends with "-u".
func endsCluster(text, flag string) bool {
	return len(flag) == 2 && len(text) > 2 && len(text) < 8 && text[0] == '-' && text[len(text)-1] == flag[1] && all(text[1:], lower|upper)
}

// takes reports whether p expects this word as an operand. In "vault login", the
// word login is an operand, although there is a program with this name.
func (p *program) takes(word string) bool {
	for _, f := range p.operands {
		for _, w := range f.words {
			if strings.EqualFold(w, word) {
				return true
			}
		}
	}
	return false
}

// programOf returns the program with this name, or nil. The name can have a path
// and a suffix.
func programOf(word string) *program {
	word = word[strings.LastIndexAny(word, `/\`)+1:]
	if dot := strings.LastIndexByte(word, '.'); dot > 0 && exeSuffix(word[dot:]) == word[dot:] {
		word = word[:dot]
	}
	if len(word) > longestWord || len(word) < 2 {
		return nil
	}
	var low [longestWord]byte
	for i := range len(word) {
		low[i] = word[i]
		if class[word[i]]&upper != 0 {
			low[i] |= 0x20
		}
	}
	if w := wordUses[string(low[:len(word)])]; w != nil {
		return w.program
	}
	return nil
}

// operand compares the operands with the patterns of the program. If a pattern
// matches, the last operand is masked.
func (s *scanner) operand(line *commandLine) {
	for _, f := range line.program.operands {
		if f.letter != 0 && line.letters&(1<<(f.letter&0x3f)) == 0 {
			continue
		}
		if len(f.words) == 1 && f.words[0] == "<" {
			line.stdin = true
			s.addEchoed(line)
			continue
		}
		if len(f.words) != line.n || !s.operandsMatch(line, f.words) {
			continue
		}
		v := line.operands[line.n-1]
		switch f.words[line.n-1] {
		case "@":
			text := head(s.text[v.from:v.to])
			if looksSecret(text) || v.quoted || s.endsCommand(v.to) || line.n > 1 && f.words[line.n-2] == "_" && s.beforeResult(v) {
				s.addForm('_', v)
			}
		case "!":
			s.addForm('_', v)
		case "_:@":
			s.addUserColon(v)
		case "_/@", "_/@_":
			s.addUserSlash(v, f.words[line.n-1] == "_/@_")
		}
	}
}

func (s *scanner) operandsMatch(line *commandLine, words []string) bool {
	for i, w := range words {
		text := head(s.text[line.operands[i].from:line.operands[i].to])
		switch w {
		case "_", "@", "!", "_:@", "_/@", "_/@_":
		case `\\`:
			if !strings.HasPrefix(text, w) && !strings.HasPrefix(text, "//") {
				return false
			}
		case "NAME":
			n := newName(text)
			n.skipFillers(false)
			if k := n.kind(); k < token || k == header || !compound(text) && !settings[lowerWord(text)] {
				return false
			}
		default:
			if !strings.EqualFold(text, w) {
				return false
			}
		}
	}
	return true
}

// compound reports whether a name has punctuation or consists of capitals and digits.
func compound(name string) bool {
	return strings.ContainsAny(name, "_-.:") || all(name, upper|digit)
}

// endsCommand reports whether the command has no operand after i.
func (s *scanner) endsCommand(i int) bool {
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\t') {
		i++
	}
	return i >= len(s.text) || s.text[i] == '\n' || s.text[i] == '\r' || s.text[i] == '-' || s.text[i] == '/' || s.text[i] == '\\' || class[s.text[i]]&(quote|stop) != 0
}

// beforeResult reports whether the result of the command follows v, as in "net user bob
// X: exit status 2".
func (s *scanner) beforeResult(v value) bool {
	return s.text[v.to-1] == ':' || s.hasState(v.to, exitStates)
}

// addForm masks the secret in v. form says where in v the secret is: see
// command.options.
func (s *scanner) addForm(form byte, v value) {
	if form == '.' {
		return
	}
	if form != '_' && form != '*' {
		at := strings.IndexByte(head(s.text[v.from:v.to]), form)
		if at < 1 {
			return
		}
		v.from += at + 1
	}
	to := v.to
	if !v.quoted {
		to = max(v.from, s.trimmed(v.from, v.to))
	}
	text := head(s.text[v.from:to])
	const port = 5 // digits of the longest port number, as in -p 8080
	if text == "" || text[0] == '-' || form == '_' && text[0] == '/' || strings.HasPrefix(text, "//") || placeholder(text) || redacted(text) || benignWords(text, v.quoted) || len(text) <= port && all(text, digit) {
		return
	}
	s.add(v.from, to)
}

// addUserSlash masks the secret in "user/secret@host". If withHost is false,
// "@host" is optional.
func (s *scanner) addUserSlash(v value, withHost bool) {
	text := head(s.text[v.from:v.to])
	user, rest, ok := strings.Cut(text, "/")
	at := strings.LastIndexByte(rest, '@')
	if !ok || user == "" || strings.ContainsAny(user, ".@:") || at == 0 {
		return
	}
	if at < 0 && withHost {
		return
	}
	if at < 0 {
		at = len(rest)
	}
	if secret := rest[:at]; !placeholder(secret) && !redacted(secret) && !benignWords(secret, false) && !strings.ContainsAny(secret, "/") {
		from := v.from + len(user) + 1
		s.add(from, from+len(secret))
	}
}

// addUserColon masks the secret in "user:secret" or "user:secret@host".
func (s *scanner) addUserColon(v value) {
	text := head(s.text[v.from:v.to])
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		v.to = v.from + at
	}
	s.addForm(':', v)
}

// addEchoed masks the secret in "echo secret | program" or "echo user:secret |
// program".
func (s *scanner) addEchoed(line *commandLine) {
	v := line.echoed
	if v.from >= v.to {
		return
	}
	if strings.IndexByte(head(s.text[v.from:v.to]), ':') > 0 {
		s.addForm(':', v)
		return
	}
	s.addForm('_', v)
}
