package mask

import "strings"

// These limits are for random tokens of base64 characters.
const (
	leastRandom = 24  // minimum length in bytes; many shorter tokens are ids
	mostRandom  = 512 // how many bytes of a token are checked
)

// random masks tokens that look random, unless they are ids or hashes.
func (s *scanner) random() {
	last := 0 // end of the previous random token
	for i := 0; i < len(s.text); {
		if c := s.text[i]; class[c]&(alnum|dash|base64) == 0 {
			if i++; c == '\\' || c == 0x1b {
				i += max(1, escape(s.text[i-1:])) - 1
			}
			continue
		}
		from := i
		slashes := false
		for i < len(s.text) && class[s.text[i]]&(alnum|dash|base64) != 0 {
			slashes = slashes || s.text[i] == '/'
			i++
		}
		to := i
		for to < len(s.text) && to-i < 2 && s.text[to] == '=' { // padding of base64
			to++
		}
		if s.text[from] == '-' {
			i = max(i, s.publicBlock(from))
		}
		if i-from < leastRandom || i > to {
			continue
		}
		if isCertificate(s.text[from:i]) {
			continue
		}
		if !slashes {
			if isRandom(s.text[from:i], 2) && !s.isID(from) {
				if s.isMiddlePart(last, from) {
					s.add(last, from)
				}
				s.add(from, to)
				last = to
			}
			continue
		}
		s.randomPath(from, i, to)
	}
}

// isMiddlePart reports whether s.text[from:to] can be the middle of a token such as
// a.b.c. The range includes both dots.
func (s *scanner) isMiddlePart(from, to int) bool {
	const shortest, longest = 3, 24
	return from > 0 && to-from >= shortest && to-from <= longest && s.text[from] == '.' && s.text[to-1] == '.' && all(s.text[from+1:to-1], wordly)
}

// randomPath masks random text in a token with slashes. If the token is base64, it
// masks the whole token. If the token is a path, it masks the random parts.
func (s *scanner) randomPath(from, end, to int) {
	text := s.text[from:end]
	if text[0] != '/' && isBase64(text) {
		if !s.isID(from) {
			s.add(from, to)
		}
		return
	}
	for at := from; at < end; {
		next := strings.IndexByte(s.text[at:end], '/')
		if next < 0 {
			next = end - at
		}
		part := s.text[at : at+next]
		if len(part) >= leastRandom && isRandom(part, 2) && !s.isID(at) {
			s.add(at, at+next)
		}
		at += next + 1
	}
}

// isCertificate reports whether token is a certificate in base64. A private key
// begins differently.
func isCertificate(token string) bool {
	return strings.HasPrefix(token, "MII") && token[6:8] == "CC"
}

// isBase64 reports whether a token with slashes is base64 and not a path. In base64, at
// least two in three parts between the slashes look random. Short parts do not count.
func isBase64(text string) bool {
	const leastPart = 4
	parts, wild := 0, 0
	for part := range strings.SplitSeq(text[:min(len(text), mostRandom)], "/") {
		if len(part) < leastPart {
			continue
		}
		parts++
		if c := classes(part); c&upper != 0 && c&lower != 0 && (c&digit != 0 || mixedCase(part)) && !isWords(part) || c&upper != 0 && c&digit != 0 {
			wild++
		}
	}
	return parts > 0 && wild*3 >= parts*2 && isRandom(text, 1)
}

// isRandom reports whether token looks random. Such a token
//   - mixes lower case, upper case and digits,
//   - has at least as many digits as the argument digits says,
//   - is not hexadecimal, a UUID, a ULID, a word or a constant.
func isRandom(token string, digits int) bool {
	token = token[:min(len(token), mostRandom)]
	var low, up, num, turns, vowels, slashes int
	var last uint16
	for i := range len(token) {
		if token[i] == '/' {
			slashes++
			continue
		}
		switch c := kindOf(token[i]); c {
		case lower:
			low++
		case upper:
			up++
		case digit:
			num++
		}
		if strings.IndexByte("aeiouAEIOU", token[i]) >= 0 {
			vowels++
		}
		if c := kindOf(token[i]); i > 0 && c != last {
			turns++
		}
		last = kindOf(token[i])
	}
	n := low + up + num
	if low < 3 || up < 3 || num < digits || n < leastRandom-4 {
		return false
	}
	// turns counts the changes between lower case, upper case and digits. Random
	// text has about 60 per 100 characters.
	return turns*100 >= 38*(len(token)-slashes) && vowels*100 <= 36*n
}

// hashNames are names of hash functions, without the digits at the end.
var hashNames = set("h sha sha- sha1- sha2- sha3- md md- blake blake2b blake2b- blake2s blake3- ripemd ripemd- xxh crc32c xxhash")

// endsWithHash reports whether the last word of text is the name of a hash function, such
// as SHA-256 and h1.
func endsWithHash(text string) bool {
	word := text[strings.LastIndexAny(text, " ._")+1:]
	bare := strings.TrimRight(word, "0123456789")
	return len(word)-len(bare) <= len("256") && (len(bare) < len(word) || bare == "sha") && hashNames[lowerWord(bare)]
}

// isID reports whether the token at s.text[from] is an id. A token is an id if it has
// one of idPrefixes, or if the name of an id or a hash precedes it.
func (s *scanner) isID(from int) bool {
	for _, p := range idPrefixes {
		if strings.HasPrefix(s.text[from:], p) {
			return true
		}
	}
	// Find the end of the name before the token, as in `name=id` and `"name":
	// "id"`.
	to := from
	reach := 6 // separators, quotes and spaces
	for to > 0 && from-to < reach {
		if n := colourBefore(s.text[:to]); n > 0 {
			to, reach = to-n, reach+n
			continue
		}
		if class[s.text[to-1]]&(wordly|dot) != 0 || s.text[to-1] == '\n' || s.text[to-1] == '?' {
			break
		}
		to--
	}
	if to == from {
		return false
	}
	start := to
	for start > 0 && to-start < nameBytes/2 && (class[s.text[start-1]]&(wordly|dot) != 0 || s.text[start-1] == ' ') && colourBefore(s.text[:start]) == 0 {
		start--
	}
	if (s.text[to] == ':' || s.text[to] == '=') && endsWithHash(s.text[start:to]) { // sha256:..., h1:...
		return true
	}
	n := newName(s.text[start:to])
	n.skipFillers(true)
	return n.isID()
}
