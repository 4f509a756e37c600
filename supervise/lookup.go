package supervise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/go-version"

	"github.com/errclass/errclass/classify"
)

// DefaultVersionTimeout is how long a program may take to say its version. The
// first start of a program on Node.js takes some seconds on a slow disk.
const DefaultVersionTimeout = 10 * time.Second

// Installed is a program that can be run.
type Installed struct {
	Path    string
	Version string // as it says itself: "0.34.0"; "" where it says none
}

// SetupProblem is what is wrong with a program's installation.
type SetupProblem string

// The problems that [LookUp] finds.
const (
	NotFound    SetupProblem = "not_found"
	NeedsUpdate SetupProblem = "needs_update"
	CheckFailed SetupProblem = "check_failed" // it crashed, or said nothing in time, or no version
)

// SetupError is a program that cannot be used. Its text is meant for the
// program's user: "Codex CLI not found. Run: npm install -g @openai/codex".
type SetupError struct {
	Problem    SetupProblem
	Product    string // "Codex CLI"
	Version    string // that is installed; "" where it is not known
	MinVersion string // that is needed
	Hint       string // the command that helps
	Err        error  // what is behind it; nil for needs_update
}

func (e *SetupError) Error() string {
	var text string
	switch e.Problem {
	case NotFound:
		text = e.Product + " not found"
	case NeedsUpdate:
		text = fmt.Sprintf("%s needs update: %s is installed, %s or later is needed", e.Product, e.Version, e.MinVersion)
	default:
		return fmt.Sprintf("%s check failed: %v", e.Product, e.Err)
	}
	if e.Hint == "" {
		return text
	}
	return text + ". Run: " + e.Hint
}

func (e *SetupError) Unwrap() error { return e.Err }

// ErrorType is the reason, as OpenTelemetry's error.type has it: spawn, or timeout
// where the program said nothing.
func (e *SetupError) ErrorType() string { return string(classify.Error(e).Reason) }

// LookUpOption configures [LookUp].
type LookUpOption interface{ apply(lookUp) lookUp }

type lookUp struct {
	product string
	timeout time.Duration
	env     []string
}

type lookUpOption func(lookUp) lookUp

func (f lookUpOption) apply(l lookUp) lookUp { return f(l) }

// WithProduct sets what people call the program: "Codex CLI". The default is a
// table of common agents (codex, claude, gemini, ...), and else the program's
// name.
func WithProduct(name string) LookUpOption {
	return lookUpOption(func(l lookUp) lookUp {
		if name != "" {
			l.product = name
		}
		return l
	})
}

// WithVersionTimeout sets how long the program may take to say its version. The
// default is [DefaultVersionTimeout]; 0 keeps it.
func WithVersionTimeout(d time.Duration) LookUpOption {
	return lookUpOption(func(l lookUp) lookUp {
		l.timeout = orDefault(d, l.timeout)
		return l
	})
}

// WithLookUpEnv sets the environment in which the program says its version. The
// default, nil, is that of this program. PATH is always looked up in the latter.
func WithLookUpEnv(env ...string) LookUpOption {
	env = append([]string(nil), env...) // the caller's slice stays the caller's
	return lookUpOption(func(l lookUp) lookUp {
		l.env = env
		return l
	})
}

// LookUp finds a program by its name (or path) and asks it for its version with
// --version. minVersion is the least one that will do, "" for any; hint is the
// command that installs or updates it, "" for none. The error is a [*SetupError],
// or the context's where that ended first.
//
// Versions are compared as semantic versions are: 0.34.0-alpha.1 comes before
// 0.34.0.
func LookUp(ctx context.Context, name, minVersion, hint string, opts ...LookUpOption) (Installed, error) {
	l := lookUp{product: productOf(name), timeout: DefaultVersionTimeout}
	for _, o := range opts {
		if o != nil {
			l = o.apply(l)
		}
	}
	problem := func(p SetupProblem, found string, err error) error {
		return &SetupError{Problem: p, Product: l.product, Version: found, MinVersion: minVersion, Hint: hint, Err: err}
	}
	least, err := leastVersion(minVersion)
	if err != nil {
		return Installed{}, fmt.Errorf("minimum version %q of %s: %w", minVersion, l.product, err)
	}
	path, err := exec.LookPath(name)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return Installed{}, problem(NotFound, "", err)
	case err != nil:
		return Installed{}, problem(CheckFailed, "", err)
	}
	var out capped
	outcome, err := Run(ctx, Command{Name: path, Args: []string{"--version"}, Env: l.env, Stdout: &out, Stderr: &out, Timeout: l.timeout, Silence: -1})
	switch {
	case ctx.Err() != nil:
		return Installed{Path: path}, ended(ctx)
	case errors.Is(err, ErrWatchdog):
		return Installed{Path: path}, problem(CheckFailed, "", noVersion(l.timeout))
	case err != nil:
		return Installed{Path: path}, problem(CheckFailed, "", crashed(err, outcome))
	}
	found, text := firstVersion(MaskSecrets(out.String()))
	switch {
	case least == nil:
	case found == nil:
		return Installed{Path: path}, problem(CheckFailed, "", errors.New("it does not say its version"))
	case found.LessThan(least):
		return Installed{Path: path, Version: text}, problem(NeedsUpdate, text, nil)
	}
	return Installed{Path: path, Version: text}, nil
}

// crashed adds to err the last line that the program wrote on standard error.
func crashed(err error, o Outcome) error {
	var run *Error
	if errors.As(err, &run) {
		err = run.Err // the product's name stands before it already
	}
	if o.Stderr == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.TrimSpace(o.Stderr[strings.LastIndexByte(o.Stderr, '\n')+1:]))
}

// products are the names that people know programs by.
var products = map[string]string{
	"codex":        "Codex CLI",
	"claude":       "Claude Code",
	"gemini":       "Gemini CLI",
	"copilot":      "Copilot CLI",
	"cursor-agent": "Cursor CLI",
	"opencode":     "OpenCode",
	"aider":        "Aider",
	"goose":        "Goose",
	"qwen":         "Qwen Code",
}

func productOf(name string) string {
	c := Command{Name: name}
	if p, ok := products[c.base()]; ok {
		return p
	}
	return filepath.Base(name)
}

// A version somewhere in a line: "codex-cli 0.34.0", "1.0.17 (Claude Code)",
// "v22.3.0", "2025.10.02-bd871ac", "0.35.0-alpha.2".
var versionText = regexp.MustCompile(`(?:^|[^\w.])v?(\d{1,9}(?:\.\d{1,9}){1,3}(?:-[0-9A-Za-z.-]{1,64})?)`)

func leastVersion(text string) (*version.Version, error) {
	if text == "" {
		return nil, nil
	}
	return version.NewVersion(text)
}

// firstVersion is the first version that a text names; nil where there is none.
func firstVersion(text string) (v *version.Version, as string) {
	for _, m := range versionText.FindAllStringSubmatch(text, -1) {
		as = strings.TrimRight(m[1], ".-")
		if v, err := version.NewVersion(as); err == nil {
			return v, as
		}
	}
	return nil, ""
}

// capped keeps the beginning of what is written, enough for any version.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	const enough = 4 << 10
	c.Buffer.Write(p[:min(len(p), max(0, enough-c.Len()))])
	return len(p), nil
}
