/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Catches a program that a thread is about to execute, or a child that it is about to make, before the first
 * instruction. The thread is traced from a moment before until its system call has ended, and not longer;
 * signals are passed on meanwhile. Other children and threads that begin in that time are let go at once.
 */
#include "inject/inject_impl.h"
#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SYSCALL_INFO 0x420e		/* PTRACE_GET_SYSCALL_INFO, which C libraries do not all have */
#define LIMIT_NS 5000000000ull
enum { RESTART_FIRST = 512, RESTART_LAST = 516 };
enum { OP_ENTRY = 1, OP_EXIT = 2, SLEEP_NS = 50000, SLEEP_MOST_NS = 1000000 };

struct syscall_info {
	uint8_t op, pad[3];
	uint32_t arch;
	uint64_t ip, sp;
	union {
		struct { uint64_t number, arg[6]; } entry;
		struct { int64_t result; uint8_t is_error; } exit;
	} u;
};

/* ---- waiting ---- */

/* The status of a child of ours is for the code that started it. */
static bool is_ours(pid_t pid)
{
	struct dt_inject_status s;

	return dt_inject_status(pid, pid, &s) == 0 && s.parent == (uint32_t)getpid();
}

/* 1: it has stopped, and *code says why; 0: not yet; -ESRCH */
static int look(pid_t tid, bool ours, int *code)
{
	siginfo_t si = { 0 };

	if (waitid(P_PID, (id_t)tid, &si, WSTOPPED | WNOHANG | __WALL | (ours ? 0 : WEXITED)) != 0)
		return errno == EINTR ? 0 : -ESRCH;
	if (si.si_pid == 0)
		return ours && kill(tid, 0) != 0 ? -ESRCH : 0;
	if (si.si_code != CLD_TRAPPED && si.si_code != CLD_STOPPED)
		return -ESRCH;
	*code = si.si_status;
	return 1;
}

/*
 * A thread that executes a program becomes the first one of its process, whose number it then has. 0; -ESRCH;
 * -ETIMEDOUT
 */
static int wait_for(struct dt_inject_catch *c, uint64_t deadline, int *code)
{
	struct timespec wait = { 0, SLEEP_NS };

	for (;;) {
		int got = look(c->tid, c->ours && c->tid == c->pid, code), first = 0;

		if (got != 1 && c->tid != c->pid && (first = look(c->pid, c->ours, code)) == 1) {
			c->tid = c->pid;
			return 0;
		}
		if (got == 1)
			return 0;
		if (got < 0 && (c->tid == c->pid || syscall(SYS_tgkill, c->pid, c->pid, 0) != 0))
			return got;
		if (dt_clock_ns() > deadline)
			return -ETIMEDOUT;
		nanosleep(&wait, NULL);
		wait.tv_nsec = wait.tv_nsec < SLEEP_MOST_NS ? wait.tv_nsec * 2 : wait.tv_nsec;
	}
}

void dt_inject_let_go(uint32_t pid) { (void)ptrace(PTRACE_DETACH, (pid_t)pid, NULL, NULL); }

/* It may run: then it is stopped first. */
static void give_up(struct dt_inject_catch *c)
{
	uint64_t deadline = dt_clock_ns() + DT_INJECT_LIMIT_NS;
	int code, sig = 0;

	if (ptrace(PTRACE_INTERRUPT, c->tid, NULL, NULL) == 0 && wait_for(c, deadline, &code) == 0)
		sig = code >> 8 == 0 && (code & 0x80) == 0 ? code : 0;
	(void)ptrace(PTRACE_DETACH, c->tid, NULL, (void *)(intptr_t)sig);
}

/* ---- before ---- */

int dt_inject_catch(struct dt_inject_catch *c, uint32_t pid, uint32_t tid)
{
	uintptr_t options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
	    PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	uint64_t deadline = dt_clock_ns() + DT_INJECT_LIMIT_NS;
	struct dt_inject_status s;
	int code, err;

	*c = (struct dt_inject_catch){ .pid = (int)pid, .tid = (int)tid };
	if (dt_inject_status(c->pid, c->tid, &s) != 0)
		return -ESRCH;
	c->ours = is_ours(c->pid);
	if (ptrace(PTRACE_SEIZE, c->tid, NULL, (void *)options) != 0)
		return -errno;
	(void)ptrace(PTRACE_INTERRUPT, c->tid, NULL, NULL);
	do {
		err = wait_for(c, deadline, &code);
		if (err == 0 && code >> 8 != PTRACE_EVENT_STOP)
			(void)ptrace(PTRACE_CONT, c->tid, NULL, (void *)(intptr_t)(code & 0x7f));
	} while (err == 0 && code >> 8 != PTRACE_EVENT_STOP);
	if (err == -ETIMEDOUT)
		give_up(c);
	return err;
}

/* ---- until it has come ---- */

/* A child stands still before its first instruction. */
static int first_stop(pid_t child)
{
	struct dt_inject_catch c = { .pid = child, .tid = child };
	int code;

	return wait_for(&c, dt_clock_ns() + DT_INJECT_LIMIT_NS, &code);
}

static pid_t new_one(pid_t tid)
{
	unsigned long child = 0;

	return ptrace(PTRACE_GETEVENTMSG, tid, NULL, &child) == 0 ? (pid_t)child : 0;
}

static bool brings(uint64_t number, bool exec)
{
	switch (number) {
	case SYS_execve: case SYS_execveat: return exec;
#ifdef SYS_fork
	case SYS_fork: return !exec;
#endif
	case SYS_clone: case SYS_clone3: return !exec;
	default: return false;
	}
}

/* The call that was waited for has failed. */
static bool has_failed(struct dt_inject_catch *c, bool exec)
{
	struct syscall_info i;

	memset(&i, 0, sizeof(i));
	if (ptrace((enum __ptrace_request)SYSCALL_INFO, c->tid, (void *)sizeof(i), &i) <= 0)
		return true;		/* before Linux 5.3: unknown, so do not wait */
	if (i.op == OP_ENTRY)
		c->begun = brings(i.u.entry.number, exec);
	if (i.op != OP_EXIT || !c->begun || !i.u.exit.is_error)
		return false;
	/* fork() gives way to signals: the kernel makes it again, after a handler too */
	return i.u.exit.result > -RESTART_FIRST || i.u.exit.result < -RESTART_LAST;
}

/* 1: it has come; 0: go on, with *sig; -ECANCELED */
static int take_stop(struct dt_inject_catch *c, bool exec, int code, int *sig)
{
	int event = code >> 8;
	pid_t child;

	*sig = 0;
	if (event == PTRACE_EVENT_EXEC)
		return exec ? 1 : -ECANCELED;
	if (event == PTRACE_EVENT_STOP)
		return -ECANCELED;	/* it is stopped by a signal: that must stay so */
	if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
		child = new_one(c->tid);
		if (child <= 0 || first_stop(child) != 0)
			return 0;
		if (!exec && event == PTRACE_EVENT_FORK) {
			c->child = child;
			return 1;
		}
		dt_inject_let_go((uint32_t)child);
		return 0;
	}
	if (code == (SIGTRAP | 0x80))
		return has_failed(c, exec) ? -ECANCELED : 0;
	*sig = event == 0 ? code : 0;
	return 0;
}

static int run(struct dt_inject_catch *c, bool exec)
{
	uint64_t deadline = dt_clock_ns() + LIMIT_NS;
	int code, sig = 0, got = 0;

	while (got == 0) {
		if (ptrace(PTRACE_SYSCALL, c->tid, NULL, (void *)(intptr_t)sig) != 0)
			return -ESRCH;
		got = wait_for(c, deadline, &code);
		if (got == -ETIMEDOUT)
			give_up(c);
		if (got == 0)
			got = take_stop(c, exec, code, &sig);
		if (got == -ECANCELED)
			dt_inject_let_go((uint32_t)c->tid);
	}
	return got < 0 ? got : 0;
}

/* From inside of the call, where none of ours can be made, to its end. */
static int leave_call(struct dt_inject_catch *c)
{
	uint64_t deadline = dt_clock_ns() + DT_INJECT_LIMIT_NS;
	int code, sig = 0, err;

	do {
		(void)ptrace(PTRACE_INTERRUPT, c->tid, NULL, NULL);
		if (ptrace(PTRACE_CONT, c->tid, NULL, (void *)(intptr_t)sig) != 0)
			return -ESRCH;
		err = wait_for(c, deadline, &code);
		sig = err == 0 && code >> 8 == 0 ? code & 0x7f : 0;
	} while (err == 0 && code >> 8 != PTRACE_EVENT_STOP);
	if (err == -ETIMEDOUT)
		give_up(c);
	return err;
}

int dt_inject_until_exec(struct dt_inject_catch *c)
{
	int err = run(c, true);

	return err == 0 ? leave_call(c) : err;
}

int dt_inject_until_fork(struct dt_inject_catch *c) { return run(c, false); }
