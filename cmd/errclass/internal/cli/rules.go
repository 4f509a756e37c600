package cli

import (
	"bufio"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/errclass/errclass/classify"
)

// ruleLine is one rule as JSON.
type ruleLine struct {
	ID       string            `json:"id"`
	Pattern  string            `json:"pattern"`
	Reason   classify.Reason   `json:"reason"`
	Category classify.Category `json:"category"`
}

// patternWidth is how wide patterns are in a table before they are wrapped.
const patternWidth = 80

func newRules(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules by precedence",
		Long: `Rules lists every text rule, the strongest first: of all that match a message,
the first in the list decides, unless another rules it out.

JSON output is one object a line with the keys id, pattern, reason and category.
The pattern is in the syntax of Go's regexp package and stands for itself.
Reason and category are empty for a rule that only rules others out or only
carries a hint.`,
		Example: `  errclass rules --rules my.yaml
  errclass rules --format json | jq -r 'select(.reason == "network") | .id'`,
		Args: cobra.NoArgs,
	}
	out := addFormat(cmd, "a table, or one JSON object a line")
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
