package cli

import (
	"io"
	"os"
	"sync"
)

// maxKept is how much of a pipe is kept for the next run.
const maxKept = 16 << 20

// runInput gives each run of a command its standard input.
type runInput struct {
	direct io.Reader // the same for every run
	file   *os.File  // a file, read again from start
	start  int64
	kept   *kept // a pipe, replayed
}

func newRunInput(in io.Reader, repeated bool) *runInput {
	f, isFile := in.(*os.File)
	switch {
	case isFile && isTerminal(f):
		// A process that reads a terminal from the background is stopped: it gets
		// a pipe, and this program reads.
		in = struct{ io.Reader }{f}
	case isFile && repeated:
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			if start, err := f.Seek(0, io.SeekCurrent); err == nil {
				return &runInput{file: f, start: start}
			}
		}
	}
	if !repeated || in == nil {
		return &runInput{direct: in}
	}
	return &runInput{kept: newKept(in)}
}

// next is the input of the next run.
func (r *runInput) next() (io.Reader, error) {
	switch {
	case r.file != nil:
		_, err := r.file.Seek(r.start, io.SeekStart)
		return r.file, err
	case r.kept != nil:
		return r.kept.reader(), nil
	default:
		return r.direct, nil
	}
}

// copied reports whether this program may have copied input to the command, which
// has no file of its own to read from.
func (r *runInput) copied() bool {
	if r.kept != nil {
		return r.kept.begun()
	}
	_, isFile := r.direct.(*os.File)
	return r.direct != nil && !isFile
}

// replayable reports whether the next run will read what the last one did.
func (r *runInput) replayable() bool { return r.kept == nil || !r.kept.lost() }

// kept is an input that several readers read from its beginning, one after the
// other. A reader that was given up may still wait for the source; what it gets
// then is the next one's.
type kept struct {
	from io.Reader

	mu      sync.Mutex
	came    *sync.Cond // data or err has changed
	data    []byte     // all that was read
	err     error      // of the source
	reading bool       // one reader waits for the source
	tooMuch bool       // data was given up; who reads now reads from the source
}

func newKept(from io.Reader) *kept {
	k := &kept{from: from}
	k.came = sync.NewCond(&k.mu)
	return k
}

func (k *kept) lost() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.tooMuch
}

// begun reports whether anything was read.
func (k *kept) begun() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.tooMuch || len(k.data) > 0
}

func (k *kept) reader() io.Reader { return &keptReader{k: k} }

type keptReader struct {
	k    *kept
	done int // of data
}

func (r *keptReader) Read(p []byte) (int, error) {
	k := r.k
	k.mu.Lock()
	defer k.mu.Unlock()
	for {
		switch {
		case r.done < len(k.data):
			n := copy(p, k.data[r.done:])
			r.done += n
			return n, nil
		case k.err != nil:
			return 0, k.err
		case k.reading:
			k.came.Wait()
			continue
		}
		k.reading = true
		k.mu.Unlock()
		n, err := k.from.Read(p)
		k.mu.Lock()
		k.reading = false
		k.err = err
		k.came.Broadcast()
		if k.tooMuch || len(k.data)+n > maxKept {
			k.tooMuch, k.data, r.done = true, nil, 0
			return n, err
		}
		k.data = append(k.data, p[:n]...)
	}
}
