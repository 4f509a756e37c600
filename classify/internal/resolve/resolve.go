// Package resolve selects the signal that decides the classification. A signal is one
// fact about an error, such as a status or a matched rule.
package resolve

import "github.com/errclass/errclass/classify/internal/signal"

// Resolve returns the index of the signal that decides, or -1 if there is none. It
// sets Fate and By of each signal. The result does not depend on the order of the
// list:
//
//  1. Signals without a reason (hints) veto signals with a reason: see
//     [signal.Signal.Vetoes].
//  2. The remaining signals beat others: see [signal.Signal.Beats]. A beaten signal
//     still beats others.
//  3. The first remaining signal in [signal.Order] decides.
//
// These signals are never vetoed or beaten, and are first in the order:
//
//   - signals from the user's rules
//   - the program's own deadline, cancellation or budget
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

// takeOut records that list[by] vetoes or beats list[i]. If several signals do so, the
// field By of list[i] keeps the one that is first in [signal.Order].
func takeOut(list []signal.Signal, i, by int, fate signal.Fate) {
	s := &list[i]
	if s.Fate != fate || signal.Order(&list[by], &list[s.By]) < 0 {
		s.Fate, s.By = fate, int16(by)
	}
}
