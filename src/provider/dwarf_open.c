/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks for entries of debugging data and keeps them. Others read the data, without any rights
 * (file/dies.h): they may die of it, hang, or take too long, and what they answer is limited. A file that
 * was not answered for is not asked about again; the caller that wanted its types gets the reason.
 */
#include "provider/dwarf_impl.h"
#include "file/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	BYTES_MAX = 32 << 20,		/* of answers, for all files together */
	LOST_MAX = 3,			/* files that may cost us all the time that a question has */
};

/* There are none, or no such entry; anything else is a loss. */
static bool is_nothing(int err)
{
	return err == 0 || err == -ENOENT || err == -ENOEXEC;
}

static const char *reason(int err)
{
	switch (err) {
	case -ETIME: return "it takes too long";
	case -ETIMEDOUT: return "the file system does not answer";
	case -EINTR: return "a signal came";
	case -ENOMEM: case -EFBIG: return "they need too much memory";
	case -EILSEQ: return "they are broken, or need too much memory";
	case -EBADMSG: return "their reader gave an invalid answer";
	default: return strerror(-err);
	}
}

const char *dt_dwarf_why(struct dt_probes *p, const struct dt_object *o)
{
	if (is_nothing(o->dwarf_err))
		return NULL;
	if (o->dwarf_err == -ELIBACC)
		return "libdw.so.1, which reads debugging data, is not installed";
	return dt_arena_printf(p->arena, "the debugging data of %s cannot be read: %s", o->name,
	    o->dwarf_lost != NULL ? o->dwarf_lost : reason(o->dwarf_err));
}

static void lose(struct dt_probes *p, struct dt_object *o, int err)
{
	if (is_nothing(err))
		return;
	o->dwarf_err = err;
	if (err == -EPIPE && dt_reader_why(p->dwarf_reader) != NULL)
		o->dwarf_lost = dt_arena_strdup(p->arena, dt_reader_why(p->dwarf_reader));
	p->dwarf_lost += err != -ELIBACC;
}

/* ---- entries ---- */

static void id_text(char text[static 20], uint64_t id)
{
	snprintf(text, 20, "%" PRIx64, id);
}

/* The first record of an id stays: types may have been made of it. */
static void keep(struct dt_dwarf *d, const struct dt_dies *dies)
{
	struct dt_dwarf_entry *e = DT_NEWN(d->p->arena, struct dt_dwarf_entry, dies->head.nentries);
	char key[20];

	for (uint32_t i = 0; i < dies->head.nentries; i++) {
		e[i] = (struct dt_dwarf_entry){ .die = &dies->die[i], .in = dies };
		id_text(key, dies->die[i].id);
		if (dt_map_get(&d->entries, key) == NULL)
			dt_map_put(&d->entries, key, &e[i]);
	}
}

static struct dt_dwarf_answer *ask(struct dt_dwarf *d, struct dt_dies_question *q)
{
	struct dt_probes *p = d->p;
	struct dt_dwarf_answer *a;
	int err = -ETIME;

	if (!is_nothing(d->o->dwarf_err))
		return NULL;
	a = DT_NEW(p->arena, struct dt_dwarf_answer);
	if (p->dwarf_reader == NULL)
		p->dwarf_reader = dt_reader_types();
	if (p->dwarf_lost < LOST_MAX)
		err = p->dwarf_reader != NULL ?
		    dt_dies_ask(d->o->elf, p->dwarf_reader, q, &a->bytes, &a->dies) :
		    -ENOMEM;
	if (err == 0 && p->dwarf_bytes >= BYTES_MAX) {
		free(a->bytes);
		err = -EFBIG;
	}
	lose(p, d->o, err);
	if (err != 0)
		return NULL;
	p->dwarf_bytes += a->dies.len;
	a->next = d->answers;
	d->answers = a;
	keep(d, &a->dies);
	return a;
}

struct dt_dwarf_entry *dt_dwarf_by_id(struct dt_dwarf *d, uint64_t id)
{
	struct dt_dies_question q = { .ask = DT_DIES_ENTRY, .at = id };
	struct dt_dwarf_entry *e;
	char key[20];

	id_text(key, id);
	e = id != DT_DIE_LOST ? dt_map_get(&d->entries, key) : NULL;
	return e != NULL || id == DT_DIE_LOST ? e : dt_dwarf_ask(d, &q, NULL);
}

struct dt_dwarf_entry *dt_dwarf_ask(struct dt_dwarf *d, struct dt_dies_question *q,
    const struct dt_dies **dies)
{
	struct dt_dwarf_answer *a;
	char key[20];

	q->shared = &d->first->dies.head;
	q->link = d->first->dies.text + d->first->dies.head.link;
	a = ask(d, q);
	if (dies != NULL)
		*dies = a != NULL ? &a->dies : NULL;
	if (a == NULL || a->dies.head.nentries == 0)
		return NULL;
	id_text(key, a->dies.die[0].id);
	return dt_map_get(&d->entries, key);
}

/* ---- files ---- */

struct dt_dwarf *dt_dwarf_of(struct dt_probes *p, struct dt_object *o)
{
	struct dt_dies_question q = { .ask = DT_DIES_OPEN };
	struct dt_dwarf *d;

	if (o->dwarf_asked)
		return o->dwarf;
	o->dwarf_asked = true;
	d = DT_NEW(p->arena, struct dt_dwarf);
	d->p = p;
	d->o = o;
	dt_map_init(&d->entries, p->arena);
	dt_map_init(&d->names, p->arena);
	d->first = ask(d, &q);
	if (d->first != NULL)
		o->dwarf = d;
	return o->dwarf;
}

void dt_dwarf_close(struct dt_dwarf *d)
{
	if (d == NULL)
		return;
	for (struct dt_dwarf_answer *a = d->answers; a != NULL; a = a->next)
		free(a->bytes);
}
