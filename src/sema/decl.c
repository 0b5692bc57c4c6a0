/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations at the outer level come in; variables, typedefs, externals, inlines and providers of the
 * compiler go out. All of them live in cc->arena: they outlast the program.
 */
#include "sema/sema.h"

#include <ctype.h>

/* Names of declarations never carry a module. */
static void check_name(struct dt_sema *s, const struct dt_decl *d)
{
	if (d->name != NULL && strchr(d->name, '`') != NULL)
		dt_fail(s->diag, D_DECL_SCOPE, d->loc,
		    "D scoping operator may not be used in a declaration: %s", d->name);
}

/* Only an object of known size can be declared. */
static void check_object(struct dt_sema *s, const struct dt_decl *d, const struct dt_type *t)
{
	const struct dt_type *b = dt_type_complete(s->types, dt_type_base(t));

	if (b->kind == DT_T_VOID)
		dt_fail(s->diag, D_DECL_VOIDOBJ, d->loc, "cannot declare object %s of type void", d->name);
	if (b->incomplete)
		dt_fail(s->diag, D_DECL_INCOMPLETE, d->loc, "incomplete struct/union/enum %s: %s",
		    dt_type_str(s->arena, t), d->name);
}

/* ---- variables ---- */

struct signature {		/* what is declared: a value type, and keys for an associative array */
	const struct dt_type *type;
	bool array;
	uint32_t nkeys;
	const struct dt_type **keys;
};

/* A key of int x[string, int] has a type and nothing else. */
static const struct dt_type *key_type(struct dt_sema *s, const struct dt_decl *p)
{
	const struct dt_type *t = dt_decl_type(s, p, DT_DU_PARAM);

	if (dt_type_is_void(t))
		dt_fail(s->diag, D_DECL_PROTO_TYPE, p->loc, "a key of an associative array cannot be void");
	if (p->name != NULL)
		dt_fail(s->diag, D_DECL_PROTO_NAME, p->loc,
		    "a key of an associative array has a type, but no name: %s", p->name);
	return t;
}

/* int x[string]: the parser gives [ ] parameters only when they are types. */
static bool is_assoc(const struct dt_decl *d)
{
	return d->declr != NULL && d->declr->kind == DT_DR_ARRAY &&
	    (d->declr->params != NULL || d->declr->varargs);
}

/* Fills *sig; its keys are kept in cc->arena. */
static void read_signature(struct dt_sema *s, const struct dt_decl *d, struct signature *sig)
{
	struct dt_decl value = *d;
	uint32_t i = 0;

	memset(sig, 0, sizeof(*sig));
	if (!is_assoc(d)) {
		sig->type = dt_decl_type(s, d, DT_DU_OBJECT);
		return;
	}
	if (d->declr->varargs)
		dt_fail(s->diag, D_DECL_PROTO_VARARGS, d->loc,
		    "an associative array has a fixed number of keys, not ...");
	/* The element type is the declarator without its outermost [ ]. */
	value.declr = d->declr->next;
	sig->type = dt_decl_type(s, &value, DT_DU_OBJECT);
	sig->array = true;
	for (const struct dt_decl *p = d->declr->params; p != NULL; p = p->next)
		sig->nkeys++;
	if (sig->nkeys > DT_DIF_NTREGS)
		dt_fail(s->diag, D_DECL_PROTO_FORM, d->loc, "%s: associative arrays have at most %d keys",
		    d->name, DT_DIF_NTREGS);
	sig->keys = DT_NEWN(s->cc->arena, const struct dt_type *, sig->nkeys);
	for (const struct dt_decl *p = d->declr->params; p != NULL; p = p->next)
		sig->keys[i++] = key_type(s, p);
}

/* A variable may be declared twice if both declarations say the same. */
static bool same_declaration(const struct dt_ident *id, const struct signature *sig)
{
	if ((id->kind == DT_ID_ARRAY) != sig->array || id->type == NULL || !dt_type_same(id->type, sig->type))
		return false;
	if (sig->array && (!id->keyed || id->nkeys != sig->nkeys))
		return false;
	for (uint32_t i = 0; sig->array && i < sig->nkeys; i++)
		if (!dt_type_same(id->keys[i], sig->keys[i]))
			return false;
	return true;
}

/* "int [string, int]": for messages about redeclarations. */
static const char *signature_str(struct dt_sema *s, const struct dt_type *type, bool array,
    const struct dt_type *const *keys, uint32_t nkeys)
{
	const char *text = type != NULL ? dt_type_str(s->arena, type) : "a name without a type";

	for (uint32_t i = 0; array && i < nkeys; i++)
		text = dt_arena_printf(s->arena, "%s%s%s%s", text, i == 0 ? " [" : ", ",
		    dt_type_str(s->arena, keys[i]), i + 1 == nkeys ? "]" : "");
	return text;
}

/* Fails unless the declaration repeats what is known. Built-ins may not even be repeated. */
static void check_redeclared(struct dt_sema *s, const struct dt_decl *d, const struct dt_ident *id,
    const struct signature *sig)
{
	if (id->row != NULL)
		dt_fail(s->diag, D_DECL_IDRED, d->loc, "built-in identifier redeclared: %s", d->name);
	if ((id->kind != DT_ID_SCALAR && id->kind != DT_ID_ARRAY) || !same_declaration(id, sig))
		dt_fail(s->diag, D_DECL_IDRED, d->loc,
		    "identifier redeclared: %s\n\t current: %s\n\tprevious: %s",
		    d->specs->storage == DT_ST_SELF || d->specs->storage == DT_ST_THIS ?
			dt_names_spelled(s, id) :
			d->name,
		    signature_str(s, sig->type, sig->array, sig->keys, sig->nkeys),
		    signature_str(s, id->type, id->kind == DT_ID_ARRAY, id->keys, id->nkeys));
}

/* Declares x, self->x or this->x; a second declaration must equal the first. */
static void declare_variable(struct dt_sema *s, const struct dt_decl *d)
{
	enum dt_scope scope = d->specs->storage == DT_ST_SELF ? DT_SCOPE_THREAD :
	    d->specs->storage == DT_ST_THIS ? DT_SCOPE_CLAUSE : DT_SCOPE_GLOBAL;
	struct signature sig;
	struct dt_ident *id;

	if (is_assoc(d) && scope == DT_SCOPE_CLAUSE)
		dt_fail(s->diag, D_DECL_LOCASSC, d->loc, "cannot declare this->%s as an associative array",
		    d->name);
	read_signature(s, d, &sig);
	check_object(s, d, sig.type);
	if (scope == DT_SCOPE_GLOBAL && dt_types_declared(s->types, NULL, DT_T_TYPEDEF, d->name) != NULL)
		dt_fail(s->diag, D_DECL_IDRED, d->loc, "typedef identifier redeclared: %s", d->name);
	/* dt_names_global() may load a library: a name that our libraries declare is taken. */
	id = scope == DT_SCOPE_GLOBAL ? dt_names_global(s, d->name) : dt_names_var(s, scope, d->name);
	if (id != NULL) {
		check_redeclared(s, d, id, &sig);
		id->declared = true;
		return;
	}
	id = dt_names_create(s, scope, d->name, sig.array, d->loc);
	id->type = sig.type;
	id->declared = true;
	id->keyed = sig.array;
	id->nkeys = sig.nkeys;
	id->keys = sig.keys;
}


/* ---- typedef and extern ---- */

/* A repeated typedef must name the same type. */
static void declare_typedef(struct dt_sema *s, const struct dt_decl *d)
{
	const char *module = s->cdefs ? "C" : "D";
	const struct dt_type *old = dt_types_declared(s->types, module, DT_T_TYPEDEF, d->name);
	const struct dt_type *t = dt_decl_type(s, d, DT_DU_TYPEDEF);

	if (is_assoc(d))
		dt_fail(s->diag, D_DECL_DYNOBJ, d->loc, "a typedef cannot name an associative array: %s",
		    d->name);
	if (dt_names_peek(s, d->name) != NULL)
		dt_fail(s->diag, D_DECL_IDRED, d->loc, "global variable identifier redeclared as a type: %s",
		    d->name);
	if (old != NULL && dt_type_same(old, t))
		return;
	if (old != NULL)
		dt_fail(s->diag, D_DECL_IDRED, d->loc, "typedef redeclared: %s", d->name);
	dt_type_typedef(s->types, module, d->name, t);
}

/* A symbol of the kernel whose type the program declares; functions are declared in the same way. */
static void declare_extern(struct dt_sema *s, const struct dt_decl *d)
{
	const struct dt_type *t = dt_decl_type(s, d, DT_DU_TYPEDEF);
	struct dt_ident *id = dt_names_peek(s, d->name);

	if (!dt_type_is_void(t) && dt_type_base(t)->kind != DT_T_FUNC)
		check_object(s, d, t);
	if (dt_type_is_void(t))
		dt_fail(s->diag, D_DECL_VOIDOBJ, d->loc, "cannot declare object %s of type void", d->name);
	/* a header may declare printf() or index(), and so may a program: D's own stays */
	if (id != NULL && id->row != NULL &&
	    (s->cdefs || (id->kind == DT_ID_FUNC && dt_type_base(t)->kind == DT_T_FUNC)))
		return;
	if (id != NULL) {
		if (id->kind != DT_ID_SYMBOL || !dt_type_same(id->type, t))
			dt_fail(s->diag, D_DECL_IDRED, d->loc,
			    "identifier redeclared: %s\n\t current: extern %s\n\tprevious: %s%s", d->name,
			    dt_type_str(s->arena, t), id->kind == DT_ID_SYMBOL ? "extern " : "",
			    signature_str(s, id->type, id->kind == DT_ID_ARRAY, id->keys, id->nkeys));
		return;
	}
	id = DT_NEW(s->cc->arena, struct dt_ident);
	id->name = dt_arena_strdup(s->cc->arena, d->name);
	id->kind = DT_ID_SYMBOL;
	id->type = t;
	id->attr = dt_attr_private;
	id->loc = d->loc;
	id->library = s->library;
	dt_map_put(&s->cc->globals, id->name, id);
}

/* A function without `extern` is still only declared: D has no functions of its own. */
static bool is_function(const struct dt_decl *d)
{
	return d->declr != NULL && d->declr->kind == DT_DR_FUNC;
}

/* The storage class says what kind of declaration it is; static and auto mean nothing in D. */
static void declare_name(struct dt_sema *s, const struct dt_decl *d)
{
	check_name(s, d);
	switch (d->specs->storage) {
	case DT_ST_TYPEDEF:
		declare_typedef(s, d);
		return;
	case DT_ST_EXTERN:
		declare_extern(s, d);
		return;
	case DT_ST_STATIC:
		if (is_function(d)) {
			declare_extern(s, d);
			return;
		}
		/* fallthrough */
	case DT_ST_AUTO: case DT_ST_REGISTER:
		dt_fail(s->diag, D_DECL_BADCLASS, d->loc,
		    "specified storage class is not available in D: use self, this, extern, or none");
	default:
		if (is_function(d) && d->specs->storage == DT_ST_NONE)
			declare_extern(s, d);
		else
			declare_variable(s, d);
	}
}

/* A declaration without a name must at least introduce a struct, union or enum. */
void dt_decl_global(struct dt_sema *s, const struct dt_ext *x)
{
	for (const struct dt_decl *d = x->decls; d != NULL; d = d->next) {
		if (d->name != NULL) {
			declare_name(s, d);
			continue;
		}
		if (d->specs->base != DT_B_STRUCT && d->specs->base != DT_B_UNION &&
		    d->specs->base != DT_B_ENUM)
			dt_fail(s->diag, D_DECL_USELESS, d->loc, "useless declaration: it names nothing");
		(void)dt_decl_type(s, d, DT_DU_TYPENAME);
	}
}

/* ---- inline ---- */

/* Parameters of an inline are written like keys: inline int f[int a, string b] = … */
static void inline_params(struct dt_sema *s, const struct dt_decl *d, struct dt_ident *id)
{
	uint32_t n = 0;

	for (const struct dt_decl *p = d->declr->params; p != NULL; p = p->next)
		n++;
	id->params = DT_NEWN(s->cc->arena, struct dt_ident *, n);
	for (const struct dt_decl *p = d->declr->params; p != NULL; p = p->next) {
		struct dt_ident *param = DT_NEW(s->cc->arena, struct dt_ident);

		if (p->name == NULL)
			dt_fail(s->diag, D_DECL_PROTO_NAME, p->loc, "a parameter of an inline needs a name");
		param->name = p->name;
		param->kind = DT_ID_PARAM;
		param->type = dt_decl_type(s, p, DT_DU_PARAM);
		param->attr = dt_attr_stable;
		if (dt_type_is_void(param->type))
			dt_fail(s->diag, D_DECL_PROTO_VOID, p->loc,
			    "a parameter of an inline cannot be void");
		id->params[id->nparams++] = param;
	}
}

/*
 * Types the body once with unbound parameters, so that an error shows at the declaration. The stability
 * of the statement around it is saved; the inline keeps what its body needs.
 */
static void check_inline(struct dt_sema *s, struct dt_ident *id)
{
	struct dt_bind *saved = s->binds, *binds = NULL;
	struct dt_attr attr = s->stmtattr;
	struct dt_node *body;

	for (uint32_t i = 0; i < id->nparams; i++) {
		struct dt_bind *b = DT_NEW(s->arena, struct dt_bind);

		b->ident = id->params[i];
		b->next = binds;
		binds = b;
	}
	s->binds = binds;
	s->stmtattr = dt_attr_max;
	body = dt_expr(s, dt_node_clone(s->arena, id->body));
	s->binds = saved;
	if (!id->has_attr)
		id->attr = dt_attr_min(dt_attr_stable, s->stmtattr);
	s->stmtattr = attr;
	if (body->kind == DT_N_XLATE ? !dt_type_same(body->type, id->type) :
				       !dt_compat_arg(s, id->type, dt_expr_value(s, body)))
		dt_fail(s->diag, D_OP_INCOMPAT, id->body->loc,
		    "inline %s definition uses incompatible types: \"%s\" = \"%s\"", id->name,
		    dt_type_str(s->arena, id->type), dt_type_str(s->arena, body->type));
}

/*
 * The body stays a tree, which is cloned and typed at each use. The name is entered last: while the
 * body is checked, it does not exist.
 */
void dt_decl_inline(struct dt_sema *s, const struct dt_ext *x)
{
	const struct dt_decl *d = x->decl;
	struct dt_decl value = *d;
	struct dt_ident *id;

	check_name(s, d);
	if (d->specs->storage != DT_ST_NONE)
		dt_fail(s->diag, D_DECL_BADCLASS, d->loc, "invalid storage class for inline");
	if (dt_names_peek(s, d->name) != NULL)
		dt_fail(s->diag, D_DECL_IDRED, d->loc, "identifier redefined: %s", d->name);
	id = DT_NEW(s->cc->arena, struct dt_ident);
	id->name = dt_arena_strdup(s->cc->arena, d->name);
	id->kind = DT_ID_INLINE;
	id->attr = dt_attr_stable;
	id->loc = d->loc;
	id->library = s->library;
	id->body = x->expr;
	if (is_assoc(d)) {
		inline_params(s, d, id);
		value.declr = d->declr->next;
	} else if (d->declr != NULL && d->declr->kind == DT_DR_ARRAY) {
		dt_fail(s->diag, D_DECL_ARRNULL, d->loc,
		    "inline %s cannot be an array; name its parameters in [ ]", d->name);
	}
	id->type = dt_decl_type(s, &value, DT_DU_OBJECT);
	/* A pragma before the declaration sets stability and version. */
	id->has_attr = dt_pragma_claim(s, d->name, &id->attr, &id->version);
	/*
	 * The bodies of our own libraries are checked where they are used: most are never used, and
	 * checking each would read kernel types.
	 */
	if (!s->lazy)
		check_inline(s, id);
	dt_map_put(&s->cc->globals, id->name, id);
}

/* ---- provider ---- */

/* As long as the parts of a probe name may be in DOF; an argument's index fits a byte (sig->map). */
#define NAME_MAX_LEN 63
#define PROBE_MAX_ARGS 255

/* A declared name my__probe is my-probe to the user. Returns the converted copy. */
static const char *probe_name(struct dt_sema *s, const struct dt_probe_decl *p)
{
	char *name = dt_arena_strdup(s->cc->arena, p->name), *to = name;

	if (strchr(p->name, '`') != NULL || strlen(p->name) > NAME_MAX_LEN)
		dt_fail(s->diag, D_PROV_BADNAME, p->loc,
		    "probe name %s is not valid: letters, digits and _, at most %d", p->name, NAME_MAX_LEN);
	for (const char *from = name; *from != '\0'; from++) {
		if (from[0] == '_' && from[1] == '_')
			*to++ = '-', from++;
		else
			*to++ = *from;
	}
	*to = '\0';
	return name;
}

/* The number of parameters; fails if there are too many. */
static uint32_t count_params(struct dt_sema *s, const struct dt_decl *list, bool varargs,
    const struct dt_probe_decl *p)
{
	uint32_t n = 0;

	if (varargs)
		dt_fail(s->diag, D_DECL_PROTO_VARARGS, p->loc, "probe %s cannot take ...", p->name);
	for (const struct dt_decl *d = list; d != NULL; d = d->next)
		n++;
	if (n > PROBE_MAX_ARGS)
		dt_fail(s->diag, D_PROV_PRARGLEN, p->loc, "probe %s has too many arguments: %u, at most %d",
		    p->name, n, PROBE_MAX_ARGS);
	return n;
}

/* f(void) has no parameters. */
static bool only_void(struct dt_sema *s, const struct dt_decl *list)
{
	return list != NULL && list->next == NULL && list->name == NULL && list->declr == NULL &&
	    list->specs->base == DT_B_VOID && dt_type_is_void(dt_decl_type(s, list, DT_DU_PARAM));
}

/* The index of the input that an output argument names. */
static uint8_t input_index(struct dt_sema *s, const struct dt_probe_decl *p, const struct dt_decl *out)
{
	uint32_t i = 0;

	if (out->name == NULL)
		dt_fail(s->diag, D_DECL_PROTO_NAME, out->loc,
		    "probe %s: an output argument needs the name of an input", p->name);
	for (const struct dt_decl *in = p->in; in != NULL; in = in->next, i++)
		if (in->name != NULL && strcmp(in->name, out->name) == 0)
			return (uint8_t)i;
	dt_fail(s->diag, D_DECL_PROTO_FORM, out->loc, "probe %s: output argument %s is not among the inputs",
	    p->name, out->name);
}

/* (void) alone was an empty list before this is called. */
static const struct dt_type *param_type(struct dt_sema *s, const struct dt_decl *d)
{
	const struct dt_type *t = dt_decl_type(s, d, DT_DU_PARAM);

	if (dt_type_is_void(t))
		dt_fail(s->diag, D_DECL_PROTO_VOID, d->loc, "void must be the only parameter");
	return t;
}

/* Fails if the output type needs a translator that does not exist. Libraries are checked on use. */
static void check_translation(struct dt_sema *s, const struct dt_probe_decl *p,
    const struct dt_probe_sig *sig, uint32_t k)
{
	struct dt_node in = { .kind = DT_N_IDENT, .type = sig->in[sig->map[k]], .loc = p->loc };
	struct dt_node x = { .kind = DT_N_XLATE, .a = &in, .loc = p->loc };

	if (!s->library && !dt_compat_arg(s, sig->out[k], &in))
		(void)dt_expr_translated(s, &x, sig->out[k], D_PROV_PRXLATOR);
}

/* The result lives in cc->arena: clauses compiled later read it. */
static struct dt_probe_sig *read_probe(struct dt_sema *s, const struct dt_probe_decl *p)
{
	struct dt_probe_sig *sig = DT_NEW(s->cc->arena, struct dt_probe_sig);
	const struct dt_decl *outs = p->has_out ? p->out : p->in;
	uint32_t i = 0;

	sig->nin = only_void(s, p->in) ? 0 : count_params(s, p->in, p->in_varargs, p);
	sig->nout = only_void(s, outs) ? 0 : count_params(s, outs, p->out_varargs, p);
	sig->in = DT_NEWN(s->cc->arena, const struct dt_type *, sig->nin + 1);
	sig->out = DT_NEWN(s->cc->arena, const struct dt_type *, sig->nout + 1);
	sig->map = DT_NEWN(s->cc->arena, uint8_t, sig->nout + 1);
	for (const struct dt_decl *d = p->in; d != NULL && i < sig->nin; d = d->next)
		sig->in[i++] = param_type(s, d);
	i = 0;
	for (const struct dt_decl *d = outs; d != NULL && i < sig->nout; d = d->next, i++) {
		sig->map[i] = p->has_out ? input_index(s, p, d) : (uint8_t)i;
		sig->out[i] = param_type(s, d);
		check_translation(s, p, sig, i);
	}
	return sig;
}

/* A provider declared twice must declare the same probes. */
static bool same_probe(const struct dt_probe_sig *a, const struct dt_probe_sig *b)
{
	bool same = a->nin == b->nin && a->nout == b->nout;

	for (uint32_t i = 0; same && i < a->nin; i++)
		same = dt_type_same(a->in[i], b->in[i]);
	for (uint32_t i = 0; same && i < a->nout; i++)
		same = a->map[i] == b->map[i] && dt_type_same(a->out[i], b->out[i]);
	return same;
}

/*
 * The name must not end in a digit: digits at the end are the process number. Libraries declare providers of
 * the kernel, which have none (nfsv3).
 */
static struct dt_declared *provider_new(struct dt_sema *s, const struct dt_ext *x)
{
	struct dt_declared *p = DT_NEW(s->cc->arena, struct dt_declared);
	size_t len = strlen(x->name);

	if (len > NAME_MAX_LEN || strchr(x->name, '`') != NULL ||
	    (!s->library && isdigit((unsigned char)x->name[len - 1])))
		dt_fail(s->diag, D_PROV_BADNAME, x->name_loc,
		    "provider name %s is not valid: at most %d characters, not ending in a digit, without `",
		    x->name, NAME_MAX_LEN);
	p->name = dt_arena_strdup(s->cc->arena, x->name);
	p->loc = x->loc;
	p->library = s->library;
	dt_map_init(&p->probes, s->cc->arena);
	dt_map_put(&s->cc->providers, p->name, p);
	return p;
}

/* A second declaration of the same provider may only repeat probes of the first. */
void dt_decl_provider(struct dt_sema *s, const struct dt_ext *x)
{
	struct dt_declared *p = dt_map_get(&s->cc->providers, x->name);
	struct dt_map seen;
	bool again = p != NULL;

	if (!again)
		p = provider_new(s, x);
	dt_map_init(&seen, s->arena);
	for (const struct dt_probe_decl *d = x->pdecls; d != NULL; d = d->next) {
		const char *name = probe_name(s, d);
		const struct dt_probe_sig *old = dt_map_get(&p->probes, name);
		struct dt_probe_sig *sig;

		if (dt_map_get(&seen, name) != NULL)
			dt_fail(s->diag, D_PROV_PRDUP, d->loc, "probe redeclared: %s", d->name);
		dt_map_put(&seen, name, p);
		sig = read_probe(s, d);
		if (again && (old == NULL || !same_probe(old, sig)))
			dt_fail(s->diag, D_PROV_INCOMPAT, d->loc,
			    "probe %s:::%s is declared differently from the provider known by that name",
			    p->name, name);
		dt_map_put(&p->probes, name, sig);
	}
}
