/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that are traced by name: started here and held before they run, or already running. They
 * are watched through a pidfd, so a reused process id is never taken for the old process. One thread
 * does everything: ptrace(2) obeys only the thread that started the process.
 */
#ifndef DT_PROCESS_PROC_H
#define DT_PROCESS_PROC_H

#include "process/keeper.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where a started process is held until dt_proc_continue(). */
enum dt_proc_stop {
	DT_PROC_AT_EXEC,	/* before its first instruction */
	DT_PROC_AT_PREINIT,	/* libraries are mapped, their initializers have not run */
	DT_PROC_AT_ENTRY,	/* libraries have been initialized */
	DT_PROC_AT_MAIN,	/* at main(); at the entry when the program has no symbol of that name */
};

struct dt_proc {
	pid_t pid;
	int fd;			/* pidfd */
	bool child;		/* started here: it dies with us, and its status is known */
	bool held;		/* stopped by us */
	bool gone;
	int status;		/* as wait(2) gives it, once gone; 0 of a process that is not a child */
	struct dt_keeper keeper;	/* of a child */
};

/*
 * Starts a file (searched in PATH) and holds it. A process that ends before it reaches the place is
 * gone, which is not an error. 0, or -errno with a sentence that does not contain its name.
 */
int dt_proc_start(struct dt_proc *, const char *file, char *const argv[], char *const envp[],
    enum dt_proc_stop, char *msg, size_t len);
int dt_proc_grab(struct dt_proc *, pid_t, char *msg, size_t len);
void dt_proc_continue(struct dt_proc *);
/* True once it has ended; never waits. */
bool dt_proc_ended(struct dt_proc *);
/* Releases it: a child is killed, any other process runs on. */
void dt_proc_close(struct dt_proc *);

/*
 * Are process ids those of the whole system? Not in a container's namespace, where the kernel side sees
 * other numbers.
 */
bool dt_proc_pids_global(void);
bool dt_proc_pid_namespace(uint64_t *ino);	/* of the container we are in; false: in none */
/*
 * family.c: how many PID namespaces we are inside of, read through these members of the kernel's
 * structs; or -errno.
 */
int dt_proc_namespace_level(uint32_t task_thread_pid, uint32_t pid_level);

/*
 * proc_stop.c: runs from the exec stop to the place; returns early if there is no such place. False:
 * the process is gone.
 */
bool dt_proc_run_to(struct dt_proc *, enum dt_proc_stop);
/*
 * proc_stop.c: from the exec stop to the program's entry, if a dynamic linker runs before it. f is called
 * after each system call, when a library may have been mapped of which nothing has run; false: it goes no
 * further. The process is stopped then. False: it is gone.
 */
typedef bool dt_proc_load_f(void *ctx, struct dt_proc *);
bool dt_proc_load(struct dt_proc *, dt_proc_load_f *, void *ctx);
/* proc.c: passes signals on until the process stops for us (true, *status is set) or is gone. */
bool dt_proc_wait(struct dt_proc *, int request, int *status);

/* family.c: reports all living descendants of the roots, with the number of their root from 1. */
typedef void dt_family_f(void *ctx, uint32_t pid, uint32_t root);
void dt_proc_family(const uint32_t *roots, uint32_t n, dt_family_f *, void *ctx);
/* family.c: which of the roots it is or descends from, by what /proc says now; 0: none. */
uint32_t dt_proc_root(uint32_t pid, const uint32_t *roots, uint32_t n);
/* Its parent, the parent of that, and so on, at most so many; the number of them. */
uint32_t dt_proc_ancestors(uint32_t pid, uint32_t *out, uint32_t most);
/* Where its arguments begin and end in its memory, and its environment. False, and zeros: not known. */
bool dt_proc_texts(uint32_t pid, uint64_t range[4]);
bool dt_proc_over(uint32_t pid);		/* has ended, though it may not have been waited for */

#endif
