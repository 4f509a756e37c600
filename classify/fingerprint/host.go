package fingerprint

import "strings"

// hostAfter replaces the host name after the word s.text[i:end], as in "dial tcp
// redis:6379". It returns the end of the name, or 0 if there is none.
func (s *scanner) hostAfter(i, end int) int {
	start := end + 1
	var announced bool
	switch s.text[i:end] {
	case "tcp", "udp", "lookup", "ENOTFOUND":
		announced = s.at(end) == ' '
	case "AGAIN":
		announced = s.at(end) == ' ' && strings.HasSuffix(s.text[:i], "EAI_")
	case "host":
		switch before := s.text[:i]; {
		case strings.HasPrefix(s.text[end:], ": "): // Could not resolve host: db
			announced = strings.HasSuffix(before, "resolve ")
			start++
		case s.at(end) == ' ': // connect to host db port 22
			announced = strings.HasSuffix(before, "to ")
		}
	}
	if !announced || kinds[s.at(start)] != letter {
		return 0
	}
	after := start
	for after < len(s.text) && (isAlnum(s.text[after]) || strings.IndexByte("_-.", s.text[after]) >= 0) {
		after++
	}
	if rest := s.text[after:]; sets[s.at(after)]&inAtom != 0 || strings.HasPrefix(rest, "://") || strings.HasPrefix(rest, `:\`) {
		return 0 // the name is a part of a URL, an e-mail address or a path
	}
	if end, _ := s.colons(start); end > 0 {
		return 0 // an IPv6 address
	}
	after = s.trim(start, after)
	switch s.text[i:end] {
	case "tcp", "udp":
		if s.at(after) != ':' || kinds[s.at(after+1)] != digit {
			return 0
		}
	case "lookup":
		if s.at(after) != ':' && !strings.HasPrefix(s.text[after:], " on ") {
			return 0
		}
	}
	return s.replace(start, after, placeholderHost)
}
