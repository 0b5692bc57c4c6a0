/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack(), ustack(), jstack(). A record is a fixed number of addresses; frames that are missing are 0. User
 * stacks begin with the pid, which naming the addresses needs, and end with room for names (jstack's
 * strsize), which stays empty here.
 */
#include "bpf/build.h"
#include "builtin/act_common.h"

/* ---- compiling ---- */

/* -x maxframes limits what programs and the other options ask for. */
static uint64_t at_most(const struct dt_sema *s, uint64_t frames)
{
	return s->cc->maxframes != 0 && frames > s->cc->maxframes ? s->cc->maxframes : frames;
}

/* The number of frames is a constant, as it is the size of the record; it fits 16 bits. */
static void stack_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	uint64_t frames = s->cc->stackframes;

	(void)row;
	dt_act_args(s, call, false);
	if (dt_call_nargs(call) > 1)
		dt_fail(s->diag, D_STACK_PROTO, call->loc,
		    "stack( ) prototype mismatch: %u args passed, at most 1 expected", dt_call_nargs(call));
	if (call->list != NULL) {
		if (!dt_node_is_const(call->list) || dt_node_int(call->list) <= 0 ||
		    dt_node_int(call->list) > UINT16_MAX)
			dt_fail(s->diag, D_STACK_SIZE, call->list->loc,
			    "stack( ) size must be a positive integer constant");
		frames = call->list->value;
	}
	dt_act_add(s, DT_ACT_STACK, call->loc)->arg = at_most(s, frames);
}

/*
 * ustack([frames [, strsize]]): both share `arg`, strsize in the upper half. Defaults are those of the
 * options.
 */
static void ustack_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	bool jstack = row->id == DT_ACT_JSTACK;
	uint64_t frames = jstack ? s->cc->jstackframes : s->cc->ustackframes;
	uint64_t strsize = jstack ? s->cc->jstackstrsize : 0;
	struct dt_node *n;

	dt_act_args(s, call, false);
	if (dt_call_nargs(call) > 2)
		dt_fail(s->diag, D_USTACK_PROTO, call->loc,
		    "%s( ) prototype mismatch: %u args passed, at most 2 expected", row->name,
		    dt_call_nargs(call));
	n = call->list;
	if (n != NULL) {
		if (!dt_node_is_const(n) || dt_node_int(n) <= 0 || dt_node_int(n) > UINT16_MAX)
			dt_fail(s->diag, D_USTACK_FRAMES, n->loc,
			    "%s( ) argument #1 must be a positive integer constant", row->name);
		frames = n->value;
	}
	if (n != NULL && n->next != NULL) {
		n = n->next;
		if (!dt_node_is_const(n) || dt_node_int(n) < 0 || dt_node_int(n) > UINT16_MAX)
			dt_fail(s->diag, D_USTACK_STRSIZE, n->loc,
			    "%s( ) argument #2 must be an integer constant", row->name);
		strsize = n->value;
	}
	dt_act_add(s, row->id, call->loc)->arg = strsize << 32 | at_most(s, frames);
}

/* ---- in the kernel ---- */

static uint32_t stack_size(struct dt_build *b, const struct dt_act *act)
{
	(void)b;
	return 8 * (uint32_t)act->arg;
}

/* The pid, the frames, the room for names. */
static uint32_t ustack_size(struct dt_build *b, const struct dt_act *act)
{
	(void)b;
	return 8 + 8 * (uint32_t)act->arg + (uint32_t)(act->arg >> 32);
}

/* bpf_get_stack() writes what it found and zeros after it; on failure all is zero. */
static void take_frames(struct dt_lower *l, int base, int off, uint32_t size, bool user)
{
	/*
	 * Linux 6.1 says "invalid indirect read from stack": there the helper is declared to read what it
	 * writes
	 */
	if (base == FP)
		dt_zero(l, base, off, size);
	dt_stack_take(l, base, off, size, user);	/* on failure all zeros */
}

static void stack_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	(void)act;
	take_frames(l, f->base, f->off, f->size, false);
}

/*
 * With tables for stacks without frame pointers the walk is ours (bpf/ustack.c), else the kernel's helper
 * follows frame pointers.
 */
static void ustack_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	uint32_t frames = (uint32_t)act->arg, tail = (uint32_t)(act->arg >> 32);

	dt_field_pid(l, f->base, f->off);
	if (dt_ustack_tables(l->b))
		dt_ustack_store(l, f->base, f->off + 8, frames, dt_act_kind(act) == DT_ACT_JSTACK);
	else
		take_frames(l, f->base, f->off + 8, 8 * frames, true);
	if (tail)
		dt_zero(l, f->base, f->off + 8 + 8 * (int)frames, tail);
}

/* ---- in the interpreter ---- */

/* The firing's context has the stack; the record is as long as the kernel's would be. */
static struct dt_bytes frames_of(struct dt_run *run, const struct dt_act *act, bool user)
{
	const struct dt_context *c = run->ip->context;
	uint64_t frames = user ? act->arg & 0xffffffff : act->arg;
	uint64_t strsize = user ? act->arg >> 32 : 0, head = user ? 8 : 0, pid = c->pid;
	uint32_t have = user ? c->nustack : c->nstack;
	uint8_t *p;

	if (frames > DT_INTERP_RECMAX / 8) {
		dt_interp_fault(run->ip, DT_FLT_BADSIZE, frames);
		return (struct dt_bytes){ 0 };
	}
	p = dt_run_room(run, head + frames * 8 + strsize);
	if (!p)
		return (struct dt_bytes){ 0 };
	memcpy(p, &pid, head);
	if (have > frames)
		have = (uint32_t)frames;
	if (have)
		memcpy(p + head, user ? c->ustack : c->stack, have * 8ull);
	return (struct dt_bytes){ p, (uint32_t)(head + frames * 8 + strsize) };
}

static struct dt_bytes stack_bytes(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	(void)value;
	return frames_of(run, act, false);
}

static struct dt_bytes ustack_bytes(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	(void)value;
	return frames_of(run, act, true);
}

/* ---- for those who print ---- */

/* A record may be shorter than `arg` says if it comes from a saved program: what is there counts. */
static void stack_value(const struct dt_act *act, const void *data, size_t len, struct dt_value *v)
{
	uint64_t have = len / 8;

	*v = (struct dt_value){
		.kind = DT_V_STACK, .pcs = data, .npcs = (uint32_t)(have < act->arg ? have : act->arg)
	};
}

/* The pid first; a record without even that is an empty stack. */
static void ustack_value(const struct dt_act *act, const void *data, size_t len, struct dt_value *v)
{
	uint64_t frames = act->arg & 0xffffffff, have = len / 8;
	const uint64_t *w = data;

	*v = (struct dt_value){ .kind = DT_V_USTACK, .pcs = w };
	if (have == 0)
		return;
	have--;
	v->pid = (uint32_t)*w;
	v->pcs = w + 1;
	v->npcs = (uint32_t)(have < frames ? have : frames);
}

#define KEY (DT_BF_RECORDS | DT_BF_KEY)
#define USTACK .facts = DT_AF_USTACK | DT_AF_USER, .keytype = DT_T_STACK, .size = ustack_size, \
	.lower = ustack_lower, \
	.bytes = ustack_bytes, .value = ustack_value, DT_ACT_SHOW

const struct dt_action dt_action_STACK = {
	.where = DT_IN_KERNEL,
	.names = DT_ACT_NAMES(DT_ACT_NAME("stack", KEY, DT_ACT_STACK, "stack([uint32_t])", DT_VERS(1, 0, 0),
	    stack_compile, "the kernel's stack")),
	.facts = DT_AF_KSTACK,
	.keytype = DT_T_STACK,
	.size = stack_size,
	.lower = stack_lower,
	.bytes = stack_bytes,
	.value = stack_value,
	DT_ACT_SHOW,
};

const struct dt_action dt_action_USTACK = {
	.where = DT_IN_KERNEL | DT_IN_PROCESS,
	.names = DT_ACT_NAMES(DT_ACT_NAME("ustack", KEY, DT_ACT_USTACK, "stack([uint32_t], [uint32_t])",
	    DT_VERS(1, 0, 0), ustack_compile, "the process's stack")),
	USTACK,
};

const struct dt_action dt_action_JSTACK = {
	.where = DT_IN_KERNEL | DT_IN_PROCESS,
	.names = DT_ACT_NAMES(DT_ACT_NAME("jstack", KEY, DT_ACT_JSTACK, "stack([uint32_t], [uint32_t])",
	    DT_VERS(1, 0, 0), ustack_compile,
	    "the process's stack, with the options jstackframes and jstackstrsize")),
	USTACK,
};
