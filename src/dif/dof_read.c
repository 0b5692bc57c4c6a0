/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes from anywhere come in; a checked program or a message goes out. The text, constants and strings
 * of the program point into one copy of the file. Each section is decoded at most once and belongs to
 * one owner, so the memory used is a small multiple of the file. Nothing is used before it is checked;
 * errors leave through dt_dof_fail().
 */
#include "dif/dof_reader.h"
#include "base/count.h"
#include "dif/var.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void dt_dof_fail(struct dt_dof_in *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->msg, r->msglen, fmt, ap);
	va_end(ap);
	r->failed = true;
	longjmp(r->env, 1);
}

/* ---- header and sections ---- */

/* Either data model, but our own byte order only. */
static void check_ident(struct dt_dof_in *r)
{
	static const unsigned char magic[4] = { 0x7f, 'D', 'O', 'F' };
	const struct dt_dof_hdr *h = &r->hdr;

	if (memcmp(h->magic, magic, sizeof(magic)))
		dt_dof_fail(r, "not a DOF file");
	if (h->model != 1 && h->model != DT_DOF_LP64)
		dt_dof_fail(r, "unknown data model %u", h->model);
	if (h->encoding != DT_DOF_ENCODING)
		dt_dof_fail(r, "made for the other byte order");
	if (h->version < 1 || h->version > 3)
		dt_dof_fail(r, "unknown DOF version %u", h->version);
	if (h->difvers != DT_DIF_VERSION)
		dt_dof_fail(r, "unknown DIF version %u", h->difvers);
	if (h->iregs > DT_DIF_NREGS || h->tregs > DT_DIF_NTREGS)
		dt_dof_fail(r, "wants %u registers and %u tuple registers", h->iregs, h->tregs);
	for (size_t i = 0; i < sizeof(h->pad); i++) {
		if (h->pad[i])
			dt_dof_fail(r, "reserved bytes of the header are not zero");
	}
}

/*
 * After this secs can be indexed below secnum, 8-aligned, inside the part that is loaded. Reserved fields
 * must be zero: they may mean something to a later version.
 */
static void check_header(struct dt_dof_in *r)
{
	const struct dt_dof_hdr *h = &r->hdr;

	check_ident(r);
	if (h->flags || h->pad2)
		dt_dof_fail(r, "unknown flags in the header");
	if (h->hdrsize != sizeof(*h) || h->secsize != sizeof(struct dt_dof_sec))
		dt_dof_fail(r, "header of %u and section headers of %u bytes", (unsigned)h->hdrsize,
		    (unsigned)h->secsize);
	if (h->filesz != r->len || h->loadsz > h->filesz)
		dt_dof_fail(r, "sizes in the header do not fit a file of %zu bytes", r->len);
	if (h->secoff % 8 || h->secoff < sizeof(*h) || h->secoff > h->loadsz ||
	    h->secnum > (h->loadsz - h->secoff) / sizeof(struct dt_dof_sec))
		dt_dof_fail(r, "the section table lies outside the file");
}

/* Sections that an executor needs must be marked as loadable. */
static bool needs_load(uint32_t type)
{
	return type != DT_DS_COMMENTS && type != DT_DS_SOURCE && type != DT_DS_UTSNAME && type < DT_DS_OURS;
}

/* Sections that may have any form: they tell us nothing, or are looked at with care. */
static bool is_ignored(uint32_t type)
{
	return type == 0 || type == DT_DS_COMMENTS || type == DT_DS_SOURCE || type == DT_DS_UTSNAME ||
	    type > DT_DS_NOTES;
}

/* Alignment and whole entries are what lets the tables be used in place, without copying each entry. */
static void check_shape(struct dt_dof_in *r, uint32_t i)
{
	const struct dt_dof_sec *s = &r->secs[i];
	const struct dt_dof_shape *shape = dt_dof_shape(s->type);

	if (is_ignored(s->type))
		return;
	if (!shape)
		dt_dof_fail(r, "section %u: type %u does not belong in a program", (unsigned)i,
		    (unsigned)s->type);
	if (s->align < shape->align)
		dt_dof_fail(r, "section %u: alignment %u is too small", (unsigned)i, (unsigned)s->align);
	if (s->entsize != shape->entsize || (shape->entsize && s->size % shape->entsize))
		dt_dof_fail(r, "section %u: entries of the wrong size", (unsigned)i);
	if (s->type == DT_DS_STRTAB && (!s->size || r->file[s->offset] || r->file[s->offset + s->size - 1]))
		dt_dof_fail(r, "section %u: strings do not start and end with a NUL", (unsigned)i);
}

/* After this every section that is not ignored lies inside the file, aligned, with whole entries. */
static void check_section(struct dt_dof_in *r, uint32_t i)
{
	const struct dt_dof_sec *s = &r->secs[i];
	bool load = s->flags & DT_DOF_LOAD;
	uint64_t limit = load ? r->hdr.loadsz : r->hdr.filesz;

	if (s->type == 0)
		return;
	if (s->flags & ~(uint32_t)DT_DOF_LOAD || (needs_load(s->type) && !load))
		dt_dof_fail(r, "section %u: wrong flags", (unsigned)i);
	if (!s->align || s->align & (s->align - 1) || s->offset % s->align)
		dt_dof_fail(r, "section %u: wrong alignment", (unsigned)i);
	if (s->offset > limit || s->size > limit - s->offset)
		dt_dof_fail(r, "section %u lies outside the file", (unsigned)i);
	check_shape(r, i);
}

/*
 * The section with this number, which must have the type; `what` is for the message. Every number of a
 * section in the file comes through here, or through find_links().
 */
static const struct dt_dof_sec *section_of_type(struct dt_dof_in *r, uint32_t i, uint32_t type,
    const char *what)
{
	if (i >= r->hdr.secnum || r->secs[i].type != type)
		dt_dof_fail(r, "%s: section %u is not of type %u", what, (unsigned)i, (unsigned)type);
	return &r->secs[i];
}

const void *dt_dof_bytes(const struct dt_dof_in *r, const struct dt_dof_sec *s)
{
	return r->file + s->offset;
}

/* The content of a section that is one structure, not a table. */
static const void *single_entry(struct dt_dof_in *r, const struct dt_dof_sec *s, size_t size)
{
	if (s->size != size)
		dt_dof_fail(r, "section %u has %llu bytes instead of %zu", (unsigned)(s - r->secs),
		    (unsigned long long)s->size, size);
	return dt_dof_bytes(r, s);
}

/* The table ends in NUL (check_shape()), so every offset inside it is a string. */
const char *dt_dof_string(struct dt_dof_in *r, uint32_t strtab, uint64_t off, const char *what)
{
	const struct dt_dof_sec *s = section_of_type(r, strtab, DT_DS_STRTAB, what);

	if (off >= s->size)
		dt_dof_fail(r, "%s: string %llu lies outside its table", what, (unsigned long long)off);
	return (const char *)dt_dof_bytes(r, s) + off;
}

/* ---- DIFOs ---- */

/* Two DIFOs that shared a section could make the program far larger than the file. */
static const struct dt_dof_sec *take_section(struct dt_dof_in *r, uint32_t i, uint32_t type)
{
	const struct dt_dof_sec *s = section_of_type(r, i, type, "DIFO");

	if (r->used[i])
		dt_dof_fail(r, "section %u belongs to two DIFOs", (unsigned)i);
	r->used[i] = true;
	return s;
}

/*
 * Without a string table of the DIFO `strtab` is no section, and a name in it is refused. Ids, kinds and
 * types are dt_prog_check()'s to judge.
 */
static void read_vars(struct dt_dof_in *r, struct dt_difo *d, uint32_t sec, uint32_t strtab)
{
	const struct dt_dof_sec *s = take_section(r, sec, DT_DS_VARTAB);
	const struct dt_dof_var *from = dt_dof_bytes(r, s);
	uint32_t n = (uint32_t)(s->size / sizeof(*from));
	struct dt_difv *v = DT_NEWN(r->arena, struct dt_difv, n);

	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct dt_difv){ dt_dof_string(r, strtab, from[i].name, "variable"), from[i].id,
			from[i].kind, from[i].scope, from[i].flags, from[i].type };
	d->vars = v;
	d->nvars = n;
}

/*
 * The target and the strings must be those of this very DIFO: a relocation into another one's constants
 * would change what was checked.
 */
static void read_relocs(struct dt_dof_in *r, struct dt_difo *d, uint32_t sec, uint32_t ints, uint32_t strtab)
{
	const struct dt_dof_relhdr *h = single_entry(r, take_section(r, sec, DT_DS_KRELHDR), sizeof(*h));
	const struct dt_dof_sec *s = take_section(r, h->relsec, DT_DS_RELTAB);
	const struct dt_dof_rel *from = dt_dof_bytes(r, s);
	uint32_t n = (uint32_t)(s->size / sizeof(*from));
	struct dt_difreloc *out = DT_NEWN(r->arena, struct dt_difreloc, n);

	if (h->tgtsec != ints || h->strtab != strtab)
		dt_dof_fail(r, "section %u: relocations are of another DIFO", (unsigned)sec);
	for (uint32_t i = 0; i < n; i++) {
		if (from[i].type != DT_DOF_SETX || from[i].offset % sizeof(uint64_t) ||
		    from[i].offset / sizeof(uint64_t) >= d->nints)
			dt_dof_fail(r, "relocation %u of section %u is not of an integer constant",
	    (unsigned)i,
			    (unsigned)h->relsec);
		out[i] = (struct dt_difreloc){ (uint32_t)(from[i].offset / sizeof(uint64_t)),
			dt_dof_string(r, strtab, from[i].name, "relocation"), from[i].data };
	}
	d->relocs = out;
	d->nrelocs = n;
}

/* The sections that a DIFO header links to, by type; DT_DOF_NONE: not linked. */
struct links { uint32_t text, ints, strs, vars, rels; };

static uint32_t *link_slot(struct links *l, uint32_t type)
{
	switch (type) {
	case DT_DS_DIF: return &l->text;
	case DT_DS_INTTAB: return &l->ints;
	case DT_DS_STRTAB: return &l->strs;
	case DT_DS_VARTAB: return &l->vars;
	case DT_DS_KRELHDR: return &l->rels;
	default: return NULL;
	}
}

/* Each kind of section at most once, and the instructions always. */
static struct links find_links(struct dt_dof_in *r, const struct dt_dof_sec *hdr)
{
	struct links l = { DT_DOF_NONE, DT_DOF_NONE, DT_DOF_NONE, DT_DOF_NONE, DT_DOF_NONE };
	const uint32_t *link;
	uint64_t n;

	if (hdr->size < sizeof(struct dt_diftype) || hdr->size % sizeof(uint32_t))
		dt_dof_fail(r, "DIFO header of %llu bytes", (unsigned long long)hdr->size);
	link = (const uint32_t *)((const unsigned char *)dt_dof_bytes(r, hdr) + sizeof(struct dt_diftype));
	n = (hdr->size - sizeof(struct dt_diftype)) / sizeof(uint32_t);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t *slot = link[i] < r->hdr.secnum ? link_slot(&l, r->secs[link[i]].type) : NULL;

		if (!slot || *slot != DT_DOF_NONE)
			dt_dof_fail(r, "DIFO links to section %u, which it has already or cannot have",
			    (unsigned)link[i]);
		*slot = link[i];
	}
	if (l.text == DT_DOF_NONE)
		dt_dof_fail(r, "DIFO without instructions");
	return l;
}

/*
 * Text, integers and strings stay where they are in the copy of the file, which lives as long as the
 * program.
 */
static void read_tables(struct dt_dof_in *r, struct dt_difo *d, const struct links *l)
{
	const struct dt_dof_sec *s = take_section(r, l->text, DT_DS_DIF);

	d->text = dt_dof_bytes(r, s);
	d->ntext = (uint32_t)(s->size / sizeof(*d->text));
	if (l->ints != DT_DOF_NONE) {
		s = take_section(r, l->ints, DT_DS_INTTAB);
		d->ints = dt_dof_bytes(r, s);
		d->nints = (uint32_t)(s->size / sizeof(*d->ints));
	}
	if (l->strs != DT_DOF_NONE) {
		s = take_section(r, l->strs, DT_DS_STRTAB);
		d->strs = dt_dof_bytes(r, s);
		d->strlen = (uint32_t)s->size;
	}
	if (l->vars != DT_DOF_NONE)
		read_vars(r, d, l->vars, l->strs);
	if (l->rels != DT_DOF_NONE)
		read_relocs(r, d, l->rels, l->ints, l->strs);
}

/*
 * A DIFO that several actions use is decoded once. It is destructive if an instruction is, whatever the
 * writer said: nothing in the file can hide it.
 */
static const struct dt_difo *read_difo(struct dt_dof_in *r, uint32_t sec)
{
	const struct dt_dof_sec *hdr = section_of_type(r, sec, DT_DS_DIFOHDR, "expression");
	struct dt_difo *d = r->difos[sec];
	struct links l;

	if (d)
		return d;
	d = r->difos[sec] = DT_NEW(r->arena, struct dt_difo);
	l = find_links(r, hdr);
	memcpy(&d->rtype, dt_dof_bytes(r, hdr), sizeof(d->rtype));
	read_tables(r, d, &l);
	for (uint32_t i = 0; i < d->ntext; i++)
		d->destructive |= dt_dif_is_destructive(d->text[i]);
	r->p->destructive |= d->destructive;
	return d;
}

/* ---- clauses ---- */

/*
 * Fields that are smaller in memory are checked before they are cut. An action has one field for argument
 * and text; note_act() may bring the other.
 */
static void read_act(struct dt_dof_in *r, const struct dt_dof_act *from, struct dt_act *a)
{
	if (from->kind > UINT16_MAX || from->ntuple > UINT16_MAX || from->uarg > UINT32_MAX)
		dt_dof_fail(r, "action 0x%x with %u actions before it, of statement %llu",
	    (unsigned)from->kind,
		    (unsigned)from->ntuple, (unsigned long long)from->uarg);
	a->kind = (uint16_t)from->kind;
	a->ntuple = (uint16_t)from->ntuple;
	a->stmt = (uint32_t)from->uarg;
	if (from->difo != DT_DOF_NONE)
		a->difo = read_difo(r, from->difo);
	if (from->strtab != DT_DOF_NONE)
		a->fmt = dt_dof_string(r, from->strtab, from->arg, "action");
	else
		a->arg = from->arg;
	r->p->destructive |= DT_ACT_IS_DESTRUCTIVE(a->kind);
}

/* Clauses may share a list of actions: it is decoded once. */
static const struct dt_act *read_acts(struct dt_dof_in *r, uint32_t sec, uint32_t *count)
{
	const struct dt_dof_sec *s = section_of_type(r, sec, DT_DS_ACTDESC, "actions");
	const struct dt_dof_act *from = dt_dof_bytes(r, s);
	uint32_t n = (uint32_t)(s->size / sizeof(*from));

	*count = n;
	if (!r->acts[sec]) {
		r->acts[sec] = DT_NEWN(r->arena, struct dt_act, n);
		for (uint32_t i = 0; i < n; i++)
			read_act(r, &from[i], &r->acts[sec][i]);
	}
	return r->acts[sec];
}

static void read_probe(struct dt_dof_in *r, uint32_t sec, struct dt_probedesc *p)
{
	const struct dt_dof_probe *from = single_entry(r, section_of_type(r, sec, DT_DS_PROBEDESC, "clause"),
	    sizeof(*from));

	p->prov = dt_dof_string(r, from->strtab, from->prov, "provider");
	p->mod = dt_dof_string(r, from->strtab, from->mod, "module");
	p->func = dt_dof_string(r, from->strtab, from->func, "function");
	p->name = dt_dof_string(r, from->strtab, from->name, "probe name");
	p->id = from->id;
}

/* Clauses are entered by section for their notes, which come later. */
static void read_ecb(struct dt_dof_in *r, uint32_t sec, struct dt_ecb *e)
{
	const struct dt_dof_ecb *from = single_entry(r, &r->secs[sec], sizeof(*from));

	if (from->pad || from->uarg)
		dt_dof_fail(r, "section %u: reserved fields are not zero", (unsigned)sec);
	read_probe(r, from->probes, &e->probe);
	if (from->pred != DT_DOF_NONE)
		e->pred = read_difo(r, from->pred);
	if (from->actions != DT_DOF_NONE)
		e->acts = read_acts(r, from->actions, &e->nacts);
	r->ecbs[sec] = e;
}

static uint32_t count_sections(const struct dt_dof_in *r, uint32_t type)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->hdr.secnum; i++)
		n += r->secs[i].type == type;
	return n;
}

static void read_ecbs(struct dt_dof_in *r)
{
	uint32_t n = 0;
	struct dt_ecb *ecbs = DT_NEWN(r->arena, struct dt_ecb, count_sections(r, DT_DS_ECBDESC));

	for (uint32_t i = 0; i < r->hdr.secnum; i++) {
		if (r->secs[i].type == DT_DS_ECBDESC)
			read_ecb(r, i, &ecbs[n++]);
	}
	r->p->ecbs = ecbs;
	r->p->necbs = n;
}

/* ---- notes: what the historic sections have no room for (dof.h) ---- */

static struct dt_attr attr_of(struct dt_dof_in *r, uint64_t word)
{
	if (word > UINT32_MAX || word & 0xff)
		dt_dof_fail(r, "bad stability 0x%llx", (unsigned long long)word);
	return (struct dt_attr){ (uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8) };
}

static void note_prog(struct dt_dof_in *r, const struct dt_dof_note *n)
{
	r->p->descattr = attr_of(r, n->a);
	r->p->stmtattr = attr_of(r, n->b);
}

static void note_ecb(struct dt_dof_in *r, const struct dt_dof_note *n)
{
	section_of_type(r, n->sec, DT_DS_ECBDESC, "note");
	r->ecbs[n->sec]->descattr = attr_of(r, n->a);
	r->ecbs[n->sec]->stmtattr = attr_of(r, n->b);
}

/* Only an action that a clause has used is there; one that was not read is refused as well. */
static void note_act(struct dt_dof_in *r, const struct dt_dof_note *n)
{
	const struct dt_dof_sec *s = section_of_type(r, n->sec, DT_DS_ACTDESC, "note");
	struct dt_act *a;

	if (!r->acts[n->sec] || n->index >= s->size / sizeof(struct dt_dof_act) || n->word > 1)
		dt_dof_fail(r, "note of action %u of section %u, which is not there", (unsigned)n->index,
		    (unsigned)n->sec);
	a = &r->acts[n->sec][n->index];
	a->in_tuple = n->word;
	if (a->fmt)
		a->arg = n->a;
}

/* Behind the DIFO's own strings its table has names of variables; this says where those begin. */
static void note_strlen(struct dt_dof_in *r, const struct dt_dof_note *n)
{
	struct dt_difo *d;

	section_of_type(r, n->sec, DT_DS_DIFOHDR, "note");
	d = r->difos[n->sec];
	if (!d || n->a > d->strlen || (n->a && d->strs[n->a - 1]))
		dt_dof_fail(r, "note of strings of section %u, which are not there", (unsigned)n->sec);
	d->strlen = (uint32_t)n->a;
}

static void note_agg(struct dt_dof_in *r, const struct dt_dof_note *n, struct dt_aggvar *a)
{
	if (n->word > UINT16_MAX)
		dt_dof_fail(r, "there is no aggregating function 0x%x", (unsigned)n->word);
	*a = (struct dt_aggvar){ dt_dof_string(r, n->sec, n->index, "aggregation"), (uint32_t)(n->b >> 32),
		(uint16_t)n->word, n->a, (uint32_t)n->b };
}

/*
 * Aggregations are declared by notes alone: a program without them that aggregates is refused. aggs has as
 * many entries as there are notes of that kind, since both loops look at the same bytes of our own copy.
 */
static void read_notes(struct dt_dof_in *r, const struct dt_dof_sec *s)
{
	const struct dt_dof_note *n = dt_dof_bytes(r, s), *end = n + s->size / sizeof(*n);
	uint32_t naggs = 0;
	struct dt_aggvar *aggs;

	for (const struct dt_dof_note *i = n; i < end; i++)
		naggs += i->what == DT_NOTE_AGG;
	aggs = DT_NEWN(r->arena, struct dt_aggvar, naggs);
	r->p->aggs = aggs;
	r->p->naggs = naggs;
	for (; n < end; n++) {
		switch (n->what) {
		case DT_NOTE_PROG: note_prog(r, n); break;
		case DT_NOTE_ECB: note_ecb(r, n); break;
		case DT_NOTE_ACT: note_act(r, n); break;
		case DT_NOTE_STRLEN: note_strlen(r, n); break;
		case DT_NOTE_AGG: note_agg(r, n, aggs++); break;
		default: dt_dof_fail(r, "unknown note %u", (unsigned)n->what);
		}
	}
}

static void read_all_notes(struct dt_dof_in *r)
{
	bool found = false;

	for (uint32_t i = 0; i < r->hdr.secnum; i++) {
		if (r->secs[i].type != DT_DS_NOTES)
			continue;
		if (found)
			dt_dof_fail(r, "two sections of notes");
		found = true;
		read_notes(r, &r->secs[i]);
	}
}

/* Section UTSNAME, if it is one of Linux: the kernel that the program was compiled for. */
static void read_kernel(struct dt_dof_in *r)
{
	for (uint32_t i = 0; i < r->hdr.secnum; i++) {
		const struct dt_dof_uts *u;

		if (r->secs[i].type != DT_DS_UTSNAME || r->secs[i].size != sizeof(*u))
			continue;
		u = dt_dof_bytes(r, &r->secs[i]);
		r->p->release = dt_arena_strndup(r->arena, u->release,
		    strnlen(u->release, sizeof(u->release)));
		r->p->version = dt_arena_strndup(r->arena, u->version,
		    strnlen(u->version, sizeof(u->version)));
	}
}

/* ---- the file ---- */

/* The order matters: notes refer to decoded clauses, actions and DIFOs. */
static void read_file(struct dt_dof_in *r, const void *data, size_t len)
{
	char why[256] = "";
	uint32_t n;

	if (len < sizeof(r->hdr) || len > DT_DOF_MAX)
		dt_dof_fail(r, "not a DOF file: %zu bytes", len);
	r->file = dt_arena_memdup(r->arena, data, len);
	r->len = len;
	memcpy(&r->hdr, r->file, sizeof(r->hdr));
	check_header(r);
	r->secs = (const struct dt_dof_sec *)(r->file + r->hdr.secoff);
	n = r->hdr.secnum;
	for (uint32_t i = 0; i < n; i++)
		check_section(r, i);
	r->used = DT_NEWN(r->arena, bool, n);
	r->difos = DT_NEWN(r->arena, struct dt_difo *, n);
	r->acts = DT_NEWN(r->arena, struct dt_act *, n);
	r->ecbs = DT_NEWN(r->arena, struct dt_ecb *, n);
	r->p = DT_NEW(r->arena, struct dt_prog);
	r->p->arena = r->arena;
	read_ecbs(r);
	dt_dof_options(r);
	read_all_notes(r);
	read_kernel(r);
	if (dt_prog_check(r->p, why, sizeof(why)))
		dt_dof_fail(r, "%s", why);
}

/* The arena is the program's; an error frees it with everything in it. data may go when this returns. */
int dt_dof_read(const void *data, size_t len, struct dt_prog **prog, char *msg, size_t msglen)
{
	struct dt_dof_in *r = calloc(1, sizeof(*r));
	volatile int err = -ENOMEM;

	if (!r)
		return err;
	r->arena = dt_arena_new();
	r->msg = msg;
	r->msglen = msglen;
	if (r->arena && setjmp(r->env) == 0) {
		dt_arena_on_oom(r->arena, &r->env);
		read_file(r, data, len);
		dt_arena_on_oom(r->arena, NULL);	/* env is on its way out of scope */
		*prog = r->p;
		err = 0;
	} else if (r->failed) {
		err = -EINVAL;
	} else {
		snprintf(msg, msglen, "out of memory");
	}
	if (err)
		dt_arena_free(r->arena);
	free(r);
	return err;
}
