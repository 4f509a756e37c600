package supervise

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
)

// input is what a child reads from: a reader of the caller's that has to be
// copied. os/exec could do that, but its Wait waits for the reader too, which may
// be a person.
type input struct {
	from io.Reader // nil = nothing to copy
	to   io.WriteCloser
	err  atomic.Pointer[error] // of the reader
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
		from := &remembering{from: in.from}
		_, _ = io.Copy(in.to, from) // a child that does not read to the end is in its right
		if from.err != nil {
			err := fmt.Errorf("standard input: %w", from.err)
			in.err.Store(&err)
		}
	}()
}

// remembering is a reader that remembers how it failed.
type remembering struct {
	from io.Reader
	err  error
}

func (r *remembering) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

func (in *input) close() {
	if in.to != nil {
		_ = in.to.Close() // the child has gone, or will see the end of its input
	}
}

// failed is the reader's error: the child took its input for complete, and it
// was not.
func (in *input) failed() error {
	if err := in.err.Load(); err != nil {
		return *err
	}
	return nil
}
