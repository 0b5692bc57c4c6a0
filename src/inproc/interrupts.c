/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples by interrupting threads (ptrace(2)), where perf events are not allowed. A thread is interrupted
 * when it has used the CPU for an interval since its last sample and is running or ready to: it stands still
 * while its registers are read and the clause runs, and then goes on as if nothing had been. Threads that
 * sleep are left alone. The time of the CPU is what the kernel counts, in ticks of 1 to 10 ms: several
 * samples may be due at once, and are then taken one by one.
 */
#include "inproc/sampler.h"

#include "base/clock.h"
#include "file/elf.h"

#include <errno.h>
#include <fcntl.h>
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

/*
 * LIST_NS: between two looks for new threads. HOLD_NS: for a thread to stop; one that does not is asked again
 * in the next round. BACKLOG_NS: of samples that are due; those before are lost.
 */
enum { LIST_NS = 10000000, HOLD_NS = 2000000, BACKLOG_NS = 50000000, BACKLOG = 4 };

struct thread {
	uint32_t pid, tid;
	int fd;				/* its schedstat */
	uint32_t process;		/* its index */
	bool held, listed;
	uint32_t cpu;			/* where it ran */
	uint64_t ran;			/* ns, when last looked at */
	uint64_t *owed;			/* for each rate: ns that no sample was taken of */
};

/* CPU time of a process: threads that begin and end between two looks are not seen, but their time is. */
struct account {
	bool known;
	uint64_t before;		/* when it was first looked at */
	uint64_t now;			/* before its threads were looked at in this round */
	uint64_t seen;			/* of its threads since `before` */
	uint64_t *lost;			/* for each rate: samples of time that was not seen */
};

struct interrupts {
	struct inproc_sampler *s;
	struct thread *v;
	uint32_t n, cap;
	uint32_t next;			/* where the next thread of a list is likely to be found */
	uint32_t process;		/* that is being listed */
	bool first;			/* list: threads that are found later have begun since */
	struct account *account;	/* for each process */
};

/* ---- whether it is possible ---- */

/* Reading a byte of it is allowed to those who may trace it: no address is there, which is another error. */
static int may_trace(uint32_t pid)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { NULL, 1 };

	if (process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0) >= 0 || errno == EFAULT)
		return 0;
	return -errno;
}

int dt_interrupts_possible(const struct inproc_sampler *s, char *msg, size_t len)
{
	for (uint32_t i = 0; i < s->nprocesses; i++) {
		int err = may_trace(s->process[i].pid);

		if (err == -EPERM) {
			snprintf(msg, len, "no samples can be taken of process %u: its clocks are refused "
			    "(sysctl kernel.perf_event_paranoid=2 allows them), and its threads cannot be "
			    "interrupted (ptrace(2): it is another user's process, or sysctl "
			    "kernel.yama.ptrace_scope=0 allows it)", s->process[i].pid);
			return err;
		}
	}
	return 0;
}

/* ---- threads ---- */

/* "ns-on-cpu ns-waiting slices"; false: the thread has ended. */
static bool read_time(const struct thread *t, uint64_t *ns)
{
	char text[96];
	ssize_t n = pread(t->fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	*ns = strtoull(text, NULL, 10);
	return true;
}

static int note_thread(void *ctx, uint32_t pid, uint32_t tid)
{
	struct interrupts *all = ctx;
	struct thread *t;
	char path[64];

	for (uint32_t i = 0; i < all->n; i++) {
		uint32_t at = (all->next + i) % all->n;

		if (all->v[at].tid == tid) {
			all->v[at].listed = true;
			all->next = at + 1;
			return 0;
		}
	}
	if (all->n == all->cap) {
		struct thread *more = realloc(all->v, (all->cap * 2 + 16) * sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		all->v = more;
		all->cap = all->cap * 2 + 16;
	}
	t = &all->v[all->n];
	*t = (struct thread){ .pid = pid, .tid = tid, .listed = true, .process = all->process };
	snprintf(path, sizeof(path), "/proc/%u/task/%u/schedstat", pid, tid);
	t->fd = open(path, O_RDONLY | O_CLOEXEC);
	t->owed = calloc(all->s->nrates, sizeof(*t->owed));
	if (t->fd < 0 || t->owed == NULL || !read_time(t, &t->ran)) {
		if (t->fd >= 0)
			close(t->fd);
		free(t->owed);
		return 0;		/* it has ended */
	}
	t->ran = all->first ? t->ran : 0;
	all->n++;
	return 0;
}

static void forget(struct interrupts *all, uint32_t i)
{
	struct thread *t = &all->v[i];

	for (uint32_t k = 0; k < all->s->nrates; k++)
		dt_sampler_lose(all->s, t->owed[k] / all->s->rate[k].interval);
	close(t->fd);
	free(t->owed);
	memmove(t, t + 1, (--all->n - i) * sizeof(*t));
}

static void list_threads(struct interrupts *all)
{
	for (uint32_t i = 0; i < all->n; i++)
		all->v[i].listed = all->v[i].held;
	for (all->process = 0; all->process < all->s->nprocesses; all->process++)
		(void)dt_sampler_threads(all->s->process[all->process].pid, note_thread, all);
	for (uint32_t i = all->n; i-- > 0;)
		if (!all->v[i].listed)
			forget(all, i);
	all->first = false;
}

static bool process_time(uint32_t pid, uint64_t *ns)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid((pid_t)pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return false;
	*ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return true;
}

/*
 * The clock of a process is read before those of its threads: what it shows beyond them was used by threads
 * that have ended. Read later, it would have time that the next look at the threads finds again.
 */
static void read_clock(struct interrupts *all, uint32_t i)
{
	struct account *a = &all->account[i];

	if (!process_time(all->s->process[i].pid, &a->now))
		return;
	if (!a->known)
		a->before = a->now;
	a->known = true;
}

static void settle(struct interrupts *all, uint32_t i)
{
	struct inproc_sampler *s = all->s;
	struct account *a = &all->account[i];

	for (uint32_t k = 0; k < s->nrates && a->now - a->before > a->seen; k++) {
		uint64_t lost = (a->now - a->before - a->seen) / s->rate[k].interval;

		if (lost > a->lost[k]) {
			dt_sampler_lose(s, lost - a->lost[k]);
			a->lost[k] = lost;
		}
	}
}

static bool open_accounts(struct interrupts *all)
{
	bool good = true;

	all->account = calloc(all->s->nprocesses, sizeof(*all->account));
	for (uint32_t i = 0; all->account != NULL && i < all->s->nprocesses; i++) {
		all->account[i].lost = calloc(all->s->nrates, sizeof(*all->account[i].lost));
		good &= all->account[i].lost != NULL;
	}
	return all->account != NULL && good;
}

static void close_accounts(struct interrupts *all)
{
	for (uint32_t i = 0; all->account != NULL && i < all->s->nprocesses; i++)
		free(all->account[i].lost);
	free(all->account);
}

/* "tid (name) state …", where the name may have anything; the CPU is the 39th. False: it does not run. */
static bool runs(const struct thread *t, uint32_t *cpu)
{
	char path[64], text[1024], *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", t->pid, t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	at = strrchr(text, ')');
	if (at == NULL || at[1] != ' ' || at[2] != 'R')
		return false;
	at += 2;
	for (int field = 3; field < 39 && at != NULL; field++)
		if ((at = strchr(at, ' ')) != NULL)
			at++;
	*cpu = at != NULL ? (uint32_t)strtoul(at, NULL, 10) : 0;
	return true;
}

/* ---- interrupting ---- */

static bool get_registers(uint32_t tid, uint64_t *regs)
{
	struct iovec io = { regs, DT_AGENT_REGS * sizeof(*regs) };

	return ptrace(PTRACE_GETREGSET, (pid_t)tid, (void *)NT_PRSTATUS, &io) == 0;
}

/*
 * A thread that ended while we held it is waited for, or it would stay as a zombie. The status of a child
 * is for the code that has started it.
 */
static bool has_ended(const struct thread *t, bool child)
{
	siginfo_t si = { 0 };

	if (child && t->tid == t->pid)
		return kill((pid_t)t->pid, 0) != 0;
	if (waitid(P_PID, t->tid, &si, WEXITED | WNOHANG | __WALL) != 0)
		return true;
	/* stops of a traced thread are reported, too, whatever was asked for */
	return si.si_pid != 0 && si.si_code != CLD_TRAPPED && si.si_code != CLD_STOPPED;
}

/* True: it stands still, and these are its registers. */
static bool hold(struct thread *t, bool child, uint64_t *regs)
{
	uint64_t until = dt_clock_ns() + HOLD_NS;

	if (!t->held && ptrace(PTRACE_SEIZE, (pid_t)t->tid, NULL, NULL) != 0)
		return false;
	if (!t->held)
		(void)ptrace(PTRACE_INTERRUPT, (pid_t)t->tid, NULL, NULL);
	t->held = true;
	for (;;) {
		if (get_registers(t->tid, regs))
			return true;
		if (has_ended(t, child)) {
			t->held = false;
			return false;
		}
		if (dt_clock_ns() >= until)
			return false;
		sched_yield();
	}
}

/* It may have stopped because a signal is about to be delivered: it gets that. */
static void let_go(struct thread *t)
{
	siginfo_t si = { 0 };
	intptr_t sig = 0;

	if (ptrace(PTRACE_GETSIGINFO, (pid_t)t->tid, NULL, &si) == 0 && si.si_code >> 8 != PTRACE_EVENT_STOP)
		sig = si.si_signo;
	(void)ptrace(PTRACE_DETACH, (pid_t)t->tid, NULL, (void *)sig);
	t->held = false;
}

/* One sample serves all probes that are due. */
static void take(struct interrupts *all, struct thread *t)
{
	struct inproc_sampler *s = all->s;
	uint64_t regs[DT_AGENT_REGS] = { 0 };
	struct dt_agent_sample *to;

	pthread_mutex_lock(&s->p->tracing);
	if (!hold(t, s->process[t->process].child, regs)) {
		pthread_mutex_unlock(&s->p->tracing);
		return;
	}
	to = dt_sampler_begin(s, t->pid, t->tid);
	if (to != NULL) {
		to->time = dt_clock_ns();
		to->cpu = t->cpu;
	}
	for (uint32_t k = 0; to != NULL && k < s->nrates; k++)
		if (t->owed[k] >= s->rate[k].interval) {
			dt_sampler_fire(s, &s->rate[k], regs);
			t->owed[k] -= s->rate[k].interval;
		}
	let_go(t);
	pthread_mutex_unlock(&s->p->tracing);
}

/* ---- rounds ---- */

static bool is_due(struct interrupts *all, struct thread *t, uint64_t ran)
{
	bool due = false;

	for (uint32_t k = 0; k < all->s->nrates; k++) {
		uint64_t interval = all->s->rate[k].interval, most = BACKLOG * interval + BACKLOG_NS;

		t->owed[k] += ran;
		if (t->owed[k] > most) {
			uint64_t n = (t->owed[k] - most) / interval + 1;

			dt_sampler_lose(all->s, n);
			t->owed[k] -= n * interval;
		}
		due |= t->owed[k] >= interval;
	}
	return due;
}

static void look_at(struct interrupts *all, struct thread *t)
{
	uint64_t ran = t->ran;

	if (!read_time(t, &ran)) {	/* it has ended, and is not listed the next time */
		t->held = t->held && !has_ended(t, all->s->process[t->process].child);
		return;
	}
	all->account[t->process].seen += ran > t->ran ? ran - t->ran : 0;
	if (is_due(all, t, ran > t->ran ? ran - t->ran : 0) && (t->held || runs(t, &t->cpu)))
		take(all, t);
	t->ran = ran;
}

static uint64_t shortest(const struct inproc_sampler *s)
{
	uint64_t ns = UINT64_MAX;

	for (uint32_t i = 0; i < s->nrates; i++)
		ns = s->rate[i].interval < ns ? s->rate[i].interval : ns;
	return ns;
}

static bool sleep_until(const struct inproc_sampler *s, uint64_t due)
{
	struct pollfd f = { .fd = s->stop, .events = POLLIN };
	uint64_t now = dt_clock_ns();
	struct timespec t = { 0, 0 };

	if (due > now)
		t = (struct timespec){ (time_t)((due - now) / 1000000000), (long)((due - now) % 1000000000) };
	return ppoll(&f, 1, &t, NULL) > 0;
}

/* list: new threads are looked for, too, and the time of those that have ended is accounted for. */
static void look(struct interrupts *all, bool list)
{
	uint32_t nprocesses = list ? all->s->nprocesses : 0;

	for (uint32_t i = 0; i < nprocesses; i++)
		read_clock(all, i);
	if (list)
		list_threads(all);
	for (uint32_t i = 0; i < all->n; i++)
		look_at(all, &all->v[i]);
	for (uint32_t i = 0; i < nprocesses; i++)
		settle(all, i);
}

/* When it returns, its thread ends, and the kernel lets go of whom it still holds. */
void dt_interrupts_run(struct inproc_sampler *s)
{
	struct interrupts all = { .s = s, .first = true };
	uint64_t every = shortest(s), due = dt_clock_ns(), listed = 0;
	bool good = open_accounts(&all);

	while (good) {
		uint64_t now = dt_clock_ns();
		bool list = now - listed >= LIST_NS;

		look(&all, list);
		if (list)
			listed = now;
		due = due + every > dt_clock_ns() ? due + every : dt_clock_ns();
		if (sleep_until(s, due))
			break;
	}
	while (all.n > 0)
		forget(&all, all.n - 1);
	close_accounts(&all);
	free(all.v);
}
