package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
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
		fmt.Fprintf(&b, "errclass run: %s: %s %s (%s) after %s\n", printable(supervise.MaskSecrets(x.err.Error())), r.Category, r.Reason, printable(r.Rule), count(x.calls, "run"))
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
