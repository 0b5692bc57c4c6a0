/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns the .eh_frame of one file, or its .debug_frame, into rows in the shared memory. Rules are
 * numbered across all files: a few thousand serve a whole machine.
 */
#include "unwind/unwind_impl.h"
#include "base/clock.h"
#include "base/hash.h"

#include "file/elf_impl.h"
#include "file/cfi.h"
#include "symbol/usym_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* FOREIGN_RULES: new ones of one file; all such files have half of them. Large programs have some hundred. */
enum { RULE_SLOTS = 1 << 12, FOREIGN_RULES = 16384 };

/* ---- rules ---- */

/* Where the number of a rule is, or is to be. */
static uint32_t *slot_of(const struct dt_unwind *u, const struct dt_unwind_rule *r)
{
	uint32_t mask = u->rule_slots - 1, at = (uint32_t)dt_hash_bytes(DT_HASH_START, r, sizeof(*r)) & mask;

	while (u->rules[at] != 0 && memcmp(dt_unwind_rule(u, u->rules[at]), r, sizeof(*r)) != 0)
		at = (at + 1) & mask;
	return &u->rules[at];
}

/* At least half of the slots are free. False: out of memory. */
static bool enough_slots(struct dt_unwind *u)
{
	uint32_t n = u->rule_slots != 0 ? u->rule_slots * 2 : RULE_SLOTS, *more;

	if (u->stats.rules < u->rule_slots / 2)
		return true;
	more = calloc(n, sizeof(*more));
	if (more == NULL)
		return false;
	free(u->rules);
	u->rules = more;
	u->rule_slots = n;
	for (uint32_t i = 1; i < u->stats.rules; i++)
		*slot_of(u, dt_unwind_rule(u, i)) = i;
	return true;
}

/*
 * The number of a rule; 0 ("none") also if there is no room for another: `most` of them. Rules are not given
 * back: files are made of the same few thousand.
 */
static uint32_t rule_number(struct dt_unwind *u, const struct dt_unwind_rule *r, uint32_t most)
{
	uint32_t *slot;

	if (r->cfa == DT_CFA_NONE || !enough_slots(u))
		return 0;
	slot = slot_of(u, r);
	if (*slot != 0)
		return *slot;
	if (u->stats.rules >= most || !dt_unwind_reach(u, DT_UNWIND_RULE, u->stats.rules + 1u))
		return 0;
	*dt_unwind_rule(u, u->stats.rules) = *r;
	*slot = u->stats.rules++;
	return *slot;
}

/* The numbers that the rules of a file have here, for the caller to free; NULL: out of memory. */
static uint32_t *number_rules(struct dt_unwind *u, const struct dt_unwind_file *f, const struct dt_cfi *c)
{
	uint32_t *number = malloc((c->nrules + 1) * sizeof(*number)), most = DT_UNWIND_RULES;
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

/* ---- words ---- */

/* What is written next. u NULL: it is only counted, without the gaps at the ends of chunks. */
struct writer { struct dt_unwind *u; uint64_t at; uint32_t lone, lone_at; bool has_lone; };

/*
 * Returns the number of the block's first word. Blocks of long functions, and of gaps between them, have the
 * same row alone: they share it with the one before them.
 */
static uint32_t put_block(struct writer *w, const uint32_t *row, uint32_t n)
{
	uint64_t at = w->at, in_chunk = DT_UNWIND_IN_CHUNK(at, DT_UNWIND_WORD_BITS);
	uint32_t *to;

	if (n == 1 && w->has_lone && w->lone == row[0])
		return w->lone_at;
	if (w->u != NULL && in_chunk + 1 + n > DT_UNWIND_CHUNK(DT_UNWIND_WORD_BITS))
		at += DT_UNWIND_CHUNK(DT_UNWIND_WORD_BITS) - in_chunk;
	if (w->u != NULL) {
		to = dt_unwind_word(w->u, (uint32_t)at);
		to[0] = n;
		memcpy(to + 1, row, n * sizeof(*row));
	}
	w->at = at + 1 + n;
	w->has_lone = n == 1;
	w->lone = row[0];
	w->lone_at = (uint32_t)at;
	return (uint32_t)at;
}

/*
 * Block k begins with the rule in force there, that of the last row at or before it; those that begin inside
 * follow. The words of blocks are from `first` on.
 */
static void put_blocks(struct writer *w, uint32_t first, uint32_t n, const struct dt_cfi *c,
    const uint32_t *number)
{
	uint32_t row[DT_UNWIND_BLOCK], rule = 0, place;
	size_t at = 0;

	for (uint32_t k = 0; k < n; k++) {
		uint64_t from = (uint64_t)k << DT_UNWIND_BLOCK_BITS;
		uint32_t rows = 1;

		if (at < c->n && c->row[at].pc == from)
			rule = number[c->row[at++].rule];
		row[0] = rule << DT_UNWIND_BLOCK_BITS;
		for (; at < c->n && c->row[at].pc < from + DT_UNWIND_BLOCK; at++) {
			rule = number[c->row[at].rule];
			row[rows++] = rule << DT_UNWIND_BLOCK_BITS | (uint32_t)(c->row[at].pc - from);
		}
		place = put_block(w, row, rows);
		if (w->u != NULL)
			*dt_unwind_word(w->u, first + k) = place;
	}
}

static void put_rows(struct dt_unwind *u, struct dt_unwind_file *f, const struct dt_cfi *c)
{
	struct writer count = { .u = NULL }, w = { .u = u };
	uint32_t *number, first = UINT32_MAX, blocks;

	if (c->n == 0)
		return;
	blocks = (c->row[c->n - 1].pc >> DT_UNWIND_BLOCK_BITS) + 1;
	number = number_rules(u, f, c);
	if (number != NULL) {
		put_blocks(&count, 0, blocks, c, number);
		first = dt_unwind_take_rows(u, f, blocks + count.at);
	}
	if (first == UINT32_MAX) {
		free(number);
		f->left_out = true;
		u->crowded++;
		return;
	}
	w.at = first + (uint64_t)blocks;
	put_blocks(&w, first, blocks, c, number);
	free(number);
	f->base = c->base;
	f->first = first;
	f->n = blocks;
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
	enum dt_unwind_how how;

	for (f = *at; f != NULL; f = f->next)
		if (f->key == m->file) {
			f->used = true;
			return f;
		}
	how = dt_unwind_slow(u, m, pid, &cfi);
	f = how != DT_UNWIND_WAIT ? calloc(1, sizeof(*f)) : NULL;
	if (f == NULL) {
		dt_cfi_free(&cfi);
		return NULL;
	}
	*f = (struct dt_unwind_file){ .key = m->file, .used = true, .foreign = !m->vdso && !m->elf->ours,
		.next = *at };
	*at = f;
	u->nfiles++;
	if (how == DT_UNWIND_READ && dt_elf_rows(m->elf, m->vdso, &cfi) == -EBADF)
		read_again(&cfi, m, pid);
	f->lang = u->areas.langs ? dt_unwind_look(m) : NULL;
	if (f->lang != NULL)
		dt_unwind_mark(&cfi, f->lang);
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
			free(f->lang);
			free(f);
		}
	dt_unwind_places_free(u);
	free(u->rules);
}
