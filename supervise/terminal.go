package supervise

import (
	"io"
	"os"
	"os/exec"
	"strings"
)

// Terminal is a pseudo-terminal for one run of a child. Open it with a library such
// as github.com/creack/pty. The caller sets the mode and the size. [Run] closes both
// files when the child has ended. A child that redirects its output does not hang up
// the terminal, because Run keeps Child open until then.
//
// Child becomes the standard input, output and error of the child process. It also
// becomes the controlling terminal of a new session. [Command].Stdout and the classifier
// get standard output and standard error together. The text has the line ends and escape
// sequences of a terminal. [Command].Stderr gets nothing.
//
// Run copies [Command].Stdin to Master. At the end of Stdin, Run sends Ctrl-D. The
// child reads Ctrl-D as the end of file.
type Terminal struct {
	Master *os.File // this side
	Child  *os.File // the child's side
}

// close closes both sides. t may be nil.
func (t *Terminal) close() {
	if t != nil {
		_, _ = t.Master.Close(), t.Child.Close()
	}
}

// connectTerminal connects the child to its terminal.
func (r *execution) connectTerminal(cmd *exec.Cmd) error {
	t := r.command.Terminal
	r.outputs.all = append(r.outputs.all, &output{
		name: "the terminal", from: t.Master, childEnd: t.Child, terminal: true, to: tee(io.MultiWriter(&r.tail, &r.stream), r.command.Stdout),
		activity: &r.outputs.activity, done: make(chan struct{}),
	})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.Child, t.Child, t.Child
	return useTerminal(cmd)
}

// connectInput returns an input that copies a reader to the terminal. nil means an
// empty input.
func (t *Terminal) connectInput(from io.Reader) *input {
	if from == nil {
		from = strings.NewReader("")
	}
	return &input{from: from, to: &typist{master: t.Master, lineEnd: true}}
}

// endOfFile is Ctrl-D, the VEOF character of a terminal.
const endOfFile = 0x04

// typist writes the input of a child to its terminal.
type typist struct {
	master  *os.File
	lineEnd bool // the last byte written was a line feed, or nothing was written yet
}

func (t *typist) Write(p []byte) (int, error) {
	n, err := t.master.Write(p)
	if n > 0 {
		t.lineEnd = p[n-1] == '\n'
	}
	return n, err
}

// Close sends Ctrl-D. After an unfinished line, the first Ctrl-D only passes the
// line on, so Close sends two.
func (t *typist) Close() error {
	end := []byte{endOfFile, endOfFile}
	if t.lineEnd {
		end = end[:1]
	}
	_, err := t.master.Write(end)
	return err
}
