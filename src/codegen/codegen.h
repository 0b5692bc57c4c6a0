/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Typed expression in, DIFO out. Trees are as sema leaves them:
 * - every node has a type; names have their ident; constants are folded to DT_N_INT and DT_N_STR; -
 * inlines, enumerators, sizeof, offsetof, translator members and E1[E2] on pointers are gone (dissolved
 * into other nodes); DT_N_INDEX is left only for associative arrays and built-in arrays (args[],
 * uregs[]), with
 *    ident on the node itself; DT_N_CALL only for subroutines (ident->row);
 * - pointer + integer is DT_OP_ADD with a pointer type: the integer still has to be scaled; pointer -
 * pointer
 *    has an integer type: the difference still has to be divided;
 * - comparing strings: one operand at least has type string: scmp; - DT_N_CAST and DT_N_STRINGOF to
 * string of a pointer need no code; integer casts narrow and extend; - an lvalue of scalar type in
 * memory (DEREF, MEMBER, SYM) is loaded with the size and sign of its type, from user memory if the
 * pointer it is reached by has DT_NF_USER or a userland type; one with DT_NF_REF yields its address; -
 * arguments of subroutines are cast to their parameters' types; keys get the type of the array's
 * signature here; - a DT_N_XSTRUCT item for a bit-field has DT_NF_BITFIELD, bit_off, bit_size and moff
 * as a DT_N_MEMBER has; - assignment: to variables by st*s; through memory (DT_NF_ALLOCA or a cast
 * pointer) by stb … stx, copys for
 *    structs; bit-fields read, modify, write.
 */
#ifndef DT_CODEGEN_CODEGEN_H
#define DT_CODEGEN_CODEGEN_H

#include "dif/asm.h"
#include "syntax/ast.h"

struct dt_types;

struct dt_cg_opts {
	struct dt_arena *arena;		/* the DIFO is made in it */
	struct dt_arena *tmp;		/* what is only needed on the way; NULL: in arena too */
	struct dt_diag *diag;		/* D_NOREG, D_CG_EXPR, … */
	struct dt_types *types;
	unsigned iregs, tregs;		/* at most this many registers (-x iregs, tregs); 0: all */
	uint32_t strsize;
	/*
	 * Clause-local `%tN` (8 bytes, N from 0) that holds a value when the registers are all in use;
	 * asked for again for each use, it must answer the same. NULL: such an expression is refused
	 * (D_NOREG).
	 */
	struct dt_ident *(*temp)(void *ctx, unsigned n);
	void *temp_ctx;
};

/* The DIFO of an expression; its return type is the node's type (integers by value in their own size). */
struct dt_difo *dt_cg_expr(const struct dt_cg_opts *, const struct dt_node *);
/*
 * The same as 0 or 1, size 4: predicates and conditions. The value is also stored to the clause-local
 * `keep` if that is not NULL.
 */
struct dt_difo *dt_cg_bool(const struct dt_cg_opts *, const struct dt_node *, const struct dt_ident *keep);
/*
 * A statement's expression: the value is not wanted. It has its real type, as -S prints it; record
 * dt_difo_void() of it.
 */
struct dt_difo *dt_cg_void(const struct dt_cg_opts *, const struct dt_node *);
/* The same code returning nothing: type void, size 0. */
struct dt_difo *dt_difo_void(struct dt_arena *, const struct dt_difo *);
/* A DIFO that returns a constant (aggregation ids, actions without values). */
struct dt_difo *dt_cg_const(const struct dt_cg_opts *, uint64_t value, uint32_t size);
/* The DIF type of a type. */
struct dt_diftype dt_cg_diftype(struct dt_types *, const struct dt_type *);

#endif
