//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/errclass/errclass/supervise"
)

const ptySupported = true

// defaultSize is the size of the command's terminal if this program has no terminal.
var defaultSize = pty.Winsize{Rows: 24, Cols: 80}

// openTerminal opens a terminal for the command and sets it up like this program's own
// terminal. After the run, call restore, which ends the raw mode of standard input.
func openTerminal(s Streams) (t *supervise.Terminal, restore func(), err error) {
	master, child, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	undo, err := setUp(s, master, child)
	restore = func() {
		for _, f := range undo {
			f()
		}
	}
	if err != nil {
		restore()
		_, _ = master.Close(), child.Close()
		return nil, nil, err
	}
	return &supervise.Terminal{Master: master, Child: child}, restore, nil
}

// setUp prepares the new terminal. After the run, or after an error, call all
// functions in undo.
func setUp(s Streams, master, child *os.File) (undo []func(), err error) {
	size := &defaultSize
	if own := ownTerminal(s); own != nil {
		if got, err := pty.GetsizeFull(own); err == nil && got.Rows > 0 && got.Cols > 0 {
			size = got
		}
		conn, err := master.SyscallConn()
		if err != nil {
			return nil, err
		}
		undo = append(undo, followSize(own, conn))
	}
	if err := pty.Setsize(master, size); err != nil {
		return undo, err
	}
	in, isFile := s.In.(*os.File)
	if !isFile || !isTerminal(in) {
		return undo, forPipe(child)
	}
	fd := int(in.Fd())
	mode, err := term.GetState(fd)
	if err != nil {
		return undo, err
	}
	if err := term.Restore(int(child.Fd()), mode); err != nil { // sets the mode of the new terminal
		return undo, err
	}
	if _, err := term.MakeRaw(fd); err != nil {
		return undo, err
	}
	return append(undo, func() { _ = term.Restore(fd, mode) }), nil
}

// ownTerminal returns the first standard stream that is a terminal, or nil.
func ownTerminal(s Streams) *os.File {
	for _, one := range []any{s.In, s.Out, s.Err} {
		if f, ok := one.(*os.File); ok && isTerminal(f) {
			return f
		}
	}
	return nil
}

// followSize copies each new size of this program's own terminal to the command's
// terminal, until stop is called.
func followSize(own *os.File, child syscall.RawConn) (stop func()) {
	changed, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		for {
			select {
			case <-changed:
				if size, err := pty.GetsizeFull(own); err == nil {
					ws := unix.Winsize{Row: size.Rows, Col: size.Cols, Xpixel: size.X, Ypixel: size.Y}
					_ = child.Control(func(fd uintptr) { _ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &ws) })
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(changed)
		close(done)
	}
}

// forPipe prepares a terminal for input from a pipe. It turns off the echo, so that
// input does not appear in the output. It turns off most control keys too, so that
// their bytes reach the command.
func forPipe(f *os.File) error {
	mode, err := unix.IoctlGetTermios(int(f.Fd()), getMode)
	if err != nil {
		return err
	}
	mode.Lflag &^= unix.ECHO | unix.ISIG | unix.IEXTEN
	mode.Iflag &^= unix.IXON
	return unix.IoctlSetTermios(int(f.Fd()), setMode, mode)
}
