package chain

import (
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// readErrno adds the signal of a system error number. The signal has the strength
// Fact if standard.Errno has the number's name. The names in standard.ErrnoLocal
// count only if the system itself returned the number. Their signals have the
// strength Code.
func (w *Walk) readErrno(err error) {
	id := errnoID(err)
	if id == "" {
		return
	}
	name := id[len("errno/"):]
	if name == "EAGAIN" {
		w.seen |= sawAgain
	}
	reason, strength := standard.Errno.Reason(name), signal.Fact
	if reason == signal.NoReason {
		reason, strength = standard.ErrnoLocal.Reason(name), signal.Code
	}
	switch {
	case w.place == placeExec && name == "EAGAIN":
		reason, strength = signal.ReasonResource, signal.Fact // fork(2): the limit on processes is reached
	case w.place == placeExec && reason != signal.ReasonResource:
		reason, strength = signal.ReasonSpawn, signal.Fact
	case w.place == placeListen && name == "EADDRNOTAVAIL":
		reason = signal.ReasonNetworkPermanent // the address does not belong to this machine
	case w.place == placeDial && name == "ENOENT":
		reason = signal.ReasonNetwork // no process listens on the Unix socket
	}
	if reason != signal.NoReason {
		w.Q.Add(signal.Of(id, reason, strength))
	}
}
