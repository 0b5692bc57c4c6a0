/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/types: the table behind struct dt_types and the lazy part of a type. */
#ifndef DT_TYPES_TABLE_H
#define DT_TYPES_TABLE_H

#include "types/type.h"

struct dt_btf;

/* Reads the members of a type and passes them to dt_type_complete_placed(). */
typedef void dt_type_load_f(void *ctx, struct dt_type *);

/*
 * The members of a struct or union, or the constants of an enum. From type data they are read on first
 * use.
 */
struct dt_type_lazy {
	const struct dt_member *members;
	const struct dt_enumconst *enums;
	uint32_t n;			/* of members or enums */
	bool aligned;			/* type->align is known */
	struct dt_btf *from;		/* where to read from; NULL: everything is here */
	uint32_t btf_id;
	dt_type_load_f *load;		/* another reader; NULL: none, or it has run */
	void *load_ctx;
};

/* One step that dt_types_cut() undoes. */
struct dt_undo {
	struct dt_type *completed;	/* becomes a forward declaration again … */
	const char *key;		/* … or this name means `old` again */
	void *old;
};

enum { DT_NBASIC = 17 };

struct dt_types {
	struct dt_arena *arena;
	struct dt_map names;		/* "s`D`foo": kind, module, name -> type; declared by text */
	struct dt_map predefined;	/* name -> typedef, created on first use */
	/*
	 * "P12": how a type is built from others -> type. It is never cut, since ids are never reused.
	 */
	struct dt_map built;
	DT_VEC(struct dt_undo) undo;
	uint32_t ntypes;
	struct dt_type *basic[DT_NBASIC];
	struct dt_type *tvoid, *string, *special[4];

	dt_btf_get *get;
	void *get_ctx;
	struct dt_btf *btf;		/* list of modules, vmlinux first */
	char *error;			/* why kernel types are missing; malloc'ed */
};

static inline struct dt_type *dt_type_mutable(const struct dt_type *t)
{
	return (struct dt_type *)(uintptr_t)t;	/* only the table may change its types */
}

/* A new type with the next number. */
struct dt_type *dt_type_new(struct dt_types *, enum dt_tkind);
/* A struct, union or enum without a definition, not entered in the names. */
struct dt_type *dt_type_new_shell(struct dt_types *, const char *module, enum dt_tkind, const char *tag);
/*
 * Makes the type a shell of a process whose members are read on first use. Size 0: it is only declared,
 * and the reader may find the definition.
 */
void dt_type_defer(struct dt_type *, uint64_t size, dt_type_load_f *, void *ctx);
void dt_type_load(const struct dt_type *);
/* A typedef that is not entered in the names. */
const struct dt_type *dt_type_new_typedef(struct dt_types *, const char *module, const char *name,
    const struct dt_type *to);
/*
 * As dt_type_func(), with parameter names: a type of its own, used only for symbols. Names are not
 * copied.
 */
const struct dt_type *dt_type_func_named(struct dt_types *, const struct dt_type *func,
    const char *const *names);
/* An integer or float from type data: the basic type if it is the same, otherwise a type of its own. */
struct dt_number {
	const char *name;
	uint8_t kind;			/* DT_T_INT, DT_T_FLOAT */
	uint32_t size;
	bool is_signed, is_char, is_bool;
};
const struct dt_type *dt_types_number(struct dt_types *, const struct dt_number *);
/* A typedef that every D program has, or NULL. */
const struct dt_type *dt_types_predefined(struct dt_types *, const char *name);
void dt_types_predefined_near(struct dt_near *);

/*
 * Type data (btf.c). `kind` is as for dt_types_find(); NULL: not found. `load` reads the module if it
 * has not been read.
 */
const struct dt_type *dt_btf_find(struct dt_types *, const char *module, enum dt_tkind kind, const char *name,
    bool load);
/* Searches every module read so far, and vmlinux in any case; prefers complete types. */
const struct dt_type *dt_btf_find_any(struct dt_types *, enum dt_tkind kind, const char *name);
/* Fills the lazy part. */
void dt_btf_load(struct dt_types *, const struct dt_type *);
void dt_btf_near(struct dt_types *, enum dt_tkind kind, struct dt_near *);
void dt_btf_free(struct dt_btf *);

#endif
