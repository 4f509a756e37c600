package chain

import (
	"io/fs"
	"net/url"
	"os/exec"

	"github.com/errclass/errclass/classify/internal/signal"
)

// read collects one kind of evidence from err, such as its errno.
func (w *Walk) read(what capability, s *Shape, err error) {
	defer IgnorePanic()
	switch what {
	case canErrno:
		w.readErrno(err)
	case canOp:
		w.readOp(s, err)
	case canDNS:
		w.readDNS(s, err)
	case canAlert:
		w.readAlert(err)
	case canDeadline:
		w.sawOwnDeadline(whichDeadline(err))
	case canURL:
		w.readURL(err.(*url.Error))
	case canPath:
		w.readPath(err.(*fs.PathError))
	case canSpawn:
		w.readSpawn()
	case canExit:
		w.readExit(err.(*exec.ExitError))
	case canReply:
		w.readReply(s, err)
	case canIs:
		w.readIs(s, err)
	case canTimeout:
		w.readTimeout(s, err)
	case canTemporary:
		if err.(interface{ Temporary() bool }).Temporary() {
			w.Q.Add(signal.Of("go/temporary", signal.ReasonTransient, signal.Word))
		}
	case canCanceled:
		if err.(interface{ CanceledError() bool }).CanceledError() {
			sig := signal.Of("sdk/canceled", signal.ReasonAborted, signal.Fact)
			if s.Caps&answerCaps != 0 {
				sig.Strength = signal.Phrase
			}
			w.Q.Add(sig)
		}
	case canHTTP:
		w.readHTTP(s, err)
	case canRetryAfter:
		w.readRetryAfter(s, err)
	case canGRPC:
		w.readGRPC(err)
	case canConnect:
		w.readConnect(err)
	case canJSONRPC:
		w.readJSONRPC(s, err)
	case canCode:
		w.readCodes(s, err)
	case canSQLState:
		w.readSQLState(s, err)
	case canSQLNumber:
		w.readSQLNumber(s, err)
	case canLabels:
		w.readLabels(err.(interface{ HasErrorLabel(string) bool }))
	}
}
