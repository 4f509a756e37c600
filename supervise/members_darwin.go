package supervise

import "golang.org/x/sys/unix"

// zombie is the process state SZOMB of sys/proc.h.
const zombie = 5

// anyRunning reports whether a member of the group still runs. A zombie does not
// count. On an error, it returns true.
func (g *group) anyRunning() bool {
	members, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", g.id)
	if err != nil {
		return true
	}
	for _, m := range members {
		if m.Proc.P_stat != zombie {
			return true
		}
	}
	return false
}
