/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Elements of self-> arrays end with their thread. Beside the hash of such an array, whose key begins with
 * the address of the thread's task_struct, there is a second one, its list (DT_MAP_OWNED): the thread and a
 * number from 0 on give the key of an element. How many a thread has is a word in its self-> variables, and
 * the last word of an element is its number, so that one that is deleted gives its place to the last. Two
 * small programs take the lists away: one at the last switch of a thread, after all clauses that may still
 * look at its variables, and one when the kernel frees the thread, for what the first left over: interrupts
 * are off there, so it does not do any amount of work. The address of a thread is free for another one only
 * after that.
 *
 * Only the thread itself changes its lists. A clause in an interrupt that comes between may lose a place of
 * the list, never an element that is in use.
 */
#include "bpf/build.h"
#include "bpf/hook.h"

#define SWITCH_ELEMENTS_MAX 1024	/* elements that are removed at a thread's last switch */
#define ROUNDS_MAX (1u << 23)		/* rounds of bpf_loop() */
#define PREV_STATE 24			/* the fourth argument of sched_switch */
#define TASK_DEAD 0x80			/* in it: the thread will never run again */

/* A place of a list, in the frame: the map's key. */
struct place { uint64_t thread, number; };
#define PLACE (-(int)sizeof(struct place))
#define PLACE_NUMBER (PLACE + (int)offsetof(struct place, number))

static const struct dt_bvar *array(struct dt_lower *l, uint64_t i) { return &l->b->vars.v[i]; }
static uint64_t array_index(struct dt_lower *l, const struct dt_bvar *v)
{
	return (uint64_t)(v - l->b->vars.v);
}

bool dt_owned(const struct dt_bvar *v)
{
	return v->v.scope == DT_DIFV_THREAD && v->v.kind == DT_DIFV_ARRAY;
}

void dt_owned_plan(struct dt_build *b, struct dt_bvar *v, uint32_t entries)
{
	v->owned = 1 + dt_build_map(b, DT_MAP_OWNED, BPF_MAP_TYPE_HASH, sizeof(struct place), v->keysize,
	    entries, BPF_F_NO_PREALLOC);
}

/* r0 = what a helper says of a map and the key that a register points to */
static void ask(struct dt_emit *a, uint32_t map, int key, int helper)
{
	dt_mov(a, R2, key);
	dt_map(a, R1, map - 1);
	dt_call(a, helper);
}

/* The same for a place of the list, whose number is in the register. */
static void ask_list(struct dt_emit *a, const struct dt_bvar *v, int number, int helper)
{
	dt_stx(a, B8, FP, PLACE_NUMBER, number);
	dt_fpaddr(a, R2, PLACE);
	dt_map(a, R1, v->owned - 1);
	dt_call(a, helper);
}

static void note_thread(struct dt_emit *a)
{
	dt_call(a, BPF_FUNC_get_current_task);
	dt_stx(a, B8, FP, PLACE, R0);
}

/*
 * r6 the key, r7 the thread's variables, r8 the value, r9 the number of a new element: r0 = 0, it is listed.
 */
static void list_new(struct dt_emit *a, const struct dt_bvar *v, uint32_t failed)
{
	note_thread(a);
	dt_stx(a, B8, FP, PLACE_NUMBER, R9);
	dt_fpaddr(a, R2, PLACE);
	dt_mov(a, R3, R6);
	dt_imm(a, R4, BPF_ANY);
	dt_map(a, R1, v->owned - 1);
	dt_call(a, BPF_FUNC_map_update_elem);
	dt_jmpi(a, BPF_JNE, R0, 0, failed);
}

/* A function: r1 the key, r2 the thread's variables, r3 the value; r0 = 0, or there is no room. */
static void store_common(struct dt_lower *l, uint64_t i)
{
	const struct dt_bvar *v = array(l, i);
	struct dt_emit *a = l->a;
	uint32_t fresh = dt_label(a), done = dt_label(a), unlisted = dt_label(a), back = dt_label(a);

	dt_mov(a, R6, R1);
	dt_mov(a, R7, R2);
	dt_mov(a, R8, R3);
	ask(a, v->map, R6, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, fresh);
	dt_ldx(a, B8, R1, R0, (int)v->link);
	dt_stx(a, B8, R8, (int)v->link, R1);
	dt_mov(a, R3, R8);
	dt_imm(a, R4, BPF_EXIST);
	ask(a, v->map, R6, BPF_FUNC_map_update_elem);
	dt_ja(a, done);
	dt_put(a, fresh);
	dt_imm(a, R9, 1);
	dt_atomic(a, BPF_ADD | BPF_FETCH, R7, (int)v->off, R9);
	dt_stx(a, B8, R8, (int)v->link, R9);
	dt_mov(a, R3, R8);
	dt_imm(a, R4, BPF_NOEXIST);
	ask(a, v->map, R6, BPF_FUNC_map_update_elem);
	dt_jmpi(a, BPF_JNE, R0, 0, back);
	list_new(a, v, unlisted);
	dt_ja(a, done);
	dt_put(a, unlisted);
	ask(a, v->map, R6, BPF_FUNC_map_delete_elem);
	dt_put(a, back);
	dt_imm(a, R1, (uint64_t)-1);
	dt_atomic(a, BPF_ADD, R7, (int)v->off, R1);
	dt_imm(a, R0, 1);
	dt_put(a, done);
}

/* The last of the list, whose key is at r0 and whose number in r8, moves to the number in r9. */
static void move_last(struct dt_emit *a, const struct dt_bvar *v, uint32_t done)
{
	int last = PLACE - 8;

	dt_stx(a, B8, FP, last, R0);
	ask_list(a, v, R9, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, done);
	dt_mov(a, R1, R0);
	dt_imm(a, R2, v->keysize);
	dt_ldx(a, B8, R3, FP, last);
	dt_call(a, BPF_FUNC_probe_read_kernel);
	dt_ldx(a, B8, R3, FP, last);
	ask(a, v->map, R3, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, done);
	dt_stx(a, B8, R0, (int)v->link, R9);
}

/* A function: r1 the key, r2 the thread's variables. */
static void delete_common(struct dt_lower *l, uint64_t i)
{
	const struct dt_bvar *v = array(l, i);
	struct dt_emit *a = l->a;
	uint32_t moved = dt_label(a), unlisted = dt_label(a), done = dt_label(a);

	dt_mov(a, R6, R1);
	dt_mov(a, R7, R2);
	ask(a, v->map, R6, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, done);
	dt_ldx(a, B8, R9, R0, (int)v->link);
	dt_ldx(a, B8, R8, R7, (int)v->off);
	dt_jmpi(a, BPF_JEQ, R8, 0, unlisted);
	dt_alui(a, BPF_SUB, R8, 1);
	note_thread(a);
	ask_list(a, v, R8, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, unlisted);
	dt_jmp(a, BPF_JEQ, R8, R9, moved);
	move_last(a, v, moved);
	dt_put(a, moved);
	ask_list(a, v, R8, BPF_FUNC_map_delete_elem);
	dt_stx(a, B8, R7, (int)v->off, R8);
	dt_put(a, unlisted);
	ask(a, v->map, R6, BPF_FUNC_map_delete_elem);
	dt_put(a, done);
	dt_imm(a, R0, 0);
}

void dt_owned_store(struct dt_lower *l, const struct dt_bvar *v)
{
	dt_common_call(l, store_common, array_index(l, v));
}

void dt_owned_delete(struct dt_lower *l, const struct dt_bvar *v)
{
	dt_common_call(l, delete_common, array_index(l, v));
}

/* ---- when threads end ---- */

/* What the callback works on: a place of the list, and how its number changes from round to round. */
struct walk { struct place at; uint64_t step; };
#define WALK (-(int)sizeof(struct walk))
#define WALK_AT(member) (WALK + (int)offsetof(struct walk, member))

/* The callback of bpf_loop(): one element goes. It ends at a place that is not there. */
static void free_one(struct dt_emit *a, const struct dt_bvar *v)
{
	uint32_t out = dt_label(a);

	dt_mov(a, R6, R2);
	ask(a, v->owned, R6, BPF_FUNC_map_lookup_elem);
	dt_mov(a, R3, R0);
	dt_imm(a, R0, 1);
	dt_jmpi(a, BPF_JEQ, R3, 0, out);
	ask(a, v->map, R3, BPF_FUNC_map_delete_elem);
	ask(a, v->owned, R6, BPF_FUNC_map_delete_elem);
	dt_ldx(a, B8, R1, R6, (int)offsetof(struct walk, at.number));
	dt_ldx(a, B8, R2, R6, (int)offsetof(struct walk, step));
	dt_alu(a, BPF_ADD, R1, R2);
	dt_stx(a, B8, R6, (int)offsetof(struct walk, at.number), R1);
	dt_imm(a, R0, 0);
	dt_put(a, out);
	dt_exit(a);
}

/* Walks from the number in r1; r2 = rounds. */
static void walk(struct dt_emit *a, uint32_t callback, int32_t step)
{
	dt_stx(a, B8, FP, WALK_AT(at.number), R1);
	dt_sti(a, B8, FP, WALK_AT(step), step);
	dt_mov(a, R1, R2);
	dt_funcaddr(a, R2, callback);
	dt_fpaddr(a, R3, WALK);
	dt_imm(a, R4, 0);
	dt_call(a, BPF_FUNC_loop);
}

/* The last switch of a thread: r8 its variables. What is not done at once stays listed from 0 on. */
static void free_at_switch(struct dt_emit *a, const struct dt_bvar *v, uint32_t callback)
{
	uint32_t next = dt_label(a), few = dt_label(a);

	dt_ldx(a, B8, R1, R8, (int)v->off);
	dt_jmpi(a, BPF_JEQ, R1, 0, next);
	dt_mov(a, R2, R1);
	dt_alui(a, BPF_SUB, R1, 1);
	dt_jmpi(a, BPF_JLE, R2, SWITCH_ELEMENTS_MAX, few);
	dt_imm(a, R2, SWITCH_ELEMENTS_MAX);
	dt_put(a, few);
	walk(a, callback, -1);
	dt_sti(a, B8, R8, (int)v->off, 0);
	dt_put(a, next);
}

static void free_at_end(struct dt_emit *a, const struct dt_bvar *v, uint32_t callback)
{
	uint32_t next = dt_label(a);

	dt_sti(a, B8, FP, WALK_AT(at.number), 0);
	dt_map(a, R1, v->owned - 1);
	dt_fpaddr(a, R2, WALK);
	dt_call(a, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, next);
	dt_imm(a, R1, 0);
	dt_imm(a, R2, ROUNDS_MAX);
	walk(a, callback, 1);
	dt_put(a, next);
}

/* The thread to the walk, and at its last switch its variables to r8. r1 is the context. */
static void find_thread(struct dt_build *b, struct dt_emit *a, bool at_switch, uint32_t out)
{
	if (!at_switch) {
		dt_ldx(a, B8, R1, R1, 0);
		dt_stx(a, B8, FP, WALK, R1);
		return;
	}
	dt_ldx(a, B8, R1, R1, PREV_STATE);
	dt_alui(a, BPF_AND, R1, TASK_DEAD);
	dt_jmpi(a, BPF_JEQ, R1, 0, out);
	dt_call(a, BPF_FUNC_get_current_task_btf);
	dt_mov(a, R2, R0);
	dt_mov(a, R1, R0);
	dt_scalar(a, R1);
	dt_stx(a, B8, FP, WALK, R1);
	dt_map(a, R1, dt_tls(b));
	dt_imm(a, R3, 0);
	dt_imm(a, R4, 0);
	dt_call(a, BPF_FUNC_task_storage_get);
	dt_jmpi(a, BPF_JEQ, R0, 0, out);
	dt_mov(a, R8, R0);
}

/* Hooks with clauses come first, so each array that a clause uses has its maps by now. */
void dt_owned_free(struct dt_build *b, struct dt_emit *a, bool at_switch)
{
	uint32_t out = dt_label(a), *callback = DT_NEWN(b->arena, uint32_t, b->vars.n + 1);

	find_thread(b, a, at_switch, out);
	for (size_t i = 0; i < b->vars.n; i++) {
		if (!b->vars.v[i].owned)
			continue;
		callback[i] = dt_label(a);
		if (at_switch)
			free_at_switch(a, &b->vars.v[i], callback[i]);
		else
			free_at_end(a, &b->vars.v[i], callback[i]);
	}
	dt_put(a, out);
	dt_imm(a, R0, 0);
	dt_exit(a);
	for (size_t i = 0; i < b->vars.n; i++) {
		if (!callback[i])
			continue;
		dt_put(a, callback[i]);
		dt_vec_push(a->arena, &a->funcs, callback[i]);
		free_one(a, &b->vars.v[i]);
	}
}
