package chain

import (
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// readErrno takes a system error number into account, by its name. The names
// in standard.Errno mean the same wherever they occur; those in errnoLocal only
// say something as a number that the system itself gave, and less than what
// the program says about it.
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
		reason, strength = signal.ReasonResource, signal.Fact // fork(2): a limit on processes was met
	case w.place == placeExec && reason != signal.ReasonResource:
		reason, strength = signal.ReasonSpawn, signal.Fact
	case w.place == placeListen && name == "EADDRNOTAVAIL":
		reason = signal.ReasonNetworkPermanent // not an address of this machine, and it will not become one
	case w.place == placeDial && name == "ENOENT":
		reason = signal.ReasonNetwork // the peer's Unix socket: nobody listens there
	}
	if reason != signal.NoReason {
		w.Q.Add(signal.Of(id, reason, strength))
	}
}
