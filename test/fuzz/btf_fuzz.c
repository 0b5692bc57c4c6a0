/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes in as kernel type data: they are refused, or every question about every name in them is
 * answered in bounded time. The first byte tells where to split the rest into vmlinux and a module.
 */
#include "types/type.h"
#include "base/diag.h"

#include <stdlib.h>

enum { NAMES_MAX = 64, DEPTH_MAX = 4, MEMBERS_MAX = 16, STEPS_MAX = 400 };

static void look_at(struct dt_types *ts, const struct dt_type *t, unsigned depth, unsigned *steps)
{
	const struct dt_enumconst *e;
	const struct dt_member *m;
	struct dt_member found;
	char name[64];
	uint32_t n;

	if (!*steps)
		return;
	--*steps;
	dt_type_name(t, name, sizeof(name));
	dt_type_size(ts, t);
	if (!dt_type_align(ts, t))
		abort();
	dt_type_is_user(t);
	dt_type_is_stringlike(t);
	dt_type_is_byref(t);
	dt_type_same(t, dt_types_void(ts));
	dt_type_ptr(ts, t);
	dt_type_qual(ts, t, DT_TQ_CONST);
	e = dt_type_enums(ts, t, &n);
	for (uint32_t i = 0; i < n; i++)
		if (!e[i].name)
			abort();
	m = dt_type_members(ts, t, &n);
	dt_type_member(ts, t, "nosuch", &found);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t bits = m[i].bit_size ? m[i].bit_size : dt_type_size(ts, m[i].type) * 8;

		if (m[i].bit_off + bits > dt_type_size(ts, t) * 8 &&
		    !dt_type_complete(ts, m[i].type)->incomplete)
			abort();
		if (depth < DEPTH_MAX && i < MEMBERS_MAX)
			look_at(ts, m[i].type, depth + 1, steps);
	}
	if (t->ref && depth < DEPTH_MAX)
		look_at(ts, t->ref, depth + 1, steps);
	for (uint32_t i = 0; i < t->nparams && i < MEMBERS_MAX && depth < DEPTH_MAX; i++)
		look_at(ts, t->params[i], depth + 1, steps);
}

static void ask(struct dt_types *ts, const char *module, const char *name)
{
	static const enum dt_tkind kinds[] = { DT_T_TYPEDEF, DT_T_STRUCT, DT_T_UNION, DT_T_ENUM };
	unsigned steps = STEPS_MAX;
	const struct dt_type *t;

	for (unsigned i = 0; i < 4; i++) {
		t = dt_types_find(ts, module, kinds[i], name);
		if (t)
			look_at(ts, t, 0, &steps);
	}
	t = dt_types_symbol(ts, module, name);
	if (t)
		look_at(ts, t, 0, &steps);
}

/* Every run of printable bytes is tried as a name. */
static void ask_all(struct dt_types *ts, const uint8_t *data, size_t len)
{
	size_t start = 0;
	unsigned asked = 0;
	char name[128];

	for (size_t i = 0; i <= len && asked < NAMES_MAX; i++) {
		if (i < len && data[i] >= ' ' && data[i] <= '~')
			continue;
		if (i > start && i - start < sizeof(name)) {
			memcpy(name, data + start, i - start);
			name[i - start] = '\0';
			ask(ts, NULL, name);
			ask(ts, "ext4", name);
			asked++;
		}
		start = i + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct dt_types *ts = dt_types_new();
	struct dt_near near;
	size_t cut;

	if (!ts)
		return 0;
	cut = len ? (size_t)data[0] * 16 : 0;
	cut = cut && cut < len ? cut : len;
	if (len) {
		dt_types_add_btf(ts, "vmlinux", data + 1, cut - 1);
		dt_types_add_btf(ts, "ext4", data + cut, len - cut);
		ask_all(ts, data, len);
	}
	dt_near_init(&near, "task_struct");
	dt_types_near(ts, DT_T_STRUCT, &near);
	dt_types_free(ts);
	return 0;
}
