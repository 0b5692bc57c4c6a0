/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Providers declared in D come in; their probes go out, with all the names that headers, objects and
 * notes use for them.
 */
#include "usdt/usdt.h"

#include <ctype.h>
#include <dtrace.h>
#include <stdarg.h>

/* Returns -1, so that a caller can return it. Without a text, the library's own for `err` is shown. */
int dt_usdt_fail(struct dt_usdt_job *job, int err, const char *fmt, ...)
{
	va_list ap;

	job->err = err;
	job->why = NULL;
	if (fmt != NULL) {
		va_start(ap, fmt);
		job->why = dt_arena_vprintf(job->arena, fmt, ap);
		va_end(ap);
	}
	return -1;
}

/* query-start was written as query__start. */
static const char *source_name(struct dt_arena *arena, const char *name)
{
	char *out = dt_arena_alloc(arena, 2 * strlen(name) + 1), *to = out;

	for (; *name != '\0'; name++) {
		*to++ = *name == '-' ? '_' : *name;
		if (*name == '-')
			*to++ = '_';
	}
	return out;
}

/*
 * mydb and query-start give MYDB_QUERY_START. Different probes may give the same: check_set() refuses
 * that.
 */
static const char *macro_name(struct dt_arena *arena, const char *provider, const char *probe)
{
	char *out = dt_arena_printf(arena, "%s_%s", provider, probe);

	for (char *c = out; *c != '\0'; c++)
		*c = *c == '-' || *c == '.' ? '_' : (char)toupper((unsigned char)*c);
	return out;
}

static struct dt_usdt_probe make_probe(struct dt_arena *arena, const struct dt_declared *p, const char *name,
    const struct dt_probe_sig *sig)
{
	struct dt_usdt_probe out = { .provider = p, .name = name, .sig = sig };

	out.source = source_name(arena, name);
	out.semaphore = dt_arena_printf(arena, "%s_%s_semaphore", p->name, out.source);
	out.macro = macro_name(arena, p->name, name);
	return out;
}

/* What a site cannot carry, and names that C could not tell apart. */
static int check_set(struct dt_usdt_job *job, const struct dt_usdt *set)
{
	struct dt_map macros;

	dt_map_init(&macros, job->arena);
	for (uint32_t i = 0; i < set->nprobes; i++) {
		const struct dt_usdt_probe *p = &set->probes[i], *other = dt_map_get(&macros, p->macro);

		if (p->sig->nin > DT_USDT_MAXARGS)
			return dt_usdt_fail(job, EDT_BADPROBE,
			    "probe %s:::%s has %u arguments: a probe site carries at most %d",
			    p->provider->name, p->name, p->sig->nin, DT_USDT_MAXARGS);
		if (other != NULL)
			return dt_usdt_fail(job, EDT_BADPROBE,
			    "probes %s:::%s and %s:::%s would both be the macro %s: rename one",
			    other->provider->name, other->name, p->provider->name, p->name, p->macro);
		dt_map_put(&macros, p->macro, (void *)p);
	}
	return 0;
}

/* Providers of our own libraries are not the program's, and are left out. */
int dt_usdt_collect(struct dt_usdt_job *job, struct dt_usdt *out)
{
	const struct dt_map *all = job->providers;
	struct dt_arena *arena = job->arena;
	DT_VEC(const struct dt_declared *) providers = { 0 };
	DT_VEC(struct dt_usdt_probe) probes = { 0 };

	for (uint32_t i = 0; i < all->n; i++) {
		const struct dt_declared *p = all->v[i].value;

		if (p->library)
			continue;
		if (p->probes.n == 0)
			return dt_usdt_fail(job, EDT_NOPROBES, "provider %s declares no probes", p->name);
		dt_vec_push(arena, &providers, p);
		for (uint32_t k = 0; k < p->probes.n; k++)
			dt_vec_push(arena, &probes,
			    make_probe(arena, p, p->probes.v[k].key, p->probes.v[k].value));
	}
	if (providers.n == 0)
		return dt_usdt_fail(job, EDT_NOPROV,
		    "no provider is declared: write provider name { probe name(types); };");
	*out = (struct dt_usdt){ providers.v, (uint32_t)providers.n, probes.v, (uint32_t)probes.n };
	return check_set(job, out);
}
