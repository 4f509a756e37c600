package supervise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/go-version"

	"github.com/errclass/errclass/classify"
)

// DefaultVersionTimeout is the default of [WithVersionTimeout]. A program on Node.js
// may need seconds for its first start.
const DefaultVersionTimeout = 10 * time.Second

// Installed is a program that can be run.
type Installed struct {
	Path    string
	Version string // from the output of --version: "0.34.0"; "" if there is none
}

// SetupProblem is a problem with the installation of a program.
type SetupProblem string

// These are the problems that [LookUp] finds.
const (
	NotFound    SetupProblem = "not_found"
	NeedsUpdate SetupProblem = "needs_update"
	CheckFailed SetupProblem = "check_failed" // --version crashed, timed out or printed no version
)

// SetupError reports that a program cannot be used. The text is for the user, for
// example "Codex CLI not found. Run: npm install -g @openai/codex". [LookUp] returns
// a SetupError. The error of [Run] wraps a SetupError if a known agent is not
// installed or needs an update. In that SetupError, Version, MinVersion and Hint are
// empty.
type SetupError struct {
	Problem    SetupProblem
	Product    string // "Codex CLI"
	Version    string // the installed version; "" if unknown
	MinVersion string // the required version
	Hint       string // the command that installs or updates the program
	Err        error  // the cause; nil if LookUp has found a version below the minimum
}

func (e *SetupError) Error() string {
	var text string
	switch e.Problem {
	case NotFound:
		text = e.Product + " not found"
	case NeedsUpdate:
		text = e.Product + " needs update"
		if e.Version != "" {
			text += fmt.Sprintf(": %s is installed, %s or later is needed", e.Version, e.MinVersion)
		}
	default:
		return fmt.Sprintf("%s check failed: %v", e.Product, e.Err)
	}
	if e.Hint == "" {
		return text
	}
	return text + ". Run: " + e.Hint
}

func (e *SetupError) Unwrap() error { return e.Err }

// ErrorType returns the reason of the error, for OpenTelemetry's error.type. The
// reason is timeout if --version timed out, and spawn otherwise.
func (e *SetupError) ErrorType() string { return string(classify.Error(e).Reason) }

// LookUpOption configures [LookUp].
type LookUpOption interface {
	apply(lookUpConfig) lookUpConfig
}

type lookUpConfig struct {
	product string
	timeout time.Duration
	env     []string
}

type lookUpOption func(lookUpConfig) lookUpConfig

func (f lookUpOption) apply(c lookUpConfig) lookUpConfig { return f(c) }

// WithProduct sets the product name of the program, such as "Codex CLI". For common
// agents, the default comes from a table (codex, claude, gemini, ...). For other
// programs, the default is the program's name.
func WithProduct(name string) LookUpOption {
	return lookUpOption(func(c lookUpConfig) lookUpConfig {
		if name != "" {
			c.product = name
		}
		return c
	})
}

// WithVersionTimeout sets the time limit for running the program with --version. The
// default is [DefaultVersionTimeout]. 0 keeps the default.
func WithVersionTimeout(d time.Duration) LookUpOption {
	return lookUpOption(func(c lookUpConfig) lookUpConfig {
		c.timeout = orDefault(d, c.timeout)
		return c
	})
}

// WithLookUpEnv sets the environment for running the program that LookUp has found. The
// default, nil, is the environment of the calling process. LookUp always searches
// the PATH of the calling process.
func WithLookUpEnv(env ...string) LookUpOption {
	env = append([]string(nil), env...)
	return lookUpOption(func(c lookUpConfig) lookUpConfig {
		c.env = env
		return c
	})
}

// LookUp finds a program by name or path and runs it with --version. minVersion is
// the minimum version. If it is "", any version is accepted. hint is the command that
// installs or updates the program, or "". The error is a [*SetupError]. If ctx ended
// first, the error is that of ctx. If minVersion is invalid, the error has another
// type.
//
// Versions are compared as semantic versions: 0.34.0-alpha.1 is less than 0.34.0.
func LookUp(ctx context.Context, name, minVersion, hint string, opts ...LookUpOption) (Installed, error) {
	cfg := lookUpConfig{product: productOf(name), timeout: DefaultVersionTimeout}
	for _, o := range opts {
		if o != nil {
			cfg = o.apply(cfg)
		}
	}
	problem := func(p SetupProblem, found string, err error) error {
		return &SetupError{Problem: p, Product: cfg.product, Version: found, MinVersion: minVersion, Hint: hint, Err: err}
	}
	minimum, err := parseMinimum(minVersion)
	if err != nil {
		return Installed{}, fmt.Errorf("minimum version %q of %s: %w", minVersion, cfg.product, err)
	}
	path, err := exec.LookPath(name)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return Installed{}, problem(NotFound, "", err)
	case err != nil:
		return Installed{}, problem(CheckFailed, "", err)
	}
	var out capped
	outcome, err := Run(ctx, Command{Name: path, Args: []string{"--version"}, Env: cfg.env, Stdout: &out, Stderr: &out, Timeout: cfg.timeout, Silence: -1})
	switch {
	case ctx.Err() != nil:
		return Installed{Path: path}, contextError(ctx)
	case errors.Is(err, ErrWatchdog):
		return Installed{Path: path}, problem(CheckFailed, "", versionError(cfg.timeout))
	case err != nil:
		return Installed{Path: path}, problem(CheckFailed, "", withLastLine(err, outcome))
	}
	found, text := firstVersion(MaskSecrets(out.String()))
	switch {
	case minimum == nil:
	case found == nil:
		return Installed{Path: path}, problem(CheckFailed, "", errors.New("no version in the output of --version"))
	case found.LessThan(minimum):
		return Installed{Path: path, Version: text}, problem(NeedsUpdate, text, nil)
	}
	return Installed{Path: path, Version: text}, nil
}

// withLastLine adds the last line of standard error to the text of err.
func withLastLine(err error, o Outcome) error {
	var run *Error
	if errors.As(err, &run) {
		err = run.Err // leave out the program's name: SetupError adds the product's
	}
	var setup *SetupError
	if errors.As(err, &setup) {
		err = setup.Err
	}
	if o.Stderr == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.TrimSpace(o.Stderr[strings.LastIndexByte(o.Stderr, '\n')+1:]))
}

// products maps programs to their product names.
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

// userText returns the message for the user, or "" for check_failed.
func (e *SetupError) userText() string {
	switch e.Problem {
	case NotFound:
		return e.Product + " not installed"
	case NeedsUpdate:
		return e.Product + " needs update"
	}
	return ""
}

// agentSetup returns a SetupError if a known agent is missing or outdated.
func (c *Command) agentSetup(err error, res classify.Result, stderr string) *SetupError {
	product, known := products[c.base()]
	if !known || res.Reason != classify.ReasonSpawn {
		return nil
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		if res.Rule == wrongVersionRule || needsUpdateText.MatchString(stderr) {
			return &SetupError{Problem: NeedsUpdate, Product: product, Err: err}
		}
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist) && !c.exists():
		return &SetupError{Problem: NotFound, Product: product, Err: err}
	}
	return nil
}

// exists reports whether the program's path exists. If the path exists, an ErrNotExist
// means that the working directory or the interpreter of a script is missing.
func (c *Command) exists() bool {
	path := c.Name
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Dir, path)
	}
	_, err := os.Stat(path)
	return err == nil
}

// wrongVersionRule is the standard rule for agents of the wrong version.
const wrongVersionRule = "text/agent-wrong-version"

// needsUpdateText matches other texts about wrong versions. The pattern is vague, so it
// is used only for known agents.
var needsUpdateText = regexp.MustCompile(`(?i)\bneeds? (?:an |to be )?updated?\b|\bversion mismatch\b|\b(?:unsupported|incompatible|outdated) version\b`)

func productOf(name string) string {
	c := Command{Name: name}
	if p, ok := products[c.base()]; ok {
		return p
	}
	return filepath.Base(name)
}

// versionText matches a version in a line, such as "codex-cli 0.34.0", "v22.3.0",
// "2025.10.02-bd871ac".
var versionText = regexp.MustCompile(`(?:^|[^\w.])v?(\d{1,9}(?:\.\d{1,9}){1,3}(?:-[0-9A-Za-z.-]{1,64})?)`)

func parseMinimum(text string) (*version.Version, error) {
	if text == "" {
		return nil, nil
	}
	return version.NewVersion(text)
}

// firstVersion returns the first version in a text, parsed and as written. If there
// is none, v is nil.
func firstVersion(text string) (v *version.Version, written string) {
	for _, m := range versionText.FindAllStringSubmatchIndex(text, -1) {
		written = strings.TrimRight(text[m[2]:m[3]], ".-")
		if isAddress(text, m[2], written) {
			continue
		}
		if v, err := version.NewVersion(written); err == nil {
			return v, written
		}
	}
	return nil, ""
}

// marksVersion matches a text that announces a version, such as "version ".
var marksVersion = regexp.MustCompile(`(?i)(?:^|\W)(?:v|ver\.?|version)[ :=]{0,2}$`)

// isAddress reports whether text[start:] begins inside an IP address, a URL or a
// time. "version 1.2.3.4" is not an IP address.
func isAddress(text string, start int, number string) bool {
	before := text[:start]
	word := before[strings.LastIndexFunc(before, unicode.IsSpace)+1:]
	if strings.Contains(word, "://") {
		return true
	}
	if n := len(before); n > 1 && before[n-1] == ':' && '0' <= before[n-2] && before[n-2] <= '9' { // 12:30:00.123
		return true
	}
	_, err := netip.ParseAddr(number)
	return err == nil && !marksVersion.MatchString(before)
}

// capped is a buffer that keeps only the first 4 KiB.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	const limit = 4 << 10
	c.Buffer.Write(p[:min(len(p), max(0, limit-c.Len()))])
	return len(p), nil
}
