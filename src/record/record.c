/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Questions about layouts that need no engine. The asserts below hold because generated code stores these
 * structs by the offsets of their members.
 */
#include "record/record.h"

#include "dif/action.h"

#include <string.h>

_Static_assert(sizeof(struct dt_rechdr) == 16 && offsetof(struct dt_rechdr, time) == 8, "header of a record");
_Static_assert(sizeof(struct dt_recfault) == 32 && offsetof(struct dt_recfault, addr) == 24, "a fault");
_Static_assert(sizeof(struct dt_overrec) == 16 && offsetof(struct dt_over, pad) == 8, "policy ring");
_Static_assert(offsetof(struct dt_control, exited) == 8 && offsetof(struct dt_control, status) == 12 &&
    sizeof(struct dt_control) <= DT_CONTROL_SPECS, "control words");
_Static_assert(sizeof(struct dt_drops) == 11 * sizeof(uint64_t), "counters without padding");

/* ---- records ---- */

bool dt_act_recorded(const struct dt_act *act)
{
	if (act->in_tuple || DT_ACT_IS_AGG(act->kind) || dt_act_is(act, DT_AF_UNRECORDED))
		return false;
	if (dt_act_is(act, DT_AF_IFVALUE))
		return act->difo && (act->difo->rtype.size || act->difo->rtype.kind == DT_DT_STRING);
	return true;
}

/* A clause that records only the outcome of its conditions has nothing to show. */
bool dt_ecb_records(const struct dt_ecb *e)
{
	if (dt_ecb_is_default(e))
		return true;
	for (uint32_t i = 0; i < e->nacts; i++) {
		if (dt_act_recorded(&e->acts[i]) && e->acts[i].kind != DT_ACT_SKIPZ)
			return true;
	}
	return false;
}

/*
 * Follows the conditions as the clause did: SKIPZ records whether its value was 0. After exit() the clause
 * ends where an arm begins or ends (dt_ecb_part()).
 */
uint32_t dt_rec_acts(const struct dt_ecb *e, const struct dt_reclayout *rec, const uint8_t *data)
{
	bool exited = false;

	if (rec->probe_id == DT_PROBE_END || rec->probe_id == DT_PROBE_ERROR)
		return e->nacts;
	for (uint32_t i = 0; i < e->nacts; i++) {
		if (exited && dt_ecb_part(e, i))
			return i;
		exited |= e->acts[i].kind == DT_ACT_EXIT;
		if (e->acts[i].kind == DT_ACT_SKIPZ && !data[rec->field[i].off])
			i += (uint32_t)e->acts[i].arg;
	}
	return e->nacts;
}

uint32_t dt_layouts_takes(const struct dt_layouts *l, const struct dt_ecb *ecb, uint32_t epid)
{
	uint32_t size = (uint32_t)sizeof(struct dt_rechdr) + l->recs[epid - 1].size;

	if (!dt_ecb_records(ecb))
		return 0;
	return l->policy == DT_POLICY_RING ? dt_over_total(size) : (size + l->overhead + 7) & ~7u;
}

/* ---- aggregations ---- */

bool dt_agg_keymixed(const struct dt_agglayout *o, uint32_t k)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 4; i++)
		n += o->key_int[k][i] != NULL;
	return n > 1;
}

const struct dt_act *dt_agg_keyact(const struct dt_agglayout *o, uint32_t k, const uint8_t *key,
    uint32_t *len)
{
	uint64_t size;
	int i;

	*len = o->key[k].size;
	if (!dt_agg_keymixed(o, k))
		return o->key_act[k];
	memcpy(&size, key + o->key[k].off + 8, sizeof(size));
	i = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
	*len = 1u << i;
	return o->key_int[k][i] ? o->key_int[k][i] : o->key_act[k];
}

/*
 * What an element counts against aggsize: the kernel's own part of it (48 bytes, and 16 in the table), its
 * key and its words.
 */
uint32_t dt_agg_takes(const struct dt_agglayout *o) { return 64 + o->mapkey + 8 * o->cpuwords; }

bool dt_agg_decode(const struct dt_agglayout *o, const int64_t *from, int64_t *to)
{
	if (!from[o->seen])
		return false;
	memcpy(to, from, o->nwords * sizeof(*to));
	if (!o->plain && dt_aggfunc_of(o->kind)->decode)
		dt_aggfunc_of(o->kind)->decode(to, o->arg);
	return true;
}
