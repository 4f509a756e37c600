package mask

import "strings"

// headerValue masks the credentials in a header such as Authorization or Cookie.
//   - The scheme and the text after the credentials stay.
//   - If pair is true, a comma separates the name and the value.
//   - If encoded is true, the value is percent-encoded.
func (s *scanner) headerValue(v value, pair, encoded bool) {
	if v.quoted {
		s.quotedHeader(v, pair)
		return
	}
	if encoded { // Bearer%20abc, Bearer+abc
		if end := s.encodedRest(v.from); end > v.to || !benignWords(head(s.text[v.from:v.to]), false) {
			s.add(v.from, end)
		}
		return
	}
	from, to := v.from, s.wordEnd(v.from)
	first := head(s.text[from:s.trimmed(from, to)])
	if first == Masked {
		return
	}
	if next := s.nextPart(to); next < len(s.text) && isScheme(first) {
		second := head(s.text[next:s.trimmed(next, s.wordEnd(next))])
		if q := opens(second); q.n > 0 {
			second = second[q.n:]
		}
		switch {
		case second == Masked, second == "", redacted(second), placeholder(second):
		case benignWords(second, false):
		case schemes[lowerWord(first)] || len(second) > 3 && !benign[lowerWord(first)]:
			s.addList(next)
		}
		return
	}
	if strings.IndexByte(first, '=') > 0 || !benignWords(first, false) && !redacted(first) && !placeholder(first) && len(first) >= 4 {
		s.addList(from)
	}
}

// quotedHeader masks the quoted value of a header: "Authorization": "Bearer abc".
func (s *scanner) quotedHeader(v value, pair bool) {
	text := head(s.text[v.from:v.to])
	first, rest, more := strings.Cut(text, " ")
	switch {
	case strings.HasSuffix(text, Masked) && (first == Masked || rest == Masked), redacted(text), placeholder(text):
	case more && isScheme(first):
		if !benignWords(rest, true) && (schemes[lowerWord(first)] || !benign[lowerWord(first)]) {
			s.add(v.from+len(first)+1, v.to)
		}
	case pair && !strings.Contains(text, "=") && !looksRandom(text):
	case !benignWords(text, true):
		s.add(v.from, v.to)
	}
}

// encodedRest returns the end of a percent-encoded value. The value also ends after
// [Masked], so that masking again changes nothing.
func (s *scanner) encodedRest(i int) int {
	if end, ok := s.params.known(i); ok {
		return end
	}
	const words = 4
	end := i
	for range words {
		if strings.HasPrefix(s.text[end:], Masked) {
			end += len(Masked)
			break
		}
		end = s.runEnd(end, true)
		if !strings.HasPrefix(s.text[end:], "%20") {
			break
		}
		end += len("%20")
	}
	return s.params.keep(i, end)
}

// isScheme reports whether the word can be an authorization scheme, such as Bearer.
func isScheme(word string) bool {
	if schemes[lowerWord(word)] {
		return true
	}
	const longest = 24
	if len(word) < 2 || len(word) > longest || class[word[0]]&(lower|upper) == 0 || !all(word, alnum|dash) {
		return false
	}
	if strings.HasPrefix(word, "AWS4-") || strings.HasPrefix(word, "SCRAM-") || strings.HasPrefix(word, "OAuth") || strings.HasPrefix(word, "GOOG4-") || strings.HasPrefix(word, "TC3-") {
		return true
	}
	return isWords(word)
}

// wordEnd returns the end of the word at i in the value of a header. Quoted text
// after an equals sign is part of the word.
func (s *scanner) wordEnd(i int) int {
	if end, ok := s.headerWord.known(i); ok {
		return end
	}
	j := i
	for j < len(s.text) {
		c := s.text[j]
		if class[c]&space != 0 || c == '<' || c == '>' || c == '|' || c == '\\' && s.endsRun(j, false) && !s.quotedParam(j) {
			break
		}
		if class[c]&quote != 0 || c == '\\' {
			if j == i || s.text[j-1] != '=' {
				if c == '\\' {
					j++
					continue
				}
				break
			}
			q := opens(s.text[j:])
			if q.n == 0 {
				j++
				continue
			}
			end := s.quotedEnd(q, j+q.n)
			j = min(len(s.text), end+q.n)
			continue
		}
		j++
	}
	return s.headerWord.keep(i, max(j, i))
}

// quotedParam reports whether the quoted value of a parameter begins at i, as in
// `nonce=\"abc\"`.
func (s *scanner) quotedParam(i int) bool {
	return i > 0 && s.text[i-1] == '=' && opens(s.text[i:]).n > 0
}

// nextPart is like nextWord, but can continue on an indented next line.
func (s *scanner) nextPart(i int) int {
	at := i
	for n := 0; n < 2 && at < len(s.text) && (s.text[at] == '\r' || s.text[at] == '\n'); n++ {
		at++
	}
	if at > i && s.text[at-1] == '\n' && strings.HasPrefix(s.text[at:], "> ") { // curl -v
		at += len(">") + 1
	}
	if at > i && class[s.text[at-1]]&space != 0 && at < len(s.text) && (s.text[at] == ' ' || s.text[at] == '\t') {
		return s.nextWord(at)
	}
	return s.nextWord(i)
}

// nextWord returns the next word on the same line, or the end of the text.
func (s *scanner) nextWord(i int) int {
	for end := i + maxGap; i < len(s.text) && i < end; i++ {
		if c := s.text[i]; c != ' ' && c != '\t' {
			if i > 0 && (s.text[i-1] == ' ' || s.text[i-1] == '\t') && class[c]&space == 0 {
				return i
			}
			break
		}
	}
	return len(s.text)
}

// addList masks the list of words at i. The list continues after a word that ends with
// a comma or a semicolon. It also continues if the next word is a parameter such as
// a=b.
func (s *scanner) addList(i int) {
	if _, ok := s.list.known(i); ok {
		return // i is within a list that is masked
	}
	from, end := i, s.wordEnd(i)
	for end > i {
		more := s.text[end-1] == ';' || s.text[end-1] == ','
		next := s.nextWord(end)
		if more {
			next = s.nextPart(end)
		}
		if next >= len(s.text) {
			break
		}
		to := s.wordEnd(next)
		if at := strings.IndexByte(head(s.text[next:to]), '='); !more && at <= 0 || to == next {
			break
		}
		i, end = next, to
	}
	s.list.keep(from, end)
	s.add(from, s.trimmed(from, end))
}
