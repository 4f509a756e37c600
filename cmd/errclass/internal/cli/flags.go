package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/rulesfile"
)

// These are the values of --format.
const (
	formatText = "text"
	formatJSON = "json"
)

// format is the value of --format.
type format string

func (f *format) String() string { return string(*f) }

func (f *format) Type() string { return "text|json" }

// Set accepts the values text and json.
func (f *format) Set(value string) error {
	if value != formatText && value != formatJSON {
		return fmt.Errorf("use %s or %s", formatText, formatJSON)
	}
	*f = format(value)
	return nil
}

// addFormat adds the flag --format to cmd.
func addFormat(cmd *cobra.Command, usage string) *format {
	f := format(formatText)
	cmd.Flags().Var(&f, "format", usage)
	complete(cmd, "format", formatText, formatJSON)
	return &f
}

// These are the names of rule sets that --rules accepts.
const (
	rulesStandard = "standard"
	rulesMinimal  = "minimal"
)

// ruleFlags are the flags --rules, --rules-only and --no-model.
type ruleFlags struct {
	rules, only string
	noModel     bool
	cmd         *cobra.Command
}

func addRules(cmd *cobra.Command) *ruleFlags {
	f := ruleFlags{cmd: cmd}
	cmd.Flags().StringVar(&f.rules, "rules", rulesStandard, "`rules` to use: standard, minimal, or a YAML file that is added to standard")
	cmd.Flags().StringVar(&f.only, "rules-only", "", "YAML `file` of rules to use, and no others")
	cmd.Flags().BoolVar(&f.noModel, "no-model", false, "use rules alone, without the model")
	complete(cmd, "rules", rulesStandard, rulesMinimal)
	return &f
}

// complete sets the values that a shell completes for a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, start string) ([]string, cobra.ShellCompDirective) {
		matching := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !strings.HasPrefix(v, start) })
		if flag == "rules" {
			return matching, cobra.ShellCompDirectiveDefault
		}
		return matching, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag does not exist
	}
}

// changed reports whether one of the flags is set.
func (f *ruleFlags) changed() bool {
	flags := f.cmd.Flags()
	return flags.Changed("rules") || flags.Changed("rules-only") || flags.Changed("no-model")
}

// classifier returns the classifier that the flags select.
func (f *ruleFlags) classifier() (*classify.Classifier, error) {
	c, err := f.withRules()
	if err != nil || !f.noModel {
		return c, err
	}
	return classify.New(classify.WithBase(c), classify.WithModel(false))
}

// files returns the name of the rules file, if the flags name one.
func (f *ruleFlags) files() []string {
	switch {
	case f.only != "":
		return []string{f.only}
	case f.rules != rulesStandard && f.rules != rulesMinimal:
		return []string{f.rules}
	}
	return nil
}

func (f *ruleFlags) withRules() (*classify.Classifier, error) {
	switch {
	case f.only != "" && f.cmd.Flags().Changed("rules"):
		return nil, usagef("--rules and --rules-only exclude each other: leave one out")
	case f.only != "":
		return withFile(f.only, classify.None)
	case f.rules == rulesStandard:
		return classify.Standard, nil
	case f.rules == rulesMinimal:
		return classify.Minimal, nil
	default:
		return withFile(f.rules, classify.Standard)
	}
}

func withFile(name string, base *classify.Classifier) (*classify.Classifier, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, usagef("rules %q: no such file; --rules takes %s, %s or a file, --rules-only a file", name, rulesStandard, rulesMinimal)
	}
	if err != nil {
		return nil, usagef("rules: %w", err)
	}
	defer file.Close()
	rules, err := rulesfile.Load(file)
	if err != nil {
		return nil, usagef("%s: %w", name, err)
	}
	c, err := classify.New(classify.WithBase(base), classify.WithRules(rules...))
	if err != nil {
		return nil, usagef("%s: %w", name, err)
	}
	return c, nil
}
