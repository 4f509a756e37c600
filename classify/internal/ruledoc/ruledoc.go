// Package ruledoc reads the YAML documents with text rules: those of the standard
// set in classify/rules, and those of users. [Read] reads one document:
//
//	rules:
//	  - id: net/refused
//	    reason: network
//	    pattern: 'connection refused'
//	    match: ['dial tcp: connection refused']
//
// The parser in plain.go reads most files. It understands a subset of YAML and reads
// rule by rule. The YAML library reads all other files. These files must be short,
// because the library needs more memory.
//
// The package checks only the syntax. Each key must be known. A key must occur once
// and have a value of the right type. An error at a known line is an [*Error]. The
// callers check the meaning of the values. They match the patterns against the
// examples.
package ruledoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is one YAML file of rules.
type Document struct {
	Rules []Rule
	// Tables map codes to reasons. Only documents of the standard set have tables.
	Tables []Table
	// Parts maps names to fragments of patterns. Only documents of the standard set
	// have parts.
	Parts map[string]string
}

// ExpandParts replaces {name} by Parts[name] in the patterns of all rules. A part
// must not contain the name of another part.
func (d *Document) ExpandParts() {
	for i := range d.Rules {
		for name, part := range d.Parts {
			d.Rules[i].Pattern = strings.ReplaceAll(d.Rules[i].Pattern, "{"+name+"}", "(?:"+part+")")
		}
	}
}

// Rule is one rule with its examples and its source.
type Rule struct {
	ID, Pattern, Reason string
	Category            string   // only if different from the category of the reason
	Strength            string   // cause, code, phrase or word; standard set only
	Vetoes              []string // rules and reasons that this rule vetoes; standard set only, and only without a reason
	Beats               []string // rules that this rule beats; standard set only, and only with a reason
	// Decides is for examples of this rule that another rule classifies. It maps the
	// id of the other rule to an explanation. It is for the standard set only.
	Decides     map[string]string
	Codes       string   // table with the codes that replace {code} in ID and Pattern; standard set only
	Source      string   // where the wording comes from
	Match, Miss []string // texts that the pattern must, and must not, match
	Line        int
	keyLines    [len(keys)]int32 // line of each key's value; 0 = no value
}

// keys are the YAML keys of a rule.
var keys = [...]string{"id", "pattern", "reason", "category", "strength", "codes", "source", "match", "miss", "vetoes", "beats", "decides"}

// LineOf returns the line of a key's value. If the rule does not have the key, it
// returns the line of the rule.
func (r *Rule) LineOf(key string) int {
	if i := slices.Index(keys[:], key); i >= 0 && r.keyLines[i] > 0 {
		return int(r.keyLines[i])
	}
	return r.Line
}

// Table maps codes to reasons.
type Table struct {
	Name string
	Rows []Row
}

// Row is one code of a table.
type Row struct{ Code, Reason string }

// Error is a fault in a document, with its line.
type Error struct {
	Line int
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

func errorAt(n *yaml.Node, format string, args ...any) error {
	return &Error{Line: n.Line, Err: fmt.Errorf(format, args...)}
}

// Read reads one document. An empty document has no rules.
func Read(r io.Reader) (Document, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Document{}, err
	}
	return Parse(data, func(int, *Rule) error { return nil })
}

// Parse is like [Read], but reads data. It calls check with each rule and its index, and
// stops at the first error. If plain.go cannot read the document, the YAML library
// reads it from the beginning. Then check is called again for every rule.
func Parse(data []byte, check func(i int, r *Rule) error) (doc Document, err error) {
	rules, line, err := readPlain(data, check)
	switch {
	case err != nil:
		return doc, err
	case line == 0:
		return Document{Rules: rules}, nil
	case len(data) > yamlMost:
		return doc, &Error{line, errPlain}
	}
	if err := checkLimits(data); err != nil {
		return doc, err
	}
	if doc, err = parseYAML(data); err != nil {
		return doc, err
	}
	for i := range doc.Rules {
		if err := check(i, &doc.Rules[i]); err != nil {
			return doc, err
		}
	}
	return doc, nil
}

// parseYAML reads a document with the YAML library.
func parseYAML(data []byte) (doc Document, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var root yaml.Node
	switch err := dec.Decode(&root); {
	case errors.Is(err, io.EOF):
		return doc, nil
	case err != nil:
		return doc, err
	}
	if len(root.Content) == 0 || isNull(root.Content[0]) {
		return doc, nil
	}
	// Read to the end of the file, to find a second document or a syntax error.
	switch err := dec.Decode(new(yaml.Node)); {
	case err == nil:
		return doc, errors.New("more than one YAML document; put all rules into one")
	case !errors.Is(err, io.EOF):
		return doc, err
	}
	err = eachField(root.Content[0], func(key string, value *yaml.Node) (err error) {
		switch key {
		case "rules":
			doc.Rules, err = readRules(value)
		case "tables":
			doc.Tables, err = readTables(value)
		case "parts":
			doc.Parts, err = textsByKey(value)
		default:
			return errorAt(value, "unknown key %q; a rules file has the key rules", key)
		}
		return err
	})
	return doc, err
}

func readRules(list *yaml.Node) ([]Rule, error) {
	if err := noAlias(list); err != nil {
		return nil, err
	}
	if isNull(list) {
		return nil, nil
	}
	if list.Kind != yaml.SequenceNode {
		return nil, errorAt(list, "rules is not a list")
	}
	rules := make([]Rule, 0, len(list.Content))
	for _, item := range list.Content {
		r, err := readRule(item)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

func readRule(item *yaml.Node) (r Rule, err error) {
	r.Line = item.Line
	err = eachField(item, func(key string, value *yaml.Node) (err error) {
		i := slices.Index(keys[:], key)
		if i < 0 {
			return errorAt(value, "unknown key %q; a rule has id, pattern, reason, source, match and miss", key)
		}
		r.keyLines[i] = int32(value.Line)
		switch key {
		case "id":
			r.ID, err = text(value)
		case "pattern":
			r.Pattern, err = text(value)
		case "reason":
			r.Reason, err = text(value)
		case "category":
			r.Category, err = text(value)
		case "strength":
			r.Strength, err = text(value)
		case "codes":
			r.Codes, err = text(value)
		case "source":
			r.Source, err = text(value)
		case "match":
			r.Match, err = texts(value)
		case "miss":
			r.Miss, err = texts(value)
		case "vetoes":
			r.Vetoes, err = texts(value)
		case "beats":
			r.Beats, err = texts(value)
		case "decides":
			r.Decides, err = textsByKey(value)
		}
		return err
	})
	return r, err
}

func readTables(node *yaml.Node) ([]Table, error) {
	var tables []Table
	err := eachField(node, func(name string, rows *yaml.Node) error {
		t := Table{Name: name}
		err := eachField(rows, func(code string, reason *yaml.Node) error {
			s, err := text(reason)
			t.Rows = append(t.Rows, Row{code, s})
			return err
		})
		tables = append(tables, t)
		return err
	})
	return tables, err
}

// eachField calls f for every key of a mapping, in order.
func eachField(n *yaml.Node, f func(key string, value *yaml.Node) error) error {
	if err := noAlias(n); err != nil {
		return err
	}
	if n.Kind != yaml.MappingNode {
		return errorAt(n, "expected keys with values")
	}
	seen := keySet{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if err := noAlias(n.Content[i]); err != nil {
			return err
		}
		key := n.Content[i].Value
		if !seen.add(key) {
			return errorAt(n.Content[i], "key %q stands twice", key)
		}
		if err := f(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// keySet is a set of keys. A map is used only for many keys.
type keySet struct {
	few  [len(keys)]string
	n    int
	many map[string]bool
}

// add adds a key and reports whether it is new.
func (s *keySet) add(key string) bool {
	if slices.Contains(s.few[:s.n], key) || s.many[key] {
		return false
	}
	if s.n < len(s.few) {
		s.few[s.n] = key
		s.n++
		return true
	}
	if s.many == nil {
		s.many = map[string]bool{}
	}
	s.many[key] = true
	return true
}

func text(n *yaml.Node) (string, error) {
	if err := noAlias(n); err != nil {
		return "", err
	}
	if n.Kind != yaml.ScalarNode || isNull(n) {
		return "", errorAt(n, "expected a text")
	}
	return n.Value, nil
}

func textsByKey(n *yaml.Node) (map[string]string, error) {
	all := map[string]string{}
	err := eachField(n, func(key string, value *yaml.Node) (err error) {
		all[key], err = text(value)
		return err
	})
	return all, err
}

func texts(n *yaml.Node) ([]string, error) {
	if err := noAlias(n); err != nil {
		return nil, err
	}
	if n.Kind != yaml.SequenceNode {
		return nil, errorAt(n, "expected a list of texts")
	}
	all := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		s, err := text(item)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// noAlias returns an error if n is an alias. A few lines of aliases can expand to
// gigabytes.
func noAlias(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		return errorAt(n, "alias *%s; write the value out instead", n.Value)
	}
	return nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
