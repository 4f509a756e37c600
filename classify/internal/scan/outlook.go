package scan

import (
	"regexp/syntax"
	"unicode/utf8"
)

// An outlook charges what a set will certainly cost, ahead of the work. It is a
// lower bound of what the automata are charged: it refuses no set that they would
// have accepted.
type outlook struct {
	*Budget                     // a clone, with a count of its own of what is left
	least   []int               // by pattern: what skim found, counted while the pattern is not yet read
	seen    map[uint64]struct{} // hashes of pieces; of two that collide one is not counted
	key     []byte
	done    *int // the work of the budget that this is a clone of
	longest int  // bytes of the longest ways through all pieces
	way     int  // steps of their states that are not yet charged
}

// worthSkimming is from how many bytes on a set is skimmed before it is read. A
// smaller one is read within 100 ms.
const worthSkimming = 400 << 10

// newOutlook returns the outlook of patterns that are not yet read. Its error says
// that they are certainly too much work.
func (b *Budget) newOutlook(exprs []string) (o *outlook, err error) {
	o = &outlook{Budget: b.clone(), seen: map[uint64]struct{}{}, done: b.work}
	left := *b.left
	o.left, o.work = &left, new(int)
	size := 0
	for _, expr := range exprs {
		size += len(expr)
	}
	if size < worthSkimming {
		return o, nil
	}
	o.least = skim(exprs)
	*b.work += 2 * size
	most := 0
	for i, steps := range o.least {
		left -= steps
		if steps > o.least[most] {
			most = i
		}
	}
	if left < 0 {
		return nil, &PatternError{most, &BudgetError{Steps: o.least[most], text: allFault}}
	}
	return o, nil
}

// add charges a pattern for what it was charged for being read, and for its
// chains.
func (o *outlook) add(pattern int32, read int, chains []chain) (err error) {
	defer o.recoverSpent(&err)
	if o.least != nil {
		*o.left += o.least[pattern]
	}
	o.phase = reading
	o.spend(pattern, read)
	o.phase = nodes
	for _, c := range chains {
		for i, re := range c.pieces {
			for _, l := range c.gaps[i] {
				o.spend(pattern, stepsAPiece+4*len(l.class.Rune))
			}
			o.addPiece(pattern, re)
		}
	}
	return nil
}

func (o *outlook) addPiece(pattern int32, re *syntax.Regexp) {
	o.spend(pattern, stepsAPiece)
	o.spendText(pattern, re)
	o.key = appendKey(o.key[:0], re)
	*o.done += 2 * len(o.key)
	hash := hashOf(o.key)
	if _, ok := o.seen[hash]; ok {
		return
	}
	o.seen[hash] = struct{}{}
	if re.Op == syntax.OpLiteral {
		o.spend(pattern, stepsANode+len(re.Rune))
		return
	}
	c := costOf(re)
	o.spend(pattern, stepsANode+c.steps)
	if !c.asserts {
		o.follow(c)
	}
}

// Steps that states cost at least, on the longest way through a piece: no two of
// its bytes share a state when the piece is tried by itself, and in the automaton
// of the whole set each of their nodes is met. A letter in two cases is a split
// and two nodes, which are two edges to the next state.
const (
	stepsAByte    = stepsAState + stepsAnEdge + 2 + 2
	stepsTwoCases = stepsAState + 2*stepsAnEdge + 9 + 5
)

// follow charges the states of a piece. Its pattern owes nothing for them: it may
// share them, and for those of the rehearsal no pattern pays. A small set has no
// rehearsal.
func (o *outlook) follow(c cost) {
	o.longest += c.longest
	if o.way += c.way; o.longest <= manyNodes {
		return
	}
	*o.left -= o.way
	if o.way = 0; *o.left < 0 {
		panic(errSpent{})
	}
}

// hashOf is FNV-1a.
func hashOf(key []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range key {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return h
}

// A cost is what a part of a piece certainly needs.
type cost struct {
	steps   int  // of compile
	longest int  // bytes of the longest way through it
	way     int  // steps of the states on that way
	asserts bool // an assertion, or a class of nothing, may close the way
}

// costOf counts as compile spends, without building anything. An assertion counts
// as one node, and so does every byte of a sequence that stands for a range.
func costOf(re *syntax.Regexp) cost {
	c := cost{steps: 1}
	switch re.Op {
	case syntax.OpEmptyMatch:
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			c = c.then(costOfRunes(orbit(r, re.Flags&syntax.FoldCase != 0)))
		}
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		c = c.then(costOfRunes(boundsOf(re)))
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			c = c.then(costOf(sub))
		}
	case syntax.OpAlternate:
		c.steps += stepsANode * (len(re.Sub) - 1)
		for _, sub := range re.Sub {
			d := costOf(sub)
			c = cost{c.steps + d.steps, max(c.longest, d.longest), max(c.way, d.way), c.asserts || d.asserts}
		}
	case syntax.OpQuest:
		c.steps += stepsANode
		c = c.then(costOf(re.Sub[0]))
	case syntax.OpRepeat:
		c = c.then(costOf(re.Sub[0]).times(re.Max))
		c.steps += stepsANode * (re.Max - re.Min)
	default: // an assertion, or OpNoMatch
		c.steps += stepsANode
		c.asserts = true
	}
	return c
}

func (c cost) then(d cost) cost {
	return cost{c.steps + d.steps, c.longest + d.longest, c.way + d.way, c.asserts || d.asserts}
}

func (c cost) times(n int) cost { return cost{c.steps * n, c.longest * n, c.way * n, c.asserts} }

// costOfRunes is the cost of a class, given as pairs of bounds.
func costOfRunes(bounds []rune) (c cost) {
	for i := 0; i+1 < len(bounds); i += 2 {
		first, last := utf8.RuneLen(bounds[i]), utf8.RuneLen(bounds[i+1])
		if first < 0 || last < 0 { // a surrogate
			continue
		}
		if c.steps > 0 {
			c.steps += stepsANode
		}
		for n := first; n <= last; n++ { // a sequence for each length
			c.steps += stepsANode * n
		}
		c.steps += stepsANode * (last - first)
		c.longest = max(c.longest, last)
	}
	c.way = c.longest * stepsAByte
	if len(bounds) == 4 && isASCIILetter(bounds[0]) && bounds[0] == bounds[1] && isASCIILetter(bounds[2]) && bounds[2] == bounds[3] {
		c.way = stepsTwoCases
	}
	c.steps, c.asserts = max(c.steps, stepsANode), c.longest == 0
	return c
}
