/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses /proc/PID/maps and /tmp/perf-PID.map, both written by others: malformed lines are skipped. And
 * /proc/PID/auxv, what the kernel tells a program at its start.
 */
#ifndef DT_SYMBOL_MAPS_H
#define DT_SYMBOL_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_mapping {
	uint64_t start, end;
	uint64_t offset;		/* in the file */
	uint32_t major, minor;		/* of the file's device */
	uint64_t inode;			/* 0: no file */
	bool exec;
	bool deleted;
	char path[4096];		/* "" none; "[vdso]" and the like are no files */
};

/* Reads the next good line and moves *text past it; false at the end. The text ends with a NUL. */
bool dt_maps_next(const char **text, struct dt_mapping *);

/*
 * Calls f for each mapping of a process until it gives false: what was read is never kept as a whole. The
 * number of mappings, or -errno.
 */
typedef bool dt_maps_f(void *ctx, const struct dt_mapping *);
int dt_maps_each(uint32_t pid, dt_maps_f *, void *ctx);

/* A word of the kernel's as a program of 64 bits has it; type AT_NULL (0) ends the list. */
struct dt_auxv { uint64_t type, value; };
/* How many there are, at most n; 0: none can be read. */
size_t dt_auxv_read(uint32_t pid, struct dt_auxv *, size_t n);

struct dt_jit_function { uint64_t start, size; const char *name; uint64_t order; };

struct dt_perftext;

/* Code generated at run time, as its compiler reports it: "START SIZE name", hexadecimal. */
struct dt_perfmap {
	struct dt_perftext *text;	/* names point into it */
	struct dt_jit_function *func;	/* sorted; of overlapping ones the one reported last counts */
	size_t n, cap;
	size_t bytes;			/* of memory, all of it */
};

/*
 * Takes over the text (malloc'ed, whole lines, ends with a NUL), which comes after what was added before;
 * functions are found once dt_perfmap_sort() was called. 0 or -ENOMEM.
 */
int dt_perfmap_add(struct dt_perfmap *, char *text);
void dt_perfmap_sort(struct dt_perfmap *);
void dt_perfmap_free(struct dt_perfmap *);
/* What it takes, with the copy of the table that qsort(3) makes. */
static inline size_t dt_perfmap_bytes(const struct dt_perfmap *m)
{
	return m->bytes + m->n * sizeof(*m->func);
}
const struct dt_jit_function *dt_perfmap_at(const struct dt_perfmap *, uint64_t addr);

#endif
