package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	gomodule "golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// writeSums writes the sums of the modules into the go.sum files of those that
// require them, before anything is published. Modules come in the order of
// their requirements, because the sum of each covers its own go.sum.
func writeSums(work repository, modules []*module, version string) error {
	lines := map[*module][]string{}
	for _, m := range modules {
		if m.private != "" {
			continue // it reads the others from their directories
		}
		if err := m.writeSum(work, lines); err != nil {
			return err
		}
		sum, err := m.sum(work, version)
		if err != nil {
			return err
		}
		gomod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return os.Open(m.gomod) })
		if err != nil {
			return err
		}
		lines[m] = []string{m.path + " " + version + " " + sum, m.path + " " + version + "/go.mod " + gomod}
	}
	return nil
}

// writeSum replaces the lines about the modules that m requires in its go.sum.
func (m *module) writeSum(work repository, lines map[*module][]string) error {
	if len(m.needs) == 0 {
		return nil
	}
	file := strings.TrimSuffix(m.gomod, ".mod") + ".sum"
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, other := range m.needs {
		all = slices.DeleteFunc(all, func(line string) bool { return line == "" || strings.HasPrefix(line, other.path+" ") })
		all = append(all, lines[other]...)
	}
	slices.SortFunc(all, compareSums)
	if err := os.WriteFile(file, []byte(strings.Join(all, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	_, err = work.git("add", "--", path.Join(m.dir, "go.sum")) // it may be new
	return err
}

// compareSums orders the lines of a go.sum as the go command does.
func compareSums(a, b string) int {
	read := func(line string) gomodule.Version {
		fields := append(strings.Fields(line), "", "")
		return gomodule.Version{Path: fields[0], Version: fields[1]}
	}
	pair := []gomodule.Version{read(a), read(b)}
	if pair[0] == pair[1] {
		return 0
	}
	first := pair[0]
	if gomodule.Sort(pair); pair[0] == first {
		return -1
	}
	return 1
}

// sum returns the hash of the module's zip file, as go.sum has it.
func (m *module) sum(work repository, version string) (string, error) {
	files, err := m.files(work)
	if err != nil {
		return "", err
	}
	packed, err := os.CreateTemp("", "release-*.zip")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(packed.Name()) }() // a temporary file
	err = zip.Create(packed, gomodule.Version{Path: m.path, Version: version}, files)
	if err := errors.Join(err, packed.Close()); err != nil {
		return "", err
	}
	return dirhash.HashZip(packed.Name(), dirhash.Hash1)
}

// files lists the committed files of the module. Like the go command it adds
// the licence of the root to a module that has none.
func (m *module) files(work repository) ([]zip.File, error) {
	list, err := work.git("ls-files", "-z", "--", m.dir)
	if err != nil {
		return nil, err
	}
	var files []zip.File
	licensed := false
	for _, name := range strings.Split(strings.Trim(list, "\x00"), "\x00") {
		inside := name
		if m.dir != "." {
			inside = strings.TrimPrefix(name, m.dir+"/")
		}
		licensed = licensed || inside == licence
		files = append(files, file{inside, work.path(name)})
	}
	if !licensed {
		files = append(files, file{licence, work.path(licence)})
	}
	return files, nil
}

const licence = "LICENSE"

// file is a file of the work tree, at its place in a zip file.
type file struct{ inside, name string }

func (f file) Path() string                 { return path.Clean(f.inside) }
func (f file) Lstat() (fs.FileInfo, error)  { return os.Lstat(f.name) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.name) }
