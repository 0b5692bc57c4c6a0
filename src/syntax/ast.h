/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of a D program. The parser builds it and then leaves it const. sema clones the expressions of
 * a clause (dt_node_clone()) for each probe description and fills the fields marked [sema] in the clone.
 * All nodes live in one arena.
 *
 * dt_node_adopt() keeps every tree at most DT_AST_MAXDEPTH deep, so walking one by recursion is safe.
 */
#ifndef DT_SYNTAX_AST_H
#define DT_SYNTAX_AST_H

#include "base/diag.h"

#define DT_AST_MAXDEPTH 1000		/* far deeper than people write, shallow enough for a small stack */

struct dt_type;
struct dt_ident;
struct dt_xlator;

/* Operators, for DT_N_UNARY, DT_N_BINARY and DT_N_ASSIGN. */
enum dt_op {
	DT_OP_NONE,
	/* binary, and the operator of an assignment (DT_OP_NONE for plain `=`) */
	DT_OP_ADD, DT_OP_SUB, DT_OP_MUL, DT_OP_DIV, DT_OP_MOD,
	DT_OP_SHL, DT_OP_SHR, DT_OP_AND, DT_OP_OR, DT_OP_XOR,
	/* binary, result int */
	DT_OP_EQ, DT_OP_NE, DT_OP_LT, DT_OP_LE, DT_OP_GT, DT_OP_GE,
	DT_OP_LAND, DT_OP_LOR, DT_OP_LXOR,
	/* unary */
	DT_OP_NEG, DT_OP_PLUS, DT_OP_BITNOT, DT_OP_NOT, DT_OP_DEREF, DT_OP_ADDR,
	DT_OP_PREINC, DT_OP_PREDEC, DT_OP_POSTINC, DT_OP_POSTDEC,
	DT_NOPS
};
const char *dt_op_text(enum dt_op);	/* "+", "<<", "++" … as written in D */

enum dt_node_kind {
	DT_N_INT,	/* value, suffix: integer or character constant */
	DT_N_STR,	/* str, slen: string constant, escapes already processed */
	DT_N_IDENT,	/* name: may hold backquotes: `sym mod`sym */
	DT_N_VAR,	/* scope, name: self->name, this->name */
	DT_N_AGG,	/* name ("_" for a lone @): keys come by DT_N_INDEX around it */
	DT_N_INDEX,	/* a[list]: array, associative array, args[], aggregation keys */
	DT_N_CALL,	/* a(list) */
	DT_N_MEMBER,	/* a.name, or a->name when arrow */
	DT_N_UNARY,	/* op a */
	DT_N_BINARY,	/* a op b */
	DT_N_ASSIGN,	/* a = b, or a op= b */
	DT_N_COND,	/* a ? b : c */
	DT_N_COMMA,	/* a , b */
	DT_N_CAST,	/* (tname) a */
	DT_N_SIZEOF,	/* sizeof a, or sizeof (tname) when a is NULL */
	DT_N_OFFSETOF,	/* offsetof(tname, name) */
	DT_N_STRINGOF,	/* stringof a */
	DT_N_XLATE,	/* xlate <tname>(a) */
	/* created by sema only */
	DT_N_SYM,	/* [sema] kernel symbol: ident, value = address; an lvalue of type `type` */
	/*
	 * [sema] a whole translated struct: list holds DT_N_ASSIGN-like nodes (a NULL, name and moff of
	 * the member, b the value)
	 */
	DT_N_XSTRUCT,
	DT_N_NKINDS
};

enum dt_scope { DT_SCOPE_GLOBAL, DT_SCOPE_THREAD, DT_SCOPE_CLAUSE };

/* Suffix and base of an integer constant: its type is the first that fits, as in C. */
enum { DT_INT_U = 1, DT_INT_L = 2, DT_INT_LL = 4, DT_INT_NONDEC = 8, DT_INT_CHAR = 16 };

/* [sema] node flags */
enum {
	DT_NF_LVAL = 1,		/* names an object */
	DT_NF_WRITABLE = 2,	/* that may be assigned */
	DT_NF_REF = 4,		/* the value is the address of an object: struct, union, array, string */
	DT_NF_USER = 8,		/* addresses derived from it are user addresses (userland) */
	DT_NF_BITFIELD = 16,	/* DT_N_MEMBER of a bit-field: bit_off, bit_size say which bits */
	DT_NF_ALLOCA = 32,	/* address of scratch memory: alloca(), copyin() */
	DT_NF_WHOLE = 64,	/* DT_N_CAST that was not written: another type, the same 64 bits */
};

struct dt_node {
	uint8_t kind;			/* enum dt_node_kind */
	uint8_t op;			/* enum dt_op */
	uint8_t scope;			/* enum dt_scope, DT_N_VAR */
	uint8_t suffix;			/* DT_INT_* */
	bool arrow;			/* DT_N_MEMBER */
	bool paren;			/* was written in parentheses */
	uint16_t depth;			/* of the tree below; dt_node_adopt() maintains it */
	struct dt_loc loc;
	struct dt_node *a, *b, *c;	/* operands */
	struct dt_node *list;		/* arguments or keys, chained by next */
	struct dt_node *next;		/* in the parent's list */
	const char *name;
	struct dt_loc name_loc;		/* DT_N_MEMBER, DT_N_OFFSETOF: where the member's name is */
	const char *str;		/* DT_N_STR; slen bytes, a NUL follows */
	uint32_t slen;
	uint64_t value;			/* DT_N_INT */
	struct dt_tname *tname;		/* type names as written */

	/* [sema] */
	const struct dt_type *type;
	struct dt_ident *ident;		/* what the name means */
	const struct dt_xlator *xlator;	/* DT_N_XLATE: provides the members */
	uint16_t nflags;		/* DT_NF_* */
	uint16_t bit_off, bit_size;	/* DT_NF_BITFIELD: from the low bit of the unit at moff */
	/* DT_N_MEMBER: byte offset of the member, or of the unit of a bit-field */
	uint32_t moff;
};

/* ---- types as written ---- */

enum dt_storage { DT_ST_NONE, DT_ST_AUTO, DT_ST_REGISTER, DT_ST_STATIC, DT_ST_EXTERN, DT_ST_TYPEDEF,
	DT_ST_SELF, DT_ST_THIS };

enum {				/* qualifiers */
	DT_Q_CONST = 1, DT_Q_VOLATILE = 2, DT_Q_RESTRICT = 4, DT_Q_USERLAND = 8,
};

enum dt_base {			/* what the type words name */
	DT_B_NONE,		/* only attributes: unsigned, long … */
	DT_B_VOID, DT_B_CHAR, DT_B_INT, DT_B_FLOAT, DT_B_DOUBLE, DT_B_BOOL, DT_B_STRING,
	DT_B_NAME,		/* tname */
	DT_B_STRUCT, DT_B_UNION, DT_B_ENUM,
};

struct dt_specs {		/* declaration specifiers */
	struct dt_loc loc;
	uint8_t storage;	/* enum dt_storage */
	uint8_t quals;		/* DT_Q_* */
	uint8_t base;		/* enum dt_base */
	uint8_t nshort, nlong, nsigned, nunsigned;	/* how often each word occurred */
	const char *tname;	/* DT_B_NAME: typedef name; STRUCT, UNION, ENUM: tag or NULL; may hold mod` */
	bool body;		/* members or enumerators follow the tag */
	struct dt_decl *members;	/* of a struct or union */
	struct dt_enumerator *enums;
	/*
	 * [sema] the type made from the body, shared by all names of the declaration; NULL: not yet
	 * made
	 */
	const struct dt_type *made;
};

struct dt_enumerator {
	const char *name;
	struct dt_loc loc;
	struct dt_node *value;	/* or NULL: one more than the last */
	struct dt_enumerator *next;
};

enum dt_declr_kind { DT_DR_PTR, DT_DR_ARRAY, DT_DR_FUNC };

/* A declarator, from the name outwards: `int *x[3]` is ARRAY 3, then PTR, then the specs. */
struct dt_declr {
	uint8_t kind;		/* enum dt_declr_kind */
	uint8_t quals;		/* PTR */
	bool varargs;		/* a parameter list ended in ... */
	bool empty;		/* ARRAY: [] ; FUNC: () */
	struct dt_loc loc;
	struct dt_node *size;	/* ARRAY with a size */
	struct dt_decl *params;	/* FUNC parameters, or the key types of an associative ARRAY */
	struct dt_declr *next;
};

struct dt_decl {		/* one declared name, a parameter, a member, or the inside of a type name */
	const struct dt_specs *specs;	/* shared by the names of one declaration */
	struct dt_declr *declr;
	const char *name;	/* NULL: abstract */
	struct dt_loc loc;	/* of the name, or of the declaration */
	struct dt_node *bits;	/* bit-field width, or NULL */
	struct dt_decl *next;
};

struct dt_tname {		/* a type name in an expression */
	struct dt_decl *decl;	/* abstract */
	struct dt_loc loc;
};

/* ---- the program ---- */

struct dt_stmt {
	enum { DT_S_EXPR, DT_S_IF } kind;
	struct dt_loc loc;
	struct dt_node *expr;		/* or the condition */
	struct dt_stmt *then, *els;	/* DT_S_IF: lists, possibly empty (NULL) */
	struct dt_stmt *next;
};

/* The four parts of a probe description, with macros replaced; "" if left out. */
struct dt_pdesc {
	const char *prov, *mod, *func, *name;
	uint32_t id;			/* non-zero: by number, and the parts are "" */
	struct dt_loc loc;
	struct dt_pdesc *next;
};
enum { DT_PART_PROV, DT_PART_MOD, DT_PART_FUNC, DT_PART_NAME };	/* = dtrace_probespec_t */

enum dt_ext_kind { DT_X_CLAUSE, DT_X_DECL, DT_X_INLINE, DT_X_TRANSLATOR, DT_X_PROVIDER, DT_X_PRAGMA };

struct dt_probe_decl {		/* probe name(inputs) : (outputs); */
	const char *name;	/* as written: __ is not yet - */
	struct dt_loc loc;
	struct dt_decl *in, *out;	/* !has_out: the outputs are the inputs */
	bool has_out, in_varargs, out_varargs;
	struct dt_probe_decl *next;
};

struct dt_xmember {		/* member = expr; of a translator */
	const char *name;
	struct dt_loc loc;
	struct dt_node *expr;
	struct dt_xmember *next;
};

struct dt_word {		/* of a control line */
	const char *text;
	bool quoted;
	struct dt_loc loc;
	struct dt_word *next;
};

/* One external: a part of a program at its outer level. The kind tells which fields are set. */
struct dt_ext {
	enum dt_ext_kind kind;
	struct dt_loc loc;
	struct dt_ext *next;
	/* CLAUSE */
	struct dt_pdesc *probes;
	struct dt_node *pred;		/* or NULL */
	bool body;			/* { } was written, perhaps empty */
	struct dt_stmt *stmts;
	/* DECL: one entry for each name; a lone struct, union or enum has one entry without a name */
	struct dt_decl *decls;
	/* INLINE: decl, expr. TRANSLATOR: dst, src, name, members */
	struct dt_decl *decl;
	struct dt_node *expr;
	struct dt_tname *dst, *src;
	const char *name;		/* the input of a translator, or the name of a provider */
	struct dt_loc name_loc;
	struct dt_xmember *members;
	struct dt_probe_decl *pdecls;	/* PROVIDER */
	/* PRAGMA: the words after `#`: `pragma` `D` `attributes` … (option pragmas never get here) */
	struct dt_word *words;
};

struct dt_unit {		/* a parsed program, expression or type */
	struct dt_ext *exts;	/* program */
	struct dt_node *expr;	/* expression context */
	struct dt_tname *type;	/* type context */
};

struct dt_node *dt_node_new(struct dt_diag *, struct dt_arena *, enum dt_node_kind, struct dt_loc);
/* Updates the depth of a node for one operand; fails the compile if the tree gets too deep. */
void dt_node_adopt(struct dt_diag *, struct dt_node *parent, struct dt_node *child);
/* Deep copy with the [sema] fields cleared; n may be NULL */
struct dt_node *dt_node_clone(struct dt_arena *, const struct dt_node *);

#endif
