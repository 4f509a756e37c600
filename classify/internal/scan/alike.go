package scan

// grouping divides the classes of bytes into groups. Two classes are in one group if
// every state has the same next state for both.
type grouping struct {
	group []uint8       // the group of each class
	sizes []int         // the number of classes of each group
	met   [256]struct { // for each group, in the current state
		classes int   // classes of the group that have an edge
		next    int32 // next state of the first such class
		differs bool  // whether two such classes have different next states
	}
	groups []uint8 // groups for which the current state has an edge
}

// alike returns the group of each class. counts[c] is the number of states that have
// an edge for class c.
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

// refine considers one state, whose edges are given. If the state has different next
// states for two classes of a group, refine splits this group.
func (g *grouping) refine(edges []edge) {
	g.groups = g.groups[:0]
	for _, e := range edges {
		id := g.group[e.class()]
		m := &g.met[id]
		if m.classes++; m.classes == 1 {
			m.next = e.next()
			g.groups = append(g.groups, id)
		}
		m.differs = m.differs || m.next != e.next()
	}
	for _, id := range g.groups {
		m := &g.met[id]
		if m.differs || m.classes != g.sizes[id] {
			g.split(id, edges)
		}
		m.classes, m.differs = 0, false
	}
}

// split divides the group old by the next states of its classes. For each next state, the
// classes with this next state move to a new group. Classes without an edge stay in the
// old group. If every class of the group has an edge, the classes with the next state of
// the first class stay instead.
func (g *grouping) split(old uint8, edges []edge) {
	into := map[int32]uint8{}
	if g.met[old].classes == g.sizes[old] {
		into[g.met[old].next] = old
	}
	for _, e := range edges {
		if g.group[e.class()] != old {
			continue
		}
		target, ok := into[e.next()]
		if !ok {
			target = uint8(len(g.sizes))
			g.sizes = append(g.sizes, 0)
			into[e.next()] = target
		}
		g.group[e.class()] = target
		g.sizes[old]--
		g.sizes[target]++
	}
}
