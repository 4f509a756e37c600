// Package rulesfile reads text rules from YAML for [classify.WithRules].
//
// A rules file is one YAML document with a list of rules. [Load] reads it once.
// [Watch] reloads it whenever it changes while the program runs. An example:
//
//	rules:
//	  - id: shop/stock-locked        # becomes Result.Rule
//	    reason: transient            # one of classify.Reasons
//	    pattern: 'stock .{0,20} is locked'
//	    source: internal wiki        # optional: where the wording comes from
//	    match: ['stock 17 is locked']        # optional: texts that it must match
//	    miss: ['stock market is locked up']  # optional: near misses
//
// Patterns are Go regular expressions. They ignore case unless they contain (?-i).
// Load checks every rule: its fields, reason, id, pattern and examples. If there is a
// fault, Load loads no rule. It returns the first fault as an [*Error] with its line
// and a remedy.
//
// The limits of [classify.New] apply. There are also these limits:
//
//   - [MaxBytes] for a file.
//   - 512 KiB for a file whose YAML is not plain. Plain YAML is a list of rules without
//     anchors, aliases and tags. Each text is on one line, or a block text with |.
//   - 40,000 keys and values for one rule.
//   - 3 million steps of checking examples, plus one for each byte of the examples.
//
// Checking an example takes less than one step per byte. If the pattern has a repeated
// dot such as .{0,900}, the dot takes 200 steps wherever the part before it matches.
//
// If a file exceeds a limit, Load returns an error within 100 ms and 64 MB. The error
// has the line, the id and the pattern of the most expensive rule, and a remedy.
package rulesfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/internal/ruledoc"
	"github.com/errclass/errclass/classify/internal/scan"
)

// MaxBytes is the largest size of a rules file. A rule takes about 200 bytes.
const MaxBytes = 4 << 20

// Error is a fault in a rules file. Its text names the line, the rule, the fault and
// a remedy.
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
// rules. A fault in the document is an [*Error]. A read error is returned unchanged.
func Load(r io.Reader) ([]classify.Rule, error) {
	rules, _, err := load(r)
	return rules, err
}

// load is like Load, but also returns the number of steps. It counts one step for
// each byte of the file, and the steps of compiling the patterns and of checking the
// examples.
func load(r io.Reader) (rules []classify.Rule, steps int, err error) {
	var file bytes.Buffer
	if _, err := file.ReadFrom(io.LimitReader(r, MaxBytes+1)); err != nil {
		return nil, file.Len(), err
	}
	steps = file.Len()
	docs, err := read(file.Bytes())
	if err != nil {
		return nil, steps, err
	}
	more, err := checkPatterns(docs)
	steps += more
	if err != nil {
		return nil, steps, err
	}
	rules = make([]classify.Rule, len(docs))
	for i := range docs {
		d := &docs[i]
		rules[i] = classify.Rule{ID: d.ID, Reason: classify.Reason(d.Reason), Pattern: d.Pattern}
	}
	return rules, steps, nil
}

// read reads the rules of a document. It does not check their patterns.
func read(data []byte) ([]ruledoc.Rule, error) {
	if len(data) > MaxBytes {
		return nil, &Error{Err: fmt.Errorf("larger than %d bytes; split the rules or drop examples", MaxBytes)}
	}
	seen := make(map[string]int, len(data)/64) // a rule rarely has fewer than 64 bytes
	doc, err := ruledoc.Parse(data, func(i int, d *ruledoc.Rule) error {
		if i == 0 { // Parse may start again with the first rule
			clear(seen)
		}
		return checkFields(i+1, d, seen)
	})
	if err != nil {
		return nil, documentError(err)
	}
	if len(doc.Tables) > 0 {
		return nil, &Error{Err: errors.New("tables belong to the standard rules; remove them")}
	}
	if len(doc.Parts) > 0 {
		return nil, &Error{Err: errors.New("parts belong to the standard rules; remove them")}
	}
	return doc.Rules, nil
}

// checkFields checks the fields of the n-th rule. The map seen has the line of each
// id.
func checkFields(n int, d *ruledoc.Rule, seen map[string]int) error {
	if d.ID == "" {
		return faultf(d.LineOf("id"), "rule %d: it has no id; give it a stable name, such as id: shop/stock-locked", n)
	}
	if first, ok := seen[d.ID]; ok {
		return faultf(d.LineOf("id"), "rule %q: the id occurs twice, first on line %d; give each rule its own", d.ID, first)
	}
	seen[d.ID] = d.LineOf("id")
	key, remedy := "", "a rule of yours beats the standard ones anyway"
	switch {
	case d.Category != "":
		key, remedy = "category", "it follows from the reason"
	case d.Strength != "":
		key = "strength"
	case d.Codes != "":
		key, remedy = "codes", "tables of codes belong to the standard rules"
	case len(d.Vetoes) > 0:
		key = "vetoes"
	case len(d.Beats) > 0:
		key = "beats"
	case len(d.Decides) > 0:
		key, remedy = "decides", "it is for the standard rules"
	}
	if key != "" {
		return faultf(d.LineOf(key), "rule %q: remove %s: %s", d.ID, key, remedy)
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

// checkPatterns checks the examples, then compiles all patterns together, as
// classify.New does. It returns the number of steps.
func checkPatterns(docs []ruledoc.Rule) (steps int, err error) {
	exprs := make([]string, len(docs))
	for i := range docs {
		exprs[i] = docs[i].Pattern
	}
	budget := scan.NewBudget(exprs)
	if err = budget.Precheck(exprs); err == nil {
		err = checkAllExamples(docs, budget)
	}
	if err == nil {
		_, err = budget.Compile(exprs)
	}
	return budget.Work(), inRule(docs, err)
}

// inRule adds the line, the id and the pattern of the faulty rule to err.
func inRule(docs []ruledoc.Rule, err error) error {
	var at *scan.PatternError
	if !errors.As(err, &at) {
		return err
	}
	return patternError(&docs[at.Index], at.Err)
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

// documentError turns an error of ruledoc.Parse into an [*Error]. The YAML library
// gives the line only in the text of its error.
func documentError(err error) error {
	var own *Error
	if errors.As(err, &own) {
		return err
	}
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
