/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/unwind/unwind*.c. */
#ifndef DT_UNWIND_UNWIND_IMPL_H
#define DT_UNWIND_UNWIND_IMPL_H

#include "file/elf.h"
#include "lang/lang.h"
#include "unwind/unwind.h"
#include "symbol/usym.h"

enum { DT_UNWIND_BUCKETS = 1024, DT_UNWIND_CLASSES = 32, DT_UNWIND_FILES = 4096 };
#define DT_UNWIND_REUSE_NS 100000000u		/* a program is over long before that */

struct dt_unwind_file {
	uint64_t key, base;
	uint32_t first, n;		/* blocks; 0: it has no rows */
	uint32_t size;			/* words: of blocks, of rows, and between chunks */
	bool foreign;			/* untrusted: of another user than root and the tracer's */
	bool left_out;			/* there was no room for `size` */
	bool used;			/* since the last sweep, or by a list */
	struct dt_unwind_key published;
	struct dt_lang_file *lang;	/* the runtime that it has; NULL: none */
	struct dt_unwind_file *next;
};
struct dt_unwind_place { uint32_t first, n; uint64_t since; struct dt_unwind_place *next; };
struct dt_unwind_room { uint32_t first; uint64_t since; struct dt_unwind_room *next; };

/* unwind_lang.c: runtimes of languages in a process */
struct dt_unwind_runtime {
	uint64_t file, bias;		/* which file of the process it is in, and where that is */
	bool seen;			/* in the list that is being made */
	bool ready, failed;		/* the record can be used; it never will be */
	uint64_t retry, wait;		/* ns: when it is to be asked again, and how long after that */
	struct dt_lang_process process;
	struct dt_unwind_lang record;
	uint8_t class;			/* of the block of its functions */
};
struct dt_unwind_runtimes {
	uint32_t pid;
	unsigned n;
	struct dt_unwind_runtime v[DT_UNWIND_LANGS];
	struct dt_unwind_runtimes *next;
};

struct dt_unwind_proc {
	uint32_t pid;
	uint32_t first, n;		/* its list, with the records of its runtimes; n 0: none */
	struct dt_unwind_runtimes *runtimes;	/* NULL: none */
	uint8_t class;			/* of the list's block */
	bool queued;
	struct dt_unwind_proc *next, *after;	/* of the bucket, of the queue */
};

struct dt_unwind {
	struct dt_unwind_areas areas;
	struct { void **chunk; uint32_t n; } table[DT_UNWIND_TABLES];
	struct dt_usyms *usyms;
	struct dt_unwind_proc *proc[DT_UNWIND_BUCKETS], *queue, *last;
	struct dt_unwind_file *file[DT_UNWIND_BUCKETS];
	/* freed blocks for lists, the oldest first */
	struct dt_unwind_room *free[DT_UNWIND_CLASSES], *free_end[DT_UNWIND_CLASSES];
	uint32_t maps_used;
	/* room for rows (unwind_room.c): what was given back, by place; after rows_end all is unused */
	struct dt_unwind_place *places;
	uint32_t rows_end;
	uint64_t foreign;		/* words of files of other users */
	uint32_t nfiles, sweep_at;	/* sweep_at: number of files that triggers a sweep */
	uint32_t crowded;		/* files without room since the last sweep */
	uint64_t swept, again;		/* ns; when all processes are to be looked at again, or 0 */
	/* hash: numbers of rules, 0 free; NULL until the first. Its size is a power of two */
	uint32_t *rules, rule_slots;
	struct dt_unwind_map *scratch;
	bool hurry;			/* a caller waits: large files are read by a thread */
	struct dt_unwind_slow *slow;	/* unwind_slow.c; NULL: it reads none */
	struct dt_unwind_runtimes *runtimes;	/* those of all processes */
	uint32_t serial;		/* of blocks of functions */
	struct dt_unwind_stats stats;
};

/*
 * unwind_file.c: the rows of a file, read if it is new. NULL: out of memory. The mapping gives another
 * way to the file.
 */
const struct dt_unwind_file *dt_unwind_file(struct dt_unwind *, const struct dt_umapping *, uint32_t pid);
void dt_unwind_files_free(struct dt_unwind *);
/*
 * unwind_slow.c. READ: the rows are to be read here and now; WAIT: they will come; READY: they are in the
 * cfi. idle: no list is left to be made.
 */
enum dt_unwind_how { DT_UNWIND_READ, DT_UNWIND_WAIT, DT_UNWIND_READY };
struct dt_cfi;
enum dt_unwind_how dt_unwind_slow(struct dt_unwind *, const struct dt_umapping *, uint32_t pid,
    struct dt_cfi *);
void dt_unwind_slow_poll(struct dt_unwind *, bool idle);
void dt_unwind_slow_free(struct dt_unwind *);
/* unwind_lang.c */
void dt_unwind_mark(struct dt_cfi *, const struct dt_lang_file *);
struct dt_lang_file *dt_unwind_look(const struct dt_umapping *);
void dt_unwind_runtime_seen(struct dt_unwind *, struct dt_unwind_proc *, const struct dt_unwind_file *,
    uint64_t bias);
unsigned dt_unwind_runtimes(struct dt_unwind *, struct dt_unwind_proc *, struct dt_unwind_lang *);
/*
 * Adds the code that they have made to the mappings, of which there are n, and returns how many there are
 * then.
 */
uint32_t dt_unwind_add_code(const struct dt_unwind_proc *, struct dt_unwind_map *, uint32_t n, uint32_t most);
void dt_unwind_runtimes_poll(struct dt_unwind *);
void dt_unwind_runtimes_free(struct dt_unwind *, struct dt_unwind_proc *);
/*
 * unwind.c: a block of lists, of 1 << class elements; UINT32_MAX: there is no room. A given one rests first.
 */
uint32_t dt_unwind_take(struct dt_unwind *, unsigned class);
void dt_unwind_give(struct dt_unwind *, unsigned class, uint32_t first);
/* unwind_room.c: makes the chunks of the elements before `end`; false: there is no memory */
bool dt_unwind_reach(struct dt_unwind *, enum dt_unwind_table, uint64_t end);
/* Room for n words, and for gaps at the ends of chunks: the first one; UINT32_MAX: none. Sets f->size. */
uint32_t dt_unwind_take_rows(struct dt_unwind *, struct dt_unwind_file *, uint64_t n);
/* Gives back what no list leads to, if there is need. No list may be half made. */
void dt_unwind_sweep(struct dt_unwind *);
void dt_unwind_places_free(struct dt_unwind *);

/* Elements that were reached; those of one chunk follow each other. */
static inline uint32_t *dt_unwind_word(const struct dt_unwind *u, uint32_t i)
{
	uint32_t *chunk = u->table[DT_UNWIND_WORDS].chunk[i >> DT_UNWIND_WORD_BITS];

	return &chunk[DT_UNWIND_IN_CHUNK(i, DT_UNWIND_WORD_BITS)];
}

static inline struct dt_unwind_rule *dt_unwind_rule(const struct dt_unwind *u, uint32_t i)
{
	struct dt_unwind_rule *chunk = u->table[DT_UNWIND_RULE].chunk[i >> DT_UNWIND_RULE_BITS];

	return &chunk[DT_UNWIND_IN_CHUNK(i, DT_UNWIND_RULE_BITS)];
}

static inline struct dt_unwind_map *dt_unwind_list(const struct dt_unwind *u, uint32_t i)
{
	struct dt_unwind_map *chunk = u->table[DT_UNWIND_LISTS].chunk[i >> DT_UNWIND_MAP_BITS];

	return &chunk[DT_UNWIND_IN_CHUNK(i, DT_UNWIND_MAP_BITS)];
}

#endif
