package triage

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// input is a file to read, or standard input.
type input struct {
	name    string
	regular bool
	size    int64
	written time.Time // the last change of a regular file
	first   int64     // time of the first event, or 0 if unknown
}

// stdinName is the name of standard input.
const stdinName = "-"

// findInputs returns the files to read, sorted by name, and without duplicates. For a
// directory, it returns all regular files in it, and the regular files to which symbolic
// links in it point. problems has the names that cannot be read.
func findInputs(names []string) (inputs []*input, problems []Note) {
	seen := map[string]bool{}
	add := func(name string, info fs.FileInfo) {
		if target, err := filepath.EvalSymlinks(name); err == nil && info.Mode().IsRegular() {
			if abs, err := filepath.Abs(target); err == nil {
				if seen[abs] {
					return
				}
				seen[abs] = true
			}
		}
		in := &input{name: name, regular: info.Mode().IsRegular()}
		if in.regular {
			in.size, in.written = info.Size(), info.ModTime()
		}
		inputs = append(inputs, in)
	}
	fail := func(name string, err error) { problems = append(problems, Note{name, reasonOf(err)}) }
	for _, name := range names {
		if name == stdinName {
			if !seen[name] {
				seen[name] = true
				inputs = append(inputs, &input{name: name})
			}
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			fail(name, err)
		case !info.IsDir():
			add(name, info)
		default:
			walk(name, add, fail)
		}
	}
	slices.SortStableFunc(inputs, func(a, b *input) int { return cmp.Compare(a.name, b.name) })
	return inputs, problems
}

// walk calls add for each file of a directory. dir may be a link to a directory.
func walk(dir string, add func(string, fs.FileInfo), fail func(string, error)) {
	root := dir
	if !os.IsPathSeparator(dir[len(dir)-1]) {
		root += string(filepath.Separator) // WalkDir follows a link only with a separator at its end
	}
	// WalkDir returns no error, because the function always returns nil.
	_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			if name == root {
				name = dir
			}
			fail(name, err)
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		info, err := os.Stat(name) // describes the file that a link names
		switch {
		case err != nil:
			fail(name, err)
		case info.Mode().IsRegular():
			add(name, info)
		}
		return nil
	})
}

// reasonOf returns the text of err without the name of the file.
func reasonOf(err error) string {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Op + ": " + path.Err.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the compressed data is cut off"
	}
	return err.Error()
}

// These are limits for compressed files.
const (
	maxWindow = 128 << 20 // of zstd, as with zstd --long
	sniffed   = 8 << 10   // bytes that sniff reads
)

// errBinary and errUTF16 are the errors for files that are not text in UTF-8.
var (
	errBinary = errors.New("a binary file, not a log")
	errUTF16  = errors.New("a text in UTF-16; convert it with iconv -f UTF-16 -t UTF-8")
)

// decompressed returns the text in r. Call release after reading.
func decompressed(r io.Reader) (text io.Reader, release func(), err error) {
	release = func() {}
	raw := bufio.NewReaderSize(r, sniffed)
	head, err := raw.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, release, err
	}
	text = raw
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		text, err = gzip.NewReader(raw)
	case isZstandard(head):
		var d *zstd.Decoder
		d, err = zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err == nil {
			text, release = d, d.Close
		}
	default:
		return raw, release, sniff(raw)
	}
	if err != nil {
		return nil, release, err
	}
	b := bufio.NewReaderSize(text, 2*sniffed)
	return b, release, sniff(b)
}

// isZstandard reports whether compressed data begins with a frame of Zstandard, either a
// data frame or a skippable frame. pzstd writes skippable frames.
func isZstandard(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.HasPrefix(head[1:], []byte{0x2a, 0x4d, 0x18})
}

// sniff returns an error if r is binary or UTF-16. It skips zero bytes at the beginning of
// r. If reading r fails, sniff ignores the error, because a later read returns it.
func sniff(r *bufio.Reader) error {
	skipHole(r)
	head, _ := r.Peek(sniffed)
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return errUTF16
	case bytes.IndexByte(head, 0) >= 0:
		return errBinary
	}
	return nil
}

// skipHole skips the zero bytes at the beginning of r. A log has them if it was truncated
// and the program that logs continued at its old offset.
func skipHole(r *bufio.Reader) {
	for {
		if head, _ := r.Peek(1); len(head) == 0 || head[0] != 0 {
			return
		}
		zeros, _ := r.Peek(r.Buffered())
		_, _ = r.Discard(len(zeros) - len(bytes.TrimLeft(zeros, "\x00")))
	}
}

// service returns the name of the service, which it finds in the file's name. For a log
// of Kubernetes, this is the name of the container.
func (in *input) service() string {
	if in.name == stdinName {
		return ""
	}
	name := filepath.ToSlash(in.name)
	if m := podLog.FindStringSubmatch(name); m != nil {
		return cmp.Or(m[1], m[2])
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	for {
		short := endings.ReplaceAllString(base, "")
		if short == base || short == "" {
			return base
		}
		base = short
	}
}

var (
	// The names have these forms: /var/log/pods/NAMESPACE_POD_UID/CONTAINER/0.log
	// and /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log
	podLog = regexp.MustCompile(`/[^/_]+_[^/_]+_[^/_]+/([^/]+)/\d+\.log[^/]*$|/[^/_]+_[^/_]+_([^/_]+)-[0-9a-f]{64}\.log$`)
	// endings matches suffixes for compression, rotation, dates and types of files.
	endings = regexp.MustCompile(`(?i)[.\-_](gz|zst|zstd|log|logs|json|jsonl|ndjson|txt|out|err|stdout|stderr|error|errors|old|\d+|\d{4}[\-_]\d\d[\-_]\d\d([T_\-]\d[\d:\-]*)?)$`)
)
