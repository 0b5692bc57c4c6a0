/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes from anywhere in, a checked program or a message out. The program's text, constants and strings
 * point into one copy of the file; each section is taken apart at most once and belongs to one owner,
 * so the memory used is a small multiple of the file. Nothing is believed before it was checked; errors
 * leave through fail().
 */
#include "dif/dof.h"
#include "dif/var.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTION_MAX = 64 };

struct reader {
	struct dt_arena *arena;		/* the program's */
	jmp_buf env;			/* out of memory, or msg tells */
	bool failed;
	char *msg;
	size_t msglen;
	const unsigned char *file;	/* our copy, aligned */
	size_t len;
	struct dt_dof_hdr hdr;
	const struct dt_dof_sec *secs;
	bool *used;			/* by section: belongs to a DIFO */
	struct dt_difo **difos;		/* by section: DIFOHDR taken apart */
	struct dt_act **acts;		/* by section: ACTDESC taken apart */
	struct dt_ecb **ecbs;		/* by section: ECBDESC's clause */
	struct dt_prog *p;
};

__attribute__((format(printf, 2, 3))) _Noreturn static void fail(struct reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->msg, r->msglen, fmt, ap);
	va_end(ap);
	r->failed = true;
	longjmp(r->env, 1);
}

/* ---- header and sections ---- */

static void check_ident(struct reader *r)
{
	static const unsigned char magic[4] = { 0x7f, 'D', 'O', 'F' };
	const struct dt_dof_hdr *h = &r->hdr;

	if (memcmp(h->magic, magic, sizeof(magic)))
		fail(r, "not a DOF file");
	if (h->model != 1 && h->model != DT_DOF_LP64)
		fail(r, "unknown data model %u", h->model);
	if (h->encoding != DT_DOF_ENCODING)
		fail(r, "made for the other byte order");
	if (h->version < 1 || h->version > 3)
		fail(r, "unknown DOF version %u", h->version);
	if (h->difvers != DT_DIF_VERSION)
		fail(r, "unknown DIF version %u", h->difvers);
	if (h->iregs > DT_DIF_NREGS || h->tregs > DT_DIF_NTREGS)
		fail(r, "wants %u registers and %u tuple registers", h->iregs, h->tregs);
	for (size_t i = 0; i < sizeof(h->pad); i++) {
		if (h->pad[i])
			fail(r, "reserved bytes of the header are not zero");
	}
}

static void check_header(struct reader *r)
{
	const struct dt_dof_hdr *h = &r->hdr;

	check_ident(r);
	if (h->flags || h->pad2)
		fail(r, "unknown flags in the header");
	if (h->hdrsize != sizeof(*h) || h->secsize != sizeof(struct dt_dof_sec))
		fail(r, "header of %u and section headers of %u bytes", (unsigned)h->hdrsize,
		    (unsigned)h->secsize);
	if (h->filesz != r->len || h->loadsz > h->filesz)
		fail(r, "sizes in the header do not fit a file of %zu bytes", r->len);
	if (h->secoff % 8 || h->secoff < sizeof(*h) || h->secoff > h->loadsz ||
	    h->secnum > (h->loadsz - h->secoff) / sizeof(struct dt_dof_sec))
		fail(r, "the section table lies outside the file");
}

static bool needs_load(uint32_t type)
{
	return type != DT_DS_COMMENTS && type != DT_DS_SOURCE && type != DT_DS_UTSNAME && type < DT_DS_OURS;
}

static bool is_ignored(uint32_t type)
{
	return type == 0 || type == DT_DS_COMMENTS || type == DT_DS_SOURCE || type == DT_DS_UTSNAME ||
	    type > DT_DS_NOTES;
}

static void check_shape(struct reader *r, uint32_t i)
{
	const struct dt_dof_sec *s = &r->secs[i];
	const struct dt_dof_shape *shape = dt_dof_shape(s->type);

	if (is_ignored(s->type))
		return;
	if (!shape)
		fail(r, "section %u: type %u does not belong in a program", (unsigned)i, (unsigned)s->type);
	if (s->align < shape->align)
		fail(r, "section %u: alignment %u is too small", (unsigned)i, (unsigned)s->align);
	if (s->entsize != shape->entsize || (shape->entsize && s->size % shape->entsize))
		fail(r, "section %u: entries of the wrong size", (unsigned)i);
	if (s->type == DT_DS_STRTAB && (!s->size || r->file[s->offset] || r->file[s->offset + s->size - 1]))
		fail(r, "section %u: strings do not start and end with a NUL", (unsigned)i);
}

static void check_section(struct reader *r, uint32_t i)
{
	const struct dt_dof_sec *s = &r->secs[i];
	bool load = s->flags & DT_DOF_LOAD;
	uint64_t limit = load ? r->hdr.loadsz : r->hdr.filesz;

	if (s->type == 0)
		return;
	if (s->flags & ~(uint32_t)DT_DOF_LOAD || (needs_load(s->type) && !load))
		fail(r, "section %u: wrong flags", (unsigned)i);
	if (!s->align || s->align & (s->align - 1) || s->offset % s->align)
		fail(r, "section %u: wrong alignment", (unsigned)i);
	if (s->offset > limit || s->size > limit - s->offset)
		fail(r, "section %u lies outside the file", (unsigned)i);
	check_shape(r, i);
}

static const struct dt_dof_sec *section(struct reader *r, uint32_t i, uint32_t type, const char *what)
{
	if (i >= r->hdr.secnum || r->secs[i].type != type)
		fail(r, "%s: section %u is not of type %u", what, (unsigned)i, (unsigned)type);
	return &r->secs[i];
}

static const void *bytes(const struct reader *r, const struct dt_dof_sec *s)
{
	return r->file + s->offset;
}

/* The one entry of a section that is a structure, not a table. */
static const void *only(struct reader *r, const struct dt_dof_sec *s, size_t size)
{
	if (s->size != size)
		fail(r, "section %u has %llu bytes instead of %zu", (unsigned)(s - r->secs),
		    (unsigned long long)s->size, size);
	return bytes(r, s);
}

static const char *string(struct reader *r, uint32_t strtab, uint64_t off, const char *what)
{
	const struct dt_dof_sec *s = section(r, strtab, DT_DS_STRTAB, what);

	if (off >= s->size)
		fail(r, "%s: string %llu lies outside its table", what, (unsigned long long)off);
	return (const char *)bytes(r, s) + off;
}

/* ---- DIFOs ---- */

static const struct dt_dof_sec *take(struct reader *r, uint32_t i, uint32_t type)
{
	const struct dt_dof_sec *s = section(r, i, type, "DIFO");

	if (r->used[i])
		fail(r, "section %u belongs to two DIFOs", (unsigned)i);
	r->used[i] = true;
	return s;
}

static void read_vars(struct reader *r, struct dt_difo *d, uint32_t sec, uint32_t strtab)
{
	const struct dt_dof_sec *s = take(r, sec, DT_DS_VARTAB);
	const struct dt_dof_var *from = bytes(r, s);
	uint32_t n = (uint32_t)(s->size / sizeof(*from));
	struct dt_difv *v = DT_NEWN(r->arena, struct dt_difv, n);

	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct dt_difv){ string(r, strtab, from[i].name, "variable"), from[i].id,
			from[i].kind, from[i].scope, from[i].flags, from[i].type };
	d->vars = v;
	d->nvars = n;
}

static void read_relocs(struct reader *r, struct dt_difo *d, uint32_t sec, uint32_t ints, uint32_t strtab)
{
	const struct dt_dof_relhdr *h = only(r, take(r, sec, DT_DS_KRELHDR), sizeof(*h));
	const struct dt_dof_sec *s = take(r, h->relsec, DT_DS_RELTAB);
	const struct dt_dof_rel *from = bytes(r, s);
	uint32_t n = (uint32_t)(s->size / sizeof(*from));
	struct dt_difreloc *out = DT_NEWN(r->arena, struct dt_difreloc, n);

	if (h->tgtsec != ints || h->strtab != strtab)
		fail(r, "section %u: relocations are of another DIFO", (unsigned)sec);
	for (uint32_t i = 0; i < n; i++) {
		if (from[i].type != DT_DOF_SETX || from[i].offset % sizeof(uint64_t) ||
		    from[i].offset / sizeof(uint64_t) >= d->nints)
			fail(r, "relocation %u of section %u is not of an integer constant", (unsigned)i,
			    (unsigned)h->relsec);
		out[i] = (struct dt_difreloc){ (uint32_t)(from[i].offset / sizeof(uint64_t)),
			string(r, strtab, from[i].name, "relocation"), from[i].data };
	}
	d->relocs = out;
	d->nrelocs = n;
}

/* The sections a DIFO header links to, by what they are. */
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

static struct links find_links(struct reader *r, const struct dt_dof_sec *hdr)
{
	struct links l = { DT_DOF_NONE, DT_DOF_NONE, DT_DOF_NONE, DT_DOF_NONE, DT_DOF_NONE };
	const uint32_t *link;
	uint64_t n;

	if (hdr->size < sizeof(struct dt_diftype) || hdr->size % sizeof(uint32_t))
		fail(r, "DIFO header of %llu bytes", (unsigned long long)hdr->size);
	link = (const uint32_t *)((const unsigned char *)bytes(r, hdr) + sizeof(struct dt_diftype));
	n = (hdr->size - sizeof(struct dt_diftype)) / sizeof(uint32_t);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t *slot = link[i] < r->hdr.secnum ? link_slot(&l, r->secs[link[i]].type) : NULL;

		if (!slot || *slot != DT_DOF_NONE)
			fail(r, "DIFO links to section %u, which it has already or cannot have",
			    (unsigned)link[i]);
		*slot = link[i];
	}
	if (l.text == DT_DOF_NONE)
		fail(r, "DIFO without instructions");
	return l;
}

static void read_tables(struct reader *r, struct dt_difo *d, const struct links *l)
{
	const struct dt_dof_sec *s = take(r, l->text, DT_DS_DIF);

	d->text = bytes(r, s);
	d->ntext = (uint32_t)(s->size / sizeof(*d->text));
	if (l->ints != DT_DOF_NONE) {
		s = take(r, l->ints, DT_DS_INTTAB);
		d->ints = bytes(r, s);
		d->nints = (uint32_t)(s->size / sizeof(*d->ints));
	}
	if (l->strs != DT_DOF_NONE) {
		s = take(r, l->strs, DT_DS_STRTAB);
		d->strs = bytes(r, s);
		d->strlen = (uint32_t)s->size;
	}
	if (l->vars != DT_DOF_NONE)
		read_vars(r, d, l->vars, l->strs);
	if (l->rels != DT_DOF_NONE)
		read_relocs(r, d, l->rels, l->ints, l->strs);
}

static const struct dt_difo *read_difo(struct reader *r, uint32_t sec)
{
	const struct dt_dof_sec *hdr = section(r, sec, DT_DS_DIFOHDR, "expression");
	struct dt_difo *d = r->difos[sec];
	struct links l;

	if (d)
		return d;
	d = r->difos[sec] = DT_NEW(r->arena, struct dt_difo);
	l = find_links(r, hdr);
	memcpy(&d->rtype, bytes(r, hdr), sizeof(d->rtype));
	read_tables(r, d, &l);
	for (uint32_t i = 0; i < d->ntext; i++)
		d->destructive |= dt_dif_is_destructive(d->text[i]);
	r->p->destructive |= d->destructive;
	return d;
}

/* ---- clauses ---- */

static void read_act(struct reader *r, const struct dt_dof_act *from, struct dt_act *a)
{
	if (from->kind > UINT16_MAX || from->ntuple > UINT16_MAX || from->uarg > UINT32_MAX)
		fail(r, "action 0x%x with %u actions before it, of statement %llu", (unsigned)from->kind,
		    (unsigned)from->ntuple, (unsigned long long)from->uarg);
	a->kind = (uint16_t)from->kind;
	a->ntuple = (uint16_t)from->ntuple;
	a->stmt = (uint32_t)from->uarg;
	if (from->difo != DT_DOF_NONE)
		a->difo = read_difo(r, from->difo);
	if (from->strtab != DT_DOF_NONE)
		a->fmt = string(r, from->strtab, from->arg, "action");
	else
		a->arg = from->arg;
	r->p->destructive |= DT_ACT_IS_DESTRUCTIVE(a->kind);
}

static const struct dt_act *read_acts(struct reader *r, uint32_t sec, uint32_t *count)
{
	const struct dt_dof_sec *s = section(r, sec, DT_DS_ACTDESC, "actions");
	const struct dt_dof_act *from = bytes(r, s);
	uint32_t n = (uint32_t)(s->size / sizeof(*from));

	*count = n;
	if (!r->acts[sec]) {
		r->acts[sec] = DT_NEWN(r->arena, struct dt_act, n);
		for (uint32_t i = 0; i < n; i++)
			read_act(r, &from[i], &r->acts[sec][i]);
	}
	return r->acts[sec];
}

static void read_probe(struct reader *r, uint32_t sec, struct dt_probedesc *p)
{
	const struct dt_dof_probe *from = only(r, section(r, sec, DT_DS_PROBEDESC, "clause"), sizeof(*from));

	p->prov = string(r, from->strtab, from->prov, "provider");
	p->mod = string(r, from->strtab, from->mod, "module");
	p->func = string(r, from->strtab, from->func, "function");
	p->name = string(r, from->strtab, from->name, "probe name");
	p->id = from->id;
}

static void read_ecb(struct reader *r, uint32_t sec, struct dt_ecb *e)
{
	const struct dt_dof_ecb *from = only(r, &r->secs[sec], sizeof(*from));

	if (from->pad || from->uarg)
		fail(r, "section %u: reserved fields are not zero", (unsigned)sec);
	read_probe(r, from->probes, &e->probe);
	if (from->pred != DT_DOF_NONE)
		e->pred = read_difo(r, from->pred);
	if (from->actions != DT_DOF_NONE)
		e->acts = read_acts(r, from->actions, &e->nacts);
	r->ecbs[sec] = e;
}

static uint32_t count(const struct reader *r, uint32_t type)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->hdr.secnum; i++)
		n += r->secs[i].type == type;
	return n;
}

static void read_ecbs(struct reader *r)
{
	uint32_t n = 0;
	struct dt_ecb *ecbs = DT_NEWN(r->arena, struct dt_ecb, count(r, DT_DS_ECBDESC));

	for (uint32_t i = 0; i < r->hdr.secnum; i++) {
		if (r->secs[i].type == DT_DS_ECBDESC)
			read_ecb(r, i, &ecbs[n++]);
	}
	r->p->ecbs = ecbs;
	r->p->necbs = n;
}

/* ---- options ---- */

/* Programs of other systems set options by these numbers. */
static const char *const option_names[] = {
	"bufsize",
	"bufpolicy",
	"dynvarsize",
	"aggsize",
	"specsize",
	"nspec",
	"strsize",
	"cleanrate",
	"cpu",
	"bufresize",
	"grabanon",
	"flowindent",
	"quiet",
	"stackframes",
	"ustackframes",
	"aggrate",
	"switchrate",
	"statusrate",
	"destructive",
	"stackindent",
	"rawbytes",
	"jstackframes",
	"jstackstrsize",
	"aggsortkey",
	"aggsortrev",
	"aggsortpos",
	"aggsortkeypos",
	"temporal",
	"agghist",
	"aggpack",
	"aggzoom",
};

/* Bytes before the first c or the end, but not more than max: many options may point into one long text. */
static size_t strcspn_max(const char *s, char c, size_t max)
{
	size_t n = 0;

	while (n < max && s[n] && s[n] != c)
		n++;
	return n;
}

static void read_option(struct reader *r, const struct dt_dof_opt *o, const char **name, const char **value)
{
	const char *text;
	size_t n;

	if (o->option == DT_DOF_NONE) {
		text = string(r, o->strtab, o->value, "option");
		n = strcspn_max(text, '=', OPTION_MAX);
		if (n == OPTION_MAX)
			fail(r, "option with a name of more than %d bytes", OPTION_MAX);
		*name = dt_arena_strndup(r->arena, text, n);
		*value = text[n] ? text + n + 1 : "";
		return;
	}
	if (o->option >= sizeof(option_names) / sizeof(option_names[0]) || o->strtab != DT_DOF_NONE)
		fail(r, "there is no option %u", (unsigned)o->option);
	*name = option_names[o->option];
	*value = dt_arena_printf(r->arena, "%llu", (unsigned long long)o->value);
}

static void read_options(struct reader *r)
{
	const struct dt_dof_sec *s = NULL;
	const struct dt_dof_opt *from;
	const char **out;
	uint32_t n;

	for (uint32_t i = 0; i < r->hdr.secnum; i++) {
		if (r->secs[i].type == DT_DS_OPTDESC && s)
			fail(r, "two sections of options");
		if (r->secs[i].type == DT_DS_OPTDESC)
			s = &r->secs[i];
	}
	if (!s)
		return;
	from = bytes(r, s);
	n = (uint32_t)(s->size / sizeof(*from));
	out = DT_NEWN(r->arena, const char *, 2 * (size_t)n);
	for (uint32_t i = 0; i < n; i++)
		read_option(r, &from[i], &out[2 * i], &out[2 * i + 1]);
	r->p->options = out;
	r->p->noptions = n;
}

/* ---- notes ---- */

static struct dt_attr attr_of(struct reader *r, uint64_t word)
{
	if (word > UINT32_MAX || word & 0xff)
		fail(r, "bad stability 0x%llx", (unsigned long long)word);
	return (struct dt_attr){ (uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8) };
}

static void note_prog(struct reader *r, const struct dt_dof_note *n)
{
	r->p->descattr = attr_of(r, n->a);
	r->p->stmtattr = attr_of(r, n->b);
}

static void note_ecb(struct reader *r, const struct dt_dof_note *n)
{
	section(r, n->sec, DT_DS_ECBDESC, "note");
	r->ecbs[n->sec]->descattr = attr_of(r, n->a);
	r->ecbs[n->sec]->stmtattr = attr_of(r, n->b);
}

static void note_act(struct reader *r, const struct dt_dof_note *n)
{
	const struct dt_dof_sec *s = section(r, n->sec, DT_DS_ACTDESC, "note");
	struct dt_act *a;

	if (!r->acts[n->sec] || n->index >= s->size / sizeof(struct dt_dof_act) || n->word > 1)
		fail(r, "note of action %u of section %u, which is not there", (unsigned)n->index,
		    (unsigned)n->sec);
	a = &r->acts[n->sec][n->index];
	a->in_tuple = n->word;
	if (a->fmt)
		a->arg = n->a;
}

static void note_strlen(struct reader *r, const struct dt_dof_note *n)
{
	struct dt_difo *d;

	section(r, n->sec, DT_DS_DIFOHDR, "note");
	d = r->difos[n->sec];
	if (!d || n->a > d->strlen || (n->a && d->strs[n->a - 1]))
		fail(r, "note of strings of section %u, which are not there", (unsigned)n->sec);
	d->strlen = (uint32_t)n->a;
}

static void note_agg(struct reader *r, const struct dt_dof_note *n, struct dt_aggvar *a)
{
	if (n->word > UINT16_MAX)
		fail(r, "there is no aggregating function 0x%x", (unsigned)n->word);
	*a = (struct dt_aggvar){ string(r, n->sec, n->index, "aggregation"), (uint32_t)(n->b >> 32),
		(uint16_t)n->word, n->a, (uint32_t)n->b };
}

static void read_notes(struct reader *r, const struct dt_dof_sec *s)
{
	const struct dt_dof_note *n = bytes(r, s), *end = n + s->size / sizeof(*n);
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
		default: fail(r, "unknown note %u", (unsigned)n->what);
		}
	}
}

static void read_all_notes(struct reader *r)
{
	bool found = false;

	for (uint32_t i = 0; i < r->hdr.secnum; i++) {
		if (r->secs[i].type != DT_DS_NOTES)
			continue;
		if (found)
			fail(r, "two sections of notes");
		found = true;
		read_notes(r, &r->secs[i]);
	}
}

/* ---- the file ---- */

static void read_file(struct reader *r, const void *data, size_t len)
{
	char why[256] = "";
	uint32_t n;

	if (len < sizeof(r->hdr) || len > DT_DOF_MAX)
		fail(r, "not a DOF file: %zu bytes", len);
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
	read_options(r);
	read_all_notes(r);
	if (dt_prog_check(r->p, why, sizeof(why)))
		fail(r, "%s", why);
}

int dt_dof_read(const void *data, size_t len, struct dt_prog **prog, char *msg, size_t msglen)
{
	struct reader *r = calloc(1, sizeof(*r));
	volatile int err = -ENOMEM;

	if (!r)
		return err;
	r->arena = dt_arena_new();
	r->msg = msg;
	r->msglen = msglen;
	if (r->arena && setjmp(r->env) == 0) {
		dt_arena_on_oom(r->arena, &r->env);
		read_file(r, data, len);
		dt_arena_on_oom(r->arena, NULL);	/* env goes away with this call */
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
