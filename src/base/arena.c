/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes come in, zeroed 16-aligned memory goes out. An arena is a list of blocks, and the newest block
 * is filled from its start. A request too large to share a block gets its own, linked behind the
 * newest, so that the room left in that one is not lost.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Blocks double from 4 KiB, so a small compile stays small and a large one makes few calls of calloc(). */
enum { ALIGN = 16, BLOCK_MIN = 4096, BLOCK_MAX = 256 * 1024 };

struct block {
	struct block *next;
	size_t used, size;		/* of data[] */
	alignas(ALIGN) unsigned char data[];
};

struct dt_arena {
	struct block *newest;
	size_t want;			/* size of the next shared block */
	jmp_buf *oom;
	struct dt_arena *follows;	/* whose `oom` is used if this one is NULL; or NULL */
	/* children, freed with this one; its place among its siblings (at NULL: no parent) */
	struct dt_arena *under, *next, **at;
};

struct dt_arena *dt_arena_new(void)
{
	struct dt_arena *a = calloc(1, sizeof(*a));

	if (a)
		a->want = BLOCK_MIN;
	return a;
}

void dt_arena_free(struct dt_arena *a)
{
	struct block *b, *next;

	if (!a)
		return;
	while (a->under)
		dt_arena_free(a->under);
	if (a->at && (*a->at = a->next))
		a->next->at = a->at;
	for (b = a->newest; b; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
}

void dt_arena_reset(struct dt_arena *a)
{
	struct block *keep = a->newest, *next;

	if (!keep)
		return;
	for (struct block *b = keep->next; b; b = next) {
		next = b->next;
		free(b);
	}
	keep->next = NULL;
	memset(keep->data, 0, keep->used);	/* allocations are zeroed */
	keep->used = 0;
}

jmp_buf *dt_arena_on_oom(struct dt_arena *a, jmp_buf *env)
{
	jmp_buf *before = a->oom;

	a->oom = env;
	return before;
}

void dt_arena_follow(struct dt_arena *a, struct dt_arena *to)
{
	a->follows = to;
}

/* The first jump along the chain of followed arenas. */
_Noreturn static void out_of_memory(struct dt_arena *a)
{
	for (; a; a = a->follows)
		if (a->oom)
			longjmp(*a->oom, 1);
	abort();
}

void dt_arena_lack(struct dt_arena *a)
{
	out_of_memory(a);
}

struct dt_arena *dt_arena_under(struct dt_arena *to)
{
	struct dt_arena *a = dt_arena_new();

	if (!a)
		out_of_memory(to);
	a->follows = to;
	a->at = &to->under;
	a->next = to->under;
	if (a->next)
		a->next->at = &a->next;
	to->under = a;
	return a;
}

static struct block *block_new(struct dt_arena *a, size_t size)
{
	struct block *b = size > SIZE_MAX - sizeof(*b) ? NULL : calloc(1, sizeof(*b) + size);

	if (!b)
		out_of_memory(a);
	b->size = size;
	return b;
}

/* A block of its own, marked as full. */
static void *alloc_own(struct dt_arena *a, size_t size)
{
	struct block *b = block_new(a, size);

	b->used = size;
	if (a->newest) {
		b->next = a->newest->next;
		a->newest->next = b;
	} else {
		a->newest = b;
	}
	return b->data;
}

void *dt_arena_alloc(struct dt_arena *a, size_t size)
{
	struct block *b = a->newest;
	void *p;

	if (size > SIZE_MAX - ALIGN)
		out_of_memory(a);
	size = size ? (size + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
	if (!b || b->size - b->used < size) {
		if (size > a->want / 4)
			return alloc_own(a, size);
		b = block_new(a, a->want);
		b->next = a->newest;
		a->newest = b;
		if (a->want < BLOCK_MAX)
			a->want *= 2;
	}
	p = b->data + b->used;
	b->used += size;
	return p;
}

void *dt_arena_memdup(struct dt_arena *a, const void *p, size_t n)
{
	void *copy = dt_arena_alloc(a, n);

	if (n)
		memcpy(copy, p, n);
	return copy;
}

char *dt_arena_strndup(struct dt_arena *a, const char *s, size_t n)
{
	char *copy;

	if (n == SIZE_MAX)
		out_of_memory(a);
	copy = dt_arena_alloc(a, n + 1);
	if (n)
		memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

char *dt_arena_strdup(struct dt_arena *a, const char *s)
{
	return dt_arena_strndup(a, s, strlen(s));
}

char *dt_arena_vprintf(struct dt_arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *s;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n < 0) {
		va_end(again);
		out_of_memory(a);
	}
	s = dt_arena_alloc(a, (size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

char *dt_arena_printf(struct dt_arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = dt_arena_vprintf(a, fmt, ap);
	va_end(ap);
	return s;
}

void *dt_vec_grow(struct dt_arena *a, void *v, size_t n, size_t *cap, size_t elem)
{
	size_t more = *cap ? *cap * 2 : 8;
	void *copy;

	if (more < *cap || more > SIZE_MAX / elem)
		out_of_memory(a);
	copy = dt_arena_alloc(a, more * elem);
	if (n)
		memcpy(copy, v, n * elem);
	*cap = more;
	return copy;
}
