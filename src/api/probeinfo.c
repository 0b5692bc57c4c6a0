/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A probe in, its stability and the types of its arguments out: what -lv shows. Types come from the probe
 * itself, from the D libraries, or from the provider's row, in this order.
 */
#include "handle/entry.h"
#include "trace/trace.h"

#include "provider/provider.h"

#include <errno.h>

/* Keeps the first probe that matches and ends the search. */
static int keep_first(void *ctx, const struct dt_probe *p)
{
	*(const struct dt_probe **)ctx = p;
	return -ECANCELED;
}

/* By its number if it has one, else by its name. NULL: the handle's error is set. */
static const struct dt_probe *find_probe(dtrace_hdl_t *h, const dtrace_probedesc_t *d)
{
	struct dt_probedesc want = { d->dtpd_provider, d->dtpd_mod, d->dtpd_func, d->dtpd_name, d->dtpd_id };
	const struct dt_probe *found = dt_probes_by_id(&h->probes, d->dtpd_id);

	if (found != NULL)
		return found;
	(void)dt_handle_match(h, &want, keep_first, &found, NULL);
	if (found == NULL)
		dt_handle_error(h, EDT_NOPROBE);
	return found;
}

static dtrace_attribute_t public_attr(struct dt_attr a)
{
	return (dtrace_attribute_t){ a.name, a.data, a.cls };
}

/* What a D library declares for the probe; the library that names the provider is loaded for it. */
static const struct dt_probe_sig *declared_in(dtrace_hdl_t *h, const struct dt_probe *p)
{
	const struct dt_declared *d = dt_map_get(&h->compiler.providers, p->prov);

	if (d == NULL && dt_library_need(h, dt_arena_printf(h->arena, "provider %s", p->prov)))
		d = dt_map_get(&h->compiler.providers, p->prov);
	return d != NULL ? dt_map_get(&d->probes, p->name) : NULL;
}

/*
 * The same, outside of a compile: a library that does not compile on this kernel leaves the types unknown and
 * is taken back. Lack of memory goes on to the caller's entry.
 */
static const struct dt_probe_sig *declared_signature(dtrace_hdl_t *h, const struct dt_probe *p)
{
	const struct dt_probe_sig *volatile sig = NULL;		/* read after the jump */
	struct dt_diag diag = { .arena = h->arena }, *outer = h->diag;
	struct dt_compiler_mark mark = dt_compiler_mark(&h->compiler);
	uint32_t loaded = h->libraries.loaded;
	jmp_buf *before = dt_arena_on_oom(h->arena, &diag.env);
	bool failed = setjmp(diag.env) != 0;

	h->diag = &diag;
	if (!failed) {
		sig = declared_in(h, p);
	} else {
		dt_compiler_cut(&h->compiler, &mark);
		dt_libraries_cut(h, loaded);
	}
	h->diag = outer;
	dt_arena_on_oom(h->arena, before);
	if (failed && diag.msg == NULL && before != NULL)
		longjmp(*before, 1);		/* lack of memory goes to the caller */
	return sig;
}

/*
 * The body of dtrace_probe_info(). The stability of a probe is the least of its parts. The list of types
 * belongs to the handle.
 */
static int describe_probe(dtrace_hdl_t *h, const dtrace_probedesc_t *d, dtrace_probeinfo_t *info)
{
	const struct dt_probe *p = find_probe(h, d);
	const struct dt_probe_sig *sig;
	dtrace_typeinfo_t *args;
	struct dt_attr attr;

	if (p == NULL)
		return -1;
	attr = p->row->attrs.part[DT_PA_PROV];
	for (int i = DT_PA_MOD; i <= DT_PA_NAME; i++)
		attr = dt_attr_min(attr, p->row->attrs.part[i]);
	*info = (dtrace_probeinfo_t){ public_attr(attr), public_attr(p->row->attrs.part[DT_PA_ARGS]), NULL,
	    0 };
	sig = p->sig != NULL ? p->sig : declared_signature(h, p);
	if (sig == NULL && p->row->signature != NULL) {
		struct dt_probedesc exact = { p->prov, p->mod, p->func, p->name, 0 };

		sig = p->row->signature(h->arena, h->types, &exact);
	}
	if (sig == NULL || sig->nout == 0)
		return 0;
	args = DT_NEWN(h->arena, dtrace_typeinfo_t, sig->nout);
	for (uint32_t i = 0; i < sig->nout; i++)
		if (sig->out[i] != NULL)
			dt_handle_typeinfo(h, sig->out[i], &args[i]);
	info->dtp_argv = args;
	info->dtp_argc = (int)sig->nout;
	return 0;
}

int dtrace_probe_info(dtrace_hdl_t *h, const dtrace_probedesc_t *d, dtrace_probeinfo_t *info)
{
	if (d == NULL || info == NULL)
		return dt_handle_error(h, EINVAL);
	DT_PUBLIC(h, -1, describe_probe(h, d, info));
}

static const char *never_of(dtrace_hdl_t *h, const dtrace_probedesc_t *d)
{
	const struct dt_probe *p = find_probe(h, d);

	return p != NULL ? p->never : NULL;
}

const char *dtrace_probe_never(dtrace_hdl_t *h, const dtrace_probedesc_t *d)
{
	DT_PUBLIC(h, NULL, never_of(h, d));
}

char *dtrace_type_name(dtrace_hdl_t *h, const dtrace_typeinfo_t *t, char *buf, size_t len)
{
	(void)h;
	if (t->dtt_type != NULL)
		(void)dt_type_name(t->dtt_type, buf, len);
	else
		snprintf(buf, len, "(unknown)");
	return buf;
}
