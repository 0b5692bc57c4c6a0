/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes to a DIFO: what the checker accepts must run to its end without harm, whatever it computes. The
 * first bytes say how big the tables are; then integers, strings, variables, and the rest is text.
 */
#include "interp/interp.h"

#include <stdlib.h>

#define NINTS 16
#define NVARS 8
#define STRS 64

static const uint32_t ids[] = { 0x500, 0x501, 0x502 };
static uint8_t kernel[128], user[128];	/* of this one program */

static struct dt_difv make_var(uint8_t a, uint8_t b)
{
	struct dt_difv v = { .name = "v", .id = ids[a % 3], .scope = a / 3 % 3, .kind = a / 9 & 1,
		.flags = 3 };

	if (v.scope == DT_DIFV_LOCAL)
		v.kind = DT_DIFV_SCALAR;
	switch (b & 3) {
	case 0: v.type = (struct dt_diftype){ .kind = DT_DT_STRING, .flags = DT_DTF_REF,
		.size = 1 + (b >> 2) }; break;
	case 1: v.type = (struct dt_diftype){ .ckind = DT_CK_STRUCT, .flags = DT_DTF_REF,
		.size = 1 + (b >> 2) }; break;
	case 2: v.type = (struct dt_diftype){ .ckind = DT_CK_STRUCT, .flags = DT_DTF_USERREF,
		.size = 1 + (b >> 2) }; break;
	default: v.type = (struct dt_diftype){ .ckind = DT_CK_INTEGER, .size = 8 }; break;
	}
	return v;
}

static bool before(const struct dt_difv *a, const struct dt_difv *b)
{
	static const uint8_t order[] = { [DT_DIFV_THREAD] = 0, [DT_DIFV_GLOBAL] = 1, [DT_DIFV_LOCAL] = 2 };

	return order[a->scope] != order[b->scope] ? order[a->scope] < order[b->scope] : a->id < b->id;
}

/* In listing order, one of each scope and id. */
static uint32_t add_var(struct dt_difv *vars, uint32_t n, struct dt_difv v)
{
	uint32_t at = n;

	for (uint32_t i = 0; i < n; i++) {
		if (vars[i].scope == v.scope && vars[i].id == v.id)
			return n;
	}
	for (; at > 0 && before(&v, &vars[at - 1]); at--)
		vars[at] = vars[at - 1];
	vars[at] = v;
	return n + 1;
}

struct input { const uint8_t *p; size_t left; };

static const uint8_t *take(struct input *in, size_t n)
{
	const uint8_t *p = in->p;

	if (in->left < n)
		return NULL;
	in->p += n;
	in->left -= n;
	return p;
}

struct tables {
	uint64_t ints[NINTS];
	char strs[STRS];
	struct dt_difv vars[NVARS];
	struct dt_difo difo;
};

static bool make(struct input *in, struct tables *t)
{
	const uint8_t *head = take(in, 4), *p;
	uint32_t nints, nstrs, nvars;

	if (!head)
		return false;
	nints = head[0] % (NINTS + 1);
	nstrs = head[1] % (STRS - 1) + 1;
	nvars = head[2] % (NVARS + 1);
	if (!(p = take(in, nints * 8ull)))
		return false;
	memcpy(t->ints, p, nints * 8ull);
	if (!(p = take(in, nstrs)))
		return false;
	memcpy(t->strs, p, nstrs);
	t->strs[0] = t->strs[nstrs - 1] = '\0';
	for (uint32_t i = 0; i < nvars; i++) {
		if (!(p = take(in, 2)))
			return false;
		t->difo.nvars = add_var(t->vars, t->difo.nvars, make_var(p[0], p[1]));
	}
	t->difo.ints = t->ints;
	t->difo.nints = nints;
	t->difo.strs = t->strs;
	t->difo.strlen = nstrs;
	t->difo.vars = t->vars;
	t->difo.rtype.size = 8;
	t->difo.destructive = head[3] & 1;
	return true;
}

static const uint64_t pcs[] = { 0x111, 0x222 };

static void run(const struct tables *t)
{
	struct dt_region regions[] = {
		{ .addr = 0xffff0000, .len = sizeof(kernel), .bytes = kernel },
		{ .addr = 0x1000, .len = 64, .bytes = user, .user = true, .writable = true },
		{ .addr = 0x1040, .len = 64, .bytes = user + 64, .user = true },
		{ .addr = UINT64_MAX - 15, .len = 16, .bytes = kernel },
	};
	struct dt_context c = { .probe = { "p", "m", "f", "n", 0 },
		.arg = { 0xffff0000, 0x1000, 3, UINT64_MAX }, .pid = 1, .tid = 2,
		.execname = "sixteen_bytes_ab", .regions = regions, .nregions = 4, .stack = pcs, .nstack = 2,
		.uregs = pcs, .nuregs = 2, .curthread = 0xffff0000, .cwd = "/tmp" };
	struct dt_interp *ip = dt_interp_new(NULL,
	    &(struct dt_interp_opts){ .strsize = 32, .scratchsize = 512, .dynvarsize = 1024 }, NULL);
	enum dt_fault fault;
	uint64_t addr, value;
	int offset;

	for (int i = 0; ip && i < 2; i++) {	/* the second run finds the first one's variables */
		value = dt_interp_run(ip, &c, &t->difo, &fault, &offset, &addr);
		if (fault ? value != 0 || offset < 0 || offset / 4 >= (int)t->difo.ntext : offset != -1)
			abort();
	}
	dt_interp_free(ip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct tables t = { 0 };
	char msg[256];
	uint32_t *text;

	if (!make(&in, &t) || in.left / 4 > 4096)
		return 0;
	text = malloc(in.left + 4);
	if (!text)
		return 0;
	memcpy(text, in.p, in.left / 4 * 4);
	t.difo.text = text;
	t.difo.ntext = (uint32_t)(in.left / 4);
	memset(user, 'u', sizeof(user));
	memcpy(kernel, "/a/../b {\"x\":[1,2]}\0,;", 22);
	if (dt_difo_check(&t.difo, msg, sizeof(msg)) == 0)
		run(&t);
	free(text);
	return 0;
}
