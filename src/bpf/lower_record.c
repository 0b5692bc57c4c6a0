/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records on their way to the consumer: room in a buffer, the header, and the sending. Policies switch and
 * fill have BPF ring buffers; policy ring has memory of its own for each CPU (struct dt_over) where the
 * newest take the place of the oldest, which ring buffers cannot do. Between reserving and sending r8 points
 * to the record, wherever it lies; the verifier refuses a program that forgets one.
 */
#include "bpf/build.h"

/* ---- what is lost ---- */

/* Counts a drop; r0-r5 change. */
void dt_drop_at(struct dt_build *b, struct dt_emit *a, int frame, size_t off)
{
	uint32_t none = dt_label(a);

	dt_sti(a, B8, FP, frame, 0);
	dt_map(a, R1, dt_drops_map(b));
	dt_fpaddr(a, R2, frame);
	dt_call(a, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, none);
	dt_imm(a, R1, 1);
	dt_atomic(a, BPF_ADD, R0, (int)off, R1);
	dt_put(a, none);
}

static void drop_common(struct dt_lower *l, uint64_t off) { dt_drop_at(l->b, l->a, F_T0, off); }

void dt_drop(struct dt_lower *l, size_t off)
{
	if (l->compact)
		dt_common_call(l, drop_common, off);
	else
		dt_drop_at(l->b, l->a, F_T0, off);
	l->cached = 0;
}

/* There was no room. With policy fill that is no loss but the end of recording, on all CPUs. */
void dt_record_lost(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	if (l->b->opts->policy != DT_POLICY_FILL) {
		dt_drop(l, offsetof(struct dt_drops, principal));
		return;
	}
	dt_mapval(a, R1, dt_control_map(l->b), 0);
	dt_sti(a, B4, R1, (int)offsetof(struct dt_control, filled), 1);
	dt_sti(a, B4, R1, (int)offsetof(struct dt_control, stopped), 1);
	l->cached = 0;
}

/* ---- room ---- */

/*
 * r0 = the ring of this CPU, or the one that all share; then a byte tells that this CPU used it (see
 * session/rings.c). F_T0 = the CPU.
 */
static void find_ring(struct dt_lower *l, uint32_t none)
{
	struct dt_emit *a = l->a;
	uint32_t have = dt_label(a);

	dt_help(l, BPF_FUNC_get_smp_processor_id);
	dt_stx(a, B8, FP, F_T0, R0);
	dt_map(a, R1, dt_rings(l->b));
	dt_fpaddr(a, R2, F_T0);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	if (l->b->opts->policy == DT_POLICY_FILL) {
		dt_jmpi(a, BPF_JEQ, R0, 0, none);
		return;
	}
	dt_jmpi(a, BPF_JNE, R0, 0, have);
	dt_ldx(a, B8, R2, FP, F_T0);
	dt_jmpi(a, BPF_JGE, R2, (int32_t)l->b->opts->ncpus, none);
	dt_mapval(a, R1, dt_control_map(l->b), 0);
	dt_alu(a, BPF_ADD, R1, R2);
	dt_sti(a, B1, R1, (int)l->b->image->wants, 1);
	dt_map(a, R0, dt_ring_map(l->b));
	dt_put(a, have);
}

static void ring_reserve(struct dt_lower *l, uint32_t size, uint32_t none)
{
	struct dt_emit *a = l->a;

	find_ring(l, none);
	dt_mov(a, R1, R0);
	dt_imm(a, R2, size);
	dt_imm(a, R3, 0);
	dt_help(l, BPF_FUNC_ringbuf_reserve);
	dt_mov(a, R8, R0);
	dt_jmpi(a, BPF_JEQ, R8, 0, none);
}

/*
 * One atomic addition takes the place, so the record of an interrupt comes after ours. The length stands on
 * both sides of the record: when nothing runs any more, the reader follows it from the newest backwards.
 * F_T0 = the CPU. The mask bounds the place for the verifier.
 */
static void over_reserve(struct dt_lower *l, int reg, uint32_t size, uint32_t none)
{
	struct dt_emit *a = l->a;
	uint32_t total = dt_over_total(size), map = dt_over_map(l->b);
	bool one = l->b->opts->only_cpu != 0;

	dt_help(l, BPF_FUNC_get_smp_processor_id);
	dt_stx(a, B8, FP, F_T0, R0);
	if (one)
		dt_sti(a, B8, FP, F_T1, 0);
	dt_map(a, R1, map);
	dt_fpaddr(a, R2, one ? F_T1 : F_T0);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, none);
	dt_imm(a, R1, total);
	dt_atomic(a, BPF_ADD | BPF_FETCH, R0, (int)offsetof(struct dt_over, head), R1);
	dt_mov(a, reg, R1);
	dt_alui(a, BPF_AND, reg, (int32_t)(dt_over_size(l->b) - 8));
	dt_alu(a, BPF_ADD, reg, R0);
	dt_alui(a, BPF_ADD, reg, (int32_t)sizeof(struct dt_over));
	dt_stx(a, B8, reg, (int)offsetof(struct dt_overrec, pos), R1);
	dt_sti(a, B4, reg, (int)offsetof(struct dt_overrec, len), (int32_t)total);
	dt_sti(a, B4, reg, (int)offsetof(struct dt_overrec, gone), 0);
	dt_mov(a, R2, reg);
	dt_alui(a, BPF_ADD, R2, (int32_t)total - 8);
	dt_sti(a, B8, R2, 0, (int32_t)total);
	dt_alui(a, BPF_ADD, reg, (int32_t)sizeof(struct dt_overrec));
}

/* r8 = room for size bytes, or on to `none`. F_T0 = the CPU. */
static void reserve_room(struct dt_lower *l, uint32_t size, uint32_t none)
{
	if (l->b->opts->policy == DT_POLICY_RING)
		over_reserve(l, R8, size, none);
	else
		ring_reserve(l, size, none);
}

/*
 * r2 = the flag that says whether to wake the reader: yes when another eighth of the ring is full, which the
 * record's address tells without asking the kernel how full the ring is. The reader also comes by time, but
 * records may fill the ring faster than that. r1 and r8 stay.
 */
static void wake_by_room(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	int32_t shift = __builtin_ctz(l->b->maps.v[dt_ring_map(l->b)].max_entries) - 3;
	uint32_t same = dt_label(a);

	dt_mov(a, R3, R8);
	dt_scalar(a, R3);
	dt_mov(a, R2, R3);
	dt_alui(a, BPF_ADD, R2, (int32_t)l->recsize);
	dt_alu(a, BPF_XOR, R2, R3);
	dt_alui(a, BPF_RSH, R2, shift);
	dt_jmpi(a, BPF_JEQ, R2, 0, same);
	dt_imm(a, R2, BPF_RB_FORCE_WAKEUP - BPF_RB_NO_WAKEUP);
	dt_put(a, same);
	dt_alui(a, BPF_ADD, R2, BPF_RB_NO_WAKEUP);
}

/* The record in r8 is sent (`keep`) or given back; the reader is woken now, or when the ring is filling. */
static void finish_record(struct dt_lower *l, bool keep, bool wake)
{
	if (l->b->opts->policy == DT_POLICY_RING) {
		if (!keep)
			dt_sti(l->a, B4, R8,
			    (int)offsetof(struct dt_overrec, gone) - (int)sizeof(struct dt_overrec), 1);
		return;
	}
	dt_mov(l->a, R1, R8);
	if (keep && !wake && l->b->opts->policy == DT_POLICY_SWITCH)
		wake_by_room(l);
	else
		dt_imm(l->a, R2, wake ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
	dt_help(l, keep ? BPF_FUNC_ringbuf_submit : BPF_FUNC_ringbuf_discard);
}

/* ---- records ---- */

void dt_record_header(struct dt_lower *l, int base, int off, uint32_t control)
{
	struct dt_emit *a = l->a;

	dt_time(l);
	dt_stx(a, B8, base, off + (int)offsetof(struct dt_rechdr, time), R0);
	if (control)
		dt_imm(a, R2, control);
	else
		dt_epid(l, R2);
	dt_ldx(a, B8, R1, FP, F_T0);
	dt_alui(a, BPF_LSH, R1, 32);
	dt_alu(a, BPF_OR, R1, R2);
	dt_stx(a, B8, base, off, R1);	/* epid, cpu; spec is 0 */
	_Static_assert(offsetof(struct dt_rechdr, epid) == 0 && offsetof(struct dt_rechdr, cpu) == 4 &&
	    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "they are one word");
}

void dt_record_send(struct dt_lower *l, uint32_t size, uint32_t none)
{
	struct dt_emit *a = l->a;

	if (l->b->opts->policy == DT_POLICY_RING) {
		over_reserve(l, R9, size, none);
		for (int at = 0; at < (int)size; at += 8) {
			dt_ldx(a, B8, R1, FP, F_CONTROL - (int)size + at);
			dt_stx(a, B8, R9, at, R1);
		}
	} else {
		find_ring(l, none);
		dt_mov(a, R1, R0);
		dt_fpaddr(a, R2, F_CONTROL - (int)size);
		dt_imm(a, R3, size);
		dt_imm(a, R4, BPF_RB_NO_WAKEUP);
		dt_help(l, BPF_FUNC_ringbuf_output);
		dt_jmpi(a, BPF_JNE, R0, 0, none);
	}
}

void dt_record_reserve(struct dt_lower *l, uint32_t size, uint32_t quit)
{
	struct dt_emit *a = l->a;
	uint32_t good = dt_label(a), none = dt_label(a);

	reserve_room(l, size, none);
	dt_ja(a, good);
	dt_put(a, none);
	dt_record_lost(l);
	dt_ja(a, quit);
	dt_put(a, good);
	dt_record_header(l, R8, 0, 0);
	l->recsize = size + BPF_RINGBUF_HDR_SZ;
	l->reserved = 1;
}

void dt_record_discard(struct dt_lower *l)
{
	finish_record(l, false, false);
}

/* wake: the reader must not wait any longer, because of exit(). */
void dt_record_submit(struct dt_lower *l, bool wake)
{
	finish_record(l, true, wake);
}
