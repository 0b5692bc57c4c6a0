/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops all threads of a process and lets them run again. A thread that is stopped stands in the kernel's
 * signal code (PTRACE_EVENT_STOP), where an interrupted system call has been prepared to go on: when it is
 * detached from there, it does what it would have done without us. Waiting is asking again and again: the
 * kernel has no wait with a time limit, and a library has no timer signals of its own.
 */
#include "inject/inject_impl.h"
#include "base/clock.h"
#include "file/elf.h"
#include "machine/machine.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SPINS = 200, SLEEP_MIN_NS = 20000, SLEEP_MAX_NS = 1000000, LONG_YIELD_NS = 200000 };

/* ---- registers ---- */

static int regset(int request, pid_t tid, unsigned long set, void *words, size_t *len)
{
	struct iovec io = { words, *len };

	if (ptrace(request, tid, (void *)set, &io) != 0)
		return -errno;
	*len = io.iov_len;
	return 0;
}

int dt_inject_getregs(pid_t tid, struct dt_registers *r)
{
	r->len = sizeof(r->word);
	return regset(PTRACE_GETREGSET, tid, NT_PRSTATUS, r->word, &r->len);
}

int dt_inject_setregs(pid_t tid, const struct dt_registers *r)
{
	size_t len = r->len;

	return regset(PTRACE_SETREGSET, tid, NT_PRSTATUS, (void *)(uintptr_t)r->word, &len);
}

uint64_t dt_inject_tls(pid_t tid, const struct dt_registers *r)
{
	const struct dt_machine *m = dt_machine_here();
	uint64_t word[4] = { 0 };	/* some kernels have a second register in it */
	size_t len = sizeof(word);

	if (m->inject.tls != DT_MACHINE_NOWHERE)
		return r->word[m->inject.tls / 8];
	return regset(PTRACE_GETREGSET, tid, m->inject.tls_set, word, &len) == 0 ? word[0] : 0;
}

/* ---- waiting ---- */

static bool process_ended(const struct dt_inject *in)
{
	struct pollfd f = { .fd = in->fd, .events = POLLIN };

	return poll(&f, 1, 0) > 0;
}

/*
 * A thread on our CPU stops soonest if we yield. On a busy machine that gives a whole time slice away to
 * programs that compute; who sleeps gets the CPU when its time is over.
 */
static void pause_for(struct dt_inject *in, unsigned round)
{
	long ns = (long)SLEEP_MIN_NS << (round > SPINS + 6 ? 6 : round > SPINS ? round - SPINS : 0);
	struct timespec t = { 0, ns < SLEEP_MAX_NS ? ns : SLEEP_MAX_NS };
	uint64_t began;

	if (round >= SPINS || in->crowded) {
		nanosleep(&t, NULL);
		return;
	}
	began = dt_clock_ns();
	sched_yield();
	in->crowded = dt_clock_ns() - began >= LONG_YIELD_NS;
}

/* Time is over, and the thread is not late for the reason alone that others have the CPUs. */
static bool is_over(const struct dt_inject *in, const struct dt_inject_thread *t, uint64_t deadline)
{
	uint64_t now = dt_clock_ns();
	struct dt_inject_status s;

	return now >= deadline && (now - deadline >= DT_INJECT_PATIENCE_NS ||
	    dt_inject_status(in->pid, t->tid, &s) != 0 || (s.state != 'R' && s.state != 't'));
}

/* The status of a child of ours is for the code that started it: only its stops are taken. */
int dt_inject_wait(struct dt_inject *in, struct dt_inject_thread *t, uint64_t deadline, int *code)
{
	int what = WSTOPPED | WNOHANG | __WALL | (in->child && t->tid == in->pid ? 0 : WEXITED);

	for (unsigned round = 0;; round++) {
		siginfo_t si = { 0 };

		if (waitid(P_PID, (id_t)t->tid, &si, what) != 0 && errno != EINTR) {
			t->done = true;
			return -ESRCH;
		}
		if (si.si_pid != 0 && (si.si_code == CLD_TRAPPED || si.si_code == CLD_STOPPED)) {
			*code = si.si_status;
			return 0;
		}
		if (si.si_pid != 0 || ((what & WEXITED) == 0 && round % 64 == 63 && process_ended(in))) {
			t->done = true;
			return -ESRCH;
		}
		if (round % 8 == 0 && is_over(in, t, deadline))
			return -ETIMEDOUT;
		pause_for(in, round);
	}
}

/*
 * Any other stop than the one that was asked for is a signal about to be delivered: it is, and the thread
 * stops again before it runs, since being interrupted comes before signals.
 */
int dt_inject_settled(struct dt_inject *in, struct dt_inject_thread *t, uint64_t deadline)
{
	int code, err;

	for (;;) {
		intptr_t sig;

		err = dt_inject_wait(in, t, deadline, &code);
		if (err != 0)
			return err;
		if (code >> 8 == PTRACE_EVENT_STOP)
			break;
		sig = code >> 8 != 0 ? 0 : code & 0x7f;
		if (ptrace(PTRACE_CONT, t->tid, NULL, (void *)sig) != 0 && errno != ESRCH)
			return -errno;
		if (is_over(in, t, deadline))
			return -ETIMEDOUT;
	}
	t->stopped = true;
	return 0;
}

/* ---- finding threads ---- */

static int by_tid(const void *a, const void *b)
{
	const struct dt_inject_thread *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int add_thread(struct dt_inject *in, pid_t tid)
{
	struct dt_inject_thread *grown;

	if (in->n == in->cap) {
		uint32_t cap = in->cap == 0 ? 64 : in->cap * 2;

		grown = realloc(in->thread, cap * sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		in->thread = grown;
		in->cap = cap;
	}
	in->thread[in->n++] = (struct dt_inject_thread){ .tid = tid };
	return 0;
}

/*
 * Attaches to a thread and interrupts it. 1: it is being stopped; 0: it has ended; -errno. A thread that ends
 * cannot be attached to, which looks as if it were forbidden.
 */
static int seize(struct dt_inject *in, pid_t tid)
{
	struct dt_inject_status s;
	int err;

	if (in->held && tid == in->pid)
		return 1;
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)(uintptr_t)PTRACE_O_TRACESYSGOOD) != 0) {
		err = -errno;
		if (err == -ESRCH || dt_inject_status(in->pid, tid, &s) != 0)
			return 0;
		return s.state == 'Z' || s.state == 'X' ? 0 : err;
	}
	(void)ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return 1;
}

/* One look at the list of threads: the number of new ones, which are being stopped, or -errno. */
static int find_threads(struct dt_inject *in)
{
	uint32_t known = in->n;
	int found = 0, err = 0;
	struct dirent *e;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)in->pid);
	dir = opendir(path);
	if (dir == NULL)
		return errno == ENOENT ? -ESRCH : -errno;
	while (err >= 0 && (e = readdir(dir)) != NULL) {
		struct dt_inject_thread key = { .tid = (pid_t)atoi(e->d_name) };

		if (key.tid <= 0 || (known > 0 &&
		    bsearch(&key, in->thread, known, sizeof(key), by_tid) != NULL))
			continue;
		err = seize(in, key.tid);
		if (err == 1) {
			err = add_thread(in, key.tid);
			if (in->held && key.tid == in->pid && err == 0)
				in->thread[in->n - 1].held = in->thread[in->n - 1].stopped = true;
			found++;
		}
	}
	closedir(dir);
	if (in->n > 0)
		qsort(in->thread, in->n, sizeof(*in->thread), by_tid);
	return err < 0 ? err : found;
}

/* ---- stopping ---- */

static void drop_ended(struct dt_inject *in)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < in->n; i++)
		if (!in->thread[i].done)
			in->thread[kept++] = in->thread[i];
	in->n = kept;
}

static void say_late(const struct dt_inject *in, pid_t tid, char *msg, size_t len)
{
	struct dt_inject_status s;
	bool asleep = dt_inject_status(in->pid, tid, &s) == 0 && s.state == 'D';

	snprintf(msg, len, "its thread %d does not stop within %u s: %stry again later", (int)tid,
	    (unsigned)(DT_INJECT_LIMIT_NS / 1000000000),
	    asleep ? "it waits in the kernel for a device, a file system or a child made by vfork(); " : "");
}

static int settle_all(struct dt_inject *in, uint64_t deadline, char *msg, size_t len)
{
	int err;

	for (uint32_t i = 0; i < in->n; i++) {
		struct dt_inject_thread *t = &in->thread[i];

		if (t->stopped || t->done)
			continue;
		err = dt_inject_settled(in, t, deadline);
		if (err == -ETIMEDOUT) {
			say_late(in, t->tid, msg, len);
			return err;
		}
		if (err != 0 && err != -ESRCH)
			return err;
	}
	drop_ended(in);
	return 0;
}

/* The limit is for threads that are found after it: a slow machine may need longer for those of before. */
static int stop_all(struct dt_inject *in, char *msg, size_t len)
{
	uint64_t limit = dt_clock_ns() + DT_INJECT_LIMIT_NS;
	int found, err;

	do {
		uint64_t began = dt_clock_ns();

		found = find_threads(in);
		err = found < 0 ? found : settle_all(in, began + DT_INJECT_LIMIT_NS, msg, len);
		if (err == 0 && found > 0 && began >= limit) {
			snprintf(msg, len, "it makes threads faster than they can be stopped");
			err = -ETIMEDOUT;
		}
	} while (err == 0 && found > 0);
	if (err == 0 && (in->n == 0 || process_ended(in)))
		err = -ESRCH;
	return err;
}

/* What was held when it was opened may run by now: then it is stopped like any other. */
static void check_held(struct dt_inject *in)
{
	struct dt_inject_status s;

	in->held = dt_inject_status(in->pid, in->pid, &s) == 0 && s.tracer == (uint32_t)gettid();
}

/* Its memory was opened with the old program, and reads as empty then: no address of ours means anything. */
static bool other_program(struct dt_inject *in)
{
	char byte;

	return dt_inject_read(in, in->vdso, &byte, 1) == -ESRCH;
}

bool dt_inject_ended(struct dt_inject *in) { return process_ended(in) || other_program(in); }

int dt_inject_stop(struct dt_inject *in, char *msg, size_t len)
{
	int err;

	if (in->stopped)
		return 0;
	if (in->n > 0)			/* late ones of a stop that failed */
		dt_inject_resume(in);
	snprintf(msg, len, "%s", "");
	if (in->held)
		check_held(in);
	in->crowded = false;
	dt_inject_note_calls(in);
	in->since = dt_clock_ns();
	err = stop_all(in, msg, len);
	in->stopped = true;
	if (err == 0 && other_program(in)) {
		snprintf(msg, len, "it has executed another program");
		err = -ESRCH;
	}
	if (err == 0)
		return 0;
	dt_inject_resume(in);
	if (msg[0] == '\0')
		err = dt_inject_explain(in->pid, err, msg, len);
	return err;
}

/* ---- running again ---- */

/*
 * A thread that was killed while it was stopped cannot be detached: its end is taken, or its parent would
 * never see it.
 */
static void detach(struct dt_inject *in, struct dt_inject_thread *t, uint64_t deadline)
{
	int code;

	if (t->held || t->done)
		return;
	if (!t->stopped && dt_inject_settled(in, t, deadline) != 0)
		return;
	if (ptrace(PTRACE_DETACH, t->tid, NULL, (void *)(intptr_t)t->signal) != 0)
		(void)dt_inject_wait(in, t, deadline, &code);
	t->done = true;
}

/* Threads that do not stop cannot be detached either: they are kept for the next time. */
static void detach_all(struct dt_inject *in)
{
	uint64_t late = dt_clock_ns() + DT_INJECT_LIMIT_NS / 4;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < in->n; i++)	/* first those that wait for nothing */
		if (in->thread[i].stopped)
			detach(in, &in->thread[i], late);
	for (uint32_t i = 0; i < in->n; i++) {
		struct dt_inject_thread *t = &in->thread[i];

		if (!t->stopped)
			detach(in, t, late);
		if (!t->done && !t->held)
			in->thread[kept++] = *t;
	}
	in->n = kept;
}

void dt_inject_resume(struct dt_inject *in)
{
	if (in->n == 0 && !in->stopped)
		return;
	dt_inject_put_back(in);
	dt_inject_again(in);
	detach_all(in);
	if (in->stopped)
		in->stopped_ns += dt_clock_ns() - in->since;
	in->stopped = false;
}

uint64_t dt_inject_stopped_ns(const struct dt_inject *in)
{
	return in->stopped_ns + (in->stopped ? dt_clock_ns() - in->since : 0);
}

/* ---- where they are ---- */

/* By the register that says in which call it was interrupted, and the kernel's numbers for "again". */
static uint64_t restart_of(const struct dt_registers *r)
{
	const struct dt_machine *m = dt_machine_here();
	int64_t result = (int64_t)r->word[m->regs.result / 8];

	if (m->inject.cleared == DT_MACHINE_NOWHERE || (int64_t)r->word[m->inject.cleared / 8] < 0 ||
	    result > -512 || result < -516)
		return 0;
	return r->word[m->regs.pc / 8] - m->inject.insn_len;
}

static int visit(struct dt_inject_thread *t, dt_inject_thread_f *f, void *ctx)
{
	const struct dt_machine *m = dt_machine_here();
	struct dt_registers r;
	struct dt_inject_regs show;
	int err = dt_inject_getregs(t->tid, &r);

	if (err != 0)
		return err;
	show = (struct dt_inject_regs){ .pc = r.word[m->regs.pc / 8], .sp = r.word[m->regs.sp / 8],
		.restart = restart_of(&r) };
	if (!f(ctx, (uint32_t)t->tid, &show))
		return 0;
	r.word[m->regs.pc / 8] = show.pc;
	return dt_inject_setregs(t->tid, &r);
}

int dt_inject_threads(struct dt_inject *in, dt_inject_thread_f *f, void *ctx)
{
	dt_inject_put_back(in);
	for (uint32_t i = 0; i < in->n; i++) {
		int err = visit(&in->thread[i], f, ctx);

		if (err != 0 && err != -ESRCH)
			return err;
		if (err == -ESRCH && process_ended(in))
			return err;
	}
	return 0;
}
