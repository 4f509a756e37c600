// Package resolve decides between signals.
package resolve

import "github.com/errclass/errclass/classify/internal/signal"

// Resolve returns the place of the signal that decides, -1 where none does, and
// notes in each of the others what took it out. The decision depends on what is
// in the list alone, not on its order. These come one after the other:
//
//  1. The program's own doing decides, then a user's rule.
//  2. Hints rule signals out. All vetoes are worked out on the list as it is: a
//     signal that is ruled out has no reason, and so vetoes nothing itself.
//  3. Edges take signals out, all of them worked out on what 2 left.
//  4. Of what is left, the first in [signal.Order] decides.
func Resolve(list []signal.Signal) (winner int) {
	for i := range list {
		s := &list[i]
		s.Fate, s.By = signal.Counts, -1
		if s.Reason == signal.NoReason {
			s.Fate = signal.NotAWord
		}
	}
	for i := range list {
		if list[i].Fate == signal.NotAWord && len(list[i].Text.Vetoes) > 0 {
			veto(list, i)
		}
	}
	for i := range list {
		if s := &list[i]; s.Fate != signal.NotAWord && s.Fate != signal.Vetoed && s.HasEdges() {
			beat(list, i)
		}
	}
	winner = -1
	for i := range list {
		if list[i].Fate == signal.Counts && (winner < 0 || signal.Order(&list[i], &list[winner]) < 0) {
			winner = i
		}
	}
	return winner
}

// veto notes what the hint at a place rules out.
func veto(list []signal.Signal, hint int) {
	for i := range list {
		if list[hint].Vetoes(&list[i]) {
			takeOut(list, i, hint, signal.Vetoed)
		}
	}
}

// beat notes what the edges of the signal at a place take out.
func beat(list []signal.Signal, from int) {
	for i := range list {
		if fate := list[i].Fate; (fate == signal.Counts || fate == signal.Beaten) && list[from].Beats(&list[i]) {
			takeOut(list, i, from, signal.Beaten)
		}
	}
}

// takeOut notes by what a signal is taken out: of several, by the first in Order.
func takeOut(list []signal.Signal, i, by int, fate signal.Fate) {
	s := &list[i]
	if s.Fate != fate || signal.Order(&list[by], &list[s.By]) < 0 {
		s.Fate, s.By = fate, int16(by)
	}
}
