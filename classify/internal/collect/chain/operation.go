package chain

import (
	"io/fs"
	"net/url"
	"os/exec"
	"reflect"
	"strings"

	"github.com/errclass/errclass/classify/internal/collect/text"
	"github.com/errclass/errclass/classify/internal/signal"
)

// operation is the kind of operation that failed, such as a dial. It determines what
// an errno means.
type operation uint8

const (
	opUnknown operation = iota
	opDial              // connecting to a remote server
	opListen            // binding an address of this machine
	opConn              // using a connection
	opFile              // a file of this machine
	opExec              // starting a child process
)

// remote reports whether the operation communicates with a remote server.
func (o operation) remote() bool { return o == opDial || o == opConn }

// operations maps the Op of a *net.OpError to the kind of operation.
var operations = map[string]operation{
	"dial": opDial, "listen": opListen, "accept": opListen,
	"read": opConn, "write": opConn, "close": opConn, "file": opConn, "set": opConn,
}

// readOp reads a *net.OpError, and stores its kind of operation for the wrapped
// errors.
func (w *Walk) readOp(s *Shape, err error) {
	op := s.field(err, "Op").String()
	w.op = operations[op]
	if w.op.remote() {
		w.Q.Add(signal.Of("net/op", signal.ReasonNetwork, signal.Word))
	}
}

// readDNS reads the flags of a *net.DNSError. The flag IsTemporary takes precedence
// over IsNotFound.
func (w *Walk) readDNS(s *Shape, err error) {
	sig := signal.Of("dns/lookup", signal.ReasonNetwork, signal.Word)
	switch {
	case s.field(err, "IsTimeout").Bool():
		sig = signal.Of("dns/timeout", signal.ReasonTimeout, signal.Fact)
	case s.field(err, "IsTemporary").Bool():
		sig = signal.Of("dns/temporary", signal.ReasonNetwork, signal.Fact)
	case s.field(err, "IsNotFound").Bool():
		sig = signal.Of("dns/not-found", signal.ReasonNetworkPermanent, signal.Fact)
	}
	w.Q.Add(sig)
	w.op = opDial
}

// readAlert reads a TLS alert (RFC 8446 6). The listed alerts are temporary.
func (w *Walk) readAlert(err error) {
	switch reflect.ValueOf(err).Uint() {
	case 0, 20, 90: // close_notify, bad_record_mac, user_canceled
		w.Q.Add(signal.Of("tls/alert-passing", signal.ReasonNetwork, signal.Fact))
	default:
		w.Q.Add(signal.Of("tls/alert", signal.ReasonNetworkPermanent, signal.Fact))
	}
}

// readURL reads a *url.Error, from an invalid URL or a failed HTTP request.
func (w *Walk) readURL(err *url.Error) {
	if err.Op == "parse" {
		w.Q.Add(signal.Of("url/parse", signal.ReasonInvalidRequest, signal.Code))
		return
	}
	w.op = opConn
	if err.Err != nil && strings.HasPrefix(w.textOf(err.Err), "unsupported protocol scheme") {
		w.Q.Add(signal.Of("url/scheme", signal.ReasonNetworkPermanent, signal.Fact))
	}
}

// readPath reads a *fs.PathError. Package os also returns such an error for a failed fork
// or exec.
func (w *Walk) readPath(err *fs.PathError) {
	w.op = opFile
	if err.Op == "fork/exec" {
		w.readSpawn()
	}
}

// readSpawn adds the signal of a child process that could not be started.
func (w *Walk) readSpawn() {
	w.op = opExec
	w.Q.Add(signal.Of("exec/start", signal.ReasonSpawn, signal.Code))
}

// readExit reads how a child process ended. Its stderr is better evidence than the
// exit status.
func (w *Walk) readExit(err *exec.ExitError) {
	sig := signal.Of("exec/exit", signal.ReasonSpawn, signal.Word)
	how, signaled := strings.CutPrefix(err.ProcessState.String(), "signal: ")
	switch code := err.ExitCode(); {
	case signaled && strings.HasPrefix(how, "interrupt"):
		sig = signal.Of("exec/interrupt", signal.ReasonAborted, signal.Code)
	case signaled && strings.HasPrefix(how, "killed"), code == 137:
		sig = signal.Of("exec/killed", signal.ReasonSpawn, signal.Phrase)
	case signaled && strings.HasPrefix(how, "broken pipe"): // the reader of a local pipe has gone; this is no network error
		sig = signal.Of("exec/signal", signal.ReasonSpawn, signal.Fact)
	case signaled && strings.HasPrefix(strings.ToLower(how), "cpu"): // SIGXCPU: "CPU time limit exceeded", on BSD "cputime limit exceeded"
		sig = signal.Of("exec/cpu-limit", signal.ReasonResource, signal.Fact)
	case signaled:
		sig = signal.Of("exec/signal", signal.ReasonSpawn, signal.Phrase)
	case code == 126, code == 127: // the shell's "cannot execute" and "not found"
		sig = signal.Of("exec/not-started", signal.ReasonSpawn, signal.Code)
	case code == 130: // the shell's 128 + SIGINT
		sig = signal.Of("exec/interrupt", signal.ReasonAborted, signal.Code)
	}
	w.Q.Add(sig)
	readBareLines(w.Q, text.ReadBytes(w.Q, err.Stderr))
}
