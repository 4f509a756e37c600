package chain

import (
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// readErrno adds the signal of a system error number. The strength is Fact for names
// in standard.Errno, and Code for names in standard.ErrnoLocal.
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
	case w.op == opExec && name == "EAGAIN":
		reason, strength = signal.ReasonResource, signal.Fact // fork(2): the limit on processes is reached
	case w.op == opExec && reason != signal.ReasonResource:
		reason, strength = signal.ReasonSpawn, signal.Fact
	case w.op == opListen && name == "EADDRNOTAVAIL":
		reason = signal.ReasonNetworkPermanent // the address does not belong to this machine
	case w.op == opDial && name == "ENOENT":
		reason = signal.ReasonNetwork // no process listens on the Unix socket
	}
	if reason != signal.NoReason {
		w.Q.Add(signal.Of(id, reason, strength))
	}
}
