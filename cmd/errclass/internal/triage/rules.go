package triage

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/classify/rulesfile"
	"github.com/errclass/errclass/cmd/errclass/internal/triage/drain"
	"github.com/errclass/errclass/internal/ascii"
)

// maxRules limits how many rules WriteRules writes.
const maxRules = 50

// choose is written instead of a reason. Package rulesfile refuses this word.
const choose = "CHOOSE"

// WriteRules writes a rules file for the largest groups with an unknown reason. A
// group gets one rule, unless its examples have too few words. WriteRules writes at
// most 50 rules and returns their number. A person must choose the reason of each
// rule. Until then, package rulesfile refuses the file.
func WriteRules(w io.Writer, r *Report) (rules int, err error) {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# Rules for the largest groups of unknown errors, made by errclass triage.\n"+
		"# For each rule, replace %s by a reason, check the pattern, or delete the rule.\n"+
		"# Reasons: %s.\n"+
		"# Try it: errclass triage --rules FILE LOG...\nrules:\n", choose, reasonList())
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Reason != classify.ReasonUnknown {
			continue
		}
		if rules == maxRules {
			fmt.Fprintf(b, "\n  # More groups are unknown. Run errclass triage again with these rules.\n")
			break
		}
		text := skeleton(g)
		if text == "" {
			fmt.Fprintf(b, "\n  # errors: %d (%.1f %%). No pattern, because the template has too few words:\n  # %s\n", g.Count, 100*g.Share, comment(g.Template))
			continue
		}
		rules++
		fmt.Fprintf(b, "\n  # errors: %d (%.1f %%)%s\n  # %s\n%s", g.Count, 100*g.Share, services(g), comment(g.Template), text)
	}
	if rules == 0 {
		fmt.Fprintln(b, "  []")
	}
	return rules, b.Flush()
}

func reasonList() string {
	var names []string
	for _, reason := range classify.Reasons() {
		if reason != classify.ReasonUnknown {
			names = append(names, string(reason))
		}
	}
	return strings.Join(names, ", ")
}

func services(g *Group) string {
	var names []string
	for _, s := range g.Services {
		names = append(names, comment(s.Name))
	}
	if len(names) == 0 {
		return ""
	}
	return "; services: " + strings.Join(names, ", ")
}

// comment returns text in a form that is valid in a comment of YAML.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || 0x7f <= r && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || 0xfffd <= r && r <= 0xffff {
			return '?'
		}
		return r
	}, cut(text, 300))
}

// skeleton returns a rule without a reason, or "" if there are too few words.
func skeleton(g *Group) string {
	var texts []string
	for _, x := range g.Examples {
		if text := ruleText(x); text != "" {
			texts = append(texts, text)
		}
	}
	for len(texts) > 0 {
		for _, pattern := range patterns(texts) {
			// The loader also tests the pattern with the examples.
			if _, err := rulesfile.Load(strings.NewReader("rules:\n" + ruleOf(g, pattern, texts, string(classify.ReasonLogic)))); err == nil {
				return ruleOf(g, pattern, texts, choose)
			}
		}
		texts = texts[:len(texts)-1] // the last text may differ too much from the others
	}
	return ""
}

func ruleOf(g *Group, pattern string, texts []string, reason string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  - id: triage/%s\n    reason: %s\n    pattern: '%s'\n    match:\n", g.ID, reason, strings.ReplaceAll(pattern, "'", "''"))
	for _, text := range texts {
		fmt.Fprintf(&b, "      - %s\n", quoted(text))
	}
	return b.String()
}

// quoted returns text as a JSON string, which is also a valid string in YAML.
func quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(strings.ToValidUTF8(text, "?")); err != nil {
		panic(err) // a string always marshals
	}
	return strings.NewReplacer("\u007f", `\u007f`, "\u0085", `\u0085`, "\ufeff", `\ufeff`).Replace(strings.TrimSuffix(b.String(), "\n"))
}

// maxRuleText limits how many bytes an example in a rule has.
const maxRuleText = 400

// ruleText returns the line that the classifier reads first, without any stack trace.
func ruleText(x Example) string {
	text := x.Source
	if text == "" {
		text = x.Text
	}
	all := strings.Split(headline(strings.TrimSuffix(text, ellipsis)), "\n")
	line := all[0]
	if strings.HasPrefix(line, "Traceback ") {
		line = all[len(all)-1]
	}
	return strings.TrimSpace(cut(line, maxRuleText))
}

const (
	// maxPlaceholders limits how many words of a pattern have placeholders, such as
	// <num>.
	maxPlaceholders = 2
	// minLetters is the minimum number of letters in a pattern.
	minLetters = 6
)

// patterns returns patterns that match all texts. The best pattern comes first.
func patterns(texts []string) (all []string) {
	var templates []string
	for _, text := range texts {
		_, template := fingerprint.Of(text)
		templates = append(templates, template)
	}
	words := longestRun(strings.Fields(drain.Common(templates)))
	for _, space := range []string{" ", `\s+`} {
		for _, valuePattern := range []func(placeholder string) string{valueOf, func(string) string { return anyValue }} {
			if p := patternOf(words, space, valuePattern); matchesAll(p, texts) {
				all = append(all, p)
			}
		}
	}
	for _, part := range drain.Parts(strings.Join(words, " ")) { // the words between two placeholders
		if p := regexp.QuoteMeta(strings.TrimSpace(part.Text)); !part.Placeholder && lettersIn(part.Text) >= minLetters && matchesAll(p, texts) {
			all = append(all, p)
		}
	}
	return all
}

func matchesAll(pattern string, texts []string) bool {
	re, err := regexp.Compile("(?i)" + pattern)
	if err != nil || pattern == "" {
		return false
	}
	for _, text := range texts {
		if !re.MatchString(text) {
			return false
		}
	}
	return true
}

// longestRun returns the consecutive words with the most letters. These conditions
// apply:
//
//   - At most maxPlaceholders words have placeholders.
//   - The first and the last word have no placeholder.
//   - If there are fewer than minLetters letters, the result is nil.
func longestRun(words []string) (best []string) {
	most := minLetters - 1
	for start := range words {
		if drain.HasPlaceholder(words[start]) {
			continue
		}
		placeholders, letters := 0, 0
		for end := start; end < len(words) && placeholders <= maxPlaceholders; end++ {
			if drain.HasPlaceholder(words[end]) {
				placeholders++
				continue
			}
			if letters += lettersIn(words[end]); letters > most {
				most, best = letters, words[start:end+1]
			}
		}
	}
	return best
}

func lettersIn(text string) (n int) {
	for _, r := range text {
		if r >= utf8.RuneSelf || ascii.IsLetter(byte(r)) {
			n++
		}
	}
	return n
}

// patternOf returns the pattern that matches words. Placeholders become the result of
// valuePattern.
func patternOf(words []string, space string, valuePattern func(placeholder string) string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteString(space)
		}
		for _, part := range drain.Parts(w) {
			if part.Placeholder {
				b.WriteString(valuePattern(part.Text))
			} else {
				b.WriteString(regexp.QuoteMeta(part.Text))
			}
		}
	}
	return b.String()
}

// anyValue is the pattern for any value.
const anyValue = ".{1,60}"

// valueOf returns the pattern for a placeholder. Only some values may have spaces.
func valueOf(placeholder string) string {
	switch placeholder {
	case "<num>", "<id>", "<ip>", "<host>", "<email>", "<url>":
		return `\S+`
	}
	return anyValue
}
