package main

import (
	"errors"
	"os"
	"path"

	gomodule "golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/errclass/errclass/internal/release/workspace"
)

// writeSums writes the checksums of the modules to the go.sum files that need them.
// Each module must come after the modules that it requires.
func writeSums(work repository, modules []*workspace.Module, version string) error {
	sums := workspace.Sums{}
	for _, m := range modules {
		if m.Private != "" {
			continue // the go.mod replaces the other modules, so go.sum needs none of their checksums
		}
		if len(m.Requires) > 0 {
			if err := sums.Write(m, m.Name("."), modules[0].Path); err != nil {
				return err
			}
			if _, err := work.git("add", "--", path.Join(m.Dir, "go.sum")); err != nil { // the file may be new
				return err
			}
		}
		if err := addSum(sums, m, version); err != nil {
			return err
		}
	}
	return nil
}

// addSum packs m and adds the checksums of m to sums.
func addSum(sums workspace.Sums, m *workspace.Module, version string) error {
	files, err := m.Files()
	if err != nil {
		return err
	}
	packed, err := os.CreateTemp("", "release-*.zip")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(packed.Name()) }() // a temporary file
	err = zip.Create(packed, gomodule.Version{Path: m.Path, Version: version}, files)
	if err := errors.Join(err, packed.Close()); err != nil {
		return err
	}
	return sums.Add(m, version, packed.Name(), m.Name("go.mod"))
}
