package main

import (
	"fmt"
	"path"
	"strings"

	gomodule "golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/errclass/errclass/internal/release/workspace"
)

// readModules returns the modules of the repository. If a released module requires
// an unreleased one, it returns an error.
func readModules(r repository) ([]*workspace.Module, error) {
	modules, err := workspace.Read(string(r))
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		for _, other := range m.Requires {
			if m.Private == "" && other.Private != "" {
				return nil, fmt.Errorf("%s requires %s, which would not be released: %s", m.Name("go.mod"), other.Path, other.Private)
			}
		}
	}
	return modules, nil
}

// tagOf returns the git tag for a version of m, in the form that the go command
// expects.
func tagOf(m *workspace.Module, version string) string {
	if m.Dir == "." {
		return version
	}
	return m.Dir + "/" + version
}

// tagsOf returns the tags for a version. The tag of the root module comes first.
func tagsOf(modules []*workspace.Module, version string) (tags []string) {
	for _, m := range modules {
		if m.Private == "" {
			tags = append(tags, tagOf(m, version))
		}
	}
	return tags
}

// checkVersion returns an error if version cannot be the next version of the
// modules.
func checkVersion(r repository, modules []*workspace.Module, version string) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return fmt.Errorf("version %q is not of the form v1.2.3 or v1.2.3-rc.1 (semantic versioning, all three numbers, no +build)", version)
	}
	if gomodule.IsPseudoVersion(version) {
		return fmt.Errorf("version %q has the form of a pseudo-version, which only the go command creates", version)
	}
	list, err := r.git("tag", "--list")
	if err != nil {
		return err
	}
	existing := strings.Fields(list)
	for _, m := range modules {
		_, major, ok := gomodule.SplitPathVersion(m.Path)
		if m.Private == "" && (!ok || gomodule.CheckPathMajor(version, major) != nil) {
			return fmt.Errorf("version %s does not fit the module path %s: from v2 on the path ends in the major version", version, m.Path)
		}
		for _, tag := range existing {
			dir, v := path.Split(tag)
			if !semver.IsValid(v) || path.Clean(dir) != m.Dir {
				continue
			}
			switch {
			case m.Private != "":
				return fmt.Errorf("%s was released as %s and would not be released now: %s", m.Path, tag, m.Private)
			case v == version:
				return fmt.Errorf("version %s already exists: tag %s", version, tag)
			case semver.Compare(v, version) > 0 && semver.MajorMinor(v) == semver.MajorMinor(version):
				return fmt.Errorf("version %s is older than tag %s", version, tag)
			}
		}
	}
	return nil
}
