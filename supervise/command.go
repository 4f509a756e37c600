package supervise

import (
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/errclass/errclass/classify"
)

// The limits of a child, unless its Command says otherwise.
const (
	DefaultTimeout = 10 * time.Minute // in all
	DefaultSilence = 10 * time.Minute // without any output
	DefaultGrace   = 5 * time.Second  // between SIGTERM and SIGKILL
	StderrRunes    = 500              // kept of standard error
)

// Command is what to run, and how to look at it. Only Name is needed. It is
// read and never changed, so one Command may be run many times, also at once,
// as far as its readers and writers allow.
type Command struct {
	Name string   // a program, looked up in PATH, or the path of one
	Args []string // its arguments, without the name
	Dir  string   // its working directory; "" = that of this program
	Env  []string // its environment, KEY=VALUE each; nil = that of this program

	// Stdin is what the child reads; nil is an empty input. An *os.File is given
	// to the child itself. From any other reader a goroutine copies, which ends
	// with the child or, where it waits for the reader, when that returns.
	Stdin io.Reader
	// Stdout and Stderr get what the child writes, as it comes; nil discards
	// it. Where both are the same writer, it is called by one goroutine at a
	// time.
	Stdout, Stderr io.Writer

	Timeout time.Duration // how long it may run; 0 = DefaultTimeout, below 0 = no limit
	Silence time.Duration // how long it may write nothing at all; 0 = DefaultSilence, below 0 = no limit
	Grace   time.Duration // from SIGTERM to SIGKILL, and for the end of its output; 0 = DefaultGrace, below 0 = none

	// Mask takes secrets out of what is kept of standard error; nil =
	// MaskSecrets. Stderr above gets everything as it was written.
	Mask func(string) string
	// Classifier says what the end of the child means; nil = classify.Standard.
	Classifier *classify.Classifier
	// Provider is the name that the Result carries: "codex", "anthropic"; may
	// be empty.
	Provider string
}

// base is the program's name without its folder and extension.
func (c *Command) base() string {
	return strings.TrimSuffix(filepath.Base(c.Name), ".exe")
}

// cmd is the command as os/exec has it.
func (c *Command) cmd() *exec.Cmd {
	cmd := exec.Command(c.Name, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	if c.Name == "" { // os/exec says so with an error of no type
		cmd.Err = &exec.Error{Err: exec.ErrNotFound}
	}
	return cmd
}

func (c *Command) classifier() *classify.Classifier {
	if c.Classifier == nil {
		return classify.Standard
	}
	return c.Classifier
}

func (c *Command) mask(text string) string {
	if c.Mask == nil {
		return MaskSecrets(text)
	}
	return c.Mask(text)
}

func (c *Command) grace() time.Duration { return orDefault(c.Grace, DefaultGrace) }

// orDefault reads a duration of which 0 means a default and anything below 0
// none, which is 0 here.
func orDefault(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return max(d, 0)
}
