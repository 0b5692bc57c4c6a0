/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls in a stopped process. One thread is taken for all calls of a stop; then it is put back as it
 * was: into the kernel's signal code, with its registers. Its signals are blocked meanwhile, so that no
 * handler starts with registers that are not the program's.
 *
 * What it was interrupted in goes on in one of two ways:
 *   - x86-64: the registers show the interrupted call (orig_ax, and ax -ERESTART…). They are restored, and
 *     the kernel looks at them when the thread goes on.
 *   - aarch64: when we see it, the thread stands at its system call instruction again, and only the kernel
 *     knows the result that it goes by (a signal makes it EINTR or not; a sleep goes on with
 *     restart_syscall()). Such a thread is first let to the beginning of its call, which is not made (its
 *     number then is what the kernel wants: perhaps restart_syscall), and at the end makes its call again
 *     while it is being interrupted: so it waits in the kernel as before.
 */
#include "inject/inject_impl.h"
#include "base/clock.h"
#include "base/count.h"
#include "machine/machine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define GETSIGMASK 0x420a		/* PTRACE_…, which C libraries do not all have */
#define PEEKSIGINFO 0x4209
#define SETSIGMASK 0x420b
#define RSEQ_CONFIGURATION 0x420f
enum { AT_CALL = SIGTRAP | 0x80 };

static uint64_t *word_of(struct dt_registers *r, int16_t at) { return &r->word[at / 8]; }

static int set_mask(pid_t tid, uint64_t mask)
{
	return ptrace(SETSIGMASK, tid, (void *)sizeof(mask), &mask) == 0 ? 0 : -errno;
}

/*
 * Signals of faults stay as they are: one that is forced on a thread that blocks it would lose its handler.
 */
static uint64_t most_signals(uint64_t old)
{
	static const uint8_t faults[] = { SIGSYS, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	uint64_t mask = ~0ull;

	for (unsigned i = 0; i < DT_COUNT(faults); i++)
		mask &= ~(1ull << (faults[i] - 1));
	return mask | old;
}

/* ---- running to the next stop ---- */

/*
 * A signal while our call runs: one of a fault is ours; SIGSTOP, the only one that cannot be blocked and does
 * not kill, is kept for the end; others that are sent to faults' numbers are sent again.
 */
static int odd_signal(struct dt_inject *in, pid_t tid, int sig)
{
	siginfo_t si = { 0 };

	if (sig == SIGSTOP) {
		in->victim.stop = true;
		return 0;
	}
	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &si) == 0 && si.si_code <= 0) {
		(void)set_mask(tid, most_signals(in->victim.mask) | 1ull << (sig - 1));
		(void)syscall(SYS_tgkill, in->pid, tid, sig);
		return -EINTR;
	}
	return sig == SIGSYS ? -EACCES : -EFAULT;
}

/* Runs to the beginning or to the end of a system call. */
static int run_to_call(struct dt_inject *in, uint64_t deadline)
{
	struct dt_inject_thread *t = in->victim.thread;
	int code, err;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, t->tid, NULL, NULL) != 0 && errno != ESRCH)
			return -errno;
		t->stopped = false;
		err = dt_inject_wait(in, t, deadline, &code);
		if (err != 0)
			return err;
		t->stopped = true;
		if (code == AT_CALL)
			return 0;
		if (code >> 8 == 0 && (err = odd_signal(in, t->tid, code)) != 0)
			return err;
		if (dt_clock_ns() >= deadline)
			return -ETIMEDOUT;
	}
}

/* ---- taking a thread ---- */

/* Its instruction at pc is a system call: it was interrupted in one, or is about to make one. */
static bool at_call(struct dt_inject *in, const struct dt_registers *r)
{
	const struct dt_machine *m = dt_machine_here();
	uint32_t insn = 0;

	return m->inject.cleared == DT_MACHINE_NOWHERE &&
	    dt_inject_read(in, r->word[m->regs.pc / 8], &insn, m->inject.insn_len) == 0 &&
	    insn == m->inject.insn;
}

/*
 * A restartable sequence (rseq) ends when its thread is stopped, and goes on at its abort handler. The kernel
 * forgets the sequence when it sees the thread elsewhere: so the thread is moved there here.
 */
static void leave_sequence(struct dt_inject *in, pid_t tid, struct dt_registers *r)
{
	struct { uint64_t pointer; uint32_t size, signature, flags, pad; } at = { 0 };
	struct { uint32_t version, flags; uint64_t start, len, abort; } cs;
	uint64_t *pc = word_of(r, dt_machine_here()->regs.pc), where = 0;

	if (ptrace(RSEQ_CONFIGURATION, tid, (void *)sizeof(at), &at) <= 0 || at.pointer == 0 ||
	    dt_inject_read(in, at.pointer + 8, &where, sizeof(where)) != 0 || where == 0 ||
	    dt_inject_read(in, where, &cs, sizeof(cs)) != 0)
		return;
	if (*pc - cs.start < cs.len)
		*pc = cs.abort;
}

/* Prefers a thread that is not in a system call: there is nothing to be made again. */
static struct dt_inject_thread *choose(struct dt_inject *in)
{
	const struct dt_machine *m = dt_machine_here();
	struct dt_inject_thread *any = NULL;
	struct dt_registers r;

	for (uint32_t i = 0; i < in->n && i < 16; i++) {
		struct dt_inject_thread *t = &in->thread[i];

		if (t->done || !t->stopped || dt_inject_getregs(t->tid, &r) != 0)
			continue;
		if (t->held || (m->inject.cleared == DT_MACHINE_NOWHERE ? !at_call(in, &r) :
		    (int64_t)*word_of(&r, m->inject.cleared) < 0))
			return t;
		if (any == NULL)
			any = t;
	}
	return any;
}

/* Without a vdso the instruction is written where the thread stands; all others stand still. */
static int find_insn(struct dt_inject *in)
{
	const struct dt_machine *m = dt_machine_here();
	struct dt_inject_victim *v = &in->victim;
	int err;

	dt_inject_find_vdso(in);
	v->at = dt_inject_vdso_insn(in);
	if (v->at != 0)
		return 0;
	v->at = *word_of(&v->saved, m->regs.pc);
	err = dt_inject_read(in, v->at, &v->word, m->inject.insn_len);
	if (err == 0)
		err = dt_inject_write(in, v->at, &m->inject.insn, m->inject.insn_len);
	v->poked = err == 0;
	return err;
}

/* Calls that change what the process is are never interrupted half way: the thread was about to make them. */
static bool may_repeat(uint64_t number)
{
	static const uint16_t never[] = {
		SYS_exit, SYS_exit_group, SYS_execve, SYS_execveat, SYS_clone, SYS_clone3, SYS_mmap,
		SYS_munmap, SYS_mremap, SYS_mprotect, SYS_rt_sigreturn,
	};

	for (unsigned i = 0; i < DT_COUNT(never); i++)
		if (number == never[i])
			return false;
	return true;
}

/* To the beginning of its own system call, which is then not made. */
static int skip_own_call(struct dt_inject *in)
{
	const struct dt_machine *m = dt_machine_here();
	struct dt_inject_victim *v = &in->victim;
	uint64_t deadline = dt_clock_ns() + DT_INJECT_LIMIT_NS;
	struct dt_registers r;
	int none = -1, err;
	struct iovec io = { &none, sizeof(none) };

	err = run_to_call(in, deadline);
	if (err != 0 || (err = dt_inject_getregs(v->thread->tid, &r)) != 0)
		return err;
	*word_of(&v->saved, m->inject.number) = *word_of(&r, m->inject.number);
	v->again = may_repeat(*word_of(&r, m->inject.number));
	if (ptrace(PTRACE_SETREGSET, v->thread->tid, (void *)(uintptr_t)m->inject.number_set, &io) != 0)
		return -errno;
	return run_to_call(in, deadline);
}

static int64_t call(struct dt_inject *in, long number, const uint64_t args[6]);

/* A page of our own, made by the first call: whoever is left alone there waits for the guardian. */
static int make_stub(struct dt_inject *in)
{
	const struct dt_machine *m = dt_machine_here();
	uint8_t code[8];
	int64_t at;

	memcpy(code, &m->inject.insn, m->inject.insn_len);
	memcpy(code + m->inject.insn_len, &m->inject.spin, m->inject.spin_len);
	at = call(in, SYS_mmap, (uint64_t[6]){ 0, (uint64_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, ~0ull, 0 });
	if (at < 0 && at > -4096)
		return (int)at;
	in->stub = (uint64_t)at;
	if (in->ptracer != 0)
		(void)call(in, SYS_prctl, (uint64_t[6]){ PR_SET_PTRACER, (uint64_t)in->ptracer });
	return dt_inject_write(in, in->stub, code, (size_t)m->inject.insn_len + m->inject.spin_len);
}

static int use_stub(struct dt_inject *in)
{
	struct dt_inject_victim *v = &in->victim;
	int err = in->rescue != NULL && in->stub == 0 ? make_stub(in) : 0;

	if (err != 0 || in->stub == 0)
		return err;
	v->at = in->stub;
	if (in->rescue != NULL) {
		in->rescue->saved = v->saved;
		in->rescue->mask = v->mask;
		in->rescue->stub = in->stub;
		__atomic_store_n(&in->rescue->tid, v->thread->tid, __ATOMIC_RELEASE);
	}
	return 0;
}

void dt_inject_drop_stub(struct dt_inject *in)
{
	if (in->stub == 0 || !in->stopped)
		return;
	if (in->ptracer != 0)
		(void)dt_inject_call(in, SYS_prctl, (uint64_t[6]){ PR_SET_PTRACER });
	(void)dt_inject_unmap(in, in->stub, (uint64_t)sysconf(_SC_PAGESIZE));
	dt_inject_put_back(in);
	in->stub = 0;
	if (in->rescue != NULL)
		in->rescue->stub = 0;
}

int dt_inject_rescue(struct dt_inject *in, const struct dt_inject_rescue *lost)
{
	const struct dt_machine *m = dt_machine_here();
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct dt_registers r;
	char msg[256];
	int err = dt_inject_stop(in, msg, sizeof(msg));

	if (err != 0)
		return err;
	for (uint32_t i = 0; i < in->n; i++) {
		struct dt_inject_thread *t = &in->thread[i];

		if (t->tid != lost->tid || dt_inject_getregs(t->tid, &r) != 0 ||
		    *word_of(&r, m->regs.pc) - lost->stub >= page)
			continue;
		(void)set_mask(t->tid, lost->mask);
		err = dt_inject_setregs(t->tid, &lost->saved);
	}
	in->stub = lost->stub;
	dt_inject_drop_stub(in);
	dt_inject_resume(in);
	return err;
}

static int take(struct dt_inject *in)
{
	const struct dt_machine *m = dt_machine_here();
	struct dt_inject_victim *v = &in->victim;
	bool own;
	int err;

	*v = (struct dt_inject_victim){ .thread = choose(in) };
	if (v->thread == NULL)
		return -ESRCH;
	err = dt_inject_getregs(v->thread->tid, &v->saved);
	if (err == 0 && v->saved.len < (size_t)m->regs.words * 8)
		err = -ENOEXEC;
	if (err == 0 && ptrace(GETSIGMASK, v->thread->tid, (void *)sizeof(v->mask), &v->mask) != 0)
		err = -errno;
	if (err != 0) {
		v->thread = NULL;
		return err;
	}
	err = dt_inject_look_at_filter(in, v->thread->tid);
	if (err != 0) {
		v->thread = NULL;
		return err;
	}
	own = !v->thread->held && at_call(in, &v->saved);
	if (!own) {
		leave_sequence(in, v->thread->tid, &v->saved);
		dt_inject_save_vectors(v);
	}
	err = set_mask(v->thread->tid, most_signals(v->mask));
	if (err == 0 && own)
		err = skip_own_call(in);
	if (err == 0)
		err = find_insn(in);
	return err != 0 ? err : use_stub(in);
}

/* ---- a call ---- */

/* A filter that answers by a signal: the call was not made, and the signal comes when the thread goes on. */
static bool was_trapped(struct dt_inject *in)
{
	struct { uint64_t off; uint32_t flags; int32_t n; } peek = { 0, 0, 32 };
	siginfo_t si[32];
	long n = in->filtered ? ptrace(PEEKSIGINFO, in->victim.thread->tid, &peek, si) : 0;

	for (long i = 0; i < n; i++)
		if (si[i].si_signo == SIGSYS && si[i].si_code > 0)
			return true;
	return false;
}

static int64_t call(struct dt_inject *in, long number, const uint64_t args[6])
{
	const struct dt_machine *m = dt_machine_here();
	struct dt_inject_victim *v = &in->victim;
	struct dt_registers r = v->saved;
	uint64_t deadline = dt_clock_ns() + DT_INJECT_LIMIT_NS;
	int err;

	if (in->filtered && !dt_inject_allowed(in, number, args, v->at + m->inject.insn_len))
		return -EACCES;
	*word_of(&r, m->regs.pc) = v->at;
	*word_of(&r, m->inject.number) = (uint64_t)number;
	*word_of(&r, m->regs.flags) &= ~m->inject.no_branch;
	if (m->inject.cleared != DT_MACHINE_NOWHERE)
		*word_of(&r, m->inject.cleared) = ~0ull;
	for (int i = 0; i < 6; i++)
		*word_of(&r, m->syscall.arg[i]) = args[i];
	err = dt_inject_setregs(v->thread->tid, &r);
	if (err != 0 || (err = run_to_call(in, deadline)) != 0 || (err = run_to_call(in, deadline)) != 0)
		return err;
	if (was_trapped(in) && (err = run_to_call(in, deadline)) != 0)
		return err;
	err = dt_inject_getregs(v->thread->tid, &r);
	return err != 0 ? err : (int64_t)*word_of(&r, m->regs.result);
}

int64_t dt_inject_call(struct dt_inject *in, long number, const uint64_t args[6])
{
	int64_t result;
	int tries = 8, err;

	if (!in->stopped)
		return -EINVAL;
	if (in->victim.thread == NULL && (err = take(in)) != 0) {
		dt_inject_put_back(in);
		return err;
	}
	do
		result = call(in, number, args);
	while (result == -EINTR && --tries > 0);
	return result;
}

void dt_inject_refused(const struct dt_inject *in, const char *what, int64_t err, char *msg, size_t len)
{
	if (err == -ESRCH)
		snprintf(msg, len, "it has ended");
	else if (err == -EACCES && in->opaque)
		snprintf(msg, len, "it has a filter of system calls (seccomp), which may kill it for %s: run "
		    "dtrace as root, which can read the filter, or with -x engine=kernel", what);
	else if ((err == -EACCES || err == -EPERM || err == -ENOSYS) && in->filtered)
		snprintf(msg, len, "its filter of system calls (seccomp) does not allow %s", what);
	else if (err == -EACCES || err == -EPERM)
		snprintf(msg, len, "a security module does not allow it to make %s", what);
	else
		snprintf(msg, len, "%s fails in it: %s", what, strerror(err < 0 ? (int)-err : 0));
}

/* ---- giving it back ---- */

/* Its own call again; being interrupted, it comes back to the kernel's signal code at once. */
static int repeat_own_call(struct dt_inject *in, uint64_t deadline)
{
	struct dt_inject_victim *v = &in->victim;
	int err = dt_inject_setregs(v->thread->tid, &v->saved);

	if (err == 0)
		err = run_to_call(in, deadline);
	return err;
}

static void interrupt(struct dt_inject *in, uint64_t deadline)
{
	struct dt_inject_victim *v = &in->victim;
	struct dt_inject_thread *t = v->thread;

	(void)ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	(void)set_mask(t->tid, v->mask);
	if (ptrace(PTRACE_CONT, t->tid, NULL, NULL) != 0)
		return;
	t->stopped = false;
	/* the kernel has taken the first register for the result of a call: it is set once more */
	if (dt_inject_settled(in, t, deadline) == 0 && !v->again)
		(void)dt_inject_setregs(t->tid, &v->saved);
}

void dt_inject_put_back(struct dt_inject *in)
{
	uint64_t deadline = dt_clock_ns() + DT_INJECT_LIMIT_NS;
	struct dt_inject_victim *v = &in->victim;
	struct dt_inject_thread *t = v->thread;

	if (t == NULL)
		return;
	if (v->poked)
		(void)dt_inject_write(in, v->at, &v->word, dt_machine_here()->inject.insn_len);
	if (!t->stopped)
		(void)ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	if (t->done || (!t->stopped && dt_inject_settled(in, t, deadline) != 0)) {
		v->thread = NULL;
		dt_inject_restore_vectors(v);
		return;
	}
	(void)dt_inject_setregs(t->tid, &v->saved);
	if (t->held) {
		(void)set_mask(t->tid, v->mask);
	} else {
		if (v->again && repeat_own_call(in, deadline) != 0)
			v->again = false;
		interrupt(in, deadline);
	}
	if (v->stop)
		(void)syscall(SYS_pidfd_send_signal, in->fd, SIGSTOP, NULL, 0);
	if (in->rescue != NULL)
		in->rescue->tid = 0;
	dt_inject_restore_vectors(v);
	v->thread = NULL;
}
