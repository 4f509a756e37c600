// Package resolve selects the signal that decides the classification.
package resolve

import "github.com/errclass/errclass/classify/internal/signal"

// Resolve returns the index of the signal that decides, or -1 if none does. It also
// sets the fields Fate and By of each signal. The order of the list does not change
// which signal decides. The steps are:
//
//  1. Hints (signals without a reason) veto signals that have a reason: see
//     [signal.Signal.Vetoes].
//  2. Each remaining signal may beat others: see [signal.Signal.Beats]. A signal
//     that was itself beaten still beats others.
//  3. Of the signals that are neither vetoed nor beaten, the first in [signal.Order]
//     decides.
//
// Signals from the user's rules, and from the program's own deadline, cancellation
// or budget, are never vetoed or beaten. They are first in the order.
func Resolve(list []signal.Signal) (winner int) {
	for i := range list {
		s := &list[i]
		s.Fate, s.By = signal.Counts, -1
		if s.Reason == signal.NoReason {
			s.Fate = signal.IsHint
		}
	}
	for i := range list {
		if list[i].Fate == signal.IsHint && len(list[i].Text.Vetoes) > 0 {
			veto(list, i)
		}
	}
	for i := range list {
		if s := &list[i]; s.Fate != signal.IsHint && s.Fate != signal.Vetoed && s.HasEdges() {
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

// veto sets the Fate of all signals that list[hint] vetoes.
func veto(list []signal.Signal, hint int) {
	for i := range list {
		if list[hint].Vetoes(&list[i]) {
			takeOut(list, i, hint, signal.Vetoed)
		}
	}
}

// beat sets the Fate of all signals that list[winner] beats.
func beat(list []signal.Signal, winner int) {
	for i := range list {
		if fate := list[i].Fate; (fate == signal.Counts || fate == signal.Beaten) && list[winner].Beats(&list[i]) {
			takeOut(list, i, winner, signal.Beaten)
		}
	}
}

// takeOut records that list[by] vetoes or beats list[i]. If several signals veto or
// beat list[i], list[i].By becomes the first of them in [signal.Order].
func takeOut(list []signal.Signal, i, by int, fate signal.Fate) {
	s := &list[i]
	if s.Fate != fate || signal.Order(&list[by], &list[s.By]) < 0 {
		s.Fate, s.By = fate, int16(by)
	}
}
