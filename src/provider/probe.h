/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes of one handle: each has one number (dt_probes_by_id()) and is found by description.
 * Providers create them (provider.h); the engine asks each for its hook, the place in the kernel where
 * it fires.
 */
#ifndef DT_PROVIDER_PROBE_H
#define DT_PROVIDER_PROBE_H

#include "base/diag.h"
#include "base/map.h"
#include "dif/dif.h"
#include "engine/hook.h"

struct dt_kfuncs;
struct dt_probe_sig;
struct dt_provider;
struct dt_types;

/*
 * Where a probe fires. Probes with the same kind, target and interval share one program. Derived probes
 * (proc:::exit from sched_process_exit) tell in D when they fire and what their arguments are; both are
 * compiled with arg0 … arg9 of the hook. NULL: always, with the hook's own arguments.
 */
struct dt_hook {
	enum dt_hook_kind kind;
	/* RAWTP: the tracepoint; RUN: a name, so BEGIN and END are two programs */
	const char *target;
	uint64_t interval;
	uint32_t number;		/* of a system call; of a point: given at enabling */
	uint64_t offset;		/* KFUNC: in the function; UPROBE: in the file `target` */
	uint32_t site;			/* URETSITE: offset of the instruction in the function: arg0 */
	/*
	 * UPROBE, URETSITE: which comes first at one instruction, whatever the order of the clauses. `once`:
	 * `when` changes variables of the probe, so it runs once, however many clauses the probe has
	 */
	enum dt_hook_order { DT_ORDER_NONE, DT_ORDER_ARRIVE, DT_ORDER_NEXT, DT_ORDER_DONE, DT_ORDER_PASS,
		DT_ORDER_BEGIN } order;
	bool once;
	uint64_t ref_ctr;		/* UPROBE: where in the file the 16-bit semaphore is, 0: none */
	uint32_t pid;			/* UPROBE: in this process only, 0 in all */
	/* UPROBE, -x follow: in this process and its descendants; 0: `when` decides */
	uint32_t root;
	bool needs_fexit;		/* KRET: its expressions use arguments of the function */
	/* KFUNC, KRET: never by trampoline (rawfbt; names of several functions) */
	bool by_kprobe;
	bool alone;			/* KFUNC, KRET: no other function that can be traced has its name */
	bool inside;			/* KPROBE: given at enabling: `offset` is not 0 */
	/* UPROBE: nowhere yet; it reserves room for what may come while tracing */
	bool waiting;
	/* KPROBE …, set when enabled: an event of its own, not one link for all */
	bool single;
	/*
	 * D: the probe fires for each of several things; the text gives the next after arg9, and the
	 * first after 0
	 */
	const char *each;
	const char *when;		/* D expression, "((struct task_struct *)arg0)->pid == …" */
	const char *args[10];		/* D expressions for arg0 … ; NULL ends */
	bool soft;			/* in `when` and `args` a bad address gives 0, not a fault */
	/* A probe may fire at several places (proc:::exec), with the same clauses */
	const struct dt_hook *next;
};

struct dt_probe {
	uint32_t id;
	const char *prov, *mod, *func, *name;	/* "" where it has none */
	const struct dt_provider *row;
	struct dt_hook hook;
	/* The types of its arguments if they are known from a process; NULL: ask the row */
	const struct dt_probe_sig *sig;
	const struct dt_loaded *loaded;	/* the module in its process (objects.h), NULL: of the kernel */
	/* It fires in every process that runs the file; the provider's name has no process number */
	bool every;
	/* For a static probe in one process: the provider without the process number; NULL: none */
	const char *base;
	const char *never;		/* it never fires: a sentence that says why; NULL: it may */
	/* Another name of the function that descriptions may use; NULL: none */
	const char *alt;
};

struct dt_replay_events;

struct dt_probes {
	struct dt_arena *arena;
	struct dt_types *types;			/* tracepoints are found there; NULL: none are */
	DT_VEC(struct dt_probe *) list;		/* all, in the order of their creation */
	DT_VEC(struct dt_probe *) listed;	/* those that -l shows of the kernel: listed.v[id - 1] */
	DT_VEC(struct dt_probe *) named;	/* the others */
	struct dt_probe **slots;		/* of these, by number: open addressing */
	size_t nslots;
	bool making_list;			/* a provider creates what can be listed */
	struct dt_map by_name;			/* "prov:mod:func:name" */
	struct dt_map provided;			/* providers that have made all they can list */
	struct dt_map *groups;			/* tracepoint -> group, NULL: not read yet */
	bool functions_asked, functions;	/* dt_probes_functions() */
	bool fexit_asked, fexit;		/* dt_probes_fexit() */
	struct dt_kfuncs *kfuncs;		/* dt_probes_each_function(), NULL: not read yet */
	struct dt_object *objects;		/* files of processes (objects.h) */
	struct dt_reader *reader;		/* reads them; NULL: not started yet */
	struct dt_reader *dwarf_reader;		/* … and their debugging data */
	size_t dwarf_bytes;			/* of what these said */
	uint32_t dwarf_lost;			/* files whose debugging data were not answered for */
	/*
	 * Listing: each process has probes of its own. Otherwise the probes of a pattern are shared by
	 * all that run a file
	 */
	bool listing;
	uint32_t walk;				/* looks through all processes so far (p_usdt.c) */
	struct dt_map walked;			/* "description object" that pid has looked through */
	/* The last description matched only without its module or function, which are of another system */
	bool by_history;
	/* With the reason why nothing matched: the kind of error */
	enum dt_tag tag;
	bool follow;				/* probes of a process are also those of its children */
	/* `return` in processes is the kernel's return probe; where that does harm, it is `returned` */
	bool uretprobe;
	const struct dt_replay_events *events;	/* -x replay: what alone fires; NULL: no */
	uint32_t tails;				/* functions with jumps to others, whose end is seen there */
};

/* Listed probes have lower numbers; the number of any other comes from its name. */
enum { DT_PROBE_FIRST_NAMED = 1000000 };

void dt_probes_init(struct dt_probes *, struct dt_arena *, struct dt_types *);
void dt_probes_fini(struct dt_probes *);	/* closes what they hold open */
/* All is compiled: the reader of debugging data ends, until more are asked for */
void dt_probes_typed(struct dt_probes *);
/* Creates a probe, or returns the one of that name. Names are copied, the texts of the hook are not. */
struct dt_probe *dt_probes_add(struct dt_probes *, const struct dt_provider *, const char *mod,
    const char *func, const char *name, const struct dt_hook *);
/* The same for providers whose name contains a process number. */
struct dt_probe *dt_probes_add_as(struct dt_probes *, const struct dt_provider *, const char *prov,
    const char *mod, const char *func, const char *name, const struct dt_hook *);
/* A probe that never fires: its program is made and never run, so that clauses mean what they say. */
void dt_probes_add_idle(struct dt_probes *, const struct dt_provider *, const char *prov, const char *mod,
    const char *name, const char *never);
/* Makes it fire there too (and at `next`), unless it already does */
void dt_probe_also(struct dt_probes *, struct dt_probe *, const struct dt_hook *);
/*
 * How many arguments a RAWTP hook has: a program that reads more cannot be attached. 12, the maximum,
 * if it is unknown or not a raw tracepoint.
 */
uint32_t dt_hook_nargs(struct dt_types *, const struct dt_hook *);
/* The probe of a number that was given out so far, or NULL. */
const struct dt_probe *dt_probes_by_id(const struct dt_probes *, uint32_t id);
/*
 * Calls f for every probe that the description matches, after the providers concerned have created
 * theirs: listed probes by number, then the others in the order of their creation. A literal provider
 * name asks that provider and those before it in the table, so a listed probe has the same number in
 * every run. Returns how many matched, or f's first non-zero value as a negative errno. *why (may be
 * NULL) gets a sentence if nothing can match and a provider knows the reason.
 */
typedef int dt_probe_f(void *ctx, const struct dt_probe *);
int dt_probes_match(struct dt_probes *, const struct dt_probedesc *, dt_probe_f *, void *ctx,
    const char **why);
/*
 * The same for existing probes only: no provider is asked. from: only named ones, after that many; 0: all.
 */
int dt_probes_there(struct dt_probes *, uint32_t from, const struct dt_probedesc *, dt_probe_f *, void *ctx);
/*
 * For a pattern that matched some probes of one provider: a sentence about those that this kernel
 * cannot have; NULL: none are left out. In the arena.
 */
const char *dt_probes_left_out(struct dt_probes *, const struct dt_probedesc *);

#endif
