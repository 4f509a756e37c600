package classify

// stackWords is how many words of a set of matches, 64 rules each, live on the
// stack; larger sets are allocated.
const stackWords = 32

// textAlone gives the text that is all there is to read, and the part of the
// evidence that it is; alone is false where there is more. It is a short cut
// past all that is empty.
func (c *Classifier) textAlone(e *Evidence) (text, source string, alone bool) {
	switch {
	case c.textOnly && e.Err != nil:
		return safeText(e.Err), fromError, true
	case c.textOnly:
		return e.Message, fromMessage, true
	case e.Cause != nil || e.Status != 0 || e.Type != "" || e.Code != "" || len(e.Header) > 0 || len(e.Body) > 0:
		return "", "", false
	case e.Err == nil:
		return e.Message, fromMessage, e.Message != ""
	case e.Message != "":
		return "", "", false
	default:
		text, alone = onlyText(e.Err)
		return text, fromError, alone
	}
}

// providerOf is the provider that the caller names, where that is read.
func (c *Classifier) providerOf(e *Evidence) string {
	if c.textOnly {
		return ""
	}
	return e.Provider
}

// recalled fills r, which is zero, where text, which is all there is to read of
// e, has been decided before.
func (c *Classifier) recalled(text string, e *Evidence, r *Result) bool {
	if c.maxBytes > 0 && len(text) > c.maxBytes {
		return false
	}
	v, ok := recall(c.seen.slot(text))
	if !ok {
		return false
	}
	if v.rule < 0 {
		*r = c.unknown()
	} else {
		set := c.rules()
		rule := &set.rules[v.rule]
		r.Category, r.Reason, r.Rule = set.means[v.rule], rule.reason, rule.id
	}
	r.Status = v.status
	if r.Provider = c.providerOf(e); r.Provider == "" {
		r.Provider = providerNames[v.provider]
	}
	return true
}

// readText takes what a text says into account.
func (q *inquiry) readText(text string) {
	if text != "" {
		head, tail := cut(q, text)
		q.readParts(head, tail, len(text))
	}
}

// readBytes is readText of bytes: it copies only what it reads of them.
func (q *inquiry) readBytes(text []byte) {
	head, tail := cut(q, text)
	q.readParts(string(head), string(tail), len(text))
}

// readParts takes the head of a text of n bytes and its tail into account; the
// tail is "" where the head is all of it.
func (q *inquiry) readParts(head, tail string, n int) {
	if head == "" && tail == "" {
		return
	}
	if q.heard != nil {
		*q.heard = append(*q.heard, q.set.explain(head, tail, n, q.source)...)
		q.readWaits(head, tail) // only to learn whether they are too many
		return
	}
	v := q.verdictOf(head, tail)
	if q.said.status == 0 {
		q.said.status = v.status
	}
	if q.said.provider == 0 {
		q.said.provider = v.provider
	}
	if v.rule >= 0 {
		r := &q.set.rules[v.rule]
		sig := signal{r.id, r.reason, q.set.means[v.rule], r.strength}
		if sig.strength == userStrength && q.best.strength == userStrength {
			// Two texts, and in each a rule of the user's: their order decides.
			if v.rule < q.set.number(q.best.rule) {
				q.best = sig
			}
			return
		}
		q.add(sig)
	}
}

// verdictOf decides a text: recalled where the text was seen before. A text
// that is not read whole is not remembered, for the hash would have to read all
// of it.
func (q *inquiry) verdictOf(head, tail string) verdict {
	if tail != "" {
		v, _ := q.decide(head, tail)
		return v
	}
	place, hash := q.c.seen.slot(head)
	if v, ok := recall(place, hash); ok {
		return v
	}
	v, hinted := q.decide(head, "")
	if !hinted { // a wait is read anew each time
		remember(place, hash, v)
	}
	return v
}

// decide says what a text comes to, and whether it names a wait, which it
// reads. Of a text that is not read whole, there is a tail as well.
func (q *inquiry) decide(head, tail string) (v verdict, hinted bool) {
	var fixed [stackWords]uint64
	matched := fixed[:]
	if n := q.set.words(); n > stackWords {
		matched = make([]uint64, n)
	}
	plain, plainTail := q.set.plain(head), q.set.plain(tail)
	q.set.match(matched, head, plain)
	if tail != "" {
		q.set.match(matched, tail, plainTail)
	}
	head, tail = plain, plainTail
	reports := false // several tries
	if meets(matched, q.set.telling) {
		if hinted = meets(matched, q.set.hints); hinted {
			q.readWaits(head, tail)
		}
		v.provider = q.set.provider(matched)
		reports = meets(matched, q.set.tries)
	}
	q.set.veto(matched)
	if v.rule = q.set.decider(matched, head); v.rule < 0 {
		q.set.matchFrame(matched, firstFrame(head))
		v.rule = first(matched)
	}
	if reports && v.rule >= 0 && q.set.rules[v.rule].strength < userStrength {
		end := tail
		if end == "" {
			end = head
		}
		if rule, status := q.set.ofLastTry(end); rule >= 0 && !q.set.refused(matched, rule) {
			v.rule, v.status = rule, status
			return v, hinted
		}
	}
	if meets(matched, q.set.aboutHTTP) {
		if v.status = q.set.status(matched, v.rule, head); v.status == 0 && tail != "" {
			v.status = q.set.status(matched, v.rule, tail)
		}
	}
	return v, hinted
}
