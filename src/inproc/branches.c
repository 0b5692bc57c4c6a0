/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where branches lead from elsewhere into functions that have places: none may lead into a patch. Where
 * instructions have one length, all code of the file is read. Where they have many, what looks like such a
 * branch is looked for, and the function that it is in decides: to read all code would be most of the time
 * that attaching takes.
 */
#include "inproc/finding.h"

#include <errno.h>
#include <stdlib.h>

enum { TEXT_MAX = 512 << 20 };

struct reading {
	const struct dt_machine *machine;
	struct inproc_file *f;
	const uint8_t *code;
	uint64_t len;
	struct dt_patch_range *range;	/* functions with places, sorted */
	uint32_t nranges;
	uint64_t walked, walked_end;	/* the function whose branches are noted */
	uint64_t walked_at;		/* while it is walked: its address */
};

static void note_branch(void *ctx, uint64_t from, uint64_t to)
{
	struct inproc_file *f = ctx;

	(void)from;
	if (f->ntargets == f->targets_cap) {
		uint32_t cap = f->targets_cap * 2 + 64;
		uint64_t *more = realloc(f->targets, cap * sizeof(*more));

		if (more == NULL) {
			f->targets_lost = true;
			return;
		}
		f->targets = more;
		f->targets_cap = cap;
	}
	f->targets[f->ntargets++] = to;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool note_insn(void *ctx, const struct dt_insn *in)
{
	struct reading *r = ctx;

	if (in->way == DT_INSN_BRANCH || in->way == DT_INSN_JUMP)
		note_branch(r->f, 0, r->walked_at + in->to);
	return true;
}

/*
 * The function around what looks like a branch says whether it is one: all its branches are noted, once.
 * Where no function is known, or its bytes are not instructions to their end, it counts as one.
 */
static void look_closely(void *ctx, uint64_t from, uint64_t to)
{
	struct reading *r = ctx;
	uint64_t off = from - r->f->text_start, into = 0, size;

	if (from - r->walked < r->walked_end - r->walked)
		return;
	size = dt_inproc_function(r->f, r->f->text_offset + off, &into);
	r->walked_at = from - into;
	if (size == 0 || into > off || size > r->len - (off - into) ||
	    r->machine->walk(r->code + off - into, size, r->walked_at, note_insn, r) != 0) {
		note_branch(r->f, from, to);
		return;
	}
	r->walked = r->walked_at;
	r->walked_end = r->walked_at + size;
}

/* Places are sorted, so the functions that they are in are too. */
static int find_ranges(struct reading *r, const struct inproc_places *places, uint32_t file)
{
	r->range = calloc(r->f->nplaces + 1u, sizeof(*r->range));
	if (r->range == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < places->n; i++) {
		const struct inproc_place *at = &places->v[i];
		uint64_t into = 0, size;
		struct dt_patch_range *last = r->nranges > 0 ? &r->range[r->nranges - 1] : NULL;

		if (at->in != file || (last != NULL && at->pc < last->end))
			continue;
		size = dt_inproc_function(r->f, at->offset, &into);
		if (size != 0 && r->nranges < r->f->nplaces)
			r->range[r->nranges++] =
			    (struct dt_patch_range){ at->pc - into, at->pc - into + size };
	}
	return 0;
}

static int read_code(struct reading *r, const struct inproc_places *places, uint32_t file)
{
	int err = 0;

	if (r->machine->insn_align >= 4)
		(void)dt_patch_targets(r->machine, r->code, r->len, r->f->text_start, note_branch, r->f);
	else
		err = find_ranges(r, places, file);
	if (err == 0 && r->nranges > 0)
		dt_patch_leads(r->machine, r->code, r->len, r->f->text_start, r->range, r->nranges,
		    look_closely, r);
	free(r->range);
	if (r->f->ntargets > 1)
		qsort(r->f->targets, r->f->ntargets, sizeof(*r->f->targets), by_value);
	return err != 0 ? err : r->f->targets_lost ? -ENOMEM : 0;
}

int dt_inproc_read_branches(struct inproc *p, struct inproc_target *t, struct inproc_places *places,
    uint32_t file)
{
	struct inproc_file *f = &places->file[file];
	struct reading r = { .machine = p->opts.machine, .f = f, .len = f->text_end - f->text_start };
	uint8_t *code = r.len <= TEXT_MAX ? malloc(r.len + 1) : NULL;
	int err = code != NULL ? dt_inject_read(t->inject, f->text_start, code, r.len) : -ENOMEM;

	r.code = code;
	err = err == 0 ? read_code(&r, places, file) : -ENOMEM;
	free(code);
	return err;
}
