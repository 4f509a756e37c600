package workspace

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/zip"
)

const licence = "LICENSE"

// Files returns the files of m that git tracks or does not ignore. The modules below
// m are left out. If m has no licence, the root module's licence is added.
func (m *Module) Files() ([]zip.File, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = m.Name(".")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files in %s: %w", m.Dir, err)
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var below []string
	for _, name := range names {
		if dir, ok := strings.CutSuffix(name, "/go.mod"); ok {
			below = append(below, dir+"/")
		}
	}
	var files []zip.File
	for _, name := range names {
		if slices.ContainsFunc(below, func(dir string) bool { return strings.HasPrefix(name, dir) }) {
			continue
		}
		// git also lists a deleted file until its removal is staged.
		if _, err := os.Lstat(m.Name(name)); err == nil {
			files = append(files, file{name, m.Name(name)})
		}
	}
	if !slices.Contains(names, licence) {
		files = append(files, file{licence, filepath.Join(m.repo, licence)})
	}
	return files, nil
}

// file is a file of a module. path is relative to the module, with slashes. name is
// the path on disk.
type file struct{ path, name string }

func (f file) Path() string                 { return f.path }
func (f file) Lstat() (fs.FileInfo, error)  { return os.Lstat(f.name) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.name) }
