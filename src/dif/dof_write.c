/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program comes in, DOF goes out. The same program always gives the same bytes: sections come in the
 * order in which the program needs them, and a DIFO or action list that is used several times is
 * written once.
 */
#include "base/map.h"
#include "base/count.h"
#include "dif/dof.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Of every section that we write, which are those that the reader understands; the alignment is also the
 * least that a file of others must have.
 */
static const struct dt_dof_shape shapes[] = {
	{ DT_DS_COMMENTS, 1, 0 },
	{ DT_DS_ECBDESC, 8, 0 },
	{ DT_DS_PROBEDESC, 4, sizeof(struct dt_dof_probe) },
	{ DT_DS_ACTDESC, 8, sizeof(struct dt_dof_act) },
	{ DT_DS_DIFOHDR, 4, 0 },
	{ DT_DS_DIF, 4, sizeof(uint32_t) },
	{ DT_DS_STRTAB, 1, 0 },
	{ DT_DS_VARTAB, 4, sizeof(struct dt_dof_var) },
	{ DT_DS_RELTAB, 8, sizeof(struct dt_dof_rel) },
	{ DT_DS_KRELHDR, 4, 0 },
	{ DT_DS_OPTDESC, 8, sizeof(struct dt_dof_opt) },
	{ DT_DS_INTTAB, 8, sizeof(uint64_t) },
	{ DT_DS_UTSNAME, 1, 0 },
	{ DT_DS_NOTES, 8, sizeof(struct dt_dof_note) },
};

const struct dt_dof_shape *dt_dof_shape(uint32_t type)
{
	for (size_t i = 0; i < DT_COUNT(shapes); i++) {
		if (shapes[i].type == type)
			return &shapes[i];
	}
	return NULL;
}

/* A string table under construction. */
struct strings {
	DT_VEC(char) text;
	struct dt_map map;		/* text to offset + 1 */
	struct dt_map known;		/* address to offset + 1: one long text may be used many times */
};

/* data must stay valid until the file is written. */
struct section {
	uint32_t type;
	const void *data;
	uint64_t size, offset;
};

enum { STRINGS = 0 };			/* section of the program's strings */

/*
 * tmp has all but the file itself, and goes at the end. too_big tells -EFBIG from lack of memory, as both
 * leave by longjmp().
 */
struct writer {
	struct dt_arena *tmp;
	jmp_buf env;
	const struct dt_prog *p;
	struct strings strings;
	DT_VEC(struct section) secs;
	DT_VEC(struct dt_dof_note) notes;
	struct dt_map done;		/* DIFOs and action lists by address, to section + 1 */
	uint64_t loadsz, filesz;
	bool too_big;
};

/* ---- strings and sections ---- */

static void strings_add(struct writer *w, struct strings *s, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		dt_vec_push(w->tmp, &s->text, text[i]);
}

/* Starts with the strings of the DIFO itself, so equal names need no room. They keep their offsets. */
static void strings_init(struct writer *w, struct strings *s, const char *text, uint32_t len)
{
	dt_map_init(&s->map, w->tmp);
	dt_map_init(&s->known, w->tmp);
	if (!len) {
		text = "";
		len = 1;
	}
	strings_add(w, s, text, len);
	for (uint32_t at = 0; at < len; at += (uint32_t)strlen(text + at) + 1) {
		if (!dt_map_get(&s->map, text + at))
			dt_map_put(&s->map, text + at, (void *)((uintptr_t)at + 1));
	}
}

/* Returns offset + 1; adds the text if it is new. */
static uintptr_t strings_find(struct writer *w, struct strings *s, const char *text)
{
	uintptr_t at = (uintptr_t)dt_map_get(&s->map, text);

	if (at)
		return at;
	at = s->text.n + 1;
	strings_add(w, s, text, strlen(text) + 1);
	if (at > DT_DOF_MAX) {
		w->too_big = true;
		longjmp(w->env, 1);
	}
	dt_map_put(&s->map, text, (void *)at);
	return at;
}

/* The offset of the text in the table. Looking the address up first spares comparing long texts again. */
static uint32_t strings_put(struct writer *w, struct strings *s, const char *text)
{
	char key[24];
	uintptr_t at;

	snprintf(key, sizeof(key), "%p", (void *)(uintptr_t)text);
	at = (uintptr_t)dt_map_get(&s->known, key);
	if (!at) {
		at = strings_find(w, s, text);
		dt_map_put(&s->known, key, (void *)at);
	}
	return (uint32_t)at - 1;
}

/*
 * The number is the section's for good: sections are never taken out or moved, only placed in the file
 * later.
 */
static uint32_t add_section(struct writer *w, uint32_t type, const void *data, uint64_t size)
{
	dt_vec_push(w->tmp, &w->secs, ((struct section){ type, data, size, 0 }));
	return (uint32_t)w->secs.n - 1;
}

static void add_note(struct writer *w, struct dt_dof_note n)
{
	dt_vec_push(w->tmp, &w->notes, n);
}

static uint64_t attr_word(struct dt_attr a)
{
	return (uint64_t)a.name << 24 | (uint64_t)a.data << 16 | (uint64_t)a.cls << 8;
}

/*
 * Section + 1 of something that was written before, or 0. Pass `key` to done_set() after writing it.
 * Addresses tell things apart while the program lives; no file depends on them, as only the order of first
 * use does.
 */
static uint32_t done_get(struct writer *w, const void *what, uint32_t n, char *key, size_t len)
{
	snprintf(key, len, "%p %u", (void *)(uintptr_t)what, (unsigned)n);
	return (uint32_t)(uintptr_t)dt_map_get(&w->done, key);
}

static void done_set(struct writer *w, const char *key, uint32_t sec)
{
	dt_map_put(&w->done, key, (void *)((uintptr_t)sec + 1));
}

/* ---- DIFOs ---- */

/* The sections of one DIFO, in the order of its header. */
struct difo_secs { uint32_t link[5]; uint32_t n; };

/* At most five, one of each type that a DIFO can have. */
static uint32_t link_section(struct writer *w, struct difo_secs *s, uint32_t type, const void *data,
    uint64_t size)
{
	return s->link[s->n++] = add_section(w, type, data, size);
}

/* The order of the table is kept: readers search it. */
static void add_vars(struct writer *w, const struct dt_difo *d, struct strings *s, struct difo_secs *secs)
{
	struct dt_dof_var *v = DT_NEWN(w->tmp, struct dt_dof_var, d->nvars);

	for (uint32_t i = 0; i < d->nvars; i++) {
		const struct dt_difv *from = &d->vars[i];

		v[i] = (struct dt_dof_var){ strings_put(w, s, from->name), from->id, from->kind, from->scope,
			from->flags, from->type };
	}
	link_section(w, secs, DT_DS_VARTAB, v, d->nvars * sizeof(*v));
}

/*
 * Symbols of the kernel: the integer table has their addresses of this boot, and relocations say which of
 * its entries they are.
 */
static void add_relocs(struct writer *w, const struct dt_difo *d, struct strings *s, struct difo_secs *secs,
    uint32_t ints, uint32_t strtab)
{
	struct dt_dof_rel *r = DT_NEWN(w->tmp, struct dt_dof_rel, d->nrelocs);
	struct dt_dof_relhdr *h = DT_NEW(w->tmp, struct dt_dof_relhdr);

	for (uint32_t i = 0; i < d->nrelocs; i++)
		r[i] = (struct dt_dof_rel){ strings_put(w, s, d->relocs[i].name), DT_DOF_SETX,
			(uint64_t)d->relocs[i].index * sizeof(uint64_t), d->relocs[i].addend };
	h->strtab = strtab;
	h->relsec = add_section(w, DT_DS_RELTAB, r, d->nrelocs * sizeof(*r));
	h->tgtsec = ints;
	link_section(w, secs, DT_DS_KRELHDR, h, sizeof(*h));
}

static uint32_t add_difo_header(struct writer *w, const struct dt_difo *d, const struct difo_secs *secs)
{
	size_t size = sizeof(d->rtype) + secs->n * sizeof(secs->link[0]);
	unsigned char *h = dt_arena_alloc(w->tmp, size);

	memcpy(h, &d->rtype, sizeof(d->rtype));
	memcpy(h + sizeof(d->rtype), secs->link, secs->n * sizeof(secs->link[0]));
	return add_section(w, DT_DS_DIFOHDR, h, size);
}

/*
 * Returns the section of the DIFO's header. The sections of the DIFO come before its header. Its strings
 * are filled in last, when all names are known.
 */
static uint32_t add_difo(struct writer *w, const struct dt_difo *d)
{
	struct difo_secs secs = { .n = 0 };
	struct strings s = { 0 };
	uint32_t ints = DT_DOF_NONE, strtab = DT_DOF_NONE, hdr;
	char key[40];

	hdr = done_get(w, d, 0, key, sizeof(key));
	if (hdr)
		return hdr - 1;
	link_section(w, &secs, DT_DS_DIF, d->text, d->ntext * sizeof(*d->text));
	if (d->nints)
		ints = link_section(w, &secs, DT_DS_INTTAB, d->ints, d->nints * sizeof(*d->ints));
	if (d->strlen || d->nvars || d->nrelocs) {
		strings_init(w, &s, d->strs, d->strlen);
		strtab = link_section(w, &secs, DT_DS_STRTAB, NULL, 0);
	}
	if (d->nvars)
		add_vars(w, d, &s, &secs);
	if (d->nrelocs)
		add_relocs(w, d, &s, &secs, ints, strtab);
	hdr = add_difo_header(w, d, &secs);
	/* The names of variables and symbols have been added to the DIFO's strings by now. */
	if (strtab != DT_DOF_NONE) {
		w->secs.v[strtab].data = s.text.v;
		w->secs.v[strtab].size = s.text.n;
		if (s.text.n != d->strlen)
			add_note(w,
			    (struct dt_dof_note){ .what = DT_NOTE_STRLEN, .sec = hdr, .a = d->strlen });
	}
	done_set(w, key, hdr);
	return hdr;
}

/* ---- clauses ---- */

/* An action has one field for its argument or the offset of its text; a note keeps the other. */
static struct dt_dof_act make_act(struct writer *w, const struct dt_act *a)
{
	struct dt_dof_act out = { .difo = a->difo ? add_difo(w, a->difo) : DT_DOF_NONE, .strtab = DT_DOF_NONE,
		.kind = a->kind, .ntuple = a->ntuple, .arg = a->arg, .uarg = a->stmt };

	if (a->fmt) {
		out.strtab = STRINGS;
		out.arg = strings_put(w, &w->strings, a->fmt);
	}
	return out;
}

/* A clause on several probes shares its actions: the list is written once. DT_DOF_NONE: there are none. */
static uint32_t add_acts(struct writer *w, const struct dt_ecb *e)
{
	struct dt_dof_act *acts;
	uint32_t sec;
	char key[40];

	if (!e->nacts)
		return DT_DOF_NONE;
	sec = done_get(w, e->acts, e->nacts, key, sizeof(key));
	if (sec)
		return sec - 1;
	acts = DT_NEWN(w->tmp, struct dt_dof_act, e->nacts);
	for (uint32_t i = 0; i < e->nacts; i++)
		acts[i] = make_act(w, &e->acts[i]);
	sec = add_section(w, DT_DS_ACTDESC, acts, e->nacts * sizeof(*acts));
	for (uint32_t i = 0; i < e->nacts; i++) {
		const struct dt_act *a = &e->acts[i];

		if (a->in_tuple || (a->fmt && a->arg))
			add_note(w,
			    (struct dt_dof_note){ DT_NOTE_ACT, sec, i, a->in_tuple, a->fmt ? a->arg : 0, 0 });
	}
	done_set(w, key, sec);
	return sec;
}

static uint32_t add_probe(struct writer *w, const struct dt_probedesc *p)
{
	struct dt_dof_probe *out = DT_NEW(w->tmp, struct dt_dof_probe);

	out->strtab = STRINGS;
	out->prov = strings_put(w, &w->strings, p->prov);
	out->mod = strings_put(w, &w->strings, p->mod);
	out->func = strings_put(w, &w->strings, p->func);
	out->name = strings_put(w, &w->strings, p->name);
	out->id = p->id;
	return add_section(w, DT_DS_PROBEDESC, out, sizeof(*out));
}

static void add_ecb(struct writer *w, const struct dt_ecb *e)
{
	struct dt_dof_ecb *out = DT_NEW(w->tmp, struct dt_dof_ecb);
	uint32_t sec;

	out->probes = add_probe(w, &e->probe);
	out->pred = e->pred ? add_difo(w, e->pred) : DT_DOF_NONE;
	out->actions = add_acts(w, e);
	sec = add_section(w, DT_DS_ECBDESC, out, sizeof(*out));
	add_note(w, (struct dt_dof_note){ .what = DT_NOTE_ECB, .sec = sec, .a = attr_word(e->descattr),
		.b = attr_word(e->stmtattr) });
}

/* Options go by name here: each is one text, "name" or "name=value", and the number says so. */
static void add_options(struct writer *w)
{
	const struct dt_prog *p = w->p;
	struct dt_dof_opt *out = DT_NEWN(w->tmp, struct dt_dof_opt, p->noptions);

	for (uint32_t i = 0; i < p->noptions; i++) {
		const char *name = p->options[2 * i], *value = p->options[2 * i + 1];
		const char *text = *value ? dt_arena_printf(w->tmp, "%s=%s", name, value) : name;

		out[i] = (struct dt_dof_opt){ DT_DOF_NONE, STRINGS, strings_put(w, &w->strings, text) };
	}
	if (p->noptions)
		add_section(w, DT_DS_OPTDESC, out, p->noptions * sizeof(*out));
}

/* Only what the program depends on: release and version of the kernel. The host name is private. */
static void add_kernel(struct writer *w)
{
	struct dt_dof_uts *u = DT_NEW(w->tmp, struct dt_dof_uts);

	if (!w->p->release || !w->p->version)
		return;
	snprintf(u->release, sizeof(u->release), "%s", w->p->release);
	snprintf(u->version, sizeof(u->version), "%s", w->p->version);
	add_section(w, DT_DS_UTSNAME, u, sizeof(*u));
}

/*
 * Strings are section 0 from the start, as others refer to them by number; their bytes are known at the
 * end. Notes come last: each of the others may add one.
 */
static void add_sections(struct writer *w)
{
	static const char comment[] = "DTrace for Linux";
	const struct dt_prog *p = w->p;

	add_section(w, DT_DS_STRTAB, NULL, 0);
	add_note(w,
	    (struct dt_dof_note){ .what = DT_NOTE_PROG,
		.sec = DT_DOF_NONE,
		.a = attr_word(p->descattr),
		.b = attr_word(p->stmtattr) });
	for (uint32_t i = 0; i < p->naggs; i++) {
		const struct dt_aggvar *a = &p->aggs[i];

		add_note(w,
		    (struct dt_dof_note){ DT_NOTE_AGG, STRINGS, strings_put(w, &w->strings, a->name), a->kind,
			a->arg, (uint64_t)a->id << 32 | a->nkeys });
	}
	for (uint32_t i = 0; i < p->necbs; i++)
		add_ecb(w, &p->ecbs[i]);
	add_options(w);
	add_kernel(w);
	w->secs.v[STRINGS].data = w->strings.text.v;
	w->secs.v[STRINGS].size = w->strings.text.n;
	add_section(w, DT_DS_COMMENTS, comment, sizeof(comment));
	add_section(w, DT_DS_NOTES, w->notes.v, w->notes.n * sizeof(*w->notes.v));
}

/* ---- the file: header, section headers, loaded sections, strings, then the rest ---- */

static bool is_loaded(uint32_t type)
{
	return type != DT_DS_COMMENTS && type != DT_DS_NOTES && type != DT_DS_UTSNAME;
}

static void place_section(struct section *s, uint64_t *at)
{
	uint64_t align = dt_dof_shape(s->type)->align;

	s->offset = (*at + align - 1) & ~(align - 1);
	*at = s->offset + s->size;
}

/* Loaded sections come first, the program's strings last of them: loadsz is where they end. */
static void place_sections(struct writer *w)
{
	uint64_t at = sizeof(struct dt_dof_hdr) + w->secs.n * sizeof(struct dt_dof_sec);

	for (size_t i = 1; i < w->secs.n; i++) {
		if (is_loaded(w->secs.v[i].type))
			place_section(&w->secs.v[i], &at);
	}
	place_section(&w->secs.v[STRINGS], &at);
	w->loadsz = at;
	for (size_t i = 1; i < w->secs.n; i++) {
		if (!is_loaded(w->secs.v[i].type))
			place_section(&w->secs.v[i], &at);
	}
	w->filesz = at;
}

/* `file` is zeroed, so the bytes between sections are too: the same program gives the same bytes. */
static void fill_file(const struct writer *w, unsigned char *file)
{
	struct dt_dof_hdr h = { { 0x7f, 'D', 'O', 'F' }, DT_DOF_LP64, DT_DOF_ENCODING, DT_DOF_VERSION,
		DT_DIF_VERSION, DT_DIF_NREGS, DT_DIF_NTREGS, { 0 }, 0, sizeof(h), sizeof(struct dt_dof_sec),
		(uint32_t)w->secs.n, sizeof(h), w->loadsz, w->filesz, 0 };

	memcpy(file, &h, sizeof(h));
	for (size_t i = 0; i < w->secs.n; i++) {
		const struct section *s = &w->secs.v[i];
		const struct dt_dof_shape *shape = dt_dof_shape(s->type);
		struct dt_dof_sec out = { s->type, shape->align, is_loaded(s->type) ? DT_DOF_LOAD : 0,
			shape->entsize, s->offset, s->size };

		memcpy(file + sizeof(h) + i * sizeof(out), &out, sizeof(out));
		if (s->size)
			memcpy(file + s->offset, s->data, s->size);
	}
}

/* *data is malloc'ed and the caller's; on an error neither result is touched. */
static int write_file(struct writer *w, void **data, size_t *len)
{
	unsigned char *file;

	dt_map_init(&w->done, w->tmp);
	strings_init(w, &w->strings, "", 1);
	add_sections(w);
	place_sections(w);
	if (w->filesz > DT_DOF_MAX)
		return -EFBIG;
	file = calloc(1, w->filesz);
	if (!file)
		return -ENOMEM;
	fill_file(w, file);
	*data = file;
	*len = w->filesz;
	return 0;
}

int dt_dof_write(const struct dt_prog *p, void **data, size_t *len)
{
	char why[128];
	struct writer *w;
	/* a program that could not be read back is not written */
	volatile int err = dt_prog_check(p, why, sizeof(why));

	if (err)
		return err;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	err = -ENOMEM;
	w->p = p;
	w->tmp = dt_arena_new();
	if (w->tmp && setjmp(w->env) == 0) {
		dt_arena_on_oom(w->tmp, &w->env);
		err = write_file(w, data, len);
	} else if (w->too_big) {
		err = -EFBIG;
	}
	dt_arena_free(w->tmp);
	free(w);
	return err;
}
