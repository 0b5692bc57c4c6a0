/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linking: the functions of src/runtime that a program calls, and those that they call, become
 * subprograms after it. A function is there once for each program. A name that no function has is our own
 * mistake, and refused.
 */
#include "bpf/image_runtime.h"
#include "bpf/build.h"

#include <zlib.h>

/* The label of the function in this program; the first use puts it on the list. */
static uint32_t function_label(struct dt_emit *a, uint32_t func)
{
	struct dt_rtuse use = { .func = func };

	for (size_t i = 0; i < a->rt.n; i++) {
		if (a->rt.v[i].func == func)
			return a->rt.v[i].label;
	}
	use.label = dt_label(a);
	dt_vec_push(a->arena, &a->rt, use);
	return use.label;
}

uint32_t dt_rt_label(struct dt_lower *l, const char *name)
{
	for (uint32_t i = 0; dt_rtfuncs[i].name; i++) {
		if (strcmp(dt_rtfuncs[i].name, name) == 0)
			return function_label(l->a, i);
	}
	REFUSE(l, "the function %s is missing from this build", name);
}

/* What is packed is part of this program: only lack of memory keeps it from being unpacked. */
static const struct bpf_insn *function_code(struct dt_emit *a, const struct dt_rtfunc *f)
{
	uLongf size = f->n * sizeof(struct bpf_insn);
	struct bpf_insn *code;

	if (f->code != NULL)
		return f->code;
	code = dt_arena_alloc(a->arena, size);
	if (uncompress((unsigned char *)code, &size, f->packed, f->npacked) != Z_OK)
		dt_arena_lack(a->arena);
	return code;
}

/* Calls and addresses of functions get labels in place of their numbers; all else is copied. */
static void copy_function(struct dt_emit *a, const struct dt_rtfunc *f)
{
	const struct bpf_insn *code = function_code(a, f);

	for (size_t i = 0; i < f->n; i++) {
		struct bpf_insn in = code[i];

		if (i == f->at)
			in.imm = f->imm;
		if (in.code == (BPF_JMP | BPF_CALL) && in.src_reg == BPF_PSEUDO_CALL) {
			dt_callsub(a, function_label(a, (uint32_t)in.imm));
		} else if (in.code == (BPF_LD | BPF_IMM | BPF_DW) && in.src_reg == BPF_PSEUDO_FUNC) {
			dt_funcaddr(a, in.dst_reg, function_label(a, (uint32_t)in.imm));
			i++;
		} else {
			dt_raw(a, in);
		}
	}
}

/* The list grows while it is worked through. */
void dt_rt_link(struct dt_emit *a)
{
	a->difo = NULL;
	for (size_t i = 0; i < a->rt.n; i++) {
		struct dt_rtuse use = a->rt.v[i];

		dt_put(a, use.label);
		dt_vec_push(a->arena, &a->funcs, use.label);
		copy_function(a, &dt_rtfuncs[use.func]);
	}
}
