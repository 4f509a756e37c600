package cli

import "os"

// refuseOwnOutput returns an error if an input is also the output. Missing files are
// ignored.
func refuseOwnOutput(s Streams, names []string) error {
	f, ok := s.Out.(*os.File)
	if !ok {
		return nil
	}
	out, err := f.Stat()
	if err != nil || !readsBack(out.Mode()) {
		return nil
	}
	for _, name := range names {
		in, err := s.stat(name)
		if err != nil || !os.SameFile(in, out) {
			continue
		}
		if name == "-" {
			name = "standard input"
		}
		return usagef("%s: input and output are the same file; write to another one", name)
	}
	return nil
}

// readsBack reports whether a file of mode m returns the bytes written to it.
func readsBack(m os.FileMode) bool {
	return m.IsRegular() || m&os.ModeNamedPipe != 0 || m&os.ModeDevice != 0 && m&os.ModeCharDevice == 0
}

// stat returns the FileInfo of a file. The name "-" means standard input.
func (s Streams) stat(name string) (os.FileInfo, error) {
	if name != "-" {
		return os.Stat(name)
	}
	f, ok := s.In.(*os.File)
	if !ok {
		return nil, os.ErrNotExist
	}
	return f.Stat()
}
