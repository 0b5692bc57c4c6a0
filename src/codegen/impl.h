/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the code generator share. Private to src/codegen.
 *
 * Values. The value of an expression is in a register that belongs to the caller until the caller frees
 * it. It has 64 bits whatever its type: only casts, stores to memory and records narrow it. A value is
 * *exact* if it is known to be a value of its type (loaded from memory, or the result of a cast): a cast
 * of an exact value may need no code.
 *
 * Registers. dt_cg_need() tells how many registers a tree takes without spilling. A tree is entered with
 * that many registers free, or with all of them: a function that holds values while it evaluates a tree
 * must first call dt_cg_room(), which moves the held values to temporaries if too few registers are left.
 * So running out has one cause: too few registers for one operation.
 */
#ifndef DT_CODEGEN_IMPL_H
#define DT_CODEGEN_IMPL_H

#include "codegen/codegen.h"
#include "codegen/ident.h"

/* Values that can wait in temporaries at a time; an expression that needs more is refused (D_NOREG). */
enum { DT_CG_MAXTUPLE = DT_DIF_NTREGS, DT_CG_MAXTEMPS = 256 };

struct dt_cg_info {		/* facts about a tree, computed once */
	const struct dt_node *node;
	uint8_t need;		/* registers */
	bool effects;		/* calls, assigns or increments */
	bool exact;		/* its value is one of its type */
};

struct dt_cg_width {		/* an integer's range */
	uint8_t bits;
	bool is_signed;
	bool is_bool;
};

struct dt_cg {
	const struct dt_cg_opts *opts;
	struct dt_asm *as;
	struct dt_types *types;
	unsigned nregs;			/* %r1 … %r(nregs-1) may be used */
	unsigned ntuple;
	struct dt_loc loc;		/* of the node at work, for messages */
	/*
	 * The object that a store writes a part of: it must be created if it does not exist. NULL: no
	 * store.
	 */
	const struct dt_node *make;
	uint32_t used;			/* bit r: %r is taken */
	uint64_t temps[DT_CG_MAXTEMPS / 64];	/* bit n: %tn is taken */
	struct dt_cg_info *info;	/* open hash by node */
	uint32_t ninfo, capinfo;
};

/* A value that waits: in a register, in a temporary, or (a constant) to be made again */
struct dt_cg_held {
	const struct dt_node *node;
	int reg;		/* -1: not in a register */
	int temp;		/* -1: none */
};

/* Registers (reg.c). */
/* Takes the lowest free register; fails the compile if there is none */
unsigned dt_cg_alloc(struct dt_cg *);
void dt_cg_free(struct dt_cg *, unsigned reg);
void dt_cg_take(struct dt_cg *, unsigned reg);	/* a certain one, known to be free */
unsigned dt_cg_nfree(const struct dt_cg *);
void dt_cg_hold(struct dt_cg_held *, const struct dt_node *, unsigned reg);
/* Spills all n values if fewer than `need` registers are free */
void dt_cg_room(struct dt_cg *, struct dt_cg_held *, unsigned n, unsigned need);
/* Spills values from the last until `want` registers are free */
void dt_cg_shed(struct dt_cg *, struct dt_cg_held *, unsigned n, unsigned want);
/* The value's register, or a new one that holds the value; give it back with dt_cg_unfetch() */
unsigned dt_cg_fetch(struct dt_cg *, const struct dt_cg_held *);
/* Gives a fetched register back; the value stays held */
void dt_cg_unfetch(struct dt_cg *, const struct dt_cg_held *, unsigned reg);
unsigned dt_cg_unhold(struct dt_cg *, struct dt_cg_held *);		/* its value, no longer held */
void dt_cg_drop(struct dt_cg *, struct dt_cg_held *);

/* Facts (info.c). */
unsigned dt_cg_need(struct dt_cg *, const struct dt_node *);
bool dt_cg_effects(struct dt_cg *, const struct dt_node *);
bool dt_cg_exact(struct dt_cg *, const struct dt_node *);
struct dt_cg_width dt_cg_width(const struct dt_type *);
/* The width in which operators see the value: enums and _Bool are int */
struct dt_cg_width dt_cg_operand_width(const struct dt_node *);
bool dt_cg_fits(struct dt_cg_width from, struct dt_cg_width to);
bool dt_cg_is_const(const struct dt_node *);
bool dt_cg_is_truth(const struct dt_node *);	/* its value is 0 or 1 */
bool dt_cg_is_ref(const struct dt_node *);	/* its value is an address of the object */
bool dt_cg_is_memory(const struct dt_node *);	/* an object in memory, not a D variable */
bool dt_cg_is_user(const struct dt_node *);	/* that memory is a user's */
uint64_t dt_cg_elem_size(struct dt_cg *, const struct dt_type *ptr);	/* at least 1 */

/* Emitting. */
void dt_cg_emit(struct dt_cg *, unsigned op, unsigned r1, unsigned r2, unsigned rd);
void dt_cg_var(struct dt_cg *, const struct dt_ident *, unsigned flags);
void dt_cg_scalar(struct dt_cg *, const struct dt_ident *, bool store, unsigned reg);

/*
 * Expressions (cg_expr.c, logic.c, cg_memory.c, cg_call.c, cg_assign.c). Each returns the register of the
 * value, which the caller frees.
 */
unsigned dt_cg_node(struct dt_cg *, const struct dt_node *);
void dt_cg_narrow(struct dt_cg *, unsigned reg, unsigned bits, bool is_signed);
void dt_cg_both(struct dt_cg *, const struct dt_node *a, const struct dt_node *b, unsigned *ra, unsigned *rb);
/* ra = ra op rb; the operand types decide about scaling. */
void dt_cg_arith(struct dt_cg *, bool is_signed, enum dt_op, const struct dt_node *a, const struct dt_node *b,
    unsigned ra, unsigned rb);

void dt_cg_branch_if(struct dt_cg *, const struct dt_node *, bool sense, unsigned label);
unsigned dt_cg_truth(struct dt_cg *, const struct dt_node *);	/* 0 or 1 */
void dt_cg_normalise(struct dt_cg *, unsigned reg);

unsigned dt_cg_address(struct dt_cg *, const struct dt_node *);
void dt_cg_offset(struct dt_cg *, unsigned reg, uint64_t off);
unsigned dt_cg_memory(struct dt_cg *, const struct dt_node *);	/* DEREF MEMBER SYM as a value */
/* rd = object at ra, in the size, sign, bits and address space of node n; ra and rd may be the same. */
void dt_cg_load(struct dt_cg *, const struct dt_node *n, unsigned ra, unsigned rd);
/* Object at ra = rv, cut to what the object has room for. */
void dt_cg_store(struct dt_cg *, const struct dt_node *n, const struct dt_type *, const struct dt_node *value,
    unsigned ra, unsigned rv);
unsigned dt_cg_xstruct(struct dt_cg *, const struct dt_node *);

/* Keys and arguments: all evaluated first, then pushed, as often as needed. */
struct dt_cg_tuple {
	unsigned n;
	struct dt_cg_held held[DT_CG_MAXTUPLE];
	/* The type of the key or parameter; NULL: the value's own */
	const struct dt_type *type[DT_CG_MAXTUPLE];
};
void dt_cg_tuple(struct dt_cg *, const struct dt_node *n, struct dt_cg_tuple *, struct dt_cg_held *other);
void dt_cg_push(struct dt_cg *, struct dt_cg_tuple *, bool keep);
unsigned dt_cg_call(struct dt_cg *, const struct dt_node *);
unsigned dt_cg_index(struct dt_cg *, const struct dt_node *);
void dt_cg_element(struct dt_cg *, const struct dt_ident *, bool store, unsigned reg);

/* Structs and arrays that may not exist (cg_object.c). */
bool dt_cg_may_lack(const struct dt_node *);
const struct dt_node *dt_cg_whole(const struct dt_node *place);
unsigned dt_cg_object(struct dt_cg *, const struct dt_node *, struct dt_cg_tuple *keys);

unsigned dt_cg_assign(struct dt_cg *, const struct dt_node *);
unsigned dt_cg_incdec(struct dt_cg *, const struct dt_node *);

#endif
