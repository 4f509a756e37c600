package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strconv"
	"sync"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

// failure is a run that went wrong, with all its repetitions.
type failure struct {
	outcome    supervise.Outcome
	err        error
	calls      int
	classifier *classify.Classifier
}

// byClosedOutput is x with the closed output as its reason. A command may have
// ended by then, and in many ways: of SIGPIPE, of the SIGTERM that it got for it, or
// by itself with its last words unread. All of them mean the same.
func (x failure) byClosedOutput() failure {
	name, err := "", error(outputEnd{})
	if e, ok := errors.AsType[*supervise.Error](x.err); ok {
		name = e.Program
	}
	provider := x.outcome.Result.Provider
	x.outcome.Result = classify.Standard.Error(err)
	x.outcome.Result.Provider = provider
	if name != "" {
		err = &supervise.Error{Program: name, Outcome: x.outcome, Err: err}
	}
	x.err = err
	return x
}

// said is the text of err without its secrets. Names are masked apart from what is
// said about them: in "token: permission denied" a name before a colon reads like
// that of a secret. The types are exact, for only these put a name in front so.
func said(err error) string {
	switch e := err.(type) { //nolint:errorlint // see above: a wrapped one is part of another text
	case *supervise.Error:
		return supervise.MaskSecrets(e.Program) + ": " + said(e.Err)
	case *fs.PathError:
		return e.Op + " " + supervise.MaskSecrets(e.Path) + ": " + said(e.Err)
	case *exec.Error:
		return "exec: " + strconv.Quote(supervise.MaskSecrets(e.Name)) + ": " + said(e.Err)
	}
	return supervise.MaskSecrets(err.Error())
}

// report says what is to be said about a failure, the event last, and returns
// the exit code as an error. The code is the command's, also where something of
// the report cannot be written: standard error says so, if that can be written.
func (f *runFlags) report(s Streams, errs *lineEnd, event io.Writer, x failure) error {
	json := *f.format == formatJSON
	var b bytes.Buffer
	if f.explain {
		_ = x.explain(&b, json, isTerminal(s.Err)) // a buffer takes everything
	}
	if r := x.outcome.Result; !json {
		fmt.Fprintf(&b, "errclass run: %s: %s %s (%s) after %s\n", printable(said(x.err)), r.Category, r.Reason, printable(r.Rule), count(x.calls, "run"))
	}
	if event == nil && json {
		event = &b
	}
	if event != nil {
		e := supervise.NewEvent(f.request, f.provider, x.calls, x.outcome)
		if _, err := e.WriteTo(event); err != nil {
			fmt.Fprintf(&b, "errclass run: --event: the event was not written: %v\n", err)
		}
	}
	_ = errs.write(b.Bytes()) // there is nowhere else to say it
	return codeError(f.code(x))
}

// explain writes what decided: about the text that was read, and what is known
// besides it.
func (x failure) explain(w io.Writer, json, colour bool) error {
	message := x.outcome.Stderr
	var exit *exec.ExitError
	if errors.As(x.err, &exit) {
		message = string(exit.Stderr) // what decided, which may have stood above the last 500 characters
	}
	explanation := classify.Explanation{}
	if message != "" {
		explanation = x.classifier.Explain(classify.Evidence{Message: message})
	}
	if r := x.outcome.Result; explanation.Result.Rule != r.Rule { // a signal, a watchdog, a start that failed
		for i := range explanation.Signals {
			explanation.Signals[i].Decided = false
			explanation.Signals[i].BeatenBy = r.Rule
		}
		explanation.Result = r
		explanation.Signals = append([]classify.Signal{{
			Rule: r.Rule, Reason: r.Reason, Category: r.Category, Strength: "fact", Source: "error", Start: -1, End: -1, Decided: true,
		}}, explanation.Signals...)
	}
	if json {
		return writeJSON(w, explanationJSON(explanation))
	}
	return writeExplanation(w, message, explanation, colour)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// lineEnd is standard error, to which a child writes what it likes and errclass
// whole lines: those begin on a line of their own.
type lineEnd struct {
	mu   sync.Mutex
	w    io.Writer
	open bool // the last line has no end yet
}

func (l *lineEnd) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.w.Write(p)
	if n > 0 {
		l.open = p[n-1] != '\n'
	}
	return n, err
}

// setOpen says whether the last line has no end yet, for what others wrote.
func (l *lineEnd) setOpen(open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = open
}

// write writes whole lines in one piece.
func (l *lineEnd) write(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		lines = append([]byte("\n"), lines...)
	}
	l.open = false
	_, err := l.w.Write(lines)
	return err
}
