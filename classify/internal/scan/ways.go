package scan

import (
	"regexp/syntax"
	"slices"
)

// sequences returns the ways to match re, each as a list of parts. A loop that
// becomes a gap is a part of its own. If there are too many ways, sequences returns
// re as the only part.
func (p *parser) sequences(re *syntax.Regexp) [][]*syntax.Regexp {
	if !p.hasLoop(re) || isLoop(re) {
		return [][]*syntax.Regexp{{re}}
	}
	if all, ok := p.ways[re]; ok {
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
	p.ways[re] = all
	return all
}

func (p *parser) sequencesOfConcat(subs []*syntax.Regexp) (all [][]*syntax.Regexp, ok bool) {
	all = [][]*syntax.Regexp{nil}
	for i, sub := range subs {
		ways := p.sequences(sub)
		if sub.Op == syntax.OpQuest && len(ways) == 1 && (i > 0 && isLoop(subs[i-1]) || i+1 < len(subs) && isLoop(subs[i+1])) {
			ways = [][]*syntax.Regexp{{sub.Sub[0]}, nil} // so that no piece beside a loop is empty
		}
		if len(all)*len(ways) > maxChains {
			return nil, false
		}
		if len(ways) == 1 { // append in place: no two lists share memory
			for i := range all {
				p.spend(p.pattern, 1+len(ways[0]))
				all[i] = append(all[i], ways[0]...)
			}
			continue
		}
		var longer [][]*syntax.Regexp
		for _, head := range all {
			for _, tail := range ways {
				p.spend(p.pattern, 1+len(head)+len(tail))
				longer = append(longer, slices.Concat(head, tail))
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

// contains reports whether f returns true for re or for a part of re.
func contains(re *syntax.Regexp, f func(*syntax.Regexp) bool) bool {
	return f(re) || slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return contains(sub, f) })
}
