/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The little BTF that the kernel insists on: task storage must have typed values, and programs with callbacks
 * must name their functions. Types are numbered from 1 as they are added: 1 int, 2 unsigned char, then an
 * array of bytes for each map of task storage, a prototype, functions. The numbers 1 and 2 are used below.
 */
#include "bpf/image_maps.h"

#include <linux/btf.h>

struct blob {
	struct dt_arena *arena;
	DT_VEC(uint32_t) types;
	DT_VEC(char) strs;
	uint32_t ntypes;
};

/* Its offset among the strings, which begin with the empty one. */
static uint32_t add_text(struct blob *b, const char *s)
{
	uint32_t at = (uint32_t)b->strs.n;

	do
		dt_vec_push(b->arena, &b->strs, *s);
	while (*s++);
	return at;
}

static void add_word(struct blob *b, uint32_t w) { dt_vec_push(b->arena, &b->types, w); }

/* The common part of a type; returns its number. What follows it is up to the caller, by add_word(). */
static uint32_t add_type(struct blob *b, const char *name, uint32_t kind, uint32_t vlen, uint32_t size)
{
	add_word(b, *name ? add_text(b, name) : 0);
	add_word(b, kind << 24 | vlen);
	add_word(b, size);
	return ++b->ntypes;
}

static uint32_t add_byte_array(struct blob *b, uint32_t n)
{
	uint32_t id = add_type(b, "", BTF_KIND_ARRAY, 0, 0);

	add_word(b, 2);
	add_word(b, 1);
	add_word(b, n);
	return id;
}

/*
 * A function for every subprogram, all of one prototype, which is as much as the kernel asks for. It shows
 * the names in its symbol table.
 */
static void add_functions(struct blob *b, struct dt_image *image, uint32_t proto)
{
	for (uint32_t p = 0; p < image->nprogs + image->nmore; p++) {
		struct bpf_func_info *f = (struct bpf_func_info *)image->progs[p].funcs;

		for (uint32_t i = 0; i < image->progs[p].nfuncs; i++)
			f[i].type_id = add_type(b, i ? "clause" : "probe", BTF_KIND_FUNC,
			    i ? BTF_FUNC_STATIC : BTF_FUNC_GLOBAL, proto);
	}
}

void dt_btf_finish(struct dt_build *b)
{
	struct blob o = { .arena = b->arena };
	struct btf_header h = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h) };
	uint32_t proto;
	char *out;

	add_text(&o, "");
	add_type(&o, "int", BTF_KIND_INT, 0, 4);
	add_word(&o, BTF_INT_SIGNED << 24 | 32);
	add_type(&o, "byte", BTF_KIND_INT, 0, 1);
	add_word(&o, 8);
	for (size_t i = 0; i < b->maps.n; i++) {
		if (b->maps.v[i].type != BPF_MAP_TYPE_TASK_STORAGE)
			continue;
		b->maps.v[i].btf_key = 1;
		b->maps.v[i].btf_value = add_byte_array(&o, b->maps.v[i].value_size);
	}
	proto = add_type(&o, "", BTF_KIND_FUNC_PROTO, 0, 1);
	add_functions(&o, b->image, proto);
	h.type_len = (uint32_t)o.types.n * 4;
	h.str_off = h.type_len;
	h.str_len = (uint32_t)o.strs.n;
	b->image->btflen = (uint32_t)sizeof(h) + h.type_len + h.str_len;
	b->image->btf = out = dt_arena_alloc(b->arena, b->image->btflen);
	memcpy(out, &h, sizeof(h));
	memcpy(out + sizeof(h), o.types.v, h.type_len);
	memcpy(out + sizeof(h) + h.type_len, o.strs.v, h.str_len);
}
