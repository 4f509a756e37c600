package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// extension is the extension of the files of a corpus.
const extension = ".jsonl"

// Files returns the files of the corpus at path, sorted by name. If path is a folder,
// Files returns the files slices/*.jsonl in it. If there are no such files, Files returns
// the files *.jsonl in the folder. If these are missing too, Files returns an error.
// Hidden files are left out. If path is not a folder, Files returns only path.
func Files(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	for _, dir := range []string{filepath.Join(path, "slices"), path} {
		all, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		var names []string
		for _, f := range all {
			if name := f.Name(); !f.IsDir() && strings.HasSuffix(name, extension) && name[0] != '.' {
				names = append(names, filepath.Join(dir, name))
			}
		}
		if len(names) > 0 {
			return names, nil
		}
	}
	return nil, fmt.Errorf("%s: no files slices/*%s or *%[2]s in this folder", path, extension)
}
