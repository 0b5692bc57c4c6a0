/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of a digest of lines are collected with (dwarf_impl.h); each text is kept once. */
#include "file/dwarf_impl.h"
#include "base/printable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dt_lines_put(struct dt_lines_maker *m, struct dt_digest *d, const void *bytes, size_t len)
{
	if (m->err == 0)
		m->err = dt_digest_put(d, bytes, len);
}

bool dt_lines_code(const struct dt_lines_maker *m, uint64_t at)
{
	for (uint32_t i = 0; i < m->elf->nph; i++) {
		const Elf64_Phdr *p = &m->elf->ph[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && at >= p->p_vaddr &&
		    at - p->p_vaddr < p->p_memsz)
			return true;
	}
	return false;
}

/* ---- texts ---- */

static uint32_t hash_of(const char *text)
{
	uint32_t h = 2166136261u;

	while (*text != '\0')
		h = (h ^ (uint8_t)*text++) * 16777619u;
	return h;
}

/* The place where the text is, or should be. */
static uint32_t *place_of(const struct dt_lines_maker *m, const char *text)
{
	uint32_t *table = (uint32_t *)(void *)m->hash.bytes;
	uint32_t mask = (uint32_t)(m->hash.len / sizeof(*table)) - 1, i = hash_of(text) & mask;

	while (table[i] != 0 && strcmp((const char *)m->text.bytes + table[i], text) != 0)
		i = (i + 1) & mask;
	return &table[i];
}

/* Twice as many places when half of them are taken; all texts are entered anew. */
static void make_places(struct dt_lines_maker *m)
{
	size_t n = m->hash.len > 0 ? m->hash.len * 2 : 4096;
	uint8_t *table = calloc(1, n);

	if (table == NULL) {
		m->err = -ENOMEM;
		return;
	}
	free(m->hash.bytes);
	m->hash = (struct dt_digest){ table, n, n };
	for (size_t at = 1; at < m->text.len; at += strlen((char *)m->text.bytes + at) + 1)
		*place_of(m, (char *)m->text.bytes + at) = (uint32_t)at;
}

/* dir/name, or the name alone; made printable, cut at the longest name that symbols have. */
uint32_t dt_lines_text(struct dt_lines_maker *m, const char *dir, const char *name)
{
	bool alone = dir == NULL || dir[0] == '\0' || name[0] == '/';
	bool home = !alone && dir[0] != '/' && m->home != NULL && dir != m->home;
	char text[DT_ELF_NAME_MAX];
	uint32_t *place;

	snprintf(text, sizeof(text), "%s%s%s%s%s", home ? m->home : "", home ? "/" : "", alone ? "" : dir,
	    alone ? "" : "/", name);
	(void)dt_make_printable(text);
	if (text[0] == '\0')
		return 0;
	if (m->err == 0 && m->ntexts >= m->hash.len / sizeof(*place) / 2)
		make_places(m);
	if (m->err != 0)
		return 0;
	place = place_of(m, text);
	if (*place == 0) {
		*place = (uint32_t)m->text.len;
		m->ntexts++;
		dt_lines_put(m, &m->text, text, strlen(text) + 1);
	}
	return m->err == 0 ? *place : 0;
}
