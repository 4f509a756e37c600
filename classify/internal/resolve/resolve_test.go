package resolve_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify/internal/resolve"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// statuses has the HTTP statuses that signal.Signal.Beats distinguishes, and some
// others.
var statuses = []uint16{0, 400, 401, 402, 403, 404, 407, 408, 409, 423, 425, 429, 451, 500, 503}

// kinds returns a signal for every combination of strength, reason and status.
func kinds() []signal.Signal {
	var all []signal.Signal
	for s := signal.Word; s < signal.Strengths; s++ {
		for r := signal.NoReason + 1; r < signal.Reasons; r++ {
			for _, status := range statuses {
				if status != 0 && s != signal.Code {
					continue // a status is a code
				}
				one := signal.Of(s.String()+"/"+r.String()+"/"+strconv.Itoa(int(status)), r, s)
				one.Status = status
				all = append(all, one)
			}
		}
	}
	return all
}

// TestOrderIsTotal checks that Order sorts all kinds of signals: it is antisymmetric
// and transitive.
func TestOrderIsTotal(t *testing.T) {
	t.Parallel()
	all := kinds()
	for i := range all {
		for j := range all {
			ij, ji := signal.Order(&all[i], &all[j]), signal.Order(&all[j], &all[i])
			require.Equal(t, ij < 0, ji > 0, "%s and %s", all[i].Rule, all[j].Rule)
			require.Equal(t, i == j, ij == 0, "%s and %s", all[i].Rule, all[j].Rule)
		}
	}
	slices.SortFunc(all, func(a, b signal.Signal) int { return signal.Order(&a, &b) })
	for i := range all {
		for j := i + 1; j < len(all); j++ {
			if signal.Order(&all[i], &all[j]) >= 0 {
				t.Fatalf("%s stands before %s, and does not come before it", all[i].Rule, all[j].Rule)
			}
		}
	}
}

// TestRankIsTransitive checks that the results of signal.Rank have a transitive order,
// and that two reasons with the same strength have different ranks.
func TestRankIsTransitive(t *testing.T) {
	t.Parallel()
	var ranks []uint16
	for s := range signal.Strengths {
		for r := range signal.Reasons {
			ranks = append(ranks, signal.Rank(s, r, false), signal.Rank(s, r, true))
		}
	}
	for _, a := range ranks {
		for _, b := range ranks {
			for _, c := range ranks {
				if a > b && b > c && a <= c {
					t.Fatal(a, b, c)
				}
			}
		}
	}
	for s := signal.Word; s < signal.Strengths; s++ {
		seen := map[uint16]signal.Reason{}
		for r := signal.NoReason + 1; r < signal.Reasons; r++ {
			rank := signal.Rank(s, r, false)
			assert.Zero(t, seen[rank], "%s: %s and %s are equal", s, r, seen[rank])
			seen[rank] = r
		}
	}
}

// TestEdgesLeadForward checks that the relation signal.Signal.Beats has no cycles. If
// signal a beats b and b beats c, Resolve must return the index of a.
func TestEdgesLeadForward(t *testing.T) {
	t.Parallel()
	all := kinds()
	for i := range standard.Rules {
		if r := &standard.Rules[i]; len(r.Beats) > 0 || r.Status != 0 {
			s := signal.Match(r, i)
			s.Part, s.Offset = 1, 1
			all = append(all, s)
		}
	}
	next := make([][]int, len(all))
	for i := range all {
		for j := range all {
			if all[i].Beats(&all[j]) {
				require.True(t, all[i].HasEdges(), all[i].Rule)
				next[i] = append(next[i], j)
			}
		}
	}
	const unseen, open, done = 0, 1, 2
	state := make([]int, len(all))
	var visit func(i int)
	visit = func(i int) {
		state[i] = open
		for _, j := range next[i] {
			require.NotEqual(t, open, state[j], "edges in a circle, through %s and %s", all[i].Rule, all[j].Rule)
			if state[j] == unseen {
				visit(j)
			}
		}
		state[i] = done
	}
	for i := range all {
		if state[i] == unseen {
			visit(i)
		}
	}
	for a := range all {
		for _, b := range next[a] {
			for _, c := range next[b] {
				list := []signal.Signal{all[c], all[b], all[a]}
				require.Equal(t, 2, resolve.Resolve(list), "%s beats %s beats %s", all[a].Rule, all[b].Rule, all[c].Rule)
			}
		}
	}
}

// drawn draws a random signal.
func drawn(t *rapid.T) signal.Signal {
	var s signal.Signal
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		s = rapid.SampledFrom(kinds()).Draw(t, "fact")
	default:
		i := rapid.IntRange(0, len(standard.Rules)-1).Draw(t, "rule")
		s = signal.Match(&standard.Rules[i], i)
		s.Part = uint16(rapid.IntRange(1, 2).Draw(t, "part"))
		s.Offset = int32(rapid.IntRange(0, 2).Draw(t, "offset"))
		s.Faint = rapid.Bool().Draw(t, "faint")
	}
	s.Source = signal.Source(rapid.IntRange(0, int(signal.Sources)-1).Draw(t, "source"))
	return s
}

// TestOrderOfTheListDecidesNothing checks that the order in which signals are added does
// not change the result, even if there are more signals than a list can hold.
func TestOrderOfTheListDecidesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(drawn), 1, 2*signal.ListSize).Draw(t, "signals")
		first, ok := decided(all)
		second, again := decided(rapid.Permutation(all).Draw(t, "shuffled"))
		if first != second || ok != again {
			t.Fatalf("%+v\n%+v", first, second)
		}
	})
}

func decided(all []signal.Signal) (won signal.Signal, ok bool) {
	var list signal.List
	for i := range all {
		list.Add(&all[i])
	}
	if i := resolve.Resolve(list.All()); i >= 0 {
		won, ok = list.All()[i], true
		won.By = 0
	}
	return won, ok
}

// TestSomethingDecides checks that Resolve returns -1 exactly if each signal is vetoed
// or has no reason.
func TestSomethingDecides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(drawn), 1, 12).Draw(t, "signals")
		won := resolve.Resolve(all)
		left := slices.ContainsFunc(all, func(s signal.Signal) bool { return s.Fate != signal.Vetoed && s.Fate != signal.IsHint })
		if left != (won >= 0) {
			t.Fatalf("%d of %+v", won, all)
		}
	})
}

// TestVetoesDoNotChain checks that a hint, which is a signal without a reason, vetoes
// only signals of standard rules in the same text.
func TestVetoesDoNotChain(t *testing.T) {
	t.Parallel()
	hint := signal.Match(&signal.Rule{ID: "hint/a", Vetoes: []string{"timeout", "x/*"}}, 0)
	timeout := signal.Match(&signal.Rule{ID: "t", Reason: signal.ReasonTimeout, Strength: signal.Phrase}, 1)
	family := signal.Match(&signal.Rule{ID: "x/y", Reason: signal.ReasonNetwork, Strength: signal.Phrase}, 2)
	mine := signal.Match(&signal.Rule{ID: "x/mine", Reason: signal.ReasonTimeout, Strength: signal.User}, 3)
	for _, s := range []*signal.Signal{&hint, &timeout, &family, &mine} {
		s.Part = 1
	}
	fact := signal.Of("x/fact", signal.ReasonTimeout, signal.Fact)
	elsewhere := timeout
	elsewhere.Part = 2
	list := []signal.Signal{hint, timeout, family}
	assert.Equal(t, -1, resolve.Resolve(list))
	assert.Equal(t, []signal.Fate{signal.IsHint, signal.Vetoed, signal.Vetoed}, []signal.Fate{list[0].Fate, list[1].Fate, list[2].Fate})
	assert.Equal(t, 1, resolve.Resolve([]signal.Signal{hint, mine}), "what the user says is not ruled out")
	assert.Equal(t, 1, resolve.Resolve([]signal.Signal{hint, fact}), "nor is what no text shows")
	assert.Equal(t, 1, resolve.Resolve([]signal.Signal{hint, elsewhere}), "nor another text")
}
