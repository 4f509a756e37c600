// Package rulesfile reads text rules from YAML for [classify.WithRules].
package rulesfile

import (
	"io"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/internal/ruledoc"
)

// Load reads the rules of one YAML document.
func Load(r io.Reader) ([]classify.Rule, error) {
	doc, err := ruledoc.Read(r)
	if err != nil {
		return nil, err
	}
	rules := make([]classify.Rule, len(doc.Rules))
	for i, d := range doc.Rules {
		rules[i] = classify.Rule{ID: d.ID, Reason: classify.Reason(d.Reason), Pattern: d.Pattern}
	}
	return rules, nil
}
