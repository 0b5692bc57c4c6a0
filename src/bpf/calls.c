/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subroutines: the tuple in, a value in a DIF register out. Those without loops are made here; those with loops are
 * functions of src/bpf/runtime, called with their strings copied into the slot. Others are refused by name.
 */
#include "bpf/build.h"
#include "dif/builtin.h"

#define MUTEX_FLAGS 7
#define RW_WRITER 0xff
#define RW_WAITING 0x1ff
#define RW_READER_SHIFT 9

enum { C_0 = DT_FRAME_AT(call[0]), C_1 = DT_FRAME_AT(call[1]), C_2 = DT_FRAME_AT(call[2]) };	/* temporaries of a call */

/* ---- arguments ---- */

static void arg(struct dt_lower *l, uint32_t i, int dst)
{
	const struct dt_tentry *t = &l->tuple[i];

	if (i >= l->ntuple) {
		dt_imm(l->a, dst, 0);
	} else if (t->known.kind == V_NUM) {
		dt_ldx(l->a, B8, dst, FP, dt_frame_tuple(i));
	} else if (t->known.kind == V_CONST) {
		dt_imm(l->a, dst, t->known.v);
	} else {
		dt_known_address(l, t->known);
		dt_mov(l->a, dst, R0);
	}
}

/* An `int`, whatever stands in the upper half. */
static void arg_int(struct dt_lower *l, uint32_t i, int dst)
{
	arg(l, i, dst);
	dt_alui(l->a, BPF_LSH, dst, 32);
	dt_alui(l->a, BPF_ARSH, dst, 32);
}

static bool arg_known(const struct dt_lower *l, uint32_t i, uint64_t *v)
{
	if (i < l->ntuple && l->tuple[i].known.kind != V_CONST)
		return false;
	*v = i < l->ntuple ? l->tuple[i].known.v : 0;
	return true;
}

/*
 * The string argument, read to the pointer in R1: R0 = its length and the NUL. A null string faults here; a bad address
 * faults where the argument was pushed, which is when it is first looked at.
 */
static void arg_string_at(struct dt_lower *l, uint32_t i)
{
	struct dt_emit *a = l->a;
	uint32_t pc = l->pc;

	dt_stx(a, B8, FP, F_T0, R1);
	arg(l, i, R3);
	if (i >= l->ntuple || l->tuple[i].known.kind == V_NUM || l->tuple[i].known.kind == V_CONST) {
		dt_stx(a, B8, FP, F_T1, R3);
		dt_jmpi(a, BPF_JEQ, R3, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	}
	dt_ldx(a, B8, R1, FP, F_T0);
	dt_imm(a, R2, l->b->opts->strsize);
	dt_help(l, BPF_FUNC_probe_read_kernel_str);
	if (i < l->ntuple)
		l->pc = l->tuple[i].pc;
	dt_stx(a, B8, FP, F_T0, R0);
	arg(l, i, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	dt_ldx(a, B8, R0, FP, F_T0);
	dt_jmpi(a, BPF_JSLE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	l->pc = pc;
	/* "R2 unbounded memory access" if it does not see this */
	dt_jmpi(a, BPF_JGT, R0, (int32_t)l->b->opts->strsize, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
}

static void arg_string(struct dt_lower *l, uint32_t i, int buffer)
{
	dt_mov(l->a, R1, dt_slot_reg(l));
	dt_alui(l->a, BPF_ADD, R1, (int32_t)l->b->slot_str[buffer]);
	arg_string_at(l, i);
}

/* ---- strings ---- */

static void do_strlen(struct dt_lower *l)
{
	arg_string(l, 0, 0);
	dt_alui(l->a, BPF_SUB, R0, 1);
}

/* One behind the other where the next allocation begins. */
static void do_strjoin(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	dt_scratch_open(l);
	dt_scratch_ptr(l, R1, R9);
	arg_string_at(l, 0);
	dt_alui(a, BPF_SUB, R0, 1);
	dt_stx(a, B8, FP, C_0, R0);
	dt_mov(a, R2, R0);
	dt_alu(a, BPF_ADD, R2, R9);
	dt_scratch_ptr(l, R1, R2);
	arg_string_at(l, 1);
	dt_ldx(a, B8, R1, FP, C_0);
	dt_alu(a, BPF_ADD, R0, R1);
	dt_jmpi(a, BPF_JGT, R0, (int32_t)l->b->opts->strsize, dt_fault_label(l, DT_FLT_NOSCRATCH, A_NONE));
	dt_scratch_close(l);
}

/* ---- memory ---- */

static void do_copyinstr(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t small = dt_label(a), some = dt_label(a);
	uint64_t max;

	dt_scratch_open(l);
	arg(l, 0, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	if (arg_known(l, 1, &max)) {
		dt_imm(a, R2, l->ntuple > 1 && max < l->b->opts->strsize - 1 ? max + 1 : l->b->opts->strsize);
		dt_put(a, small);
	} else {
		arg(l, 1, R2);
		dt_alui(a, BPF_ADD, R2, 1);
		dt_jmpi(a, BPF_JLE, R2, (int32_t)l->b->opts->strsize, small);
		dt_imm(a, R2, l->b->opts->strsize);
		dt_put(a, small);
	}
	dt_scratch_ptr(l, R1, R9);
	dt_ldx(a, B8, R3, FP, F_T1);
	dt_help(l, BPF_FUNC_probe_read_user_str);
	dt_jmpi(a, BPF_JSLT, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_jmpi(a, BPF_JNE, R0, 0, some);
	dt_imm(a, R0, 1);		/* Linux 6.1 says 0 of an empty string, later ones count its NUL */
	dt_put(a, some);
	dt_jmpi(a, BPF_JGT, R0, (int32_t)l->b->opts->strsize, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
	dt_scratch_close(l);
}

static void do_copyin(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	arg(l, 1, R2);
	dt_scratch_alloc(l);
	dt_scratch_ptr(l, R1, R9);
	arg(l, 0, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	dt_help(l, BPF_FUNC_probe_read_user);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_scratch_addr(l, R0, R9);
}

static void do_alloca(struct dt_lower *l)
{
	arg(l, 0, R2);
	dt_scratch_alloc(l);
	dt_scratch_ptr(l, R1, R9);
	if (l->b->zeros < l->b->scratch)
		l->b->zeros = l->b->scratch;
	dt_mapval(l->a, R3, dt_constants(l->b), DT_OFF_ZEROS);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_scratch_addr(l, R0, R9);
}

/* dst = a pointer to scratch that nobody has taken; as much as is allocated at most fits there. */
static void free_scratch(struct dt_lower *l, int dst, int tmp)
{
	dt_ldx(l->a, B8, tmp, dt_slot_reg(l), S_SCRATCH_USED);
	dt_jmpi(l->a, BPF_JGT, tmp, (int32_t)l->b->scratch, dt_fault_label(l, DT_FLT_NOSCRATCH, A_NONE));
	dt_scratch_ptr(l, dst, tmp);
}

/*
 * r5 bytes from the address F_T2 to r2, whose address is F_T1. The helper copies from the first byte on, so that what overlaps
 * upwards goes by way of free scratch, and on to `done`; else it falls through with r2 and r5 as they were.
 */
static void copy_upwards(struct dt_lower *l, uint32_t done)
{
	struct dt_emit *a = l->a;
	uint32_t apart = dt_label(a);

	dt_ldx(a, B8, R1, FP, F_T1);
	dt_ldx(a, B8, R3, FP, F_T2);
	dt_alu(a, BPF_SUB, R1, R3);
	dt_jmp(a, BPF_JGE, R1, R5, apart);
	dt_stx(a, B8, FP, F_T0, R2);
	dt_mov(a, R9, R5);
	free_scratch(l, R1, R4);
	dt_mov(a, R2, R9);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T2));
	free_scratch(l, R3, R4);
	dt_ldx(a, B8, R1, FP, F_T0);
	dt_mov(a, R2, R9);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_ja(a, done);
	dt_put(a, apart);
}

static void copy_to(struct dt_lower *l, uint32_t from, uint32_t to, uint32_t len, bool user)
{
	struct dt_emit *a = l->a;
	uint64_t size;
	bool known = arg_known(l, len, &size);
	uint32_t done = dt_label(a);

	dt_imm(a, R0, 0);
	if (known && size == 0)
		return;
	if (known && size > l->b->scratch)
		REFUSE(l, "%llu bytes are more than scratch memory holds (%u); see scratchsize", (unsigned long long)size, l->b->scratch);
	arg(l, from, R3);
	dt_stx(a, B8, FP, F_T2, R3);
	arg(l, to, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	if (known) {
		dt_writable(l, (uint32_t)size, F_T1);
		dt_imm(a, R5, size);
	} else {
		dt_writable_some(l, dt_frame_tuple(len), F_T1);
	}
	if (!user)
		copy_upwards(l, done);
	dt_mov(a, R1, R2);
	dt_mov(a, R2, R5);
	dt_ldx(a, B8, R3, FP, F_T2);
	dt_help(l, user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T2));
	dt_put(a, done);
}

static void do_bcopy(struct dt_lower *l) { copy_to(l, 0, 1, 2, false); }
static void do_copyinto(struct dt_lower *l) { copy_to(l, 0, 2, 1, true); }

/* r2 bytes that stand at scratch + r9 go to the user's address in C_0. */
static void write_user(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	dt_mov(a, R3, R2);
	dt_scratch_ptr(l, R2, R9);
	dt_ldx(a, B8, R1, FP, C_0);
	dt_help(l, BPF_FUNC_probe_write_user);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, C_0));
}

static void may_write(struct dt_lower *l, const char *name)
{
	if (!l->b->opts->feat->probe_write_user)
		REFUSE(l, "this kernel does not let tracing programs write to processes, which %s( ) needs", name);
}

/* By way of scratch, of which nothing is kept. */
static void do_copyout(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	may_write(l, "copyout");
	dt_scratch_open(l);
	arg(l, 1, R1);
	dt_stx(a, B8, FP, C_0, R1);
	arg(l, 0, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	arg(l, 2, R2);
	dt_jmpi(a, BPF_JGT, R2, (int32_t)l->b->scratch, dt_fault_label(l, DT_FLT_NOSCRATCH, A_NONE));
	dt_stx(a, B8, FP, C_1, R2);
	dt_scratch_ptr(l, R1, R9);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_ldx(a, B8, R2, FP, C_1);
	dt_jmpi(a, BPF_JGT, R2, (int32_t)l->b->scratch, dt_fault_label(l, DT_FLT_NOSCRATCH, A_NONE));
	write_user(l);
}

static void do_copyoutstr(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t fits = dt_label(a);

	may_write(l, "copyoutstr");
	arg(l, 1, R1);
	dt_stx(a, B8, FP, C_0, R1);
	dt_scratch_open(l);
	dt_scratch_ptr(l, R1, R9);
	arg_string_at(l, 0);
	arg(l, 2, R2);
	dt_jmp(a, BPF_JLE, R2, R0, fits);
	dt_mov(a, R2, R0);
	dt_put(a, fits);
	dt_jmpi(a, BPF_JGT, R2, (int32_t)l->b->opts->strsize, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
	write_user(l);
}

static void do_memref(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	dt_imm(a, R2, 16);
	dt_scratch_alloc(l);
	for (uint32_t i = 0; i < 2; i++) {
		arg(l, i, R3);
		dt_scratch_ptr(l, R1, R9);
		dt_stx(a, B8, R1, 8 * (int)i, R3);
	}
	dt_scratch_addr(l, R0, R9);
}

/* ---- numbers ---- */

static void swap(struct dt_lower *l, int bits)
{
	arg(l, 0, R0);
	dt_swap(l->a, R0, bits);
}
static void do_swap16(struct dt_lower *l) { swap(l, 16); }
static void do_swap32(struct dt_lower *l) { swap(l, 32); }
static void do_swap64(struct dt_lower *l) { swap(l, 64); }

static void low32(struct dt_lower *l)
{
	arg(l, 0, R0);
	dt_alui(l->a, BPF_LSH, R0, 32);
	dt_alui(l->a, BPF_RSH, R0, 32);
}
static void do_getmajor(struct dt_lower *l)
{
	low32(l);
	dt_alui(l->a, BPF_RSH, R0, 20);
}
static void do_getminor(struct dt_lower *l)
{
	low32(l);
	dt_alui(l->a, BPF_AND, R0, 0xfffff);
}

static void do_random(struct dt_lower *l)
{
	dt_help(l, BPF_FUNC_get_prandom_u32);
	dt_mov(l->a, R9, R0);
	dt_alui(l->a, BPF_LSH, R9, 32);
	dt_help(l, BPF_FUNC_get_prandom_u32);
	dt_alu(l->a, BPF_OR, R0, R9);
}

static void do_rand(struct dt_lower *l)
{
	dt_help(l, BPF_FUNC_get_prandom_u32);
	dt_alui(l->a, BPF_MUL, R0, 2416);
	dt_alui(l->a, BPF_ADD, R0, 374441);
	dt_alui(l->a, BPF_MOD, R0, 1771875);
}

/* ---- locks ---- */

/* R0 = the 4 or 8 bytes at the first argument */
static void lock_word(struct dt_lower *l, int size)
{
	struct dt_emit *a = l->a;

	arg(l, 0, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	dt_fpaddr(a, R1, F_T0);
	dt_imm(a, R2, (uint64_t)size);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_ldx(a, size == 4 ? B4 : B8, R0, FP, F_T0);
}

/* R0 becomes 1 if it is not 0 */
static void truth(struct dt_lower *l)
{
	uint32_t done = dt_label(l->a);

	dt_jmpi(l->a, BPF_JEQ, R0, 0, done);
	dt_imm(l->a, R0, 1);
	dt_put(l->a, done);
}

static void do_mutex_owner(struct dt_lower *l)
{
	lock_word(l, 8);
	dt_alui(l->a, BPF_AND, R0, ~MUTEX_FLAGS);
}

static void do_mutex_owned(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t no = dt_label(a), done = dt_label(a);

	do_mutex_owner(l);
	dt_mov(a, R9, R0);
	dt_help(l, BPF_FUNC_get_current_task);
	dt_jmp(a, BPF_JNE, R0, R9, no);
	dt_imm(a, R0, 1);
	dt_ja(a, done);
	dt_put(a, no);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

static void do_mutex_adaptive(struct dt_lower *l)
{
	lock_word(l, 8);
	dt_imm(l->a, R0, 1);
}
static void do_mutex_spin(struct dt_lower *l)
{
	lock_word(l, 8);
	dt_imm(l->a, R0, 0);
}
static void do_rw_read(struct dt_lower *l)
{
	lock_word(l, 4);
	dt_alui(l->a, BPF_RSH, R0, RW_READER_SHIFT);
	truth(l);
}
static void do_rw_write(struct dt_lower *l)
{
	lock_word(l, 4);
	dt_alui(l->a, BPF_AND, R0, RW_WRITER);
	dt_alui(l->a, BPF_ADD, R0, 1);
	dt_alui(l->a, BPF_RSH, R0, 8);
}
static void do_rw_iswriter(struct dt_lower *l)
{
	lock_word(l, 4);
	dt_alui(l->a, BPF_AND, R0, RW_WAITING);
	truth(l);
}

/* ---- those with loops ---- */

static void word(struct dt_lower *l, int at, int reg) { dt_stx(l->a, B8, dt_slot_reg(l), at, reg); }
static void word_imm(struct dt_lower *l, int at, int32_t v) { dt_sti(l->a, B8, dt_slot_reg(l), at, v); }

/* Copies of the string arguments and their lengths. */
static void strings(struct dt_lower *l, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		arg_string(l, i, (int)i);
		dt_alui(l->a, BPF_SUB, R0, 1);
		word(l, i ? W_LB : W_LA, R0);
	}
}

/* The function's first string is at offset `first` of the slot. r9 is where a result may go. */
static void runtime_at(struct dt_lower *l, const char *name, uint32_t first)
{
	struct dt_emit *a = l->a;
	uint32_t at[2] = { first, l->b->slot_str[1] };

	dt_scratch_open(l);
	for (int i = 0; i < 2; i++) {
		dt_mov(a, R1 + i, R6);
		dt_alui(a, BPF_ADD, R1 + i, (int32_t)at[i]);
	}
	dt_scratch_ptr(l, R3, R9);
	dt_mov(a, R4, R6);
	dt_alui(a, BPF_ADD, R4, S_WORK);
	dt_imm(a, R5, l->b->opts->strsize);
	dt_callsub(a, dt_rt_label(l, name));
	l->cached = 0;
}

void dt_runtime(struct dt_lower *l, const char *name) { runtime_at(l, name, l->b->slot_str[0]); }

/* The result is a string of r0 bytes where r9 says. */
void dt_runtime_take(struct dt_lower *l)
{
	dt_jmpi(l->a, BPF_JGT, R0, (int32_t)l->b->opts->strsize, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
	dt_scratch_close(l);
}

/* r0: a place in the first argument, or -1: the address there, or NULL. */
static void pointer_into(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t none = dt_label(a), done = dt_label(a);

	dt_jmpi(a, BPF_JEQ, R0, -1, none);
	dt_mov(a, R9, R0);
	arg(l, 0, R0);
	dt_alu(a, BPF_ADD, R0, R9);
	dt_ja(a, done);
	dt_put(a, none);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

static void search_char(struct dt_lower *l, const char *name)
{
	strings(l, 1);
	arg(l, 1, R1);
	word(l, W_N, R1);
	dt_runtime(l, name);
	pointer_into(l);
}
static void do_strchr(struct dt_lower *l) { search_char(l, "rt_strchr"); }
static void do_strrchr(struct dt_lower *l) { search_char(l, "rt_strrchr"); }

static void do_strstr(struct dt_lower *l)
{
	strings(l, 2);
	dt_runtime(l, "rt_strstr");
	pointer_into(l);
}

static void search_text(struct dt_lower *l, const char *name)
{
	strings(l, 2);
	arg_int(l, 2, R1);
	word(l, W_N, R1);
	word_imm(l, W_M, l->ntuple > 2);
	dt_runtime(l, name);
}
static void do_index(struct dt_lower *l) { search_text(l, "rt_index"); }
static void do_rindex(struct dt_lower *l) { search_text(l, "rt_rindex"); }

static void do_substr(struct dt_lower *l)
{
	strings(l, 1);
	arg_int(l, 1, R1);
	word(l, W_N, R1);
	if (l->ntuple > 2)
		arg_int(l, 2, R1);
	else
		dt_imm(l->a, R1, INT32_MAX);
	word(l, W_M, R1);
	dt_runtime(l, "rt_substr");
	dt_runtime_take(l);
}

static void text_to_text(struct dt_lower *l, const char *name)
{
	strings(l, 1);
	dt_runtime(l, name);
	dt_runtime_take(l);
}
static void do_basename(struct dt_lower *l) { text_to_text(l, "rt_basename"); }
static void do_dirname(struct dt_lower *l) { text_to_text(l, "rt_dirname"); }
static void do_cleanpath(struct dt_lower *l) { text_to_text(l, "rt_cleanpath"); }
static void do_toupper(struct dt_lower *l)
{
	word_imm(l, W_N, 'a');
	text_to_text(l, "rt_case");
}
static void do_tolower(struct dt_lower *l)
{
	word_imm(l, W_N, 'A');
	text_to_text(l, "rt_case");
}

/* The base, 10 when it is not given; others than 2 to 36 fault. */
static void base(struct dt_lower *l, int at)
{
	struct dt_emit *a = l->a;
	uint32_t bad = dt_fault_label(l, DT_FLT_ILLOP, F_T1);

	if (l->ntuple > 1)
		arg_int(l, 1, R1);
	else
		dt_imm(a, R1, 10);
	dt_stx(a, B8, FP, F_T1, R1);
	word(l, at, R1);
	dt_jmpi(a, BPF_JSLT, R1, 2, bad);
	dt_jmpi(a, BPF_JSGT, R1, 36, bad);
}

static void do_lltostr(struct dt_lower *l)
{
	base(l, W_M);
	arg(l, 0, R1);
	word(l, W_N, R1);
	dt_runtime(l, "rt_lltostr");
	dt_runtime_take(l);
}

static void do_strtoll(struct dt_lower *l)
{
	strings(l, 1);
	base(l, W_N);
	dt_runtime(l, "rt_strtoll");
}

/* The text stays in the slot until another one comes; where to go on stands beside it. */
static void do_strtok(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t on = dt_label(a), none = dt_label(a), done = dt_label(a);

	arg_string(l, 1, 1);
	arg(l, 0, R1);
	dt_jmpi(a, BPF_JEQ, R1, 0, on);
	dt_mov(a, R1, dt_slot_reg(l));
	dt_alui(a, BPF_ADD, R1, (int32_t)l->b->slot_tok);
	arg_string_at(l, 0);
	word_imm(l, S_TOK_POS, 0);
	dt_put(a, on);
	dt_ldx(a, B8, R1, R6, S_TOK_POS);
	dt_jmpi(a, BPF_JEQ, R1, -1, none);
	word(l, W_POS, R1);
	runtime_at(l, "rt_strtok", l->b->slot_tok);
	dt_ldx(a, B8, R1, R6, W_POS);
	word(l, S_TOK_POS, R1);
	dt_jmpi(a, BPF_JEQ, R0, 0, done);
	dt_runtime_take(l);
	dt_ja(a, done);
	dt_put(a, none);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

static void do_json(struct dt_lower *l)
{
	uint32_t none = dt_label(l->a);

	strings(l, 2);
	dt_runtime(l, "rt_json");
	dt_jmpi(l->a, BPF_JEQ, R0, 0, none);
	dt_runtime_take(l);
	dt_put(l->a, none);
}

static void do_d_path(struct dt_lower *l)
{
	arg(l, 0, R0);
	dt_lower_dpath(l);
}

static void do_dentry_path(struct dt_lower *l)
{
	arg(l, 0, R0);
	dt_lower_dentry_path(l);
}

/* `size` bytes at argument i, to the first buffer; where strings are short, into the second, which nobody uses then. */
static void bytes(struct dt_lower *l, uint32_t i, uint32_t size)
{
	struct dt_emit *a = l->a;

	arg(l, i, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	dt_mov(a, R1, dt_slot_reg(l));
	dt_alui(a, BPF_ADD, R1, (int32_t)l->b->slot_str[0]);
	dt_imm(a, R2, size);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
}

static void inet4(struct dt_lower *l, uint32_t i)
{
	bytes(l, i, 4);
	dt_runtime(l, "rt_inet4");
	dt_runtime_take(l);
}

static void inet6(struct dt_lower *l, uint32_t i)
{
	bytes(l, i, 16);
	dt_runtime(l, "rt_inet6");
	dt_runtime_take(l);
}

static void do_inet_ntoa(struct dt_lower *l) { inet4(l, 0); }

static void do_inet_ntoa6(struct dt_lower *l)
{
	arg_int(l, 1, R1);
	word(l, W_M, R1);
	inet6(l, 0);
}

/* Linux's numbers: 2 and 10; anything else faults. */
static void do_inet_ntop(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t six = dt_label(a), done = dt_label(a);

	word_imm(l, W_M, 1);
	arg_int(l, 0, R1);
	dt_stx(a, B8, FP, F_T1, R1);
	dt_jmpi(a, BPF_JNE, R1, 2, six);
	inet4(l, 1);
	dt_ja(a, done);
	dt_put(a, six);
	dt_ldx(a, B8, R1, FP, F_T1);
	dt_jmpi(a, BPF_JNE, R1, 10, dt_fault_label(l, DT_FLT_ILLOP, F_T1));
	inet6(l, 1);
	dt_put(a, done);
}

static void hexbytes(struct dt_lower *l, uint32_t i, uint32_t n, int between, int32_t where, int ten)
{
	bytes(l, i, n);
	word_imm(l, W_LA, (int32_t)n);
	word_imm(l, W_N, between);
	word_imm(l, W_M, where);
	word_imm(l, W_Y, ten);
	dt_runtime(l, "rt_hexbytes");
	dt_runtime_take(l);
}

static void do_uuidstr(struct dt_lower *l) { hexbytes(l, 0, 16, '-', 1 << 4 | 1 << 6 | 1 << 8 | 1 << 10, 'A'); }

/* Ethernet 1, InfiniBand 32; anything else faults. */
static void do_link_ntop(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t other = dt_label(a), done = dt_label(a);

	arg_int(l, 0, R1);
	dt_stx(a, B8, FP, F_T1, R1);
	dt_jmpi(a, BPF_JNE, R1, 1, other);
	hexbytes(l, 1, 6, ':', 0x3e, 'a');
	dt_ja(a, done);
	dt_put(a, other);
	dt_ldx(a, B8, R1, FP, F_T1);
	dt_jmpi(a, BPF_JNE, R1, 32, dt_fault_label(l, DT_FLT_ILLOP, F_T1));
	hexbytes(l, 1, 20, ':', 0xffffe, 'a');
	dt_put(a, done);
}

static void do_memstr(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t fits = dt_label(a);
	int32_t max = (int32_t)l->b->opts->strsize - 1;

	dt_scratch_open(l);
	arg(l, 1, R1);
	word(l, W_N, R1);
	arg(l, 0, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	arg(l, 2, R2);
	dt_jmpi(a, BPF_JLE, R2, max, fits);
	dt_imm(a, R2, (uint64_t)max);
	dt_put(a, fits);
	word(l, W_LA, R2);
	dt_scratch_ptr(l, R1, R9);
	dt_ldx(a, B8, R3, FP, F_T1);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_runtime(l, "rt_memstr");
	dt_runtime_take(l);
}

/* In a container: where its numbers are (process.c), behind the words of the runtime. */
static void progenyof_here(struct dt_lower *l)
{
	const struct dt_image_opts *o = l->b->opts;
	uint32_t upid = dt_kmember(o, "upid", NULL), inum = dt_kmember(o, "pid_namespace", "ns.inum");
	uint32_t at = dt_kmember(o, "pid", "numbers") + o->pidns_level * upid;
	const uint64_t words[] = { dt_kmember(o, "task_struct", "group_leader"), dt_kmember(o, "task_struct", "thread_pid"),
		dt_kmember(o, "pid", "level"), o->pidns_level, at + dt_kmember(o, "upid", "ns"), inum, o->pidns_ino,
		at + dt_kmember(o, "upid", "nr") };

	if (upid == DT_KOFF_NONE || inum == DT_KOFF_NONE)
		REFUSE(l, "this kernel's type data does not show where the namespace's process id is kept, "
		    "which progenyof( ) needs");
	arg(l, 0, R1);
	word(l, W_N, R1);
	word_imm(l, W_LB, (int32_t)dt_kmember(l->b->opts, "task_struct", "real_parent"));
	dt_help(l, BPF_FUNC_get_current_task);
	word(l, W_POS, R0);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		dt_imm(l->a, R1, words[i]);
		dt_stx(l->a, B8, dt_slot_reg(l), DT_SLOT_AT(progeny.leader) + 8 * (int)i, R1);
	}
	dt_runtime(l, "rt_progenyof_here");
}

/* The parents' chain ends at the first process, which is its own parent. */
static void do_progenyof(struct dt_lower *l)
{
	uint32_t parent = dt_kmember(l->b->opts, "task_struct", "real_parent");
	uint32_t tgid = dt_kmember(l->b->opts, "task_struct", "tgid");

	if (parent == DT_KOFF_NONE || tgid == DT_KOFF_NONE)
		REFUSE(l, "this kernel's type data does not show where the parent process is kept, which progenyof( ) needs");
	if (l->b->opts->pidns_ino != 0) {
		progenyof_here(l);
		return;
	}
	arg(l, 0, R1);
	word(l, W_N, R1);
	word_imm(l, W_LA, (int32_t)tgid);
	word_imm(l, W_LB, (int32_t)parent);
	dt_help(l, BPF_FUNC_get_current_task);
	word(l, W_POS, R0);
	dt_runtime(l, "rt_progenyof");
}

/* The running process's open file of that number; 0 of a number without one, and where there are no files any more. */
static void do_getf(struct dt_lower *l)
{
	static const char what[] = "a file descriptor";
	struct dt_emit *a = l->a;
	uint32_t none = dt_label(a), done = dt_label(a);

	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow(l, dt_kmember(l->b->opts, "task_struct", "files"), 8, what);
	dt_follow(l, dt_kmember(l->b->opts, "files_struct", "fdt"), 8, what);
	dt_mov(a, R9, R0);
	dt_follow(l, dt_kmember(l->b->opts, "fdtable", "max_fds"), 4, what);
	arg_int(l, 0, R1);
	dt_jmp(a, BPF_JGE, R1, R0, none);	/* unsigned: negative numbers too */
	dt_mov(a, R0, R9);
	dt_follow(l, dt_kmember(l->b->opts, "fdtable", "fd"), 8, what);
	arg_int(l, 0, R1);
	dt_alui(a, BPF_LSH, R1, 3);
	dt_alu(a, BPF_ADD, R0, R1);
	dt_follow(l, 0, 8, what);
	dt_ja(a, done);
	dt_put(a, none);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

/* ---- the table ---- */

static const struct { uint16_t id; void (*make)(struct dt_lower *); } rows[] = {
	{ DT_SUBR_rand, do_rand },
	{ DT_SUBR_mutex_owned, do_mutex_owned },
	{ DT_SUBR_mutex_owner, do_mutex_owner },
	{ DT_SUBR_mutex_type_adaptive, do_mutex_adaptive },
	{ DT_SUBR_mutex_type_spin, do_mutex_spin },
	{ DT_SUBR_rw_read_held, do_rw_read },
	{ DT_SUBR_rw_write_held, do_rw_write },
	{ DT_SUBR_rw_iswriter, do_rw_iswriter },
	{ DT_SUBR_copyin, do_copyin },
	{ DT_SUBR_copyinstr, do_copyinstr },
	{ DT_SUBR_speculation, dt_speculation },
	{ DT_SUBR_progenyof, do_progenyof },
	{ DT_SUBR_strlen, do_strlen },
	{ DT_SUBR_copyout, do_copyout },
	{ DT_SUBR_copyoutstr, do_copyoutstr },
	{ DT_SUBR_alloca, do_alloca },
	{ DT_SUBR_bcopy, do_bcopy },
	{ DT_SUBR_copyinto, do_copyinto },
	{ DT_SUBR_getmajor, do_getmajor },
	{ DT_SUBR_getminor, do_getminor },
	{ DT_SUBR_strjoin, do_strjoin },
	{ DT_SUBR_lltostr, do_lltostr },
	{ DT_SUBR_basename, do_basename },
	{ DT_SUBR_dirname, do_dirname },
	{ DT_SUBR_cleanpath, do_cleanpath },
	{ DT_SUBR_strchr, do_strchr },
	{ DT_SUBR_strrchr, do_strrchr },
	{ DT_SUBR_strstr, do_strstr },
	{ DT_SUBR_strtok, do_strtok },
	{ DT_SUBR_substr, do_substr },
	{ DT_SUBR_index, do_index },
	{ DT_SUBR_rindex, do_rindex },
	{ DT_SUBR_htons, do_swap16 },
	{ DT_SUBR_htonl, do_swap32 },
	{ DT_SUBR_htonll, do_swap64 },
	{ DT_SUBR_ntohs, do_swap16 },
	{ DT_SUBR_ntohl, do_swap32 },
	{ DT_SUBR_ntohll, do_swap64 },
	{ DT_SUBR_inet_ntop, do_inet_ntop },
	{ DT_SUBR_inet_ntoa, do_inet_ntoa },
	{ DT_SUBR_inet_ntoa6, do_inet_ntoa6 },
	{ DT_SUBR_toupper, do_toupper },
	{ DT_SUBR_tolower, do_tolower },
	{ DT_SUBR_getf, do_getf },
	{ DT_SUBR_json, do_json },
	{ DT_SUBR_strtoll, do_strtoll },
	{ DT_SUBR_d_path, do_d_path },
	{ DT_SUBR_link_ntop, do_link_ntop },
	{ DT_SUBR_memref, do_memref },
	{ DT_SUBR_memstr, do_memstr },
	{ DT_SUBR_random, do_random },
	{ DT_SUBR_uuidstr, do_uuidstr },
	{ DT_SUBR_dentry_path, do_dentry_path },
};

void dt_lower_call(struct dt_lower *l, uint32_t in)
{
	const struct dt_builtin *row = dt_builtin_subr(dt_dif_v16(in));

	l->cached = 0;
	dt_tuple_check(l);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].id == dt_dif_v16(in)) {
			rows[i].make(l);
			l->cached = 0;
			dt_set(l, dt_dif_rd(in));
			return;
		}
	}
	REFUSE(l, "%s( ) is not available for tracing yet", row ? row->name : "this subroutine");
}
