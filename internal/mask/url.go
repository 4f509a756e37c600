package mask

import "strings"

// authorityBytes is how many bytes after an unescaped slash are searched for an at
// sign. It is also the maximum length of ":password@host" in a URL without a scheme.
const authorityBytes = 256

// plainUsers are well-known user names. In a URL without a password, other users
// can be tokens.
var plainUsers = set("git hg svn user admin root anonymous guest app postgres mysql")

// url masks the user information of a URL. The authority begins at s.text[i], after
// the colon at s.text[colon].
func (s *scanner) url(i, colon int, encoded bool) {
	at := s.authority(i, encoded)
	if at < 0 {
		return
	}
	info := s.text[i:at]
	sep, width := colonIn(info, encoded)
	if sep < 0 {
		if s.secretUser(info, colon) {
			s.add(i, at)
		}
		return
	}
	user, secret := info[:sep], info[sep+width:]
	if looksSecret(user) && len(user) >= 12 && !strings.Contains(user, ".") {
		s.add(i, i+sep)
	}
	if secret != "" && !placeholder(secret) && !redacted(secret) {
		s.add(i+sep+width, at)
	}
}

// secretUser reports whether the user of a URL without a password is a token.
func (s *scanner) secretUser(user string, colon int) bool {
	if user == Masked || plainUsers[user] || placeholder(user) || redacted(user) || strings.HasSuffix(s.text[:colon], "ssh") && !looksRandom(user) {
		return false
	}
	return looksSecret(user) && len(user) >= 8 || len(user) >= 20
}

// colonIn returns the index and the length of the first colon, or -1. If encoded is
// true, the colon can be escaped.
func colonIn(info string, encoded bool) (at, n int) {
	for i := 0; i < len(info); i += n {
		c := info[i]
		if n = 1; encoded && (c == '%' || c == '\\') {
			n = max(1, escape(info[i:]))
			c = escaped(info[i : i+n])
		}
		if c == ':' {
			return i, n
		}
	}
	return -1, 0
}

// authority returns the index of the last at sign in the authority at i, or -1. If
// encoded is true, punctuation can be escaped.
func (s *scanner) authority(i int, encoded bool) (at int) {
	at = -1
	end := i
	for n := 0; end < len(s.text); end += n {
		c := s.text[end]
		if n = 1; encoded && (c == '%' || c == '\\') {
			n = max(1, escape(s.text[end:]))
			if b := escaped(s.text[end : end+n]); b != 0 || n > 1 {
				c = b
			}
		}
		if class[c]&(space|quote) != 0 && (n == 1 || c != 0) || c == '<' || c == '>' || c == '\\' || c == '/' || c == '?' || c == '#' || encoded && c == '&' {
			break
		}
		if c == '@' {
			at = end
		}
	}
	if encoded {
		return at
	}
	// A password can contain a slash or a question mark. An at sign after this
	// character ends the password in two cases:
	//   - The text before the character has a colon, and no port follows the colon.
	//   - The character is a slash, the text before the slash has no dot, and a host
	//     follows the at sign.
	if host, port, ok := strings.Cut(s.text[max(i, at+1):end], ":"); ok && !strings.HasPrefix(host, "[") && !all(port, digit|tail|closer) {
		j := s.urlRun(end)
		if k := strings.LastIndexByte(s.text[end:min(j, end+authorityBytes)], '@'); k >= 0 {
			at = end + k
		}
	} else if at >= 0 && !ok && end < len(s.text) && s.text[end] == '/' && !strings.Contains(host, ".") && strings.Contains(s.text[i:at], ":") {
		j := min(s.urlRun(end), end+authorityBytes)
		if k := strings.LastIndexByte(s.text[end:j], '@'); k >= 0 && isHostWord(s.text[end+k+1:j]) {
			at = end + k
		}
	}
	return at
}

// isHostWord reports whether text begins with a host. A version number does not
// count.
func isHostWord(text string) bool {
	if i := strings.IndexAny(text, "/?#"); i >= 0 {
		text = text[:i]
	}
	if text == "" || class[text[0]]&(lower|upper) == 0 || !all(text, wordly|dot|tail) {
		return false
	}
	return text[0] != 'v' || len(text) < 2 || class[text[1]]&digit == 0
}

// urlRun returns the index after the bytes at i that can be in a URL.
func (s *scanner) urlRun(i int) int {
	e := &s.urlEnds
	if end, ok := e.known(i); ok {
		return end
	}
	j := i
	for j < len(s.text) && class[s.text[j]]&(space|quote) == 0 && s.text[j] != '<' && s.text[j] != '>' {
		j++
	}
	return e.keep(i, j)
}

// These words before a colon are not users, as in "mailto:bob@example.com".
var notUsers = set("mailto sip sips xmpp acct to cc bcc from npm file link workspace docker pkg git github jsr patch portal image uid im tel urn im http https")

// slashSchemes are words before the colon of "thin:user/secret@host".
var slashSchemes = set("thin oci oci8")

// bareURL masks the password in "user:password@host" without a scheme. The colon is
// at i.
func (s *scanner) bareURL(i int) {
	from := i
	for from > 0 && i-from < nameBytes && class[s.text[from-1]]&(wordly|dot) != 0 {
		from--
	}
	if from == i || notUsers[lowerWord(s.text[from:i])] {
		return
	}
	if slashSchemes[lowerWord(s.text[from:i])] {
		s.addUserSlash(value{from: i + 1, to: s.runEnd(i+1, false)}, true)
		return
	}
	at, j := s.bareAuthority(i + 1)
	if at <= i+1 || j-i > authorityBytes {
		return
	}
	host, rest := s.text[at+1:j], s.text[j:]
	name, port, ok := strings.Cut(host, ":")
	switch {
	case strings.HasPrefix(rest, "(") && (host == "tcp" || host == "unix" || host == "udp" || host == "cloudsql"):
	case ok && name != "" && len(port) >= 2 && all(s.text[at+2+len(name):s.trimmed(at+2+len(name), j)], digit):
	default:
		return
	}
	if secret := s.text[i+1 : at]; secret != Masked {
		s.add(i+1, at)
	}
}

// bareAuthority returns the index of the last at sign in the authority at i, or -1.
// It also returns the end of the authority.
func (s *scanner) bareAuthority(i int) (at, end int) {
	if end, ok := s.bare.known(i); ok {
		return s.bareAt, end
	}
	at = -1
	for end = i; end < len(s.text); end++ {
		c := s.text[end]
		if class[c]&(space|quote|stop) != 0 || c == '/' || c == '(' {
			break
		}
		if c == '@' {
			at = end
		}
	}
	s.bareAt = at
	return at, s.bare.keep(i, end)
}

// endpointName returns an endpoint without secrets.
func endpointName(endpoint string) string {
	return repeated(endpoint, func(endpoint string) string { return clean(stripped(endpoint)) })
}

// bareEndpoint returns an endpoint without user information, query and fragment.
func bareEndpoint(endpoint string) string { return repeated(endpoint, stripped) }

// repeated applies change until the result is the same. If that takes too many rounds,
// it returns "".
func repeated(endpoint string, change func(string) string) string {
	const most = 8 // the result can again look like a URL with a user
	for range most {
		name := change(endpoint)
		if name == endpoint {
			return name
		}
		endpoint = name
	}
	return ""
}

// stripped removes the user information, the query and the fragment that it finds.
func stripped(endpoint string) string {
	if !strings.ContainsAny(endpoint, "@?#=%\\") {
		return endpoint
	}
	scheme, rest := "", endpoint
	if i := strings.IndexByte(endpoint, ':'); i >= 0 && i+1 < len(endpoint) && strings.IndexByte(`/\`, endpoint[i+1]) >= 0 && all(endpoint[:i], alnum|dash|dot|base64) {
		scheme, rest = endpoint[:i+1], endpoint[i+1:]
	} else if i := strings.IndexByte(endpoint, ':'); i > 0 && all(endpoint[:i], alnum|dash) && !strings.Contains(endpoint[i:], "@") {
		scheme, rest = endpoint[:i+1], endpoint[i+1:]
	}
	if scheme == "" && !isAddress(rest) {
		return rest // a model@version
	}
	slashes := len(rest) - len(strings.TrimLeft(rest, `/\`))
	scheme, rest = scheme+rest[:slashes], rest[slashes:]
	end := strings.IndexAny(rest, `/\?#`)
	if end < 0 {
		end = len(rest)
	}
	at := lastAt(rest[:end])
	if !isHost(rest[at:end]) { // the user information can have a slash
		switch strings.Count(rest[at:], "@") + strings.Count(rest[at:], "%40") {
		case 0:
		case 1:
			at = lastAt(rest)
		default: // it is unknown which at sign ends the user information
			return scheme
		}
	}
	rest = rest[at:]
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	for _, q := range []string{"%3F", "%3f", "%23"} {
		if i := strings.Index(rest, q); i >= 0 {
			rest = rest[:i]
		}
	}
	// Parameters can follow without a question mark, as in "/v1&key=secret".
	if i := strings.IndexAny(rest, "&;"); i >= 0 && strings.IndexByte(rest[i:], '=') >= 0 {
		rest = rest[:i]
	}
	return scheme + rest
}

// isAddress reports whether text can be a URL without a scheme. If text has an at sign,
// a password must precede the at sign or a host must follow it.
func isAddress(text string) bool {
	user, host, ok := strings.Cut(text, "@")
	return !ok || strings.ContainsAny(user, ":/?#") || strings.ContainsAny(host, ".:/?#@") || host == "localhost"
}

// lastAt returns the index after the last at sign of text, or 0. The at sign can be
// percent-encoded.
func lastAt(text string) int {
	at := strings.LastIndexByte(text, '@') + 1
	if i := strings.LastIndex(text, "%40"); i >= 0 {
		at = max(at, i+len("%40"))
	}
	return at
}

// isHost reports whether text is a host, with or without a port.
func isHost(text string) bool {
	host, port, ok := text, "", false
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") {
		host, port, ok = text[:i], text[i+1:], true
	}
	return (!ok || all(port, digit)) && (strings.HasPrefix(host, "[") || !strings.Contains(host, ":"))
}
