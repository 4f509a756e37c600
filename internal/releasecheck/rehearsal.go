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

	"golang.org/x/mod/modfile"
	modpath "golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
	modzip "golang.org/x/mod/zip"
)

// rehearsal is a release into a temporary folder.
type rehearsal struct {
	repo    *repository
	dir     string
	version string
	cache   string            // GOMODCACHE
	sums    map[string]string // two lines of go.sum for a packed module, by its path
	env     []string
}

func newRehearsal(ctx context.Context, repo *repository, dir string) (*rehearsal, error) {
	if !semver.IsValid(repo.base) {
		return nil, fmt.Errorf("go.mod: no module requires another one, so the next version is not known")
	}
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOPROXY", "GONOSUMDB", "GOFLAGS", "GOMODCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var env struct{ GOPROXY, GONOSUMDB, GOFLAGS, GOMODCACHE string }
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, err
	}
	// Never used before and never again: the module cache keeps what it has read
	// under a version.
	base := strings.TrimSuffix(repo.base, semver.Prerelease(repo.base)+semver.Build(repo.base))
	version := base + "-check." + time.Now().UTC().Format("20060102150405") + fmt.Sprint(os.Getpid())
	// What is not in the folder is asked of the proxies, never of a repository.
	proxies := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(env.GOPROXY, "direct"), ","), "|")
	r := &rehearsal{repo: repo, dir: dir, version: version, cache: env.GOMODCACHE, sums: map[string]string{}}
	r.env = append(os.Environ(),
		"GOWORK=off",
		"GOPROXY="+strings.TrimSuffix("file://"+filepath.ToSlash(filepath.Join(dir, "proxy"))+","+proxies, ","),
		"GOPRIVATE=", "GONOPROXY=",
		"GONOSUMDB="+strings.Trim(env.GONOSUMDB+","+root, ","),
		"GOFLAGS="+strings.TrimSpace(env.GOFLAGS+" -mod=readonly"),
	)
	return r, nil
}

// source is where the packed module is built and tidied.
func (r *rehearsal) source(m *module) string {
	return filepath.Join(r.dir, "src", strings.ReplaceAll(m.path, "/", "-"))
}

// pack copies m, sets the version in its go.mod and go.sum, and puts it into the
// proxy. All modules that m requires were packed before. If tidy is set, go mod
// tidy runs in the copy first.
func (r *rehearsal) pack(ctx context.Context, m *module, tidy bool) error {
	dir := r.source(m)
	if err := r.copyFiles(ctx, m, dir); err != nil {
		return err
	}
	if err := r.setVersion(m, dir); err != nil {
		return err
	}
	if tidy {
		if err := r.goRun(ctx, dir, "mod", "tidy"); err != nil {
			return err
		}
	}
	at := modpath.Version{Path: m.path, Version: r.version}
	folder := filepath.Join(r.dir, "proxy", filepath.FromSlash(m.path), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(folder, r.version+".zip"))
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := modzip.CreateFromDir(archive, at, dir); err != nil {
		return fmt.Errorf("pack %s: %w", m.path, err)
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
	sum, err := dirhash.HashZip(archive.Name(), dirhash.Hash1)
	if err != nil {
		return err
	}
	modSum, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(mod)), nil })
	if err != nil {
		return err
	}
	r.sums[m.path] = fmt.Sprintf("%s %s %s\n%[1]s %[2]s/go.mod %[4]s", m.path, r.version, sum, modSum)
	return nil
}

// copyFiles copies the files of m that git tracks or would track, without those
// of modules below it. A module without a licence of its own gets the
// repository's, as the go command does it.
func (r *rehearsal) copyFiles(ctx context.Context, m *module, to string) error {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = filepath.Join(r.repo.dir, m.dir)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git ls-files in %s: %w", m.dir, err)
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var below []string
	for _, name := range names {
		if dir, ok := strings.CutSuffix(name, "/go.mod"); ok {
			below = append(below, dir+"/")
		}
	}
	licensed := false
	for _, name := range names {
		if hasPrefix(name, below) {
			continue
		}
		licensed = licensed || name == "LICENSE"
		if err := copyFile(filepath.Join(cmd.Dir, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	if licensed {
		return nil
	}
	return copyFile(filepath.Join(r.repo.dir, "LICENSE"), filepath.Join(to, "LICENSE"))
}

func hasPrefix(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// copyFile does nothing if from does not exist: git lists files until their
// removal is staged.
func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

// setVersion lets the copy of m in dir require the packed modules.
func (r *rehearsal) setVersion(m *module, dir string) error {
	name := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	lines := thirdParty(string(sums))
	for _, s := range m.siblings() {
		if err := file.AddRequire(s.Mod.Path, r.version); err != nil {
			return err
		}
		lines = append(lines, strings.Split(r.sums[s.Mod.Path], "\n")...)
	}
	if data, err = file.Format(); err != nil {
		return err
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), []byte(formatSums(lines)), 0o644)
}

// goRun runs go in dir, without go.work and with the proxy of the rehearsal.
// The error has all that it printed.
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

// clean removes the temporary folder, and what the module cache has of this
// version. Files of the module cache are read-only.
func (r *rehearsal) clean() error {
	var gone []string
	for _, m := range r.repo.released {
		escaped := filepath.FromSlash(m.path) // all lower case: nothing to escape
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
