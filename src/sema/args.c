/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * args[n]: a clause's probe comes in, the typed argument goes out. The signature comes from a provider
 * declaration in D, or from the provider itself. A translator is applied where the declaration asks for
 * one.
 */
#include "base/glob.h"
#include "sema/sema.h"

/* An empty part matches everything, so it counts as a pattern. */
static bool has_glob(const char *part)
{
	return part[0] == '\0' || strpbrk(part, "*?[\\") != NULL;
}

/* Signatures are the same if a clause compiled for one reads the right registers for the other. */
static bool same_signature(const struct dt_probe_sig *a, const struct dt_probe_sig *b)
{
	if (a->nout != b->nout || a->nin != b->nin)
		return false;
	for (uint32_t i = 0; i < a->nout; i++)
		if (a->map[i] != b->map[i] || !dt_type_same(a->out[i], b->out[i]) ||
		    !dt_type_same(a->in[a->map[i]], b->in[b->map[i]]))
			return false;
	return true;
}

/* Finds the signature of the declared probes that the description's name matches; all must agree. */
static const struct dt_probe_sig *declared_signature(struct dt_sema *s, const struct dt_declared *p,
    const struct dt_pdesc *d, struct dt_loc loc)
{
	const struct dt_probe_sig *sig = NULL;

	for (uint32_t i = 0; i < p->probes.n; i++) {
		if (*d->name != '\0' && !dt_glob_match(d->name, p->probes.v[i].key))
			continue;
		if (sig != NULL && !same_signature(sig, p->probes.v[i].value))
			dt_fail(s->diag, D_ARGS_MULTI, loc,
			    "args[ ] may not be referenced because %s:::%s matches probes with different "
			    "arguments",
			    d->prov, d->name);
		sig = p->probes.v[i].value;
	}
	return sig;
}

/* Finds a provider declared in D, loading the library that declares it if needed. */
static const struct dt_declared *find_provider(struct dt_sema *s, const char *name)
{
	const struct dt_services *sv = &s->cc->services;
	struct dt_declared *p = dt_map_get(&s->cc->providers, name);

	if (p == NULL && sv->library != NULL &&
	    sv->library(sv->ctx, dt_arena_printf(s->arena, "provider %s", name)))
		p = dt_map_get(&s->cc->providers, name);
	return p;
}

/* "plockstat123" is provider plockstat in process 123. */
static const char *without_pid(struct dt_sema *s, const char *name)
{
	size_t len = strlen(name);

	while (len > 0 && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	return dt_arena_strndup(s->arena, name, len);
}

/* True for patterns, and for "entry" or "return" without a function. */
static bool means_several(const struct dt_pdesc *p)
{
	return strpbrk(p->func, "*?[") != NULL || strpbrk(p->name, "*?[") != NULL ||
	    (*p->func == '\0' && (strcmp(p->name, "entry") == 0 || strcmp(p->name, "return") == 0));
}

/* The signature of a description that names its provider literally; NULL: not known. */
static const struct dt_probe_sig *named_signature(struct dt_sema *s, const struct dt_pdesc *d,
    struct dt_loc loc)
{
	const struct dt_services *sv = &s->cc->services;
	const struct dt_declared *p = find_provider(s, d->prov);
	const struct dt_probe_sig *sig = NULL;

	if (p == NULL)
		p = find_provider(s, without_pid(s, d->prov));
	if (p != NULL)
		sig = declared_signature(s, p, d, loc);
	if (sig == NULL && sv->signature != NULL)
		sig = sv->signature(sv->ctx, d);
	return sig;
}

_Noreturn static void refuse_unstable(struct dt_sema *s, struct dt_loc loc)
{
	dt_fail_hint(s->diag, D_ARGS_MULTI, loc, "name the provider literally",
	    "args[ ] may not be referenced because probe description %s:%s:%s:%s matches an unstable set of "
	    "probes",
	    s->probe->prov, s->probe->mod, s->probe->func, s->probe->name);
}

/* Walks the probes that a pattern matches: all have the same signature, or all have none. */
struct agreeing {
	struct dt_sema *s;
	struct dt_loc loc;
	const struct dt_probe_sig *sig;
	const char *prov;		/* provider of the probe that `sig` belongs to */
	bool any;			/* there was a probe */
};

static bool same_as_others(void *ctx, const struct dt_pdesc *d)
{
	struct agreeing *a = ctx;
	const struct dt_probe_sig *sig = named_signature(a->s, d, a->loc);

	if (a->any && ((sig == NULL) != (a->sig == NULL) || (sig != NULL && !same_signature(a->sig, sig))))
		refuse_unstable(a->s, a->loc);
	a->any = true;
	a->sig = sig;
	a->prov = dt_arena_strdup(a->s->arena, d->prov);
	return true;
}

/*
 * The signature for a pattern of providers, or for no provider at all: all matching probes must agree.
 */
static const struct dt_probe_sig *matched_signature(struct dt_sema *s, struct dt_loc loc, const char **prov)
{
	const struct dt_services *sv = &s->cc->services;
	struct agreeing a = { .s = s, .loc = loc };

	if (sv->probes == NULL || !sv->probes(sv->ctx, s->probe, same_as_others, &a, NULL, NULL))
		refuse_unstable(s, loc);
	*prov = a.prov;
	return a.sig;
}

/*
 * The signature of the current clause's probe; *prov becomes the provider that the arguments belong to.
 */
static const struct dt_probe_sig *clause_signature(struct dt_sema *s, struct dt_loc loc, const char **prov)
{
	const struct dt_probe_sig *sig;

	if (s->probe == NULL)
		dt_fail(s->diag, D_ARGS_NONE, loc, "args[ ] may not be referenced outside of a probe clause");
	*prov = s->probe->prov;
	sig = has_glob(*prov) ? matched_signature(s, loc, prov) : named_signature(s, s->probe, loc);
	if (sig == NULL)
		dt_fail_hint(s->diag, D_ARGS_NONE, loc,
		    means_several(s->probe) ?
			"types are known where one probe is named; arg0 … arg9 hold the raw values" :
			"arg0 … arg9 hold the raw values",
		    "no typed arguments are known for %s:%s:%s:%s", s->probe->prov, s->probe->mod,
		    s->probe->func, s->probe->name);
	return sig;
}

struct dt_node *dt_expr_args(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_provider_attrs *pa;
	const struct dt_probe_sig *sig;
	const char *prov;
	struct dt_node *raw, *xlate;
	uint64_t k;

	n->list = dt_expr(s, n->list);
	if (!dt_node_is_const(n->list))
		dt_fail(s->diag, D_PROTO_ARG, n->list->loc, "args[ ] needs a constant integer index");
	sig = clause_signature(s, n->loc, &prov);
	k = n->list->value;
	if (k >= sig->nout)
		dt_fail(s->diag, D_ARGS_IDX, n->list->loc,
		    "index %lld is out of range for %s:%s:%s:%s args[ ]: it has %u", (long long)k,
		    s->probe->prov, s->probe->mod, s->probe->func, s->probe->name, sig->nout);
	/*
	 * in[] holds what the probe passes, out[] what D sees; map[] says which input makes an output.
	 */
	if (sig->in[sig->map[k]] == NULL && sig->why != NULL && sig->why[sig->map[k]] != NULL)
		dt_fail(s->diag, D_ARGS_TYPE, n->loc, "args[%llu] cannot be read: %s", (unsigned long long)k,
		    sig->why[sig->map[k]]);
	if (sig->out[k] == NULL || sig->in[sig->map[k]] == NULL)
		dt_fail(s->diag, D_ARGS_TYPE, n->loc, "the type of args[%llu] is not known on this system",
		    (unsigned long long)k);
	pa = dt_attr_provider(s, prov);
	if (pa != NULL)
		dt_attr_use(s, pa->part[DT_PA_ARGS], n->loc, "args[ ]");
	raw = n;
	raw->ident = dt_names_global(s, "args");
	raw->list = dt_expr_int(s, n->list->loc, sig->map[k], dt_types_basic(s->types, "int"));
	raw->type = sig->in[sig->map[k]];
	raw->nflags = DT_NF_LVAL;
	dt_expr_object(s, raw);
	if (dt_compat_arg(s, sig->out[k], raw)) {
		raw->type = sig->out[k];
		return raw;
	}
	/* The types differ, so the declaration promises a translator from input to output. */
	xlate = dt_node_new(s->diag, s->arena, DT_N_XLATE, n->loc);
	xlate->a = raw;
	dt_node_adopt(s->diag, xlate, raw);
	return dt_expr_translated(s, xlate, sig->out[k], D_ARGS_XLATOR);
}
