package main

import (
	"fmt"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/errclass/errclass/classify"
)

// text is one text from which the model learns.
type text struct {
	Text    string
	Reason  classify.Reason
	Example bool // an example of a rule, or a phrase
}

// rulesAlone classifies without the model, so that the model does not learn from its
// own answers.
var rulesAlone = func() *classify.Classifier {
	c, err := classify.New(classify.WithModel(false))
	if err != nil {
		panic(err) // without user rules, New returns no error
	}
	return c
}()

// readExamples reads the examples of all rules in dir. A text that the rule must
// match has the reason of the rule. If the rule has codes instead of a reason, the
// text has the reason that all rules together find. A near miss, which the rule
// must not match, also has the reason that all rules together find.
func readExamples(dir string) ([]text, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no files *.yaml", dir)
	}
	var all []text
	var nearMisses []string
	seen := map[string]bool{}
	add := func(example string, reason classify.Reason) {
		if !seen[example] {
			seen[example] = true
			all = append(all, text{Text: example, Reason: reason, Example: true})
		}
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var doc struct {
			Rules []struct {
				ID, Reason, Codes string
				Match, Miss       []string
			}
		}
		if err := yaml.Unmarshal(data, &doc); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, r := range doc.Rules {
			nearMisses = append(nearMisses, r.Miss...)
			if r.Reason == "" && r.Codes == "" {
				continue // the rule does not give a reason
			}
			for _, example := range r.Match {
				reason := classify.Reason(r.Reason)
				if reason == "" {
					reason = rulesAlone.Message(example).Reason
				}
				add(example, reason)
			}
		}
	}
	for _, example := range nearMisses {
		add(example, rulesAlone.Message(example).Reason)
	}
	return all, nil
}
