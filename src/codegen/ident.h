/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a name in a D program stands for. sema creates idents in the compiler's arena; codegen reads
 * them.
 */
#ifndef DT_CODEGEN_IDENT_H
#define DT_CODEGEN_IDENT_H

#include "dif/builtin.h"
#include "syntax/ast.h"
#include "types/type.h"

enum dt_ident_kind {
	DT_ID_SCALAR,	/* variable, built-in or the program's */
	DT_ID_ARRAY,	/* associative array, or built-in array (row != NULL) */
	DT_ID_AGG,	/* aggregation */
	DT_ID_FUNC,	/* subroutine, action or aggregating function: row */
	DT_ID_INLINE,	/* inline, body; nparams > 0 for the parametrised form */
	DT_ID_SYMBOL,	/* kernel symbol */
	DT_ID_ENUM,	/* enumerator of a D enum: value */
	/*
	 * The input of a translator or a parameter of an inline: bound to an expression while it is
	 * expanded
	 */
	DT_ID_PARAM,
};

struct dt_ident {
	const char *name;
	uint8_t kind;			/* enum dt_ident_kind */
	uint8_t scope;			/* enum dt_scope */
	uint32_t id;			/* DIF variable id, aggregation id */
	const struct dt_type *type;	/* NULL: not yet fixed */
	struct dt_attr attr;
	uint32_t version;
	const struct dt_builtin *row;	/* built-ins */
	struct dt_loc loc;		/* where it was created */
	bool library;			/* declared by a library */
	bool declared;			/* the type was declared, not taken from the first value */
	bool has_attr;			/* attr was declared by a pragma */

	/* ARRAY, AGG: key signature, fixed by first use */
	bool keyed;			/* the signature is known; keys may be NULL if nkeys is 0 */
	uint32_t nkeys;
	const struct dt_type **keys;

	/* AGG */
	const struct dt_builtin *aggfunc;
	uint64_t aggarg;		/* encoded lquantize, llquantize parameters */
	struct dt_loc aggloc;		/* of the first use, for messages */

	/* INLINE */
	struct dt_node *body;
	uint32_t nparams;
	struct dt_ident **params;

	/* PARAM */
	struct dt_node *bound;

	uint64_t value;			/* ENUM value, SYMBOL address */
	const char *module;		/* SYMBOL */
};

/* The ident as an entry in the variable table of a DIFO. */
struct dt_difv dt_ident_difv(struct dt_types *, const struct dt_ident *, unsigned flags);

#endif
