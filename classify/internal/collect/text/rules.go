// Package text collects the signals of texts: it matches all rules with a text.
package text

import (
	"math/bits"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/memory"
	"github.com/errclass/errclass/classify/internal/ruleset"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/internal/form"
)

// stackWords is the largest set of matches on the stack, in words of 64 rules.
// Larger sets are allocated.
const stackWords = 32

// noMatches returns an empty set of matches. It uses fixed if that is large enough.
func noMatches(set *ruleset.Set, fixed *[stackWords]uint64) []uint64 {
	if n := set.Words(); n > stackWords {
		return make([]uint64, n)
	}
	return fixed[:]
}

// ReadText reads a text that is one part of the evidence. It caches the matched
// rules if the text has no other evidence, such as a wait.
func ReadText(q *collect.Inquiry, text string) {
	if text == "" {
		return
	}
	head, tail := collect.Cut(q, text)
	if tail != "" || head == "" || q.Texts != nil {
		ReadParts(q, head, tail, len(text))
		return
	}
	slot, hash := q.Seen.MatchesOf(head)
	m, ok := slot.Recall(hash)
	if !ok {
		if _, m, ok = ReadParts(q, head, "", len(head)); ok {
			slot.Remember(hash, &m)
		}
		return
	}
	q.Hear(head)
	part := part(q, collect.ReadText{})
	for _, place := range m.Places[:m.N] {
		s := signal.Match(&q.Set.Rules[place], place)
		s.Part, s.Source = part, q.Source
		q.List.Add(&s)
	}
	utter(q, m.Utterance)
}

// ReadBytes reads a text like [ReadText]. It copies only the part that it reads, and
// remembers nothing. It returns the last part that it read.
func ReadBytes(q *collect.Inquiry, text []byte) (end string) {
	head, tail := collect.Cut(q, text)
	first, last := string(head), string(tail)
	ReadParts(q, first, last, len(text))
	if last == "" {
		return first
	}
	return last
}

// ReadParts adds the rules that match the head or the tail of a text of n bytes.
// If the head is the whole text, the tail is empty. timed reports whether the text
// may name a wait; ReadParts then looks for it. all has the rules that matched. If
// whole is true, all is the whole evidence of the text.
func ReadParts(q *collect.Inquiry, head, tail string, n int) (timed bool, all memory.Matches, whole bool) {
	if head == "" && tail == "" {
		return false, all, false
	}
	set := q.Set
	var fixed [stackWords]uint64
	matched := noMatches(set, &fixed)
	plain, plainTail := set.Plain(head), set.Plain(tail)
	q.Hear(plain)
	set.Match(matched, head, plain)
	if tail != "" {
		set.Match(matched, tail, plainTail)
	}
	part := part(q, collect.ReadText{Head: head, Tail: tail, N: n})
	reports, earlier := false, false
	if ruleset.Meets(matched, set.Telling) {
		if timed = ruleset.Meets(matched, set.Hints); timed {
			readWaits(q, plain, plainTail)
		}
		all.Provider = set.Provider(matched)
		if reports = ruleset.Meets(matched, set.Tries); reports {
			end := plainTail
			if end == "" {
				end = plain
			}
			earlier, all.Status = readLastTry(q, end)
		}
	}
	ordered := addMatches(q, matched, plain, part, earlier)
	frame := form.FirstFrame(plain)
	if frame != "" {
		readFrame(q, frame)
	}
	if !earlier && ruleset.Meets(matched, set.AboutHTTP) {
		if all.Status = set.Status(matched, plain); all.Status == 0 && plainTail != "" {
			all.Status = set.Status(matched, plainTail)
		}
	}
	utter(q, all.Utterance)
	whole = !timed && !reports && !ordered && frame == "" && all.Fill(matched)
	return timed, all, whole
}

// utter keeps the status and the provider that a text names. A status or provider
// of an earlier text stays.
func utter(q *collect.Inquiry, u memory.Utterance) {
	if q.Said.Status == 0 {
		q.Said.Status = u.Status
	}
	if q.Said.Provider == 0 {
		q.Said.Provider = u.Provider
	}
}

// part returns the number of a new text. For Explain, it also keeps the text.
func part(q *collect.Inquiry, t collect.ReadText) uint16 {
	q.Parts++
	if q.Texts != nil {
		t.Source = q.Source
		*q.Texts = append(*q.Texts, t)
	}
	return q.Parts
}

// addMatches adds the signals of matched rules in a part. If faint is true, the
// signals are faint, except those of user rules. ordered reports whether the signals
// depend on the order of the matches in the text.
func addMatches(q *collect.Inquiry, matched []uint64, text string, part uint16, faint bool) (ordered bool) {
	set := q.Set
	var fixed [stackWords]uint64
	before, refusal := fixed[:], int32(0)
	if ruleset.Meets(matched, set.Refusals) && ruleset.Meets(matched, set.Passing) {
		before = noMatches(set, &fixed)
		refusal = set.BeforeRefusal(before, matched, text)
	}
	for w, word := range matched {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			s := signal.Match(&set.Rules[i], i)
			s.Part, s.Source, s.Faint = part, q.Source, faint && s.Strength < signal.User
			switch {
			case refusal == 0:
			case ruleset.HasBit(set.Refusals, i):
				s.Offset = refusal
			case !ruleset.HasBit(before, i):
				s.Offset = refusal + 1
			}
			q.List.Add(&s)
		}
	}
	return refusal != 0
}

// readFrame adds the rules that match the first frame of a text that begins with a
// frame. The tail of a trace may have no message. Then the name of a function may be
// the only evidence. Rules for bare words do not count here. User rules are not
// tried again, because they have read the whole text.
func readFrame(q *collect.Inquiry, frame string) {
	var fixed [stackWords]uint64
	matched := noMatches(q.Set, &fixed)
	for _, p := range q.Set.Parts {
		if p.Reads == ruleset.PlainSpeech {
			p.Matcher.Match(matched[p.Word:], form.SingleSpaced(frame))
		}
	}
	for w, word := range matched {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			if r := &q.Set.Rules[i]; r.Reason != signal.NoReason && r.Strength <= signal.Word {
				matched[w] &^= 1 << (i % 64)
			}
		}
	}
	addMatches(q, matched, frame, part(q, collect.ReadText{Head: frame, N: len(frame), Frame: true}), true)
}

// readLastTry adds the signals of the last attempt in a report of several attempts.
// It reads the attempts from the last to the first, until one has a signal that is
// stronger than a bare word. status is the HTTP status of that attempt. ok is false
// if there is no such attempt, or if the text is no such report.
func readLastTry(q *collect.Inquiry, text string) (ok bool, status int) {
	log := form.NewTryLog(text)
	if log.Final > 0 {
		if ok, status = readTry(q, text[log.Final:]); ok {
			return ok, status
		}
	}
	if log.N < 2 {
		return false, 0 // the whole text is a single attempt
	}
	for back := range form.MaxTries {
		if part, found := log.Part(back); found {
			if ok, status = readTry(q, part); ok {
				return ok, status
			}
		}
	}
	return false, 0
}

// readTry adds the signals of a part of a text, if one of them is stronger than a
// bare word. The user's rules match only the whole text.
func readTry(q *collect.Inquiry, text string) (ok bool, status int) {
	var fixed [stackWords]uint64
	matched := noMatches(q.Set, &fixed)
	q.Set.MatchSpeech(matched, text)
	if !q.Set.Says(matched) {
		return false, 0
	}
	addMatches(q, matched, text, part(q, collect.ReadText{Head: text, N: len(text), Try: true}), false)
	return true, q.Set.Status(matched, text)
}

// readWaits looks for waits in the head and the tail of a text.
func readWaits(q *collect.Inquiry, head, tail string) {
	now, left := q.Now(), &q.Budget.Left[collect.TextWaits]
	q.Hint.ReadLines(head, now, left)
	q.Hint.ReadLines(tail, now, left)
	if *left == 0 {
		q.Lose(collect.TextWaits, 1)
	}
}
