/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The C and D type graph. Types are interned: equal types are the same pointer. They are immutable for
 * everyone outside this folder. A struct or enum from type data (BTF) is a shell whose members are read
 * on first use, so a program pays only for what it uses. The data model is LP64. A table of types
 * belongs to one handle and has its own arena; types live as long as the table.
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
	/* The words in capitals below name the kinds a field is for. */
	bool is_signed;			/* INT, ENUM */
	bool is_char, is_bool;		/* INT */
	bool user;			/* QUAL userland; PTR to user memory (BTF type tag "user") */
	bool incomplete;		/* STRUCT, UNION, ENUM: only a forward declaration is known */
	bool varargs;			/* FUNC */
	/* STRUCT, UNION, ENUM, TYPEDEF: of debugging data of a process; no other type completes it */
	bool process;
	uint8_t quals;			/* QUAL: DT_TQ_* */
	uint32_t align;
	/*
	 * Bytes; 0 for VOID, FUNC and incomplete types. For ARRAY, TYPEDEF and QUAL ask dt_type_size().
	 */
	uint64_t size;
	const char *name;		/* of INT, FLOAT, TYPEDEF; tag of STRUCT, UNION, ENUM (NULL: none) */
	/* "C", "D", "vmlinux", …; NULL for types without a module (pointers …) */
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

/* The size of `string` is set separately, because options may change it until its first use. */
struct dt_types *dt_types_new(void);	/* NULL: out of memory */
void dt_types_free(struct dt_types *);
void dt_types_strsize(struct dt_types *, uint64_t strsize);	/* changes the size of `string` */
struct dt_arena *dt_types_arena(struct dt_types *);

/*
 * A basic type by its C spelling: "int", "unsigned long", "long long", "char", "_Bool", "double" …;
 * words may come in any order.
 */
const struct dt_type *dt_types_basic(struct dt_types *, const char *spelling);	/* NULL: none such */
const struct dt_type *dt_types_void(struct dt_types *);
const struct dt_type *dt_types_string(struct dt_types *);
/* STACK, SYMADDR, USYMADDR or DYN */
const struct dt_type *dt_types_special(struct dt_types *, enum dt_tkind);
/* char, short, int or long for 1, 2, 4 or 8 bytes; NULL otherwise */
const struct dt_type *dt_types_sized(struct dt_types *, unsigned bytes, bool is_signed);

/* Built types: the same arguments give the same pointer. */
const struct dt_type *dt_type_ptr(struct dt_types *, const struct dt_type *to);
const struct dt_type *dt_type_array(struct dt_types *, const struct dt_type *elem, uint64_t n);
const struct dt_type *dt_type_qual(struct dt_types *, const struct dt_type *, unsigned quals);
const struct dt_type *dt_type_func(struct dt_types *, const struct dt_type *ret,
    const struct dt_type *const *params, unsigned n, bool varargs);

/*
 * Named types declared in D; `module` is "D" or "C". A struct starts as an incomplete shell and is
 * completed later, which computes the layout (native alignment, bit-fields as gcc packs them on LP64
 * little endian): give members with type and bit_size, bit_off is filled in. Returns 0, or -EOVERFLOW
 * if the size does not fit. An unnamed integer member is padding (with bit_size 0: C's `: 0`) and is
 * not among dt_type_members() afterwards. dt_type_shell() returns the same shell while it is
 * incomplete.
 */
struct dt_type *dt_type_shell(struct dt_types *, const char *module, enum dt_tkind, const char *tag);
int dt_type_complete_sou(struct dt_types *, struct dt_type *, struct dt_member *, uint32_t n);
/*
 * The same for members of debugging data, which have their bit_off. Texts are kept, not copied. D text
 * cannot name the type, so dt_types_cut() leaves it alone.
 */
void dt_type_complete_placed(struct dt_types *, struct dt_type *, const struct dt_member *, uint32_t n,
    uint64_t size);
void dt_type_complete_enum(struct dt_types *, struct dt_type *, const struct dt_enumconst *, uint32_t n);
/* From debugging data, which tell the size */
void dt_type_complete_enum_sized(struct dt_types *, struct dt_type *, const struct dt_enumconst *, uint32_t n,
    uint32_t size);
const struct dt_type *dt_type_typedef(struct dt_types *, const char *module, const char *name,
    const struct dt_type *to);

/*
 * Lookup. `kind` DT_T_TYPEDEF finds typedefs and basic type names; STRUCT, UNION and ENUM find tags.
 * `module` NULL searches C, D, then the type data from dt_types_btf() (vmlinux first); "kernel" means
 * vmlinux. A complete type is preferred to an incomplete one. Returns NULL if nothing is found.
 * dt_types_declared() searches only what C or D text declared.
 */
const struct dt_type *dt_types_find(struct dt_types *, const char *module, enum dt_tkind kind,
    const char *name);
const struct dt_type *dt_types_declared(struct dt_types *, const char *module, enum dt_tkind kind,
    const char *name);
/*
 * Undoes a failed compile: take a mark, later cut back to it. names counts names, types counts undo
 * steps.
 */
struct dt_types_mark { uint32_t names, types; };
struct dt_types_mark dt_types_mark(const struct dt_types *);
void dt_types_cut(struct dt_types *, struct dt_types_mark);

/*
 * Type data. `get` is called once for each module, at the first need of a kernel type. It returns 0 and
 * raw BTF, which the table frees, or -errno.
 */
struct dt_whole;
typedef int dt_btf_get(void *ctx, const char *module, struct dt_whole *);
void dt_types_btf(struct dt_types *, dt_btf_get *, void *ctx);
/*
 * Adds the BTF of one module (tests; split BTF if the module is not vmlinux). Returns 0 or -errno.
 * Everything is checked: the bytes are hostile.
 */
int dt_types_add_btf(struct dt_types *, const char *module, const void *data, size_t len);
/* The type of a kernel variable or function by name; NULL if unknown. */
const struct dt_type *dt_types_symbol(struct dt_types *, const char *module, const char *name);
/*
 * The number of a kernel function, "function" or "module`function", in the kernel's type data;
 * trampolines are attached by it. 0: not found.
 */
uint32_t dt_types_function_id(struct dt_types *, const char *name);
/*
 * Calls f with every name of the kind in a module's type data that begins with prefix, in the order of
 * the data. Ends with f's first non-zero value; -ENOENT without type data.
 */
typedef int dt_types_each_f(void *ctx, const char *name);
int dt_types_each(struct dt_types *, const char *module, enum dt_tkind, const char *prefix, dt_types_each_f *,
    void *ctx);
/* Why kernel types are missing ("/sys/kernel/btf/vmlinux: No such file …"), or NULL. */
const char *dt_types_btf_error(const struct dt_types *);
/* The same as a sentence with the fix, if the type data of the kernel itself are missing; else NULL. */
const char *dt_types_kernel_missing(const struct dt_types *, struct dt_arena *);
/* Offers every declared name of the kind, and the names of type data that are loaded. */
struct dt_near;
void dt_types_near(struct dt_types *, enum dt_tkind kind, struct dt_near *);

/* Questions. dt_type_base() strips typedefs and qualifiers; the others do so themselves. */
const struct dt_type *dt_type_base(const struct dt_type *);
/* In bytes, after completing forward declarations if possible; 0: unknown */
uint64_t dt_type_size(struct dt_types *, const struct dt_type *);
uint32_t dt_type_align(struct dt_types *, const struct dt_type *);
const struct dt_member *dt_type_members(struct dt_types *, const struct dt_type *, uint32_t *n);
const struct dt_enumconst *dt_type_enums(struct dt_types *, const struct dt_type *, uint32_t *n);
/* Finds a member, also inside anonymous members; bit_off in *out counts from the outer struct. */
bool dt_type_member(struct dt_types *, const struct dt_type *, const char *name, struct dt_member *out);
/*
 * Bytes from the start of `struct tag` to the member that the path ("se.vruntime") names. Path NULL: the
 * size of the struct. DT_TYPES_NO_OFFSET: there is no such member.
 */
#define DT_TYPES_NO_OFFSET UINT32_MAX
uint32_t dt_types_offset(struct dt_types *, const char *tag, const char *path);
/* The definition of a forward declaration if one is known, otherwise the base type itself. */
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
/* A type of a process, or pointers to it or arrays of it */
bool dt_type_of_process(const struct dt_type *);
/* STRUCT, UNION, ARRAY, STRING, FUNC, numbers over 8 bytes, STACK …: values are addresses */
bool dt_type_is_byref(const struct dt_type *);
bool dt_type_same(const struct dt_type *, const struct dt_type *);	/* same base type */

/*
 * The C spelling: "char *", "struct foo", "int [3]", "int (*)(void)". Returns the full length, as
 * snprintf does.
 */
size_t dt_type_name(const struct dt_type *, char *buf, size_t len);
/* The same, allocated in the arena. */
const char *dt_type_str(struct dt_arena *, const struct dt_type *);

#endif
