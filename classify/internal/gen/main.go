// Command gen turns the rule documents of classify/rules into Go tables.
//
// It is run by go generate in classify/internal/standard:
//
//	go run ../gen -rules ../../rules -out standard_gen.go -table standard.table
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/errclass/errclass/classify/internal/ruledoc"
	"github.com/errclass/errclass/classify/internal/scan"
	"github.com/errclass/errclass/classify/internal/signal"
)

// strengths has the strengths that standard rules may have.
var strengths = []string{"cause", "code", "phrase", "word"}

// withoutReason has prefixes of the ids of rules without a reason.
var withoutReason = []string{"hint/", "provider/", "log/"}

// lookedUp has the names of the tables that are written to the Go file. Other tables
// are only expanded into rules.
var lookedUp = []string{
	"body", "bodyCause", "bodyVague", "bodyWeak", "errno", "errnoLocal", "goParser", "goType",
	"grpc", "grpcVague", "http", "jsonrpc", "jsonrpcLocal", "jsonrpcVague", "mssql", "mysql",
	"reply", "sqlstate", "sqlstateClass",
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	dir := flag.String("rules", "rules", "folder of the rule documents")
	out := flag.String("out", "standard_gen.go", "Go file to write")
	table := flag.String("table", "standard.table", "file to write the compiled rules to")
	flag.Parse()
	doc, err := load(*dir)
	if err == nil {
		err = checkRelations(doc.Rules)
	}
	if err != nil {
		log.Fatal(err)
	}
	src, err := source(doc)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, src, 0o644); err != nil {
		log.Fatal(err)
	}
	data, err := compile(doc)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*table, data, 0o644); err != nil {
		log.Fatal(err)
	}
}

// compile builds the matcher of all rules and returns its encoding.
func compile(doc ruledoc.Document) ([]byte, error) {
	exprs := make([]string, len(doc.Rules))
	for i, r := range doc.Rules {
		exprs[i] = r.Pattern
	}
	m, err := scan.Compile(exprs)
	var at *scan.PatternError
	if errors.As(err, &at) {
		return nil, fmt.Errorf("rule %q: %w", doc.Rules[at.Index].ID, at.Err)
	}
	return m.AppendBinary(nil)
}

// load reads all documents of dir in the order of their names. It expands tables of
// codes and sorts the rules by precedence.
func load(dir string) (ruledoc.Document, error) {
	var all ruledoc.Document
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return all, err
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return all, err
		}
		doc, err := ruledoc.Read(f)
		_ = f.Close() // the file was only read
		if err != nil {
			return all, fmt.Errorf("%s: %w", path, err)
		}
		doc.ExpandParts()
		for i, r := range doc.Rules {
			if err := check(r); err != nil {
				return all, fmt.Errorf("%s:%d: rule %q: %w", path, doc.Rules[i].Line, r.ID, err)
			}
		}
		all.Rules = append(all.Rules, doc.Rules...)
		for _, t := range doc.Tables {
			if err := addTable(&all, t); err != nil {
				return all, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if all.Rules, err = expand(all); err != nil {
		return all, err
	}
	slices.SortFunc(all.Rules, func(a, b ruledoc.Rule) int {
		x, y := signalOf(a), signalOf(b)
		return cmp.Or(cmp.Compare(y.Strength, x.Strength), signal.Order(x, y))
	})
	seen := map[string]bool{}
	for _, r := range all.Rules {
		if seen[r.ID] {
			return all, fmt.Errorf("rule %q stands twice", r.ID)
		}
		seen[r.ID] = true
	}
	return all, nil
}

// addTable adds the rows of t to the table with this name. A code must have the same
// reason in all documents.
func addTable(doc *ruledoc.Document, t ruledoc.Table) error {
	i := slices.IndexFunc(doc.Tables, func(other ruledoc.Table) bool { return other.Name == t.Name })
	if i < 0 {
		doc.Tables = append(doc.Tables, t)
		return nil
	}
	for _, row := range t.Rows {
		j := slices.IndexFunc(doc.Tables[i].Rows, func(other ruledoc.Row) bool { return other.Code == row.Code })
		switch {
		case j < 0:
			doc.Tables[i].Rows = append(doc.Tables[i].Rows, row)
		case doc.Tables[i].Rows[j] != row:
			return fmt.Errorf("table %s: code %s is %s here and %s in another document", t.Name, row.Code, row.Reason, doc.Tables[i].Rows[j].Reason)
		}
	}
	return nil
}

func check(r ruledoc.Rule) error {
	switch {
	case r.ID == "", r.Pattern == "":
		return fmt.Errorf("id and pattern are required")
	case r.Codes == "" && r.Reason == "" && len(r.Vetoes) == 0 && !slices.ContainsFunc(withoutReason, func(p string) bool { return strings.HasPrefix(r.ID, p) }):
		return fmt.Errorf("a rule without a reason needs vetoes, or an id that starts with one of %v", withoutReason)
	case r.Reason != "" && signal.ReasonOf(r.Reason) == signal.NoReason:
		return fmt.Errorf("unknown reason %q", r.Reason)
	case (r.Reason != "" || r.Codes != "") && !slices.Contains(strengths, r.Strength):
		return fmt.Errorf("strength %q is none of %v", r.Strength, strengths)
	case r.Codes == "" && (len(r.Match) == 0 || len(r.Miss) == 0):
		return fmt.Errorf("needs at least one text that it matches and one near miss")
	case r.Source == "":
		return fmt.Errorf("needs the source of its wording")
	}
	return nil
}

// expand replaces each rule that names a table by one rule for each code of the table. If
// the id contains {reason}, there is only one rule for each reason.
func expand(doc ruledoc.Document) ([]ruledoc.Rule, error) {
	var rules []ruledoc.Rule
	for _, r := range doc.Rules {
		if r.Codes == "" {
			rules = append(rules, r)
			continue
		}
		i := slices.IndexFunc(doc.Tables, func(t ruledoc.Table) bool { return t.Name == r.Codes })
		if i < 0 {
			return nil, fmt.Errorf("rule %q: no table %q", r.ID, r.Codes)
		}
		if strings.Contains(r.ID, "{reason}") {
			rules = append(rules, byReason(r, doc.Tables[i])...)
			continue
		}
		for _, row := range doc.Tables[i].Rows {
			one := r
			one.ID = strings.ReplaceAll(r.ID, "{code}", row.Code)
			one.Pattern = strings.ReplaceAll(r.Pattern, "{code}", regexp.QuoteMeta(row.Code))
			one.Reason = row.Reason
			rules = append(rules, one)
		}
	}
	return rules, nil
}

// byReason turns a rule whose id contains {reason} into one rule for each reason. All
// codes of a reason share one pattern.
func byReason(r ruledoc.Rule, t ruledoc.Table) []ruledoc.Rule {
	var rules []ruledoc.Rule
	codes := map[string][]string{}
	for _, row := range t.Rows {
		if codes[row.Reason] == nil {
			one := r
			one.Reason = row.Reason
			rules = append(rules, one)
		}
		codes[row.Reason] = append(codes[row.Reason], regexp.QuoteMeta(row.Code))
	}
	for i := range rules {
		all := "(?:" + strings.Join(codes[rules[i].Reason], "|") + ")"
		rules[i].ID = strings.ReplaceAll(r.ID, "{reason}", rules[i].Reason)
		rules[i].Pattern = strings.ReplaceAll(r.Pattern, "{code}", all)
	}
	return rules
}

func source(doc ruledoc.Document) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Code generated by classify/internal/gen from classify/rules; DO NOT EDIT.\n\npackage standard\n\n")
	b.WriteString("import \"github.com/errclass/errclass/classify/internal/signal\"\n\n")
	tables := slices.SortedFunc(slices.Values(doc.Tables), func(a, b ruledoc.Table) int { return cmp.Compare(a.Name, b.Name) })
	for _, name := range lookedUp {
		if !slices.ContainsFunc(tables, func(t ruledoc.Table) bool { return t.Name == name }) {
			return nil, fmt.Errorf("no document has table %q", name)
		}
	}
	for _, t := range tables {
		if !slices.Contains(lookedUp, t.Name) {
			continue
		}
		slices.SortFunc(t.Rows, func(a, b ruledoc.Row) int { return cmp.Compare(a.Code, b.Code) })
		fmt.Fprintf(&b, "// %s is the table %s.\nvar %s = signal.Codes{\n", exported(t.Name), t.Name, exported(t.Name))
		for _, row := range t.Rows {
			fmt.Fprintf(&b, "{Code: %q, Reason: signal.Reason%s},\n", row.Code, goName(row.Reason))
		}
		b.WriteString("}\n\n")
	}
	b.WriteString("// Providers are the providers that rules named provider/ tell; 0 is none of them.\nvar Providers = [...]string{\"\"")
	for _, name := range providers(doc.Rules) {
		fmt.Fprintf(&b, ", %q", name)
	}
	b.WriteString("}\n\n")
	fmt.Fprintf(&b, "// Rules are the %d text rules of the standard set, the strongest first.\n", len(doc.Rules))
	b.WriteString("var Rules = [...]signal.Rule{\n")
	for _, r := range doc.Rules {
		fmt.Fprintf(&b, "{ID: %q, Pattern: %s", r.ID, quote(r.Pattern))
		if r.Reason != "" {
			fmt.Fprintf(&b, ", Reason: signal.Reason%s", goName(r.Reason))
		}
		if r.Category != "" {
			fmt.Fprintf(&b, ", Category: signal.Category%s", goName(r.Category))
		}
		if r.Strength != "" {
			fmt.Fprintf(&b, ", Strength: signal.%s", goName(r.Strength))
		}
		if status := signal.StatusOf(r.ID); status != 0 {
			fmt.Fprintf(&b, ", Status: %d", status)
		}
		if len(r.Vetoes) > 0 {
			fmt.Fprintf(&b, ", Vetoes: %#v", r.Vetoes)
		}
		if len(r.Beats) > 0 {
			fmt.Fprintf(&b, ", Beats: %#v", r.Beats)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

// providers returns the sorted names of the providers with a rule. The rule
// "provider/openai" is for "openai".
func providers(rules []ruledoc.Rule) (names []string) {
	for _, r := range rules {
		if name, ok := strings.CutPrefix(r.ID, "provider/"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// goName converts a name to a part of a Go identifier: rate_limit becomes RateLimit.
func goName(s string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(s, "_") {
		b.WriteString(exported(word))
	}
	if s == "mcp" {
		return "MCP"
	}
	return b.String()
}

// exported returns s with its first letter in upper case.
func exported(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func quote(s string) string {
	if strings.Contains(s, "`") {
		return fmt.Sprintf("%q", s)
	}
	return "`" + s + "`"
}
