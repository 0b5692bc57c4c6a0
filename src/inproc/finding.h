/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/inproc: from points and system calls to places, while the mappings of a process are read. */
#ifndef DT_INPROC_FINDING_H
#define DT_INPROC_FINDING_H

#include "inproc/target.h"

#include <sys/stat.h>

struct dt_reader;

struct inproc_mapped { uint64_t start, end, offset, inode; dev_t dev; bool exec; char *path; };
struct inproc_maps { struct inproc_mapped *v; uint32_t n, cap; int err; };

struct inproc_finding {
	struct inproc *p;
	struct inproc_target *t;
	struct inproc_places *out;
	struct inproc_maps maps;
	struct dt_reader *reader;
	uint32_t cap;
	uint32_t order;			/* of the next place */
	const char *path;		/* of the file whose status is in st */
	struct stat st;
	int stat_err;
};

/* place.c. The path stays the caller's; NULL: out of memory. */
struct inproc_file *dt_inproc_file_of(struct inproc_finding *, const char *path);
int dt_inproc_add_place(struct inproc_finding *, const struct dt_point *, const struct inproc_mapped *in,
    uint64_t sem, struct dt_agent_call);

/* A place where dtrace is told of what comes (enum dt_agent_kind), whatever else fires there. */
int dt_inproc_add_ask(struct inproc_finding *, const struct dt_point *, const struct inproc_mapped *in,
    uint32_t kind);
/* The file of a mapping as the process names it; the text lives as long as the places. */
const char *dt_inproc_path_of(struct inproc_finding *, const struct inproc_mapped *);
/* ask_places.c: where the dynamic linker says that it has loaded libraries; only where it is not known yet */
int dt_inproc_find_linker(struct inproc_finding *);
/* Whether instructions of system calls in this file are to be looked at for those that make processes. */
bool dt_inproc_asks_in(const struct inproc_finding *, const struct inproc_mapped *);
/* May this instruction, `off` from the beginning of code, make such a call? */
bool dt_inproc_may_ask(const struct inproc_finding *, const uint8_t *code, uint64_t off);
bool dt_inproc_known(const struct inproc_target *, const struct inproc_mapped *);

/*
 * call_places.c: system calls in code that is mapped from files and was not looked at before; again: the
 * dynamic linker is at work
 */
int dt_inproc_find_calls(struct inproc_finding *, bool again);
/*
 * The function around an offset of a file, by symbols or by tables for unwinding: its size, 0: not known;
 * into: how far the offset is in it
 */
uint64_t dt_inproc_function(struct inproc_file *, uint64_t offset, uint64_t *into);
/* branches.c: f->targets of a file that has places. 0 or -ENOMEM. */
int dt_inproc_read_branches(struct inproc *, struct inproc_target *, struct inproc_places *, uint32_t file);
void dt_inproc_close_file(struct inproc_file *);

#endif
