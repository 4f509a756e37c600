package cli

import (
	"bufio"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/errclass/errclass/classify"
)

// ruleLine is the JSON form of a [classify.RuleInfo].
type ruleLine struct {
	ID       string            `json:"id"`
	Pattern  string            `json:"pattern"`
	Reason   classify.Reason   `json:"reason"`
	Category classify.Category `json:"category"`
}

// patternWidth is the width at which the table wraps patterns.
const patternWidth = 80

func newRules(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules by precedence",
		Long: `Rules lists the text rules, the strongest first. If several rules match a
message, the first of them in the list decides, unless another one rules it out.

JSON output has one object per line with the keys id, pattern, reason and
category. The pattern is a regular expression in Go's syntax. Reason and
category are empty if a rule only rules out other rules or only gives a hint.`,
		Example: `  errclass rules --rules my.yaml
  errclass rules --format json | jq -r 'select(.reason == "network") | .id'`,
		Args: cobra.NoArgs,
	}
	out := addFormat(cmd, "a table, or one JSON object per line")
	flags := addRules(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		c, err := flags.classifier()
		if err != nil {
			return err
		}
		w := bufio.NewWriter(s.Out)
		if *out == formatJSON {
			for _, r := range c.Rules() {
				if err := writeJSON(w, ruleLine{r.ID, r.Pattern, r.Reason, r.Category}); err != nil {
					return err
				}
			}
			return w.Flush()
		}
		t := newTable("", "RULE", "CATEGORY", "REASON", "STRENGTH", "PATTERN")
		t.SetColumnConfigs([]table.ColumnConfig{{Name: "PATTERN", WidthMax: patternWidth, WidthMaxEnforcer: text.WrapHard}})
		for _, r := range c.Rules() {
			t.AppendRow(table.Row{printable(r.ID), r.Category, r.Reason, r.Strength, printable(r.Pattern)})
		}
		if err := render(w, t); err != nil {
			return err
		}
		return w.Flush()
	}
	return cmd
}
