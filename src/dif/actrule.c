/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of acts.def and aggs.def: what each kind of action is called and what a program has to have
 * for it.
 */
#include "dif/action.h"

enum {
	DIFO = DT_AR_DIFO,
	VALUE = DT_AR_VALUE,
	LIST = DT_AR_LIST,
	TYPE = DT_AR_TYPE,
	KEY = DT_AR_KEY,
	AGG = DT_AR_AGG
};

static const struct dt_actrule rules[DT_ACT_INDICES] = {
#define X(kind, number, name, rules) [DT_ACT_INDEX(number)] = { number, rules, name, 0, 0 },
#define L(kind, number, name, rules) [DT_ACT_INDEX(DT_LIB_KIND(number))] = { DT_LIB_KIND(number), rules, \
	name, 0, 0 },
#include "dif/acts.def"
#undef X
#undef L
#define X(kind, number, name, least, most) [DT_ACT_INDEX(number)] = { number, 0, #name, least, most },
#include "dif/aggs.def"
#undef X
};

const struct dt_actrule *dt_actrule_of(unsigned kind)
{
	const struct dt_actrule *r = kind <= DT_LIB_KIND(0xf) ? &rules[DT_ACT_INDEX(kind)] : NULL;

	return r && r->name && r->kind == kind ? r : NULL;
}
