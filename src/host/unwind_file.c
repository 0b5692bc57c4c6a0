/* SPDX-License-Identifier: BSD-2-Clause */
/* One file's .eh_frame to rows in the shared memory. Rules are numbered over all files: a few thousand serve all of a machine. */
#include "host/unwind_impl.h"

#include "host/unwind_cfi.h"
#include "host/usym_impl.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

enum { RULE_SLOTS = 1 << 17 };

/* ---- rules ---- */

static uint32_t hash_of(const struct dt_unwind_rule *r)
{
	const unsigned char *p = (const unsigned char *)r;
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < sizeof(*r); i++)
		h = (h ^ p[i]) * 16777619u;
	return h % RULE_SLOTS;
}

/* Its number; 0, "none", also when there is no room for another. */
static uint32_t rule_number(struct dt_unwind *u, const struct dt_unwind_rule *r)
{
	uint32_t at = hash_of(r);

	if (r->cfa == DT_CFA_NONE || u->rules == NULL)
		return 0;
	for (; u->rules[at] != 0; at = (at + 1) % RULE_SLOTS)
		if (memcmp(&u->areas.rule[u->rules[at]], r, sizeof(*r)) == 0)
			return u->rules[at];
	if (u->stats.rules >= u->areas.nrules || u->stats.rules >= RULE_SLOTS / 2) {
		u->stats.left_out++;
		return 0;
	}
	u->areas.rule[u->stats.rules] = *r;
	u->rules[at] = u->stats.rules;
	return u->stats.rules++;
}

/* ---- rows ---- */

/*
 * aarch64 returns from signal handlers through the vdso, which tells nothing about it: the saved registers are at the stack pointer
 * (struct rt_sigframe, fixed by the ABI). Found by its two instructions; one byte before it is looked for, as for any return address.
 */
static void add_sigreturn(struct dt_cfi *c, struct dt_elf *elf)
{
	static const uint32_t code[2] = { 0xd2801168, 0xd4000001 };	/* mov x8, #139; svc #0 */
	static const struct dt_unwind_rule rule = { .cfa = DT_CFA_AT_SP, .cfa_off = 560, .ra = DT_REG_SP, .ra_off = 568, .fp = DT_REG_SP,
		.fp_off = 544, .signal = 1 }, none = { .cfa = DT_CFA_NONE };
	const void *text;
	uint64_t addr;
	size_t len;

	if (MACHINE != EM_AARCH64 || dt_elf_section(elf, ".text", &text, &len, &addr) != 0 || text == NULL)
		return;
	for (size_t at = 4; at + sizeof(code) <= len; at += 4)
		if (memcmp((const char *)text + at, code, sizeof(code)) == 0) {
			(void)dt_cfi_add(c, addr + at - 4, &rule);
			(void)dt_cfi_add(c, addr + at + sizeof(code), &none);
		}
}

static void read_cfi(struct dt_cfi *c, struct dt_elf *elf, bool vdso)
{
	const void *data;
	uint64_t addr;
	size_t len;

	if (!dt_elf_is_64(elf) || dt_elf_machine(elf) != MACHINE)
		return;
	if (dt_elf_section(elf, ".eh_frame", &data, &len, &addr) == 0 && data != NULL) {
		(void)dt_cfi_read(c, MACHINE, data, len, addr);	/* out of memory: what was read counts */
		dt_elf_forget(elf, data);
	}
	if (vdso)
		add_sigreturn(c, elf);
	dt_cfi_finish(c);
}

static void put_rows(struct dt_unwind *u, struct dt_unwind_file *f, const struct dt_cfi *c)
{
	uint32_t room = u->areas.nrows - u->stats.rows;
	uint64_t base = c->n > 0 ? c->row[0].pc : 0;

	if (c->n == 0)
		return;
	if (c->n > room || c->n > DT_UNWIND_ROWS) {
		u->stats.left_out++;
		return;
	}
	f->base = base;
	f->first = u->stats.rows;
	for (size_t i = 0; i < c->n && c->row[i].pc - base <= UINT32_MAX; i++) {
		u->areas.row[f->first + f->n++] = (struct dt_unwind_row){ (uint32_t)(c->row[i].pc - base), rule_number(u, &c->row[i].rule) };
	}
	u->stats.rows += f->n;
}

/* ---- files ---- */

/* The mapping's own link leads to the file when what names are read from is closed already. */
static struct dt_elf *open_mapping(uint32_t pid, uint64_t start, uint64_t end)
{
	struct dt_elf *elf = NULL;
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)start, (unsigned long long)end);
	fd = dt_elf_open_regular(path, true);
	return fd >= 0 && dt_elf_open(fd, NULL, &elf) == 0 ? elf : NULL;
}

const struct dt_unwind_file *dt_unwind_file(struct dt_unwind *u, const void *key, struct dt_elf *elf, bool vdso, uint32_t pid,
    uint64_t start, uint64_t end)
{
	struct dt_unwind_file **at = &u->file[((uintptr_t)key >> 5) % DT_UNWIND_BUCKETS], *f;
	uint64_t began = dt_usym_now();
	struct dt_cfi cfi = { 0 };
	struct dt_elf *again;

	for (f = *at; f != NULL; f = f->next)
		if (f->key == key)
			return f;
	f = calloc(1, sizeof(*f));
	if (f == NULL || (u->rules == NULL && (u->rules = calloc(RULE_SLOTS, sizeof(*u->rules))) == NULL)) {
		free(f);
		return NULL;
	}
	*f = (struct dt_unwind_file){ .key = key, .next = *at };
	*at = f;
	read_cfi(&cfi, elf, vdso);
	if (cfi.n == 0 && (again = open_mapping(pid, start, end)) != NULL) {
		read_cfi(&cfi, again, false);
		dt_elf_close(again);
	}
	put_rows(u, f, &cfi);
	dt_cfi_free(&cfi);
	u->stats.files++;
	u->stats.ns += dt_usym_now() - began;
	return f;
}

void dt_unwind_files_free(struct dt_unwind *u)
{
	for (int i = 0; i < DT_UNWIND_BUCKETS; i++)
		for (struct dt_unwind_file *f = u->file[i], *next; f != NULL; f = next) {
			next = f->next;
			free(f);
		}
	free(u->rules);
}
