/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects, symbols and types by name and address, for callers of the library. The objects are the kernel
 * ("vmlinux") and its modules; addresses in processes are named by dtrace_uaddr2str(). Symbols are those of
 * /proc/kallsyms, types those of BTF. Strings given out live as long as the handle.
 */
#include "base/count.h"
#include "handle/entry.h"
#include "trace/trace.h"

#include <errno.h>

/*
 * The special objects of dtrace.h (DTRACE_OBJ_EXEC and its siblings) are small numbers in place of a name:
 * they must never be read as text.
 */
static bool is_special(const char *object)
{
	return (uintptr_t)object <= 3 || (uintptr_t)object >= (uintptr_t)-3;
}

/* Objects that mean "wherever it is". */
static bool any_module(const char *object)
{
	return object == DTRACE_OBJ_EVERY || object == DTRACE_OBJ_KMODS;
}

/* The kernel's symbols, opened at the first need. */
static struct dt_kernel *kernel_of(struct dtrace_hdl *h)
{
	if (h->kernel == NULL)
		h->kernel = dt_kernel_new(h->arena);
	return h->kernel;
}

/* The historic code for the errno of a lookup; `none` is the code for "there is no such thing". */
static int symbol_error(struct dtrace_hdl *h, int err, int none)
{
	return dt_handle_error(h, err == -ENOENT ? none : err == -ENOMEM ? EDT_NOMEM : EDT_CORRUPT_KALLSYMS);
}

/* The module a lookup is limited to; NULL means any. 0, or -1 with the error set: there is no such object. */
static int limit_to(struct dtrace_hdl *h, const char *object, const char **module)
{
	*module = NULL;
	if (any_module(object))
		return 0;
	*module = "vmlinux";
	if (object == DTRACE_OBJ_EXEC)
		return 0;
	if (is_special(object))
		/* D's and C's own definitions have no symbols, nor have processes here */
		return dt_handle_error(h, EDT_NOSYM);
	if (!h->compiler.services.module(h, object))
		return dt_handle_error(h, EDT_NOMOD);
	*module = object;
	return 0;
}

/* ---- symbols ---- */

/* Either out parameter may be NULL. Kernel symbols have no section: SHN_ABS. */
static void fill_symbol(const struct dt_ksym *s, GElf_Sym *sym, dtrace_syminfo_t *info)
{
	if (sym != NULL)
		*sym = (GElf_Sym){ .st_info = ELF64_ST_INFO(s->global ? STB_GLOBAL : STB_LOCAL, s->code ?
		    STT_FUNC : STT_OBJECT),
			.st_shndx = SHN_ABS, .st_value = s->addr, .st_size = s->size };
	if (info != NULL)
		*info = (dtrace_syminfo_t){ s->module, s->name, s->id };
}

/* The body of dtrace_lookup_by_name(). */
static int lookup_name(dtrace_hdl_t *h, const char *object, const char *name, GElf_Sym *sym,
    dtrace_syminfo_t *info)
{
	const char *module, *home;
	struct dt_ksym s = { 0 };
	uint64_t addr;
	int err;

	if (name == NULL)
		return dt_handle_error(h, EINVAL);
	if (limit_to(h, object, &module) != 0)
		return -1;
	err = dt_kernel_symbol(kernel_of(h), module, name, &addr, &home);
	if (err != 0)
		return symbol_error(h, err, EDT_NOSYM);
	/*
	 * of several names for one address the list by address may have another; a number ("A") is not in it
	 */
	if (dt_kernel_find(h->kernel, addr, &s) != 0 || s.addr != addr)
		s = (struct dt_ksym){ .addr = addr };
	s.module = home;
	s.name = dt_arena_strdup(h->arena, name);
	fill_symbol(&s, sym, info);
	return 0;
}

int dtrace_lookup_by_name(dtrace_hdl_t *h, const char *object, const char *name, GElf_Sym *sym,
    dtrace_syminfo_t *info)
{
	DT_PUBLIC(h, -1, lookup_name(h, object, name, sym, info));
}

/* The body of dtrace_lookup_by_addr(). Without `sym` only the module is asked for, as in history. */
static int lookup_addr(dtrace_hdl_t *h, GElf_Addr addr, GElf_Sym *sym, dtrace_syminfo_t *info)
{
	struct dt_ksym s;
	int err = dt_kernel_find(kernel_of(h), addr, &s);

	if (err != 0)
		return symbol_error(h, err, EDT_NOSYMADDR);
	fill_symbol(&s, sym, info);
	if (sym == NULL && info != NULL)		/* the module alone is asked for */
		info->dts_name = NULL;
	return 0;
}

int dtrace_lookup_by_addr(dtrace_hdl_t *h, GElf_Addr addr, GElf_Sym *sym, dtrace_syminfo_t *info)
{
	DT_PUBLIC(h, -1, lookup_addr(h, addr, sym, info));
}

/* ---- types ---- */

/* History has one code for all that can be wrong with a type; only lack of memory has its own. */
static int type_error(dtrace_hdl_t *h)
{
	return h->err == EDT_NOMEM ? -1 : dt_handle_error(h, EDT_NOTYPE);
}

/* "struct foo *" in a module is "struct module`foo *" in D. */
static const char *scoped_name(struct dtrace_hdl *h, const char *module, const char *name)
{
	static const char *const tags[] = { "struct ", "union ", "enum " };
	size_t n = 0;

	for (size_t i = 0; i < DT_COUNT(tags); i++)
		if (strncmp(name, tags[i], strlen(tags[i])) == 0)
			n = strlen(tags[i]);
	n += strspn(name + n, " ");
	return dt_arena_printf(h->arena, "%.*s%s`%s", (int)n, name, module, name + n);
}

/* D may name a struct that is not defined; a lookup does not find it. */
static bool is_undefined(const struct dt_type *t)
{
	while (t->ref != NULL)
		t = t->ref;
	return t->incomplete;
}

/*
 * The body of dtrace_lookup_by_type(). The C and D definitions (DTRACE_OBJ_CDEFS, _DDEFS) are a filter on
 * the result rather than a place to look in.
 */
static int lookup_type(dtrace_hdl_t *h, const char *object, const char *name, dtrace_typeinfo_t *info)
{
	const char *only = object == DTRACE_OBJ_CDEFS ? "C" : object == DTRACE_OBJ_DDEFS ? "D" : NULL,
	    *module = NULL;

	if (name == NULL || info == NULL)
		return dt_handle_error(h, EINVAL);
	if (object == DTRACE_OBJ_UMODS || object == DTRACE_OBJ_RTLD)
		return dt_handle_error(h, EDT_NOTYPE);
	if (!is_special(object) && limit_to(h, object, &module) != 0)
		return -1;
	if (dtrace_type_strcompile(h, module != NULL ? scoped_name(h, module, name) : name, info) != 0)
		return type_error(h);
	if (is_undefined(info->dtt_type))
		return dt_handle_error(h, EDT_NOTYPE);
	return only == NULL || strcmp(info->dtt_object, only) == 0 ? 0 : dt_handle_error(h, EDT_NOTYPE);
}

int dtrace_lookup_by_type(dtrace_hdl_t *h, const char *object, const char *name, dtrace_typeinfo_t *info)
{
	DT_PUBLIC(h, -1, lookup_type(h, object, name, info));
}

/* Only functions and variables with BTF have a type; without any BTF the error says so (EDT_NOCTF). */
static int type_of_symbol(dtrace_hdl_t *h, const dtrace_syminfo_t *sym, dtrace_typeinfo_t *info)
{
	const struct dt_type *t;

	if (sym == NULL || sym->dts_object == NULL || sym->dts_name == NULL || info == NULL)
		return dt_handle_error(h, EINVAL);
	t = dt_types_symbol(h->types, sym->dts_object, sym->dts_name);
	if (t == NULL)
		return dt_handle_error(h, dt_types_btf_error(h->types) != NULL ? EDT_NOCTF : EDT_NOTYPE);
	dt_handle_typeinfo(h, t, info);
	return 0;
}

int dtrace_symbol_type(dtrace_hdl_t *h, const GElf_Sym *sym, const dtrace_syminfo_t *info,
    dtrace_typeinfo_t *type)
{
	(void)sym;
	DT_PUBLIC(h, -1, type_of_symbol(h, info, type));
}

/* ---- objects ---- */

/* One iteration over the modules: for a caller's function, or looking for one module. */
struct visiting {
	dtrace_hdl_t *h;
	const char *want;		/* NULL all */
	dtrace_objinfo_t *found;
	dtrace_obj_f *f;
	void *arg;
	int rv;
};

/* A nonzero value ends the iteration: the caller's function says so, or the module is found. */
static int visit_module(void *ctx, const struct dt_kmodule *m)
{
	struct visiting *v = ctx;
	bool kernel = strcmp(m->name, "vmlinux") == 0;
	dtrace_objinfo_t o = { .dto_name = m->name, .dto_id = (int)m->id,
		.dto_flags = DTRACE_OBJ_F_KERNEL | (kernel ? DTRACE_OBJ_F_PRIMARY : 0),
		.dto_text_va = m->text, .dto_text_size = m->text_size, .dto_data_va = m->data,
		    .dto_data_size = m->data_size };

	if (v->want != NULL && strcmp(v->want, m->name) != 0)
		return 0;
	o.dto_file = dt_arena_printf(v->h->arena, "/sys/kernel/btf/%s", m->name);
	if (v->found != NULL)
		*v->found = o;
	v->rv = v->f != NULL ? v->f(v->h, &o, v->arg) : 1;
	return v->rv;
}

/* The caller's own value, or -1 with the error set if the modules cannot be read. */
static int visit_objects(dtrace_hdl_t *h, struct visiting *v)
{
	int err = dt_kernel_modules(kernel_of(h), visit_module, v);

	return err < 0 && v->rv == 0 ? symbol_error(h, err, EDT_NOMOD) : v->rv;
}

int dtrace_object_iter(dtrace_hdl_t *h, dtrace_obj_f *f, void *arg)
{
	struct visiting v = { .h = h, .f = f, .arg = arg };

	if (f == NULL)
		return dt_handle_error(h, EINVAL);
	DT_PUBLIC(h, -1, visit_objects(h, &v));
}

/* The body of dtrace_object_info(): one module, which must be named. */
static int object_info(dtrace_hdl_t *h, const char *object, dtrace_objinfo_t *info)
{
	struct visiting v = { .h = h, .found = info };
	int rv;

	if (info == NULL || any_module(object) || object == DTRACE_OBJ_UMODS)
		return dt_handle_error(h, EINVAL);
	if (object != DTRACE_OBJ_EXEC && is_special(object))
		return dt_handle_error(h, EDT_NOMOD);
	v.want = object == DTRACE_OBJ_EXEC || strcmp(object, "kernel") == 0 ? "vmlinux" : object;
	rv = visit_objects(h, &v);
	return rv == 0 ? dt_handle_error(h, EDT_NOMOD) : rv < 0 ? -1 : 0;
}

int dtrace_object_info(dtrace_hdl_t *h, const char *object, dtrace_objinfo_t *info)
{
	DT_PUBLIC(h, -1, object_info(h, object, info));
}

/*
 * Symbols are read again at the next need. Names that were given out stay valid until the handle is closed.
 */
int dtrace_update(dtrace_hdl_t *h)
{
	dt_kernel_retire(h->kernel);
	h->kernel = NULL;
	return 0;
}

/*
 * Providers are part of this library: no kernel module has to be loaded for them, so there is none to name.
 */
int dtrace_provider_modules(dtrace_hdl_t *h, const char **modules, int n)
{
	(void)modules;
	return n < 0 ? dt_handle_error(h, EINVAL) : 0;
}
