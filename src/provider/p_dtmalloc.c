/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtmalloc: kernel memory by cache: dtmalloc::CACHE:malloc and free, from the tracepoints of the
 * allocator. They name a cache of its own. For kmalloc() they tell the size, for kfree() only the
 * address: its page knows the cache, and /proc/kcore tells where pages are described. Without that,
 * kmalloc-N is everything of that size, and kfree:free whatever is freed to any of them.
 */
#include "base/diag.h"
#include "base/count.h"
#include "base/file.h"
#include "kernel/kcore.h"
#include "provider/derived.h"
#include "provider/provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SLABINFO_MAX (4u << 20)
#define NAME_MAX_CACHE 100

/* Texts for one cache; what they need is kept in variables of the clause: the cache, or its page. */
#define SLAB "this->__dtmalloc_slab"
#define CACHE "((struct kmem_cache *)arg2)"
#define OF_SLAB "((struct slab *)" SLAB ")->slab_cache"
#define THERE "(uint64_t)arg1 > 16"		/* 0: no memory; 16: memory of no size */
#define ORDER(cache) cache "->oo.x >> 16"	/* of the pages its objects lie in */
#define ARGS_OF(cache) { "(uint64_t)" cache, "0", "0", cache "->size", ORDER(cache) }

struct making {
	struct dt_probes *p;
	const struct dt_provider *row;
	const char *page;		/* D: arg1 to its page, NULL: not known */
	const char *is_slab;		/* D: is SLAB a page of a cache? */
	bool names;			/* kmem_cache_free tells the name in place of the cache */
};

static bool enumerator(struct dt_types *types, const char *tag, const char *name, long long *value)
{
	const struct dt_type *t = dt_types_find(types, NULL, DT_T_ENUM, tag);
	const struct dt_enumconst *v;
	uint32_t n;

	if (t == NULL || (v = dt_type_enums(types, dt_type_complete(types, dt_type_base(t)), &n)) == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (strcmp(v[i].name, name) != 0)
			continue;
		*value = (long long)v[i].value;
		return true;
	}
	return false;
}

/* Pages of caches have their own type; before Linux 6.10 it was a flag. */
static const char *slab_test(struct dt_probes *p)
{
	long long v;

	if (enumerator(p->types, "pagetype", "PGTY_slab", &v))
		return dt_arena_printf(p->arena, "((struct page *)" SLAB ")->page_type >> 24 == %lld", v);
	if (enumerator(p->types, "pageflags", "PG_slab", &v) && v >= 0 && v < 64)
		return dt_arena_printf(p->arena, "((*(uint64_t *)" SLAB " >> %lld) & 1) != 0", v);
	return NULL;
}

static const char *page_text(struct dt_probes *p)
{
	const struct dt_type *t = dt_types_find(p->types, NULL, DT_T_STRUCT, "page");
	uint64_t size = t != NULL ? dt_type_size(p->types, t) : 0, base;
	unsigned shift = (unsigned)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));

	if (size == 0 || dt_types_find(p->types, NULL, DT_T_STRUCT, "slab") == NULL ||
	    !dt_kcore_pages(shift, size, &base))
		return NULL;
	return dt_arena_printf(p->arena,
	    "dt_page_head[(struct page *)(0x%llxULL + ((uint64_t)arg1 >> %u) * %llu)]",
	    (unsigned long long)base, shift, (unsigned long long)size);
}

static bool cache_is_named(struct dt_probes *p)
{
	struct dt_probe_sig *sig = dt_tracepoint_signature(p->arena, p->types,
	    &(struct dt_probedesc){ "rawtp", "", "", "kmem_cache_free", 0 });
	const struct dt_type *t = sig != NULL && sig->nin >= 3 ? dt_type_base(sig->in[2]) : NULL;

	return t != NULL && t->kind == DT_T_PTR && !dt_type_is_sou(t->ref);
}

/*
 * Is the text at `name` this one? Compared eight bytes at a time (names of caches lie in objects of
 * that size): most differ in the first.
 */
static const char *same_name(struct dt_probes *p, const char *at, const char *name)
{
	size_t len = strlen(name) + 1;
	const char *text = "";

	for (size_t i = 0; i < len; i += 8) {
		uint64_t word = 0, mask = len - i >= 8 ? UINT64_MAX : (UINT64_C(1) << (len - i) * 8) - 1;

		for (size_t k = 0; k < 8 && i + k < len; k++)
			word |= (uint64_t)(unsigned char)name[i + k] << k * 8;
		text = dt_arena_printf(p->arena, "%s%s(((uint64_t *)%s)[%zu] & 0x%llxULL) == 0x%llxULL", text,
		    i > 0 ? " && " : "", at, i / 8, (unsigned long long)mask, (unsigned long long)word);
	}
	return text;
}

/* Replaces characters that a probe description cannot contain. */
static const char *shown(struct dt_probes *p, const char *name)
{
	char *s = dt_arena_strdup(p->arena, name);

	for (char *c = s; *c != '\0'; c++)
		if (strchr(":*?[]\\(){}/,;\"'`$#@", *c) != NULL || (unsigned char)*c <= ' ' ||
		    (unsigned char)*c >= 127)
			*c = '_';
	return s;
}

static void add_cache_probe(struct making *m, const char *func, const char *name, const struct dt_hook *hook)
{
	dt_probes_add(m->p, m->row, "", func, name, hook);
}

/* Uses the page of the hook's address. kfree() may free memory of any cache. */
static void by_page(struct making *m, struct dt_hook *hook, const char *tracepoint, const char *before,
    const char *name)
{
	*hook = (struct dt_hook){ .kind = DT_HOOK_RAWTP, .target = tracepoint, .args = ARGS_OF(OF_SLAB) };
	hook->when = dt_arena_printf(m->p->arena, THERE "%s && (" SLAB " = %s, %s) && %s", before, m->page,
	    m->is_slab, same_name(m->p, OF_SLAB "->name", name));
}

static void free_of(struct making *m, const char *func, const char *name, bool kmalloced)
{
	struct dt_hook by_kfree,
	    hook = { .kind = DT_HOOK_RAWTP, .target = "kmem_cache_free", .args = ARGS_OF(CACHE) };
	static const char *const unknown[] = { "0", "0", "0", "0", "0" };

	if (m->page != NULL)
		by_page(m, &by_kfree, "kfree", "", name);
	if (kmalloced) {
		if (m->page != NULL)
			add_cache_probe(m, func, "free", &by_kfree);
		return;
	}
	if (m->names && m->page != NULL)
		by_page(m, &hook, "kmem_cache_free", "", name);
	else if (m->names)
		memcpy(hook.args, unknown, sizeof(unknown));
	if (hook.when == NULL)
		hook.when = same_name(m->p, m->names ? "arg2" : CACHE "->name", name);
	if (m->page != NULL)
		hook.next = dt_arena_memdup(m->p->arena, &by_kfree, sizeof(by_kfree));
	add_cache_probe(m, func, "free", &hook);
}

static void add_named(struct making *m, const char *name)
{
	struct dt_hook hook = { .kind = DT_HOOK_RAWTP, .target = "kmem_cache_alloc", .args = ARGS_OF(CACHE) };
	const char *func = shown(m->p, name);

	hook.when = dt_arena_printf(m->p->arena, "arg1 != 0 && %s", same_name(m->p, CACHE "->name", name));
	add_cache_probe(m, func, "malloc", &hook);
	free_of(m, func, name, false);
}

/* kmalloc(call site, address, bytes asked for, bytes given, …) */
static void add_sized(struct making *m, const char *name, unsigned long long size)
{
	struct dt_hook hook = {
		.kind = DT_HOOK_RAWTP, .target = "kmalloc", .args = { "0", "0", "0", "arg3", "0" }
	};
	const char *func = shown(m->p, name);

	if (m->page != NULL)
		by_page(m, &hook, "kmalloc", dt_arena_printf(m->p->arena, " && arg3 == %llu", size), name);
	else
		hook.when = dt_arena_printf(m->p->arena, THERE " && arg3 == %llu", size);
	add_cache_probe(m, func, "malloc", &hook);
	free_of(m, func, name, true);
}

/* Memory that kmalloc() takes directly from pages, and those pages: more than two at a time. */
static void add_large(struct making *m)
{
	unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE);
	struct dt_hook hook = {
		.kind = DT_HOOK_RAWTP, .target = "kmalloc", .args = { "0", "0", "0", "arg3", "0" }
	};

	hook.when = dt_arena_printf(m->p->arena, THERE " && (uint64_t)arg3 > %lu", 2 * page);
	add_cache_probe(m, "kmalloc-large", "malloc", &hook);
	hook = (struct dt_hook){
		.kind = DT_HOOK_RAWTP, .target = "kfree", .when = THERE, .args = { "0", "0", "0", "0", "0" }
	};
	if (m->page != NULL)
		hook.when = dt_arena_printf(m->p->arena, THERE " && (" SLAB " = %s, !(%s))", m->page,
		    m->is_slab);
	add_cache_probe(m, m->page != NULL ? "kmalloc-large" : "kfree", "free", &hook);
	hook = (struct dt_hook){ .kind = DT_HOOK_RAWTP,
		.target = "mm_page_alloc",
		.when = "arg0 != 0",
		.args = {
		    "0", "0", "0", dt_arena_printf(m->p->arena, "(uint64_t)%lu << arg1", page), "arg1" } };
	add_cache_probe(m, "page", "malloc", &hook);
	hook.target = "mm_page_free";
	hook.when = NULL;
	add_cache_probe(m, "page", "free", &hook);
}

/*
 * "kmalloc-cg-1k", "memdup_user-64": 1024, 64. Sizes are powers of two, 96 and 192. 0: not a cache of
 * kmalloc().
 */
static unsigned long long kmalloc_size(const char *name)
{
	const char *dash = strrchr(name, '-');
	unsigned long long n;
	char *end;

	if (dash == NULL || dash[1] < '1' || dash[1] > '9')
		return 0;
	n = strtoull(dash + 1, &end, 10);
	if (*end == 'k' && n <= 1024) {
		n *= 1024;
		end++;
	}
	if (*end != '\0' || ((n & (n - 1)) != 0 && n != 96 && n != 192))
		return 0;
	/* other caches look alike: request pools are NAME-16 */
	return strstr(name, "kmalloc-") != NULL || strncmp(name, "memdup_user-", 12) == 0 ||
		strncmp(name, "msg_msg-", 8) == 0 ?
	    n :
	    0;
}

static void add_cache(struct making *m, const char *name, unsigned long long size)
{
	unsigned long long asked = kmalloc_size(name);

	if (asked == 0)
		add_named(m, name);
	else if (m->page != NULL || strncmp(name, "kmalloc-", 8) == 0)
		if (m->page != NULL || strspn(name + 8, "0123456789") != 0)
			add_sized(m, name, size != 0 ? size : asked);
}

static bool prepare_texts(struct making *m)
{
	if (m->p->types == NULL || dt_types_find(m->p->types, NULL, DT_T_STRUCT, "kmem_cache") == NULL)
		return false;
	m->names = cache_is_named(m->p);
	m->is_slab = slab_test(m->p);
	m->page = m->is_slab != NULL ? page_text(m->p) : NULL;
	return true;
}

static const char *const sizes[] = { "8", "16", "32", "64", "96", "128", "192", "256", "512", "1k", "2k",
	"4k", "8k" };

static void make_all(struct making *m)
{
	char *text, *line, *rest, name[NAME_MAX_CACHE];
	unsigned long long size;
	size_t len;

	if (!prepare_texts(m))
		return;
	add_large(m);
	if (dt_file_read("/proc/slabinfo", SLABINFO_MAX, &text, &len) != 0) {
		for (size_t i = 0; i < DT_COUNT(sizes); i++)
			add_cache(m, dt_arena_printf(m->p->arena, "kmalloc-%s", sizes[i]), 0);
		return;
	}
	for (rest = text; (line = strsep(&rest, "\n")) != NULL; )
		if (line[0] != '#' && sscanf(line, "%99s %*u %*u %llu", name, &size) == 2)
			add_cache(m, name, size);
	free(text);
}

/*
 * Caches of the same size may be merged: sysfs has a link for each name, and the list has the name that
 * is used.
 */
static const char *other_name(struct dt_probes *p, const char *name)
{
	char a[128], b[128];
	ssize_t la = readlink(dt_arena_printf(p->arena, "/sys/kernel/slab/%s", name), a, sizeof(a)), lb;

	for (size_t i = 0; la > 0 && i < p->list.n; i++) {
		if (strcmp(p->list.v[i]->prov, "dtmalloc") != 0)
			continue;
		lb = readlink(dt_arena_printf(p->arena, "/sys/kernel/slab/%s", p->list.v[i]->func), b,
		    sizeof(b));
		if (lb == la && memcmp(a, b, (size_t)la) == 0)
			return p->list.v[i]->func;
	}
	return NULL;
}

static const char *dtmalloc_missing(struct making *m, const struct dt_probedesc *want)
{
	const char *other = strchr(want->func, '/') == NULL ? other_name(m->p, want->func) : NULL;
	struct dt_near near;

	if (other != NULL)
		return dt_arena_printf(m->p->arena,
		    "the cache %s has its memory together with others: dtmalloc::%s:%s", want->func, other,
		    want->name);
	if (m->page == NULL && kmalloc_size(want->func) != 0)
		return "which cache of kmalloc() memory comes from is not known here, as /proc/kcore cannot "
		       "be read: dtmalloc::kmalloc-64:malloc is "
		       "whatever has that size, dtmalloc::kfree:free gives back any";
	dt_near_init(&near, want->func);
	for (size_t i = 0; i < m->p->list.n; i++)
		if (strcmp(m->p->list.v[i]->prov, "dtmalloc") == 0)
			dt_near_offer(&near, m->p->list.v[i]->func);
	return dt_arena_printf(m->p->arena,
	    "the kernel has no cache %s%s%s%s; memory without a cache of its own goes by size: "
	    "dtmalloc::kmalloc-*:malloc",
	    want->func, near.best != NULL ? "; did you mean " : "", near.best != NULL ? near.best : "",
	    near.best != NULL ? "?" : "");
}

static bool dtmalloc_may_match(const struct dt_provider *row, const struct dt_probedesc *d)
{
	(void)row;
	return dt_part_matches_empty(d->mod) &&
	    (!dt_part_literal(d->name) || strcmp(d->name, "malloc") == 0 || strcmp(d->name, "free") == 0);
}

static int dtmalloc_provide(struct dt_probes *p, const struct dt_provider *row,
    const struct dt_probedesc *want, const char **why)
{
	struct making m = { .p = p, .row = row };

	if (want == NULL) {
		make_all(&m);
		return 0;
	}
	if (strcmp(want->prov, row->name) != 0 || !dt_part_literal(want->func) ||
	    !dtmalloc_may_match(row, want) || !prepare_texts(&m))
		return 0;
	if (access("/proc/slabinfo", R_OK) != 0 && strlen(want->func) < NAME_MAX_CACHE &&
	    strcmp(want->func, "temp") != 0)
		add_cache(&m, want->func, 0);
	else
		*why = dtmalloc_missing(&m, want);
	return 0;
}

const struct dt_provider dt_provider_dtmalloc = {
	.name = "dtmalloc",
	.form = "dtmalloc::CACHE:malloc, free",
	.doc = "Memory of the kernel, by cache.",
	.attrs = { { SSC, PPU, PPU, SSC, SSC } },
	.provide = dtmalloc_provide,
	.may_match = dtmalloc_may_match,
};
