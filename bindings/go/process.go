// SPDX-License-Identifier: BSD-2-Clause

package dtrace

/*
#include <dtrace.h>
*/
import "C"

import (
	"errors"
	"runtime"
	"syscall"
)

// Process is a process that the tracer started and holds until Go, or one that it grabbed. The first one is $target.
type Process struct {
	t   *Tracer
	p   *C.struct_ps_prochandle
	pid int
}

// Spawn starts a command and holds it before it runs. It is ended with the tracer.
func (t *Tracer) Spawn(command ...string) (*Process, error) {
	if len(command) == 0 {
		return nil, errors.New("dtrace: Spawn needs a command")
	}
	list, free, err := argv(command)
	if err != nil {
		return nil, err
	}
	defer free()
	return t.take(func() *C.struct_ps_prochandle { return C.dtrace_proc_create(t.h, *list, list) })
}

// Grab takes a process that runs already.
func (t *Tracer) Grab(pid int) (*Process, error) {
	return t.take(func() *C.struct_ps_prochandle { return C.dtrace_proc_grab(t.h, C.pid_t(pid), 0) })
}

// keep calls f in the tracer's own thread: only the thread that started a process can let it run, and the process ends with
// that thread, while goroutines change theirs. t.mu is held.
func (t *Tracer) keep(f func()) {
	if t.keeper == nil {
		work := make(chan func())
		t.keeper = work
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
			for f := range work {
				f()
			}
		}()
	}
	done := make(chan struct{})
	t.keeper <- func() {
		defer close(done)
		f()
	}
	<-done
}

func (t *Tracer) take(get func() *C.struct_ps_prochandle) (*Process, error) {
	if err := t.lock(); err != nil {
		return nil, err
	}
	defer t.mu.Unlock()
	p := &Process{t: t}
	t.keep(func() { p.p = get() })
	if p.p == nil {
		return nil, t.failed()
	}
	p.pid = int(C.dtrace_proc_getpid(t.h, p.p))
	t.procs = append(t.procs, p)
	return p, nil
}

// Pid is the number of the process.
func (p *Process) Pid() int { return p.pid }

// Status is false while the process runs, and then how it ended; 0 for a process that was grabbed.
func (p *Process) Status() (syscall.WaitStatus, bool, error) {
	if err := p.t.lock(); err != nil {
		return 0, false, err
	}
	defer p.t.mu.Unlock()
	var status C.int
	gone := C.dtrace_proc_gone(p.t.h, p.p, &status) == 1
	return syscall.WaitStatus(status), gone, nil
}

// processesGone tells whether there were processes and all of them have ended. t.mu is held.
func (t *Tracer) processesGone() bool {
	for _, p := range t.procs {
		if C.dtrace_proc_gone(t.h, p.p, nil) != 1 {
			return false
		}
	}
	return len(t.procs) > 0
}
