package logline

import (
	"cmp"
	"slices"
	"time"

	"github.com/errclass/errclass/classify"
)

// Summary counts the lines that a [Processor] processed.
type Summary struct {
	Lines      int64   `json:"lines"`         // blank ones included
	Classified int64   `json:"classified"`    // records and text events
	NotJSON    int64   `json:"not_json"`      // passed on unchanged
	TooLong    int64   `json:"too_long"`      // longer than MaxLine; passed on unchanged
	Text       int64   `json:"text,omitzero"` // text events among Classified
	Counts     []Count `json:"counts"`        // most frequent first; see Sort

	// FirstNotJSON is the number of the first line that is not JSON. FirstTooLong is the
	// number of the first line that is too long. The first line of the input has the
	// number 1. If there is no such line, the number is 0.
	FirstNotJSON int64 `json:"first_not_json,omitzero"`
	FirstTooLong int64 `json:"first_too_long,omitzero"`
}

// Count is the number of records and text events with a certain category and reason.
type Count struct {
	Category string `json:"category"`
	Reason   string `json:"reason"`
	Count    int64  `json:"count"`
	// First and Last are the earliest and the latest time of these records and events.
	// If none of them has a time, both are zero.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`
}

// otherValue replaces unknown categories and reasons, so that the number of counts stays
// limited.
const otherValue = "other"

// add counts a classified record.
func (s *Summary) add(category, reason string, at time.Time) {
	s.Classified++
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

// Sort sorts the counts by frequency, the highest first, and then by name.
func (s *Summary) Sort() {
	slices.SortFunc(s.Counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Category, b.Category), cmp.Compare(a.Reason, b.Reason))
	})
}
