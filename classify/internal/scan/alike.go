package scan

// grouping groups the classes of bytes. Two classes are in one group if each state
// has the same next state for both. grouping begins with one group, and splits
// groups by the next states of one state after the other.
type grouping struct {
	group []uint8       // the group of each class
	sizes []int         // the number of classes of each group
	met   [256]struct { // for each group, in the current state
		classes int   // classes of the group that have an edge
		next    int32 // next state of the first such class
		differs bool  // not all such classes lead to next
	}
	groups []uint8 // groups that have an edge in the current state
}

// alike returns two values for each class: its group, and the number of states that
// have an edge for the class.
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

// refine splits groups by the edges of one state. It splits a group if the edges of
// the group's classes lead to different next states.
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

// split divides a group by the next states of its classes. Classes without an edge
// stay in the old group. If there are none, the first class stays there, with all
// classes that have the same next state.
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
