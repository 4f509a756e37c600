package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// root is the path of the module in the repository's own folder. The paths of
// all other modules begin with it.
const root = "github.com/errclass/errclass"

// development has the modules that nobody installs from, by their folders. They
// may use replace. All others are released, so a new module is checked until it
// is named here.
var development = []string{
	"compat",
	"examples/alerting",
	"examples/dashboard",
	"examples/otel",
	"examples/outage",
	"internal/releasecheck",
	"otelclass/test",
	"slogclass/test",
	"supervise/mcptest",
}

// module is a module of the work tree.
type module struct {
	path string
	dir  string // relative to the repository, with slashes; "." is the root
	file *modfile.File
}

// siblings returns the modules of this repository that m requires.
func (m *module) siblings() []*modfile.Require {
	var all []*modfile.Require
	for _, r := range m.file.Require {
		if ours(r.Mod.Path) {
			all = append(all, r)
		}
	}
	return all
}

func ours(path string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// repository is the work tree.
type repository struct {
	dir      string
	base     string    // the version at which the modules require each other
	released []*module // each after those that it requires
	others   []*module // those of development
}

// load reads go.work and the go.mod files that it names. What is wrong in them
// and does not keep the rehearsal from starting is reported by problems.
func load(ctx context.Context) (*repository, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOWORK").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOWORK: %w", err)
	}
	name := strings.TrimSpace(string(out))
	if filepath.Base(name) != "go.work" {
		return nil, fmt.Errorf("no go.work found: run this in a clone of errclass, without GOWORK=off")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return nil, err
	}
	repo := &repository{dir: filepath.Dir(name)}
	byPath := map[string]*module{}
	for _, use := range work.Use {
		m, err := repo.module(filepath.ToSlash(filepath.Clean(use.Path)))
		if err != nil {
			return nil, err
		}
		byPath[m.path] = m
	}
	if err := repo.order(byPath); err != nil {
		return nil, err
	}
	return repo, nil
}

func (repo *repository) module(dir string) (*module, error) {
	name := filepath.Join(repo.dir, dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil, err
	}
	want := root
	if dir != "." {
		want += "/" + dir
	}
	if file.Module.Mod.Path != want {
		return nil, fmt.Errorf("%s/go.mod: module %s must be called %s, as its folder", dir, file.Module.Mod.Path, want)
	}
	return &module{path: want, dir: dir, file: file}, nil
}

// order sorts the modules into released and others.
func (repo *repository) order(byPath map[string]*module) error {
	done, under := map[*module]bool{}, map[*module]bool{}
	var visit func(m *module) error
	visit = func(m *module) error {
		switch {
		case done[m]:
			return nil
		case under[m]:
			return fmt.Errorf("%s/go.mod: modules require each other in a circle, so none can be released first", m.dir)
		}
		under[m] = true
		for _, r := range m.siblings() {
			sibling := byPath[r.Mod.Path]
			if sibling == nil {
				return fmt.Errorf("%s/go.mod requires %s, which go.work does not name", m.dir, r.Mod.Path)
			}
			if err := visit(sibling); err != nil {
				return err
			}
		}
		done[m] = true
		if slices.Contains(development, m.dir) {
			repo.others = append(repo.others, m)
		} else {
			repo.released = append(repo.released, m)
		}
		return nil
	}
	all := make([]*module, 0, len(byPath))
	for _, m := range byPath {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *module) int { return strings.Compare(a.path, b.path) })
	for _, m := range all {
		if err := visit(m); err != nil {
			return err
		}
	}
	for _, m := range repo.released {
		for _, r := range m.siblings() {
			repo.base = r.Mod.Version
		}
	}
	return nil
}

// problems returns what is wrong in the go.mod files of released modules.
func (repo *repository) problems() []error {
	var all []error
	bad := func(m *module, format string, args ...any) {
		all = append(all, fmt.Errorf("%s/go.mod: %s", m.dir, fmt.Sprintf(format, args...)))
	}
	for _, m := range repo.released {
		for _, r := range m.file.Replace {
			bad(m, "replace %s: go install refuses it, and go.work does the same for development: remove the line", r.Old.Path)
		}
		for _, e := range m.file.Exclude {
			bad(m, "exclude %s: go install refuses it: require a later version", e.Mod.Path)
		}
		for _, r := range m.siblings() {
			if r.Mod.Version != repo.base {
				bad(m, "requires %s at %s, another module requires errclass at %s: all must name one version", r.Mod.Path, r.Mod.Version, repo.base)
			}
			if slices.ContainsFunc(repo.others, func(o *module) bool { return o.path == r.Mod.Path }) {
				bad(m, "requires %s, which is never released", r.Mod.Path)
			}
		}
	}
	return all
}

// pkg is a package as go list tells it.
type pkg struct {
	ImportPath, Name, Export string
	GoFiles                  []string
}

// public returns the packages that users may import: no command, and nothing
// below a folder called internal.
func (repo *repository) public(ctx context.Context) ([]pkg, error) {
	args := []string{"list", "-export", "-json=ImportPath,Name,Export,GoFiles"}
	for _, m := range repo.released {
		args = append(args, m.path+"/...")
	}
	out, err := repo.goOutput(ctx, args...)
	if err != nil {
		return nil, err
	}
	var all []pkg
	for decoder := json.NewDecoder(strings.NewReader(out)); decoder.More(); {
		var p pkg
		if err := decoder.Decode(&p); err != nil {
			return nil, err
		}
		path := p.ImportPath
		if p.Name != "main" && !slices.Contains(strings.Split(path, "/"), "internal") && len(p.GoFiles) > 0 && !repo.inDevelopment(path) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b pkg) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return slices.CompactFunc(all, func(a, b pkg) bool { return a.ImportPath == b.ImportPath }), nil
}

func (repo *repository) inDevelopment(path string) bool {
	return slices.ContainsFunc(repo.others, func(m *module) bool {
		return path == m.path || strings.HasPrefix(path, m.path+"/")
	})
}

// goOutput runs go in the repository, within go.work, for linux on amd64 without
// cgo, so that the exported API is the same on every machine.
func (repo *repository) goOutput(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = repo.dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Output documents the type
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return string(out), err
}
