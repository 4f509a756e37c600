package scan

import (
	"errors"
	"slices"
)

// In a set of manyPatterns, the patterns that look most expensive are compiled
// alone first: the others may take seconds, and an expensive one is to be refused
// before.
const (
	manyPatterns = 500
	maxSuspects  = 8
)

// checkSuspects refuses a pattern that is too much work by itself. Faults of
// other kinds are found later, in the order of the patterns.
func (b *Budget) checkSuspects(exprs []string) error {
	if len(exprs) < manyPatterns {
		return nil
	}
	for _, i := range suspects(exprs) {
		alone := NewBudget(exprs[i : i+1])
		alone.work = b.work
		err := alone.try(exprs[i])
		var much *BudgetError
		if errors.As(err, &much) {
			b.spent[i] = alone.spent[0]
			return &PatternError{i, much}
		}
	}
	return nil
}

// try compiles a single pattern but for its filter.
func (b *Budget) try(expr string) (err error) {
	defer b.recoverSpent(&err)
	parsed, err := b.read([]string{expr})
	if err == nil {
		_, err = b.matcher(parsed)
	}
	return err
}

// suspects returns the patterns that look most expensive, these first.
func suspects(exprs []string) (worst []int) {
	scores := make([]int, 0, maxSuspects+1)
	for i, expr := range exprs {
		s := suspicion(expr)
		if s == 0 || len(scores) == maxSuspects && s <= scores[maxSuspects-1] {
			continue
		}
		at, _ := slices.BinarySearchFunc(scores, s, func(other, s int) int { return s - other })
		scores, worst = slices.Insert(scores, at, s), slices.Insert(worst, at, i)
		scores, worst = scores[:min(len(scores), maxSuspects)], worst[:min(len(worst), maxSuspects)]
	}
	return worst
}

// suspicion estimates from its text how far a pattern unfolds: the sum of its
// counts, and of the characters that make choices.
func suspicion(expr string) (score int) {
	count := 0
	for i := range len(expr) {
		switch c := expr[i]; {
		case '0' <= c && c <= '9':
			count = min(10*count+int(c-'0'), 1000)
			continue
		case c == '}':
			score += count
		case c == '?' || c == '*' || c == '+' || c == '|':
			score++
		case c == 'p' && i > 0 && expr[i-1] == '\\':
			score += 20
		}
		count = 0
	}
	return score
}
