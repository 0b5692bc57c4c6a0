/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent: what dtrace puts into a traced process, and the memory they share. It knows no libc. These files
 * are compiled twice: into the library, for tests, and freestanding, as the bytes that are put into a process
 * (agent_bytes.h).
 *
 *	code	a sealed memfd, mapped r-x: the agent's functions, constants, descriptors of maps, programs
 *		as machine code. A process cannot change it.
 *	data	a memfd of fixed size, mapped rw by dtrace and by the traced processes of one user: control
 *		words, values of maps, rings, words of threads. To dtrace it is untrusted.
 *	process	private to each process, a page that a fork leaves empty (MADV_WIPEONFORK)
 *	stacks	private to each process: one for each slot of a thread; programs run on it
 *	island	private, near each patched file: trampolines and struct dt_agent_site
 *
 * code and data are one range of addresses in a process: data begins DT_AGENT_SPAN bytes after code, so that
 * code finds data relative to itself. "At" is an offset from the beginning of code, of either of them.
 */
#ifndef DT_AGENT_AGENT_H
#define DT_AGENT_AGENT_H

#include <stdint.h>

enum {
	DT_AGENT_MAGIC = 0x41544450,
	DT_AGENT_SPAN = 64 << 20,	/* of addresses for code: programs that come later too */
	DT_AGENT_THREADS = 4096,	/* slots of threads, a power of two */
	/* bytes of the stack of each: a signal handler without a stack of its own runs there too */
	DT_AGENT_STACK = 64 << 10,
	DT_AGENT_REGS = 40,		/* words for struct pt_regs: more than any machine has */
	DT_AGENT_LIGHT = 64,		/* most bytes of stack of a light program */
};

/*
 * A firing, on the stack of the process: the registers as struct pt_regs of the machine has them, which is
 * the context of programs, and all else that helpers ask for. Trampolines make room for DT_FIRING_SIZE
 * bytes.
 */
struct dt_firing {
	uint64_t regs[DT_AGENT_REGS];
	const struct dt_agent_site *site;	/* 384 - 64: trampolines and the entry rely on these places */
	const struct dt_agent_process *process;
	struct dt_agent *agent;
	struct dt_agent_thread *thread;
	uint64_t cookie;		/* of the program that runs */
	struct dt_agent_window *window;	/* of the loop that runs; NULL: none */
	/*
	 * pid << 32 | tid, as get_current_pid_tgid() has it: always written whole. A load of both halves
	 * that were stored one by one waits until all stores before them are done (x86-64)
	 */
	union {
		uint64_t ids;
		struct { uint32_t tid, pid; };
	};
	uint32_t cpu;
	uint32_t slot;			/* the index of `thread` */
	/* process->code: a child that a signal handler forks goes on without `process` */
	uint64_t code;
	uint64_t signals;		/* bit n - 1: signal n is sent when the programs have ended */
};
enum { DT_FIRING_SIZE = 400 };
_Static_assert(sizeof(struct dt_firing) <= DT_FIRING_SIZE && DT_FIRING_SIZE % 16 == 0, "room for a firing");

/*
 * A program at a site. At a system call the first is a helper of the agent (DT_HELPER_SYS_ENTER and
 * DT_HELPER_SYS_EXIT), which puts the number of the call where struct pt_regs has it for the others.
 */
struct dt_agent_call {
	uint64_t program;		/* its address in this process; 0 ends the list */
	uint64_t cookie;		/* what get_attach_cookie() says */
};

/* A patched place: in the island, written by dtrace while all threads stand still. */
struct dt_agent_site {
	uint64_t entry;			/* address of dt_agent_entry or dt_agent_entry_bare in this process */
	uint64_t back;			/* address of the second half of the trampoline */
	uint64_t process;		/* address of struct dt_agent_process */
	uint64_t pc;			/* of the place: what the registers show */
	uint32_t light;			/* all its programs are (enum dt_native_light), and asks is 0 */
	uint32_t asks;			/* enum dt_agent_kind: what may come from here; 0: nothing */
	struct dt_agent_call call[1];	/* as many as there are, and one with program 0 */
};

/* What dtrace has found out about a process when it was attached to, with numbers as dtrace sees them. */
enum { DT_AGENT_ANCESTORS = 64 };
struct dt_agent_about {
	uint64_t texts[4];		/* where arguments begin and end, and the environment; 0: not known */
	uint32_t ancestor[DT_AGENT_ANCESTORS];	/* parent first; 0 ends */
};

/* Of one process. A child that was forked reads zeros: `enabled` is 0, and its trampolines do nothing. */
struct dt_agent_process {
	uint32_t enabled;
	uint32_t pid;			/* as dtrace sees it */
	uint32_t self;			/* as the process sees it: for system calls */
	uint32_t no_reads;		/* process_vm_readv() is refused here: reading is a fault */
	uint32_t no_calls;		/* a filter may kill for any other system call: none is made */
	uint64_t code, data;		/* addresses of the mappings */
	uint64_t stacks;		/* DT_AGENT_THREADS of them */
	uint64_t clock;			/* clock_gettime() of the vDSO; 0: the system call */
	/* words from the thread pointer on: the thread's number, and rseq's cpu_id; 0: system calls */
	int32_t tid_at, cpu_at;
	uint32_t atomics;		/* the processor has single instructions for them (aarch64) */
	uint32_t uid, gid;		/* as they were at the start, and the name: for no_calls */
	char comm[16];
	uint32_t spare;
	uint64_t code_size, data_size;	/* bytes that are mapped: what probe_read_kernel() may read */
	struct dt_agent_about about;
	/* what head.run runs a program about; NULL: about the thread that calls it */
	struct dt_agent_sample *sample;
};

/*
 * A thread of another process, as it was when it was interrupted: what programs see in place of the thread
 * that runs them. Memory is read from that process, except for a piece of its stack that was copied then.
 */
struct dt_agent_sample {
	uint32_t pid, tid, cpu, uid, gid;
	uint32_t slot;			/* of the thread: self-> variables; head.run sets it */
	uint64_t time;
	char name[16];
	const uint8_t *stack;		/* the bytes of the process from stack_at on */
	uint64_t stack_at, stack_len;
};

/* Of one thread, found by process and number; 64 bytes. */
struct dt_agent_thread {
	uint64_t owner;			/* pid << 32 | tid; 0: free */
	/*
	 * the struct dt_firing under way, of a light site and of any other; 0: none. Another one that begins
	 * meanwhile is nested, and is not run
	 */
	uint64_t firing, light;
	uint64_t n;			/* firings that have ended */
	uint64_t missed;		/* nested ones */
	/* another for each owner: a value of DT_AGENT_THREAD with an older one is stale */
	uint64_t life;
	uint64_t random;		/* state of get_prandom_u32() */
	uint64_t lent;			/* a child by vfork() may run as if it were this thread */
};
_Static_assert(sizeof(struct dt_agent_thread) == 64, "a line of the cache");

/*
 * System calls that a thread is in: several, when signal handlers make some while others wait. The stack
 * pointer, which is the same before and after, tells one from the other.
 */
enum { DT_AGENT_CALLS = 7 };
struct dt_agent_pending {
	uint64_t life;			/* of the thread; another one's: there are none */
	uint64_t next;			/* where the next goes when all are in use */
	struct { uint64_t sp, number; } v[DT_AGENT_CALLS];	/* sp 0: free; number: + 1, 0: never used */
};
_Static_assert(sizeof(struct dt_agent_pending) == 128, "two lines of the cache");

/*
 * What a thread is about to do, or has done, that dtrace has to look at before it goes on: it fills in an
 * entry, wakes dtrace, and waits until the word has changed, hold_ms at the longest. dtrace checks all of
 * it: any process of the trace can write it.
 */
enum dt_agent_kind {
	DT_ARRIVAL_LIBRARY = 1,		/* the dynamic linker has mapped or unmapped files */
	DT_ARRIVAL_CALL,		/* of a site: the system call may be one of the next two */
	DT_ARRIVAL_EXEC,		/* the thread will execute a program */
	DT_ARRIVAL_FORK,		/* it will make a child */
};
enum { DT_AGENT_NEWS = 64, DT_NEWS_FREE = 0, DT_NEWS_BUSY = 1, DT_NEWS_ASKED = 2, DT_NEWS_STATE = 3 };
struct dt_agent_news {
	uint32_t word;			/* a futex: a state, and from bit 2 on how often it was used */
	uint32_t kind;			/* enum dt_agent_kind */
	uint32_t pid, tid;		/* as the process sees them; a child by vfork() has its own */
	uint32_t traced;		/* the process whose agent says so, as dtrace sees it */
	int32_t dir;			/* EXEC: of the path, AT_FDCWD or a descriptor */
	uint64_t path;			/* EXEC: where it is in memory */
};

/* The beginning of data. */
struct dt_agent {
	uint32_t magic;
	/* 0: every trampoline does nothing; set by start, cleared by the guardian */
	uint32_t enabled;
	uint32_t ncpus;			/* cpu of a firing is below it */
	uint32_t wake;			/* a futex: counts what the reader is to be woken for */
	uint32_t sleeping;		/* the reader waits on it */
	/* the longest time that a thread waits for dtrace; 0: it tells nothing; 1: it does not wait */
	uint32_t hold_ms;
	uint32_t follow;		/* children are to be announced */
	uint32_t unanswered;		/* threads that went on without an answer */
	uint32_t pad[8];
	uint64_t crowded;		/* firings without a slot for their thread */
	uint64_t lives;			/* slots that were claimed */
	uint64_t spare[6];
	struct dt_agent_thread thread[DT_AGENT_THREADS];
	struct dt_agent_pending pending[DT_AGENT_THREADS];	/* by the same index */
	struct dt_agent_news news[DT_AGENT_NEWS];
};

/* ---- maps: what the helpers of eBPF know as a map is one of these, in code ---- */

enum dt_agent_maptype {
	DT_AGENT_ARRAY,			/* at: the values, `stride` apart */
	DT_AGENT_CPU_ARRAY,		/* for each CPU: max_entries values, `stride` apart */
	DT_AGENT_HASH,			/* agent_hash.c */
	DT_AGENT_CPU_HASH,		/* an element has `ncpus` values, `stride` apart */
	DT_AGENT_RING,			/* agent_ring.c */
	/* at: for each index a u64, the place of a map; 0: none. In code or data */
	DT_AGENT_OF_MAPS,
	DT_AGENT_THREAD,		/* task storage: a value for each slot of a thread, and its owner */
};

struct dt_agent_map {
	uint32_t type;
	uint32_t key_size, value_size, max_entries;
	/* value_size, rounded up to 8; of CPU arrays and hashes: of one CPU */
	uint32_t stride;
	uint32_t ncpus;
	uint64_t at;			/* of its memory */
	uint64_t size;			/* bytes of that memory */
	uint64_t mask;			/* of HASH: buckets - 1; of RING: bytes - 1 */
};

/* Bytes of data that a map needs; fills in stride, size and mask. 0: there is no such map. */
uint64_t dt_agent_map_size(struct dt_agent_map *);

/*
 * Helpers: each has the five arguments of eBPF and the firing. Programs and the functions in them have the
 * same form, so that a helper can call back: dt_agent_f(i, ctx, 0, 0, 0, firing). They return to C with its
 * registers as they were.
 */
typedef uint64_t dt_agent_f(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, struct dt_firing *);

/*
 * The head of the agent's bytes: where its functions are, from the beginning of code on. helper[n] is that of
 * enum bpf_func_id; 0: the agent does not have that helper.
 */
enum { DT_AGENT_HELPERS = 216 };
struct dt_agent_head {
	uint32_t magic, size;		/* bytes of the agent */
	/* where trampolines go: registers in, dt_agent_fire(), registers out */
	uint32_t entry;
	/* uint64_t run(struct dt_firing *, uint64_t program): on a stack of its own */
	uint32_t run;
	/* entry for sites whose programs are light and read no register: saves what C code changes */
	uint32_t entry_bare;
	uint32_t helper[DT_AGENT_HELPERS];
};

/*
 * head.run: runs a program of dtrace's own (BEGIN, END, ticks) in the calling thread, whether or not
 * `enabled` is set, and returns its value; UINT64_MAX: it was not run (nested, or no slot is free). The
 * caller sets `process`, `agent` and `cookie` of the firing, and zeros in the rest of it. Of `process`:
 * pid, self, code, data, their sizes, clock, sample; stacks may be 0: then the program runs on the stack of
 * the caller.
 */
uint64_t dt_agent_run(struct dt_firing *, uint64_t program);

/*
 * Runs the programs of a site unless nothing is to run. Called by the entry on the stack of the process; it
 * changes the stack.
 */
void dt_agent_fire(struct dt_firing *, const struct dt_agent_site *);
/* The same for sites of entry_bare: of the registers the firing has none. */
void dt_agent_fire_bare(struct dt_firing *, const struct dt_agent_site *);

#endif
