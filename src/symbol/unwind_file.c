/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns the .eh_frame of one file, or its .debug_frame, into rows in the shared memory. Rules are
 * numbered across all files: a few thousand serve a whole machine.
 */
#include "symbol/unwind_impl.h"
#include "base/clock.h"
#include "base/hash.h"

#include "symbol/elf_impl.h"
#include "symbol/unwind_cfi.h"
#include "symbol/usym_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* FOREIGN_RULES: new ones of one file; all such files have half of them. Large programs have some hundred. */
enum { RULE_SLOTS = 1 << 17, FOREIGN_RULES = 4096 };

/* ---- rules ---- */

static uint32_t hash_of(const struct dt_unwind_rule *r)
{
	return dt_hash_bytes(DT_HASH_START, r, sizeof(*r)) % RULE_SLOTS;
}

/*
 * The number of a rule; 0 ("none") also if there is no room for another: `most` of them. Rules are not given
 * back: files are made of the same few thousand.
 */
static uint32_t rule_number(struct dt_unwind *u, const struct dt_unwind_rule *r, uint32_t most)
{
	uint32_t at = hash_of(r);

	if (r->cfa == DT_CFA_NONE || u->rules == NULL)
		return 0;
	for (; u->rules[at] != 0; at = (at + 1) % RULE_SLOTS)
		if (memcmp(&u->areas.rule[u->rules[at]], r, sizeof(*r)) == 0)
			return u->rules[at];
	if (u->stats.rules >= most)
		return 0;
	u->areas.rule[u->stats.rules] = *r;
	u->rules[at] = u->stats.rules;
	return u->stats.rules++;
}

/* ---- rows ---- */

/*
 * Block k begins with the row in force there, the last one at or before it, and contains those that
 * begin inside.
 */
static void put_blocks(struct dt_unwind_block *to, uint32_t n, const struct dt_unwind_row *row,
    uint32_t nrows, uint32_t first)
{
	uint32_t at = 0;

	for (uint32_t k = 0; k < n; k++) {
		uint64_t from = (uint64_t)k << DT_UNWIND_BLOCK_BITS, end = at;

		while (at + 1 < nrows && row[at + 1].pc <= from)
			at++;
		for (end = at; end + 1 < nrows && row[end + 1].pc < from + DT_UNWIND_BLOCK; )
			end++;
		to[k] = (struct dt_unwind_block){ first + at, (uint32_t)end - at + 1 };
	}
}

/* The numbers that the rules of a file have here, for the caller to free; NULL: out of memory. */
static uint32_t *number_rules(struct dt_unwind *u, const struct dt_unwind_file *f, const struct dt_cfi *c)
{
	uint32_t *number = malloc((c->nrules + 1) * sizeof(*number));
	uint32_t most = u->areas.nrules < RULE_SLOTS / 2 ? u->areas.nrules : RULE_SLOTS / 2;
	bool left_out = false;

	if (f->foreign)
		most = u->stats.rules + FOREIGN_RULES < most / 2 ? u->stats.rules + FOREIGN_RULES : most / 2;
	for (uint32_t i = 0; number != NULL && i < c->nrules; i++) {
		number[i] = rule_number(u, &c->rule[i], most);
		left_out |= number[i] == 0 && c->rule[i].cfa != DT_CFA_NONE;
	}
	u->stats.left_out += left_out;
	return number;
}

static void put_rows(struct dt_unwind *u, struct dt_unwind_file *f, const struct dt_cfi *c)
{
	struct dt_unwind_row *to;
	uint64_t blocks;
	uint32_t *number, first = UINT32_MAX;

	if (c->n == 0)
		return;
	blocks = (c->row[c->n - 1].pc >> DT_UNWIND_BLOCK_BITS) + 1;
	number = number_rules(u, f, c);
	if (number != NULL)
		first = dt_unwind_take_rows(u, f, blocks + c->n);
	if (first == UINT32_MAX) {
		free(number);
		f->left_out = true;
		u->crowded++;
		return;
	}
	to = u->areas.row + first;
	for (size_t i = 0; i < c->n; i++)
		to[blocks + i] = (struct dt_unwind_row){ c->row[i].pc, number[c->row[i].rule] };
	free(number);
	_Static_assert(sizeof(struct dt_unwind_block) == sizeof(struct dt_unwind_row), "elements of one map");
	put_blocks((struct dt_unwind_block *)to, (uint32_t)blocks, c->row, (uint32_t)c->n,
	    first + (uint32_t)blocks);
	f->base = c->base;
	f->first = first;
	f->n = (uint32_t)blocks;
	f->size = (uint32_t)(blocks + c->n);
}

/* ---- files ---- */

/* The mapping's own link leads to the file if the one that names come from is already closed. */
static void read_again(struct dt_cfi *c, const struct dt_umapping *m, uint32_t pid)
{
	struct dt_elf *again;
	struct statx st;
	char path[80];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)m->start,
	    (unsigned long long)m->end);
	if (dt_elf_find(dt_elf_reader(m->elf), path, NULL, m->dev, &again, &st) != 0)
		return;
	(void)dt_elf_rows(again, false, c);
	dt_elf_close(again);
}

/* For processes whose list is not there yet: by inode, as the kernel knows the file. */
static void publish(struct dt_unwind *u, struct dt_unwind_file *f, const struct dt_umapping *m)
{
	struct dt_unwind_value value = { .first = f->first, .n = f->n };
	uint64_t vaddr;

	if (m->vdso || f->n == 0 || !dt_elf_code_vaddr(m->elf, m->offset, m->end - m->start, &vaddr))
		return;
	value.delta = vaddr - m->offset - f->base;
	f->published = (struct dt_unwind_key){ .id = m->ino,
		.dev = (unsigned long long)major(m->dev) << 20 | minor(m->dev) };
	if (u->areas.publish(u->areas.ctx, &f->published, &value) != 0)
		u->crowded++;
}

const struct dt_unwind_file *dt_unwind_file(struct dt_unwind *u, const struct dt_umapping *m, uint32_t pid)
{
	struct dt_unwind_file **at = &u->file[m->file % DT_UNWIND_BUCKETS], *f;
	uint64_t began = dt_clock_ns();
	struct dt_cfi cfi = { 0 };

	for (f = *at; f != NULL; f = f->next)
		if (f->key == m->file) {
			f->used = true;
			return f;
		}
	f = calloc(1, sizeof(*f));
	if (f == NULL || (u->rules == NULL && (u->rules = calloc(RULE_SLOTS, sizeof(*u->rules))) == NULL)) {
		free(f);
		return NULL;
	}
	*f = (struct dt_unwind_file){ .key = m->file, .used = true, .foreign = !m->vdso && !m->elf->ours,
		.next = *at };
	*at = f;
	u->nfiles++;
	if (dt_elf_rows(m->elf, m->vdso, &cfi) == -EBADF)
		read_again(&cfi, m, pid);
	put_rows(u, f, &cfi);
	dt_cfi_free(&cfi);
	publish(u, f, m);
	u->stats.files++;
	u->stats.ns += dt_clock_ns() - began;
	return f;
}

void dt_unwind_files_free(struct dt_unwind *u)
{
	for (int i = 0; i < DT_UNWIND_BUCKETS; i++)
		for (struct dt_unwind_file *f = u->file[i], *next; f != NULL; f = next) {
			next = f->next;
			free(f);
		}
	dt_unwind_places_free(u);
	free(u->rules);
}
