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
)

// maxModules bounds what a program that imports slogclass alone has in its
// module graph, itself included. The README gives the figure.
const maxModules = 16

// heavy matches the modules that must not be among them.
var heavy = regexp.MustCompile(`^(go\.opentelemetry\.io|google\.golang\.org)/`)

// check runs all steps. One that fails does not keep the next from running, if
// that one can.
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
		step("pack "+m.path+"@"+r.version, func() error { return r.pack(ctx, m, false) })
	}
	for _, m := range r.repo.released {
		dir := r.source(m)
		step("tidy and build without go.work: "+m.path, func() error {
			return errors.Join(r.goRun(ctx, dir, "mod", "tidy", "-diff"), r.goRun(ctx, dir, "build", "./..."))
		})
	}
	for _, m := range r.repo.others {
		step("tidy: "+m.path, func() error {
			return r.goRun(ctx, filepath.Join(r.repo.dir, m.dir), "mod", "tidy", "-diff")
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

// empty makes an empty folder.
func (r *rehearsal) empty(name string) (string, error) {
	dir := filepath.Join(r.dir, "users", strings.ReplaceAll(name, "/", "-"))
	return dir, os.MkdirAll(dir, 0o755)
}

// command installs errclass as a user does, and asks it twice.
func (r *rehearsal) command(ctx context.Context) error {
	dir, err := r.empty("command")
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
		return fmt.Errorf("go install left %d files in %s, not the command alone", len(entries), dir)
	}
	command := filepath.Join(dir, entries[0].Name())
	for _, ask := range []struct {
		args []string
		want string
	}{
		{[]string{"--version"}, r.version},
		{[]string{"classify", "HTTP 429 Too Many Requests"}, "rate_limit"},
	} {
		got, err := r.output(ctx, dir, command, ask.args...)
		if err != nil {
			return err
		}
		if !strings.Contains(got, ask.want) {
			return fmt.Errorf("errclass %s prints %q, without %q", strings.Join(ask.args, " "), got, ask.want)
		}
	}
	return nil
}

// consumer builds and runs the program in testdata/consumers that imports one
// public package. It is a module that requires the package's module at the
// version of the rehearsal.
func (r *rehearsal) consumer(ctx context.Context, importPath string) error {
	name := path.Join("internal/releasecheck/testdata/consumers", strings.TrimPrefix(importPath, root+"/"), "main.go")
	program, err := os.ReadFile(filepath.Join(r.repo.dir, filepath.FromSlash(name)))
	if err != nil {
		return fmt.Errorf("each public package has a program that uses it: write %s", name)
	}
	_, want, ok := strings.Cut(string(program), "\n// Output: ")
	if !ok {
		return fmt.Errorf("%s: its last line must be the comment // Output: with what it prints", name)
	}
	dir, err := r.empty(importPath)
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

// graph checks the modules of a program that imports slogclass alone.
func (r *rehearsal) graph(ctx context.Context, dir string) error {
	out, err := r.goOutput(ctx, dir, "list", "-m", "all")
	if err != nil {
		return err
	}
	modules := strings.Split(strings.TrimSpace(out), "\n")
	fmt.Printf("              %d modules in go list -m all, %d permitted\n", len(modules), maxModules)
	if len(modules) > maxModules || slices.ContainsFunc(modules, heavy.MatchString) {
		return fmt.Errorf("a program that imports slogclass alone must have at most %d modules, none of OpenTelemetry, gRPC or protobuf, and has %d:\n%s", maxModules, len(modules), out)
	}
	return nil
}

// tidyAll runs go mod tidy for all modules, and writes into the work tree what
// changed. In released modules the requirements of each other keep the version
// of the next release.
func (r *rehearsal) tidyAll(ctx context.Context) error {
	for _, m := range r.repo.released {
		if err := r.pack(ctx, m, true); err != nil {
			return err
		}
		if err := r.takeBack(m); err != nil {
			return err
		}
	}
	for _, m := range r.repo.others {
		if err := r.goRun(ctx, filepath.Join(r.repo.dir, m.dir), "mod", "tidy"); err != nil {
			return err
		}
	}
	return nil
}

// takeBack copies the tidied go.mod and go.sum of m into the work tree.
func (r *rehearsal) takeBack(m *module) error {
	from, to := r.source(m), filepath.Join(r.repo.dir, m.dir)
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
	return os.WriteFile(filepath.Join(to, "go.sum"), []byte(formatSums(thirdParty(string(sums)))), 0o644)
}
