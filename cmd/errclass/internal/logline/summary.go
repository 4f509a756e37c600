package logline

import (
	"cmp"
	"slices"
	"time"

	"github.com/errclass/errclass/classify"
)

// Summary counts what went through a [Processor].
type Summary struct {
	Lines      int64   `json:"lines"` // blank ones included
	Classified int64   `json:"classified"`
	NotJSON    int64   `json:"not_json"` // passed on as they are
	TooLong    int64   `json:"too_long"` // longer than MaxLine, passed on as they are
	Counts     []Count `json:"counts"`   // most frequent first; see Sort

	// The numbers of the first lines of these kinds, from 1; 0 = none.
	FirstNotJSON int64 `json:"first_not_json,omitzero"`
	FirstTooLong int64 `json:"first_too_long,omitzero"`
}

// Count is how often a category and a reason were seen, and when.
type Count struct {
	Category string    `json:"category"`
	Reason   string    `json:"reason"`
	Count    int64     `json:"count"`
	First    time.Time `json:"first,omitzero"` // the earliest and the latest time
	Last     time.Time `json:"last,omitzero"`  // in these lines; zero where none has one
}

// otherValue stands for categories and reasons that came with the lines and
// are none of ours: those could be of any number.
const otherValue = "other"

// add counts a classified line.
func (s *Summary) add(a Annotation, at time.Time) {
	s.Classified++
	category, reason := a.Category, a.Reason
	if !slices.Contains(classify.Categories(), classify.Category(category)) {
		category = otherValue
	}
	if !classify.Reason(reason).Valid() {
		reason = otherValue
	}
	i := slices.IndexFunc(s.Counts, func(c Count) bool { return c.Category == category && c.Reason == reason })
	if i < 0 {
		i = len(s.Counts)
		s.Counts = append(s.Counts, Count{Category: category, Reason: reason})
	}
	c := &s.Counts[i]
	c.Count++
	if at.IsZero() {
		return
	}
	if c.First.IsZero() || at.Before(c.First) {
		c.First = at
	}
	if at.After(c.Last) {
		c.Last = at
	}
}

// Sort puts the most frequent counts first, equal ones by their names.
func (s *Summary) Sort() {
	slices.SortFunc(s.Counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Category, b.Category), cmp.Compare(a.Reason, b.Reason))
	})
}
