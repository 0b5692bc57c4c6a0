/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/inproc: a traced process, and the places in it that are to be patched. */
#ifndef DT_INPROC_TARGET_H
#define DT_INPROC_TARGET_H

#include "inject/guardian.h"
#include "inject/inject.h"
#include "inproc/inproc.h"
#include "patch/patch.h"

#include <sys/types.h>

struct inproc_scanned { uint64_t start, end, inode; bool done; };
struct inproc_known { uint64_t start, offset, inode; dev_t dev; };
struct inproc_island { uint64_t addr, len, low; bool free; };
struct inproc_sem { uint64_t addr; struct dt_inject_file in; };

struct inproc_target {
	uint32_t pid;
	struct dt_inject *inject;
	uint64_t code, process;		/* addresses in it; 0: nothing is mapped yet */
	uint32_t nsegments;		/* of code that are mapped */
	struct dt_inject_site *site;	/* what is changed, for the end */
	struct dt_inject_file *file;
	struct dt_inject_range *range;
	uint32_t nsites, nfiles, nranges;
	bool ended;
	bool shadow_stack;		/* its threads have one: calls must be calls */
	bool fresh;			/* one thread, which our own thread holds before the program begins */
	struct inproc_sem *sem;		/* semaphores of static probes, each counted once */
	uint32_t nsems;
	struct inproc_known *known;	/* code in which the places of all hooks were looked for */
	uint32_t nknown;
	struct inproc_island *island;	/* low: in the file that it is for */
	uint32_t nislands;
	uint32_t root;			/* the process of -p and -c that it is, or descends from */
	bool child;			/* it does not itself belong to those */
	bool words;			/* where its threads have their numbers was looked for late enough */
	struct inproc_scanned *scanned;	/* mappings whose system calls were looked for, or will be */
	uint32_t nscanned;
};

/*
 * write_places.c. prepare: the process runs, which takes long and changes nothing that runs; write: it is
 * stopped
 */
struct inproc_places;
int dt_inproc_prepare_places(
    struct inproc *, struct inproc_target *, struct inproc_places *, char *msg, size_t len);
int dt_inproc_write_places(
    struct inproc *, struct inproc_target *, struct inproc_places *, char *msg, size_t len);
void dt_inproc_drop_semaphores(struct inproc_target *);
struct dt_inject_undo dt_inproc_undo(const struct inproc_target *);

/* A file with places, where it is mapped as code. */
struct inproc_file {
	const char *path;		/* as the points have it */
	char shown[64];			/* as people know it */
	uint64_t low, high;		/* addresses of its first and after its last place */
	uint32_t nplaces;
	uint64_t island, island_len, used;
	uint8_t *bytes;			/* what the island will have */
	bool written;			/* it has them */
	uint64_t text_start, text_end;	/* where its code is mapped */
	uint64_t text_offset;		/* in the file */
	uint64_t *targets;		/* of branches from elsewhere into functions with places, sorted */
	uint32_t ntargets, targets_cap;
	bool targets_lost;		/* there was no memory for all */
	struct dt_elf *elf;		/* NULL: it cannot be read */
	uint64_t inode;
	struct dt_cfi *frames;		/* of functions without a symbol; NULL: not read yet, or none */
	bool frames_read;
	bool calls;			/* it has places at system calls */
};

/* An instruction, and the programs that fire there. */
struct inproc_place {
	uint64_t pc;
	const char *file;
	uint32_t in;			/* index of the file */
	uint64_t offset;		/* in it */
	uint64_t sem;			/* address of the semaphore; 0 none */
	uint32_t order;			/* of those at one instruction */
	struct dt_agent_call *call;
	uint32_t ncalls;
	uint32_t asks;			/* enum dt_agent_kind: dtrace is told of what comes from here */
	uint64_t tramp;			/* address of the trampoline; 0: there is no island */
	uint64_t back;			/* where the agent goes after it; 0: no trampoline fires this place */
	bool shared;			/* the trampoline of another place does */
	struct dt_patch patch;
	const char *why;		/* it cannot be patched; NULL: it can */
};

struct inproc_places {
	struct inproc_place *v;		/* sorted by pc */
	uint32_t n;
	char **path;			/* of files that no point names */
	uint32_t npaths;
	struct inproc_file *file;
	uint32_t nfiles;
	struct dt_reader *reader;	/* of their symbols */
	struct dt_inject_write *write;	/* all jumps */
	uint32_t nwrites;
	struct inproc_known *known;	/* what inproc_target.known is to be then */
	uint32_t nknown;
};

/* The hook's place is one in this process. */
bool dt_inproc_wants(const struct inproc_target *, const struct dt_point *);
int dt_inproc_note_range(struct inproc_target *, uint64_t addr, uint64_t bytes, bool code);
/* target.c: places of hooks from `first` on in all code of a process, of all others in what is new there */
int dt_inproc_attach(struct inproc *, uint32_t pid, uint32_t first, char *msg, size_t len);
struct inproc_target *dt_inproc_target(struct inproc *, uint32_t pid);		/* NULL: none */
struct inproc_target *dt_inproc_new_target(struct inproc *, uint32_t pid, int *err, char *msg, size_t len);
void dt_inproc_forget_target(struct inproc *, struct inproc_target *);	/* nothing is restored */

/* why: a text that stays */
void dt_inproc_leave_out(struct inproc *, const char *place, const char *why);
void dt_inproc_show_place(const struct inproc_places *, uint32_t i, char *buf, size_t len);	/* place.c */

/*
 * place.c: the places of hooks from `first` on, in a process that runs; again: only the system calls of all
 * hooks, in files that were mapped since the last time. 0 or -errno with a sentence
 */
int dt_inproc_find_places(struct inproc *, struct inproc_target *, uint32_t first, bool again,
    struct inproc_places *, char *msg, size_t len);
/* Bytes of an island that a place takes: its trampoline and its struct dt_agent_site. */
uint64_t dt_inproc_place_room(const struct inproc *, const struct inproc_place *);
/* patches.c. The islands are mapped: makes trampolines, and what is to be written at each place. */
int dt_inproc_make_patches(
    struct inproc *, struct inproc_target *, struct inproc_places *, char *msg, size_t len);
void dt_inproc_free_places(struct inproc_places *);
/* stale.c: what is noted of files that are not mapped any more is forgotten. maps: those of now */
struct inproc_maps;
void dt_inproc_drop_stale(struct inproc_target *, const struct inproc_maps *);
/* The place whose bytes the address is among; NULL: none */
const struct inproc_place *dt_inproc_place_around(const struct inproc_places *, uint64_t addr);

#endif
