// Package ruledoc reads the YAML documents that text rules are written in: the
// standard set below classify/rules and the users' own files, which have the
// same form. [Read] reads one document:
//
//	rules:
//	  - id: net/refused
//	    reason: network
//	    pattern: 'connection refused'
//	    match: ['dial tcp: connection refused']
//
// It first counts keys and values: a file that has far more of them than a list of
// rules is refused before it is read as YAML.
//
// It checks the form alone: fields that exist, each once, each of its kind. A
// fault is an [*Error] with its line. What the values mean, and that patterns
// hold for their examples, is for the caller to check: the generator of the
// standard set, or package rulesfile.
package ruledoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is one YAML file of rules.
type Document struct {
	Rules []Rule
	// Tables hold codes and the reasons that they stand for. They belong to the
	// standard set alone.
	Tables []Table
	// Parts are pieces of patterns by their names; standard set only.
	Parts map[string]string
}

// ExpandParts replaces {name} by the part of that name, in all patterns. A part
// holds no other part.
func (d *Document) ExpandParts() {
	for i := range d.Rules {
		for name, part := range d.Parts {
			d.Rules[i].Pattern = strings.ReplaceAll(d.Rules[i].Pattern, "{"+name+"}", "(?:"+part+")")
		}
	}
}

// Rule is one rule with what proves it.
type Rule struct {
	ID, Pattern, Reason string
	Category            string   // where it differs from the reason's
	Strength            string   // cause, code, phrase or word; standard set only
	Vetoes              []string // of a rule without a reason: the rules and reasons that it rules out; standard set only
	Beats               []string // of a rule with a reason: the rules that do not count beside it; standard set only
	// Decides says of the rule's own examples which other rule decides some of
	// them, and why; standard set only.
	Decides     map[string]string
	Codes       string   // table whose codes replace {code} in ID and Pattern; standard set only
	Source      string   // where the wording comes from
	Match, Miss []string // texts that the pattern must, and must not, match
	Line        int
	KeyLines    map[string]int // line of each key's value
}

// LineOf is the line of a key's value, or that of the rule where it has none.
func (r Rule) LineOf(key string) int {
	if line, ok := r.KeyLines[key]; ok {
		return line
	}
	return r.Line
}

// Table maps codes to the reasons that they stand for.
type Table struct {
	Name string
	Rows []Row
}

// Row is one code of a table.
type Row struct{ Code, Reason string }

// Error is a fault in a document, with the line that it is in.
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
	var doc Document
	data, err := io.ReadAll(r)
	if err != nil {
		return doc, err
	}
	if err := checkLimits(data); err != nil {
		return doc, err
	}
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
	// What follows must be read too: a fault in it is no end of the file.
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
	if err := plain(list); err != nil {
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

func readRule(item *yaml.Node) (Rule, error) {
	r := Rule{Line: item.Line, KeyLines: make(map[string]int, 6)}
	fields := map[string]*string{
		"id": &r.ID, "pattern": &r.Pattern, "reason": &r.Reason, "category": &r.Category,
		"strength": &r.Strength, "codes": &r.Codes, "source": &r.Source,
	}
	lists := map[string]*[]string{"match": &r.Match, "miss": &r.Miss, "vetoes": &r.Vetoes, "beats": &r.Beats}
	err := eachField(item, func(key string, value *yaml.Node) (err error) {
		r.KeyLines[key] = value.Line
		if p := fields[key]; p != nil {
			*p, err = text(value)
			return err
		}
		if p := lists[key]; p != nil {
			*p, err = texts(value)
			return err
		}
		if key == "decides" {
			r.Decides, err = textsByKey(value)
			return err
		}
		return errorAt(value, "unknown key %q; a rule has id, pattern, reason, source, match and miss", key)
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
	if err := plain(n); err != nil {
		return err
	}
	if n.Kind != yaml.MappingNode {
		return errorAt(n, "expected keys with values")
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if err := plain(n.Content[i]); err != nil {
			return err
		}
		key := n.Content[i].Value
		if seen[key] {
			return errorAt(n.Content[i], "key %q stands twice", key)
		}
		seen[key] = true
		if err := f(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func text(n *yaml.Node) (string, error) {
	if err := plain(n); err != nil {
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
	if err := plain(n); err != nil {
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

// plain refuses aliases: a few lines of them can stand for gigabytes, and no
// rule needs one.
func plain(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		return errorAt(n, "alias *%s; write the value out instead", n.Value)
	}
	return nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
