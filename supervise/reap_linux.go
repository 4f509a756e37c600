package supervise

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// isReaper reports whether this program becomes the parent of orphans. This is true
// for PID 1 and for a subreaper.
func isReaper() bool {
	if os.Getpid() == 1 {
		return true
	}
	var subreaper int32
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&subreaper)), 0, 0, 0)
	return err == nil && subreaper != 0
}

// reap reaps the orphans of the group. Only cmd.Wait reaps the group's first process. The
// channel exited is closed when cmd.Wait has returned. reap returns when no member of the
// group is a child of this program.
func (g *group) reap(exited <-chan struct{}) {
	for {
		pid, err := waitForEnd(g.id)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // ECHILD
			return
		case pid == g.id:
			select {
			case <-exited:
				return // another process has the id now
			default:
				<-exited
			}
		default:
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
}

// pidOffset is the offset of si_pid in siginfo_t. si_pid follows three ints, aligned
// like a pointer.
const pidOffset = (3*4 + unsafe.Sizeof(uintptr(0)) - 1) &^ (unsafe.Sizeof(uintptr(0)) - 1)

// waitForEnd waits until a child in the group has ended, and returns its pid. The
// child stays a zombie.
func waitForEnd(group int) (pid int, err error) {
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PGID, group, &info, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		return 0, err
	}
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), pidOffset))), nil
}
