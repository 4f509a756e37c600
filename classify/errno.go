package classify

// readErrno takes a system error number into account, by its name. The names
// in errnoCodes mean the same wherever they occur; those in errnoLocal only
// say something as a number that the system itself gave, and less than what
// the program says about it.
func (w *walk) readErrno(err error) {
	id := errnoID(err)
	if id == "" {
		return
	}
	name := id[len("errno/"):]
	if name == "EAGAIN" {
		w.seen |= sawAgain
	}
	reason, strength := errnoCodes.reason(name), factStrength
	if reason == "" {
		reason, strength = errnoLocalCodes.reason(name), codeStrength
	}
	switch {
	case w.place == placeExec && name == "EAGAIN":
		reason, strength = ReasonResource, factStrength // fork(2): a limit on processes was met
	case w.place == placeExec && reason != ReasonResource:
		reason, strength = ReasonSpawn, factStrength
	case w.place == placeListen && name == "EADDRNOTAVAIL":
		reason = ReasonNetworkPermanent // not an address of this machine, and it will not become one
	case w.place == placeDial && name == "ENOENT":
		reason = ReasonNetwork // the peer's Unix socket: nobody listens there
	}
	if reason != "" {
		w.q.add(signal{rule: id, reason: reason, strength: strength})
	}
}
