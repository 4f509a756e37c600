package mask

import "strings"

// userFlags are options for the name of a user. After one of these, -p takes a
// password.
var userFlags = []string{"-u ", "--user"}

// otherTools are programs with an option -p that takes no password.
var otherTools = set("mkdir cp ssh scp rsync install nmap run nc ps patch touch read declare ls diff tar git docker podman kubectl make chmod tail perl unzip exec jq date lsof kill sftp nice npx python python3 cargo go pytest")

// flag masks the argument of an option that is named like a secret: "--token abc".
func (s *scanner) flag(i int) {
	from := i + 1
	if from < len(s.text) && s.text[from] == '-' {
		from++
	}
	to := from
	for to < len(s.text) && class[s.text[to]]&wordly != 0 && to-from < nameBytes {
		to++
	}
	if to == from || to == len(s.text) {
		return
	}
	long := s.text[from:to]
	if len(long) == 1 || long == "user" || long == "proxy-user" || strings.HasPrefix(long, "p") && from == i+1 {
		s.shortFlag(i, from, to)
		return
	}
	if from == i+1 && len(long) < 4 { // after a single dash, a name has at least four bytes: -token
		return
	}
	n := newName(long)
	if n.n > 0 && n.words[0] == "env" { // --api-key-env OPENAI_API_KEY
		return
	}
	n.skipFillers(false)
	k := n.kind()
	at := s.argument(to)
	if k == nothing || at == to || s.text[to] == '=' { // the method separator handles --token=
		return
	}
	v := s.valueAt(at, false)
	if v.from >= v.to || v.below || s.text[v.from] == '-' && !v.quoted {
		return
	}
	if k == header {
		s.headerValue(v, false, false)
		return
	}
	text := head(s.text[v.from:v.to])
	if strings.HasPrefix(text, "id=") || isScheme(text) && schemes[lowerWord(text)] {
		return
	}
	if (valueContext{kind: k, assign: true, quoted: v.quoted}).secret(text) && (k != weak || looksRandom(text)) {
		s.add(v.from, v.to)
	}
}

// argument returns the start of the argument after the option that ends at
// s.text[end]. Quotes and a comma can precede the argument, as in ["--token",
// "abc"].
func (s *scanner) argument(end int) int {
	at := end
	for at < len(s.text) && at-end < 8 {
		switch s.text[at] {
		case ' ', '\t', ',', '"', '\'', '\\':
			at++
			continue
		}
		break
	}
	// An opening quote is part of the argument.
	from := at
	for from > end && (class[s.text[from-1]]&quote != 0 || s.text[from-1] == '\\') {
		from--
	}
	if from > end && from < at && (class[s.text[from-1]]&space != 0 || s.text[from-1] == ',') {
		return from
	}
	return at
}

// shortFlag masks the secret in "-p secret" and in "-u user:secret".
func (s *scanner) shortFlag(i, from, to int) {
	letter, at := s.text[from], s.argument(to)
	switch {
	case s.text[to] == '=':
		at = to + 1
	case letter == 'p' && from == i+1 && to-from > 1: // mysql -psecret
		at = from + 1
	case at == to:
		return
	}
	if at < len(s.text) {
		at += opens(s.text[at:]).n
	}
	if at >= len(s.text) {
		return
	}
	end := s.trimmed(at, s.runEnd(at, false))
	v := head(s.text[at:end])
	if v == "" || v[0] == '-' || v == Masked || placeholder(v) || redacted(v) || benignWords(v, false) {
		return
	}
	if letter == 'u' && (to-from == 1 || to-from > 3) || to-from > 1 && s.text[from] == 'p' && takesUserPassword(s.text[from:to]) {
		user, secret, ok := strings.Cut(v, ":")
		if ok && user != "" && secret != "" && secret != Masked && (!all(user, digit) || !all(secret, digit)) && !strings.HasPrefix(secret, "//") && !placeholder(secret) {
			s.add(at+len(user)+1, end)
		}
		return
	}
	if letter != 'p' || from != i+1 {
		return
	}
	tool := s.toolBefore(i)
	glued := at == from+1
	_, known := s.gluedOnly.known(i)
	switch {
	case otherTools[tool], known && !glued:
	case s.hasUser(i) && !all(v, digit), !glued && mixed(v) && len(v) >= 6 && !strings.ContainsAny(v, "/:.,="):
		s.add(at, end)
	}
}

// takesUserPassword reports whether the argument of the option is user:password.
func takesUserPassword(name string) bool { return name == "proxy-user" }

// reach is the maximum distance between an option and its program, in bytes.
const reach = 120

// hasUser reports whether one of userFlags precedes i on the same line.
func (s *scanner) hasUser(i int) bool {
	least := max(0, i-reach)
	for at := max(least, s.usersTo); at < i; at++ {
		if s.text[at] != '-' {
			continue
		}
		for _, f := range userFlags {
			if strings.HasPrefix(s.text[at:], f) {
				s.user = at + 1
			}
		}
	}
	s.usersTo = max(s.usersTo, i)
	return s.user > least && strings.IndexByte(s.text[s.user:i], '\n') < 0
}

// toolBefore returns the word before i, without a path. This word can name a
// program.
func (s *scanner) toolBefore(i int) string {
	least, to := max(0, i-reach), i
	for to > least && (s.text[to-1] == ' ' || s.text[to-1] == '\t') {
		to--
	}
	from := to
	for from > least && class[s.text[from-1]]&space == 0 && s.text[from-1] != '/' {
		from--
	}
	return s.text[from:to]
}
