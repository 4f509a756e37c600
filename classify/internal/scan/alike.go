package scan

// grouping puts classes of bytes into groups that lead every state to the same
// place. It begins with one group; each state splits those that it tells apart.
type grouping struct {
	group []uint8 // by class
	sizes []int   // by group: how many classes it has
	met   [256]struct {
		classes int // of the group, over which the state leads anywhere
		next    int32
		differs bool // not all of them lead to next
	}
	groups []uint8 // those that were met
}

// alike returns the group of each class, and the number of states that each
// class leads anywhere.
func (b *builder) alike() (group []uint8, counts []int) {
	g := grouping{group: make([]uint8, len(b.sample)), sizes: []int{len(b.sample)}}
	counts = make([]int, len(b.sample))
	for s := range b.count() {
		edges := b.edgesOf(s)
		for _, e := range edges {
			counts[e.class()]++
		}
		g.refine(edges)
	}
	return g.group, counts
}

// refine splits the groups that the edges of a state tell apart.
func (g *grouping) refine(edges []edge) {
	g.groups = g.groups[:0]
	for _, e := range edges {
		of := g.group[e.class()]
		m := &g.met[of]
		if m.classes++; m.classes == 1 {
			m.next = e.next()
			g.groups = append(g.groups, of)
		}
		m.differs = m.differs || m.next != e.next()
	}
	for _, of := range g.groups {
		m := &g.met[of]
		if m.differs || m.classes != g.sizes[of] {
			g.split(of, edges)
		}
		m.classes, m.differs = 0, false
	}
}

// split makes a group of those classes of a group that lead to the same place.
// Those that lead nowhere keep the old one; or the first others, where all lead
// somewhere.
func (g *grouping) split(old uint8, edges []edge) {
	into := map[int32]uint8{}
	if g.met[old].classes == g.sizes[old] {
		into[g.met[old].next] = old
	}
	for _, e := range edges {
		if g.group[e.class()] != old {
			continue
		}
		to, ok := into[e.next()]
		if !ok {
			to = uint8(len(g.sizes))
			g.sizes = append(g.sizes, 0)
			into[e.next()] = to
		}
		g.group[e.class()] = to
		g.sizes[old]--
		g.sizes[to]++
	}
}
