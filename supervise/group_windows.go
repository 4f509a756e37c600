package supervise

import (
	"errors"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// useTerminal returns an error.
func useTerminal(*exec.Cmd) error {
	return errors.New("a child with a terminal is not supported on Windows: use WSL, or run the command without a terminal")
}

// group is a job object. Its members are the child and the processes that members
// start. A process that the child starts in its first microseconds is not a member.
type group struct {
	id  int
	mu  sync.Mutex
	job windows.Handle // 0 if it could not be created or was closed
	cmd *exec.Cmd
}

func startGroup(cmd *exec.Cmd) (*group, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP // CTRL_BREAK reaches only this group
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &group{id: cmd.Process.Pid, cmd: cmd}
	if job, err := windows.CreateJobObject(nil, nil); err == nil {
		if setKillOnClose(job, true) == nil && assign(job, g.id) == nil {
			g.job = job
		} else {
			_ = windows.CloseHandle(job) // without a job, kill ends only the child
		}
	}
	return g, nil
}

func assign(job windows.Handle, pid int) error {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(p) }()
	return windows.AssignProcessToJobObject(job, p)
}

// terminate sends CTRL_BREAK to the members that share the console.
func (g *group) terminate() {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.id)) // fails without a console; kill follows
}

func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 || windows.TerminateJobObject(g.job, 1) != nil {
		_ = g.cmd.Process.Kill() // may have ended already
	}
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION of winnt.h.
type accounting struct {
	userTime, kernelTime, periodUserTime, periodKernelTime int64
	pageFaults, processes, active, terminated              uint32
}

const basicAccounting = 1 // JobObjectBasicAccountingInformation

func (g *group) alive() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 {
		return false
	}
	var info accounting
	err := windows.QueryInformationJobObject(g.job, basicAccounting, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.active > 0
}

// setKillOnClose sets whether the system ends the members when this program ends.
func setKillOnClose(job windows.Handle, on bool) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if on {
		info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	}
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

// release closes the job object. Its members keep running.
func (g *group) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = setKillOnClose(g.job, false)
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}
