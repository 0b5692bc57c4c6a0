/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One clause: its predicate, room for its record in this CPU's buffer (lower_record.c), its actions in
 * order, and the record is sent. A fault gives the room back, sends a record of its own and ends the
 * clause. On every way out the record has been either sent or given back: the verifier insists on that.
 */
#include "base/count.h"
#include "bpf/build.h"

struct fault_record { struct dt_rechdr h; struct dt_recfault f; };
_Static_assert(sizeof(struct fault_record) <= DT_FRAME_CONTROL, "it is made in the frame");

/* A clause that is longer than so many instructions has its stubs in several places; see stubs_pool(). */
#define STUBS_EVERY 8000

/* ---- actions ---- */

uint32_t dt_drop_label(struct dt_lower *l)
{
	if (!l->drop)
		l->drop = dt_label(l->a);
	return l->drop;
}

/*
 * After exit() no arm of an if begins, and nothing runs after the arm that exit() is in: where an arm begins
 * or ends, the clause jumps to `quit`.
 */
static void arm_ends(struct dt_lower *l, const struct dt_ecb *e, uint32_t act, uint32_t quit)
{
	if (!l->arms || !dt_ecb_part(e, act))
		return;
	dt_ldx(l->a, B8, R1, FP, F_EXITED);
	dt_jmpi(l->a, BPF_JNE, R1, 0, quit);
}

/*
 * For each place that can fault: its code in R1, the address in R2, action and offset in R3, then a jump to
 * l->fault.
 */
static void emit_stubs(struct dt_lower *l, size_t from)
{
	for (size_t i = from; i < l->stubs.n; i++) {
		const struct dt_stub *s = &l->stubs.v[i];

		dt_put(l->a, s->label);
		if (s->addr == A_NONE)
			dt_imm(l->a, R2, 0);
		else
			dt_ldx(l->a, B8, R2, FP, s->addr);
		dt_imm(l->a, R1, (uint64_t)s->fault);
		dt_imm(l->a, R3, (uint64_t)(uint32_t)s->offset << 32 | (uint32_t)s->act);
		dt_ja(l->a, l->fault);
	}
}

/*
 * The stubs of a long clause are not all at its end: each would be a label of its own that islands have to
 * lead to (islands.c). Between two actions those that have come since the last pool are put in.
 */
static void pool_stubs(struct dt_lower *l)
{
	uint32_t over, fault = l->fault;

	if (l->a->code.n - l->pool < STUBS_EVERY)
		return;
	l->pool = l->a->code.n;
	if (l->stubs.n == l->early)
		return;
	over = dt_label(l->a);
	if (!l->late)
		l->late = dt_label(l->a);
	dt_ja(l->a, over);
	l->fault = l->late;
	emit_stubs(l, l->early);
	l->fault = fault;
	l->stubs.n = l->early;
	dt_put(l->a, over);
}

/*
 * An action SKIPZ (an if) jumps over the next `arg` actions when its value is 0: the label before the action
 * after them is kept in `skip`. Entries of tuples are made by the action that uses them.
 */
static void lower_actions(struct dt_lower *l, const struct dt_ecb *e, const struct dt_reclayout *rec,
    uint32_t sent)
{
	uint32_t *skip = DT_NEWN(l->b->arena, uint32_t, e->nacts + 1);	/* label before this action, 0 none */
	uint32_t moment = rec->moment ? dt_gen_place(e) : UINT32_MAX;

	for (uint32_t i = 0; i <= e->nacts; i++) {
		uint32_t to = i < e->nacts && e->acts[i].kind == DT_ACT_SKIPZ ?
		    i + 1 + (uint32_t)e->acts[i].arg :
		    0;

		if (skip[i])
			dt_put(l->a, skip[i]);
		if (i == moment && l->reserved)
			dt_gen_moment(l, (int)(sizeof(struct dt_rechdr) + rec->moment));
		if (i == e->nacts)
			break;
		pool_stubs(l);
		arm_ends(l, e, i, sent);
		l->act = (int)i;
		if (to > e->nacts)
			to = e->nacts;
		if (to && !skip[to])
			skip[to] = dt_label(l->a);
		if (e->acts[i].in_tuple)
			continue;
		if (DT_ACT_IS_AGG(e->acts[i].kind))
			dt_aggregate(l, e, i);
		else
			dt_field_value(l, &e->acts[i],
			    &(struct dt_actfield){ .base = R8,
				.size = rec->field[i].size,
				.off = (int)(sizeof(struct dt_rechdr) + rec->field[i].off),
				.skip = to ? skip[to] : 0 });
	}
}

/* ---- faults ---- */

static int fault_off(size_t off) { return F_CONTROL - (int)sizeof(struct fault_record) + (int)off; }

/*
 * Sets the arguments of dtrace:::ERROR from the record of the fault: arg1 epid, arg2 action from 1, arg3
 * offset, arg4 fault, arg5 address. The others are 0.
 */
static void set_error_args(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	static const struct {
		uint8_t arg, size; uint16_t off;
	} from[] = {
		{ 1, 4, offsetof(struct fault_record, f.epid) },
		{ 2, 4, offsetof(struct fault_record, f.action) },
		{ 3, 4, offsetof(struct fault_record, f.offset) },
		{ 4, 4, offsetof(struct fault_record, f.fault) },
		{ 5, 8, offsetof(struct fault_record, f.addr) },
	};

	dt_slot_reg(l);
	dt_sti(a, B8, R6, S_ERROR_ARGS, 0);
	for (int i = 6; i < 10; i++)
		dt_sti(a, B8, R6, S_ERROR_ARGS + 8 * i, 0);
	for (size_t i = 0; i < DT_COUNT(from); i++) {
		dt_ldx(a, from[i].size == 4 ? B4 : B8, R1, FP, fault_off(from[i].off));
		if (from[i].arg == 2)
			dt_alui(a, BPF_ADD, R1, 1);
		if (from[i].arg == 2 || from[i].arg == 3) {
			dt_alui(a, BPF_LSH, R1, 32);
			dt_alui(a, BPF_ARSH, R1, 32);
		}
		dt_stx(a, B8, R6, S_ERROR_ARGS + 8 * from[i].arg, R1);
	}
}

/*
 * What faults before and after the reservation of the record have in common. A fault in a clause of ERROR is
 * only counted: it must not make another one.
 */
static void fault_tail(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t none = dt_label(a), sent = dt_label(a);

	if (l->error) {
		dt_drop(l, offsetof(struct dt_drops, dblerror));
		return;
	}
	dt_help(l, BPF_FUNC_get_smp_processor_id);
	dt_stx(a, B8, FP, F_T0, R0);
	dt_record_header(l, FP, fault_off(0), DT_REC_FAULT);
	dt_epid(l, R1);
	dt_stx(a, B4, FP, fault_off(offsetof(struct fault_record, f.epid)), R1);
	dt_probe_id(l, R1);
	dt_stx(a, B4, FP, fault_off(offsetof(struct fault_record, f.probe_id)), R1);
	dt_sti(a, B4, FP, fault_off(offsetof(struct fault_record, f.pad)), 0);
	dt_record_send(l, sizeof(struct fault_record), none);
	dt_ja(a, sent);
	dt_put(a, none);
	dt_record_lost(l);
	dt_put(a, sent);
	if (l->b->opts->nerrors)
		set_error_args(l);
}

/* Puts what the stub loaded into the record of the fault, before a call changes R1 … R3. */
static void fault_head(struct dt_lower *l, bool reserved)
{
	struct dt_emit *a = l->a;

	dt_stx(a, B8, FP, fault_off(offsetof(struct fault_record, f.addr)), R2);
	dt_stx(a, B4, FP, fault_off(offsetof(struct fault_record, f.fault)), R1);
	dt_stx(a, B4, FP, fault_off(offsetof(struct fault_record, f.action)), R3);
	dt_alui(a, BPF_RSH, R3, 32);
	dt_stx(a, B4, FP, fault_off(offsetof(struct fault_record, f.offset)), R3);
	if (reserved)
		dt_record_discard(l);
}

/* ---- the clause ---- */

/* Whether the DIFO has that instruction with a variable from lo to hi. */
static bool difo_uses(const struct dt_difo *d, unsigned op, uint32_t lo, uint32_t hi)
{
	for (uint32_t i = 0; d && i < d->ntext; i++) {
		if (dt_dif_op(d->text[i]) == op && dt_dif_v16(d->text[i]) >= lo &&
		    dt_dif_v16(d->text[i]) <= hi)
			return true;
	}
	return false;
}

/* The expressions that make a derived probe may use variables too. */
static bool derived_uses(const struct dt_enabling *en, unsigned op)
{
	for (int i = 0; i < 10 && en->args[i]; i++) {
		if (difo_uses(en->args[i], op, 0, UINT16_MAX))
			return true;
	}
	return difo_uses(en->when, op, 0, UINT16_MAX);
}

static bool clause_uses(const struct dt_ecb *e, unsigned op, uint32_t lo, uint32_t hi)
{
	for (uint32_t i = 0; i < e->nacts; i++) {
		if (difo_uses(e->acts[i].difo, op, lo, hi))
			return true;
	}
	return difo_uses(e->pred, op, lo, hi);
}

static bool branched_to(const struct dt_difo *d, uint32_t pc)
{
	for (uint32_t i = 0; i < pc; i++) {
		if (dt_difop_form(dt_dif_op(d->text[i])) == DT_FORM_BR && dt_dif_label(d->text[i]) == pc)
			return true;
	}
	return false;
}

/*
 * Bits of those among arg0 … arg9 that the DIFO reads. An args[] whose index is no constant may be any of
 * them; an index is a constant when the instruction before sets it and no branch comes in between.
 */
static uint32_t args_read(const struct dt_difo *d)
{
	uint32_t bits = 0;

	for (uint32_t pc = 0; d && pc < d->ntext; pc++) {
		uint32_t in = d->text[pc], before = pc ? d->text[pc - 1] : 0,
			 id = dt_dif_v16(in) - DT_VAR_arg0;

		if (dt_dif_op(in) == DT_DIF_LDGS && id < 10)
			bits |= 1u << id;
		if (dt_dif_op(in) != DT_DIF_LDGA || dt_dif_r1(in) != DT_VAR_args)
			continue;
		if (dt_dif_op(before) == DT_DIF_SETX && dt_dif_rd(before) == dt_dif_r2(in) &&
		    d->ints[dt_dif_v16(before)] < 10 && !branched_to(d, pc))
			bits |= 1u << d->ints[dt_dif_v16(before)];
		else
			bits = UINT32_MAX;
	}
	return bits;
}

static uint32_t clause_args(const struct dt_ecb *e)
{
	uint32_t bits = args_read(e->pred);

	for (uint32_t i = 0; i < e->nacts; i++)
		bits |= args_read(e->acts[i].difo);
	return bits;
}

static bool has_kind(const struct dt_ecb *e, uint16_t kind)
{
	for (uint32_t i = 0; i < e->nacts; i++) {
		if (e->acts[i].kind == kind)
			return true;
	}
	return false;
}

static uint32_t times_used(const struct dt_ecb *e, uint32_t id)
{
	uint32_t n = difo_uses(e->pred, DT_DIF_LDGS, id, id);

	for (uint32_t i = 0; i < e->nacts; i++)
		n += difo_uses(e->acts[i].difo, DT_DIF_LDGS, id, id);
	return n;
}

/*
 * Process and thread come from one call of a helper, which is made once where the clause needs them twice:
 * before the predicate if that looks at them, else after it. With a slot the frame stays short, as the
 * clause calls functions.
 */
static void keep_ids(struct dt_lower *l, const struct dt_ecb *e, bool before)
{
	if (l->slot || l->b->opts->pidns_ino != 0 ||
	    before != difo_uses(e->pred, DT_DIF_LDGS, DT_VAR_pid, DT_VAR_tid) ||
	    times_used(e, DT_VAR_pid) + times_used(e, DT_VAR_tid) < 2)
		return;
	dt_help(l, BPF_FUNC_get_current_pid_tgid);
	dt_stx(l->a, B8, FP, F_IDS, R0);
	l->ids = true;
}

static void begin_clause(struct dt_lower *l, const struct dt_ecb *e)
{
	bool stores = clause_uses(e, DT_DIF_STTS, 0, UINT16_MAX) || derived_uses(l->en, DT_DIF_STTS) ||
	    clause_uses(e, DT_DIF_STTAA, 0, UINT16_MAX) || derived_uses(l->en, DT_DIF_STTAA);

	l->uses_tls = stores || clause_uses(e, DT_DIF_LDTS, 0, UINT16_MAX) ||
	    derived_uses(l->en, DT_DIF_LDTS);
	if (l->arms)
		dt_sti(l->a, B8, FP, F_EXITED, 0);
	if (l->slot)
		dt_sti(l->a, B8, R6, S_SCRATCH_USED, 0);
	if (l->uses_tls)
		dt_tls_open(l, stores);
	l->ids = false;
	keep_ids(l, e, true);
}

/*
 * r0 = the value of an expression of a derived probe. Where its provider says so (`soft`), a bad address
 * gives 0 and is no fault of the clause: the stubs of the expression stand here and go no further.
 */
static void derived_value(struct dt_lower *l, const struct dt_difo *d)
{
	uint32_t fault = l->fault, done = dt_label(l->a);
	size_t from = l->stubs.n;

	if (l->en->soft)
		l->fault = dt_label(l->a);
	dt_lower_difo(l, d);
	dt_field_number(l);
	if (l->en->soft && l->stubs.n > from) {
		dt_ja(l->a, done);
		emit_stubs(l, from);
		dt_put(l->a, l->fault);
		dt_imm(l->a, R0, 0);
		l->stubs.n = from;
	}
	dt_put(l->a, done);
	l->fault = fault;
	l->cached = 0;
}

/* A derived probe: whether it fires at all, then those of its arguments that the clause reads. */
static void derive_probe(struct dt_lower *l, const struct dt_ecb *e, uint32_t quit)
{
	const struct dt_enabling *en = l->en;
	uint32_t bits = clause_args(e);

	if (en->root) {
		dt_family_root(l->b, l->a, F_T0, quit);
		dt_jmpi(l->a, BPF_JNE, R0, dt_family_place(l->b, en->root), quit);
		l->cached = 0;
	}
	l->raw_args = true;
	if (en->when) {
		derived_value(l, en->when);
		dt_jmpi(l->a, BPF_JEQ, R0, 0, quit);
	}
	for (unsigned i = 0; i < 10 && l->derived; i++) {
		if ((bits >> i & 1) == 0)
			continue;
		if (i == 0 || (en->args[i] && en->args[i - 1]))
			derived_value(l, en->args[i]);
		else
			dt_imm(l->a, R0, 0);
		dt_stx(l->a, B8, dt_slot_reg(l), (int)l->args_off + 8 * (int)i, R0);
	}
	l->raw_args = false;
}

static void lower_predicate(struct dt_lower *l, const struct dt_difo *pred, uint32_t quit)
{
	l->quit = quit;
	dt_lower_difo(l, pred);
	l->quit = 0;
	if (l->ret.kind == V_CONST && l->ret.v)
		return;
	dt_field_number(l);
	dt_jmpi(l->a, BPF_JEQ, R0, 0, quit);
}

/* So many stubs as l->early says are of places where there was no record yet. Leaves with r0 = 1. */
static void fault_code(struct dt_lower *l, uint32_t done)
{
	uint32_t tail = dt_label(l->a);
	size_t n = l->stubs.n, early = l->early;

	if (early) {			/* there is no record yet */
		l->stubs.n = early;
		emit_stubs(l, 0);
		l->stubs.n = n;
		dt_put(l->a, l->fault);
		fault_head(l, false);
		dt_ja(l->a, tail);
	}
	if (n > early || l->late) {
		l->fault = l->late ? l->late : dt_label(l->a);
		emit_stubs(l, early);
		dt_put(l->a, l->fault);
		fault_head(l, l->reserved);
	}
	dt_put(l->a, tail);
	fault_tail(l);
	dt_imm(l->a, R0, 1);
	dt_ja(l->a, done);
}

bool dt_act_in_arm(const struct dt_ecb *e, uint32_t act)
{
	for (uint32_t i = 0; i < act; i++) {
		if (e->acts[i].kind == DT_ACT_SKIPZ && i + e->acts[i].arg >= act)
			return true;
	}
	return false;
}

/* The first exit() that runs whenever the clause does; nacts: none. */
static uint32_t certain_exit(const struct dt_ecb *e)
{
	uint32_t i = 0;

	while (i < e->nacts && (e->acts[i].kind != DT_ACT_EXIT || dt_act_in_arm(e, i)))
		i++;
	return i;
}

/* Whether an arm begins or ends after an exit(): then F_EXITED has to be kept. */
static bool exit_before_arm(const struct dt_ecb *e)
{
	bool exits = false;

	for (uint32_t i = 0; i < e->nacts; i++) {
		exits |= e->acts[i].kind == DT_ACT_EXIT;
		if (exits && (e->acts[i].kind == DT_ACT_SKIPZ || dt_ecb_part(e, i)))
			return true;
	}
	return false;
}

/*
 * Without room for its record a clause does not run. But tracing ends when it is to end: an exit() that would
 * run in any case runs even then, without a record.
 */
static void reserve_record(struct dt_lower *l, const struct dt_ecb *e, uint32_t size, uint32_t quit)
{
	uint32_t none = dt_label(l->a), good = dt_label(l->a), act = certain_exit(e);

	if (act == e->nacts) {
		dt_record_reserve(l, size, quit);
		return;
	}
	dt_record_reserve(l, size, none);
	dt_ja(l->a, good);
	dt_put(l->a, none);
	l->reserved = 0;
	l->act = (int)act;
	dt_field_value(l, &e->acts[act], &(struct dt_actfield){ .skip = quit });
	dt_ja(l->a, quit);
	dt_put(l->a, good);
	l->reserved = 1;
	l->cached = 0;
}

static void drop_code(struct dt_lower *l, uint32_t quit)
{
	dt_put(l->a, l->drop);
	if (l->reserved)
		dt_record_discard(l);
	dt_ja(l->a, quit);
}

/*
 * F_TIME is set to 0 at the start, and that store is taken out again when nothing asks for the time.
 * Everything that can fault before the record is reserved counts as early (fault_code()).
 */
void dt_lower_clause(struct dt_lower *l, uint32_t done)
{
	const struct dt_ecb *e = l->en->ecb;
	const struct dt_reclayout *rec = &l->b->image->layouts.recs[l->en->epid - 1];
	uint32_t quit = dt_label(l->a), sent = dt_label(l->a);
	size_t time = l->a->code.n;

	l->stubs.n = 0;
	l->act = -1;
	l->reserved = l->drop = l->late = 0;
	l->pool = l->a->code.n;
	l->arms = !l->end && !l->error && exit_before_arm(e);
	dt_sti(l->a, B8, FP, F_TIME, 0);
	begin_clause(l, e);
	l->fault = dt_label(l->a);
	if (!l->error)
		derive_probe(l, e, quit);
	if (e->pred)
		lower_predicate(l, e->pred, quit);
	keep_ids(l, e, false);
	if (dt_ecb_records(e))
		reserve_record(l, e, (uint32_t)sizeof(struct dt_rechdr) + rec->size, quit);
	if (l->reserved && rec->moment)		/* exit() may leave before it is known */
		dt_sti(l->a, B8, R8, (int)(sizeof(struct dt_rechdr) + rec->moment), 0);
	l->early = l->stubs.n;
	lower_actions(l, e, rec, sent);
	dt_put(l->a, sent);
	if (l->reserved)
		dt_record_submit(l, has_kind(e, DT_ACT_EXIT) || (rec->moment && l->b->opts->prompt));
	dt_put(l->a, quit);
	dt_imm(l->a, R0, 0);
	dt_ja(l->a, done);
	if (l->drop)
		drop_code(l, quit);
	if (l->stubs.n || l->late)
		fault_code(l, done);
	if (!l->timed)
		dt_unmake(l->a, time);
}

/* An address that cannot be followed is the end of the list. */
void dt_lower_step(struct dt_lower *l)
{
	uint32_t done = dt_label(l->a);

	l->stubs.n = 0;
	l->act = -1;
	l->fault = dt_label(l->a);
	l->raw_args = true;
	dt_lower_difo(l, l->en->each);
	dt_field_number(l);
	dt_stx(l->a, B8, dt_slot_reg(l), S_ITEM, R0);
	dt_ja(l->a, done);
	emit_stubs(l, 0);
	dt_put(l->a, l->fault);
	dt_sti(l->a, B8, R6, S_ITEM, 0);
	dt_put(l->a, done);
}
