/* SPDX-License-Identifier: BSD-2-Clause */
/* A process as the files of this folder share it. */
#ifndef DT_INJECT_INJECT_IMPL_H
#define DT_INJECT_INJECT_IMPL_H

#include "inject/inject.h"

#include <sys/types.h>

#define DT_INJECT_LIMIT_NS 2000000000ull	/* the longest time that anything is waited for */
#define DT_INJECT_PATIENCE_NS 30000000000ull	/* the same if the CPUs are busy with others */

/* The general registers: they begin like struct pt_regs; the kernel says how many they are. */
struct dt_registers { uint64_t word[64]; size_t len; };

struct dt_inject_thread {
	pid_t tid;
	bool stopped;
	bool held;			/* our thread traced it before: it stays stopped */
	bool done;			/* ended, or detached */
	int signal;			/* to be delivered when it is detached; 0: none */
};

/* The system call that a thread waited in before it was stopped. */
struct dt_inject_noted { pid_t tid; uint64_t number, arg; };

/* A thread that system calls are made in. Between two of them it stands where the last one has ended. */
struct dt_inject_victim {
	struct dt_inject_thread *thread;	/* NULL: none is made use of */
	struct dt_registers saved;
	uint64_t mask;			/* its blocked signals */
	uint64_t at;			/* of a system call instruction */
	bool again;			/* its own system call is to be made once more at the end */
	bool stop;			/* SIGSTOP came and was taken away */
	void *vectors[2];		/* registers that a system call clears, with their length first */
	bool poked;			/* the instruction at `at` is ours; `word` was there */
	uint64_t word;
};

/*
 * A process that we make system calls in, in memory that the guardian has too: when dtrace is killed in the
 * middle, the thread runs on and stays at a jump to itself in the page `stub`. The guardian then gives it its
 * registers back.
 */
struct dt_inject_rescue {
	pid_t pid;			/* 0: free */
	volatile pid_t tid;		/* of the thread; 0: none */
	volatile uint64_t stub, mask;
	struct dt_registers saved;
};

struct dt_inject {
	pid_t pid;
	uint32_t self;			/* its number in its own namespace */
	int fd, mem;			/* pidfd; /proc/PID/mem */
	bool held, child;		/* child: of ours, whose status others fetch */
	bool filtered;			/* seccomp: a filter, or strict mode */
	bool mixed;			/* not all threads have the same ones */
	bool opaque;			/* what it answers cannot be known */
	struct dt_inject_filter *filter;	/* of the thread that makes the calls; NULL: none was read */
	bool stopped;
	bool crowded;			/* others want the CPUs: to yield takes long */
	uint32_t filters;
	struct dt_inject_thread *thread;
	uint32_t n, cap;
	struct dt_inject_noted *noted;	/* sorted */
	uint32_t nnoted;
	uint64_t since, stopped_ns;
	uint64_t vdso, vdso_len;	/* in the process; 0: none, or not like ours */
	bool vdso_known;
	uint64_t clock;			/* of the vdso; 0: not known */
	uint64_t stub;			/* a page with a system call and a jump to itself; 0: none */
	struct dt_inject_rescue *rescue;	/* of the guardian; NULL: none */
	pid_t ptracer;			/* Yama has to allow the guardian; 0: it need not */
	struct dt_inject_victim victim;
};

/* inject_status.c: what /proc/PID/status says */
struct dt_inject_status {
	char state;
	uint32_t uid, euid, gid, tracer, parent, self;
	uint32_t seccomp, filters;
	bool kernel;			/* a thread of the kernel */
};
int dt_inject_status(pid_t pid, pid_t tid, struct dt_inject_status *);
/* Writes why a process cannot be traced, after the kernel has said so. */
int dt_inject_explain(pid_t pid, int err, char *msg, size_t len);
int dt_inject_busy(uint32_t tracer, char *msg, size_t len);	/* names who traces it; -EBUSY */

/* inject_filter.c */
struct dt_inject_filter;
/* Stopped: the filters of a thread are read. -EACCES: they may kill for any call. */
int dt_inject_look_at_filter(struct dt_inject *, pid_t tid);
/* The call of that thread does not kill; pc: after its instruction. */
bool dt_inject_allowed(const struct dt_inject *, long number, const uint64_t args[6], uint64_t pc);
/* Sets no_calls and no_reads; p->self is set. */
void dt_inject_agent_calls(const struct dt_inject *, struct dt_agent_process *p);
bool dt_inject_filters_differ(pid_t pid);
void dt_inject_free_filter(struct dt_inject_filter *);

/* inject_stop.c */
/*
 * Waits until a thread stops and takes the report: *code is the signal and, above 8 bits, the event.
 * -ESRCH: it has ended; -ETIMEDOUT.
 */
int dt_inject_wait(struct dt_inject *, struct dt_inject_thread *, uint64_t deadline, int *code);
int dt_inject_getregs(pid_t, struct dt_registers *);
int dt_inject_setregs(pid_t, const struct dt_registers *);
/* Waits until a thread that was interrupted has stopped for that; signals are passed on. */
int dt_inject_settled(struct dt_inject *, struct dt_inject_thread *, uint64_t deadline);
uint64_t dt_inject_tls(pid_t, const struct dt_registers *);

/*
 * inject_call.c: in the guardian: a thread that stays in the stub goes on where it was. 0 or -errno.
 */
int dt_inject_rescue(struct dt_inject *, const struct dt_inject_rescue *);
void dt_inject_drop_stub(struct dt_inject *);		/* stopped: unmaps it */
/* The thread that calls were made in stands again as it was stopped. */
void dt_inject_put_back(struct dt_inject *);

/*
 * inject_vectors.c: scalable vector registers of a thread that was not in a system call, which one of ours
 * would clear
 */
void dt_inject_save_vectors(struct dt_inject_victim *);
void dt_inject_restore_vectors(struct dt_inject_victim *);

/* inject_again.c: calls that would fail with EINTR since their thread was stopped are made again. */
void dt_inject_note_calls(struct dt_inject *);
void dt_inject_again(struct dt_inject *);

/* inject_process.c: finds the vdso, if it is the same as ours */
void dt_inject_find_vdso(struct dt_inject *);
uint64_t dt_inject_vdso_insn(const struct dt_inject *);	/* a system call instruction in it; 0: none */

#endif
