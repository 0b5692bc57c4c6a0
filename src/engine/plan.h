/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an engine is asked to run: clauses on probes, sorted by the place where they fire, and the options of
 * the trace. A plan points into the programs it was made of, which outlive it. Not every engine has a use for
 * all of it: structs of the kernel and means of attaching mean nothing to one that replays events.
 */
#ifndef DT_ENGINE_PLAN_H
#define DT_ENGINE_PLAN_H

#include "dif/dif.h"
#include "engine/hook.h"
#include "machine/machine.h"
#include "record/record.h"

struct dt_features;
struct dt_replay_events;

/* No helpers of the kernel: the agent's. */
#define DT_HELPER_SYS_ENTER 213
#define DT_HELPER_SYS_EXIT 214
#define DT_HELPER_SLOT 215
/* The same: about the process it is in. The first argument says what is asked. */
#define DT_HELPER_PROCESS 212
enum dt_about {
	DT_ABOUT_PARENT,		/* its number */
	DT_ABOUT_PROGENY,		/* argument: a process; 1: it is that one, or descends from it */
	DT_ABOUT_THREAD,		/* the number of the thread, as the process sees it */
	DT_ABOUT_RUNTIME,		/* how long the thread has run, in ns */
	/* argument: 0 and 1, where arguments begin and end; 2 and 3, the environment */
	DT_ABOUT_TEXT,
	DT_ABOUT_DIRECTORY,		/* arguments: a buffer, its size; the length of the path, with NUL */
};
#define DT_KOFF_NONE UINT32_MAX		/* a member that the kernel's type data does not show */

struct dt_enabling {			/* one clause on one probe */
	const struct dt_ecb *ecb;
	uint32_t epid;			/* from 1 */
	uint32_t probe_id;
	uint32_t number;		/* system call, for SYS hooks; cookie, for those with points */
	const char *prov, *mod, *func, *name;
	/* UPROBE: the instruction leaves a function, and the clause's context is URETSITE */
	bool leaves;
	uint32_t site;			/* arg0 of such a probe */
	uint8_t order;			/* at one place the lower ones come first */
	uint32_t root;			/* fires only in that process and its descendants; 0: everywhere */
	/*
	 * a derived probe that fires for each of several things: gives the thing after arg9, and the first
	 * one after 0; NULL: it fires once
	 */
	const struct dt_difo *each;
	const struct dt_difo *when;	/* a derived probe fires only if this is not 0; may be NULL */
	const struct dt_difo *args[10];	/* its arguments; NULL ends, args[0] NULL: the hook's own */
	bool soft;			/* in `when` and `args` a bad address reads as 0 and is no fault */
};

enum dt_plan_ctx {			/* where arg0 … come from */
	DT_CTX_RAWTP, DT_CTX_SYS_ENTER, DT_CTX_SYS_EXIT, DT_CTX_PERF, DT_CTX_RUN,
	DT_CTX_TASK,			/* no arguments; the thread is not the current one: current.c */
	/* trampolines of the functions that implement system calls: arguments as SYS_ENTER, SYS_EXIT */
	DT_CTX_SYS_FENTRY, DT_CTX_SYS_FEXIT,
	DT_CTX_FENTRY, DT_CTX_FEXIT,		/* words of a trampoline: nargs arguments, then the value */
	/* registers of the kernel; the cookie is the enabling's number */
	DT_CTX_KPROBE, DT_CTX_KRETPROBE,
	DT_CTX_UPROBE, DT_CTX_URETPROBE,	/* registers of the process; the same */
	DT_CTX_URETSITE,			/* of clauses, never of a program: `leaves` */
	/* registers of the process before and after the instruction of a system call; its number is there */
	DT_CTX_SYS_UENTER, DT_CTX_SYS_UEXIT,
};

/* A program without clauses that keeps the family maps, at the tracepoint of that event: family.c. */
enum dt_keep { DT_KEEP_NONE, DT_KEEP_FORK, DT_KEEP_EXIT, DT_KEEP_FREE,
	/* elements of self-> arrays, at sched_switch and sched_process_free: owned.c */
	DT_KEEP_SELF_SWITCH, DT_KEEP_SELF_FREE };

/* Code of the kernel whose frames stacks leave out. */
struct dt_extent { uint64_t at, len; };
enum { DT_BETWEEN = 2 };

struct dt_plan_hook {			/* one program to make */
	enum dt_plan_ctx ctx;
	/* RAWTP sched_process_…: the program has no clauses, it notes who descends from whom */
	enum dt_keep keep;
	/* in program order for each probe; the probes of a SYS hook come in any order */
	const struct dt_enabling *en;
	uint32_t nen;			/* 0: at sched_switch, the program that vtimestamp relies on */
	/* RAWTP: the kernel refuses a program that reads arguments the tracepoint does not have */
	bool nargs_known;
	uint32_t nargs;			/* arguments beyond read 0; for trampolines it is always known */
	uint32_t npoints;		/* KPROBE …: how many numbers there are */
	bool inside;			/* KPROBE: all of them are inside functions, not at their beginning */
	/* tracepoints: functions of the kernel between them and the programs, if any; at 0: not known */
	struct dt_extent between[DT_BETWEEN];
	/* RAWTP contention_…: its CPU may hold a lock of the kernel's, one of our own maps among them */
	bool in_locks;
	bool irqs_off;			/* runs with interrupts off, where memory at hand is not refilled */
};

struct dt_plan_opts {
	enum dt_policy policy;
	uint32_t only_cpu;		/* 1 + the CPU that is traced, 0: all; BEGIN, END, ticks run anyway */
	/* strsize: characters of a string, with the NUL inside src/bpf; nspec 0: speculation() finds none */
	uint32_t strsize, nspec, stackframes_max;
	uint64_t bufsize, aggsize, specsize, dynvarsize, scratchsize;
	bool grows;			/* bufsize is where buffers begin; they grow by need */
	uint32_t ncpus;			/* possible CPUs */
	/*
	 * Memory of a firing: 0: each CPU has some; else as many threads have it, a power of two, and the
	 * helper DT_HELPER_SLOT says which a firing's is (src/agent)
	 */
	uint32_t slots;
	bool prompt;			/* a record that shows aggregations wakes the reader */
	/* CPUs that are traced: an aggregation may use aggsize times this; 0 counts as 1 */
	uint32_t aggcpus;
	bool rawsyscall;		/* failed system calls show the kernel's value */
	const uint32_t *pids;		/* fire only in these processes; BEGIN, END, ticks: anyway */
	uint32_t npids;			/* 0: everywhere */
	const uint32_t *named;		/* all processes of -p and -c: who is sampled without the kernel */
	uint32_t nnamed;
	/* -x follow: processes whose children, and theirs, count as they do */
	const uint32_t *roots;
	uint32_t nroots;		/* 0: none are followed */
	bool only_cgroups;		/* fire only in the control groups of DT_MAP_CGROUPS and below */
	/* the namespace that process numbers are of, here and in records; 0: the whole system's */
	uint64_t pidns_ino;
	uint32_t pidns_level;		/* how deep it is */
	uint32_t self_pid;
	uint64_t signal_uid;		/* 1 + the user whose processes may be sent signals, 0: everybody's */
	uint32_t page_bits;		/* of a page of memory */
	/* bytes of tables for user stacks without frame pointers; 0: there are no tables */
	uint64_t unwind_size;
	/* walltimestamp = timestamp + this: CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	int64_t wall_offset;
	const struct dt_machine *machine;	/* the one the programs will run on */
	/*
	 * The offset of a member in a kernel struct ("task_struct", "se.vruntime"); path NULL: the struct's
	 * size. DT_KOFF_NONE: there is no such member. It is asked only for what the programs use. NULL: no
	 * member is known.
	 */
	uint32_t (*member)(void *ctx, const char *tag, const char *path);
	void *member_ctx;
	const struct dt_features *feat;
	const struct dt_replay_events *events;	/* of -x replay; NULL: the kernel has the events */
	const struct dt_enabling *errors;	/* clauses on dtrace:::ERROR */
	uint32_t nerrors;
};

static inline uint32_t dt_kmember(const struct dt_plan_opts *o, const char *tag, const char *path)
{
	return o->member ? o->member(o->member_ctx, tag, path) : DT_KOFF_NONE;
}

struct dt_point {			/* one of many places of a program; its index is its cookie */
	const char *target;		/* kernel function, or path of a file */
	uint64_t offset, ref_ctr;	/* see struct dt_hook */
	uint32_t pid;
	uint32_t root;			/* see struct dt_hook */
	bool alone;			/* kernel function: its name says which one */
};

struct dt_attach {			/* how to attach the image's program of the same index */
	int kind;			/* enum dt_hook_kind */
	const char *target;		/* raw tracepoint, kernel function of FENTRY and FEXIT, counter */
	uint64_t interval;		/* ns; of a counter: events */
	uint32_t btf_id;		/* FENTRY, FEXIT: the function in the kernel's type data */
	/* KPROBE, KRETPROBE, UPROBE, URETPROBE: one link of the kernel for all points */
	bool multi;
	const struct dt_point *points;	/* of kinds that have them; they stay as long as the session */
	uint32_t npoints;
};

/* All of it; hooks and attach have the same numbers. */
struct dt_plan {
	const struct dt_plan_opts *opts;
	const struct dt_prog *const *progs;
	uint32_t nprogs;
	const struct dt_plan_hook *hooks;
	const struct dt_attach *attach;
	uint32_t nhooks;
};

#endif
