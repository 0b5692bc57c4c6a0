/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Providers come in, DOF goes out, and back. Section 0 holds all strings. Each provider has its probes,
 * argument maps, two empty lists of offsets, and the section that refers to them. The bytes that are
 * read are hostile: every index is checked before it is used.
 */
#include "dif/dof_provider.h"

#include "base/map.h"
#include "dif/dof.h"

#include <errno.h>
#include <stdlib.h>

/* Section types of the historic format. */
enum { PROVIDER = 15, PROBES = 16, PRARGS = 17, PROFFS = 18, PRENOFFS = 26 };
enum { SECTIONS = 5 };			/* of one provider */

/* Records of the historic format; offsets are not used, since the sites are ELF notes. */
struct provider { uint32_t strtab, probes, prargs, proffs, name, attr[5], prenoffs; };
struct probe {
	uint64_t addr;
	uint32_t func, name, nargv, xargv, argidx, offidx;
	uint8_t nargc, xargc;
	uint16_t noffs;
	uint32_t enoffidx;
	uint16_t nenoffs, pad;
	uint32_t pad2;
};
_Static_assert(sizeof(struct provider) == 44, "PROVIDER");
_Static_assert(sizeof(struct probe) == 48, "PROBES");

/* ---- writing ---- */

struct section { uint32_t type, align, entsize; const void *data; uint64_t size; };

/* Everything but the result lives in tmp, which is freed at the end, also after an error. */
struct writer {
	struct dt_arena *tmp;
	jmp_buf env;
	DT_VEC(char) strings;
	struct dt_map known;		/* text to offset + 1 */
	DT_VEC(struct section) secs;
};

/*
 * The text with its NUL; offsets fit into 32 bits, as more than DT_DOF_MAX is refused at the end
 * (write_file()), before anything is read by them.
 */
static uint32_t put_text(struct writer *w, const char *text)
{
	uint32_t at = (uint32_t)w->strings.n;

	do
		dt_vec_push(w->tmp, &w->strings, *text);
	while (*text++ != '\0');
	return at;
}

/* Equal texts share a place, except for types, which must stand one after another. */
static uint32_t put_string(struct writer *w, const char *text)
{
	uintptr_t at = (uintptr_t)dt_map_get(&w->known, text);

	if (at == 0) {
		at = (uintptr_t)put_text(w, text) + 1;
		dt_map_put(&w->known, text, (void *)at);
	}
	return (uint32_t)at - 1;
}

/* The types of one list are stored one after another. */
static uint32_t put_types(struct writer *w, const char *const *types, uint32_t n)
{
	uint32_t at = (uint32_t)w->strings.n;

	for (uint32_t i = 0; i < n; i++)
		put_text(w, types[i]);
	return n > 0 ? at : 0;
}

/* Returns the number of the new section. data must stay valid until the file is written. */
static uint32_t add_section(struct writer *w, uint32_t type, uint32_t align, uint32_t entsize,
    const void *data, uint64_t size)
{
	dt_vec_push(w->tmp, &w->secs, ((struct section){ type, align, entsize, data, size }));
	return (uint32_t)w->secs.n - 1;
}

/*
 * The section of the provider comes after those it refers to, whose numbers it needs. The format has one
 * byte for the number of arguments: the caller must have no more.
 */
static void add_provider(struct writer *w, const struct dt_dofprov *p)
{
	struct provider *out = DT_NEW(w->tmp, struct provider);
	struct probe *probes = DT_NEWN(w->tmp, struct probe, p->nprobes + 1);
	DT_VEC(uint8_t) map = { 0 };

	for (uint32_t i = 0; i < p->nprobes; i++) {
		const struct dt_dofprobe *d = &p->probes[i];

		probes[i] = (struct probe){ .func = put_string(w, d->func),
			.name = put_string(w, d->name),
			.nargv = put_types(w, d->in, d->nin),
			.xargv = put_types(w, d->out, d->nout),
			.argidx = (uint32_t)map.n,
			.nargc = (uint8_t)d->nin,
			.xargc = (uint8_t)d->nout };
		for (uint32_t k = 0; k < d->nout; k++)
			dt_vec_push(w->tmp, &map, d->map[k]);
	}
	out->name = put_string(w, p->name);
	for (int i = 0; i < 5; i++)
		out->attr[i] = (uint32_t)p->attrs[i].name << 24 | (uint32_t)p->attrs[i].data << 16 |
		    (uint32_t)p->attrs[i].cls << 8;
	out->probes = add_section(w, PROBES, 8, sizeof(*probes), probes, p->nprobes * sizeof(*probes));
	out->prargs = add_section(w, PRARGS, 1, 1, map.v, map.n);
	out->proffs = add_section(w, PROFFS, 4, 4, NULL, 0);
	out->prenoffs = add_section(w, PRENOFFS, 4, 4, NULL, 0);
	add_section(w, PROVIDER, 4, 0, out, sizeof(*out));
}

/* Lays the sections out, each aligned to 8, and writes the file. */
static int write_file(struct writer *w, void **data, size_t *len)
{
	struct dt_dof_hdr h = { { 0x7f, 'D', 'O', 'F' }, DT_DOF_LP64, DT_DOF_ENCODING, DT_DOF_VERSION,
		DT_DIF_VERSION, DT_DIF_NREGS, DT_DIF_NTREGS, { 0 }, 0, sizeof(h), sizeof(struct dt_dof_sec),
		(uint32_t)w->secs.n, sizeof(h), 0, 0, 0 };
	uint64_t at = sizeof(h) + w->secs.n * sizeof(struct dt_dof_sec), total = at;
	unsigned char *file;

	w->secs.v[0].data = w->strings.v;
	w->secs.v[0].size = w->strings.n;
	for (size_t i = 0; i < w->secs.n; i++)
		total = ((total + 7) & ~UINT64_C(7)) + w->secs.v[i].size;
	h.loadsz = h.filesz = total = (total + 7) & ~UINT64_C(7);
	if (total > DT_DOF_MAX)
		return -EFBIG;
	if ((file = calloc(1, total)) == NULL)
		return -ENOMEM;
	memcpy(file, &h, sizeof(h));
	for (size_t i = 0; i < w->secs.n; i++) {
		const struct section *s = &w->secs.v[i];
		struct dt_dof_sec out = { s->type, s->align, DT_DOF_LOAD, s->entsize, (at + 7) & ~UINT64_C(7),
			s->size };

		memcpy(file + sizeof(h) + i * sizeof(out), &out, sizeof(out));
		if (s->size > 0)
			memcpy(file + out.offset, s->data, s->size);
		at = out.offset + s->size;
	}
	*data = file;
	*len = total;
	return 0;
}

int dt_dofprov_write(const struct dt_dofprov *p, uint32_t n, void **data, size_t *len)
{
	struct writer *w = calloc(1, sizeof(*w));
	volatile int err = -ENOMEM;

	if (w == NULL || (w->tmp = dt_arena_new()) == NULL) {
		free(w);
		return -ENOMEM;
	}
	if (setjmp(w->env) == 0) {
		dt_arena_on_oom(w->tmp, &w->env);
		dt_map_init(&w->known, w->tmp);
		put_string(w, "");
		add_section(w, DT_DS_STRTAB, 1, 0, NULL, 0);
		for (uint32_t i = 0; i < n; i++)
			add_provider(w, &p[i]);
		err = write_file(w, data, len);
	}
	dt_arena_free(w->tmp);
	free(w);
	return err;
}

/* ---- reading ---- */

/*
 * Bytes of text to be made from a section: types may share their text, so a hostile section could grow
 * without end
 */
enum { BUDGET = 16 << 20 };

/*
 * out grows in the caller's arena, and so do all texts; the section itself may go when the reading is over.
 */
struct reader {
	struct dt_arena *arena;
	size_t budget;
	const unsigned char *dof;
	struct dt_dof_hdr h;
	DT_VEC(struct dt_dofprov) out;
};

/*
 * The bytes of section `index` if it has the type; otherwise NULL. Headers are copied out: nothing says
 * that the section of a linked program is aligned.
 */
static const unsigned char *section_bytes(const struct reader *r, uint32_t index, uint32_t type,
    uint64_t *size)
{
	struct dt_dof_sec s;

	if (index >= r->h.secnum)
		return NULL;
	memcpy(&s, r->dof + r->h.secoff + (uint64_t)index * sizeof(s), sizeof(s));
	if (s.type != type || s.offset > r->h.filesz || s.size > r->h.filesz - s.offset)
		return NULL;
	*size = s.size;
	return r->dof + s.offset;
}

/* The text at an offset; NULL if it is outside. The caller has checked that the strings end in NUL. */
static const char *text_at(const char *strings, uint64_t size, uint64_t at)
{
	return at < size ? strings + at : NULL;
}

/* NULL: the budget is used up. */
static const char *copy_text(struct reader *r, const char *text)
{
	size_t cost = strlen(text) + 16;

	if (cost > r->budget)
		return NULL;
	r->budget -= cost;
	return dt_arena_strdup(r->arena, text);
}

/*
 * Types follow each other, so the next one begins after the NUL; the last NUL of the table ends the last
 * of them, and what lies after is NULL from text_at().
 */
static const char **read_types(struct reader *r, const char *strings, uint64_t size, uint32_t at, uint32_t n)
{
	const char **list = DT_NEWN(r->arena, const char *, n + 1);
	uint64_t next = at;

	for (uint32_t i = 0; i < n; i++) {
		const char *text = text_at(strings, size, next);

		if (text == NULL || (list[i] = copy_text(r, text)) == NULL)
			return NULL;
		next += strlen(text) + 1;
	}
	return list;
}

/* The sections of one provider, checked. */
struct lists { const char *strings; const unsigned char *probes, *map; uint64_t nstrings, nprobes, nmap; };

/*
 * The map is checked against the number of arguments, so that code that makes arguments by it need not look
 * again.
 */
static bool read_probe(struct reader *r, const struct lists *l, uint32_t i, struct dt_dofprobe *out)
{
	const char *name, *func;
	struct probe p;

	memcpy(&p, l->probes + i * sizeof(p), sizeof(p));
	name = text_at(l->strings, l->nstrings, p.name);
	func = text_at(l->strings, l->nstrings, p.func);
	if (name == NULL || func == NULL || p.argidx > l->nmap || p.xargc > l->nmap - p.argidx)
		return false;
	for (uint32_t k = 0; k < p.xargc; k++)
		if (l->map[p.argidx + k] >= p.nargc)
			return false;
	out->name = copy_text(r, name);
	out->func = copy_text(r, func);
	out->nin = p.nargc;
	out->nout = p.xargc;
	out->in = read_types(r, l->strings, l->nstrings, p.nargv, p.nargc);
	out->out = read_types(r, l->strings, l->nstrings, p.xargv, p.xargc);
	out->map = dt_arena_memdup(r->arena, l->map + p.argidx, p.xargc);
	return out->in != NULL && out->out != NULL && out->name != NULL && out->func != NULL;
}

/*
 * The strings must end with a NUL, on which every strlen() above relies. A rest of less than a probe is
 * ignored.
 */
static bool read_lists(const struct reader *r, const struct provider *p, struct lists *l)
{
	uint64_t size;

	l->strings = (const char *)section_bytes(r, p->strtab, DT_DS_STRTAB, &l->nstrings);
	l->probes = section_bytes(r, p->probes, PROBES, &size);
	l->map = section_bytes(r, p->prargs, PRARGS, &l->nmap);
	if (l->strings == NULL || l->probes == NULL || l->map == NULL || l->nstrings == 0 ||
	    l->strings[l->nstrings - 1] != '\0')
		return false;
	l->nprobes = size / sizeof(struct probe);
	return true;
}

/* One bad probe refuses the whole provider, and with it the rest of the section. */
static bool read_provider(struct reader *r, const unsigned char *bytes)
{
	struct dt_dofprov out = { 0 };
	struct dt_dofprobe *probes;
	struct provider p;
	struct lists l;
	const char *name;

	memcpy(&p, bytes, sizeof(p));
	if (!read_lists(r, &p, &l) || (name = text_at(l.strings, l.nstrings, p.name)) == NULL)
		return false;
	probes = DT_NEWN(r->arena, struct dt_dofprobe, l.nprobes + 1);
	for (uint32_t i = 0; i < l.nprobes; i++)
		if (!read_probe(r, &l, i, &probes[i]))
			return false;
	if ((out.name = copy_text(r, name)) == NULL)
		return false;
	out.probes = probes;
	out.nprobes = (uint32_t)l.nprobes;
	for (int i = 0; i < 5; i++)
		out.attrs[i] = (struct dt_attr){ p.attr[i] >> 24 & 0xff, p.attr[i] >> 16 & 0xff,
			p.attr[i] >> 8 & 0xff };
	dt_vec_push(r->arena, &r->out, out);
	return true;
}

/*
 * filesz is the length of this DOF in the section, and bounds all that is read of it. The product of secnum
 * is avoided by dividing.
 */
static bool good_header(const struct dt_dof_hdr *h, size_t len)
{
	return h->model == DT_DOF_LP64 && h->encoding == DT_DOF_ENCODING && h->version >= 1 &&
	    h->version <= 3 && h->secsize == sizeof(struct dt_dof_sec) && h->filesz >= sizeof(*h) &&
	    h->filesz <= len && h->filesz <= DT_DOF_MAX && h->secoff <= h->filesz &&
	    h->secnum <= (h->filesz - h->secoff) / sizeof(struct dt_dof_sec);
}

static bool read_dof(struct reader *r, size_t len)
{
	memcpy(&r->h, r->dof, sizeof(r->h));
	if (!good_header(&r->h, len))
		return false;
	for (uint32_t i = 0; i < r->h.secnum; i++) {
		uint64_t size;
		const unsigned char *p = section_bytes(r, i, PROVIDER, &size);

		if (p != NULL && (size < sizeof(struct provider) || !read_provider(r, p)))
			return false;
	}
	return true;
}

/*
 * DOFs follow one another at multiples of 8, with zeros between them. A damaged DOF ends the reading, as
 * its length cannot be trusted to find the next one.
 */
int dt_dofprov_read(struct dt_arena *arena, const void *bytes, size_t len, struct dt_dofprov **out,
    uint32_t *n)
{
	struct reader r = { .arena = arena, .budget = BUDGET };
	const unsigned char *at = bytes;
	int err = 0;

	while (err == 0 && len >= sizeof(r.h)) {
		size_t step = 8;

		if (memcmp(at, "\177DOF", 4) == 0) {
			r.dof = at;
			err = read_dof(&r, len) ? 0 : -EINVAL;
			/* the next one is aligned */
			step = err == 0 ? ((size_t)r.h.filesz + 7) & ~(size_t)7 : len;
		}
		step = step < len ? step : len;
		at += step;
		len -= step;
	}
	*out = r.out.v;
	*n = (uint32_t)r.out.n;
	return err;
}
