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

// Files returns the files of the corpus at path, sorted by name. In a folder, these
// are slices/*.jsonl without hidden files. If there are none, these are *.jsonl. If
// there are none either, Files returns an error. If path is not a folder, Files
// returns only path.
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
