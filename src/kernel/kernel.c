/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /sys/kernel/btf and /proc/kallsyms come in, bytes and addresses go out. The symbol list is kept as
 * the kernel's own text and searched line by line: this takes a few milliseconds and no table.
 */
#include "kernel/kernel.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/map.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BTF_MAX = 256 << 20, SYMBOLS_MAX = 256 << 20, SYMBOL_MAX = 16 << 20 };
/*
 * The list has no sizes: an address further away than this from a symbol does not belong to it; less
 * for the last symbol of a module.
 */
enum { CODE_MAX = 256 << 10, LAST_MAX = 16 << 10 };

static bool is_module_name(const char *s)
{
	size_t len = strlen(s);

	return len > 0 && len < NAME_MAX && s[0] != '.' && !strchr(s, '/');
}

int dt_kernel_btf(void *ctx, const char *module, struct dt_whole *bytes)
{
	char path[sizeof("/sys/kernel/btf/") + NAME_MAX];

	(void)ctx;
	if (!is_module_name(module))
		return -EINVAL;
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", module);
	return dt_whole_read(path, BTF_MAX, bytes);
}

struct dt_kernel {
	struct dt_arena *arena;
	struct dt_map modules;		/* names that were given out */
	char *text;			/* of kallsyms */
	size_t len;
	int err;			/* why there is no text */
	struct function *funcs;		/* sorted by address; NULL until an address is looked up */
	size_t nfuncs;
	bool sorted;			/* the list is whole */
	/* the list has data of the core kernel, beyond the marks of its linker */
	bool has_data;
};

struct function {
	uint64_t addr;
	bool code, global;
	const char *name;		/* in the arena */
	const char *module;
};

struct dt_kernel *dt_kernel_new(struct dt_arena *under)
{
	struct dt_arena *a = dt_arena_under(under);
	struct dt_kernel *k = DT_NEW(a, struct dt_kernel);

	k->arena = a;
	dt_map_init(&k->modules, a);
	return k;
}

void dt_kernel_free(struct dt_kernel *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->funcs);
	dt_arena_free(k->arena);
}

void dt_kernel_retire(struct dt_kernel *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->funcs);
	k->text = NULL;
	k->funcs = NULL;
}

static int read_symbols(struct dt_kernel *k)
{
	if (!k->text && !k->err)
		k->err = dt_file_read("/proc/kallsyms", SYMBOLS_MAX, &k->text, &k->len);
	if (k->err == -ENOMEM) {	/* the next time there may be enough */
		k->err = 0;
		dt_arena_lack(k->arena);
	}
	return k->err;
}

struct symbol {
	uint64_t addr;
	const char *module;		/* not ended by NUL; NULL: the core kernel */
	size_t module_len;
};

/*
 * A line is "ffff800080010000 T _stext", perhaps with "\\t[module]" at the end. `at` is where the
 * wanted name occurs in the text: is it the whole name on its line?
 */
static bool parse_line(const char *text, const char *at, size_t name_len, struct symbol *out)
{
	const char *end = at + name_len, *line = at, *close;
	char *after;

	if (*end != '\n' && *end != '\t' && *end != '\0')
		return false;
	while (line > text && line[-1] != '\n')
		line--;
	if (at - line < 4 || at[-1] != ' ' || at[-3] != ' ')
		return false;
	out->addr = strtoull(line, &after, 16);
	if (after != at - 3)
		return false;
	out->module = NULL;
	if (end[0] != '\t' || end[1] != '[')
		return true;
	close = strpbrk(end, "]\n");
	if (!close || *close != ']')
		return false;
	out->module = end + 2;
	out->module_len = (size_t)(close - out->module);
	return true;
}

static bool module_matches(const struct symbol *s, const char *module)
{
	if (!module)
		return true;
	if (strcmp(module, "kernel") == 0 || strcmp(module, "vmlinux") == 0)
		return !s->module;
	return s->module && strlen(module) == s->module_len && memcmp(module, s->module, s->module_len) == 0;
}

static const char *module_name(struct dt_kernel *k, const struct symbol *s)
{
	char *name;

	if (!s->module)
		return "vmlinux";
	name = dt_map_getn(&k->modules, s->module, s->module_len);
	if (!name) {
		name = dt_arena_strndup(k->arena, s->module, s->module_len);
		dt_map_put(&k->modules, name, name);
	}
	return name;
}

int dt_kernel_symbol(struct dt_kernel *k, const char *module, const char *name, uint64_t *addr,
    const char **module_out)
{
	size_t len = strlen(name);
	struct symbol s;
	int err = read_symbols(k);

	if (err)
		return err;
	if (!len || strpbrk(name, " \t\n"))
		return -ENOENT;
	/* The core kernel comes first in the list, so the first match is the wanted one. */
	for (const char *p = k->text; (p = memmem(p, k->len - (size_t)(p - k->text), name, len)); p += len) {
		if (!parse_line(k->text, p, len, &s) || !module_matches(&s, module))
			continue;
		*addr = s.addr;
		if (module_out)
			*module_out = module_name(k, &s);
		return 0;
	}
	return -ENOENT;
}

/* ---- by address ---- */

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/*
 * Reads "address type name[\\t[module]]" of code and data; type "A" are numbers such as offsets in
 * per-CPU memory. Returns the start of the next line.
 */
static const char *take_function(struct dt_kernel *k, const char *line)
{
	const char *end = strchrnul(line, '\n'), *name, *name_end;
	struct symbol s = { 0 };
	char *after;

	s.addr = strtoull(line, &after, 16);
	if (after[0] == ' ' && after[1] != '\0' && strchr("tTwWdDbBrRvV", after[1]) && after[2] == ' ' &&
	    s.addr != 0) {
		name = after + 3;
		name_end = name + strcspn(name, "\t\n");
		if (name_end[0] == '\t' && name_end[1] == '[') {
			s.module = name_end + 2;
			s.module_len = strcspn(s.module, "]\n");
		}
		k->has_data |= strchr("dbB", after[1]) && s.module == NULL;
		k->funcs[k->nfuncs++] = (struct function){ s.addr, strchr("tTwW", after[1]) != NULL,
			strchr("TWDBRV", after[1]) != NULL,
			dt_arena_strndup(k->arena, name, (size_t)(name_end - name)), module_name(k, &s) };
	}
	return *end ? end + 1 : end;
}

static int read_functions(struct dt_kernel *k)
{
	size_t lines = 1;
	int err = read_symbols(k);

	if (err || k->sorted)
		return err;
	free(k->funcs);			/* memory ran out half way */
	k->nfuncs = 0;
	for (const char *p = k->text; (p = strchr(p, '\n')); p++)
		lines++;
	k->funcs = calloc(lines, sizeof(*k->funcs));
	if (!k->funcs)
		dt_arena_lack(k->arena);
	for (const char *p = k->text; *p; )
		p = take_function(k, p);
	qsort(k->funcs, k->nfuncs, sizeof(*k->funcs), by_address);
	k->sorted = true;
	return 0;
}

/*
 * Behind the end of what has a name there may be much that has none: such an address does not belong to
 * its neighbour.
 */
static bool belongs_to_symbol(const struct dt_kernel *k, size_t i, uint64_t addr)
{
	const struct function *f = &k->funcs[i];
	uint64_t off = addr - f->addr;
	bool last = i + 1 == k->nfuncs || strcmp(f[1].module, f->module) != 0;

	if (off == 0)
		return true;
	if (f->code)
		return off < (last ? LAST_MAX : CODE_MAX);
	return k->has_data && off < SYMBOL_MAX;
}

/* The index of the symbol that contains an address. */
static int place_of(struct dt_kernel *k, uint64_t addr, size_t *at)
{
	size_t lo = 0, hi;
	int err = read_functions(k);

	if (err)
		return err;
	for (hi = k->nfuncs; lo < hi; ) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->funcs[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || !belongs_to_symbol(k, lo - 1, addr))
		return -ENOENT;
	*at = lo - 1;
	return 0;
}

int dt_kernel_lookup(struct dt_kernel *k, uint64_t addr, const char **module, const char **name,
    uint64_t *start)
{
	size_t at;
	int err = place_of(k, addr, &at);

	if (err)
		return err;
	*module = k->funcs[at].module;
	*name = k->funcs[at].name;
	*start = k->funcs[at].addr;
	return 0;
}

int dt_kernel_find(struct dt_kernel *k, uint64_t addr, struct dt_ksym *out)
{
	const struct function *f;
	size_t at;
	int err = place_of(k, addr, &at);

	if (err)
		return err;
	f = &k->funcs[at];
	*out = (struct dt_ksym){ f->module, f->name, f->addr, 0, (uint32_t)at + 1, f->code, f->global };
	while (++at < k->nfuncs && k->funcs[at].addr == f->addr)
		;
	if (at < k->nfuncs && strcmp(k->funcs[at].module, f->module) == 0)
		out->size = k->funcs[at].addr - f->addr;
	return 0;
}

/* ---- modules ---- */

/* Extends the range of one kind of symbol to an address. */
static void widen(uint64_t addr, uint64_t *start, uint64_t *size)
{
	if (*start == 0) {
		*start = addr;
	} else if (addr < *start) {
		*size += *start - addr;
		*start = addr;
	}
	if (addr - *start > *size)
		*size = addr - *start;
}

static void measure_module(const struct dt_kernel *k, struct dt_kmodule *m)
{
	for (size_t i = 0; i < k->nfuncs; i++) {
		const struct function *f = &k->funcs[i];

		if (strcmp(f->module, m->name) != 0)
			continue;
		if (f->code)
			widen(f->addr, &m->text, &m->text_size);
		else
			widen(f->addr, &m->data, &m->data_size);
	}
}

int dt_kernel_modules(struct dt_kernel *k, dt_kmodule_f *f, void *ctx)
{
	int err = read_functions(k);

	for (uint32_t i = 0; !err && i <= k->modules.n; i++) {
		struct dt_kmodule m = { .name = i == 0 ? "vmlinux" : k->modules.v[i - 1].key, .id = i + 1 };

		measure_module(k, &m);
		err = f(ctx, &m);
	}
	return err;
}

int dt_kernel_extent(struct dt_kernel *k, const char *name, uint64_t *start, uint64_t *len)
{
	int err = dt_kernel_symbol(k, "vmlinux", name, start, NULL);

	if (err)
		return err;
	*len = UINT64_MAX;
	for (const char *p = k->text; *start != 0 && *p; p = strchrnul(p, '\n'), p += *p == '\n') {
		uint64_t addr = strtoull(p, NULL, 16);

		if (addr > *start && addr - *start < *len)
			*len = addr - *start;
	}
	return *start != 0 && *len < CODE_MAX ? 0 : -ENOENT;
}

uint64_t dt_kernel_module_start(struct dt_kernel *k, const char *module)
{
	if (read_functions(k) != 0)
		return 0;
	for (size_t i = 0; i < k->nfuncs; i++)
		if (strcmp(k->funcs[i].module, module) == 0)
			return k->funcs[i].addr;
	return 0;
}
