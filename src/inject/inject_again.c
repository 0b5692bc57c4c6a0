/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that the kernel does not start again by itself when their thread was stopped: they would fail
 * with EINTR in a program that has never seen a signal. Where such a call has been interrupted by us, its
 * result is changed to what others have (-ERESTARTNOHAND): the kernel then starts it again, or makes it EINTR
 * if there is a signal to be handled. A time limit of such a call begins again.
 *
 * On x86-64 this is the first register. On aarch64 the kernel has looked at the result before we see it, and
 * the first argument is lost: it is read before the thread is stopped (/proc/PID/task/TID/syscall), and a
 * short system call that is made with it gives the kernel another result to look at.
 */
#include "inject/inject_impl.h"
#include "base/clock.h"
#include "base/count.h"
#include "machine/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ERESTARTNOHAND = 514, AT_CALL = SIGTRAP | 0x80 };

/* They have done nothing when they give EINTR. Of sockets: those with SO_RCVTIMEO or SO_SNDTIMEO. */
static bool gives_eintr(uint64_t number)
{
	static const uint16_t calls[] = {
#ifdef SYS_epoll_wait
		SYS_epoll_wait,
#endif
		SYS_epoll_pwait, SYS_epoll_pwait2, SYS_rt_sigtimedwait, SYS_semop, SYS_semtimedop,
		SYS_io_getevents, SYS_io_pgetevents, SYS_io_uring_enter, SYS_read, SYS_readv, SYS_recvfrom,
		SYS_recvmsg, SYS_accept, SYS_accept4, SYS_write, SYS_writev, SYS_sendto, SYS_sendmsg,
	};

	for (unsigned i = 0; i < DT_COUNT(calls); i++)
		if (number == calls[i])
			return true;
	return false;
}

static bool lost_argument(void) { return dt_machine_here()->inject.cleared == DT_MACHINE_NOWHERE; }

/* ---- before it is stopped ---- */

/* "22 0x4 0xffff8 …": the number and the arguments; "running", or a number -1, for others. */
static bool read_call(pid_t pid, pid_t tid, struct dt_inject_noted *n)
{
	char path[64], text[256], *end, *last;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (len <= 0 || text[0] < '0' || text[0] > '9')
		return false;
	text[len] = '\0';
	*n = (struct dt_inject_noted){ .tid = tid, .number = strtoull(text, &end, 10) };
	n->arg = strtoull(end, &last, 16);
	return last != end && gives_eintr(n->number);
}

static int by_tid(const void *a, const void *b)
{
	const struct dt_inject_noted *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

void dt_inject_note_calls(struct dt_inject *in)
{
	struct dt_inject_noted n, *grown;
	struct dirent *e;
	char path[64];
	DIR *dir;

	in->nnoted = 0;
	if (!lost_argument())
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)in->pid);
	dir = opendir(path);
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] == '.' || !read_call(in->pid, (pid_t)atoi(e->d_name), &n))
			continue;
		if (in->nnoted % 64 == 0) {
			grown = realloc(in->noted, (in->nnoted + 64) * sizeof(*grown));
			if (grown == NULL)
				break;
			in->noted = grown;
		}
		in->noted[in->nnoted++] = n;
	}
	if (dir != NULL)
		closedir(dir);
	if (in->nnoted > 0)
		qsort(in->noted, in->nnoted, sizeof(n), by_tid);
}

/* ---- when it goes on ---- */

/*
 * To the beginning of a short system call at its own instruction, then to the end of that, where the result
 * is changed. -EINTR: a signal was to be delivered first, which *sig says.
 */
static int run_to(struct dt_inject *in, struct dt_inject_thread *t, uint64_t deadline, int *sig)
{
	int code, err;

	do {
		if (ptrace(PTRACE_SYSCALL, t->tid, NULL, NULL) != 0 && errno != ESRCH)
			return -errno;
		t->stopped = false;
		err = dt_inject_wait(in, t, deadline, &code);
		if (err != 0)
			return err;
		t->stopped = true;
		*sig = code;
		if (code == AT_CALL)
			return 0;
	} while (code >> 8 != 0 && dt_clock_ns() < deadline);
	return -EINTR;
}

static int change_result(struct dt_inject *in, struct dt_inject_thread *t, struct dt_registers *r, int *sig)
{
	const struct dt_machine *m = dt_machine_here();
	uint64_t deadline = dt_clock_ns() + DT_INJECT_LIMIT_NS;
	int other = SYS_getpid, err;
	struct iovec io = { &other, sizeof(other) };

	err = dt_inject_setregs(t->tid, r);
	if (err != 0 || (err = run_to(in, t, deadline, sig)) != 0)
		return err;
	if (ptrace(PTRACE_SETREGSET, t->tid, (void *)(uintptr_t)m->inject.number_set, &io) != 0)
		return -errno;
	if ((err = run_to(in, t, deadline, sig)) != 0 || (err = dt_inject_getregs(t->tid, r)) != 0)
		return err;
	r->word[m->regs.result / 8] = (uint64_t)-ERESTARTNOHAND;
	return dt_inject_setregs(t->tid, r);
}

/* Its signal comes first: it has its EINTR, and the signal. */
static void with_argument(struct dt_inject *in, struct dt_inject_thread *t, const struct dt_registers *old)
{
	const struct dt_machine *m = dt_machine_here();
	struct dt_inject_noted key = { .tid = t->tid }, *n = in->nnoted == 0 ? NULL :
	    bsearch(&key, in->noted, in->nnoted, sizeof(key), by_tid);
	struct dt_registers r = *old;
	int sig = 0, err;

	if (n == NULL || n->number != r.word[m->inject.number / 8])
		return;
	r.word[m->regs.pc / 8] -= m->inject.insn_len;
	r.word[m->regs.result / 8] = n->arg;
	err = change_result(in, t, &r, &sig);
	if (err != 0 && t->stopped)
		(void)dt_inject_setregs(t->tid, old);
	if (err == -EINTR && sig >> 8 == 0)
		t->signal = sig;
}

void dt_inject_again(struct dt_inject *in)
{
	const struct dt_machine *m = dt_machine_here();
	struct dt_registers r;

	for (uint32_t i = 0; i < in->n; i++) {
		struct dt_inject_thread *t = &in->thread[i];

		if (t->held || t->done || !t->stopped || (lost_argument() && in->nnoted == 0) ||
		    dt_inject_getregs(t->tid, &r) != 0 || (int64_t)r.word[m->regs.result / 8] != -EINTR)
			continue;
		if (lost_argument()) {
			with_argument(in, t, &r);
		} else if (gives_eintr(r.word[m->inject.cleared / 8])) {
			r.word[m->regs.result / 8] = (uint64_t)-ERESTARTNOHAND;
			(void)dt_inject_setregs(t->tid, &r);
		}
	}
}
