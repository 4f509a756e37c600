package classify

// stackWords is how many words of a set of matches, 64 rules each, live on the
// stack; larger sets are allocated.
const stackWords = 32

// readText takes what a text says into account.
func (q *inquiry) readText(text string) {
	if text == "" {
		return
	}
	if q.heard != nil {
		*q.heard = append(*q.heard, q.set.explain(text, q.limit, q.source)...)
		return
	}
	if i := q.ruleOf(text); i >= 0 {
		r := &q.set.rules[i]
		q.add(signal{r.id, r.reason, q.set.means[i], r.strength})
	}
}

// ruleOf returns the number of the rule that decides a text, or -1: recalled
// where the text was seen before. A text that is longer than the limit is not
// remembered, for the hash would have to read all of it.
func (q *inquiry) ruleOf(text string) int {
	if q.limit > 0 && len(text) > q.limit {
		rule, _ := q.decide(text)
		return rule
	}
	place, hash := q.seen.slot(text)
	if rule, ok := recall(place, hash); ok {
		return rule
	}
	rule, hinted := q.decide(text)
	if !hinted { // a wait is read anew each time
		remember(place, hash, rule)
	}
	return rule
}

// decide returns the number of the rule that decides a text, or -1, and whether
// the text names a wait, which it reads. Of a text that is longer than the
// limit, it looks at the first and the last half of the limit.
func (q *inquiry) decide(text string) (rule int, hinted bool) {
	var fixed [stackWords]uint64
	matched := fixed[:]
	if n := q.set.words(); n > stackWords {
		matched = make([]uint64, n)
	}
	head, tail := text, ""
	if q.limit > 0 && len(text) > q.limit {
		head = text[:q.limit/2]
		tail = text[len(text)-(q.limit-len(head)):] // of an odd limit the larger half
	}
	q.set.match(matched, head)
	if tail != "" {
		q.set.match(matched, tail)
	}
	if hinted = q.set.hinted(matched); hinted {
		now := q.time()
		q.hint.readLines(head, now)
		q.hint.readLines(tail, now)
	}
	q.set.veto(matched)
	if rule = first(matched); rule < 0 {
		q.set.matchFrame(matched, firstFrame(head))
		rule = first(matched)
	}
	return rule, hinted
}
