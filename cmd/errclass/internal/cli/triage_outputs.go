package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/errclass/errclass/cmd/errclass/internal/triage"
	"github.com/errclass/errclass/cmd/errclass/internal/triage/page"
)

// outputFiles has the names of files that triage writes besides standard output.
type outputFiles struct{ html, rules, corpus string }

// outputFile is one of the files in outputFiles.
type outputFile struct {
	flag, name, what string
	write            func(io.Writer, *triage.Report) (int, error)
}

// all returns the files that the flags name.
func (f *outputFiles) all() []outputFile {
	return slices.DeleteFunc([]outputFile{
		{"--html", f.html, "groups; open it in a browser", writePage},
		{"--rules-out", f.rules, "rules; choose their reasons", triage.WriteRules},
		{"--corpus-out", f.corpus, "lines; fill in their labels", triage.WriteCorpus},
	}, func(file outputFile) bool { return file.name == "" })
}

// refuseInputs returns an error in these cases:
//
//   - An output file already exists, and is an input or is in an input folder.
//   - Standard output is an input or a file in an input folder.
//   - Two output files have the same name.
//
// Devices and other outputs that are not regular files are ignored.
func (f *outputFiles) refuseInputs(s Streams, inputs []string) error {
	if err := cmp.Or(refuseOwnOutput(s, inputs), refuseOutputBelow(s, inputs)); err != nil {
		return err
	}
	outputs := f.all()
	for i, o := range outputs {
		out, err := os.Stat(o.name)
		if err == nil && !out.Mode().IsRegular() {
			continue
		}
		for _, other := range outputs[:i] {
			if filepath.Clean(o.name) == filepath.Clean(other.name) {
				return usagef("%s and %s are the same file %s; write to another one", other.flag, o.flag, printable(o.name))
			}
		}
		if err != nil {
			continue
		}
		for _, input := range inputs {
			in, err := s.stat(input)
			if err == nil && (os.SameFile(in, out) || in.IsDir() && isBelow(o.name, in)) {
				return usagef("%s %s would replace an input; write to another file", o.flag, printable(o.name))
			}
		}
	}
	return nil
}

// refuseOutputBelow returns an error if standard output is a file in an input folder. The
// file would be an input of the next triage.
func refuseOutputBelow(s Streams, inputs []string) error {
	f, ok := s.Out.(*os.File)
	if !ok {
		return nil
	}
	out, err := f.Stat()
	if err != nil || !out.Mode().IsRegular() {
		return nil
	}
	for _, input := range inputs {
		if in, err := s.stat(input); err == nil && in.IsDir() && holds(input, out) {
			return usagef("%s: the output is a file in this input folder; write to another folder", printable(input))
		}
	}
	return nil
}

// holds reports whether a folder or one of its subfolders has a file, or a link to it.
func holds(folder string, file os.FileInfo) (found bool) {
	// Files that cannot be read are reported later.
	_ = filepath.WalkDir(folder, func(name string, _ fs.DirEntry, _ error) error {
		if info, err := os.Stat(name); err == nil && os.SameFile(info, file) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// write writes the files. For each file, it prints to standard error what the file
// contains.
func (f *outputFiles) write(s Streams, r *triage.Report) error {
	var failed []error
	for _, file := range f.all() {
		n := 0
		err := replaceFile(file.name, func(w io.Writer) (err error) {
			n, err = file.write(w, r)
			return err
		})
		if err != nil {
			failed = append(failed, err)
			continue
		}
		fmt.Fprintf(s.Err, "errclass triage: wrote %s: %d %s\n", printable(file.name), n, file.what)
	}
	return errors.Join(failed...)
}

// writePage writes the HTML page of r and returns the number of groups in r.
func writePage(w io.Writer, r *triage.Report) (int, error) {
	return len(r.Groups), page.Write(w, r)
}

// replaceFile creates or replaces a regular file. If writing fails, the old file
// stays. To other files, such as /dev/stdout or a link, it writes directly.
func replaceFile(name string, write func(io.Writer) error) error {
	old, err := os.Lstat(name)
	if err == nil && !old.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".errclass-*")
	if err != nil {
		return err
	}
	err = write(f)
	if old != nil {
		err = errors.Join(err, f.Chmod(old.Mode().Perm()))
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// isBelow reports whether a file is in a folder or in one of its subfolders.
func isBelow(file string, folder os.FileInfo) bool {
	at, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	for parent := filepath.Dir(at); parent != at; at, parent = parent, filepath.Dir(parent) {
		if info, err := os.Stat(parent); err == nil && os.SameFile(info, folder) {
			return true
		}
	}
	return false
}
