package scan

import (
	"regexp/syntax"
	"slices"
)

// sequences expands re into alternatives. For each alternative, it returns the list of
// consecutive elements. Every loop is a separate element. If re has no loop, cannot be
// expanded or has too many alternatives, the only list has re as its only element.
func (p *parser) sequences(re *syntax.Regexp) [][]*syntax.Regexp {
	if !p.hasLoop(re) || isLoop(re) {
		return [][]*syntax.Regexp{{re}}
	}
	if all, ok := p.expanded[re]; ok {
		return all
	}
	var all [][]*syntax.Regexp
	ok := true
	switch re.Op {
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			all = append(all, p.sequences(sub)...)
		}
	case syntax.OpQuest:
		all = append(all, p.sequences(re.Sub[0])...)
		all = append(all, nil)
	case syntax.OpConcat:
		all, ok = p.sequencesOfConcat(re.Sub)
	case syntax.OpRepeat:
		ok = re.Max >= 0 && re.Max <= maxCount
		for n := re.Min; ok && n <= re.Max; n++ {
			var some [][]*syntax.Regexp
			some, ok = p.sequencesOfConcat(p.copies(re.Sub[0], n))
			all = append(all, some...)
		}
	default: // OpStar, OpPlus of a group with a gap in it
		ok = false
	}
	if !ok || len(all) > maxChains {
		all = [][]*syntax.Regexp{{re}}
	}
	p.expanded[re] = all
	return all
}

func (p *parser) sequencesOfConcat(subs []*syntax.Regexp) (all [][]*syntax.Regexp, ok bool) {
	all = [][]*syntax.Regexp{nil}
	for i, sub := range subs {
		lists := p.sequences(sub)
		if sub.Op == syntax.OpQuest && len(lists) == 1 && (i > 0 && isLoop(subs[i-1]) || i+1 < len(subs) && isLoop(subs[i+1])) {
			lists = [][]*syntax.Regexp{{sub.Sub[0]}, nil} // so that no piece next to a loop can match the empty string
		}
		if len(all)*len(lists) > maxChains {
			return nil, false
		}
		if len(lists) == 1 { // append without copying: no two lists share memory
			for i := range all {
				p.spend(p.pattern, 1+len(lists[0]))
				all[i] = append(all[i], lists[0]...)
			}
			continue
		}
		var longer [][]*syntax.Regexp
		for _, list := range all {
			for _, next := range lists {
				p.spend(p.pattern, 1+len(list)+len(next))
				longer = append(longer, slices.Concat(list, next))
			}
		}
		all = longer
	}
	return all, true
}

// hasLoop reports whether re is a loop or contains one.
func (p *parser) hasLoop(re *syntax.Regexp) bool {
	has, ok := p.loops[re]
	if !ok {
		p.spend(p.pattern, 4+len(re.Rune))
		has = isLoop(re) || slices.ContainsFunc(re.Sub, p.hasLoop)
		p.loops[re] = has
	}
	return has
}

// contains reports whether f returns true for re or for a subexpression of re.
func contains(re *syntax.Regexp, f func(*syntax.Regexp) bool) bool {
	return f(re) || slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return contains(sub, f) })
}
