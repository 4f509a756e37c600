package mask

import "strings"

// yamlBlock masks the YAML block scalar at i. It reports whether there is one.
func (s *scanner) yamlBlock(i int) bool {
	for i < len(s.text) && s.text[i] == ' ' {
		i++
	}
	if i >= len(s.text) || s.text[i] != '|' && s.text[i] != '>' {
		return false
	}
	i++
	for n := 0; n < 2 && i < len(s.text) && strings.IndexByte("+-123456789", s.text[i]) >= 0; n++ {
		i++
	}
	if i >= len(s.text) || s.text[i] != '\n' {
		return false
	}
	i++
	if _, ok := s.yamlBlocks.known(i); ok {
		return true
	}
	first := i
	for first < len(s.text) && s.text[first] == ' ' {
		first++
	}
	indent, end := first-i, first
	for indent > 0 && end < len(s.text) {
		for end < len(s.text) && s.text[end] != '\n' {
			end++
		}
		if next := end + 1; next+indent >= len(s.text) || strings.Trim(s.text[next:next+indent], " ") != "" {
			break
		}
		end++
	}
	s.yamlBlocks.keep(i, end)
	s.add(first, end)
	return true
}

// lines masks the items of the YAML list on the lines after i. It reports whether
// there is one.
func (s *scanner) lines(vc valueContext, i int) bool {
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\r') {
		i++
	}
	if i >= len(s.text) || s.text[i] != '\n' {
		return false
	}
	if _, ok := s.items.known(i); ok {
		return true
	}
	from, end := i, i
	for end < len(s.text) {
		at := end + 1
		for at < len(s.text) && s.text[at] == ' ' {
			at++
		}
		if !strings.HasPrefix(s.text[min(at, len(s.text)):], "- ") {
			break
		}
		item := s.valueAt(at+len("- "), false)
		if item.from >= item.to || item.below {
			break
		}
		after := item.to
		if item.quoted && after < len(s.text) {
			after++
		}
		next := after
		for next < len(s.text) && s.text[next] != '\n' {
			next++
		}
		text := head(s.text[item.from:item.to])
		if strings.TrimSpace(s.text[after:min(next, after+maxGap)]) == "" && (item.quoted || !strings.Contains(text, ": ")) && s.leafSecret(vc, text, item.quoted) {
			s.add(item.from, item.to)
		}
		end = next
	}
	if end == from {
		return false
	}
	s.items.keep(from, end)
	return true
}
