package classify

// stackWords is how many words of a rule set live on the stack; larger sets
// (more than 64 rules a word) are allocated.
const stackWords = 32

// readText takes what a text says into account. Of a text that is longer than
// the limit, the first and the last half of the limit are read.
func (q *inquiry) readText(text string) {
	if text == "" {
		return
	}
	var fixed [stackWords]uint64
	matched := fixed[:]
	if n := q.set.matcher.Words(); n > stackWords {
		matched = make([]uint64, n)
	}
	if q.limit > 0 && len(text) > q.limit {
		q.set.matcher.Match(matched, text[:q.limit/2])
		text = text[len(text)-q.limit/2:]
	}
	q.set.matcher.Match(matched, text)
	q.set.veto(matched)
	if i := first(matched); i >= 0 {
		r := &q.set.rules[i]
		q.add(signal{r.id, r.reason, r.category, r.strength})
	}
}

// veto removes from a set of matched rules what other matched rules rule out,
// and the rules that have no reason themselves.
func (s *ruleSet) veto(matched []uint64) {
	for w := range s.vetoers {
		for bits := matched[w] & s.vetoers[w]; bits != 0; bits &= bits - 1 {
			for i, v := range s.vetoes[w*64+trailing(bits)] {
				matched[i] &^= v
			}
		}
	}
	for w := range s.silent {
		matched[w] &^= s.silent[w]
	}
}
