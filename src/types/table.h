/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/types: the table behind struct dt_types and the lazy part of a type. */
#ifndef DT_TYPES_TABLE_H
#define DT_TYPES_TABLE_H

#include "types/type.h"

struct dt_btf;

/* Reads what a type has inside, and gives it to dt_type_complete_placed(). */
typedef void dt_type_load_f(void *ctx, struct dt_type *);

/* What a struct, union or enum has inside. From type data it is filled on first use. */
struct dt_type_lazy {
	const struct dt_member *members;
	const struct dt_enumconst *enums;
	uint32_t n;			/* of members or enums */
	bool aligned;			/* type->align is known */
	struct dt_btf *from;		/* where to read from; NULL: all is here */
	uint32_t btf_id;
	dt_type_load_f *load;		/* who else reads it; NULL: nobody, or it was done */
	void *load_ctx;
};

/* One step that dt_types_cut() takes back. */
struct dt_undo {
	struct dt_type *completed;	/* becomes a forward declaration again … */
	const char *key;		/* … or this name means `old` again */
	void *old;
};

enum { DT_NBASIC = 17 };

struct dt_types {
	struct dt_arena *arena;
	struct dt_map names;		/* "s`D`foo": kind, module, name -> type; declared by text */
	struct dt_map predefined;	/* name -> typedef, made when first asked for */
	/* "P12": how a type is built from others -> type; never cut, ids are not used again */
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
	return (struct dt_type *)(uintptr_t)t;	/* types are const to everybody but their table */
}

/* A new type with a number. */
struct dt_type *dt_type_new(struct dt_types *, enum dt_tkind);
/* A struct, union or enum without a definition and without an entry in the names. */
struct dt_type *dt_type_new_shell(struct dt_types *, const char *module, enum dt_tkind, const char *tag);
/*
 * A shell of a process; what it has inside is read when first asked for. Size 0: it is only declared,
 * and the reader may find the definition.
 */
void dt_type_defer(struct dt_type *, uint64_t size, dt_type_load_f *, void *ctx);
void dt_type_load(const struct dt_type *);
/* A typedef that is not entered in the names. */
const struct dt_type *dt_type_new_typedef(struct dt_types *, const char *module, const char *name,
    const struct dt_type *to);
/* The same as dt_type_func(), with names of the parameters: a type of its own, only for symbols. */
const struct dt_type *dt_type_func_named(struct dt_types *, const struct dt_type *func,
    const char *const *names);
/* An integer or float as type data describe it: the basic type when it is the same, else one of its own. */
struct dt_number {
	const char *name;
	uint8_t kind;			/* DT_T_INT, DT_T_FLOAT */
	uint32_t size;
	bool is_signed, is_char, is_bool;
};
const struct dt_type *dt_types_number(struct dt_types *, const struct dt_number *);
/* A typedef every D program has, or NULL. */
const struct dt_type *dt_types_predefined(struct dt_types *, const char *name);
void dt_types_predefined_near(struct dt_near *);

/*
 * Type data, btf.c. `kind` as for dt_types_find(). NULL: none such. load: read the module when it is
 * not yet read.
 */
const struct dt_type *dt_btf_find(struct dt_types *, const char *module, enum dt_tkind kind, const char *name,
    bool load);
/* In every module read so far (vmlinux is read when it was not): a complete type before an incomplete one. */
const struct dt_type *dt_btf_find_any(struct dt_types *, enum dt_tkind kind, const char *name);
void dt_btf_load(struct dt_types *, const struct dt_type *);	/* fills the lazy part */
void dt_btf_near(struct dt_types *, enum dt_tkind kind, struct dt_near *);
void dt_btf_free(struct dt_btf *);

#endif
