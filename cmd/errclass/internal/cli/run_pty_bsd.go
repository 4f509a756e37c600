//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package cli

import "golang.org/x/sys/unix"

// The requests of noEcho.
const (
	getMode = unix.TIOCGETA
	setMode = unix.TIOCSETA
)
