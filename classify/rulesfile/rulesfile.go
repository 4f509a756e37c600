// Package rulesfile reads text rules from YAML for [classify.WithRules].
//
// A rules file is one YAML document with a list of rules. [Load] reads it once,
// [Watch] follows it while the program runs:
//
//	rules:
//	  - id: shop/stock-locked        # becomes Result.Rule
//	    reason: transient            # one of classify.Reasons
//	    pattern: 'stock .{0,20} is locked'
//	    source: internal wiki        # optional: where the wording comes from
//	    match: ['stock 17 is locked']        # optional: texts that it must match
//	    miss: ['stock market is locked up']  # optional: near misses
//
// Patterns are Go regular expressions. They ignore case unless they contain
// (?-i). Load reads at most [MaxBytes] and checks every rule: its fields, reason,
// id and pattern, then the pattern against the rule's examples. If there is a fault,
// Load loads no rule and returns the first fault as an [*Error] with its line and a
// remedy.
//
// Compiling and checking the examples share one budget; see [classify.New]. If a
// file exceeds it, the error has the line, the id
// and the pattern of the rule that spent the most.
package rulesfile

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/internal/ruledoc"
	"github.com/errclass/errclass/classify/internal/scan"
)

// MaxBytes is the largest size of a rules file. A rule takes about 200 bytes.
const MaxBytes = 4 << 20

// Error is a fault in a rules file. Its text names the line, the rule, the fault
// and a remedy.
type Error struct {
	Line int // 0 for a fault of the whole file, such as its size
	Err  error
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

// Unwrap returns the fault without its line.
func (e *Error) Unwrap() error { return e.Err }

// Load reads and checks the rules of one YAML document. An empty document has no
// rules. A fault in the document is an [*Error]; a read error is returned
// unchanged.
func Load(r io.Reader) ([]classify.Rule, error) {
	rules, _, err := load(r)
	return rules, err
}

// load also returns the number of steps that it took: one for each byte read,
// plus the steps of compiling the patterns and checking the examples.
func load(r io.Reader) (rules []classify.Rule, steps int, err error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, len(data), err
	}
	docs, err := read(data)
	if err != nil {
		return nil, len(data), err
	}
	steps, err = checkPatterns(docs)
	steps += len(data)
	if err != nil {
		return nil, steps, err
	}
	rules = make([]classify.Rule, len(docs))
	for i, d := range docs {
		rules[i] = classify.Rule{ID: d.ID, Reason: classify.Reason(d.Reason), Pattern: d.Pattern}
	}
	return rules, steps, nil
}

// read reads the rules of a document. It does not check their patterns.
func read(data []byte) ([]ruledoc.Rule, error) {
	if len(data) > MaxBytes {
		return nil, &Error{Err: fmt.Errorf("larger than %d bytes; split the rules or drop examples", MaxBytes)}
	}
	doc, err := ruledoc.Read(strings.NewReader(string(data)))
	if err != nil {
		return nil, documentError(err)
	}
	if len(doc.Tables) > 0 {
		return nil, &Error{Err: errors.New("tables belong to the standard rules; remove them")}
	}
	if len(doc.Parts) > 0 {
		return nil, &Error{Err: errors.New("parts belong to the standard rules; remove them")}
	}
	seen := make(map[string]int, len(doc.Rules))
	for i, d := range doc.Rules {
		if err := checkFields(i, d, seen); err != nil {
			return nil, err
		}
	}
	return doc.Rules, nil
}

// checkFields checks the fields of rule i. seen maps ids to lines.
func checkFields(i int, d ruledoc.Rule, seen map[string]int) error {
	if d.ID == "" {
		return faultf(d.LineOf("id"), "rule %d: it has no id; give it a stable name, such as id: shop/stock-locked", i+1)
	}
	if first, ok := seen[d.ID]; ok {
		return faultf(d.LineOf("id"), "rule %q: the id occurs twice, first on line %d; give each rule its own", d.ID, first)
	}
	seen[d.ID] = d.LineOf("id")
	for _, f := range []struct{ key, value, remedy string }{
		{"category", d.Category, "it follows from the reason"},
		{"strength", d.Strength, "a rule of yours beats the standard ones anyway"},
		{"codes", d.Codes, "tables of codes belong to the standard rules"},
		{"vetoes", strings.Join(d.Vetoes, ""), "a rule of yours beats the standard ones anyway"},
		{"beats", strings.Join(d.Beats, ""), "a rule of yours beats the standard ones anyway"},
		{"decides", strings.Join(slices.Sorted(maps.Keys(d.Decides)), ""), "it is for the standard rules"},
	} {
		if f.value != "" {
			return faultf(d.LineOf(f.key), "rule %q: remove %s: %s", d.ID, f.key, f.remedy)
		}
	}
	switch {
	case d.Pattern == "":
		return faultf(d.LineOf("pattern"), "rule %q: it has no pattern; add the wording to look for, such as pattern: 'is locked'", d.ID)
	case d.Reason == "":
		return faultf(d.LineOf("reason"), "rule %q: it has no reason; use one of %s", d.ID, reasons())
	case !classify.Reason(d.Reason).Valid():
		return faultf(d.LineOf("reason"), "rule %q: unknown reason %q; use one of %s", d.ID, d.Reason, reasons())
	}
	return nil
}

// checkPatterns compiles all patterns as classify.New does. It checks their
// examples with the rest of the budget. It returns the number of steps.
func checkPatterns(docs []ruledoc.Rule) (steps int, err error) {
	exprs := make([]string, len(docs))
	for i, d := range docs {
		exprs[i] = d.Pattern
	}
	budget := scan.NewBudget(exprs)
	if _, err := budget.Compile(exprs); err != nil {
		return budget.Work(), inRule(docs, err)
	}
	for i, d := range docs {
		if len(d.Match)+len(d.Miss) == 0 {
			continue
		}
		t, err := budget.Tester(i, d.Pattern)
		if err == nil {
			err = checkExamples(d, t)
		}
		if err != nil {
			return budget.Work(), inRule(docs, err)
		}
	}
	return budget.Work(), nil
}

// inRule adds the rule's line, id and pattern to an error of the matcher.
func inRule(docs []ruledoc.Rule, err error) error {
	var at *scan.PatternError
	if !errors.As(err, &at) {
		return err
	}
	return patternError(docs[at.Index], at.Err)
}

// checkExamples checks that a pattern matches the texts under match and none of
// the texts under miss.
func checkExamples(d ruledoc.Rule, t *scan.Tester) error {
	for _, text := range d.Match {
		switch matched, err := t.Match(text); {
		case err != nil:
			return err
		case !matched:
			return faultf(d.LineOf("match"), "rule %q: pattern %s does not match %s, which is listed under match; correct one of the two",
				d.ID, scan.Shorten(d.Pattern), scan.Shorten(text))
		}
	}
	for _, text := range d.Miss {
		switch matched, err := t.Match(text); {
		case err != nil:
			return err
		case matched:
			return faultf(d.LineOf("miss"), "rule %q: pattern %s matches %s%s, which is listed under miss; correct one of the two",
				d.ID, scan.Shorten(d.Pattern), matchIn(d.Pattern, text), scan.Shorten(text))
		}
	}
	return nil
}

// matchIn quotes the part of a text that a pattern matches. For a long text it
// returns "", because package regexp would take too long.
func matchIn(pattern, text string) string {
	const short = 1 << 10
	if len(pattern) > short || len(text) > short {
		return ""
	}
	re, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%q in ", re.FindString(text))
}

func faultf(line int, format string, args ...any) error {
	return &Error{Line: line, Err: fmt.Errorf(format, args...)}
}

func reasons() string {
	var b strings.Builder
	for i, r := range classify.Reasons() {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(r))
	}
	return b.String()
}

// documentError turns an error of the YAML reader into an [*Error]. It parses the
// error's text, because an error of the YAML library has the line only there.
func documentError(err error) error {
	var at *ruledoc.Error
	if errors.As(err, &at) {
		return &Error{Line: at.Line, Err: at.Err}
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if number, what, ok := strings.Cut(rest, ": "); ok {
			if line, err := strconv.Atoi(number); err == nil {
				return &Error{Line: line, Err: fmt.Errorf("invalid YAML: %s", what)}
			}
		}
	}
	return &Error{Err: errors.New(text)}
}
