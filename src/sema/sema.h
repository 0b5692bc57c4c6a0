/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Semantic analysis. A parsed program comes in; typed trees and the clauses of the program go out.
 * struct dt_compiler outlives one program: it holds the names, types and translators of a handle.
 * struct dt_sema lives for one compile. Every error leaves through dt_fail(), which jumps to the entry
 * of the compile, so no function here returns a failure.
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

struct dt_declared {			/* declared by D: provider name { … } */
	const char *name;
	struct dt_loc loc;
	struct dt_provider_attrs attrs;
	bool has_attrs;
	struct dt_map probes;		/* name with - → struct dt_probe_sig */
	bool library;
};

/* Return false to end the walk. */
typedef bool dt_pdesc_f(void *ctx, const struct dt_pdesc *);

/*
 * What the compiler asks of the floors above it. Each callback may be NULL: the answer is then "none".
 */
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
	/* Offers every name that a library declares, for suggestions. */
	void (*library_names)(void *ctx, struct dt_near *);
	/* Typed arguments and stability of a probe no D text declares (fbt, sdt …). NULL: none known. */
	const struct dt_probe_sig *(*signature)(void *ctx, const struct dt_pdesc *);
	/*
	 * Calls f (may be NULL) for each probe that the description matches. False: there is none; *why
	 * (may be NULL) gets the reason or NULL, *tag what kind of error that is.
	 */
	bool (*probes)(void *ctx, const struct dt_pdesc *, dt_pdesc_f *f, void *arg, const char **why,
	    enum dt_tag *tag);
	/* Declared stability of a provider, or NULL. */
	const struct dt_provider_attrs *(*attributes)(void *ctx, const char *provider);
	/*
	 * True if the provider's probes fire in several processes and its name carries the process
	 * number.
	 */
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

/* The names and options of a handle. A compile that fails is undone with dt_compiler_cut(). */
struct dt_compiler {
	struct dt_arena *arena;
	struct dt_arena *scratch;	/* trees of the clause in hand; emptied for the next */
	struct dt_types *types;
	/* Names without their prefix -> struct dt_ident; providers -> struct dt_declared. */
	struct dt_map globals, tls, locals, aggs, providers;
	struct dt_xlator *xlators;
	uint32_t next_id[3];		/* by enum dt_scope */
	/* The next numbers to give out; all programs of the handle share them. */
	uint32_t next_agg, next_stmt, next_hidden;
	struct dt_services services;
	uint32_t version;		/* names bound later than this do not exist */
	/* options */
	uint32_t strsize;
	unsigned iregs, tregs;
	bool has_amin;
	struct dt_attr amin;
	uint32_t stackframes, ustackframes, jstackframes, jstackstrsize, scratchsize;
	uint32_t maxframes;		/* of all stacks; 0: no limit */
};

void dt_compiler_init(struct dt_compiler *, struct dt_arena *, struct dt_arena *scratch, struct dt_types *);
/* Undoes a failed compile: take a mark before it, cut back to the mark after it. Arena memory stays. */
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

/* A struct or union whose body is being read. Inside the body its name means this incomplete type. */
struct dt_opening {
	const struct dt_type *type;
	struct dt_opening *next;
};

struct dt_bind {			/* a parameter in force while its body is typed */
	struct dt_ident *ident;
	struct dt_bind *next;
};

/* One compile. Everything below `keep` is freed with the program's arena. */
struct dt_sema {
	struct dt_compiler *cc;
	struct dt_arena *keep;		/* the program's arena: what the program refers to */
	/*
	 * For trees and texts: `keep` outside clauses; inside a clause cc->scratch, emptied for each
	 * probe
	 */
	struct dt_arena *arena;
	struct dt_diag *diag;
	struct dt_types *types;
	bool library;			/* names declared belong to a library */
	bool lazy;			/* our own library: bodies are checked where they are used */
	bool unmatched;			/* descriptions may match nothing: -Z, or no one to ask */
	bool cdefs;			/* inside an #include: declarations are C declarations */

	struct dt_pending *pending;
	struct dt_bind *binds;
	struct dt_opening *opening;
	unsigned expanding;		/* depth of inline and translator expansion */
	unsigned expansions;		/* made so far for the outermost use; see MAX_EXPANSIONS */
	/*
	 * > 0 inside a name whose stability is declared: what its body uses does not lower the
	 * statement
	 */
	unsigned sheltered;

	/* The current clause and probe description; NULL outside a clause */
	const struct dt_ext *clause;
	const struct dt_pdesc *probe;
	struct dt_cg_opts cg;
	DT_VEC(struct dt_act) acts;
	struct dt_attr stmtattr;
	uint32_t stmt;			/* number of the statement in hand */
	/* The clause has committed, speculated, recorded: the order rules need it. */
	bool committed, speculated, recorded;

	/* the program */
	DT_VEC(struct dt_ecb) ecbs;
	DT_VEC(struct dt_aggvar) aggvars;
	DT_VEC(const struct dt_difo *) listing;	/* what -S shows, in order */
	struct dt_attr progdesc, progstmt;
	bool destructive;
};

void dt_sema_init(struct dt_sema *, struct dt_compiler *, struct dt_arena *, struct dt_diag *);
/*
 * Compiles the whole program into s->ecbs and its neighbours; dt_sema_program() then builds the
 * dt_prog.
 */
void dt_sema_unit(struct dt_sema *, const struct dt_unit *);
struct dt_prog *dt_sema_program(struct dt_sema *);
/* Types one expression, or one type name, outside any clause. */
struct dt_node *dt_sema_expr_only(struct dt_sema *, const struct dt_node *);
const struct dt_type *dt_sema_type(struct dt_sema *, const struct dt_tname *);

/* ---- names (names.c) ---- */
/* Finds a global name; loads the library that declares it if needed. NULL: unknown. */
struct dt_ident *dt_names_global(struct dt_sema *, const char *name);
/* The same without loading a library. */
struct dt_ident *dt_names_peek(struct dt_sema *, const char *name);
/* Finds self->name or this->name; NULL: unknown */
struct dt_ident *dt_names_var(struct dt_sema *, enum dt_scope, const char *name);
/* Creates a variable; the caller sets its type. D_ID_OFLOW when the numbers of the scope run out. */
struct dt_ident *dt_names_create(struct dt_sema *, enum dt_scope, const char *name, bool array,
    struct dt_loc);
/* Finds an aggregation; `create` makes it when it is new, otherwise NULL. */
struct dt_ident *dt_names_agg(struct dt_sema *, const char *name, bool create, struct dt_loc);
/* Creates a clause-local variable that no D text can name */
struct dt_ident *dt_names_hidden(struct dt_sema *, const char *stem, const struct dt_type *);
/* A hint such as "did you mean `execname`?"; NULL: nothing comes near */
const char *dt_names_hint(struct dt_sema *, const char *name, const char *near);
/* What Linux has in place of a symbol of another system's kernel; NULL: we know of none. */
const char *dt_names_symbol_hint(const char *name);
/* Fails with D_IDENT_UNDEF and a suggestion */
_Noreturn void dt_names_undefined(struct dt_sema *, const struct dt_node *);
/* The type of a variable; D_VAR_UNDEF when it has none yet */
const struct dt_type *dt_names_type(struct dt_sema *, struct dt_ident *, struct dt_loc);
const char *dt_names_spelled(struct dt_sema *, const struct dt_ident *);	/* "self->x" */
/* Parses the type in a prototype's text: "string", "struct task_struct *". */
const struct dt_type *dt_sema_text_type(struct dt_sema *, const char *text, size_t len);

/* ---- declarations (decl.c) ---- */
/* Where a declaration stands: decides whether [ ] may be open and whether arrays become pointers. */
enum dt_decl_use { DT_DU_OBJECT, DT_DU_TYPENAME, DT_DU_PARAM, DT_DU_MEMBER, DT_DU_TYPEDEF };
const struct dt_type *dt_decl_type(struct dt_sema *, const struct dt_decl *, enum dt_decl_use);
/*
 * Does the text name a type of a process (pid123`type_t)? The second gives the type or fails with
 * D_UNKNOWN.
 */
bool dt_decl_in_process(const char *text);
const struct dt_type *dt_decl_process_type(struct dt_sema *, enum dt_tkind, const char *text, struct dt_loc);
void dt_decl_global(struct dt_sema *, const struct dt_ext *);
void dt_decl_inline(struct dt_sema *, const struct dt_ext *);
void dt_decl_provider(struct dt_sema *, const struct dt_ext *);
void dt_decl_translator(struct dt_sema *, const struct dt_ext *);
/* Applies a #pragma D of the program. */
void dt_pragma_apply(struct dt_sema *, const struct dt_ext *);
/* Takes the pending pragmas of a name that is being created; true: *attr was set */
bool dt_pragma_claim(struct dt_sema *, const char *name, struct dt_attr *, uint32_t *version);
/* dt_parse.pragma: fails with D_PRAGMA_INVAL */
void dt_pragma_check(struct dt_diag *, const struct dt_word *words);
/* Fails with D_PRAGMA_UNUSED if a pragma names nothing. */
void dt_pragma_finish(struct dt_sema *);
/* Evaluates a constant expression; fails with the tag if it is not constant. is_signed may be NULL. */
uint64_t dt_decl_const(struct dt_sema *, const struct dt_node *, enum dt_tag, const char *what,
    bool *is_signed);

/* ---- expressions ---- */
/*
 * Types a cloned tree and returns the node that replaces it. A node that has a type is returned as it
 * is.
 */
struct dt_node *dt_expr(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_binary(struct dt_sema *, struct dt_node *);
/*
 * A bare name that is an enumerator of the enum type becomes its constant; anything else is typed as
 * usual
 */
struct dt_node *dt_expr_enumerator(struct dt_sema *, const struct dt_type *, struct dt_node *);
struct dt_node *dt_expr_unary(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_assign(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_cond(struct dt_sema *, struct dt_node *);
/* Returns the arm that a constant condition selects, untyped; otherwise the node itself */
struct dt_node *dt_expr_picked(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_member(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_index(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_call(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_xlate(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_args(struct dt_sema *, struct dt_node *);
/* The left side of = and ++; `define` lets it create the variable */
struct dt_node *dt_expr_lvalue(struct dt_sema *, struct dt_node *, bool define);
/*
 * True if the node names a variable that has no type yet, creating it where the name allows that. The
 * node's ident is set; the caller must give node and ident a type.
 */
bool dt_expr_untyped(struct dt_sema *, struct dt_node *);
/* As dt_expr(), but a variable without a type becomes int64_t */
struct dt_node *dt_expr_named(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_inline(struct dt_sema *, struct dt_node *, struct dt_ident *);
struct dt_node *dt_expr_xmember(struct dt_sema *, struct dt_node *xlate, const struct dt_node *member);
/* The whole translated struct as a value; D_CG_DYN for a translated pointer */
struct dt_node *dt_expr_xwhole(struct dt_sema *, struct dt_node *xlate);
/*
 * Attaches the translator from n->a to the struct or pointer `to`; fails with the tag if there is none.
 */
struct dt_node *dt_expr_translated(struct dt_sema *, struct dt_node *, const struct dt_type *to,
    enum dt_tag missing);
/* For a typed node: a translated object becomes a struct value, or is refused */
struct dt_node *dt_expr_value(struct dt_sema *, struct dt_node *);
bool dt_expr_is_action(const struct dt_node *);
/* For a typed node: fails with D_CG_EXPR if it is an action. */
struct dt_node *dt_expr_no_action(struct dt_sema *, struct dt_node *);
/* The node's type, or int for a bit-field that fits an int */
const struct dt_type *dt_expr_promoted(struct dt_sema *, const struct dt_node *);
/* The node as an operand: translated objects become values, narrow bit-fields become int */
struct dt_node *dt_expr_operand(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_int(struct dt_sema *, struct dt_loc, uint64_t value, const struct dt_type *);
/* Gives the node another type and keeps all 64 bits */
struct dt_node *dt_expr_whole(struct dt_sema *, struct dt_node *, const struct dt_type *);
/* Inserts a cast where the types differ */
struct dt_node *dt_expr_convert(struct dt_sema *, struct dt_node *, const struct dt_type *);
struct dt_node *dt_expr_copy(struct dt_sema *, const struct dt_node *);	/* deep, with its types */
/* Turns the node into a bit-field access */
void dt_expr_bits(struct dt_sema *, struct dt_node *, const struct dt_member *);
/* strjoin(n, lltostr(pid)): the name of a provider in one process */
struct dt_node *dt_expr_with_pid(struct dt_sema *, struct dt_node *);
/* The string, or `size` bytes, at a user address: what stringof() and * mean for userland. */
struct dt_node *dt_expr_copyinstr(struct dt_sema *, struct dt_node *);
struct dt_node *dt_expr_copyin(struct dt_sema *, struct dt_node *addr, uint64_t size);
/* Fixes the key signature of a new array, or checks the keys against it */
void dt_expr_keys(struct dt_sema *, struct dt_ident *, struct dt_node *index, const char *what);
/* Sets DT_NF_REF and DT_NF_USER from the node's type. */
void dt_expr_object(struct dt_sema *, struct dt_node *);

/* Folds n when its operands are constant; always returns the node to use. */
struct dt_node *dt_fold_binary(struct dt_sema *, struct dt_node *);
struct dt_node *dt_fold_text(struct dt_sema *, struct dt_node *);	/* a comparison of strings */
struct dt_node *dt_fold_unary(struct dt_sema *, struct dt_node *);
/* Cuts a value to what an object of the type holds, then widens it to 64 bits again. */
uint64_t dt_fold_narrow(struct dt_sema *, uint64_t value, const struct dt_type *);
uint64_t dt_fold_cast(struct dt_sema *, const struct dt_node *constant, const struct dt_type *to);
bool dt_node_is_const(const struct dt_node *);		/* DT_N_INT */
bool dt_node_is_null(const struct dt_node *);		/* integer constant 0 */
int64_t dt_node_int(const struct dt_node *);

/* Compatibility (compat.c). */
/* The result type of an arithmetic operator on two integers */
const struct dt_type *dt_compat_arith(struct dt_sema *, const struct dt_type *, const struct dt_type *);
const struct dt_type *dt_compat_promote(struct dt_sema *, const struct dt_type *);
bool dt_compat_ptr(struct dt_sema *, const struct dt_node *, const struct dt_node *,
    const struct dt_type **result);
/* May the value be passed, used as a key, or assigned where `want` is expected? */
bool dt_compat_arg(struct dt_sema *, const struct dt_type *want, const struct dt_node *);
bool dt_compat_types(const struct dt_type *, const struct dt_type *);

/* ---- stability (attr.c) ---- */
struct dt_attr dt_attr_min(struct dt_attr, struct dt_attr);
bool dt_attr_parse(const char *text, struct dt_attr *);
size_t dt_attr_str(struct dt_attr, char *buf, size_t len);
/* Fails with D_ATTR_MIN if the stability is below -x amin. */
void dt_attr_check(struct dt_sema *, struct dt_attr, struct dt_loc, const char *what);
/* Lowers the stability of the current statement; D_ATTR_MIN as above */
void dt_attr_use(struct dt_sema *, struct dt_attr, struct dt_loc, const char *what);
struct dt_attr dt_attr_probe(struct dt_sema *, const struct dt_pdesc *);
const struct dt_provider_attrs *dt_attr_provider(struct dt_sema *, const char *provider);
extern const struct dt_attr dt_attr_max, dt_attr_stable, dt_attr_private;

/* ---- for the rows of actions (clause.c) ---- */
unsigned dt_call_nargs(const struct dt_node *call);
/*
 * Types the arguments of an action. Aggregations are left for dt_act_agg(); with `keys`, key actions
 * such as stack() are allowed as arguments.
 */
void dt_act_args(struct dt_sema *, struct dt_node *call, bool keys);
/* Appends an action to the current statement. The pointer is good until the next action is added. */
struct dt_act *dt_act_add(struct dt_sema *, enum dt_actkind, struct dt_loc);
/* Appends an action whose DIFO computes the value. */
struct dt_act *dt_act_expr(struct dt_sema *, enum dt_actkind, const struct dt_node *);
/* Appends an action with a constant; -S does not list it */
struct dt_act *dt_act_const(struct dt_sema *, enum dt_actkind, uint64_t value, uint32_t size, struct dt_loc);
/* Appends an action for a value; a key action (stack(), sym(x)) becomes an action of its own kind. */
struct dt_act *dt_act_value(struct dt_sema *, enum dt_actkind, struct dt_node *);
/* The aggregation that an argument names; fails with the given tags. */
struct dt_ident *dt_act_agg(struct dt_sema *, struct dt_node *arg, enum dt_tag notagg, enum dt_tag undefined,
    const char *what);
/* Enforces the order rules for other actions */
void dt_act_plain(struct dt_sema *, struct dt_loc, const struct dt_builtin *);
/* Checks a call, whose arguments are typed, against row->proto and inserts casts. */
void dt_call_check(struct dt_sema *, struct dt_node *call, const struct dt_builtin *);
/* The type of a key action as a key: stack, symaddr …; NULL if the row is not a key action. */
const struct dt_type *dt_call_keytype(struct dt_sema *, const struct dt_builtin *);

#endif
