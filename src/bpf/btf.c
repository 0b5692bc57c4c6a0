/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The little BTF the kernel insists on: task storage has typed values, and programs with callbacks name
 * their functions. Types: 1 int, 2 unsigned char, then one array of bytes for each size asked for, a
 * prototype, functions.
 */
#include "bpf/maps.h"

#include <linux/btf.h>

struct blob {
	struct dt_arena *arena;
	DT_VEC(uint32_t) types;
	DT_VEC(char) strs;
	uint32_t ntypes;
};

static uint32_t text(struct blob *b, const char *s)
{
	uint32_t at = (uint32_t)b->strs.n;

	do
		dt_vec_push(b->arena, &b->strs, *s);
	while (*s++);
	return at;
}

static void word(struct blob *b, uint32_t w) { dt_vec_push(b->arena, &b->types, w); }

static uint32_t type(struct blob *b, const char *name, uint32_t kind, uint32_t vlen, uint32_t size)
{
	word(b, *name ? text(b, name) : 0);
	word(b, kind << 24 | vlen);
	word(b, size);
	return ++b->ntypes;
}

static uint32_t bytes(struct blob *b, uint32_t n)
{
	uint32_t id = type(b, "", BTF_KIND_ARRAY, 0, 0);

	word(b, 2);
	word(b, 1);
	word(b, n);
	return id;
}

/* One static function of (void) for every subprogram: the names are what the kernel's symbol table shows. */
static void functions(struct blob *b, struct dt_image *image, uint32_t proto)
{
	for (uint32_t p = 0; p < image->nprogs + image->nmore; p++) {
		struct bpf_func_info *f = (struct bpf_func_info *)image->progs[p].funcs;

		for (uint32_t i = 0; i < image->progs[p].nfuncs; i++)
			f[i].type_id = type(b, i ? "clause" : "probe", BTF_KIND_FUNC,
			    i ? BTF_FUNC_STATIC : BTF_FUNC_GLOBAL, proto);
	}
}

void dt_btf_finish(struct dt_build *b)
{
	struct blob o = { .arena = b->arena };
	struct btf_header h = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h) };
	uint32_t proto;
	char *out;

	text(&o, "");
	type(&o, "int", BTF_KIND_INT, 0, 4);
	word(&o, BTF_INT_SIGNED << 24 | 32);
	type(&o, "byte", BTF_KIND_INT, 0, 1);
	word(&o, 8);
	for (size_t i = 0; i < b->maps.n; i++) {
		if (b->maps.v[i].type != BPF_MAP_TYPE_TASK_STORAGE)
			continue;
		b->maps.v[i].btf_key = 1;
		b->maps.v[i].btf_value = bytes(&o, b->maps.v[i].value_size);
	}
	proto = type(&o, "", BTF_KIND_FUNC_PROTO, 0, 1);
	functions(&o, b->image, proto);
	h.type_len = (uint32_t)o.types.n * 4;
	h.str_off = h.type_len;
	h.str_len = (uint32_t)o.strs.n;
	b->image->btflen = (uint32_t)sizeof(h) + h.type_len + h.str_len;
	b->image->btf = out = dt_arena_alloc(b->arena, b->image->btflen);
	memcpy(out, &h, sizeof(h));
	memcpy(out + sizeof(h), o.types.v, h.type_len);
	memcpy(out + sizeof(h) + h.type_len, o.strs.v, h.str_len);
}
