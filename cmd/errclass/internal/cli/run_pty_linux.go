package cli

import "golang.org/x/sys/unix"

// These ioctl requests read and set the mode of a terminal.
const (
	getMode = unix.TCGETS
	setMode = unix.TCSETS
)

// foregroundGroup returns the process group in the foreground of a terminal.
func foregroundGroup(fd int) (int, error) {
	group, err := unix.IoctlGetUint32(fd, unix.TIOCGPGRP)
	return int(group), err
}
