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
	"github.com/errclass/errclass/internal/nonblock"
	"github.com/errclass/errclass/supervise"
)

// failure describes a command that failed and will not be run again.
type failure struct {
	outcome    supervise.Outcome
	err        error
	calls      int
	classifier *classify.Classifier
}

// asClosedOutput returns a copy of x that names the closed output as the cause.
func (x failure) asClosedOutput() failure {
	name, err := "", error(closedOutputError{})
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

// maskedText returns an error's text with masked secrets. It masks the name of a
// program or a file separately from the rest of the text. Otherwise a program's name such
// as "token" would count as the name of a secret, and the text after it would be masked.
func maskedText(err error) string {
	switch e := err.(type) { //nolint:errorlint // errors.As would drop the text of a wrapping error
	case *supervise.Error:
		return supervise.MaskSecrets(e.Program) + ": " + maskedText(e.Err)
	case *fs.PathError:
		return e.Op + " " + supervise.MaskSecrets(e.Path) + ": " + maskedText(e.Err)
	case *exec.Error:
		return "exec: " + strconv.Quote(supervise.MaskSecrets(e.Name)) + ": " + maskedText(e.Err)
	}
	return supervise.MaskSecrets(err.Error())
}

// report writes the explanation, a message and the event. It returns the exit code as
// an error. If the event cannot be written, the exit code stays the same.
func (f *runFlags) report(s Streams, errs *lineWriter, event io.Writer, x failure) error {
	json := *f.format == formatJSON
	var b bytes.Buffer
	if f.explain {
		_ = x.explain(&b, json, isTerminal(s.Err)) // a write to a buffer does not fail
	}
	if r := x.outcome.Result; !json {
		fmt.Fprintf(&b, "errclass run: %s: %s %s (%s) after %s\n", printable(maskedText(x.err)), r.Category, r.Reason, printable(r.Rule), count(x.calls, "run"))
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
	_ = errs.writeLines(b.Bytes()) // there is nowhere to report an error
	return codeError(f.code(x))
}

// explain writes the explanation of a failure. The [classify.Signal] that decided the
// result comes first.
func (x failure) explain(w io.Writer, json, colour bool) error {
	message := x.outcome.Stderr
	var exit *exec.ExitError
	if errors.As(x.err, &exit) {
		message = string(exit.Stderr) // the outcome has only the last 500 characters
	}
	explanation := classify.Explanation{}
	if message != "" {
		explanation = x.classifier.Explain(classify.Evidence{Message: message})
	}
	if r := x.outcome.Result; explanation.Result.Rule != r.Rule { // the output did not decide
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

// lineWriter writes the output of a command, and the lines of errclass itself. The lines
// of errclass always begin on a new line.
type lineWriter struct {
	mu         sync.Mutex
	w          io.Writer
	unfinished bool // the last line has no line end yet
}

func (l *lineWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := nonblock.Writer{W: l.w}.Write(p)
	if n > 0 {
		l.unfinished = p[n-1] != '\n'
	}
	return n, err
}

// setUnfinished records whether the last line lacks a line end. Call setUnfinished if
// another program may have written to the output.
func (l *lineWriter) setUnfinished(unfinished bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unfinished = unfinished
}

// writeLines writes whole lines with one write.
func (l *lineWriter) writeLines(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unfinished {
		lines = append([]byte("\n"), lines...)
	}
	l.unfinished = false
	_, err := nonblock.Writer{W: l.w}.Write(lines)
	return err
}
