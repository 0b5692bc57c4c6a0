/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The type data of modules: bytes come in, types by name go out. A module is read on first use and gets
 * one name index, built in one pass: a linear search takes milliseconds for each name, and most names
 * are not there. A module that cannot be read is remembered as such.
 */
#include "types/btf.h"
#include "base/hash.h"
#include "base/diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_LEN_MAX = 511 };	/* KSYM_NAME_LEN of the kernel, without the NUL */

/*
 * A name that may be shown and compared. NULL: there is none, or it holds bytes that no identifier has,
 * or is longer than the kernel allows: type data may come from anywhere.
 */
const char *dt_btf_name(const struct dt_btf *b, uint32_t off)
{
	const char *s = off ? dt_btf_string(b, off) : NULL;
	size_t n = 0;

	if (!s)
		return NULL;
	for (; s[n]; n++)
		if ((unsigned char)s[n] < ' ' || (unsigned char)s[n] > '~' || n == NAME_LEN_MAX)
			return NULL;
	return n ? s : NULL;
}

/* ---- the index ---- */

static uint32_t hash_name(const char *s)
{
	uint32_t h = dt_hash_text(DT_HASH_START, s);

	return h ^ h >> 15;	/* the table uses the low bits */
}

/* The kinds that can be found by name. */
static bool kind_is_indexed(unsigned kind)
{
	switch (kind) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM: case BTF_KIND_ENUM64: case BTF_KIND_FWD: case BTF_KIND_FUNC: case BTF_KIND_VAR:
		return true;
	default:
		return false;
	}
}

/* Goes from the last id to the first and puts each in front, so a chain begins with the lowest id. */
static int build_index(struct dt_btf *b)
{
	uint32_t n = b->end - b->first;

	for (b->nbucket = 64; b->nbucket < n; b->nbucket *= 2)
		;
	b->bucket = calloc(b->nbucket, sizeof(*b->bucket));
	b->chain = calloc(n + 1, sizeof(*b->chain));
	b->by_id = calloc(n + 1, sizeof(*b->by_id));
	if (!b->bucket || !b->chain || !b->by_id)
		return -ENOMEM;
	for (uint32_t id = b->end; id-- > b->first;) {
		const struct btf_type *t = dt_btf_record(b, id);
		const char *name;
		uint32_t *head;

		if (!t->name_off || !kind_is_indexed(btf_kind(t)))
			continue;
		name = dt_btf_string(b, t->name_off);
		if (!name)
			continue;
		head = &b->bucket[hash_name(name) & (b->nbucket - 1)];
		b->chain[id - b->first] = *head;
		*head = id;
	}
	return 0;
}

/* A forward declaration tells by its kind flag whether it is of a union. */
static bool kind_matches(const struct btf_type *t, enum dt_tkind want)
{
	unsigned kind = btf_kind(t);

	switch (want) {
	case DT_T_STRUCT:
		return kind == BTF_KIND_STRUCT || (kind == BTF_KIND_FWD && !btf_kflag(t));
	case DT_T_UNION:
		return kind == BTF_KIND_UNION || (kind == BTF_KIND_FWD && btf_kflag(t));
	case DT_T_ENUM:
		return kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64;
	case DT_T_FUNC:			/* here: a symbol */
		return kind == BTF_KIND_FUNC || kind == BTF_KIND_VAR;
	default:
		return kind == BTF_KIND_TYPEDEF || kind == BTF_KIND_INT || kind == BTF_KIND_FLOAT;
	}
}

/* An enum without constants is a forward declaration too. */
static bool is_forward(const struct btf_type *t)
{
	return btf_is_fwd(t) || ((btf_is_enum(t) || btf_is_enum64(t)) && !btf_vlen(t));
}

/* Searches the module's own types, not its base's. 0: none; prefers a definition to a declaration. */
static uint32_t find_id(const struct dt_btf *b, enum dt_tkind kind, const char *name)
{
	uint32_t forward = 0;

	if (!b->data)
		return 0;
	for (uint32_t id = b->bucket[hash_name(name) & (b->nbucket - 1)]; id; id = b->chain[id - b->first]) {
		const struct btf_type *t = dt_btf_record(b, id);
		const char *s = dt_btf_string(b, t->name_off);

		if (!kind_matches(t, kind) || strcmp(s, name) != 0)
			continue;
		if (!is_forward(t))
			return id;
		forward = forward ? forward : id;
	}
	return forward;
}

/* ---- modules ---- */

static void set_error(struct dt_types *ts, const char *module, const char *what, int err)
{
	free(ts->error);
	if (asprintf(&ts->error, "/sys/kernel/btf/%s: %s%s", module, what, strerror(-err)) < 0)
		ts->error = NULL;
}

/* Leaves the entry in the list as "could not be read". */
static void close_one(struct dt_btf *b)
{
	dt_whole_free(&b->bytes);
	free(b->offset);
	free(b->by_id);
	free(b->bucket);
	free(b->chain);
	*b = (struct dt_btf){ .next = b->next, .base = b->base, .module = b->module };
}

static void free_one(struct dt_btf *b)
{
	close_one(b);
	free(b->module);
	free(b);
}

void dt_btf_free(struct dt_btf *b)
{
	if (!b)
		return;
	dt_btf_free(b->next);		/* modules before the base they refer to */
	free_one(b);
}

static struct dt_btf *module_get(const struct dt_types *ts, const char *module)
{
	struct dt_btf *b = ts->btf;

	while (b && strcmp(b->module, module) != 0)
		b = b->next;
	return b;
}

/* vmlinux goes to the front, so it is searched first. */
static struct dt_btf *module_add(struct dt_types *ts, const char *module)
{
	struct dt_btf **end = &ts->btf, *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->module = strdup(module);
	if (!b->module) {
		free(b);
		return NULL;
	}
	if (strcmp(module, "vmlinux") == 0) {
		b->next = ts->btf;
		ts->btf = b;
		return b;
	}
	while (*end)
		end = &(*end)->next;
	*end = b;
	return b;
}

/* As if it had never been asked for: what memory was missing for may be there the next time. */
static void module_drop(struct dt_types *ts, struct dt_btf *b)
{
	struct dt_btf **at = &ts->btf;

	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	free_one(b);
}

static struct dt_btf *module_load(struct dt_types *ts, const char *module);

static struct dt_btf *base_for(struct dt_types *ts, const char *module)
{
	struct dt_btf *base = strcmp(module, "vmlinux") == 0 ? NULL : module_load(ts, "vmlinux");

	return base && base->data ? base : NULL;
}

/* Takes over the bytes, also if it fails. */
static int add_module_data(struct dt_types *ts, const char *module, struct dt_whole *bytes)
{
	struct dt_btf *base = base_for(ts, module), *b = module_get(ts, module);
	int err;

	if ((b && b->data) || !(b = b ? b : module_add(ts, module))) {
		dt_whole_free(bytes);
		return b ? -EEXIST : -ENOMEM;
	}
	b->base = base;
	err = dt_btf_open(b, bytes);
	if (!err)
		err = build_index(b);
	if (err == -ENOMEM) {
		module_drop(ts, b);
	} else if (err) {
		close_one(b);
		set_error(ts, module, "the type data (BTF) cannot be used: ", err);
	}
	return err;
}

int dt_types_add_btf(struct dt_types *ts, const char *module, const void *data, size_t len)
{
	struct dt_whole copy = { malloc(len ? len : 1), len, false };

	if (!copy.data)
		return -ENOMEM;
	if (len)
		memcpy(copy.data, data, len);
	return add_module_data(ts, module, &copy);
}

void dt_types_btf(struct dt_types *ts, dt_btf_get *get, void *ctx)
{
	ts->get = get;
	ts->get_ctx = ctx;
}

const char *dt_types_btf_error(const struct dt_types *ts)
{
	return ts->error;
}

const char *dt_types_kernel_missing(const struct dt_types *ts, struct dt_arena *arena)
{
	const char *why = ts->error;

	if (why == NULL || strstr(why, "/vmlinux: ") == NULL)
		return NULL;
	return dt_arena_printf(arena,
	    "the kernel's type data are missing (%s): mount /sys, or use a kernel with CONFIG_DEBUG_INFO_BTF",
	    why);
}

/*
 * The module's data, read now if needed. NULL: no one can provide it (but someone may add it later). An
 * entry without data: reading has failed before.
 */
static struct dt_btf *module_load(struct dt_types *ts, const char *module)
{
	struct dt_btf *b = module_get(ts, module);
	struct dt_whole bytes = { 0 };
	int err;

	if (b || !ts->get)
		return b;
	if (strcmp(module, "vmlinux") != 0 && !base_for(ts, module))
		return NULL;
	err = ts->get(ts->get_ctx, module, &bytes);
	if (!err) {
		err = add_module_data(ts, module, &bytes);
	} else if (err != -ENOMEM) {
		set_error(ts, module, "", err);
		err = module_add(ts, module) ? 0 : -ENOMEM;
	}
	if (err == -ENOMEM)
		dt_arena_lack(ts->arena);
	return module_get(ts, module);
}

/* ---- lookup ---- */

static const struct dt_type *find_in(struct dt_types *ts, struct dt_btf *b, enum dt_tkind kind,
    const char *name)
{
	uint32_t id = find_id(b, kind, name);

	if (!id)
		return NULL;
	return kind == DT_T_FUNC ? dt_btf_convert_symbol(ts, b, id) : dt_btf_convert(ts, b, id);
}

/* Searches the module, then its base. */
const struct dt_type *dt_btf_find(struct dt_types *ts, const char *module, enum dt_tkind kind,
    const char *name, bool load)
{
	struct dt_btf *b = load ? module_load(ts, module) : module_get(ts, module);
	const struct dt_type *forward = NULL;

	for (; b; b = b->base) {
		const struct dt_type *t = find_in(ts, b, kind, name);

		if (t && !t->incomplete)
			return t;
		forward = forward ? forward : t;
	}
	if (!forward && kind == DT_T_TYPEDEF)
		return dt_types_basic(ts, name);
	return forward;
}

const struct dt_type *dt_btf_find_any(struct dt_types *ts, enum dt_tkind kind, const char *name)
{
	const struct dt_type *forward = NULL;

	module_load(ts, "vmlinux");
	for (struct dt_btf *b = ts->btf; b; b = b->next) {
		const struct dt_type *t = find_in(ts, b, kind, name);

		if (t && !t->incomplete)
			return t;
		forward = forward ? forward : t;
	}
	return forward;
}

/* A symbol without a module is searched everywhere. */
const struct dt_type *dt_types_symbol(struct dt_types *ts, const char *module, const char *name)
{
	if (!module)
		return dt_btf_find_any(ts, DT_T_FUNC, name);
	return dt_btf_find(ts, strcmp(module, "kernel") == 0 ? "vmlinux" : module, DT_T_FUNC, name, true);
}

uint32_t dt_types_function_id(struct dt_types *ts, const char *name)
{
	const char *tick = strchr(name, '`'), *module = "vmlinux";
	const struct dt_btf *b;
	uint32_t id;
	char copy[64];		/* MODULE_NAME_LEN of the kernel is 56 */

	if (tick) {
		if ((size_t)(tick - name) >= sizeof(copy))
			return 0;
		memcpy(copy, name, (size_t)(tick - name));
		copy[tick - name] = '\0';
		module = copy;
		name = tick + 1;
	}
	b = module_load(ts, module);
	id = b && b->data ? find_id(b, DT_T_FUNC, name) : 0;
	return id && btf_is_func(dt_btf_record(b, id)) ? id : 0;
}

int dt_types_each(struct dt_types *ts, const char *module, enum dt_tkind kind, const char *prefix,
    dt_types_each_f *f, void *ctx)
{
	const struct dt_btf *b = module_load(ts, strcmp(module, "kernel") == 0 ? "vmlinux" : module);
	size_t len = strlen(prefix);
	int ret = b && b->data ? 0 : -ENOENT;

	for (uint32_t id = ret ? 0 : b->first; !ret && id < b->end; id++) {
		const struct btf_type *t = dt_btf_record(b, id);
		const char *name;

		if (!t->name_off || !kind_matches(t, kind))
			continue;
		name = dt_btf_name(b, t->name_off);
		if (name && strncmp(name, prefix, len) == 0)
			ret = f(ctx, name);
	}
	return ret;
}

static void offer_module_names(const struct dt_btf *b, enum dt_tkind kind, struct dt_near *near)
{
	for (uint32_t id = b->first; id < b->end; id++) {
		const struct btf_type *t = dt_btf_record(b, id);
		const char *name;

		if (!t->name_off || !kind_is_indexed(btf_kind(t)) || !kind_matches(t, kind))
			continue;
		name = dt_btf_name(b, t->name_off);
		if (name)
			dt_near_offer(near, name);
	}
}

void dt_btf_near(struct dt_types *ts, enum dt_tkind kind, struct dt_near *near)
{
	for (const struct dt_btf *b = ts->btf; b; b = b->next)
		if (b->data)
			offer_module_names(b, kind, near);
}
