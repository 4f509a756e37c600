package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	gomodule "golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A module is one of those that go.work names.
type module struct {
	dir     string // with slashes; "." is the root
	path    string
	gomod   string // the file
	private string // why it gets no tag; "" = it gets one
	needs   []*module
}

// tag returns the git tag that the go command looks for.
func (m *module) tag(version string) string {
	if m.dir == "." {
		return version
	}
	return m.dir + "/" + version
}

// tagsOf returns the tags of a version, that of the root first.
func tagsOf(modules []*module, version string) (tags []string) {
	for _, m := range modules {
		if m.private == "" {
			tags = append(tags, m.tag(version))
		}
	}
	return tags
}

// readModules returns the modules of go.work. Each stands behind those that it
// requires, the root first.
func readModules(work repository) ([]*module, error) {
	data, err := os.ReadFile(work.path("go.work"))
	if err != nil {
		return nil, err
	}
	file, err := modfile.ParseWork("go.work", data, nil)
	if err != nil {
		return nil, err
	}
	byPath := map[string]*module{}
	requires := map[*module][]*modfile.Require{}
	var modules []*module
	for _, use := range file.Use {
		m := &module{dir: path.Clean(use.Path)}
		m.gomod = work.path(path.Join(m.dir, "go.mod"))
		mod, err := parse(m.gomod)
		if err != nil {
			return nil, err
		}
		if m.path = mod.Module.Mod.Path; len(mod.Replace) > 0 {
			m.private = "its go.mod has a replace"
		} else if slices.Contains(strings.Split(m.path, "/"), "internal") {
			m.private = "its path is internal"
		}
		requires[m] = mod.Require
		byPath[m.path] = m
		modules = append(modules, m)
	}
	for _, m := range modules {
		for _, r := range requires[m] {
			other := byPath[r.Mod.Path]
			if other == nil {
				continue
			}
			if m.private == "" && other.private != "" {
				return nil, fmt.Errorf("%s requires %s, which would not be released: %s", m.gomod, other.path, other.private)
			}
			m.needs = append(m.needs, other)
		}
	}
	return sorted(modules)
}

// sorted puts each module behind those that it requires.
func sorted(modules []*module) ([]*module, error) {
	slices.SortFunc(modules, func(a, b *module) int { return strings.Compare(a.dir, b.dir) })
	var order []*module
	for len(order) < len(modules) {
		i := slices.IndexFunc(modules, func(m *module) bool {
			return !slices.Contains(order, m) &&
				!slices.ContainsFunc(m.needs, func(n *module) bool { return !slices.Contains(order, n) })
		})
		if i < 0 {
			return nil, errors.New("modules require each other in a circle: their sums cannot be worked out; cut one of the requirements")
		}
		order = append(order, modules[i])
	}
	if len(order) == 0 || order[0].dir != "." || order[0].private != "" {
		return nil, errors.New("go.work: the root module is missing, or is not one that can be released")
	}
	return order, nil
}

// checkVersion refuses a version that the go command would not take as the
// next one.
func checkVersion(r repository, modules []*module, version string) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return fmt.Errorf("version %q is not of the form v1.2.3 or v1.2.3-rc.1 (semantic versioning, nothing left out, no +build)", version)
	}
	if gomodule.IsPseudoVersion(version) {
		return fmt.Errorf("version %q has the form of a pseudo-version, which the go command makes itself", version)
	}
	list, err := r.git("tag", "--list")
	if err != nil {
		return err
	}
	existing := strings.Fields(list)
	for _, m := range modules {
		_, major, ok := gomodule.SplitPathVersion(m.path)
		if m.private == "" && (!ok || gomodule.CheckPathMajor(version, major) != nil) {
			return fmt.Errorf("version %s does not fit the module path %s: from v2 on the path ends in the major version", version, m.path)
		}
		for _, tag := range existing {
			dir, v := path.Split(tag)
			if !semver.IsValid(v) || path.Clean(dir) != m.dir {
				continue
			}
			switch {
			case m.private != "":
				return fmt.Errorf("%s was released as %s and would not be now: %s", m.path, tag, m.private)
			case v == version:
				return fmt.Errorf("version %s exists: tag %s", version, tag)
			case semver.Compare(v, version) > 0 && semver.MajorMinor(v) == semver.MajorMinor(version):
				return fmt.Errorf("version %s is older than tag %s", version, tag)
			}
		}
	}
	return nil
}

// require sets the module's requirements of our other modules to a version.
func (m *module) require(version string) error {
	mod, err := parse(m.gomod)
	if err != nil {
		return err
	}
	for _, other := range m.needs {
		if err := mod.AddRequire(other.path, version); err != nil {
			return err
		}
	}
	mod.Cleanup()
	data, err := mod.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(m.gomod, data, 0o644)
}

func parse(gomod string) (*modfile.File, error) {
	data, err := os.ReadFile(gomod)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(gomod, data, nil)
}
