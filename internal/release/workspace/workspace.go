// Package workspace reads the modules of this repository from its go.work files. It
// edits their go.mod and go.sum files for a release. [Read] is the entry point.
package workspace

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Dirs lists the directories that have a go.work. The Collector's modules have their
// own workspace.
var Dirs = []string{".", "collector"}

// Module is a module that a go.work names.
type Module struct {
	Dir      string // relative to the repository, with slashes; "." is the root
	Work     string // the first of [Dirs] with a go.work that names the module
	Path     string
	File     *modfile.File // its go.mod
	Requires []*Module     // the modules of this repository that it requires
	Private  string        // why users cannot install it; "" if they can

	repo string // directory of the repository
}

// used returns the modules that are listed in the go.work files of the repository at
// repo.
func used(repo string) (modules []*Module, err error) {
	for _, dir := range Dirs {
		name := filepath.Join(repo, dir, "go.work")
		data, err := os.ReadFile(name)
		if dir != "." && os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		work, err := modfile.ParseWork(name, data, nil)
		if err != nil {
			return nil, err
		}
		for _, use := range work.Use {
			m := &Module{Dir: path.Join(dir, filepath.ToSlash(use.Path)), Work: dir, repo: repo}
			if !slices.ContainsFunc(modules, func(o *Module) bool { return o.Dir == m.Dir }) {
				modules = append(modules, m)
			}
		}
	}
	return modules, nil
}

// Read returns the modules in the go.work files of the repository at dir. The root
// is first. Each module comes after the modules that it requires.
func Read(dir string) ([]*Module, error) {
	modules, err := used(dir)
	if err != nil {
		return nil, err
	}
	byPath := map[string]*Module{}
	root := ""
	for _, m := range modules {
		if m.File, err = parse(m.Name("go.mod")); err != nil {
			return nil, err
		}
		m.Path = m.File.Module.Mod.Path
		if len(m.File.Replace) > 0 {
			m.Private = "its go.mod has a replace"
		} else if slices.Contains(strings.Split(m.Path, "/"), "internal") {
			m.Private = "its path is internal"
		}
		if m.Dir == "." {
			root = m.Path
		}
		byPath[m.Path] = m
	}
	if root == "" || byPath[root].Private != "" {
		return nil, errors.New("go.work: the root module is missing or cannot be released")
	}
	for _, m := range modules {
		for _, r := range m.File.Require {
			other := byPath[r.Mod.Path]
			if other != nil {
				m.Requires = append(m.Requires, other)
			} else if within(r.Mod.Path, root) {
				return nil, fmt.Errorf("%s/go.mod requires %s, which go.work does not name", m.Dir, r.Mod.Path)
			}
		}
	}
	modules, err = sorted(modules)
	if err == nil && modules[0].Dir != "." {
		return nil, errors.New("go.mod: the root module must not require modules below it")
	}
	return modules, err
}

// sorted returns the modules, each after the modules that it requires.
func sorted(modules []*Module) ([]*Module, error) {
	slices.SortFunc(modules, func(a, b *Module) int { return strings.Compare(a.Dir, b.Dir) })
	var order []*Module
	isDone := func(m *Module) bool { return slices.Contains(order, m) }
	for len(order) < len(modules) {
		i := slices.IndexFunc(modules, func(m *Module) bool {
			return !isDone(m) && !slices.ContainsFunc(m.Requires, func(r *Module) bool { return !isDone(r) })
		})
		if i < 0 {
			return nil, errors.New("modules require each other in a circle, so none can be released first: remove one of the requirements")
		}
		order = append(order, modules[i])
	}
	return order, nil
}

// within reports whether modulePath is root or is below it.
func within(modulePath, root string) bool {
	return modulePath == root || strings.HasPrefix(modulePath, root+"/")
}

// Name returns the path of a file of m. file is relative to m, with slashes.
func (m *Module) Name(file string) string {
	return filepath.Join(m.repo, filepath.FromSlash(m.Dir), filepath.FromSlash(file))
}

// SetVersion edits the go.mod in dir, which is the directory of m or of a copy of m.
// It sets the version of each required module of this repository.
func (m *Module) SetVersion(dir, version string) error {
	name := filepath.Join(dir, "go.mod")
	file, err := parse(name)
	if err != nil {
		return err
	}
	for _, other := range m.Requires {
		if err := file.AddRequire(other.Path, version); err != nil {
			return err
		}
	}
	file.Cleanup()
	data, err := file.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

func parse(name string) (*modfile.File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, data, nil)
}
