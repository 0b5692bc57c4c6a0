/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recorded bytes of an action to the value they are: by the action's kind where it says what was recorded (stacks,
 * symbols), else by its DIFO's type. Record layouts: doc/DIF.md.
 */
#include "value/record.h"

#include <string.h>

static struct dt_value stack_value(const struct dt_act *act, const void *data, size_t len)
{
	bool user = act->kind != DT_ACT_STACK;
	const uint64_t *w = data;
	uint64_t frames = user ? act->arg & 0xffffffff : act->arg, have = len / 8;
	struct dt_value v = { .kind = user ? DT_V_USTACK : DT_V_STACK };

	if (user && have > 0) {
		v.pid = (uint32_t)*w++;
		have--;
	}
	v.pcs = w;
	v.npcs = (uint32_t)(have < frames ? have : frames);
	return v;
}

static struct dt_value symbol_value(uint16_t kind, const void *data, size_t len)
{
	static const struct { uint16_t act; enum dt_vkind kind; } kinds[] = {
		{ DT_ACT_SYM, DT_V_SYM }, { DT_ACT_MOD, DT_V_MOD }, { DT_ACT_USYM, DT_V_USYM },
		{ DT_ACT_UMOD, DT_V_UMOD }, { DT_ACT_UADDR, DT_V_UADDR },
	};
	const uint64_t *w = data;
	struct dt_value v = { .size = 8 };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].act == kind)
			v.kind = kinds[i].kind;
	if (len >= 16)
		v.pid = (uint32_t)w[0];
	v.i = len >= 16 ? w[1] : len >= 8 ? w[0] : 0;
	return v;
}

/* Each size as itself: 4 bytes put into 8 of memory and read back as 8 would wait for the store. */
static uint64_t load(const void *data, size_t len)
{
	uint64_t v = 0;
	uint32_t w;

	switch (len) {
	case 4:
		memcpy(&w, data, sizeof(w));
		return w;
	case 8:
		memcpy(&v, data, sizeof(v));
		return v;
	default:
		memcpy(&v, data, len);
		return v;
	}
}

void dt_record_plain(const struct dt_diftype *t, const void *data, size_t len, struct dt_value *v)
{
	if (!t || t->kind == DT_DT_STRING || (t->flags & (DT_DTF_REF | DT_DTF_USERREF)) || t->ckind == DT_CK_FLOAT || len > 8)
		*v = (struct dt_value){ .kind = t && t->kind == DT_DT_STRING ? DT_V_STRING : DT_V_BYTES, .bytes = data, .len = len };
	else
		*v = (struct dt_value){ .kind = DT_V_INT, .size = (uint8_t)len, .is_signed = t->is_signed, .i = load(data, len) };
}

void dt_record_value(const struct dt_act *act, const void *data, size_t len, struct dt_value *v)
{
	switch (act->kind) {
	case DT_ACT_STACK:
	case DT_ACT_USTACK:
	case DT_ACT_JSTACK: *v = stack_value(act, data, len); return;
	case DT_ACT_SYM:
	case DT_ACT_MOD:
	case DT_ACT_USYM:
	case DT_ACT_UMOD:
	case DT_ACT_UADDR: *v = symbol_value(act->kind, data, len); return;
	}
	dt_record_plain(act->difo ? &act->difo->rtype : NULL, data, len, v);
}
