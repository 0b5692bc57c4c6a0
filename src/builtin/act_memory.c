/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracemem() and printm(): bytes of memory. Records of tracemem() are the bytes alone; those of printm() have
 * their number in front, because it is known only when the clause runs (memref() gave it).
 */
#include "builtin/act_common.h"

/* ---- compiling ---- */

/*
 * tracemem(address, most [, shown]). The second argument must be a constant, as it is the size of the record;
 * the third, which says how many of them to show, is an action of its own in front of the bytes.
 */
static void tracemem_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_node *addr, *size, *dyn;
	unsigned n;

	(void)row;
	dt_act_args(s, call, false);
	n = dt_call_nargs(call);
	if (n < 2)
		dt_fail(s->diag, D_PROTO_LEN, call->loc,
		    "tracemem( ) prototype mismatch: %u arg%s passed, at least 2 expected", n,
		    n == 1 ? "" : "s");
	if (n > 3)
		dt_fail(s->diag, D_TRACEMEM_ARGS, call->loc,
		    "tracemem( ) prototype mismatch: %u args passed, at most 3 expected", n);
	addr = call->list;
	size = addr->next;
	dyn = size->next;
	if (dt_node_is_agg(addr) ||
	    (!dt_type_is_integer(addr->type) && !dt_type_is_pointer(addr->type) &&
		!dt_type_is_string(addr->type)))
		dt_fail(s->diag, D_TRACEMEM_ADDR, addr->loc,
		    "tracemem( ) argument #1 must be a pointer or an integer address");
	if (dt_node_is_agg(size) || !dt_type_is_integer(size->type))
		dt_fail(s->diag, D_PROTO_ARG, size->loc,
		    "tracemem( ) argument #2 is incompatible with prototype:\n\tprototype: size_t\n\t "
		    "argument: %s",
		    dt_node_is_agg(size) ? "aggregation" : dt_type_str(s->arena, size->type));
	if (!dt_node_is_const(size) || dt_node_int(size) <= 0 || dt_node_int(size) > UINT32_MAX)
		dt_fail(s->diag, D_TRACEMEM_SIZE, size->loc,
		    "tracemem( ) argument #2 must be a positive integer constant");
	if (dyn != NULL && (dt_node_is_agg(dyn) || !dt_type_is_scalar(dyn->type)))
		dt_fail(s->diag, D_TRACEMEM_DYNSIZE, dyn->loc, "tracemem( ) argument #3 must be a number");
	if (dyn != NULL)	/* how much of it to show comes first */
		dt_act_expr(s, DT_ACT_TRACEMEM_DYNSIZE, dyn);
	addr->next = NULL;
	if (addr->nflags & DT_NF_USER)
		addr = dt_expr_copyin(s, addr, size->value);
	dt_act_expr(s, DT_ACT_TRACEMEM, addr)->arg = size->value;
}

/* printm(most, memref(address, length)). */
static void printm_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_node *size, *addr;

	dt_act_args(s, call, false);
	if (dt_call_nargs(call) != 2)
		dt_fail(s->diag, D_PROTO_LEN, call->loc,
		    "%s( ) prototype mismatch: %u args passed, 2 expected", row->name, dt_call_nargs(call));
	size = call->list;
	addr = size->next;
	if (dt_node_is_agg(size) || !dt_node_is_const(size) || dt_node_int(size) <= 0 ||
	    dt_node_int(size) > UINT32_MAX)
		dt_fail(s->diag, D_PRINTM_SIZE, size->loc,
		    "printm( ) argument #1 must be a positive integer constant");
	if (dt_node_is_agg(addr) || !dt_type_is_pointer(addr->type))
		dt_fail(s->diag, D_PRINTM_ADDR, addr->loc, "printm( ) argument #2 must be a pointer");
	dt_act_expr(s, DT_ACT_PRINTM, addr)->arg = size->value;
}

/* ---- in the kernel ---- */

/* A saved program may have no `arg`; then the type says how much there is. */
static uint32_t tracemem_size(struct dt_build *b, const struct dt_act *act)
{
	return dt_field_limit(b, act, act->arg ? act->arg : act->difo->rtype.size);
}

/* Memory of the process is read only if the type says that the address is one of the process. */
static void tracemem_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	dt_field_number(l);
	dt_field_bytes(l, f, act->difo->rtype.flags & DT_DTF_USERREF);
}

static uint32_t printm_size(struct dt_build *b, const struct dt_act *act)
{
	return dt_field_limit(b, act, act->arg + 8);
}

/*
 * memref() made a pair of address and length in scratch. The length is cut to the room of the record before
 * it is used, which is also what the verifier must see.
 */
static void printm_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	struct dt_emit *a = dt_code(l);
	uint32_t fits, bad;

	dt_field_number(l);
	fits = dt_label(a);
	bad = dt_fault_label(l, DT_FLT_BADADDR, F_T2);
	dt_stx(a, B8, FP, F_T2, R0);
	dt_mov(a, R3, R0);
	dt_fpaddr(a, R1, F_T1);
	dt_imm(a, R2, 16);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, bad);
	dt_ldx(a, B8, R3, FP, F_T1);
	dt_stx(a, B8, FP, F_T2, R3);
	dt_ldx(a, B8, R2, FP, F_T0);
	dt_jmpi(a, BPF_JLE, R2, (int32_t)act->arg, fits);
	dt_imm(a, R2, act->arg);
	dt_put(a, fits);
	dt_mov(a, R1, f->base);
	dt_alui(a, BPF_ADD, R1, f->off);
	dt_stx(a, B8, R1, 0, R2);
	dt_alui(a, BPF_ADD, R1, 8);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, bad);
}

/* ---- in the interpreter ---- */

/* `arg` bytes at the value, whatever its type says; without `arg` the type says how many. */
static struct dt_bytes tracemem_bytes(struct dt_run *run, const struct dt_act *act, uint64_t addr)
{
	struct dt_diftype t = act->difo->rtype;

	t.kind = DT_DT_CTF;
	if (act->arg)
		t.size = act->arg > UINT32_MAX ? UINT32_MAX : (uint32_t)act->arg;
	return dt_run_object(run, &t, addr);
}

/* The number of bytes, then `arg` bytes of room for them; the value is what memref() made. */
static struct dt_bytes printm_bytes(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	uint64_t ref[2], len;
	uint8_t *p;

	if (!dt_interp_read(run->ip, value, ref, sizeof(ref), false))
		return (struct dt_bytes){ 0 };
	p = dt_run_room(run, act->arg > DT_INTERP_RECMAX ? act->arg : act->arg + 8);
	if (!p)
		return (struct dt_bytes){ 0 };
	len = ref[1] < act->arg ? ref[1] : act->arg;
	memcpy(p, &len, 8);
	if (!dt_interp_read(run->ip, ref[0], p + 8, len, false))
		return (struct dt_bytes){ 0 };
	return (struct dt_bytes){ p, (uint32_t)act->arg + 8 };
}

/* ---- for those who print ---- */

/* A hexadecimal dump. dt_rec_memory() finds the bytes after either kind of length. */
static void memory_text(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	const void *bytes;
	size_t len;

	if (dt_rec_memory(recs, n, &bytes, &len))
		dt_hexdump_print(s->out, bytes, len);
}

/* Bytes are hexadecimal text; a record without its bytes has no member at all. */
static void memory_json(struct dt_json_firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	const void *bytes;
	size_t len;

	if (!dt_rec_memory(recs, n, &bytes, &len))
		return;
	dt_json_action_open(f, name);
	dt_json_key(f->j, "value");
	dt_json_open(f->j, '{');
	dt_json_key(f->j, "bytes");
	dt_json_hex(f->j, bytes, len);
	dt_json_close(f->j, '}');
	dt_json_action_close(f);
}

const struct dt_action dt_action_TRACEMEM = {
	.names = DT_ACT_NAMES(DT_ACT_NAME("tracemem", DT_BF_RECORDS, DT_ACT_TRACEMEM,
	    "void(*, size_t, [size_t])", DT_VERS(1, 0, 0), tracemem_compile,
	    "records bytes of memory: address, how many, how many of them to show")),
	.size = tracemem_size,
	.lower = tracemem_lower,
	.bytes = tracemem_bytes,
	.value = dt_record_by_type,
	.facts = DT_AF_ALONE,
	.shape = DT_SHAPE_MEMORY,
	.text = memory_text,
	.json = memory_json,
};

const struct dt_action dt_action_TRACEMEM_DYNSIZE = { DT_ACT_BY_TYPE, .facts = DT_AF_ALONE,
	.shape = DT_SHAPE_MEMORY, .text = memory_text, .json = memory_json };

const struct dt_action dt_action_PRINTM = {
	.names = DT_ACT_NAMES(DT_ACT_NAME("printm", DT_BF_RECORDS, DT_ACT_PRINTM, "void(size_t, uintptr_t *)",
	    DT_VERS(1, 0, 0), printm_compile,
	    "records bytes of memory: how many at most, and what memref( ) gave")),
	.size = printm_size,
	.lower = printm_lower,
	.bytes = printm_bytes,
	.value = dt_record_by_type,
	.facts = DT_AF_ALONE,
	.shape = DT_SHAPE_MEMORY,
	.text = memory_text,
	.json = memory_json,
};
