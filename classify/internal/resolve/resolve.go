// Package resolve selects the signal that decides the classification.
package resolve

import "github.com/errclass/errclass/classify/internal/signal"

// Resolve returns the index of the signal that decides, or -1. It also sets the Fate
// and By of each signal. The order of the list does not matter. The steps are:
//
//  1. Hints, which are signals without a reason, veto signals that have a reason.
//  2. Signals that are not vetoed beat others: see [signal.Signal.Beats]. A signal that
//     was beaten still beats others.
//  3. Of the signals that are left, the first in [signal.Order] decides.
//
// Signals of the program itself and of the user's rules are never vetoed or beaten.
// They are first in the order.
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

// veto marks the signals that the hint list[hint] vetoes.
func veto(list []signal.Signal, hint int) {
	for i := range list {
		if list[hint].Vetoes(&list[i]) {
			takeOut(list, i, hint, signal.Vetoed)
		}
	}
}

// beat marks the signals that are beaten by the signal list[from].
func beat(list []signal.Signal, from int) {
	for i := range list {
		if fate := list[i].Fate; (fate == signal.Counts || fate == signal.Beaten) && list[from].Beats(&list[i]) {
			takeOut(list, i, from, signal.Beaten)
		}
	}
}

// takeOut marks list[i] as vetoed or beaten by list[by]. If several signals
// veto or beat list[i], it records the first of them in [signal.Order].
func takeOut(list []signal.Signal, i, by int, fate signal.Fate) {
	s := &list[i]
	if s.Fate != fate || signal.Order(&list[by], &list[s.By]) < 0 {
		s.Fate, s.By = fate, int16(by)
	}
}
