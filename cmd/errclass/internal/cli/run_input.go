package cli

import (
	"io"
	"os"
	"sync"

	"github.com/errclass/errclass/internal/nonblock"
)

// maxReplay limits how many bytes from a pipe are kept for the next run.
const maxReplay = 16 << 20

// runInput provides the standard input for each run. At most one of the fields direct,
// file and replay is set.
type runInput struct {
	direct io.Reader // used if there is only one run
	file   *os.File  // read again from start
	start  int64
	replay *replayBuffer // used for a pipe
	live   bool          // replay reads a terminal, and each run gets only new input
}

// newRunInput returns the input for one run or, if repeated is true, for several runs.
// If pty is true, the command runs in a terminal of its own.
func newRunInput(in io.Reader, repeated, pty bool) *runInput {
	f, isFile := in.(*os.File)
	if pty && repeated && isFile && isTerminal(f) {
		return &runInput{replay: newReplayBuffer(terminalReader(f)), live: true}
	}
	switch {
	case isFile && isTerminal(f):
		// The command is a background process, and the kernel stops a background process
		// that reads a terminal. So the command gets a pipe.
		in = nonblock.Reader{R: terminalReader(f)}
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
	return &runInput{replay: newReplayBuffer(in)}
}

// next returns the input for the next run.
func (r *runInput) next() (io.Reader, error) {
	switch {
	case r.file != nil:
		_, err := r.file.Seek(r.start, io.SeekStart)
		return r.file, err
	case r.live:
		return r.replay.liveReader(), nil
	case r.replay != nil:
		return r.replay.reader(), nil
	default:
		return r.direct, nil
	}
}

// copied reports whether this program might have copied input to the command.
func (r *runInput) copied() bool {
	if r.replay != nil {
		return r.replay.started()
	}
	_, isFile := r.direct.(*os.File)
	return r.direct != nil && !isFile
}

// replayable reports whether the next run can get all of its input.
func (r *runInput) replayable() bool { return r.replay == nil || r.live || !r.replay.lost() }

// replayBuffer lets several readers in turn read a source from its beginning. A
// reader may be abandoned while it is blocked.
type replayBuffer struct {
	source io.Reader

	mu       sync.Mutex
	changed  *sync.Cond // data or err has changed
	data     []byte     // all bytes read from source
	err      error      // error of source
	reading  bool       // a reader is blocked in a read of source
	overflow bool       // data was discarded; readers read from source directly
}

func newReplayBuffer(source io.Reader) *replayBuffer {
	b := &replayBuffer{source: nonblock.Reader{R: source}}
	b.changed = sync.NewCond(&b.mu)
	return b
}

// lost reports whether bytes were discarded because the buffer was full.
func (b *replayBuffer) lost() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.overflow
}

// started reports whether any byte was read.
func (b *replayBuffer) started() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.overflow || len(b.data) > 0
}

func (b *replayBuffer) reader() io.Reader { return &replayReader{buffer: b} }

// liveReader returns a reader that skips the input that was already read.
func (b *replayBuffer) liveReader() io.Reader {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &replayReader{buffer: b, offset: len(b.data)}
}

type replayReader struct {
	buffer *replayBuffer
	offset int // index into data
}

func (r *replayReader) Read(p []byte) (int, error) {
	b := r.buffer
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		switch {
		case r.offset < len(b.data):
			n := copy(p, b.data[r.offset:])
			r.offset += n
			return n, nil
		case b.err != nil:
			return 0, b.err
		case b.reading:
			b.changed.Wait()
			continue
		}
		b.reading = true
		b.mu.Unlock()
		n, err := b.source.Read(p)
		b.mu.Lock()
		b.reading = false
		b.err = err
		b.changed.Broadcast()
		if b.overflow || len(b.data)+n > maxReplay {
			b.overflow, b.data, r.offset = true, nil, 0
			return n, err
		}
		b.data = append(b.data, p[:n]...)
	}
}
