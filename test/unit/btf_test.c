/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel type data: every kind of record, bad graphs, modules on top of vmlinux, and the running kernel's
 * own.
 */
#include "types/type.h"
#include "kernel/kernel.h"
#include "base/diag.h"
#include "base/file.h"
#include "check.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int add(struct dt_types *ts, const char *module, struct btf *b)
{
	uint32_t len;
	const void *data = btf__raw_data(b, &len);

	return dt_types_add_btf(ts, module, data, len);
}

static const char *str(struct dt_types *ts, const struct dt_type *t)
{
	return t ? dt_type_str(dt_types_arena(ts), t) : "(none)";
}

static const char *member_str(struct dt_types *ts, const struct dt_type *t, const char *name)
{
	struct dt_member m;

	return dt_type_member(ts, t, name, &m) ? str(ts, m.type) : "(none)";
}

static long bit_off(struct dt_types *ts, const struct dt_type *t, const char *name)
{
	struct dt_member m;

	return dt_type_member(ts, t, name, &m) ? (long)m.bit_off : -1;
}

/* Ids that several fixtures use. */
struct ids { int i, c, ul, u, flt, ch; };

static struct btf *fixture(struct ids *d)
{
	struct btf *b = btf__new_empty();

	d->i = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	d->c = btf__add_int(b, "char", 1, 0);
	d->ul = btf__add_int(b, "long unsigned int", 8, 0);
	d->u = btf__add_int(b, "unsigned int", 4, 0);
	d->flt = btf__add_float(b, "double", 8);
	d->ch = btf__add_ptr(b, d->c);
	return b;
}

/* A record is finished before the next one is begun, so everything a struct needs comes first. */
static void add_shapes(struct btf *b, const struct ids *d)
{
	int path = btf__add_ptr(b, btf__add_type_tag(b, "user", btf__add_const(b, d->c)));
	int v = btf__add_volatile(b, btf__add_ptr(b, btf__add_type_tag(b, "rcu", d->i)));
	int next = btf__add_ptr(b, btf__add_fwd(b, "later", BTF_FWD_STRUCT)),
	    name = btf__add_array(b, d->i, d->c, 16);
	int proto = btf__add_func_proto(b, d->i), call, halves, inner;

	btf__add_func_param(b, "fmt", d->ch);
	btf__add_func_param(b, NULL, 0);
	call = btf__add_ptr(b, proto);
	btf__add_fwd(b, "laterunion", BTF_FWD_UNION);
	halves = btf__add_struct(b, NULL, 8);
	btf__add_field(b, "low", d->u, 0, 0);
	btf__add_field(b, "half", d->u, 32, 0);
	inner = btf__add_union(b, NULL, 8);
	btf__add_field(b, "word", d->ul, 0, 0);
	btf__add_field(b, NULL, halves, 0, 0);
	btf__add_struct(b, "shape", 72);
	btf__add_field(b, "a", d->i, 0, 0);
	btf__add_field(b, "bits", d->u, 32, 3);
	btf__add_field(b, "more", d->u, 35, 29);
	btf__add_field(b, NULL, inner, 64, 0);
	btf__add_field(b, "path", path, 128, 0);
	btf__add_field(b, "call", call, 192, 0);
	btf__add_field(b, "next", next, 256, 0);
	btf__add_field(b, "name", name, 320, 0);
	btf__add_field(b, "f", d->flt, 448, 0);
	btf__add_field(b, "v", v, 512, 0);
	btf__add_field(b, "outside", d->ul, 572, 0);
}

static void add_names(struct btf *b, const struct ids *d)
{
	int file = btf__add_ptr(b, 0), buf = btf__add_restrict(b, d->ch),
	    proto = btf__add_func_proto(b, d->ul), var;

	btf__add_func_param(b, "file", file);
	btf__add_func_param(b, "buf", buf);
	btf__add_func(b, "vfs_thing", BTF_FUNC_GLOBAL, proto);
	btf__add_typedef(b, "thing_t", btf__add_const(b, d->ul));
	var = btf__add_var(b, "jiffies", BTF_VAR_GLOBAL_ALLOCATED, btf__add_volatile(b, d->ul));
	btf__add_datasec(b, ".data", 8);
	btf__add_datasec_var_info(b, var, 0, 8);
	btf__add_decl_tag(b, "note", var, -1);
	btf__add_enum(b, "color", 4);
	btf__add_enum_value(b, "RED", 1);
	btf__add_enum_value(b, "NONE", -1);
	btf__add_enum64(b, "wide", 8, false);
	btf__add_enum64_value(b, "HUGE_BIT", 1ULL << 40);
	btf__add_enum(b, "unseen", 4);
	btf__add_struct(b, "packed", 9);
	btf__add_field(b, "c", d->c, 0, 0);
	btf__add_field(b, "l", d->ul, 8, 0);
}

static void structs(struct dt_types *ts)
{
	const struct dt_type *t = dt_types_find(ts, NULL, DT_T_STRUCT, "shape");
	struct dt_member m;

	if (!CHECK(t != NULL))
		return;
	CHECK_INT(dt_type_size(ts, t), 72);
	CHECK_INT(dt_type_align(ts, t), 8);
	CHECK_STR(t->module, "vmlinux");
	CHECK(dt_type_member(ts, t, "more", &m) && m.bit_off == 35 && m.bit_size == 29);
	CHECK_INT(bit_off(ts, t, "half"), 96);
	CHECK_STR(member_str(ts, t, "path"), "userland const char *");
	CHECK(dt_type_member(ts, t, "path", &m) && dt_type_is_user(m.type) && dt_type_is_stringlike(m.type));
	CHECK_STR(member_str(ts, t, "call"), "int (*)(char *, ...)");
	CHECK_STR(member_str(ts, t, "next"), "struct later *");
	CHECK_STR(member_str(ts, t, "name"), "char [16]");
	CHECK(dt_type_member(ts, t, "name", &m) && dt_type_is_stringlike(m.type) &&
	    !dt_type_base(m.type->ref)->is_signed);
	CHECK_STR(member_str(ts, t, "f"), "double");
	CHECK_STR(member_str(ts, t, "v"), "int *volatile");
	CHECK_STR(member_str(ts, t, "outside"), "(none)");
	CHECK(dt_type_member(ts, t, "a", &m) && m.type == dt_types_basic(ts, "int"));
	CHECK(dt_type_member(ts, t, "word", &m) && m.type == dt_types_basic(ts, "unsigned long"));
	t = dt_types_find(ts, NULL, DT_T_STRUCT, "packed");
	CHECK(t && dt_type_align(ts, t) == 1 && bit_off(ts, t, "l") == 8);
}

static void names(struct dt_types *ts)
{
	const struct dt_type *t;
	const struct dt_enumconst *e;
	struct dt_near near;
	uint32_t n;

	t = dt_types_symbol(ts, NULL, "vfs_thing");
	CHECK_STR(str(ts, t), "unsigned long (void *, char *restrict)");
	CHECK(t && t->param_names && strcmp(t->param_names[1], "buf") == 0 &&
	    t == dt_types_symbol(ts, "kernel", "vfs_thing"));
	CHECK(t && !dt_type_ptr(ts, t)->ref->param_names && dt_type_same(dt_type_ptr(ts, t)->ref, t));
	CHECK_STR(str(ts, dt_types_symbol(ts, "vmlinux", "jiffies")), "volatile unsigned long");
	CHECK(!dt_types_symbol(ts, NULL, "thing_t") && !dt_types_find(ts, NULL, DT_T_TYPEDEF, "jiffies"));
	t = dt_types_find(ts, "kernel", DT_T_TYPEDEF, "thing_t");
	CHECK(t && dt_type_base(t) == dt_types_basic(ts, "unsigned long") &&
	    t == dt_types_find(ts, NULL, DT_T_TYPEDEF, "thing_t"));
	CHECK(dt_types_find(ts, "vmlinux", DT_T_TYPEDEF, "char") &&
	    !dt_types_find(ts, "vmlinux", DT_T_TYPEDEF, "char")->is_signed);
	CHECK(dt_types_find(ts, NULL, DT_T_TYPEDEF, "char")->is_signed);
	t = dt_types_find(ts, NULL, DT_T_ENUM, "color");
	e = t ? dt_type_enums(ts, t, &n) : NULL;
	CHECK(e && n == 2 && t->is_signed && e[1].value == -1 && strcmp(e[0].name, "RED") == 0);
	t = dt_types_find(ts, NULL, DT_T_ENUM, "wide");
	e = t ? dt_type_enums(ts, t, &n) : NULL;
	CHECK(e && n == 1 && t->size == 8 && e[0].value == 1LL << 40);
	t = dt_types_find(ts, NULL, DT_T_ENUM, "unseen");
	CHECK(t && t->incomplete && dt_type_size(ts, t) == 0);
	t = dt_types_find(ts, NULL, DT_T_UNION, "laterunion");
	CHECK(t && t->incomplete && t->kind == DT_T_UNION &&
	    !dt_types_find(ts, NULL, DT_T_STRUCT, "laterunion"));
	dt_near_init(&near, "shpae");
	dt_types_near(ts, DT_T_STRUCT, &near);
	CHECK_STR(near.best, "shape");
}

static void modules(struct dt_types *ts, struct btf *base)
{
	struct btf *b = btf__new_empty_split(base);
	const struct dt_type *t, *fwd = dt_types_find(ts, NULL, DT_T_STRUCT, "later"), *d;
	struct dt_member m = { .name = "y", .type = dt_types_basic(ts, "char") };
	struct dt_type *s;
	int func;

	CHECK(fwd && fwd->incomplete);
	s = dt_type_shell(ts, "D", DT_T_STRUCT, "later");
	CHECK_INT(dt_type_complete_sou(ts, s, &m, 1), 0);
	CHECK(fwd && dt_type_complete(ts, fwd) == s && dt_types_find(ts, NULL, DT_T_STRUCT, "later") == s);
	btf__add_struct(b, "later", 16);
	btf__add_field(b, "x", btf__find_by_name_kind(base, "thing_t", BTF_KIND_TYPEDEF), 64, 0);
	btf__add_typedef(b, "ext_t", 1);
	func = btf__add_func(b, "ext_open", BTF_FUNC_STATIC, btf__add_func_proto(b, 1));
	CHECK_INT(add(ts, "ext4", b), 0);
	CHECK_INT(add(ts, "ext4", b), -EEXIST);
	t = dt_types_find(ts, "ext4", DT_T_STRUCT, "later");
	CHECK(t && !t->incomplete && t->size == 16 && bit_off(ts, t, "x") == 64);
	CHECK_STR(t ? t->module : NULL, "ext4");
	CHECK_STR(t ? member_str(ts, t, "x") : NULL, "thing_t");
	CHECK(fwd && dt_type_complete(ts, fwd) == t);
	d = dt_types_find(ts, "ext4", DT_T_STRUCT, "shape");	/* through to vmlinux */
	CHECK(d && d == dt_types_find(ts, "kernel", DT_T_STRUCT, "shape"));
	CHECK(dt_types_find(ts, "ext4", DT_T_TYPEDEF, "ext_t") &&
	    !dt_types_find(ts, "vmlinux", DT_T_TYPEDEF, "ext_t"));
	/* numbers go on where the core kernel's end */
	CHECK_INT(dt_types_function_id(ts, "ext4`ext_open"), func);
	CHECK(func > 0 && dt_types_function_id(ts, "ext_open") == 0 &&
	    dt_types_function_id(ts, "ext4`vfs_thing") == 0);
	CHECK(dt_types_function_id(ts, "vfs_thing") > 0 && dt_types_function_id(ts, "`vfs_thing") == 0);
	btf__free(b);
}

static void all_kinds(void)
{
	struct dt_types *ts = dt_types_new();
	struct ids d;
	struct btf *b = fixture(&d);

	add_shapes(b, &d);
	add_names(b, &d);
	CHECK_INT(add(ts, "vmlinux", b), 0);
	CHECK(!dt_types_btf_error(ts));
	structs(ts);
	names(ts);
	modules(ts, b);
	dt_types_free(ts);
	btf__free(b);
}

/* Loops, ids and names that lead nowhere: answers may be poor, but they come. */
static void bad_graphs(void)
{
	struct dt_types *ts = dt_types_new();
	struct ids d;
	struct btf *b = fixture(&d);
	int next = (int)btf__type_cnt(b), self;
	const struct dt_type *t;
	struct dt_member m;

	btf__add_typedef(b, "loop_a", next + 1);
	btf__add_typedef(b, "loop_b", next);
	btf__add_typedef(b, "array_t", next + 3);
	btf__add_array(b, d.i, next + 3, 7);
	self = btf__add_struct(b, "self", 8);
	for (unsigned i = 0; i < 40; i++)
		btf__add_field(b, NULL, self, 0, 0);
	btf__add_typedef(b, "nowhere_t", 99999);
	btf__add_typedef(b, "symbol_t", btf__add_func(b, "fn", BTF_FUNC_GLOBAL, d.i));
	btf__add_typedef(b, "huge_t", btf__add_array(b, d.i,
	    btf__add_array(b, d.i, btf__add_array(b, d.i, d.ul, 0xffffffff), 0xffffffff), 0xffffffff));
	for (int id = (int)btf__type_cnt(b), i = 0; i < 3000; i++, id++)
		btf__add_ptr(b, id + 1);
	btf__add_int(b, "odd", 8, 0);
	btf__add_typedef(b, "deep_t", (int)btf__type_cnt(b) - 3001);
	CHECK_INT(add(ts, "vmlinux", b), 0);
	CHECK((t = dt_types_find(ts, NULL, DT_T_TYPEDEF, "loop_a")) && dt_type_is_void(t));
	CHECK((t = dt_types_find(ts, NULL, DT_T_TYPEDEF, "array_t")) && dt_type_size(ts, t) == 0);
	CHECK((t = dt_types_find(ts, NULL, DT_T_TYPEDEF, "nowhere_t")) && dt_type_is_void(t));
	CHECK((t = dt_types_find(ts, NULL, DT_T_TYPEDEF, "symbol_t")) && dt_type_is_void(t));
	CHECK((t = dt_types_find(ts, NULL, DT_T_TYPEDEF, "huge_t")) && dt_type_size(ts, t) == 0);
	CHECK((t = dt_types_find(ts, NULL, DT_T_TYPEDEF, "deep_t")) && dt_type_is_pointer(t));
	CHECK((t = dt_types_find(ts, NULL, DT_T_STRUCT, "self")) && !dt_type_member(ts, t, "x", &m) &&
	    dt_type_align(ts, t) >= 1);
	CHECK(dt_types_symbol(ts, NULL, "fn") != NULL);
	dt_types_free(ts);
	btf__free(b);
}

/* Before the kind flag, the integer type itself told offset and width of a bit-field. */
static void old_bitfields(void)
{
	struct dt_types *ts = dt_types_new();
	struct btf *b = btf__new_empty();
	int three = btf__add_int(b, "unsigned int", 4, 0),
	    named = btf__add_typedef(b, "three_t", btf__add_const(b, three));
	uint32_t *bits = (uint32_t *)(uintptr_t)(btf__type_by_id(b, (uint32_t)three) + 1);
	const struct dt_type *t;
	struct dt_member m;

	*bits = 2u << 16 | 3;
	btf__add_struct(b, "old", 4);
	btf__add_field(b, "x", named, 8, 0);
	CHECK_INT(add(ts, "vmlinux", b), 0);
	t = dt_types_find(ts, NULL, DT_T_STRUCT, "old");
	CHECK(t && dt_type_member(ts, t, "x", &m) && m.bit_off == 10 && m.bit_size == 3);
	dt_types_free(ts);
	btf__free(b);
}

static void bad_bytes(void)
{
	struct dt_types *ts = dt_types_new();
	struct ids d;
	struct btf *b = fixture(&d);
	uint32_t len;
	const void *raw = btf__raw_data(b, &len);
	unsigned char *copy = malloc(len);

	for (uint32_t n = 0; n < len; n++)
		CHECK(dt_types_add_btf(ts, "vmlinux", raw, n) != 0);
	CHECK(dt_types_btf_error(ts) && strstr(dt_types_btf_error(ts), "/sys/kernel/btf/vmlinux: "));
	memcpy(copy, raw, len);
	copy[offsetof(struct btf_header, hdr_len)] = 26;
	CHECK_INT(dt_types_add_btf(ts, "vmlinux", copy, len), -EINVAL);
	memcpy(copy, raw, len);
	copy[24 + 7] = 0x1f;	/* a kind nobody knows */
	CHECK_INT(dt_types_add_btf(ts, "vmlinux", copy, len), -EINVAL);
	CHECK(!dt_types_find(ts, NULL, DT_T_STRUCT, "x"));
	CHECK_INT(dt_types_add_btf(ts, "vmlinux", raw, len), 0);
	free(copy);
	dt_types_free(ts);
	btf__free(b);
}

static int count_and_fail(void *ctx, const char *module, struct dt_whole *bytes)
{
	(void)module, (void)bytes;
	++*(int *)ctx;
	return -ENOENT;
}

static void laziness(void)
{
	struct dt_types *ts = dt_types_new();
	int calls = 0;

	dt_types_btf(ts, count_and_fail, &calls);
	CHECK(dt_types_find(ts, NULL, DT_T_TYPEDEF, "uint32_t") && calls == 0 && !dt_types_btf_error(ts));
	CHECK(!dt_types_find(ts, NULL, DT_T_STRUCT, "task_struct") && calls == 1);
	CHECK(!dt_types_find(ts, NULL, DT_T_TYPEDEF, "kuid_t") && !dt_types_symbol(ts, NULL, "x") &&
	    calls == 1);
	CHECK(!dt_types_find(ts, "ext4", DT_T_STRUCT, "x") && calls == 1);
	CHECK_STR(dt_types_btf_error(ts), "/sys/kernel/btf/vmlinux: No such file or directory");
	dt_types_free(ts);
}

static void running_kernel(void)
{
	struct dt_types *ts = dt_types_new();
	const struct dt_type *t;
	struct dt_member m;
	struct dt_whole bytes;

	CHECK_INT(dt_kernel_btf(NULL, "../btf/vmlinux", &bytes), -EINVAL);
	CHECK_INT(dt_kernel_btf(NULL, "", &bytes), -EINVAL);
	if (access("/sys/kernel/btf/vmlinux", R_OK) == 0) {
		dt_types_btf(ts, dt_kernel_btf, NULL);
		t = dt_types_find(ts, NULL, DT_T_STRUCT, "task_struct");
		CHECK(t && dt_type_size(ts, t) > 1000 && dt_type_align(ts, t) >= 8);
		CHECK(t && dt_type_member(ts, t, "comm", &m) && dt_type_size(ts, m.type) == 16 &&
		    dt_type_is_stringlike(m.type));
		CHECK(t && dt_type_member(ts, t, "pid", &m) && dt_type_size(ts, m.type) == 4 &&
		    dt_type_is_signed(m.type));
		CHECK_STR(t ? member_str(ts, t, "real_parent") : NULL, "struct task_struct *");
		CHECK(dt_types_symbol(ts, NULL, "vfs_read") != NULL);
	} else {
		CHECK_SKIP("/sys/kernel/btf/vmlinux cannot be read");
	}
	dt_types_free(ts);
}

static void symbols(void)
{
	struct dt_arena *arena = dt_arena_new();
	struct dt_kernel *k = dt_kernel_new(arena);
	const char *module = NULL, *again = NULL;
	uint64_t a, b;

	if (access("/proc/kallsyms", R_OK) == 0) {
		CHECK_INT(dt_kernel_symbol(k, NULL, "vfs_read", &a, &module), 0);
		CHECK_STR(module, "vmlinux");
		CHECK_INT(dt_kernel_symbol(k, "kernel", "vfs_read", &b, &again), 0);
		CHECK_INT(a, b);
		CHECK_INT(dt_kernel_symbol(k, "nosuchmodule", "vfs_read", &a, NULL), -ENOENT);
		CHECK_INT(dt_kernel_symbol(k, NULL, "vfs_rea", &a, NULL), -ENOENT);
		CHECK_INT(dt_kernel_symbol(k, NULL, "fs_read", &a, NULL), -ENOENT);
		CHECK_INT(dt_kernel_symbol(k, NULL, "T vfs_read", &a, NULL), -ENOENT);
		CHECK_INT(dt_kernel_symbol(k, NULL, "", &a, NULL), -ENOENT);
	} else {
		CHECK_SKIP("/proc/kallsyms cannot be read");
	}
	dt_kernel_free(k);
	dt_arena_free(arena);
}

int main(void)
{
	all_kinds();
	bad_graphs();
	old_bitfields();
	bad_bytes();
	laziness();
	running_kernel();
	symbols();
	return CHECK_DONE("btf");
}
