/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code generation: a typed expression comes in, a DIFO goes out. Trees are as sema leaves them:
 *  - Every node has a type, names have their ident, and constants are folded to DT_N_INT and DT_N_STR.
 *  - Inlines, enumerators, sizeof, offsetof, translator members and E1[E2] on pointers are dissolved into
 *    other nodes. DT_N_INDEX is left only for associative arrays and built-in arrays (args[], uregs[]),
 *    with the ident on the node itself; DT_N_CALL only for subroutines (ident->row).
 *  - Pointer + integer is DT_OP_ADD with a pointer type: the integer is scaled here. Pointer - pointer
 *    has an integer type: the difference is divided here.
 *  - A comparison is scmp if at least one operand has type string.
 *  - DT_N_CAST and DT_N_STRINGOF of a pointer to string need no code; integer casts narrow and extend.
 *  - A scalar lvalue in memory (DEREF, MEMBER, SYM) is loaded with the size and sign of its type, from
 *    user memory if its pointer has DT_NF_USER or a userland type. One with DT_NF_REF yields its address.
 *  - Arguments of subroutines are cast to the types of their parameters. Keys get the types of the
 *    array's signature here.
 *  - A DT_N_XSTRUCT item for a bit-field has DT_NF_BITFIELD, bit_off, bit_size and moff like a
 *    DT_N_MEMBER.
 *  - Variables are assigned with st*s, memory (DT_NF_ALLOCA or a cast pointer) with stb … stx, structs
 *    with copys; bit-fields are read, modified and written.
 */
#ifndef DT_CODEGEN_CODEGEN_H
#define DT_CODEGEN_CODEGEN_H

#include "dif/asm.h"
#include "syntax/ast.h"

struct dt_types;

struct dt_cg_opts {
	struct dt_arena *arena;		/* holds the DIFO */
	struct dt_arena *tmp;		/* for what only the generator needs; NULL: use arena */
	struct dt_diag *diag;		/* D_NOREG, D_CG_EXPR, … */
	struct dt_types *types;
	unsigned iregs, tregs;		/* at most this many registers (-x iregs, tregs); 0: all */
	uint32_t strsize;
	/*
	 * Returns the clause-local %tN (8 bytes, N from 0) that takes a value when all registers are in
	 * use. It must return the same ident for the same N. NULL: such an expression is refused with
	 * D_NOREG.
	 */
	struct dt_ident *(*temp)(void *ctx, unsigned n);
	void *temp_ctx;
};

/*
 * Compiles an expression; the DIFO returns the type of the node (integers by value in their own size).
 */
struct dt_difo *dt_cg_expr(const struct dt_cg_opts *, const struct dt_node *);
/*
 * Compiles a predicate or condition: 0 or 1 in 4 bytes. If `keep` is not NULL, the value is also stored
 * in that clause-local variable.
 */
struct dt_difo *dt_cg_bool(const struct dt_cg_opts *, const struct dt_node *, const struct dt_ident *keep);
/*
 * Compiles a statement's expression, whose value is not wanted. It has its real type, as -S prints it;
 * the action records dt_difo_void() of it.
 */
struct dt_difo *dt_cg_void(const struct dt_cg_opts *, const struct dt_node *);
/* A copy that returns nothing: type void, size 0. The code is shared with the original. */
struct dt_difo *dt_difo_void(struct dt_arena *, const struct dt_difo *);
/* Compiles a constant (ids of aggregations, actions without values). */
struct dt_difo *dt_cg_const(const struct dt_cg_opts *, uint64_t value, uint32_t size);
/* The DIF type of a type. */
struct dt_diftype dt_cg_diftype(struct dt_types *, const struct dt_type *);

#endif
