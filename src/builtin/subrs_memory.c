/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subroutines that move bytes between memory of the process, memory of the kernel and scratch. Only scratch
 * and variables can be written; the process's own memory only by the destructive copyout() and copyoutstr().
 * All sizes are the program's and checked before anything is read.
 */
#include "builtin/row.h"

/* Scratch is taken first: a size that does not fit faults before anything is read. */
static uint64_t call_copyin(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t len = call->arg[1].value, to = dt_interp_scratch(ip, len);
	void *bytes = to ? dt_interp_temp(ip, len) : NULL;

	if (!bytes || !dt_interp_read(ip, call->arg[0].value, bytes, len, true) ||
	    !dt_interp_write(ip, to, bytes, len, false))
		return 0;
	return to;
}

/* dt_scratch_alloc() bounds the size, so the helper never writes beyond scratch. */
static void lower_copyin(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);

	dt_tuple_arg(l, 1, R2);
	dt_scratch_alloc(l);
	dt_scratch_ptr(l, R1, R9);
	dt_tuple_arg(l, 0, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	dt_help(l, BPF_FUNC_probe_read_user);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_scratch_addr(l, R0, R9);
}

const struct dt_builtin dt_subr_copyin = {
	DT_SUBR(copyin, "void *(uintptr_t, size_t)", V(1, 0), STABLE), .flags = DT_BF_ALLOCA,
	.call = call_copyin, .lower = lower_copyin, .scratch = DT_SCRATCH_ANY,
	.doc = "So many bytes from the address of the process, in scratch.",
};

/* The second argument limits the characters, without the NUL; strsize limits them in any case. */
static uint64_t call_copyinstr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t max = dt_interp_options(ip)->strsize - 1, len;
	char *text;

	if (call->nargs > 1 && call->arg[1].value < max)
		max = call->arg[1].value;
	if (!dt_interp_strlen(ip, call->arg[0].value, max, true, &len))
		return 0;
	text = dt_interp_temp(ip, len);
	if (!text || !dt_interp_read(ip, call->arg[0].value, text, len, true))
		return 0;
	return dt_interp_put(ip, text, len);
}

/*
 * The size is at most strsize, and one more than the characters asked for, since the helper counts the NUL.
 */
static void lower_copyinstr(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);
	uint32_t small = dt_label(a), some = dt_label(a);
	uint64_t max;

	dt_scratch_open(l);
	dt_tuple_arg(l, 0, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	if (dt_tuple_known(l, 1, &max)) {
		bool less = dt_tuple_nargs(l) > 1 && max < dt_opts(l)->strsize - 1;

		dt_imm(a, R2, less ? max + 1 : dt_opts(l)->strsize);
		dt_put(a, small);
	} else {
		dt_tuple_arg(l, 1, R2);
		dt_alui(a, BPF_ADD, R2, 1);
		dt_jmpi(a, BPF_JLE, R2, (int32_t)dt_opts(l)->strsize, small);
		dt_imm(a, R2, dt_opts(l)->strsize);
		dt_put(a, small);
	}
	dt_scratch_ptr(l, R1, R9);
	dt_ldx(a, B8, R3, FP, F_T1);
	dt_help(l, BPF_FUNC_probe_read_user_str);
	dt_jmpi(a, BPF_JSLT, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_jmpi(a, BPF_JNE, R0, 0, some);
	dt_imm(a, R0, 1);		/* Linux 6.1 says 0 of an empty string, later ones count its NUL */
	dt_put(a, some);
	dt_jmpi(a, BPF_JGT, R0, (int32_t)dt_opts(l)->strsize, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
	dt_scratch_close(l);
}

const struct dt_builtin dt_subr_copyinstr = {
	DT_SUBR(copyinstr, "string(uintptr_t, [size_t])", V(1, 0), STABLE),
	.call = call_copyinstr, .lower = lower_copyinstr, .scratch = DT_SCRATCH_STRING,
	.doc = "The string at the address of the process, at most so many characters of it.",
};

/*
 * A string that is not in memory, such as a constant that the program has never touched, is "?". The array
 * itself must be there: pos is where it could not be read.
 */
static uint64_t call_copyinargv(struct dt_interp *ip, const struct dt_subr_call *call)
{
	struct dt_rt_call c;
	uint64_t len;

	if (!dt_rt_begin(ip, &c))
		return 0;
	c.w.pos = call->arg[0].value;
	c.w.n = sizeof(uint64_t);
	len = dt_rt_run(ip, &c, dt_rt_argv);
	if (c.w.out)
		return dt_interp_fault(ip, DT_FLT_BADADDR, c.w.pos);
	return dt_interp_put(ip, (const char *)c.d, len - 1);
}

static void lower_copyinargv(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);
	uint32_t wide = dt_label(a);

	dt_tuple_arg(l, 0, R0);
	dt_work(l, W_POS, R0);
	dt_work_imm(l, W_N, 8);
	dt_compat(l);
	dt_jmpi(a, BPF_JEQ, R0, 0, wide);
	dt_work_imm(l, W_N, 4);
	dt_put(a, wide);
	dt_runtime(l, "rt_argv");
	dt_ldx(a, B8, R1, R6, W_POS);
	dt_stx(a, B8, FP, F_T1, R1);
	dt_ldx(a, B8, R1, R6, W_OUT);
	dt_jmpi(a, BPF_JNE, R1, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_runtime_take(l);
}

const struct dt_builtin dt_subr_copyinargv = {
	DT_SUBR(copyinargv, "string(uintptr_t)", V(1, 0), EVOLVING),
	.call = call_copyinargv, .lower = lower_copyinargv, .scratch = DT_SCRATCH_STRING,
	.doc = "The strings of an array of pointers in the process that ends with a null pointer, such as "
	    "the argv and envp of execve(2), with blanks between them.",
};

/*
 * To scratch or a variable, from kernel or user memory. The destination is checked first: its size bounds the
 * copy.
 */
static uint64_t copy_to_scratch(struct dt_interp *ip, uint64_t from, bool user, uint64_t to, uint64_t len)
{
	void *bytes;

	if (!dt_interp_storable(ip, to, len))
		return dt_interp_fault(ip, DT_FLT_BADADDR, to);
	bytes = dt_interp_temp(ip, len);
	if (bytes && dt_interp_read(ip, from, bytes, len, user))
		dt_interp_write(ip, to, bytes, len, false);
	return 0;
}

static uint64_t call_copyinto(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return copy_to_scratch(ip, call->arg[0].value, true, call->arg[2].value, call->arg[1].value);
}

static uint64_t call_bcopy(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return copy_to_scratch(ip, call->arg[0].value, false, call->arg[1].value, call->arg[2].value);
}

/*
 * r5 bytes from the address in F_T2 to r2, whose address is in F_T1. The helper copies from the first byte
 * on, so bytes that overlap upwards take a detour through free scratch, and then `done`. Otherwise this falls
 * through with r2 and r5 as they were.
 */
static void copy_upwards(struct dt_lower *l, uint32_t done)
{
	struct dt_emit *a = dt_code(l);
	uint32_t apart = dt_label(a);

	dt_ldx(a, B8, R1, FP, F_T1);
	dt_ldx(a, B8, R3, FP, F_T2);
	dt_alu(a, BPF_SUB, R1, R3);
	dt_jmp(a, BPF_JGE, R1, R5, apart);
	dt_stx(a, B8, FP, F_T0, R2);
	dt_mov(a, R9, R5);
	dt_scratch_free(l, R1, R4);
	dt_mov(a, R2, R9);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T2));
	dt_scratch_free(l, R3, R4);
	dt_ldx(a, B8, R1, FP, F_T0);
	dt_mov(a, R2, R9);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_ja(a, done);
	dt_put(a, apart);
}

/*
 * bcopy() and copyinto(): `from`, `to` and `len` are the numbers of their arguments. A size that is known
 * when the program is made is refused here if it can never fit.
 */
static void lower_copy(struct dt_lower *l, uint32_t from, uint32_t to, uint32_t len, bool user)
{
	struct dt_emit *a = dt_code(l);
	uint64_t size;
	bool known = dt_tuple_known(l, len, &size);
	uint32_t done = dt_label(a);

	dt_imm(a, R0, 0);
	if (known && size == 0)
		return;
	if (known && size > dt_scratch_size(l))
		REFUSE(l, "%llu bytes are more than scratch memory holds (%u); see scratchsize",
		    (unsigned long long)size, dt_scratch_size(l));
	dt_tuple_arg(l, from, R3);
	dt_stx(a, B8, FP, F_T2, R3);
	dt_tuple_arg(l, to, R3);
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

static void lower_bcopy(struct dt_lower *l) { lower_copy(l, 0, 1, 2, false); }
static void lower_copyinto(struct dt_lower *l) { lower_copy(l, 0, 2, 1, true); }

const struct dt_builtin dt_subr_bcopy = {
	DT_SUBR(bcopy, "void(void *, void *, size_t)", V(1, 0), STABLE), .flags = DT_BF_COPIES,
	.call = call_bcopy, .lower = lower_bcopy, .scratch = DT_SCRATCH_STRING,
	.doc = "Copies so many bytes of kernel memory or scratch to memory from alloca() or a variable.",
};

const struct dt_builtin dt_subr_copyinto = {
	DT_SUBR(copyinto, "void(uintptr_t, size_t, void *)", V(1, 0), STABLE), .flags = DT_BF_COPIES,
	.call = call_copyinto, .lower = lower_copyinto, .scratch = DT_SCRATCH_STRING,
	.doc = "Copies so many bytes from the address of the process to memory from alloca() or a variable.",
};

/* In pieces, because the size is the program's and may be any number. */
static uint64_t copy_to_user(struct dt_interp *ip, uint64_t from, uint64_t to, uint64_t len)
{
	uint8_t piece[1024];

	for (uint64_t done = 0; done < len;) {
		size_t n = len - done < sizeof(piece) ? (size_t)(len - done) : sizeof(piece);

		if (!dt_interp_read(ip, from + done, piece, n, false) ||
		    !dt_interp_write(ip, to + done, piece, n, true))
			return 0;
		done += n;
	}
	return 0;
}

static uint64_t call_copyout(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return copy_to_user(ip, call->arg[0].value, call->arg[1].value, call->arg[2].value);
}

/* The NUL is copied too if there is room for it. */
static uint64_t call_copyoutstr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);
	uint64_t len = s ? strlen(s) + 1 : 0;

	if (s && len > call->arg[2].value)
		len = call->arg[2].value;
	if (s)
		dt_interp_write(ip, call->arg[1].value, s, len, true);
	return 0;
}

/* Writes the r2 bytes at scratch + r9 to the process's address in DT_CALL_WORD(0). */
static void write_user(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);

	dt_mov(a, R3, R2);
	dt_scratch_ptr(l, R2, R9);
	dt_ldx(a, B8, R1, FP, DT_CALL_WORD(0));
	dt_help(l, BPF_FUNC_probe_write_user);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, DT_CALL_WORD(0)));
}

/*
 * By way of scratch, of which nothing is kept. The size is compared again after it was kept on the stack,
 * since the verifier need not remember its bounds there.
 */
static void lower_copyout(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);

	dt_scratch_open(l);
	dt_tuple_arg(l, 1, R1);
	dt_stx(a, B8, FP, DT_CALL_WORD(0), R1);
	dt_tuple_arg(l, 0, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	dt_tuple_arg(l, 2, R2);
	dt_jmpi(a, BPF_JGT, R2, (int32_t)dt_scratch_size(l), dt_fault_label(l, DT_FLT_NOSCRATCH, A_NONE));
	dt_stx(a, B8, FP, DT_CALL_WORD(1), R2);
	dt_scratch_ptr(l, R1, R9);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_ldx(a, B8, R2, FP, DT_CALL_WORD(1));
	dt_jmpi(a, BPF_JGT, R2, (int32_t)dt_scratch_size(l), dt_fault_label(l, DT_FLT_NOSCRATCH, A_NONE));
	write_user(l);
}

/* At most as many bytes as the third argument says, the NUL among them. */
static void lower_copyoutstr(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);
	uint32_t fits = dt_label(a);

	dt_tuple_arg(l, 1, R1);
	dt_stx(a, B8, FP, DT_CALL_WORD(0), R1);
	dt_scratch_open(l);
	dt_scratch_ptr(l, R1, R9);
	dt_tuple_string_at(l, 0);
	dt_tuple_arg(l, 2, R2);
	dt_jmp(a, BPF_JLE, R2, R0, fits);
	dt_mov(a, R2, R0);
	dt_put(a, fits);
	dt_jmpi(a, BPF_JGT, R2, (int32_t)dt_opts(l)->strsize, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
	write_user(l);
}

const struct dt_builtin dt_subr_copyout = {
	DT_SUBR(copyout, "void(void *, uintptr_t, size_t)", V(1, 0), STABLE),
	.flags = DT_BF_DESTRUCTIVE, .needs = DT_NEED_WRITE_USER,
	.call = call_copyout, .lower = lower_copyout, .scratch = DT_SCRATCH_ANY,
	.doc = "Copies so many bytes to the address of the process.",
};

const struct dt_builtin dt_subr_copyoutstr = {
	DT_SUBR(copyoutstr, "void(char *, uintptr_t, size_t)", V(1, 0), STABLE),
	.flags = DT_BF_DESTRUCTIVE, .needs = DT_NEED_WRITE_USER,
	.call = call_copyoutstr, .lower = lower_copyoutstr, .scratch = DT_SCRATCH_STRING,
	.doc = "Copies a string to the address of the process, at most so many bytes of it.",
};

static uint64_t call_alloca(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return dt_interp_scratch(ip, call->arg[0].value);
}

/* Scratch is used again by every clause, so it is cleared. */
static void lower_alloca(struct dt_lower *l)
{
	dt_tuple_arg(l, 0, R2);
	dt_scratch_alloc(l);
	dt_scratch_zero(l);
	dt_scratch_addr(l, R0, R9);
}

const struct dt_builtin dt_subr_alloca = {
	DT_SUBR(alloca, "void *(size_t)", V(1, 0), STABLE), .flags = DT_BF_ALLOCA,
	.call = call_alloca, .lower = lower_alloca, .scratch = DT_SCRATCH_ANY,
	.doc = "So many bytes of scratch, zeros, which last until the clause ends.",
};

/* The address and the length side by side, for printm(). */
static uint64_t call_memref(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t ref[2] = { call->arg[0].value, call->arg[1].value }, to = dt_interp_scratch(ip, sizeof(ref));

	return to && dt_interp_write(ip, to, ref, sizeof(ref), false) ? to : 0;
}

/* Two words of scratch; the address of the first is the result. */
static void lower_memref(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);

	dt_imm(a, R2, 16);
	dt_scratch_alloc(l);
	for (uint32_t i = 0; i < 2; i++) {
		dt_tuple_arg(l, i, R3);
		dt_scratch_ptr(l, R1, R9);
		dt_stx(a, B8, R1, 8 * (int)i, R3);
	}
	dt_scratch_addr(l, R0, R9);
}

const struct dt_builtin dt_subr_memref = {
	DT_SUBR(memref, "uintptr_t *(void *, size_t)", V(1, 0), EVOLVING), .flags = DT_BF_ALLOCA,
	.call = call_memref, .lower = lower_memref, .scratch = DT_SCRATCH_STRING,
	.doc = "An address and a length side by side, for printm().",
};

/* Bytes as a string: each NUL inside becomes the given character. */
static uint64_t call_memstr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t max = dt_interp_options(ip)->strsize - 1, len = call->arg[2].value;
	struct dt_rt_call c;

	if (len > max)
		len = max;
	if (!dt_rt_begin(ip, &c) || !dt_interp_read(ip, call->arg[0].value, c.d, len, false))
		return 0;
	c.w.la = len;
	c.w.n = call->arg[1].value;
	return dt_rt_text(ip, &c, dt_rt_memstr);
}

/* The bytes are read first, and the runtime then replaces each NUL; W_LA says how many bytes there are. */
static void lower_memstr(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);
	uint32_t fits = dt_label(a);
	int32_t max = (int32_t)dt_opts(l)->strsize - 1;

	dt_scratch_open(l);
	dt_tuple_arg(l, 1, R1);
	dt_work(l, W_N, R1);
	dt_tuple_arg(l, 0, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	dt_tuple_arg(l, 2, R2);
	dt_jmpi(a, BPF_JLE, R2, max, fits);
	dt_imm(a, R2, (uint64_t)max);
	dt_put(a, fits);
	dt_work(l, W_LA, R2);
	dt_scratch_ptr(l, R1, R9);
	dt_ldx(a, B8, R3, FP, F_T1);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_runtime(l, "rt_memstr");
	dt_runtime_take(l);
}

const struct dt_builtin dt_subr_memstr = {
	DT_SUBR(memstr, "string(void *, char, size_t)", V(1, 0), EVOLVING),
	.call = call_memstr, .lower = lower_memstr, .scratch = DT_SCRATCH_STRING,
	.doc = "So many bytes as a string, with the given character in place of each NUL.",
};
