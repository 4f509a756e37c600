package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/errclass/errclass/internal/release/workspace"
)

// maxModules is the maximum number of modules in the module graph of a program that
// imports only slogclass. The program counts too. The README states this number.
const maxModules = 16

// heavy matches modules on which a program that imports only slogclass must not
// depend.
var heavy = regexp.MustCompile(`^(go\.opentelemetry\.io|google\.golang\.org)/`)

// check runs all steps. It continues after a step that fails, and returns the
// errors of all steps.
func (r *rehearsal) check(ctx context.Context) error {
	errs := r.repo.problems()
	step := func(name string, do func() error) {
		start := time.Now()
		err := do()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		fmt.Printf("%-6s %4.0f s  %s\n", map[bool]string{true: "ok", false: "FAILED"}[err == nil], time.Since(start).Seconds(), name)
	}
	for _, m := range r.repo.released {
		step("pack "+m.Path+"@"+r.version, func() error { return r.pack(ctx, m, false) })
	}
	for _, m := range r.repo.released {
		dir := r.source(m)
		step("tidy and build without go.work: "+m.Path, func() error {
			return errors.Join(r.goRun(ctx, dir, "mod", "tidy", "-diff"), r.goRun(ctx, dir, "build", "./..."))
		})
	}
	for _, m := range r.repo.others {
		step("tidy: "+m.Path, func() error {
			return r.goRun(ctx, filepath.Join(r.repo.dir, m.Dir), "mod", "tidy", "-diff")
		})
	}
	step("install cmd/errclass and run it", func() error { return r.command(ctx) })
	packages, err := r.repo.public(ctx)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, p := range packages {
		step("a program with "+p.ImportPath, func() error { return r.consumer(ctx, p.ImportPath) })
	}
	step("exported API", func() error { return r.repo.compareAPI(ctx) })
	return errors.Join(errs...)
}

// makeDir makes an empty directory.
func (r *rehearsal) makeDir(name string) (string, error) {
	dir := filepath.Join(r.dir, "users", strings.ReplaceAll(name, "/", "-"))
	return dir, os.MkdirAll(dir, 0o755)
}

// command installs errclass with go install, like a user, and runs it.
func (r *rehearsal) command(ctx context.Context) error {
	dir, err := r.makeDir("command")
	if err != nil {
		return err
	}
	user := *r
	user.env = append(slices.Clip(r.env), "GOBIN="+dir)
	if err := user.goRun(ctx, dir, "install", root+"/cmd/errclass@"+r.version); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) != 1 {
		return fmt.Errorf("go install wrote %d files to %s, want only the command", len(entries), dir)
	}
	command := filepath.Join(dir, entries[0].Name())
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--version"}, r.version},
		{[]string{"classify", "HTTP 429 Too Many Requests"}, "rate_limit"},
	} {
		got, err := r.output(ctx, dir, command, tt.args...)
		if err != nil {
			return err
		}
		if !strings.Contains(got, tt.want) {
			return fmt.Errorf("errclass %s prints %q, which does not contain %q", strings.Join(tt.args, " "), got, tt.want)
		}
	}
	return nil
}

// consumer builds and runs a program that imports the public package importPath. The
// program comes from testdata/consumers. The package has the version of the rehearsal.
func (r *rehearsal) consumer(ctx context.Context, importPath string) error {
	name := path.Join("internal/release/check/testdata/consumers", strings.TrimPrefix(importPath, root+"/"), "main.go")
	program, err := os.ReadFile(filepath.Join(r.repo.dir, filepath.FromSlash(name)))
	if err != nil {
		return fmt.Errorf("each public package needs a program that uses it: write %s", name)
	}
	_, want, ok := strings.Cut(string(program), "\n// Output: ")
	if !ok {
		return fmt.Errorf("%s: the last line must be a comment // Output: with the program's output", name)
	}
	dir, err := r.makeDir(importPath)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), program, 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"mod", "init", "example.com/consumer"}, {"get", importPath + "@" + r.version}, {"build", "-o", "program.exe", "."}} {
		if err := r.goRun(ctx, dir, args...); err != nil {
			return err
		}
	}
	got, err := r.output(ctx, dir, filepath.Join(dir, "program.exe"))
	if err != nil {
		return err
	}
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		return fmt.Errorf("%s prints %q, want %q", name, got, want)
	}
	if importPath == root+"/slogclass" {
		return r.graph(ctx, dir)
	}
	return nil
}

// graph checks the module graph of a program that imports only slogclass.
func (r *rehearsal) graph(ctx context.Context, dir string) error {
	out, err := r.goOutput(ctx, dir, "list", "-m", "all")
	if err != nil {
		return err
	}
	modules := strings.Split(strings.TrimSpace(out), "\n")
	fmt.Printf("              %d modules in go list -m all, %d permitted\n", len(modules), maxModules)
	if len(modules) > maxModules || slices.ContainsFunc(modules, heavy.MatchString) {
		return fmt.Errorf("a program that imports only slogclass must have at most %d modules, and none of OpenTelemetry, gRPC or protobuf; it has %d:\n%s", maxModules, len(modules), out)
	}
	return nil
}

// tidyAll runs "go mod tidy" for all modules of the work tree. Afterwards, released
// modules require each other at the version repo.base.
func (r *rehearsal) tidyAll(ctx context.Context) error {
	for _, m := range r.repo.released {
		if err := r.pack(ctx, m, true); err != nil {
			return err
		}
		if err := r.copyBack(m); err != nil {
			return err
		}
	}
	for _, m := range r.repo.others {
		if err := r.goRun(ctx, filepath.Join(r.repo.dir, m.Dir), "mod", "tidy"); err != nil {
			return err
		}
	}
	return nil
}

// copyBack copies the tidied go.mod and go.sum of m to the work tree.
func (r *rehearsal) copyBack(m *workspace.Module) error {
	from, to := r.source(m), filepath.Join(r.repo.dir, m.Dir)
	mod, err := os.ReadFile(filepath.Join(from, "go.mod"))
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(from, "go.sum"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	mod = []byte(strings.ReplaceAll(string(mod), " "+r.version, " "+r.repo.base))
	if err := os.WriteFile(filepath.Join(to, "go.mod"), mod, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "go.sum"), []byte(workspace.FormatSums(workspace.ThirdParty(string(sums), root))), 0o644)
}
