/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The variables of a program. Globals and clause-locals are in a table by scope and id; thread-locals
 * and array elements are dynamic variables in a hash table by scope, id, thread and tuple. A dynamic
 * variable lives while its value is not 0 and counts against dynvarsize; a store that does not fit is
 * dropped and lost.
 */
#include "interp/state.h"

#include <stdlib.h>

#define DYN_OVERHEAD 64			/* cost of a dynamic variable besides its key and data */
#define KEY_MAX 65536			/* bytes in one by-reference key */

static bool by_ref(const struct dt_difv *v) { return v->type.flags & (DT_DTF_REF | DT_DTF_USERREF); }

/* The bytes of a by-reference variable: a string has a NUL after its characters. */
static uint32_t ref_size(const struct dt_difv *v)
{
	return v->type.kind == DT_DT_STRING && v->type.size < UINT32_MAX ? v->type.size + 1 : v->type.size;
}

/* ---- blocks: storage with an address ---- */

/*
 * Takes the lowest free block. False: too large, or out of memory. Up to 2^27 blocks: their numbers have 28
 * bits in an address. After a failure *block may be set all the same, for block_free() to take back.
 */
static bool block_new(struct dt_interp *ip, uint32_t len, uint32_t *block)
{
	uint32_t i = 0;

	while (i < ip->nblocks && ip->blocks[i].bytes)
		i = i < ip->freeblock ? ip->freeblock : i + 1;
	if (i == ip->blockcap) {
		uint32_t cap = ip->blockcap ? ip->blockcap * 2 : 16;
		struct dt_block *p = cap <= 1u << 27 ? realloc(ip->blocks, cap * sizeof(*p)) : NULL;

		if (!p)
			return false;
		ip->blocks = p;
		ip->blockcap = cap;
	}
	if (i == ip->nblocks)
		ip->blocks[ip->nblocks++] = (struct dt_block){ 0 };
	ip->blocks[i].bytes = len && len <= DT_IA_BLOCK_MAX ? calloc(1, len) : NULL;
	ip->blocks[i].len = len;
	ip->freeblock = i + 1;		/* all blocks below are taken */
	*block = i + 1;
	return ip->blocks[i].bytes != NULL;
}

/* *block may be 0, none, and is 0 afterwards. */
static void block_free(struct dt_interp *ip, uint32_t *block)
{
	if (!*block)
		return;
	free(ip->blocks[*block - 1].bytes);
	ip->blocks[*block - 1] = (struct dt_block){ 0 };
	if (ip->freeblock > *block - 1)
		ip->freeblock = *block - 1;
	*block = 0;
}

/* The address that the program sees: the block's number, and below it room for the offset (state.h). */
static uint64_t block_addr(uint32_t block)
{
	return (uint64_t)DT_IA_VAR << 48 | (uint64_t)(block - 1) << DT_IA_BLOCK_BITS;
}

/* ---- the table of declared variables ---- */

/* The index of the first variable that is not before (scope, id). */
static uint32_t lower_bound(const struct dt_interp *ip, unsigned scope, uint32_t id)
{
	uint64_t want = (uint64_t)scope << 32 | id;
	uint32_t lo = 0, hi = ip->nvars;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct dt_difv *v = &ip->vars[mid].difv;

		if (((uint64_t)v->scope << 32 | v->id) < want)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A variable that the DIFO did not declare is a fault (ILLOP). */
static struct dt_ivar *find_variable(struct dt_interp *ip, unsigned scope, uint32_t id)
{
	uint32_t i = lower_bound(ip, scope, id);

	if (i < ip->nvars && ip->vars[i].difv.scope == scope && ip->vars[i].difv.id == id)
		return &ip->vars[i];
	dt_interp_fault(ip, DT_FLT_ILLOP, 0);
	return NULL;
}

static void dyn_free(struct dt_interp *, struct dt_tab_entry *);
static void key_id(const struct dt_tab_entry *, unsigned *scope, uint32_t *id);

/* A DIFO run alone may declare a known id in another way: the old variable is dropped then. */
static void forget_variable(struct dt_interp *ip, struct dt_ivar *v)
{
	struct dt_tab_entry *next;

	for (struct dt_tab_entry *e = ip->dyn.first; e; e = next) {
		unsigned scope;
		uint32_t id;

		next = e->next;
		key_id(e, &scope, &id);
		if (scope == v->difv.scope && id == v->difv.id)
			dyn_free(ip, e);
	}
	block_free(ip, &v->slot.block);
	free((char *)v->difv.name);
	v->difv.name = NULL;
}

/* Enters the variable unless the same one is known. False: out of memory. */
static bool declare_variable(struct dt_interp *ip, const struct dt_difv *difv)
{
	uint32_t i = lower_bound(ip, difv->scope, difv->id);
	struct dt_ivar *v;

	if (i < ip->nvars && ip->vars[i].difv.scope == difv->scope && ip->vars[i].difv.id == difv->id) {
		v = &ip->vars[i];
		if (v->difv.kind == difv->kind && memcmp(&v->difv.type, &difv->type, sizeof(difv->type)) == 0)
			return true;
		forget_variable(ip, v);
	} else {
		if (ip->nvars == ip->varcap) {
			uint32_t cap = ip->varcap ? ip->varcap * 2 : 16;
			struct dt_ivar *p = realloc(ip->vars, cap * sizeof(*p));

			if (!p)
				return false;
			ip->vars = p;
			ip->varcap = cap;
		}
		v = &ip->vars[i];
		memmove(v + 1, v, (ip->nvars - i) * sizeof(*v));
		ip->nvars++;
	}
	*v = (struct dt_ivar){ .difv = *difv };
	v->difv.name = strdup(difv->name ? difv->name : "");
	/* A variable that is too large has no storage: using it faults */
	if (difv->scope != DT_DIFV_THREAD && difv->kind == DT_DIFV_SCALAR && by_ref(difv) &&
	    !block_new(ip, ref_size(difv), &v->slot.block))
		block_free(ip, &v->slot.block);
	return v->difv.name != NULL;
}

/* The table of a DIFO lists built-in variables too: those are not the program's. */
bool dt_interp_declare(struct dt_interp *ip, const struct dt_difo *difo)
{
	for (uint32_t i = 0; i < difo->nvars; i++) {
		const struct dt_difv *v = &difo->vars[i];

		if (v->id >= DT_VAR_USER_MIN && v->scope <= DT_DIFV_LOCAL && !declare_variable(ip, v))
			return false;
	}
	return true;
}

/* ---- values ---- */

/*
 * Copies what `value` points to into the slot's block; it may point into the block itself, hence the copy
 * between. A string is cut to strsize, and zeros follow it.
 */
static void copy_in(struct dt_interp *ip, const struct dt_difv *v, const struct dt_islot *slot,
    uint64_t value)
{
	bool user = v->type.flags & DT_DTF_USERREF;
	struct dt_block *b = slot->block ? &ip->blocks[slot->block - 1] : NULL;
	uint64_t len;
	uint8_t *temp;

	if (!b) {
		dt_interp_fault(ip, DT_FLT_ILLOP, 0);
		return;
	}
	len = b->len;
	if (v->type.kind == DT_DT_STRING) {
		uint64_t max = len < ip->opts.strsize ? len : ip->opts.strsize;

		if (!dt_interp_strlen(ip, value, max - 1, user, &len))
			return;
	}
	temp = dt_interp_temp(ip, len);
	if (!temp || !dt_interp_read(ip, value, temp, len, user))
		return;
	memcpy(b->bytes, temp, len);
	memset(b->bytes + len, 0, b->len - len);
}

/* A variable by reference is the address of its block, or 0. */
static uint64_t slot_load(const struct dt_difv *v, const struct dt_islot *slot)
{
	if (!by_ref(v))
		return slot->value;
	return slot->null || !slot->block ? 0 : block_addr(slot->block);
}

static void slot_store(struct dt_interp *ip, const struct dt_difv *v, struct dt_islot *slot, uint64_t value)
{
	if (!by_ref(v)) {
		slot->value = value;
		return;
	}
	slot->null = value == 0;
	if (value)
		copy_in(ip, v, slot, value);
}

/* Locals are last in the table, as it is sorted by scope. A string begins empty, not null. */
void dt_interp_locals_zero(struct dt_interp *ip)
{
	for (uint32_t i = lower_bound(ip, DT_DIFV_LOCAL, 0); i < ip->nvars; i++) {
		struct dt_islot *s = &ip->vars[i].slot;

		s->value = 0;
		s->null = false;
		if (s->block)
			memset(ip->blocks[s->block - 1].bytes, 0, ip->blocks[s->block - 1].len);
	}
}

/* Saved are, for each local, its slot and then the bytes of its block. */
static size_t locals_size(const struct dt_interp *ip)
{
	size_t n = 0;

	for (uint32_t i = lower_bound(ip, DT_DIFV_LOCAL, 0); i < ip->nvars; i++) {
		const struct dt_islot *s = &ip->vars[i].slot;

		n += sizeof(*s) + (s->block ? ip->blocks[s->block - 1].len : 0);
	}
	return n;
}

/* No variable may be declared between saving and restoring: the two walk the table alike. */
void *dt_interp_locals_save(struct dt_interp *ip)
{
	size_t size = locals_size(ip);
	uint8_t *saved = size ? malloc(size) : NULL, *p = saved;

	if (!saved)
		return NULL;
	for (uint32_t i = lower_bound(ip, DT_DIFV_LOCAL, 0); i < ip->nvars; i++) {
		const struct dt_islot *s = &ip->vars[i].slot;

		memcpy(p, s, sizeof(*s));
		p += sizeof(*s);
		if (s->block) {
			memcpy(p, ip->blocks[s->block - 1].bytes, ip->blocks[s->block - 1].len);
			p += ip->blocks[s->block - 1].len;
		}
	}
	return saved;
}

void dt_interp_locals_restore(struct dt_interp *ip, void *saved)
{
	const uint8_t *p = saved;

	if (!saved)
		return;
	for (uint32_t i = lower_bound(ip, DT_DIFV_LOCAL, 0); i < ip->nvars; i++) {
		struct dt_islot *s = &ip->vars[i].slot;

		memcpy(s, p, sizeof(*s));
		p += sizeof(*s);
		if (s->block) {
			memcpy(ip->blocks[s->block - 1].bytes, p, ip->blocks[s->block - 1].len);
			p += ip->blocks[s->block - 1].len;
		}
	}
	free(saved);
}

/* ---- dynamic variables ---- */

/* How every key begins; then come, for each tuple entry, its size and its bytes */
struct dyn_key {
	uint32_t id, tid;
	uint32_t scope, ntuple;		/* ntuple of a scalar: UINT32_MAX */
};

static void key_id(const struct dt_tab_entry *e, unsigned *scope, uint32_t *id)
{
	struct dyn_key k;

	memcpy(&k, e->key, sizeof(k));
	*scope = k.scope;
	*id = k.id;
}

/* A key that is too long is a fault, so *len cannot overflow. */
static bool key_size(struct dt_interp *ip, uint32_t *len)
{
	*len = sizeof(struct dyn_key);
	for (uint32_t i = 0; i < ip->ntuple; i++) {
		const struct dt_subr_arg *a = &ip->tuple[i];

		if (a->ref && a->size > KEY_MAX) {
			dt_interp_fault(ip, DT_FLT_ILLOP, 0);
			return false;
		}
		*len += 8 + (uint32_t)(a->ref ? a->size : 8);
	}
	return true;
}

/* Writes one tuple entry as key bytes. A null string is the same key as the empty one. */
static bool key_entry(struct dt_interp *ip, uint32_t i, uint8_t *to)
{
	const struct dt_subr_arg *a = &ip->tuple[i];
	uint64_t chars = a->size;

	if (!a->ref) {
		memcpy(to, &a->value, 8);
		return true;
	}
	if (ip->tuple_string[i]) {
		chars = a->size - 1;
		to[chars] = 0;
	}
	return dt_interp_read(ip, a->value, to, chars, false);
}

/* One buffer for all keys, which only grows. */
static uint8_t *key_room(struct dt_interp *ip, uint32_t len)
{
	if (len > ip->keycap) {
		uint8_t *p = realloc(ip->keybuf, len);

		if (!p) {
			dt_interp_fault(ip, DT_FLT_NOSCRATCH, 0);
			return NULL;
		}
		ip->keybuf = p;
		ip->keycap = len;
	}
	return ip->keybuf;
}

/* The key is valid until the next one is made; NULL after a fault. */
static const uint8_t *make_key(struct dt_interp *ip, unsigned scope, uint32_t id, bool elem, uint32_t *len)
{
	struct dyn_key k = { .id = id, .scope = scope, .tid = scope == DT_DIFV_THREAD ? ip->context->tid : 0,
		.ntuple = elem ? ip->ntuple : UINT32_MAX };
	uint8_t *key, *p;

	*len = sizeof(k);
	if (elem && !key_size(ip, len))
		return NULL;
	key = p = key_room(ip, *len);
	if (!key)
		return NULL;
	memcpy(p, &k, sizeof(k));
	p += sizeof(k);
	for (uint32_t i = 0; elem && i < ip->ntuple; i++) {
		uint64_t size = ip->tuple[i].ref ? ip->tuple[i].size : 8;

		memcpy(p, &size, 8);
		if (!key_entry(ip, i, p + 8))
			return NULL;
		p += 8 + size;
	}
	return key;
}

/* The entry is invalid after this, and so are addresses into its block. */
static void dyn_free(struct dt_interp *ip, struct dt_tab_entry *e)
{
	struct dt_dynvar *d = (struct dt_dynvar *)e->data;

	ip->dynused -= d->cost;
	block_free(ip, &d->slot.block);
	dt_tab_remove(&ip->dyn, e);
}

/* NULL: dynvarsize is used up, or memory is. */
static struct dt_tab_entry *dyn_new(struct dt_interp *ip, const struct dt_difv *v, const uint8_t *key,
    uint32_t len)
{
	uint64_t cost = DYN_OVERHEAD + ((len + 7ull) & ~7ull) +
	    (by_ref(v) ? (ref_size(v) + 7ull) & ~7ull : 8);
	struct dt_tab_entry *e;
	struct dt_dynvar *d;

	if (cost > ip->opts.dynvarsize - ip->dynused)
		return NULL;
	e = dt_tab_add(&ip->dyn, key, len, sizeof(*d));
	if (!e)
		return NULL;
	d = (struct dt_dynvar *)e->data;
	d->cost = cost;
	ip->dynused += cost;
	if (by_ref(v) && !block_new(ip, ref_size(v), &d->slot.block)) {
		dyn_free(ip, e);
		return NULL;
	}
	return e;
}

/* A variable that was never stored is 0, as is one that was stored as 0. */
static uint64_t dyn_load(struct dt_interp *ip, const struct dt_difv *v, bool elem)
{
	uint32_t len;
	const uint8_t *key = make_key(ip, v->scope, v->id, elem, &len);
	const struct dt_tab_entry *e = key ? dt_tab_find(&ip->dyn, key, len) : NULL;

	return e ? slot_load(v, &((const struct dt_dynvar *)e->data)->slot) : 0;
}

/* Storing 0 frees the variable. One whose first store faults is not there afterwards. */
static void dyn_store(struct dt_interp *ip, const struct dt_difv *v, bool elem, uint64_t value)
{
	uint32_t len;
	const uint8_t *key = make_key(ip, v->scope, v->id, elem, &len);
	struct dt_tab_entry *e = key ? dt_tab_find(&ip->dyn, key, len) : NULL;
	bool fresh = false;

	if (!key)
		return;
	if (value == 0) {
		if (e)
			dyn_free(ip, e);
		return;
	}
	if (!e) {
		e = dyn_new(ip, v, key, len);
		fresh = true;
	}
	if (!e) {
		dt_interp_drop(ip, "dynamic variable");
		return;
	}
	slot_store(ip, v, &((struct dt_dynvar *)e->data)->slot, value);
	if (ip->fault && fresh)		/* the store faulted: undo the creation */
		dyn_free(ip, e);
}

/* ---- what the machine calls ---- */

uint64_t dt_interp_load(struct dt_interp *ip, unsigned scope, uint32_t id)
{
	struct dt_ivar *v = find_variable(ip, scope, id);

	if (!v)
		return 0;
	return scope == DT_DIFV_THREAD ? dyn_load(ip, &v->difv, false) : slot_load(&v->difv, &v->slot);
}

void dt_interp_store(struct dt_interp *ip, unsigned scope, uint32_t id, uint64_t value)
{
	struct dt_ivar *v = find_variable(ip, scope, id);

	if (!v)
		return;
	if (scope == DT_DIFV_THREAD)
		dyn_store(ip, &v->difv, false, value);
	else
		slot_store(ip, &v->difv, &v->slot, value);
}

uint64_t dt_interp_load_elem(struct dt_interp *ip, unsigned scope, uint32_t id)
{
	struct dt_ivar *v = find_variable(ip, scope, id);

	return v ? dyn_load(ip, &v->difv, true) : 0;
}

void dt_interp_store_elem(struct dt_interp *ip, unsigned scope, uint32_t id, uint64_t value)
{
	struct dt_ivar *v = find_variable(ip, scope, id);

	if (v)
		dyn_store(ip, &v->difv, true, value);
}

/* ---- what is left ---- */

static struct dt_interp_var describe_variable(struct dt_interp *ip, const struct dt_ivar *v,
    const struct dt_islot *slot)
{
	struct dt_interp_var out = { .var = &v->difv, .value = slot->value };

	if (by_ref(&v->difv)) {
		out.null = slot->null || !slot->block;
		if (slot->block) {
			out.bytes = ip->blocks[slot->block - 1].bytes;
			out.len = ip->blocks[slot->block - 1].len;
		}
	}
	return out;
}

/* Globals first, in the order of their ids; then dynamic variables, the oldest first. Locals are gone. */
void dt_interp_vars(struct dt_interp *ip, void (*f)(void *, const struct dt_interp_var *), void *ctx)
{
	for (uint32_t i = 0; i < ip->nvars; i++) {
		const struct dt_ivar *v = &ip->vars[i];
		struct dt_interp_var out = describe_variable(ip, v, &v->slot);

		if (v->difv.scope == DT_DIFV_GLOBAL && v->difv.kind == DT_DIFV_SCALAR)
			f(ctx, &out);
	}
	for (struct dt_tab_entry *e = ip->dyn.first; e; e = e->next) {
		struct dyn_key k;
		struct dt_interp_var out;
		uint32_t i;

		memcpy(&k, e->key, sizeof(k));
		i = lower_bound(ip, k.scope, k.id);
		out = describe_variable(ip, &ip->vars[i], &((struct dt_dynvar *)e->data)->slot);
		out.tid = k.tid;
		if (k.ntuple != UINT32_MAX) {
			out.key = e->key + sizeof(k);
			out.keylen = e->keylen - sizeof(k);
		}
		f(ctx, &out);
	}
}

/*
 * The table owns its entries, blocks own their bytes: blocks of dynamic variables are freed with all the
 * others.
 */
void dt_interp_vars_free(struct dt_interp *ip)
{
	dt_tab_clear(&ip->dyn);
	for (uint32_t i = 0; i < ip->nvars; i++)
		free((char *)ip->vars[i].difv.name);
	for (uint32_t i = 0; i < ip->nblocks; i++)
		free(ip->blocks[i].bytes);
	free(ip->vars);
	free(ip->keybuf);
	free(ip->blocks);
}
