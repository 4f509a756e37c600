package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	modpath "golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	modzip "golang.org/x/mod/zip"

	"github.com/errclass/errclass/internal/release/workspace"
)

// rehearsal is a trial release into a temporary directory.
type rehearsal struct {
	repo    *repository
	dir     string
	version string
	cache   string         // GOMODCACHE
	sums    workspace.Sums // the lines of go.sum for the packed modules
	env     []string
}

func newRehearsal(ctx context.Context, repo *repository, dir string) (*rehearsal, error) {
	if !semver.IsValid(repo.base) {
		return nil, fmt.Errorf("go.mod: no module requires another one, so the next version is unknown")
	}
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOPROXY", "GONOSUMDB", "GOFLAGS", "GOMODCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var env struct{ GOPROXY, GONOSUMDB, GOFLAGS, GOMODCACHE string }
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, err
	}
	// Use a version that was never used before, because the module cache keeps the
	// files of each version.
	base := strings.TrimSuffix(repo.base, semver.Prerelease(repo.base)+semver.Build(repo.base))
	version := base + "-check." + time.Now().UTC().Format("20060102150405") + fmt.Sprint(os.Getpid())
	// Get third-party modules only from the proxies, not from their repositories.
	proxies := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(env.GOPROXY, "direct"), ","), "|")
	r := &rehearsal{repo: repo, dir: dir, version: version, cache: env.GOMODCACHE, sums: workspace.Sums{}}
	r.env = append(os.Environ(),
		"GOWORK=off",
		"GOPROXY="+strings.TrimSuffix("file://"+filepath.ToSlash(filepath.Join(dir, "proxy"))+","+proxies, ","),
		"GOPRIVATE=", "GONOPROXY=",
		"GONOSUMDB="+strings.Trim(env.GONOSUMDB+","+root, ","),
		"GOFLAGS="+strings.TrimSpace(env.GOFLAGS+" -mod=readonly"),
	)
	return r, nil
}

// source returns the directory in which the packed module is built and tidied.
func (r *rehearsal) source(m *workspace.Module) string {
	return filepath.Join(r.dir, "src", strings.ReplaceAll(m.Path, "/", "-"))
}

// pack adds a copy of m to the proxy, at the version of the rehearsal. If tidy is
// true, it first runs go mod tidy in the copy. The modules that m requires must
// already be packed.
func (r *rehearsal) pack(ctx context.Context, m *workspace.Module, tidy bool) error {
	dir := r.source(m)
	if err := r.copyModule(m, dir); err != nil {
		return err
	}
	if tidy {
		if err := r.goRun(ctx, dir, "mod", "tidy"); err != nil {
			return err
		}
	}
	at := modpath.Version{Path: m.Path, Version: r.version}
	folder := filepath.Join(r.dir, "proxy", filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(folder, r.version+".zip"))
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := modzip.CreateFromDir(archive, at, dir); err != nil {
		return fmt.Errorf("pack %s: %w", m.Path, err)
	}
	if err := archive.Close(); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": r.version, "Time": time.Now().UTC()})
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{r.version + ".mod": mod, r.version + ".info": info, "list": []byte(r.version + "\n")} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return err
		}
	}
	return r.sums.Add(m, r.version, archive.Name(), filepath.Join(dir, "go.mod"))
}

// copyModule copies the files of m to a directory. In the copy, go.mod requires the
// packed modules.
func (r *rehearsal) copyModule(m *workspace.Module, to string) error {
	files, err := m.Files()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := copyFile(f, filepath.Join(to, filepath.FromSlash(f.Path()))); err != nil {
			return err
		}
	}
	if err := m.SetVersion(to, r.version); err != nil {
		return err
	}
	return r.sums.Write(m, to, root)
}

func copyFile(from modzip.File, to string) error {
	in, err := from.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

// goRun runs go in dir, without go.work and with the proxy of the rehearsal.
func (r *rehearsal) goRun(ctx context.Context, dir string, args ...string) error {
	_, err := r.goOutput(ctx, dir, args...)
	return err
}

func (r *rehearsal) goOutput(ctx context.Context, dir string, args ...string) (string, error) {
	return r.output(ctx, dir, "go", args...)
}

func (r *rehearsal) output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, r.env
	var out, all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &all
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, &all, &out)
	}
	return out.String(), nil
}

// clean removes the temporary directory. It also removes the version of the rehearsal
// from the module cache.
func (r *rehearsal) clean() error {
	var gone []string
	for _, m := range r.repo.released {
		escaped := filepath.FromSlash(m.Path) // has no capitals, so there is nothing to escape
		gone = append(gone, filepath.Join(r.cache, escaped+"@"+r.version))
		cached, err := filepath.Glob(filepath.Join(r.cache, "cache", "download", escaped, "@v", r.version+".*"))
		if err != nil {
			return err
		}
		gone = append(gone, cached...)
	}
	for _, name := range append(gone, r.dir) {
		err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, 0o755)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}
