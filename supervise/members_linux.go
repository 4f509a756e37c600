package supervise

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// anyRunning reports whether a member of the group still runs. A zombie does not
// count. If /proc cannot be read, it returns true.
func (g *group) anyRunning() bool {
	if g.running != 0 && g.isRunning(g.running) {
		return true
	}
	all, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, entry := range all {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && g.isRunning(pid) {
			g.running = pid
			return true
		}
	}
	_, err = os.Stat("/proc/self/stat")
	return err != nil // not mounted
}

// These are indexes of fields after the command name in /proc/PID/stat.
const (
	statState   = 0
	statGroup   = 2
	statThreads = 17
)

// isRunning reports whether pid is a running member of the group. A zombie does not
// count.
func (g *group) isRunning(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= statThreads || string(fields[statGroup]) != strconv.Itoa(g.id) {
		return false
	}
	switch fields[statState][0] {
	case 'Z': // the first thread has ended; other threads may still run
		return string(fields[statThreads]) != "1"
	case 'X', 'x':
		return false
	}
	return true
}
