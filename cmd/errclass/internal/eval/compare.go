package eval

import (
	"maps"
	"slices"

	"github.com/errclass/errclass/classify"
)

// Comparison is the difference between two sets of predictions for the same entries.
// A prediction is right if its category and its reason are right. Answers in Accept and
// AcceptCategory of the [Entry] count as right.
type Comparison struct {
	Won          []Change `json:"won"`           // the earlier prediction was wrong, the new one is right
	Lost         []Change `json:"lost"`          // the earlier prediction was right, the new one is wrong
	ChangedWrong []Change `json:"changed_wrong"` // both are wrong and differ
	// Unknown has the ids of earlier predictions without an entry. Missing has the
	// ids of entries without an earlier prediction.
	Unknown []string `json:"unknown"`
	Missing []string `json:"missing"`
}

// Change is an entry with a changed prediction.
type Change struct {
	ID           string            `json:"id"`
	Slice        string            `json:"slice"`
	Product      string            `json:"product,omitempty"`
	GoldCategory classify.Category `json:"gold_category"`
	GoldReason   classify.Reason   `json:"gold_reason"`
	Then         Prediction        `json:"then"`
	Now          Prediction        `json:"now"`
	Message      string            `json:"message"`
}

// Compare compares earlier predictions with new ones, in the order of the entries. A
// change from one accepted answer to another is ignored. A change of only the rule is
// ignored.
func Compare(entries []Entry, then, now Predictions) Comparison {
	c := Comparison{Won: []Change{}, Lost: []Change{}, ChangedWrong: []Change{}, Missing: then.Missing(entries)}
	unknown := maps.Clone(then)
	for _, e := range entries {
		earlier, ok := then[e.ID]
		if !ok {
			continue
		}
		delete(unknown, e.ID)
		p := now[e.ID]
		change := Change{
			ID: e.ID, Slice: e.Slice, Product: e.Product, GoldCategory: e.Category, GoldReason: e.Reason,
			Then: earlier, Now: p, Message: e.Message,
		}
		switch wasRight, isRight := e.right(earlier), e.right(p); {
		case wasRight && !isRight:
			c.Lost = append(c.Lost, change)
		case isRight && !wasRight:
			c.Won = append(c.Won, change)
		case !isRight && (p.Category != earlier.Category || p.Reason != earlier.Reason):
			c.ChangedWrong = append(c.ChangedWrong, change)
		}
	}
	c.Unknown = append([]string{}, slices.Sorted(maps.Keys(unknown))...)
	return c
}

// right reports whether the category and the reason of p are right or accepted.
func (e Entry) right(p Prediction) bool {
	category, reason := e.judge(p)
	return category == e.Category && reason == e.Reason
}
