package rulesfile

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/errclass/errclass/classify/internal/ruledoc"
	"github.com/errclass/errclass/classify/internal/scan"
)

// examined is a rule with examples.
type examined struct {
	index int
	cost  int // estimated cost of checking the examples; used to sort the rules
	done  bool
}

// checkAllExamples returns the first fault in the examples of all rules. It first
// estimates the work from a sample. If the estimate is too high, it returns an
// error.
func checkAllExamples(docs []ruledoc.Rule, budget *scan.Budget) error {
	var rules []examined
	bytes := 0
	for i := range docs {
		size := sizeOf(docs[i].Match) + sizeOf(docs[i].Miss)
		if bytes += size; size > 0 {
			rules = append(rules, examined{index: i, cost: size * budget.Reach(i)})
		}
	}
	slices.SortStableFunc(rules, func(a, b examined) int { return cmp.Compare(b.cost, a.cost) })
	var first error
	at := len(docs)
	check := func(r *examined) error {
		r.done = true
		err := checkExamples(&docs[r.index], r.index, budget)
		if much := (*scan.BudgetError)(nil); errors.As(err, &much) {
			return err
		}
		if err != nil && r.index < at {
			first, at = err, r.index
		}
		return nil
	}
	const sampled = 32
	some, estimate := min(sampled, len(rules)), 0
	for n := range some { // each sampled rule represents the similar rules after it
		r, like := &rules[n*len(rules)/some], (n+1)*len(rules)/some-n*len(rules)/some
		before := budget.Checked()
		if err := check(r); err != nil {
			return err
		}
		estimate += like * (budget.Checked() - before)
		if err := budget.PrecheckTexts(r.index, estimate, bytes); err != nil {
			return err
		}
	}
	for i := range rules {
		if r := &rules[i]; !r.done {
			if err := check(r); err != nil {
				return err
			}
		}
	}
	return first
}

// sizeOf returns the cost of checking texts. A text costs its length plus 10.
func sizeOf(texts []string) (size int) {
	for _, text := range texts {
		size += 10 + len(text)
	}
	return size
}

// checkExamples checks that a pattern matches all "match" texts and no "miss" text.
func checkExamples(d *ruledoc.Rule, index int, budget *scan.Budget) error {
	t, err := budget.Tester(index, d.Pattern)
	if err != nil {
		return err
	}
	for _, text := range d.Match {
		switch matched, err := t.Match(text); {
		case err != nil:
			return err
		case !matched:
			return faultf(d.LineOf("match"), "rule %q: pattern %s does not match %s, which is listed under match; correct one of the two",
				d.ID, scan.Shorten(d.Pattern), scan.Shorten(text))
		}
	}
	for _, text := range d.Miss {
		switch matched, err := t.Match(text); {
		case err != nil:
			return err
		case matched:
			return faultf(d.LineOf("miss"), "rule %q: pattern %s matches %s%s, which is listed under miss; correct one of the two",
				d.ID, scan.Shorten(d.Pattern), matchIn(d.Pattern, text), scan.Shorten(text))
		}
	}
	return nil
}

// matchIn returns the matching part of a text, in quotes and followed by "in". If
// the pattern or the text is long, it returns "".
func matchIn(pattern, text string) string {
	const short = 1 << 10
	if len(pattern) > short || len(text) > short {
		return ""
	}
	re, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%q in ", re.FindString(text))
}
