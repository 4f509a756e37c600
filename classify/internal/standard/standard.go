// Package standard has the rules and tables of the standard set. They are generated
// from the documents in classify/rules.
package standard

import (
	_ "embed"

	"github.com/errclass/errclass/classify/internal/scan"
)

//go:generate go run ../gen -rules ../../rules -out standard_gen.go -table standard.table

// table is the compiled form of Rules: see [scan.Load].
//
//go:embed standard.table
var table string

// Matcher returns the matcher for the patterns of Rules, decoded from table.
func Matcher() *scan.Matcher {
	m, err := scan.Load(table)
	if err != nil {
		panic(err) // the table is part of this package
	}
	return m
}
