package classify

import (
	"io/fs"
	"net/url"
	"os/exec"
	"reflect"
	"strings"
)

// place is where an error came about, as the wrappers above it say: the same
// errno means different things on a socket, on a file and on exec.
type place uint8

const (
	placeUnknown place = iota
	placeDial          // connecting to a peer
	placeListen        // binding an address here
	placeConn          // talking to a peer
	placeFile          // a file of this machine
	placeExec          // starting a child process
)

// onWire reports whether a peer is at the other end.
func (p place) onWire() bool { return p == placeDial || p == placeConn }

// opPlaces are the operations that *net.OpError names.
var opPlaces = map[string]place{
	"dial": placeDial, "listen": placeListen, "accept": placeListen,
	"read": placeConn, "write": placeConn, "close": placeConn, "file": placeConn, "set": placeConn,
}

// readOp reads a *net.OpError: where what it wraps happened. By itself it
// says little more than that it was on the network.
func (w *walk) readOp(s *shape, err error) {
	op := s.field(err, "Op").String()
	w.place = opPlaces[op]
	if w.place.onWire() {
		w.q.add(signal{rule: "net/op", reason: ReasonNetwork, strength: wordStrength})
	}
}

// readDNS reads a *net.DNSError by its flags. A resolver that calls its own
// failure temporary is believed before one that found nothing.
func (w *walk) readDNS(s *shape, err error) {
	sig := signal{rule: "dns/lookup", reason: ReasonNetwork, strength: wordStrength}
	switch {
	case s.field(err, "IsTimeout").Bool():
		sig = signal{rule: "dns/timeout", reason: ReasonTimeout, strength: factStrength}
	case s.field(err, "IsTemporary").Bool():
		sig = signal{rule: "dns/temporary", reason: ReasonNetwork, strength: factStrength}
	case s.field(err, "IsNotFound").Bool():
		sig = signal{rule: "dns/not-found", reason: ReasonNetworkPermanent, strength: factStrength}
	}
	w.q.add(sig)
	w.place = placeDial
}

// readAlert reads a TLS alert (RFC 8446 6). Those listed pass; all others
// are about certificates, versions and ciphers, which waiting does not change.
func (w *walk) readAlert(err error) {
	switch reflect.ValueOf(err).Uint() {
	case 0, 20, 90: // close_notify, bad_record_mac, user_canceled
		w.q.add(signal{rule: "tls/alert-passing", reason: ReasonNetwork, strength: factStrength})
	default:
		w.q.add(signal{rule: "tls/alert", reason: ReasonNetworkPermanent, strength: factStrength})
	}
}

// readURL reads a *url.Error, which net/url makes when it parses and net/http
// when a request fails.
func (w *walk) readURL(err *url.Error) {
	if err.Op == "parse" {
		w.q.add(signal{rule: "url/parse", reason: ReasonInvalidRequest, strength: codeStrength})
		return
	}
	w.place = placeConn
	if err.Err != nil && strings.HasPrefix(w.textOf(err.Err), "unsupported protocol scheme") {
		w.q.add(signal{rule: "url/scheme", reason: ReasonNetworkPermanent, strength: factStrength})
	}
}

// readPath reads a *fs.PathError. os.StartProcess, and so os/exec, reports
// with it what the system said to fork and exec.
func (w *walk) readPath(err *fs.PathError) {
	w.place = placeFile
	if err.Op == "fork/exec" {
		w.readSpawn()
	}
}

// readSpawn is for a child that could not be started.
func (w *walk) readSpawn() {
	w.place = placeExec
	w.q.add(signal{rule: "exec/start", reason: ReasonSpawn, strength: codeStrength})
}

// readExit reads how a child ended. What it wrote to stderr says more, and is
// read like the error's own text.
func (w *walk) readExit(err *exec.ExitError) {
	sig := signal{rule: "exec/exit", reason: ReasonSpawn, strength: wordStrength}
	how, signaled := strings.CutPrefix(err.ProcessState.String(), "signal: ")
	switch code := err.ExitCode(); {
	case signaled && strings.HasPrefix(how, "interrupt"):
		sig = signal{rule: "exec/interrupt", reason: ReasonAborted, strength: phraseStrength}
	case signaled && strings.HasPrefix(how, "killed"), code == 137:
		sig = signal{rule: "exec/killed", reason: ReasonSpawn, strength: phraseStrength}
	case signaled && strings.HasPrefix(how, "broken pipe"): // it wrote to a reader that had gone, and no network is at fault
		sig = signal{rule: "exec/signal", reason: ReasonSpawn, strength: factStrength}
	case signaled:
		sig = signal{rule: "exec/signal", reason: ReasonSpawn, strength: phraseStrength}
	case code == 126, code == 127: // the shell's "cannot execute" and "not found"
		sig = signal{rule: "exec/not-started", reason: ReasonSpawn, strength: codeStrength}
	case code == 130: // the shell's 128 + SIGINT
		sig = signal{rule: "exec/interrupt", reason: ReasonAborted, strength: phraseStrength}
	}
	w.q.add(sig)
	w.q.readBytes(err.Stderr)
}
