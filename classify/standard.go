package classify

import (
	_ "embed"

	"github.com/errclass/errclass/classify/internal/scan"
)

// standardTable is the compiled form of standardRules.
//
//go:embed standard.table
var standardTable string

// loadStandard makes the standard rule set of its table.
func loadStandard() *ruleSet {
	m, err := scan.Load(standardTable)
	if err != nil {
		panic(err) // the table is part of this package; every test would fail
	}
	return newRuleSet(standardRules[:], part{matcher: m, reads: plainSpeech})
}
