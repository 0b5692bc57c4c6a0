/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that touches another process: its threads are stopped (ptrace), system calls are made in it, its
 * memory is read, written and mapped. A process is held by a pidfd, nothing waits without a time limit, and a
 * process that ends at any moment is an ordinary result: -ESRCH. What is read from it is untrusted.
 *
 * All functions on one process are called by one thread, as ptrace(2) wants it. Those marked "stopped" are
 * for the time between dt_inject_stop() and dt_inject_resume(). Functions with `msg` write a sentence there
 * when they fail, which does not name the process.
 */
#ifndef DT_INJECT_INJECT_H
#define DT_INJECT_INJECT_H

#include "agent/agent.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_inject;			/* one process */

/*
 * Checks that the process can be traced, without stopping it. held: our thread traces it already and it is
 * stopped (dtrace -c, before it runs); its first thread then stays so. 0 or -errno: -ESRCH it has ended,
 * -EPERM not allowed, -EBUSY another tracer has it, -ENOEXEC not a program of this machine and word size.
 */
int dt_inject_open(struct dt_inject **, uint32_t pid, bool held, char *msg, size_t len);
/* Resumes it if it is stopped. NULL is fine. */
void dt_inject_close(struct dt_inject *);
uint32_t dt_inject_pid(const struct dt_inject *);
int dt_inject_pidfd(const struct dt_inject *);		/* stays its own */

/* All threads stand still. 0 or -errno, and all run: -ETIMEDOUT a thread cannot be interrupted. */
int dt_inject_stop(struct dt_inject *, char *msg, size_t len);
/* All threads run again, and no one traces them; signals that came are delivered, a group-stop is kept. */
void dt_inject_resume(struct dt_inject *);
uint64_t dt_inject_stopped_ns(const struct dt_inject *);	/* how long they have stood still in all */
uint32_t dt_inject_nthreads(const struct dt_inject *);		/* stopped */

/* A thread that is stopped. */
struct dt_inject_regs {
	uint64_t pc, sp;
	/*
	 * It was interrupted in a system call, which the instruction at this address starts again; 0: in
	 * none, or that is where pc is.
	 */
	uint64_t restart;
};
/* Stopped: calls f for each thread; where f gives true, pc is set to what it is then. 0 or -errno. */
typedef bool dt_inject_thread_f(void *ctx, uint32_t tid, struct dt_inject_regs *);
int dt_inject_threads(struct dt_inject *, dt_inject_thread_f *, void *ctx);

/*
 * Stopped: makes a system call in one of the threads, whose own system call goes on later as if nothing had
 * been. The result; -ESRCH: it has ended; -EACCES: a filter of system calls (seccomp) has stopped this one.
 */
int64_t dt_inject_call(struct dt_inject *, long number, const uint64_t args[6]);
/* The sentence for an error of dt_inject_call(). */
void dt_inject_refused(const struct dt_inject *, const char *what, int64_t err, char *msg, size_t len);

/* 0, or -errno: -EFAULT there is not all of it. Reading works while the process runs too. */
int dt_inject_read(struct dt_inject *, uint64_t addr, void *, size_t);
/* Stopped: read-only text too. */
int dt_inject_write(struct dt_inject *, uint64_t addr, const void *, size_t);
struct dt_inject_write { uint64_t addr; const void *bytes; uint32_t len; };
/* Stopped: many places; they are sorted here. -errno: some have been written, the others have not. */
int dt_inject_write_many(struct dt_inject *, struct dt_inject_write *, uint32_t n);

/*
 * Stopped: maps code and data as agent.h has them: one range, the data DT_AGENT_SPAN after the code.
 * code_len <= DT_AGENT_SPAN. A forked child has the data too, for a handler may fork in the middle of a
 * firing; nothing fires there, since its page of struct dt_agent_process is empty. The descriptors are
 * passed through a socket pair that the process makes (SCM_RIGHTS): a path in /proc would fail in other
 * namespaces, and where the process may not look at the tracer.
 */
int dt_inject_map(struct dt_inject *, int code_fd, uint64_t code_len, int data_fd, uint64_t data_len,
    uint64_t *code_addr, char *msg, size_t len);
/* Stopped: more code later, `at` (a multiple of the page size) from the beginning of code. */
int dt_inject_map_more(struct dt_inject *, uint64_t code_addr, uint64_t at, int code_fd, uint64_t code_len,
    char *msg, size_t len);
/*
 * Stopped: maps struct dt_agent_process and the stacks, and writes the struct, enabled; *made is what was
 * written. tid_at and cpu_at are only set when they are proven for each thread: see inject_process.c.
 */
int dt_inject_private(struct dt_inject *, uint64_t code, uint64_t data, struct dt_agent_process *made,
    uint64_t *addr, char *msg, size_t len);
/*
 * Stopped: looks for tid_at and cpu_at once more, and writes them: a program that was stopped before its
 * first instruction has a C library by now.
 */
int dt_inject_words(struct dt_inject *, uint64_t process);
/*
 * Stopped: maps `size` bytes, r-x (dt_inject_write() writes them), not farther than `reach` from `near`.
 * -ENOSPC: no room there.
 */
int dt_inject_island(struct dt_inject *, uint64_t near, uint64_t reach, uint64_t size, uint64_t *addr);
int dt_inject_unmap(struct dt_inject *, uint64_t addr, uint64_t len);	/* stopped */
/*
 * Stopped: the process registers for MEMBARRIER_CMD_GLOBAL_EXPEDITED. true: done, or not needed on this
 * machine. A process with more than one thread would stand still for 10 ms or more: it is left alone.
 */
bool dt_inject_register(struct dt_inject *);

/*
 * It need not be stopped. true: the process has got a filter of system calls (seccomp) since it was last
 * stopped: its agent, with the struct at `process`, makes no calls any more.
 */
bool dt_inject_newly_filtered(struct dt_inject *, uint64_t process);
/* It has ended, or executes another program. */
bool dt_inject_ended(struct dt_inject *);
/*
 * Calls f with the number of each thread, as it is in the process's own namespace. 0 or -errno. It need not
 * be stopped.
 */
typedef void dt_inject_tid_f(void *ctx, uint32_t tid);
int dt_inject_tids(struct dt_inject *, dt_inject_tid_f *, void *ctx);

/* A child by fork() has the page for system calls of its parent, which is as good for its own. */
void dt_inject_inherit(struct dt_inject *child, const struct dt_inject *parent);
/* Its threads have the numbers here that they have for themselves: no PID namespace is between. */
bool dt_inject_same_numbers(const struct dt_inject *);

/* ---- what a thread is about to make (inject_catch.c) ---- */

struct dt_inject_catch { int pid, tid, child; bool ours, begun; };
/* The thread is stopped, and traced by the calling thread. 0 or -errno: it is left alone. */
int dt_inject_catch(struct dt_inject_catch *, uint32_t pid, uint32_t tid);
/*
 * It runs until it has executed a program: the process then stands still before the first instruction.
 * -ECANCELED: it did not, and is let go; -ESRCH, -ETIMEDOUT
 */
int dt_inject_until_exec(struct dt_inject_catch *);
/* The same for a child with its own memory, `child`: both it and `tid`, which made it, stand still then. */
int dt_inject_until_fork(struct dt_inject_catch *);
void dt_inject_let_go(uint32_t tid);	/* a thread that stands still */

/* ---- undoing it: the same for an ordinary end and for the guardian (guardian.h) ---- */

/* A place whose bytes were changed. */
struct dt_inject_site { uint64_t addr; uint32_t len; uint8_t original[16], jump[16]; };
/* A file whose bytes were changed, where it was mapped: what lies there now may be another. */
struct dt_inject_file { uint64_t start, end, offset, inode; uint32_t major, minor; };
/* What was mapped. code: threads run there, so it is unmapped only when none is inside. */
struct dt_inject_range { uint64_t addr, len; bool code; };

struct dt_inject_undo {
	const struct dt_inject_site *site;
	const struct dt_inject_file *file;
	const struct dt_inject_range *range;
	uint32_t nsites, nfiles, nranges;
	/* address of struct dt_agent_process, whose `enabled` is cleared; 0: it was not mapped */
	uint64_t process;
};

/*
 * Running: stops it, restores the bytes of each site where the jump still is, and unmaps all ranges once no
 * thread is inside or has to return there, which is waited for. 0; 1: bytes are restored, but ranges stay
 * mapped since a thread does not leave them; -errno. n: how many sites were restored, may be NULL.
 */
int dt_inject_restore(struct dt_inject *, const struct dt_inject_undo *, uint32_t *n, char *msg, size_t len);
/* The file mapped at an address, for struct dt_inject_undo. 0 or -ENOENT. */
int dt_inject_file_at(struct dt_inject *, uint64_t addr, struct dt_inject_file *);

#endif
