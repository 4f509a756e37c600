package cli

import "golang.org/x/sys/unix"

// The requests of noEcho.
const (
	getMode = unix.TCGETS
	setMode = unix.TCSETS
)
