package scan

// Precheck refuses a set that is too large. It builds no automaton of the set. It
// counts patterns and bytes, and estimates the steps of each pattern. It also
// compiles some of the patterns. It stops at the first limit that is exceeded.
func (b *Budget) Precheck(exprs []string) error {
	if b.weights != nil {
		return nil // already done
	}
	if err := checkSize(exprs); err != nil {
		return err
	}
	s := sample{Budget: b, exprs: exprs, weights: make([]weight, 0, len(exprs)), left: maxSample}
	heaviest := 0
	for i, expr := range exprs {
		*b.work += len(expr)
		w := weigh(expr)
		s.weights = append(s.weights, w)
		s.total += w.steps
		if w.steps > s.weights[heaviest].steps {
			heaviest = i
		}
		if s.total > maxWeight {
			if err := s.faultOf(heaviest); err != nil {
				return err
			}
			return &PatternError{heaviest, &BudgetError{s.weights[heaviest].steps, errAll}}
		}
	}
	b.weights = s.weights
	estimate, err := s.check()
	if err != nil {
		return err
	}
	*b.left = min(maxAll, freeSteps+stepsAgain*max(estimate, s.total))
	return s.checkTogether(*b.left)
}

// Reach estimates the steps to check one byte of a text against a pattern. Use the
// estimate only to compare patterns.
func (b *Budget) Reach(pattern int) int { return 1 + b.weights[pattern].reach/4 }

// checkSize refuses a set with too many patterns or bytes before any pattern is
// parsed.
func checkSize(exprs []string) error {
	total, longest := 0, 0
	for i, expr := range exprs {
		if i == MaxPatterns {
			return &PatternError{i, errMany}
		}
		if len(expr) > maxExpr {
			return &PatternError{i, errLong}
		}
		if len(expr) > len(exprs[longest]) {
			longest = i
		}
		if total += len(expr); total > maxSet {
			return &PatternError{longest, errLarge}
		}
	}
	return nil
}
