/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym(), mod(), usym(), umod(), uaddr(): an address that is shown by name. Addresses of processes have the
 * pid in front, because a name depends on it. Aggregations fold keys of one function or module (DT_AF_FOLDS),
 * so these actions may also be keys.
 */
#include "builtin/act_common.h"

/* One address; an aggregation is refused in words of its own. */
static void symbol_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	dt_act_args(s, call, false);
	if (call->list != NULL && dt_node_is_agg(call->list))
		dt_fail(s->diag, D_PROTO_ARG, call->list->loc, "%s( ) needs an address, not an aggregation",
		    row->name);
	dt_call_check(s, call, row);
	dt_act_expr(s, row->id, call->list);
}

/* A kernel address is one word; a user address has the pid as a word in front. */
static uint32_t address_size(struct dt_build *b, const struct dt_act *act) { (void)b, (void)act; return 8; }
static uint32_t pair_size(struct dt_build *b, const struct dt_act *act) { (void)b, (void)act; return 16; }

static void address_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	(void)act;
	dt_field_number(l);
	dt_field_store(l, f->base, f->off, 8);
}

/* dt_field_pid() comes last, since it overwrites r0. */
static void pair_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	(void)act;
	dt_field_number(l);
	dt_field_store(l, f->base, f->off + 8, 8);
	dt_field_pid(l, f->base, f->off);
}

static struct dt_bytes address_bytes(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	(void)act;
	return dt_run_words(run, &value, 1);
}

static struct dt_bytes pair_bytes(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	(void)act;
	return dt_run_words(run, (const uint64_t[]){ run->ip->context->pid, value }, 2);
}

/* Both forms of the record: 16 bytes have a pid, 8 do not. */
static void symbol_value(enum dt_vkind kind, const void *data, size_t len, struct dt_value *v)
{
	const uint64_t *w = data;

	*v = (struct dt_value){ .kind = kind, .size = 8 };
	if (len >= 16)
		v->pid = (uint32_t)w[0];
	v->i = len >= 16 ? w[1] : len >= 8 ? w[0] : 0;
}

/* The kinds differ only in how they are printed and folded. */
static void sym_value(const struct dt_act *act, const void *data, size_t len, struct dt_value *v)
{
	(void)act;
	symbol_value(DT_V_SYM, data, len, v);
}

static void mod_value(const struct dt_act *act, const void *data, size_t len, struct dt_value *v)
{
	(void)act;
	symbol_value(DT_V_MOD, data, len, v);
}

static void usym_value(const struct dt_act *act, const void *data, size_t len, struct dt_value *v)
{
	(void)act;
	symbol_value(DT_V_USYM, data, len, v);
}

static void umod_value(const struct dt_act *act, const void *data, size_t len, struct dt_value *v)
{
	(void)act;
	symbol_value(DT_V_UMOD, data, len, v);
}

static void uaddr_value(const struct dt_act *act, const void *data, size_t len, struct dt_value *v)
{
	(void)act;
	symbol_value(DT_V_UADDR, data, len, v);
}

/* What kernel and user addresses have in common with their kind. A process knows none of the kernel. */
#define KERNEL .where = DT_IN_KERNEL | DT_IN_REPLAY, .keytype = DT_T_SYMADDR, .size = address_size, \
	.lower = address_lower, .bytes = address_bytes, DT_ACT_SHOW
#define USER .keytype = DT_T_USYMADDR, .size = pair_size, .lower = pair_lower, .bytes = pair_bytes, \
	DT_ACT_SHOW
/*
 * All of them may be keys; the type of the call, `p`, says whether its address is the kernel's or a
 * process's.
 */
#define NAME(n, i, p, d) DT_ACT_NAME(n, DT_BF_RECORDS | DT_BF_KEY, i, p "(uintptr_t)", DT_VERS(1, 2, 0), \
	symbol_compile, d)

const struct dt_action dt_action_SYM = {
	.names = DT_ACT_NAMES(NAME("sym", DT_ACT_SYM, "_symaddr",
	    "the kernel's function or object at an address"), NAME("func", DT_ACT_SYM, "_symaddr",
	    "the same as sym( )")),
	.facts = DT_AF_FOLDS,
	KERNEL,
	.value = sym_value,
};

const struct dt_action dt_action_MOD = {
	.names = DT_ACT_NAMES(NAME("mod", DT_ACT_MOD, "_symaddr", "the kernel module that has an address")),
	.facts = DT_AF_FOLDS, KERNEL, .value = mod_value,
};

const struct dt_action dt_action_USYM = {
	.names = DT_ACT_NAMES(NAME("usym", DT_ACT_USYM, "_usymaddr",
	    "the function or object at an address of the process"), NAME("ufunc", DT_ACT_USYM, "_usymaddr",
	    "the same as usym( )")),
	.facts = DT_AF_FOLDS | DT_AF_USER,
	USER,
	.value = usym_value,
};

const struct dt_action dt_action_UMOD = {
	.names = DT_ACT_NAMES(NAME("umod", DT_ACT_UMOD, "_usymaddr",
	    "the file that is mapped at an address of the process")),
	.facts = DT_AF_FOLDS | DT_AF_USER,
	USER,
	.value = umod_value,
};

const struct dt_action dt_action_UADDR = {
	.names = DT_ACT_NAMES(NAME("uaddr", DT_ACT_UADDR, "_usymaddr",
	    "an address of the process by name and offset")),
	.facts = DT_AF_USER,
	USER,
	.value = uaddr_value,
};
