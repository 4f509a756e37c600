package main

import (
	"fmt"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/errclass/errclass/classify"
)

// text is one text to learn from.
type text struct {
	Text    string
	Reason  classify.Reason
	Example bool // of a rule
}

// readExamples reads the matching examples of all rules in dir. An example has
// the reason of its rule. If the rule has codes instead of a reason, the example
// has the reason that the classifier finds.
func readExamples(dir string) ([]text, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no files *.yaml", dir)
	}
	var all []text
	seen := map[string]bool{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var doc struct {
			Rules []struct {
				ID, Reason, Codes string
				Match             []string
			}
		}
		if err := yaml.Unmarshal(data, &doc); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, r := range doc.Rules {
			if r.Reason == "" && r.Codes == "" {
				continue // the rule does not give a reason
			}
			for _, example := range r.Match {
				reason := classify.Reason(r.Reason)
				if reason == "" {
					reason = classify.Message(example).Reason
				}
				if seen[example] {
					continue
				}
				seen[example] = true
				all = append(all, text{Text: example, Reason: reason, Example: true})
			}
		}
	}
	return all, nil
}
