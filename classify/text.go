package classify

import (
	"math/bits"

	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// stackWords is how many words of a set of matches, 64 rules each, live on the
// stack; larger sets are allocated.
const stackWords = 32

// textAlone gives the text that is all there is to read, and the part of the
// evidence that it is; alone is false where there is more. It is a short cut
// past all that is empty.
func (c *Classifier) textAlone(e *Evidence) (text string, source signal.Source, alone bool) {
	switch {
	case c.textOnly && e.Err != nil:
		return safeText(e.Err), signal.FromError, true
	case c.textOnly:
		return e.Message, signal.FromMessage, true
	case e.Cause != nil || e.Status != 0 || e.Type != "" || e.Code != "" || len(e.Header) > 0 || len(e.Body) > 0:
		return "", 0, false
	case e.Err == nil:
		return e.Message, signal.FromMessage, e.Message != ""
	case e.Message != "":
		return "", 0, false
	default:
		text, alone = onlyText(e.Err)
		return text, signal.FromError, alone
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
		rule := &c.rules().rules[v.rule]
		r.Category, r.Reason, r.Rule = Category(rule.Meaning().String()), Reason(rule.Reason.String()), rule.ID
	}
	r.Status = v.status
	if r.Provider = c.providerOf(e); r.Provider == "" {
		r.Provider = standard.Providers[v.provider]
	}
	return true
}

// readAlone classifies a text that is all there is to read, and remembers what it
// came to. A text that is not read whole is not remembered, for the hash would
// have to read all of it; nor is one that names a wait, which may be a date.
func (q *inquiry) readAlone(text string, r *Result) {
	q.budget.shareText()
	head, tail := cut(q, text)
	timed, _, _ := q.readParts(head, tail, len(text))
	won := q.result(r)
	if tail != "" || timed {
		return
	}
	v := verdict{rule: -1, status: r.Status, provider: q.said.provider}
	if won != nil {
		v.rule = int(won.Place)
	}
	place, hash := q.c.seen.slot(text)
	remember(place, hash, v)
}

// readText reads a text beside other evidence. What the rules find in it is
// remembered, as far as it says so by itself.
func (q *inquiry) readText(text string) {
	if text == "" {
		return
	}
	head, tail := cut(q, text)
	if tail != "" || head == "" || q.texts != nil {
		q.readParts(head, tail, len(text))
		return
	}
	slot, hash := q.c.seen.matchesOf(head)
	m, ok := slot.recall(hash)
	if !ok {
		if _, m, ok = q.readParts(head, "", len(head)); ok {
			slot.remember(hash, &m)
		}
		return
	}
	part := q.part(readText{})
	for _, place := range m.places[:m.n] {
		s := signal.Match(&q.set.rules[place], place)
		s.Part, s.Source = part, q.source
		q.list.Add(&s)
	}
	q.utter(m.utterance)
}

// readBytes is readText of bytes: it copies only what it reads of them.
func (q *inquiry) readBytes(text []byte) {
	head, tail := cut(q, text)
	q.readParts(string(head), string(tail), len(text))
}

// readParts adds the rules that match the head or the tail of a text of n bytes;
// the tail is "" where the head is all of it. timed says that the text may name a
// wait, which is read. The rules that matched are all that the text says if whole.
func (q *inquiry) readParts(head, tail string, n int) (timed bool, all matches, whole bool) {
	if head == "" && tail == "" {
		return false, all, false
	}
	set := q.set
	var fixed [stackWords]uint64
	matched := fixed[:]
	if n := set.words(); n > stackWords {
		matched = make([]uint64, n)
	}
	plain, plainTail := set.plain(head), set.plain(tail)
	set.match(matched, head, plain)
	if tail != "" {
		set.match(matched, tail, plainTail)
	}
	part := q.part(readText{head: head, tail: tail, n: n})
	reports, earlier := false, false
	if meets(matched, set.telling) {
		if timed = meets(matched, set.hints); timed {
			q.readWaits(plain, plainTail)
		}
		all.provider = set.provider(matched)
		if reports = meets(matched, set.tries); reports {
			end := plainTail
			if end == "" {
				end = plain
			}
			earlier, all.status = q.readLastTry(end)
		}
	}
	ordered := q.addMatches(matched, plain, part, earlier)
	frame := firstFrame(plain)
	if frame != "" {
		q.readFrame(frame)
	}
	if !earlier && meets(matched, set.aboutHTTP) {
		if all.status = set.status(matched, plain); all.status == 0 && plainTail != "" {
			all.status = set.status(matched, plainTail)
		}
	}
	q.utter(all.utterance)
	whole = !timed && !reports && !ordered && frame == "" && all.fill(matched)
	return timed, all, whole
}

// utter keeps what a text says beside its signals, where no text before it did.
func (q *inquiry) utter(u utterance) {
	if q.said.status == 0 {
		q.said.status = u.status
	}
	if q.said.provider == 0 {
		q.said.provider = u.provider
	}
}

// part counts a text that is read.
func (q *inquiry) part(t readText) uint16 {
	q.parts++
	if q.texts != nil {
		t.source = q.source
		*q.texts = append(*q.texts, t)
	}
	return q.parts
}

// addMatches adds the rules of a set of matches in a part. What the user's rules
// find is never faint: they are taken at their word wherever they match. ordered
// says that the order in the text matters.
func (q *inquiry) addMatches(matched []uint64, text string, part uint16, faint bool) (ordered bool) {
	set := q.set
	var fixed [stackWords]uint64
	before, refusal := fixed[:], int32(0)
	if meets(matched, set.refusals) && meets(matched, set.passing) {
		if n := set.words(); n > stackWords {
			before = make([]uint64, n)
		}
		refusal = set.beforeRefusal(before, matched, text)
	}
	for w, word := range matched {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			s := signal.Match(&set.rules[i], i)
			s.Part, s.Source, s.Faint = part, q.source, faint && s.Strength < signal.User
			switch {
			case refusal == 0:
			case hasBit(set.refusals, i):
				s.Offset = refusal
			case !hasBit(before, i):
				s.Offset = refusal + 1
			}
			q.list.Add(&s)
		}
	}
	return refusal != 0
}

// readFrame adds what the first frame of a text says that begins with one: in the
// tail of a trace, a function that is named after what happened may be all that is
// known. Bare words stay out of it, and to the user's rules, which have seen it,
// it is no text of its own.
func (q *inquiry) readFrame(frame string) {
	var fixed [stackWords]uint64
	matched := fixed[:]
	if n := q.set.words(); n > stackWords {
		matched = make([]uint64, n)
	}
	for _, p := range q.set.parts {
		if p.reads == plainSpeech {
			p.matcher.Match(matched[p.word:], singleSpaced(frame))
		}
	}
	for i := range q.set.rules {
		if r := &q.set.rules[i]; r.Reason != signal.NoReason && r.Strength <= signal.Word {
			matched[i/64] &^= 1 << (i % 64)
		}
	}
	q.addMatches(matched, frame, q.part(readText{head: frame, n: len(frame), frame: true}), true)
}

// readLastTry adds what a report of several tries says last; ok is false where
// the text is no such report or says nothing there. It reads the text backwards,
// try by try, until one says more than a bare word. status is the one that is
// named there.
func (q *inquiry) readLastTry(text string) (ok bool, status int) {
	log := newTryLog(text)
	if log.final > 0 {
		if ok, status = q.readTry(text[log.final:]); ok {
			return ok, status
		}
	}
	if log.n < 2 {
		return false, 0 // a single try is all of the text
	}
	for back := range maxTries {
		if part, found := log.part(back); found {
			if ok, status = q.readTry(part); ok {
				return ok, status
			}
		}
	}
	return false, 0
}

// readTry adds what a part of a text says, if it says more than a bare word. The
// user's rules have seen the whole.
func (q *inquiry) readTry(text string) (ok bool, status int) {
	var fixed [stackWords]uint64
	matched := fixed[:]
	if n := q.set.words(); n > stackWords {
		matched = make([]uint64, n)
	}
	q.set.matchSpeech(matched, text)
	if !q.set.says(matched) {
		return false, 0
	}
	q.addMatches(matched, text, q.part(readText{head: text, n: len(text), try: true}), false)
	return true, q.set.status(matched, text)
}
