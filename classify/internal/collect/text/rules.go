// Package text collects the signals of texts: it matches all rules against a text.
package text

import (
	"math/bits"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/memory"
	"github.com/errclass/errclass/classify/internal/ruleset"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/internal/form"
)

// stackWords is the size, in uint64s, of the largest set of matches that is kept on the
// stack. A set has one bit for each rule.
const stackWords = 32

// noMatches returns an empty set of matches. It uses the array fixed if that is
// large enough.
func noMatches(set *ruleset.Set, fixed *[stackWords]uint64) []uint64 {
	if n := set.Words(); n > stackWords {
		return make([]uint64, n)
	}
	return fixed[:]
}

// ReadText reads a text of the evidence. It caches the rules that match. If the text
// also has other evidence, such as a waiting time, ReadText caches nothing.
func ReadText(q *collect.Inquiry, text string) {
	if text == "" {
		return
	}
	head, tail := collect.Cut(q, text)
	if tail != "" || head == "" || q.Texts != nil {
		ReadParts(q, head, tail, len(text))
		return
	}
	cached, hash := q.Seen.MatchesOf(head)
	m, ok := cached.Recall(hash)
	if !ok {
		if _, m, ok = ReadParts(q, head, "", len(head)); ok {
			cached.Remember(hash, &m)
		}
		return
	}
	q.KeepForModel(head)
	part := addText(q, collect.ReadText{})
	for _, place := range m.Places[:m.N] {
		s := signal.Match(&q.Set.Rules[place], place)
		s.Part, s.Source = part, q.Source
		q.List.Add(&s)
	}
	keepMention(q, m.Mention)
}

// ReadBytes reads a text like [ReadText], but caches nothing. It copies only the
// part that it reads. It returns the text, or only its end if the middle was not
// read.
func ReadBytes(q *collect.Inquiry, text []byte) string {
	head, tail := collect.Cut(q, text)
	first, last := string(head), string(tail)
	ReadParts(q, first, last, len(text))
	if last == "" {
		return first
	}
	return last
}

// ReadParts reads a text of n bytes. If tail is empty, head is the whole text. Otherwise
// head is the beginning and tail the end. The signals and waiting times are added to q.
//
//   - timed reports whether the text may name a waiting time.
//   - matches has the rules that matched.
//   - complete reports whether these rules are the only evidence in the text.
func ReadParts(q *collect.Inquiry, head, tail string, n int) (timed bool, matches memory.Matches, complete bool) {
	if head == "" && tail == "" {
		return false, matches, false
	}
	set := q.Set
	var fixed [stackWords]uint64
	matched := noMatches(set, &fixed)
	plain, plainTail := set.Plain(head), set.Plain(tail)
	q.KeepForModel(head)
	set.Match(matched, head, plain)
	if tail != "" {
		set.Match(matched, tail, plainTail)
	}
	part := addText(q, collect.ReadText{Head: head, Tail: tail, N: n})
	reports, earlier := false, false
	if ruleset.Meets(matched, set.WithoutReason) {
		if timed = ruleset.Meets(matched, set.Hints); timed {
			readWaits(q, plain, plainTail)
		}
		matches.Provider = set.Provider(matched)
		if reports = ruleset.Meets(matched, set.Reports); reports {
			end := plainTail
			if end == "" {
				end = plain
			}
			earlier, matches.Status = readLastAttempt(q, end)
		}
	}
	ordered := addMatches(q, matched, plain, part, earlier)
	frame := form.FirstFrame(plain)
	if frame != "" {
		readFrame(q, frame)
	}
	if !earlier && ruleset.Meets(matched, set.AboutHTTP) {
		if matches.Status = set.Status(matched, plain); matches.Status == 0 && plainTail != "" {
			matches.Status = set.Status(matched, plainTail)
		}
	}
	keepMention(q, matches.Mention)
	complete = !timed && !reports && !ordered && frame == "" && matches.Fill(matched)
	return timed, matches, complete
}

// keepMention keeps the first status and the first provider that texts mention.
func keepMention(q *collect.Inquiry, u memory.Mention) {
	if q.Mentioned.Status == 0 {
		q.Mentioned.Status = u.Status
	}
	if q.Mentioned.Provider == 0 {
		q.Mentioned.Provider = u.Provider
	}
}

// addText returns the number of the text, counted from 1. For Explain, it also keeps
// the text.
func addText(q *collect.Inquiry, t collect.ReadText) uint16 {
	q.Parts++
	if q.Texts != nil {
		t.Source = q.Source
		*q.Texts = append(*q.Texts, t)
	}
	return q.Parts
}

// addMatches adds the signals of the matched rules.
//
//   - part is the number of the text.
//   - If faint is true, the signals are marked as Faint, so they rank below all others.
//     Signals of user rules are never marked.
//   - ordered reports whether the order of the matches in the text matters.
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

// readFrame adds the signals of a stack frame at the beginning of a text. It ignores
// the user's rules, and the rules that find a reason from a single word.
func readFrame(q *collect.Inquiry, frame string) {
	var fixed [stackWords]uint64
	matched := noMatches(q.Set, &fixed)
	for _, p := range q.Set.Parts {
		if p.Reads == ruleset.PlainWithoutFrames {
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
	addMatches(q, matched, frame, addText(q, collect.ReadText{Head: frame, N: len(frame), Frame: true}), true)
}

// readLastAttempt reads a report of several attempts, from the last to the first. It
// stops at an attempt with a signal that is stronger than a single word, and adds the
// signals of this attempt.
//
//   - ok is false if there is no such attempt, or no report.
//   - status is the HTTP status of the attempt.
func readLastAttempt(q *collect.Inquiry, text string) (ok bool, status int) {
	log := form.NewAttemptLog(text)
	if log.Final > 0 {
		if ok, status = readAttempt(q, text[log.Final:]); ok {
			return ok, status
		}
	}
	if log.N < 2 {
		return false, 0 // the whole text is a single attempt
	}
	for back := range form.MaxAttempts {
		if part, found := log.Part(back); found {
			if ok, status = readAttempt(q, part); ok {
				return ok, status
			}
		}
	}
	return false, 0
}

// readAttempt adds the signals of one attempt, if one is stronger than a single
// word. It does not try the user's rules.
func readAttempt(q *collect.Inquiry, text string) (ok bool, status int) {
	var fixed [stackWords]uint64
	matched := noMatches(q.Set, &fixed)
	q.Set.MatchStandard(matched, text)
	if !q.Set.HasStrong(matched) {
		return false, 0
	}
	addMatches(q, matched, text, addText(q, collect.ReadText{Head: text, N: len(text), Attempt: true}), false)
	return true, q.Set.Status(matched, text)
}

// readWaits looks for waiting times in the beginning and the end of a text.
func readWaits(q *collect.Inquiry, head, tail string) {
	now, left := q.Now(), &q.Budget.Left[collect.TextWaits]
	q.Hint.ReadLines(head, now, left)
	q.Hint.ReadLines(tail, now, left)
	if *left == 0 {
		q.Lose(collect.TextWaits, 1)
	}
}
