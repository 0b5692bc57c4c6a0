/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of the arguments as DOF, the historic format of declared providers (doc/USDT.md, "What -G
 * adds"): a header, section headers, and the sections strings, probes, argument maps and provider. The
 * places are in the notes, so the lists of offsets are empty.
 */
#include "libusdt.h"

#include <string.h>

enum { STRTAB = 8, PROVIDER = 15, PROBES = 16, PRARGS = 17, PROFFS = 18, PRENOFFS = 26 };
enum { D_STRINGS, D_PROBES, D_MAP, D_OFFSETS, D_ENABLED, D_PROVIDER, SECTIONS };
enum { LP64 = 2, LITTLE_ENDIAN_DATA = 1, VERSION = 2, DIF_VERSION = 2, REGISTERS = 8, LOAD = 1 };
enum { PRIVATE = 1 << 24 | 1 << 16 };	/* stability of names and data, as without any statement */

struct header {
	uint8_t magic[4], model, encoding, version, difvers, iregs, tregs, pad[6];
	uint32_t flags, hdrsize, secsize, secnum;
	uint64_t secoff, loadsz, filesz, pad2;
};
struct section { uint32_t type, align, flags, entsize; uint64_t offset, size; };
struct provider { uint32_t strtab, probes, prargs, proffs, name, attr[5], prenoffs; };
struct entry {
	uint64_t addr;
	uint32_t func, name, nargv, xargv, argidx, offidx;
	uint8_t nargc, xargc;
	uint16_t noffs;
	uint32_t enoffidx;
	uint16_t nenoffs, pad;
	uint32_t pad2;
};

static const char *type_name(int type)
{
	switch (type) {
	case DTRACE_USDT_INT8: return "int8_t";
	case DTRACE_USDT_INT16: return "int16_t";
	case DTRACE_USDT_INT32: return "int32_t";
	case DTRACE_USDT_INT64: return "int64_t";
	case DTRACE_USDT_UINT8: return "uint8_t";
	case DTRACE_USDT_UINT16: return "uint16_t";
	case DTRACE_USDT_UINT32: return "uint32_t";
	case DTRACE_USDT_POINTER: return "void *";
	case DTRACE_USDT_STRING: return "char *";
	default: return "uint64_t";
	}
}

/* Strings are appended to the section that is open; returns the offset in it. */
static uint32_t put_string(struct bytes *b, size_t from, const char *text)
{
	uint32_t at = (uint32_t)(b->len - from);

	usdt_put(b, text, strlen(text) + 1);
	return at;
}

/* In D, a name has - for __. */
static uint32_t put_dashed(struct bytes *b, size_t from, const char *name)
{
	char text[2 * MAX_NAME + 1], *to = text;

	for (const char *c = name; *c != '\0'; c++) {
		bool dash = c[0] == '_' && c[1] == '_';

		*to++ = dash ? '-' : *c;
		c += dash;
	}
	*to = '\0';
	return put_string(b, from, text);
}

static void put_strings(const struct image *m, struct bytes *b, struct bytes *entries, uint32_t *provider)
{
	size_t from = b->len;

	(void)put_string(b, from, "");
	*provider = put_dashed(b, from, m->provider);
	for (size_t i = 0; i < m->n; i++) {
		const struct probe *p = m->probes[i];
		struct entry e = { .name = put_dashed(b, from, p->name), .nargc = (uint8_t)p->ntypes,
			.xargc = (uint8_t)p->ntypes };

		e.nargv = e.xargv = p->ntypes > 0 ? (uint32_t)(b->len - from) : 0;
		for (int k = 0; k < p->ntypes; k++)
			(void)put_string(b, from, type_name(p->type[k]));
		usdt_put(entries, &e, sizeof(e));
	}
}

static void end(struct section *s, const struct bytes *b, size_t dof, size_t from)
{
	s->offset = from - dof;
	s->size = b->len - from;
	s->flags = LOAD;
}

/* Every probe uses the same map: argument k is value k. */
static void put_map(struct bytes *b)
{
	for (uint8_t k = 0; k < DTRACE_USDT_MAXARGS; k++)
		usdt_put(b, &k, 1);
}

void usdt_dof(const struct image *m, struct bytes *b)
{
	struct header h = { { 0x7f, 'D', 'O', 'F' }, LP64, LITTLE_ENDIAN_DATA, VERSION, DIF_VERSION,
		REGISTERS, REGISTERS, { 0 }, 0, sizeof(h), sizeof(struct section), SECTIONS, sizeof(h), 0, 0,
		0 };
	struct section s[SECTIONS] = { { STRTAB, 1, 0, 0, 0, 0 },
		{ PROBES, 8, 0, sizeof(struct entry), 0, 0 }, { PRARGS, 1, 0, 1, 0, 0 },
		{ PROFFS, 4, 0, 4, 0, 0 }, { PRENOFFS, 4, 0, 4, 0, 0 }, { PROVIDER, 4, 0, 0, 0, 0 } };
	struct provider p = { .strtab = D_STRINGS, .probes = D_PROBES, .prargs = D_MAP,
		.proffs = D_OFFSETS, .attr = { PRIVATE, PRIVATE, PRIVATE, PRIVATE, PRIVATE },
		.prenoffs = D_ENABLED };
	struct bytes entries = { 0 };
	size_t dof = b->len, from;

	usdt_put(b, NULL, sizeof(h) + sizeof(s));
	from = b->len;
	put_strings(m, b, &entries, &p.name);
	end(&s[D_STRINGS], b, dof, from);
	usdt_pad(b, 8);
	from = b->len;
	usdt_put(b, entries.v, entries.len);
	b->failed |= entries.failed;
	usdt_free(&entries);
	end(&s[D_PROBES], b, dof, from);
	from = b->len;
	put_map(b);
	end(&s[D_MAP], b, dof, from);
	usdt_pad(b, 8);
	end(&s[D_OFFSETS], b, dof, b->len);
	end(&s[D_ENABLED], b, dof, b->len);
	from = b->len;
	usdt_put(b, &p, sizeof(p));
	end(&s[D_PROVIDER], b, dof, from);
	usdt_pad(b, 8);
	h.loadsz = h.filesz = b->len - dof;
	usdt_fill(b, dof, &h, sizeof(h));
	usdt_fill(b, dof + sizeof(h), s, sizeof(s));
}
