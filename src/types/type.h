/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The C and D type graph. Types are interned: equal types are the same pointer. They
 * are immutable to everybody else; a struct or enum that came from type data (BTF) is
 * a shell whose members are read when first asked for, so that a program costs what it uses.
 * LP64. A table of types belongs to one handle and lives in its own arena.
 */
#ifndef DT_TYPES_TYPE_H
#define DT_TYPES_TYPE_H

#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>

enum dt_tkind {
	DT_T_VOID, DT_T_INT, DT_T_FLOAT, DT_T_PTR, DT_T_ARRAY, DT_T_FUNC,
	DT_T_STRUCT, DT_T_UNION, DT_T_ENUM,
	DT_T_TYPEDEF, DT_T_QUAL,	/* see through them with dt_type_base() */
	DT_T_STRING,			/* D's string: by reference, strsize bytes */
	DT_T_STACK, DT_T_SYMADDR, DT_T_USYMADDR,	/* stack(), sym() …, usym() … as values */
	DT_T_DYN,			/* a translated or dynamic object */
};

struct dt_member {
	const char *name;		/* NULL or "": anonymous */
	const struct dt_type *type;
	uint64_t bit_off;		/* from the start of the struct */
	uint16_t bit_size;		/* of a bit-field, else 0 */
};

struct dt_enumconst {
	const char *name;
	int64_t value;
};

struct dt_type {
	uint8_t kind;			/* enum dt_tkind */
	bool is_signed;			/* INT, ENUM */
	bool is_char, is_bool;		/* INT */
	bool user;			/* QUAL userland; PTR to user memory (BTF type tag "user") */
	bool incomplete;		/* STRUCT, UNION, ENUM: only a forward declaration is known */
	bool varargs;			/* FUNC */
	/* STRUCT, UNION, ENUM, TYPEDEF: of debugging data of a process; no other type completes it */
	bool process;
	uint8_t quals;			/* QUAL: DT_TQ_* */
	uint32_t align;
	/* bytes; VOID, FUNC and incomplete types: 0. ARRAY, TYPEDEF, QUAL: ask dt_type_size() */
	uint64_t size;
	const char *name;		/* of INT, FLOAT, TYPEDEF; tag of STRUCT, UNION, ENUM (NULL: none) */
	/* "C", "D", "vmlinux", …; NULL for types without a home (pointers …) */
	const char *module;
	const struct dt_type *ref;	/* PTR, TYPEDEF, QUAL: to; ARRAY: element; FUNC: result */
	uint64_t nelems;		/* ARRAY; 0: flexible or unknown */
	uint32_t nparams;		/* FUNC */
	const struct dt_type *const *params;
	const char *const *param_names;	/* may be NULL */
	uint32_t id;			/* dense number in the table, for printing and DOF */
	struct dt_type_lazy *lazy;	/* private to src/types: members and where they come from */
};

enum { DT_TQ_CONST = 1, DT_TQ_VOLATILE = 2, DT_TQ_RESTRICT = 4, DT_TQ_USERLAND = 8 };

struct dt_types;

/* strsize is asked for lazily because options may change it until the first use of `string`. */
struct dt_types *dt_types_new(void);	/* NULL: out of memory */
void dt_types_free(struct dt_types *);
void dt_types_strsize(struct dt_types *, uint64_t strsize);	/* changes the size of `string` */
struct dt_arena *dt_types_arena(struct dt_types *);

/*
 * The basic types, by their C spelling in canonical form: "int", "unsigned long", "long long", "char",
 * "_Bool", "double" …
 */
const struct dt_type *dt_types_basic(struct dt_types *, const char *spelling);	/* NULL: none such */
const struct dt_type *dt_types_void(struct dt_types *);
const struct dt_type *dt_types_string(struct dt_types *);
/* STACK SYMADDR USYMADDR DYN */
const struct dt_type *dt_types_special(struct dt_types *, enum dt_tkind);
/* int, long …: for 1 2 4 8 */
const struct dt_type *dt_types_sized(struct dt_types *, unsigned bytes, bool is_signed);

/* Built types. */
const struct dt_type *dt_type_ptr(struct dt_types *, const struct dt_type *to);
const struct dt_type *dt_type_array(struct dt_types *, const struct dt_type *elem, uint64_t n);
const struct dt_type *dt_type_qual(struct dt_types *, const struct dt_type *, unsigned quals);
const struct dt_type *dt_type_func(struct dt_types *, const struct dt_type *ret,
    const struct dt_type *const *params, unsigned n, bool varargs);

/*
 * Named types declared in D: `module` is "D" or "C". A struct is made as an incomplete shell, then
 * completed; layout (native alignment, bit-fields as gcc packs them on LP64 little endian) is computed
 * there: give members with type and bit_size, bit_off is filled in. Returns 0, or -EOVERFLOW when the
 * size does not fit. An unnamed integer member is padding (with bit_size 0: C's `: 0`) and is not among
 * dt_type_members() afterwards. dt_type_shell() gives the same shell again while it is incomplete.
 */
struct dt_type *dt_type_shell(struct dt_types *, const char *module, enum dt_tkind, const char *tag);
int dt_type_complete_sou(struct dt_types *, struct dt_type *, struct dt_member *, uint32_t n);
/*
 * The same for members that have their bit_off, of debugging data: texts are kept, not copied. No text
 * of D names the type: it stays when others are undone.
 */
void dt_type_complete_placed(struct dt_types *, struct dt_type *, const struct dt_member *, uint32_t n,
    uint64_t size);
void dt_type_complete_enum(struct dt_types *, struct dt_type *, const struct dt_enumconst *, uint32_t n);
/* of debugging data */
void dt_type_complete_enum_sized(struct dt_types *, struct dt_type *, const struct dt_enumconst *, uint32_t n,
    uint32_t size);
const struct dt_type *dt_type_typedef(struct dt_types *, const char *module, const char *name,
    const struct dt_type *to);

/*
 * Lookup. `kind` DT_T_TYPEDEF finds typedefs and basic type names; STRUCT, UNION, ENUM find tags.
 * `module` NULL looks in C, D, then the type data given by dt_types_btf() (vmlinux first); "kernel"
 * means vmlinux. An incomplete type found in one place is replaced by a complete one found in another.
 * Finding nothing returns NULL. dt_types_declared() looks only in what C or D text declared.
 */
const struct dt_type *dt_types_find(struct dt_types *, const char *module, enum dt_tkind kind,
    const char *name);
const struct dt_type *dt_types_declared(struct dt_types *, const char *module, enum dt_tkind kind,
    const char *name);
/* Undo for a failed compile: take a mark, later cut back to it. */
/* names known; completions and redefinitions so far */
struct dt_types_mark { uint32_t names, types; };
struct dt_types_mark dt_types_mark(const struct dt_types *);
void dt_types_cut(struct dt_types *, struct dt_types_mark);

/*
 * Type data. `get` is called once, at the first need of a kernel type; it returns malloc'ed raw BTF
 * (the table frees it) or -errno.
 */
typedef int dt_btf_get(void *ctx, const char *module, void **data, size_t *len);
void dt_types_btf(struct dt_types *, dt_btf_get *, void *ctx);
/*
 * Adds one module's BTF by hand (tests; split BTF when module is not vmlinux). 0 or -errno. Checks
 * everything: the bytes are hostile.
 */
int dt_types_add_btf(struct dt_types *, const char *module, const void *data, size_t len);
/* Type of a kernel variable or function prototype by name, from BTF VAR/FUNC; NULL when unknown. */
const struct dt_type *dt_types_symbol(struct dt_types *, const char *module, const char *name);
/*
 * The number of a kernel function, or "module`function", in the kernel's type data, which trampolines
 * are attached by; 0: not there.
 */
uint32_t dt_types_function_id(struct dt_types *, const char *name);
/*
 * Calls f with every name in a module's type data that begins with prefix, in the order of the data;
 * kinds as for dt_types_find(). Ends with f's first non-zero value; -ENOENT without type data.
 */
typedef int dt_types_each_f(void *ctx, const char *name);
int dt_types_each(struct dt_types *, const char *module, enum dt_tkind, const char *prefix, dt_types_each_f *,
    void *ctx);
/* One line that says why kernel types are missing ("/sys/kernel/btf/vmlinux: No such file …"), or NULL. */
const char *dt_types_btf_error(const struct dt_types *);
/* The nearest type name to suggest; offers every declared name (and BTF's, when loaded) of that kind. */
struct dt_near;
void dt_types_near(struct dt_types *, enum dt_tkind kind, struct dt_near *);

/* Questions. dt_type_base() strips typedefs and qualifiers; the others look through them themselves. */
const struct dt_type *dt_type_base(const struct dt_type *);
/* completes forward declarations where it can; 0 unknown */
uint64_t dt_type_size(struct dt_types *, const struct dt_type *);
uint32_t dt_type_align(struct dt_types *, const struct dt_type *);
const struct dt_member *dt_type_members(struct dt_types *, const struct dt_type *, uint32_t *n);
const struct dt_enumconst *dt_type_enums(struct dt_types *, const struct dt_type *, uint32_t *n);
/* Finds a member, also inside anonymous ones; bit_off in *out is from the outer struct's start. */
bool dt_type_member(struct dt_types *, const struct dt_type *, const char *name, struct dt_member *out);
/*
 * Bytes from the beginning of `struct tag` to the member that the path ("se.vruntime") names; path NULL:
 * the size of the struct.
 */
#define DT_TYPES_NO_OFFSET UINT32_MAX
uint32_t dt_types_offset(struct dt_types *, const char *tag, const char *path);
/*
 * A forward declaration resolved to its definition if any is known, else the type itself (base already
 * stripped).
 */
const struct dt_type *dt_type_complete(struct dt_types *, const struct dt_type *);

bool dt_type_is_void(const struct dt_type *);
bool dt_type_is_integer(const struct dt_type *);	/* INT or ENUM */
bool dt_type_is_scalar(const struct dt_type *);		/* integer or pointer (not array, not string) */
bool dt_type_is_pointer(const struct dt_type *);	/* PTR or ARRAY */
bool dt_type_is_sou(const struct dt_type *);
bool dt_type_is_string(const struct dt_type *);		/* D's string */
bool dt_type_is_stringlike(const struct dt_type *);	/* string, char *, char [] */
bool dt_type_is_signed(const struct dt_type *);
bool dt_type_is_user(const struct dt_type *);		/* pointer into, or object in, user memory */
/* one that a process has, or pointers to it, arrays of it */
bool dt_type_of_process(const struct dt_type *);
/* STRUCT UNION ARRAY STRING FUNC, FLOAT over 8 bytes, STACK, … */
bool dt_type_is_byref(const struct dt_type *);
bool dt_type_same(const struct dt_type *, const struct dt_type *);	/* same base type */

/*
 * C spelling, "char *", "struct foo", "int [3]", "int (*)(void)". Returns the full length as snprintf
 * does.
 */
size_t dt_type_name(const struct dt_type *, char *buf, size_t len);
/* The same in the arena of diagnostics. */
const char *dt_type_str(struct dt_arena *, const struct dt_type *);

#endif
