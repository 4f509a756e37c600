package supervise

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
)

// input copies the caller's reader to a child's standard input. os/exec does not do the
// copying, because Wait would then block as long as the reader blocks.
type input struct {
	from io.Reader // nil if there is nothing to copy
	to   io.WriteCloser
	err  atomic.Pointer[error] // the reader's error
}

func connectInput(cmd *exec.Cmd, from io.Reader) (*input, error) {
	if f, ok := from.(*os.File); ok || from == nil {
		if f != nil {
			cmd.Stdin = f
		}
		return &input{}, nil
	}
	to, err := cmd.StdinPipe()
	return &input{from: from, to: to}, err
}

func (in *input) copy() {
	if in.from == nil {
		return
	}
	go func() {
		defer in.close()
		from := &errReader{from: in.from}
		_, _ = io.Copy(in.to, from) // a write error is ignored: the child need not read everything
		if from.err != nil {
			err := fmt.Errorf("standard input: %w", from.err)
			in.err.Store(&err)
		}
	}()
}

// errReader reads from another reader and keeps the error.
type errReader struct {
	from io.Reader
	err  error
}

func (r *errReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

func (in *input) close() {
	if in.to != nil {
		_ = in.to.Close() // ends the child's input
	}
}

// readError returns the error of the caller's reader, or nil.
func (in *input) readError() error {
	if err := in.err.Load(); err != nil {
		return *err
	}
	return nil
}
