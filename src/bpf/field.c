/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an action leaves in its field of a record, or in a key. Most actions record the value of their
 * expression, by its type and in its size: that is here, and the parts that the others are made of. The row
 * of an action says what it does (dif/action.h).
 */
#include "bpf/build.h"
#include "dif/action.h"

enum { FIELD_MAX = 1 << 20 };

/* ---- how many bytes ---- */

uint32_t dt_field_limit(struct dt_build *b, const struct dt_act *act, uint64_t size)
{
	if (size > FIELD_MAX)
		dt_refuse(b, act->loc, "%llu bytes are more than one record can hold (%d)",
		    (unsigned long long)size, FIELD_MAX);
	return (uint32_t)size;
}

/* A string that is known now takes no more room than it has characters. */
static uint32_t string_size(struct dt_build *b, const struct dt_act *act)
{
	uint32_t size = act->difo->rtype.size ? act->difo->rtype.size + 1 : b->opts->strsize;
	struct dt_known k = dt_difo_simple(act->difo);

	if (k.kind == V_COMM && size > 16)
		return 16;
	if (k.kind == V_STR && strlen(k.text) + 1 < size)
		return (uint32_t)strlen(k.text) + 1;
	return size;
}

uint32_t dt_field_by_type_size(struct dt_build *b, const struct dt_act *act)
{
	if (!act->difo)
		return 0;
	return dt_field_limit(b, act,
	    act->difo->rtype.kind == DT_DT_STRING ? string_size(b, act) : act->difo->rtype.size);
}

uint32_t dt_field_none_size(struct dt_build *b, const struct dt_act *act)
{
	(void)b, (void)act;
	return 0;
}

uint32_t dt_field_size(struct dt_build *b, const struct dt_act *act)
{
	return dt_action_of(act)->size(b, act);
}

/* Entries of tuples and aggregations have no field; an action without a value may tell only that it ran. */
/* ---- the code ---- */

void dt_field_store(struct dt_lower *l, int base, int off, uint32_t size)
{
	if (size != 1 && size != 2 && size != 4 && size != 8)
		REFUSE(l, "a value of %u bytes cannot be recorded", size);
	if (off + 8 > INT16_MAX) {
		dt_mov(l->a, R1, base);
		dt_alui(l->a, BPF_ADD, R1, off);
		base = R1;
		off = 0;
	}
	dt_stx(l->a, dt_width(size), base, off, R0);
}

void dt_field_pid(struct dt_lower *l, int base, int off)
{
	dt_process_number(l->a, l->b->opts, F_T1);
	l->cached = 0;
	dt_field_store(l, base, off, 8);
}

/* Puts the value into r0, also if it is a known value that has not been loaded yet. */
void dt_field_number(struct dt_lower *l)
{
	if (l->ret.kind != V_NUM)
		dt_known_address(l, l->ret);
}

void dt_field_by_type(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	const struct dt_diftype *t = act->difo ? &act->difo->rtype : NULL;
	bool user = t && t->flags & DT_DTF_USERREF;

	if (!t)
		return;
	if (t->kind == DT_DT_STRING) {
		struct dt_known k = l->ret;

		if (k.kind == V_CONST) {
			dt_field_number(l);
			k.kind = V_NUM;
		}
		dt_copy_string(l, k, f->base, f->off, f->size, f->pad, user);
		return;
	}
	dt_field_number(l);
	if (t->flags & (DT_DTF_REF | DT_DTF_USERREF) && t->size)
		dt_copy_bytes(l, f->base, f->off, f->size, user);
	else if (f->size)
		dt_field_store(l, f->base, f->off, f->size);
}

void dt_field_bytes(struct dt_lower *l, const struct dt_actfield *f, bool user)
{
	dt_copy_bytes(l, f->base, f->off, f->size, user);
}

void dt_field_nothing(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	(void)l, (void)act, (void)f;
}

void dt_field_refused(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	(void)act, (void)f;
	REFUSE(l, "this action is not available for tracing");
}

void dt_field_value(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	l->ret = (struct dt_known){ .kind = V_CONST };
	if (act->difo)
		dt_lower_difo(l, act->difo);
	dt_action_of(act)->lower(l, act, f);
}
