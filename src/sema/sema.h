/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Meaning: the parsed program in, typed trees and the program's clauses out. struct dt_compiler
 * is what outlives one program (names, types, translators of a handle); struct dt_sema is one
 * compile. All errors leave through dt_fail().
 */
#ifndef DT_SEMA_SEMA_H
#define DT_SEMA_SEMA_H

#include "codegen/codegen.h"
#include "dif/signature.h"
#include "codegen/ident.h"

struct dt_xlator {			/* translator dst < src name > { members } */
	const struct dt_type *dst, *src;	/* dst: the struct; src: as declared */
	const char *input;
	struct dt_xmember *members;
	struct dt_loc loc;
	struct dt_attr attr;
	bool has_attr;			/* declared by a pragma */
	uint32_t version;
	bool library;
	struct dt_xlator *next;
};

struct dt_provider {			/* declared by D: provider name { … } */
	const char *name;
	struct dt_loc loc;
	struct dt_provider_attrs attrs;
	bool has_attrs;
	struct dt_map probes;		/* name with - → struct dt_probe_sig */
	bool library;
};

typedef bool dt_pdesc_f(void *ctx, const struct dt_pdesc *);	/* false: no more of them */

/* What the compiler asks of its surroundings; any may be NULL. */
struct dt_services {
	void *ctx;
	/* Address of a kernel symbol; 0 or -errno. */
	int (*symbol)(void *ctx, const char *module, const char *name, uint64_t *addr,
	    const char **module_out);
	/*
	 * Compile the library that declares `name` ("foo_t", "struct foo", "provider io", "translator
	 * foo_t"); true if one was loaded.
	 */
	bool (*library)(void *ctx, const char *name);
	void (*library_names)(void *ctx, struct dt_near *);
	/* Typed arguments and stability of a probe no D text declares (fbt, sdt …). NULL: none known. */
	const struct dt_probe_sig *(*signature)(void *ctx, const struct dt_pdesc *);
	/*
	 * Calls f (may be NULL) for each probe that the description matches. False: there is none; *why
	 * (may be NULL) gets the reason or NULL, *tag what kind of error that is.
	 */
	bool (*probes)(void *ctx, const struct dt_pdesc *, dt_pdesc_f *f, void *arg, const char **why,
	    enum dt_tag *tag);
	const struct dt_provider_attrs *(*attributes)(void *ctx, const char *provider);
	/* do its probes fire in several processes, whose number is part of its name? */
	bool (*every_process)(void *ctx, const char *provider);
	/*
	 * A type of the debugging data of a process; scope: "pid123", "pid" ($target),
	 * "pid123`libc.so.6". NULL: *why says why, and `near` is offered what there is.
	 */
	const struct dt_type *(*process_type)(void *ctx, const char *scope, enum dt_tkind, const char *name,
	    const char **why, struct dt_near *);
	bool (*module)(void *ctx, const char *name);		/* depends_on module */
	bool (*library_file)(void *ctx, const char *name);	/* depends_on library */
};

struct dt_compiler {
	struct dt_arena *arena;
	struct dt_arena *scratch;	/* trees of the clause in hand; emptied for the next */
	struct dt_types *types;
	struct dt_map globals, tls, locals, aggs, providers;
	struct dt_xlator *xlators;
	uint32_t next_id[3];		/* by enum dt_scope */
	uint32_t next_agg, next_stmt, next_hidden;
	struct dt_services services;
	uint32_t version;		/* names bound later than this do not exist */
	/* options */
	uint32_t strsize;
	unsigned iregs, tregs;
	bool has_amin;
	struct dt_attr amin;
	uint32_t stackframes, ustackframes, jstackframes, jstackstrsize, scratchsize;
};

void dt_compiler_init(struct dt_compiler *, struct dt_arena *, struct dt_arena *scratch, struct dt_types *);
/* A failed compile is undone: mark before, cut after. */
struct dt_compiler_mark {
	uint32_t globals, tls, locals, aggs, providers, next_id[3], next_agg, next_stmt;
	struct dt_xlator *xlators;
	struct dt_types_mark types;
};
struct dt_compiler_mark dt_compiler_mark(const struct dt_compiler *);
void dt_compiler_cut(struct dt_compiler *, const struct dt_compiler_mark *);

struct dt_pending {			/* #pragma D attributes|binding for a name that is still to come */
	const char *name;
	struct dt_loc loc;
	bool has_attr, has_version;
	struct dt_attr attr;
	uint32_t version;
	struct dt_pending *next;
};

/* a struct or union whose body is being read: its name means itself */
struct dt_opening {
	const struct dt_type *type;
	struct dt_opening *next;
};

struct dt_bind {			/* a parameter in force while its body is typed */
	struct dt_ident *ident;
	struct dt_bind *next;
};

struct dt_sema {
	struct dt_compiler *cc;
	struct dt_arena *keep;		/* of the program */
	/* for what is being made: the program's, inside a clause one that is emptied after it */
	struct dt_arena *arena;
	struct dt_diag *diag;
	struct dt_types *types;
	bool library;			/* names declared belong to a library */
	bool lazy;			/* one of ours: bodies are checked where they are used */
	bool unmatched;			/* descriptions may match nothing: -Z, or there is nobody to ask */
	bool cdefs;			/* inside an #include: declarations are C's */

	struct dt_pending *pending;
	struct dt_bind *binds;
	struct dt_opening *opening;
	unsigned expanding;		/* depth of inline and translator expansion */
	unsigned expansions;		/* of the outermost use in hand */
	/* inside something whose stability is declared: what it uses does not count */
	unsigned sheltered;

	/* the clause in hand; NULL outside */
	const struct dt_ext *clause;
	const struct dt_pdesc *probe;
	struct dt_cg_opts cg;
	DT_VEC(struct dt_act) acts;
	struct dt_attr stmtattr;
	uint32_t stmt;			/* number of the statement in hand */
	bool committed, speculated, recorded;

	/* the program */
	DT_VEC(struct dt_ecb) ecbs;
	DT_VEC(struct dt_aggvar) aggvars;
	DT_VEC(const struct dt_difo *) listing;	/* what -S shows, in order */
	struct dt_attr progdesc, progstmt;
	bool destructive;
};

void dt_sema_init(struct dt_sema *, struct dt_compiler *, struct dt_arena *, struct dt_diag *);
/* The whole program: s->ecbs and the rest are filled; dt_sema_program() then makes a dt_prog of it. */
void dt_sema_unit(struct dt_sema *, const struct dt_unit *);
struct dt_prog *dt_sema_program(struct dt_sema *);
/* One expression or type name outside any clause. */
struct dt_node *dt_sema_expr_only(struct dt_sema *, const struct dt_node *);
const struct dt_type *dt_sema_type(struct dt_sema *, const struct dt_tname *);

/* ---- names (names.c) ---- */
/* NULL: unknown, also after asking the libraries */
struct dt_ident *dt_names_global(struct dt_sema *, const char *name);
struct dt_ident *dt_names_peek(struct dt_sema *, const char *name);	/* without loading a library */
/* self-> and this->; NULL: unknown */
struct dt_ident *dt_names_var(struct dt_sema *, enum dt_scope, const char *name);
struct dt_ident *dt_names_create(struct dt_sema *, enum dt_scope, const char *name, bool array,
    struct dt_loc);
struct dt_ident *dt_names_agg(struct dt_sema *, const char *name, bool create, struct dt_loc);
/* clause-local of our own */
struct dt_ident *dt_names_hidden(struct dt_sema *, const char *stem, const struct dt_type *);
/* what may have been meant; NULL unknown */
const char *dt_names_hint(struct dt_sema *, const char *name, const char *near);
/* D_IDENT_UNDEF with a suggestion */
_Noreturn void dt_names_undefined(struct dt_sema *, const struct dt_node *);
/* of a variable; D_VAR_UNDEF */
const struct dt_type *dt_names_type(struct dt_sema *, struct dt_ident *, struct dt_loc);
const char *dt_names_spelled(struct dt_sema *, const struct dt_ident *);	/* "self->x" */
/* A type by the text of a prototype: "string", "struct task_struct *". */
const struct dt_type *dt_sema_text_type(struct dt_sema *, const char *text, size_t len);

/* ---- declarations (decl.c) ---- */
enum dt_decl_use { DT_DU_OBJECT, DT_DU_TYPENAME, DT_DU_PARAM, DT_DU_MEMBER, DT_DU_TYPEDEF };
const struct dt_type *dt_decl_type(struct dt_sema *, const struct dt_decl *, enum dt_decl_use);
/* pid123`type_t: is it of a process? The type, or D_UNKNOWN. */
bool dt_decl_in_process(const char *text);
const struct dt_type *dt_decl_process_type(struct dt_sema *, enum dt_tkind, const char *text, struct dt_loc);
void dt_decl_global(struct dt_sema *, const struct dt_ext *);
void dt_decl_inline(struct dt_sema *, const struct dt_ext *);
void dt_decl_provider(struct dt_sema *, const struct dt_ext *);
void dt_decl_translator(struct dt_sema *, const struct dt_ext *);
void dt_pragma_apply(struct dt_sema *, const struct dt_ext *);
/* pending pragmas for a new name; true: attr was set */
bool dt_pragma_claim(struct dt_sema *, const char *name, struct dt_attr *, uint32_t *version);
void dt_pragma_finish(struct dt_sema *);	/* D_PRAGMA_UNUSED */
uint64_t dt_decl_const(struct dt_sema *, const struct dt_node *, enum dt_tag, const char *what,
    bool *is_signed);

/* ---- expressions ---- */
/* Types a (cloned) tree; returns the node to use in its place. */
struct dt_node *dt_expr(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_binary(struct dt_sema *, struct dt_node *);
/* typed: one of that enum's, or what it is */
struct dt_node *dt_expr_enumerator(struct dt_sema *, const struct dt_type *, struct dt_node *);
struct dt_node *dt_expr_unary(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_assign(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_cond(struct dt_sema *, struct dt_node *);
/* the arm that a constant condition takes, untyped; else the node */
struct dt_node *dt_expr_picked(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_member(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_index(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_call(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_cast(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_xlate(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_args(struct dt_sema *, struct dt_node *);
/* of = and ++: may create variables */
struct dt_node *dt_expr_lvalue(struct dt_sema *, struct dt_node *, bool define);
/*
 * A variable without a type yet, created where its name allows that: its ident is set, and the caller
 * gives both a type.
 */
bool dt_expr_untyped(struct dt_sema *, struct dt_node *);
/* as dt_expr(); such a variable becomes int64_t */
struct dt_node *dt_expr_named(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_inline(struct dt_sema *, struct dt_node *, struct dt_ident *);
struct dt_node *dt_expr_xmember(struct dt_sema *, struct dt_node *xlate, const struct dt_node *member);
/* struct value, or D_CG_DYN */
struct dt_node *dt_expr_xwhole(struct dt_sema *, struct dt_node *xlate);
/* The translation of n->a to the struct or pointer `to`; no translator fails with that tag. */
struct dt_node *dt_expr_translated(struct dt_sema *, struct dt_node *, const struct dt_type *to,
    enum dt_tag missing);
/* typed already; a translated object becomes a struct, or is refused */
struct dt_node *dt_expr_value(struct dt_sema *, struct dt_node *);
bool dt_expr_is_action(const struct dt_node *);
struct dt_node *dt_expr_no_action(struct dt_sema *, struct dt_node *);	/* typed already; D_CG_EXPR */
/* its type; int for a bit-field that fits one */
const struct dt_type *dt_expr_promoted(struct dt_sema *, const struct dt_node *);
/* a value; a bit-field that fits an int is one */
struct dt_node *dt_expr_operand(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_int(struct dt_sema *, struct dt_loc, uint64_t value, const struct dt_type *);
/* another type, the same 64 bits */
struct dt_node *dt_expr_whole(struct dt_sema *, struct dt_node *, const struct dt_type *);
/* inserts a cast where needed */
struct dt_node *dt_expr_convert(struct dt_sema *, struct dt_node *, const struct dt_type *);
struct dt_node *dt_expr_copy(struct dt_sema *, const struct dt_node *);	/* deep, with its types */
/* makes the node a bit-field */
void dt_expr_bits(struct dt_sema *, struct dt_node *, const struct dt_member *);
/* The string at a user address: what stringof() of userland means. */
/* a string with the process behind it */
struct dt_node *dt_expr_with_pid(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_copyinstr(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_copyin(struct dt_sema *, struct dt_node *addr, uint64_t size);
/* checks or fixes the key signature */
void dt_expr_keys(struct dt_sema *, struct dt_ident *, struct dt_node *index, const char *what);
void dt_expr_object(struct dt_sema *, struct dt_node *);	/* sets DT_NF_REF, DT_NF_USER from the type */

/* Folds n when its operands are constant; always returns the node to use. */
struct dt_node *dt_fold_binary(struct dt_sema *, struct dt_node *);
struct dt_node *dt_fold_unary(struct dt_sema *, struct dt_node *);
uint64_t dt_fold_narrow(struct dt_sema *, uint64_t value, const struct dt_type *);
uint64_t dt_fold_cast(struct dt_sema *, const struct dt_node *constant, const struct dt_type *to);
bool dt_node_is_const(const struct dt_node *);		/* DT_N_INT */
bool dt_node_is_null(const struct dt_node *);		/* integer constant 0 */
int64_t dt_node_int(const struct dt_node *);

/* Compatibility (compat.c). */
/* of a operator b */
const struct dt_type *dt_compat_arith(struct dt_sema *, const struct dt_type *, const struct dt_type *);
const struct dt_type *dt_compat_promote(struct dt_sema *, const struct dt_type *);
bool dt_compat_ptr(struct dt_sema *, const struct dt_node *, const struct dt_node *,
    const struct dt_type **result);
/* argument, key, assignment */
bool dt_compat_arg(struct dt_sema *, const struct dt_type *want, const struct dt_node *);
bool dt_compat_types(const struct dt_type *, const struct dt_type *);

/* ---- stability (attr.c) ---- */
struct dt_attr dt_attr_min(struct dt_attr, struct dt_attr);
bool dt_attr_less(struct dt_attr, struct dt_attr);
bool dt_attr_parse(const char *text, struct dt_attr *);
size_t dt_attr_str(struct dt_attr, char *buf, size_t len);
void dt_attr_check(struct dt_sema *, struct dt_attr, struct dt_loc, const char *what);	/* D_ATTR_MIN */
/* lowers the statement's; D_ATTR_MIN */
void dt_attr_use(struct dt_sema *, struct dt_attr, struct dt_loc, const char *what);
struct dt_attr dt_attr_probe(struct dt_sema *, const struct dt_pdesc *);
const struct dt_provider_attrs *dt_attr_provider(struct dt_sema *, const char *provider);
extern const struct dt_attr dt_attr_max, dt_attr_stable, dt_attr_private;

/* ---- for the rows of actions (clause.c) ---- */
unsigned dt_call_nargs(const struct dt_node *call);
/*
 * Types the arguments of an action; aggregations are left for dt_act_agg(); key actions (stack() …) are
 * allowed when `keys`.
 */
void dt_act_args(struct dt_sema *, struct dt_node *call, bool keys);
/* new action of the statement in hand */
struct dt_act *dt_act_add(struct dt_sema *, enum dt_actkind, struct dt_loc);
/* New action of that kind whose DIFO computes the value. */
struct dt_act *dt_act_expr(struct dt_sema *, enum dt_actkind, const struct dt_node *);
/* not listed by -S */
struct dt_act *dt_act_const(struct dt_sema *, enum dt_actkind, uint64_t value, uint32_t size, struct dt_loc);
/* A value that may be a key action: stack(), sym(x) … make actions of their own kind. */
struct dt_act *dt_act_value(struct dt_sema *, enum dt_actkind, struct dt_node *);
/* The aggregation an argument names; fails with the given tags. */
struct dt_ident *dt_act_agg(struct dt_sema *, struct dt_node *arg, enum dt_tag notagg, enum dt_tag undefined,
    const char *what);
/* order rules for data-recording actions */
void dt_act_records(struct dt_sema *, struct dt_loc, const char *what);
/* order rules for other actions */
void dt_act_plain(struct dt_sema *, struct dt_loc, const struct dt_builtin *);
/* Prototype check of a call against row->proto; arguments typed already. Casts are inserted. */
void dt_call_check(struct dt_sema *, struct dt_node *call, const struct dt_builtin *);
/* Type a call has when it is a key action: stack, symaddr …; NULL when it is none. */
const struct dt_type *dt_call_keytype(struct dt_sema *, const struct dt_builtin *);

#endif
