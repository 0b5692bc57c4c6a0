/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers by name: tables of flags and of single values, errors, and the plain kinds that need no table. */
#include "decode.h"

#include <string.h>

const void *call_bytes(const struct call *c, unsigned arg, unsigned sub, size_t *size)
{
	const dtrace_recdesc_t *r;

	if (c->data == NULL)
		return NULL;
	r = &c->recs[(arg == CALL_RET ? c->row->ret_at : c->row->at[arg]) + sub];
	*size = r->dtrd_size;
	return c->data + r->dtrd_offset;
}

bool call_struct(struct text *t, const struct call *c, unsigned arg, unsigned sub, void *out, size_t size)
{
	size_t have = 0;
	const void *p = c->a[arg] != 0 ? call_bytes(c, arg, sub, &have) : NULL;

	if (p == NULL || have < size) {
		text_addr(t, c->a[arg]);
		return false;
	}
	memcpy(out, p, size);
	return true;
}

bool call_written(struct text *t, const struct call *c, unsigned arg, bool writes, void *out, size_t size)
{
	if (!writes || !call_failed(c))
		return call_struct(t, c, arg, 0, out, size);
	text_addr(t, c->a[arg]);
	return false;
}

int64_t call_number(const struct call *c, unsigned arg, unsigned sub)
{
	size_t size = 0;
	const void *p = call_bytes(c, arg, sub, &size);
	int64_t v = 0;
	int32_t w = 0;

	if (p != NULL && size == sizeof(v))
		memcpy(&v, p, sizeof(v));
	else if (p != NULL && size == sizeof(w))
		v = (memcpy(&w, p, sizeof(w)), w);
	return v;
}

const char *name_of(const struct name *names, size_t n, uint32_t v)
{
	for (size_t i = 0; i < n; i++)
		if (names[i].v == v)
			return names[i].n;
	return NULL;
}

/* A row of several bits is only meant when all of them are set; rows stand from many bits to few. */
void put_flags(struct text *t, uint64_t v, const struct name *names, size_t n, const char *none)
{
	uint64_t left = v;
	bool any = false;

	for (size_t i = 0; i < n && (v != 0 || !any); i++) {
		if (names[i].v == 0 ? v != 0 : (left & names[i].v) != names[i].v)
			continue;
		if (any)
			text_char(t, '|');
		text_put(t, names[i].n);
		left &= ~(uint64_t)names[i].v;
		any = true;
	}
	if (left != 0 || !any) {
		if (any)
			text_char(t, '|');
		if (left == 0 && none != NULL)
			text_put(t, none);
		else
			text_hex(t, left);
	}
}

void put_name(struct text *t, uint64_t v, const struct name *names, size_t n, const char *family)
{
	const char *name = v <= UINT32_MAX ? name_of(names, n, (uint32_t)v) : NULL;

	if (name != NULL) {
		text_put(t, name);
		return;
	}
	text_hex(t, v);
	if (family != NULL)
		text_format(t, " /* %s */", family);
}

const char *errno_name(int e)
{
	switch (e) {			/* the kernel's own, which programs never see */
	case 512: return "ERESTARTSYS";
	case 513: return "ERESTARTNOINTR";
	case 514: return "ERESTARTNOHAND";
	case 515: return "ENOIOCTLCMD";
	case 516: return "ERESTART_RESTARTBLOCK";
	default: return strerrorname_np(e);
	}
}

/* ---- plain kinds ---- */

void put_kind_flags(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	put_flags(t, (uint32_t)c->a[arg], k->names, k->nnames, NULL);
}

void put_kind_name(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	put_name(t, (uint32_t)c->a[arg], k->names, k->nnames, NULL);
}

void put_kind_int(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	text_int(t, (int32_t)c->a[arg]);
}

static void put_uint(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	text_uint(t, (uint32_t)c->a[arg]);
}

static void put_long(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	text_int(t, (int64_t)c->a[arg]);
}

static void put_ulong(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	text_uint(t, c->a[arg]);
}

static void put_octal(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	text_format(t, "%#03o", (uint32_t)c->a[arg]);
}

/* -1 stands for "leave it" in numbers of users. */
static void put_id(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	if ((int32_t)c->a[arg] == -1)
		text_put(t, "-1");
	else
		text_uint(t, (uint32_t)c->a[arg]);
}

void put_kind_hex(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	text_hex(t, c->a[arg]);
}

static void put_hex32(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	text_hex(t, (uint32_t)c->a[arg]);
}

void put_kind_addr(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	text_addr(t, c->a[arg]);
}

/* A number where an address says where it is: [4]; in the record it has the size of its type. */
static void put_cell(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0;
	const void *p = c->a[arg] != 0 && (k->nnames == 0 || !call_failed(c)) ?
	    call_bytes(c, arg, 0, &size) : NULL;
	int64_t v;
	int32_t w;

	if (p == NULL) {
		text_addr(t, c->a[arg]);
		return;
	}
	if (size == sizeof(v))
		memcpy(&v, p, sizeof(v));
	else
		v = (memcpy(&w, p, sizeof(w)), w);
	text_char(t, '[');
	text_int(t, v);
	text_char(t, ']');
}

/* An argument that is not shown: the high half of an offset, which is 0 on 64-bit machines. */
static void put_none(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)t;
	(void)c;
	(void)arg;
	(void)k;
}

/* What a program has reached by a call that gives a number in another base. */
static void put_ret_hex(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)arg;
	(void)k;
	text_hex(t, (uint64_t)c->ret);
}

static void put_ret_octal(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)arg;
	(void)k;
	text_format(t, "%#03o", (uint32_t)c->ret);
}

static const struct kind list[] = {
	{ .name = "none", .put = put_none },
	{ .name = "int", .put = put_kind_int },
	{ .name = "uint", .put = put_uint },
	{ .name = "long", .put = put_long },
	{ .name = "ulong", .put = put_ulong },
	{ .name = "oct", .put = put_octal },
	{ .name = "hex", .put = put_kind_hex },
	{ .name = "hex32", .put = put_hex32 },
	{ .name = "id", .put = put_id },
	{ .name = "addr", .put = put_kind_addr },
	{ .name = "intp", .put = put_cell, .fetch = IN("4"), .nrecs = 1 },
	{ .name = "longp", .put = put_cell, .fetch = IN("8"), .nrecs = 1 },
	/* nnames: only what a call that succeeded has written */
	{ .name = "ointp", .put = put_cell, .fetch = OUT("4"), .nrecs = 1, .nnames = 1 },
	{ .name = "olongp", .put = put_cell, .fetch = OUT("8"), .nrecs = 1, .nnames = 1 },
	{ .name = "=hex", .put = put_ret_hex },
	{ .name = "=oct", .put = put_ret_octal },
};
KINDS(kinds_basic);
