package supervise

import (
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object: processes that a member starts are members. What the
// first process starts before it was made a member, a matter of microseconds,
// is none.
type group struct {
	id  int
	mu  sync.Mutex
	job windows.Handle // 0 = none could be made, or it was given back
	cmd *exec.Cmd
}

func startGroup(cmd *exec.Cmd) (*group, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP // CTRL_BREAK goes to it alone
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &group{id: cmd.Process.Pid, cmd: cmd}
	if job, err := windows.CreateJobObject(nil, nil); err == nil {
		if assign(job, g.id) == nil {
			g.job = job
		} else {
			_ = windows.CloseHandle(job) // without a job, kill ends the first process alone
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

// terminate asks all to end, as far as Windows can: programs of the same
// console get CTRL_BREAK, whose default is to end them.
func (g *group) terminate() {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.id)) // without a console nobody is asked, and kill follows
}

func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 || windows.TerminateJobObject(g.job, 1) != nil {
		_ = g.cmd.Process.Kill() // it has ended already
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

// release gives the job object back. Its members go on.
func (g *group) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}
