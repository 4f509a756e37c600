package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/errclass/errclass/internal/release/workspace"
)

// root is the path of the root module. The paths of the other modules begin with
// it.
const root = "github.com/errclass/errclass"

// development lists the directories of modules that users do not install. Only their
// go.mod files may use replace.
var development = []string{
	"collector/errclassprocessor/test",
	"compat",
	"corpus",
	"examples/alerting",
	"examples/collector",
	"examples/dashboard",
	"examples/fleet",
	"examples/otel",
	"examples/outage",
	"internal/pages/test",
	"internal/release",
	"internal/shapes/test",
	"otelclass/test",
	"slogclass/test",
	"supervise/mcptest",
}

// repository is the work tree.
type repository struct {
	dir      string
	base     string              // the version at which the modules require each other
	released []*workspace.Module // each after the modules that it requires
	others   []*workspace.Module // the modules in development
}

// load reads the modules of the go.work file that the go command uses.
func load(ctx context.Context) (*repository, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOWORK").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOWORK: %w", err)
	}
	name := strings.TrimSpace(string(out))
	if filepath.Base(name) != "go.work" {
		return nil, errors.New("no go.work found: run this in a clone of errclass, without GOWORK=off")
	}
	return read(filepath.Dir(name))
}

// read reads the modules of the repository in dir.
func read(dir string) (*repository, error) {
	modules, err := workspace.Read(dir)
	if err != nil {
		return nil, err
	}
	repo := &repository{dir: dir}
	for _, m := range modules {
		if slices.Contains(development, m.Dir) {
			repo.others = append(repo.others, m)
			continue
		}
		repo.released = append(repo.released, m)
		for _, r := range siblings(m) {
			repo.base = r.Mod.Version
		}
	}
	return repo, nil
}

// siblings returns those requirements in m's go.mod that are modules of this
// repository.
func siblings(m *workspace.Module) []*modfile.Require {
	return slices.DeleteFunc(slices.Clone(m.File.Require), func(r *modfile.Require) bool {
		return !slices.ContainsFunc(m.Requires, func(other *workspace.Module) bool { return other.Path == r.Mod.Path })
	})
}

// problems returns the faults in the go.mod files of released modules.
func (repo *repository) problems() []error {
	var all []error
	bad := func(m *workspace.Module, format string, args ...any) {
		all = append(all, fmt.Errorf("%s/go.mod: %s", m.Dir, fmt.Sprintf(format, args...)))
	}
	for _, m := range repo.released {
		want := root
		if m.Dir != "." {
			want += "/" + m.Dir
		}
		if m.Path != want {
			bad(m, "the module is %s: call it %s, like its directory", m.Path, want)
		}
		for _, r := range m.File.Replace {
			bad(m, "replace %s: go install refuses it: remove the line; go.work replaces it in development", r.Old.Path)
		}
		for _, e := range m.File.Exclude {
			bad(m, "exclude %s: go install refuses it: require a later version instead", e.Mod.Path)
		}
		for _, r := range siblings(m) {
			if r.Mod.Version != repo.base {
				bad(m, "requires %s at %s, but another module requires errclass at %s: use one version", r.Mod.Path, r.Mod.Version, repo.base)
			}
			if slices.ContainsFunc(repo.others, func(o *workspace.Module) bool { return o.Path == r.Mod.Path }) {
				bad(m, "requires %s, which is never released", r.Mod.Path)
			}
		}
	}
	return all
}

// pkg is a package. Its exported fields come from the output of go list -json.
type pkg struct {
	ImportPath, Name string
	GoFiles          []string

	work string // the directory of the go.work that names its module
}

// public returns the packages that users may import. These are all packages except
// commands and internal packages.
func (repo *repository) public(ctx context.Context) ([]pkg, error) {
	var all []pkg
	for _, work := range workspace.Dirs {
		var patterns []string
		for _, m := range repo.released {
			if m.Work == work {
				patterns = append(patterns, m.Path+"/...")
			}
		}
		if len(patterns) == 0 {
			continue
		}
		out, err := repo.goOutput(ctx, work, append([]string{"list", "-json=ImportPath,Name,GoFiles"}, patterns...)...)
		if err != nil {
			return nil, err
		}
		for decoder := json.NewDecoder(strings.NewReader(out)); decoder.More(); {
			p := pkg{work: work}
			if err := decoder.Decode(&p); err != nil {
				return nil, err
			}
			path := p.ImportPath
			if p.Name != "main" && !slices.Contains(strings.Split(path, "/"), "internal") && len(p.GoFiles) > 0 && !repo.inDevelopment(path) {
				all = append(all, p)
			}
		}
	}
	slices.SortFunc(all, func(a, b pkg) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return slices.CompactFunc(all, func(a, b pkg) bool { return a.ImportPath == b.ImportPath }), nil
}

func (repo *repository) inDevelopment(path string) bool {
	return slices.ContainsFunc(repo.others, func(m *workspace.Module) bool {
		return path == m.Path || strings.HasPrefix(path, m.Path+"/")
	})
}

// goOutput runs go in the directory work, always for linux on amd64 without cgo.
func (repo *repository) goOutput(ctx context.Context, work string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = filepath.Join(repo.dir, work)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Output documents the type
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return string(out), err
}
