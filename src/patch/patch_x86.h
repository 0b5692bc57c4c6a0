/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside src/patch: which instructions of x86-64 a patch displaces. */
#ifndef DT_PATCH_PATCH_X86_H
#define DT_PATCH_PATCH_X86_H

#include "machine/x86.h"
#include "patch/patch.h"

enum {
	DT_SPAN_JUMP = 5,		/* bytes of the jump */
	DT_SPAN_LANDING = 4,		/* of endbr64 */
	DT_SPAN_INSNS = 8,
	DT_SPAN_CELL = 128,		/* bytes in which all places are looked at, to see which overlap */
	DT_SPAN_WINDOW = 3 * DT_SPAN_CELL,	/* what is looked at closely: a cell and some on both sides */
};

/* What is known about the bytes around a place, after its whole function was read. */
struct dt_span_window {
	const struct dt_patch_site *site;
	uint64_t cell;			/* the address of the cell that the place is in */
	uint64_t base;			/* the address of flag[0], at most a cell before it */
	uint8_t flag[DT_SPAN_WINDOW];	/* an instruction begins there; a branch leads there */
	bool table;			/* the function may jump by a table to places that are not known */
	bool known;			/* there is a function */
};

/* Displaced instructions: [start, end) in whole, the jump is at start. */
struct dt_span {
	uint64_t start, end;
	uint8_t n, at_site;		/* which of them the probe is before; n: it is after them */
	struct { uint64_t at; struct dt_x86 x; } insn[DT_SPAN_INSNS];
	bool ends;			/* what follows the last one is not reached from it */
};

/* NULL, or why it cannot be read. */
const char *dt_span_window(struct dt_span_window *, const struct dt_patch_site *);
/* What a probe at pc displaces, whatever else is patched. NULL, or why it cannot be. */
const char *dt_span_find(const struct dt_span_window *, uint64_t pc, struct dt_span *);

void dt_patch_x86_leads(const uint8_t *code, uint64_t size, uint64_t addr, const struct dt_patch_range *,
    uint32_t n, dt_patch_target_f *, void *ctx);
bool dt_patch_x86_tables(const struct dt_patch_tables *, dt_patch_target_f *, void *ctx);

/* Does a system call follow the span, to which nothing else leads? Its probe can be fired after the span. */
bool dt_span_reaches_call(const struct dt_span_window *, const struct dt_span *);

#endif
