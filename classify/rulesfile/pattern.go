package rulesfile

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/errclass/errclass/classify/internal/ruledoc"
	"github.com/errclass/errclass/classify/internal/scan"
)

// patternError names the rule, the pattern and the fault, in one line. For a syntax
// error, it adds the faulty part and a remedy if known.
func patternError(d *ruledoc.Rule, err error) error {
	var fault *syntax.Error
	if !errors.As(err, &fault) {
		return &Error{Line: d.LineOf("pattern"), Err: fmt.Errorf("rule %q: pattern %s: %w", d.ID, scan.Shorten(d.Pattern), err)}
	}
	what := string(fault.Code)
	if part := strings.TrimPrefix(fault.Expr, "(?i)"); part != "" && part != d.Pattern {
		what = fmt.Sprintf("%s: %s", what, scan.Shorten(part))
	}
	if remedy := remedies[fault.Code]; remedy != "" {
		what += "; " + remedy
	}
	return &Error{
		Line: d.LineOf("pattern"),
		Err:  &patternFault{text: fmt.Sprintf("rule %q: pattern %s: %s", d.ID, scan.Shorten(d.Pattern), what), err: fault},
	}
}

// patternFault wraps a parser's error, but has a message of its own.
type patternFault struct {
	text string
	err  error
}

func (e *patternFault) Error() string { return e.text }

func (e *patternFault) Unwrap() error { return e.err }

// remedies has a remedy for each kind of syntax error.
var remedies = map[syntax.ErrorCode]string{
	syntax.ErrInvalidPerlOp:         `Go's syntax has no look-around; add what must not match as a "miss" and narrow the pattern`,
	syntax.ErrInvalidEscape:         `escape only punctuation, or use \b, \d, \s, \w`,
	syntax.ErrInvalidRepeatSize:     "repeat at most 1000 times; counts within each other multiply",
	syntax.ErrMissingRepeatArgument: `write \ before a literal *, + or ?`,
	syntax.ErrLarge:                 "shorten its repetitions",
	syntax.ErrNestingDepth:          "nest fewer groups",
}
