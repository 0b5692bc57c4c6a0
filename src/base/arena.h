/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that is freed all at once. Allocations are zeroed and 16-aligned, and never fail for their
 * caller: if memory runs out, the arena takes its `oom` jump (the one error exit of a compile), or that
 * of the arena it follows. Only an arena with neither aborts the process, and the library creates none
 * of these.
 */
#ifndef DT_BASE_ARENA_H
#define DT_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

struct dt_arena;

struct dt_arena *dt_arena_new(void);		/* NULL: out of memory */
void dt_arena_free(struct dt_arena *);		/* NULL is allowed */
/* Empties the arena; its newest block is kept for reuse */
void dt_arena_reset(struct dt_arena *);
jmp_buf *dt_arena_on_oom(struct dt_arena *, jmp_buf *);	/* the jump it had before comes back */
/* Memory that is not the arena's has run out: the jump is taken all the same. */
_Noreturn void dt_arena_lack(struct dt_arena *);
/* Where it has no jump of its own it takes that of `to`, which lives longer. */
void dt_arena_follow(struct dt_arena *, struct dt_arena *to);
/*
 * A new arena that follows `to` and is freed with it at the latest, so a jump leaks nothing. If memory
 * runs out, it takes the jump of `to`.
 */
struct dt_arena *dt_arena_under(struct dt_arena *to);

void *dt_arena_alloc(struct dt_arena *, size_t size);
void *dt_arena_memdup(struct dt_arena *, const void *, size_t);
char *dt_arena_strdup(struct dt_arena *, const char *);
char *dt_arena_strndup(struct dt_arena *, const char *, size_t);
char *dt_arena_printf(struct dt_arena *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));
char *dt_arena_vprintf(struct dt_arena *, const char *fmt, va_list)
    __attribute__((format(printf, 2, 0), nonnull(2)));

/* DT_NEWN: the caller guarantees that the product does not overflow. */
#define DT_NEW(arena, T) ((T *)dt_arena_alloc((arena), sizeof(T)))
#define DT_NEWN(arena, T, n) ((T *)dt_arena_alloc((arena), sizeof(T) * (n)))

/*
 * The one growable array: DT_VEC(T) declares it, dt_vec_push() appends. Its storage is in an arena: it
 * is never freed, and old storage is left behind when it grows. Pointers into it are good until the
 * next push.
 */
#define DT_VEC(T) struct { T *v; size_t n, cap; }

void *dt_vec_grow(struct dt_arena *, void *v, size_t n, size_t *cap, size_t elem);

#define dt_vec_push(arena, vec, value) do { \
	if ((vec)->n == (vec)->cap) \
		(vec)->v = dt_vec_grow((arena), (vec)->v, (vec)->n, &(vec)->cap, sizeof(*(vec)->v)); \
	(vec)->v[(vec)->n++] = (value); \
} while (0)

#endif
