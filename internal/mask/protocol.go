package mask

import "strings"

// protocolVerbs are the commands of text protocols that take a secret.
var protocolVerbs = set("auth pass login authenticate 334 identified oper identify")

// mechanisms are SASL mechanisms. A response in base64 can follow a mechanism.
var mechanisms = set("plain login cram-md5 digest-md5 xoauth2 oauthbearer ntlm gssapi external scram-sha-1 scram-sha-256 anonymous")

// clientLabels are words that precede the lines of the client in a transcript:
// "C: PASS abc".
var clientLabels = set("c client send sent sending tx out redis smtp imap pop pop3 ftp irc cmd command")

// loginLines are the first words of lines that can be directly before or after a PASS
// line.
var loginLines = set("user nick cap 331 +ok 220 ehlo helo host c s client")

// protocolArgs is how many arguments of a protocol command are read.
const protocolArgs = 3

// protocol masks the secret after the protocol command (verb) s.text[i:end]. If the verb
// is in lower case and not "identified", a prompt or one of clientLabels must precede it.
func (s *scanner) protocol(i, end int, verb string) {
	if class[s.text[i]]&lower != 0 && verb != "identified" && !s.isSent(i) {
		return
	}
	quoted := end < len(s.text) && class[s.text[end]]&quote != 0
	args, n, whole := s.protocolArgs(end)
	if n == 0 {
		return
	}
	first, last := head(s.text[args[0].from:args[0].to]), args[n-1]
	sent := quoted || s.isSent(i) || strings.HasSuffix(s.text[:i], "HELLO 3 ") || strings.HasSuffix(s.text[:i], "HELLO 2 ")
	switch verb {
	case "identified":
		s.identified(args[:n])
	case "334": // the server asks for the password
		if first == "UGFzc3dvcmQ6" {
			s.nextLine(args[0].to)
		}
	case "auth", "authenticate":
		switch {
		case mechanisms[lowerWord(first)]:
			if n == 2 && (whole || args[1].to-args[1].from >= 16) && isBase64Word(s.text[args[1].from:args[1].to]) {
				s.addArg(args[1])
			}
		case whole && n <= 2 && (sent || s.lineStart(i) || looksSecret(head(s.text[last.from:last.to]))):
			if n == 1 || sent || !benignWords(first, false) {
				s.addArg(last)
			}
		}
	case "pass":
		text := head(s.text[args[0].from:args[0].to])
		if n == 1 && whole && !strings.ContainsAny(text, "/") && (sent || s.lineStart(i) && (loginLines[s.wordOfLineBefore(i)] || loginLines[s.wordOfLineAfter(args[0].to)])) {
			s.addArg(args[0])
		}
	case "oper", "identify": // IRC
		if whole && n <= 2 && (verb == "identify" || n == 2 && (sent || s.lineStart(i))) && !benignWords(first, false) {
			s.addArg(last)
		}
	case "login": // IMAP: tag LOGIN user password
		if n == 2 && whole && !benignWords(first, args[0].quoted) && s.tagged(i) {
			s.addArg(args[1])
		}
	}
}

// protocolArgs returns the arguments after i, and whether the line ends after
// these.
func (s *scanner) protocolArgs(i int) (args [protocolArgs]value, n int, whole bool) {
	if n := closes(s.text[i:min(len(s.text), i+1)]); n > 0 {
		i += n
	}
	for n < protocolArgs {
		for end := i + maxGap; i < len(s.text) && i < end && (s.text[i] == ' ' || s.text[i] == '\t'); {
			i++
		}
		if s.endsLine(i) {
			return args, n, true
		}
		v := value{from: i}
		if q := opens(s.text[i:]); q.n > 0 {
			v.from, v.quoted = i+q.n, true
			v.to = s.quotedEnd(q, v.from)
			i = min(len(s.text), v.to+q.n)
		} else {
			v.to = s.runEnd(i, false)
			i = v.to
		}
		if v.to <= v.from {
			return args, n, false
		}
		args[n] = v
		n++
	}
	return args, n, s.endsLine(i)
}

// endsLine reports whether a line ends at i. The line can be in quotes.
func (s *scanner) endsLine(i int) bool {
	if i >= len(s.text) {
		return true
	}
	switch c := s.text[i]; {
	case c == '\n', c == '\r', c == ';':
		return true
	case c == '\\':
		return lineBreak(s.text[i:]) != "" || opens(s.text[i:]).n > 0
	case class[c]&quote != 0:
		return i > 0 && class[s.text[i-1]]&space == 0
	}
	return false
}

// lineStart reports whether a line begins at i.
func (s *scanner) lineStart(i int) bool {
	return i == 0 || s.text[i-1] == '\n' || s.escapeEnds(i)
}

// isSent reports whether a prompt or one of clientLabels precedes the word at i.
func (s *scanner) isSent(i int) bool {
	to := i
	for to > 0 && i-to < 4 && (s.text[to-1] == ' ' || class[s.text[to-1]]&quote != 0) {
		to--
	}
	if to == 0 || to == i && s.text[i-1] != '>' {
		return false
	}
	switch s.text[to-1] {
	case '>':
		return true
	case ':':
		from := to - 1
		for from > 0 && to-from < longestWord && class[s.text[from-1]]&alnum != 0 {
			from--
		}
		return clientLabels[lowerWord(s.text[from:to-1])]
	}
	return false
}

// tagged reports whether an IMAP tag such as "a001" precedes the word at i.
func (s *scanner) tagged(i int) bool {
	const longest = 8
	to := i - 1
	if to < 1 || s.text[to] != ' ' {
		return false
	}
	from := to
	for from > 0 && to-from < longest && class[s.text[from-1]]&(alnum|dot) != 0 {
		from--
	}
	return to > from && (classes(s.text[from:to])&(digit|dot) != 0) && (s.lineStart(from) || s.isSent(from))
}

// wordOfLineBefore returns the first word of the previous line. For a long line, it
// returns "".
func (s *scanner) wordOfLineBefore(i int) string {
	const reach = 80
	if i == 0 {
		return ""
	}
	to := i - 1
	if s.text[to] != '\n' {
		to--
	}
	if to > 0 && s.text[to-1] == '\r' {
		to--
	}
	least := max(0, to-reach)
	from := least + strings.LastIndexAny(s.text[least:max(least, to)], "\n\\") + 1
	if from > 0 && s.text[from-1] == '\\' && from < to {
		from++ // after an escaped line break
	}
	word, _, _ := strings.Cut(s.text[from:max(from, to)], " ")
	return lowerWord(strings.Trim(word, `:>"`))
}

// wordOfLineAfter returns the first word of the next line. i must be a line end.
func (s *scanner) wordOfLineAfter(i int) string {
	i = s.skipLineEnd(i)
	to := i
	for to < len(s.text) && to-i < longestWord && class[s.text[to]]&alnum != 0 {
		to++
	}
	return lowerWord(s.text[i:to])
}

// skipLineEnd returns the index after the line break at i. The line break can be
// escaped.
func (s *scanner) skipLineEnd(i int) int {
	for range 2 {
		switch {
		case i < len(s.text) && (s.text[i] == '\r' || s.text[i] == '\n'):
			i++
		case strings.HasPrefix(s.text[i:], `\r`), strings.HasPrefix(s.text[i:], `\n`):
			i += 2
		}
	}
	return i
}

// nextLine masks the base64 on the line after i. A prompt can precede the base64.
func (s *scanner) nextLine(i int) {
	i = s.skipLineEnd(i)
	for _, prompt := range []string{"C: ", "> ", ">>> ", "<- ", "-> "} {
		if strings.HasPrefix(s.text[i:], prompt) {
			i += len(prompt)
			break
		}
	}
	to := s.runEnd(i, false)
	if s.endsLine(to) && isBase64Word(s.text[i:to]) {
		s.addArg(value{from: i, to: to})
	}
}

// isBase64Word reports whether the word can be a password in base64.
func isBase64Word(word string) bool {
	word = head(word)
	return len(word) >= 4 && all(word, alnum|base64|percent) && !mechanisms[lowerWord(word)] && !benignWords(word, false) && (strings.HasSuffix(word, "=") || len(word) >= 8 && !isWords(word) || looksSecret(word))
}

// identified masks the secret in "IDENTIFIED BY 'secret'" and "IDENTIFIED WITH
// plugin BY 'secret'".
func (s *scanner) identified(args []value) {
	for i, a := range args {
		if i+1 < len(args) && strings.EqualFold(s.text[a.from:a.to], "by") {
			v := args[i+1]
			if strings.EqualFold(s.text[v.from:v.to], "password") && i+2 < len(args) {
				v = args[i+2]
			}
			if v.quoted || s.endsLine(v.to) {
				s.addArg(v)
			}
			return
		}
	}
	if n := len(args); n == protocolArgs && strings.EqualFold(s.text[args[n-1].from:args[n-1].to], "by") {
		if v := s.valueAt(args[n-1].to, false); !v.below && (v.quoted || s.endsLine(v.to)) {
			s.addArg(v)
		}
	}
}

// addArg masks v, unless v is a placeholder or a word of the set benign.
func (s *scanner) addArg(v value) {
	to := v.to
	if !v.quoted {
		to = max(v.from, s.trimmed(v.from, v.to))
	}
	text := head(s.text[v.from:to])
	if text == "" || placeholder(text) || redacted(text) || benignWords(text, v.quoted) || mechanisms[lowerWord(text)] {
		return
	}
	s.add(v.from, to)
}
