package supervise

import (
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/errclass/errclass/classify"
)

// These are the default limits of a child.
const (
	DefaultTimeout = 10 * time.Minute // total time
	DefaultSilence = 10 * time.Minute // time without output
	DefaultGrace   = 5 * time.Second  // between SIGTERM and SIGKILL
	StderrRunes    = 500              // characters kept of standard error
)

// Command describes a child process and its limits. Only Name is required. Run does
// not change a Command, so it may be run many times. If its readers and writers are
// safe for concurrent use, it may be run concurrently.
type Command struct {
	Name string   // the program: a path, or a name to be found in PATH
	Args []string // the arguments, without the name
	Dir  string   // the working directory; "" means the current one
	Env  []string // the environment as KEY=VALUE; nil means the environment of this program

	// Stdin is the child's input. nil means an empty input. If Stdin is an *os.File,
	// the child reads directly from the file. Otherwise a goroutine copies the
	// input. If Stdin.Read blocks, the goroutine may outlive the child.
	Stdin io.Reader
	// Stdout and Stderr receive the child's output when it is written. nil discards
	// the output. If both are the same writer, only one goroutine at a time calls
	// it. The child writes directly to Stdout under these conditions:
	//
	//   - Stdout is an *os.File and not also Stderr.
	//   - There is no silence limit.
	//   - The arguments do not ask for JSON events (--json, stream-json).
	Stdout, Stderr io.Writer

	// Terminal is a terminal for the child. nil means none. Windows is not
	// supported.
	Terminal *Terminal

	Timeout time.Duration // limit of the total time; 0 means DefaultTimeout, negative means none
	Silence time.Duration // limit of the time without output; 0 means DefaultSilence, negative means none
	Grace   time.Duration // time from SIGTERM to SIGKILL, and limit for reading the rest of the output; 0 means DefaultGrace, negative means none

	// Mask removes secrets from the texts in an Outcome, an Error and a ServerError. nil
	// means MaskSecrets. Stdout, Stderr and Classifier receive the output unmasked.
	Mask func(string) string
	// Classifier classifies how the child ended. nil means classify.Standard.
	Classifier *classify.Classifier
	// Provider, such as "codex" or "anthropic", is copied to the Result. It may be
	// empty.
	Provider string
}

// base returns the program's name without directory and extension.
func (c *Command) base() string {
	return strings.TrimSuffix(filepath.Base(c.Name), ".exe")
}

// cmd returns the exec.Cmd for c.
func (c *Command) cmd() *exec.Cmd {
	cmd := exec.Command(c.Name, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	if c.Name == "" { // os/exec returns an error without a type for an empty name
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

// orDefault returns d. If d is 0, it returns fallback. If d is negative, it returns
// 0.
func orDefault(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return max(d, 0)
}
