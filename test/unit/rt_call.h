/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests that call functions of src/runtime directly: buffers that are exactly as long as the callers
 * promise, so that a sanitizer sees what goes beyond, and a memory that functions read. Each call is made
 * three times, with other bytes after the strings and in the words and the result: they must not matter.
 */
#ifndef RT_CALL_H
#define RT_CALL_H

#include "check.h"

#include "runtime/rt_host.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- what functions ask of their executor ---- */

#define USER 0x10000ull
#define KERNEL 0xffff800000000000ull
enum { MEMORY = 8192 };

struct memory {
	uint8_t user[MEMORY], kernel[MEMORY];
	uint64_t reads, clock;
};

/* Bytes outside of the two pieces cannot be read. */
static int read_memory(void *ctx, void *to, dt_word size, dt_word addr, int user)
{
	struct memory *m = ctx;
	uint64_t at = addr - (user ? USER : KERNEL);

	m->reads++;
	if (at >= MEMORY || size > MEMORY - at)
		return 0;
	memcpy(to, (user ? m->user : m->kernel) + at, size);
	return 1;
}

static unsigned int any_number(void *ctx) { return (unsigned int)(((struct memory *)ctx)->clock += 77777); }
static dt_word next_time(void *ctx) { return ((struct memory *)ctx)->clock += 1000; }

static struct memory world;

static inline const struct dt_rt_env *env(void)
{
	static const struct dt_rt_env e = { .ctx = &world, .read = read_memory, .random = any_number,
		.now = next_time };

	return &e;
}

static inline void put_kernel(uint64_t addr, uint64_t v) { memcpy(world.kernel + (addr - KERNEL), &v, 8); }
static inline void put_user(uint64_t addr, uint64_t v) { memcpy(world.user + (addr - USER), &v, 8); }

/* ---- a call ---- */

/* Strings that are longer than `size`, with their NUL, are cut, as the callers do it. */
struct in {
	const void *a, *b;		/* NULL: empty */
	uint64_t la;			/* 0: the length of the string; else a has so many bytes */
	uint64_t n, m, pos, x, y;
	size_t size;			/* 0: 256 */
	bool twice;			/* d has room for two strings */
};

union words { struct dt_work w; uint8_t bytes[DT_WORK_SIZE]; };

static char result_text[2 * 65536];
static union words result_words;

static inline size_t fill(uint8_t *to, const void *from, size_t len, size_t size, int stale)
{
	size_t n = len ? len : from ? strnlen(from, size - 1) : 0;

	memset(to, stale, size + DT_RT_AFTER);
	if (n > 0)
		memcpy(to, from, n);
	if (!len)
		to[n] = '\0';
	return n;
}

static inline uint64_t call_once(dt_rt_fn *f, const struct in *in, size_t size, int stale)
{
	size_t dsize = in->twice ? 2 * size : size;
	uint8_t *a = malloc(size + DT_RT_AFTER), *b = malloc(size + DT_RT_AFTER), *d = malloc(dsize);
	uint64_t v;

	memset(&result_words, stale, sizeof(result_words));
	memset(d, stale, dsize);
	result_words.w = (struct dt_work){ .la = fill(a, in->a, in->la, size, stale),
		.lb = fill(b, in->b, 0, size, stale), .n = in->n, .m = in->m, .pos = in->pos, .x = in->x,
		.y = in->y };
	v = f(a, b, d, &result_words.w, size, env());
	memcpy(result_text, d, size);
	free(a);
	free(b);
	free(d);
	return v;
}

static inline uint64_t value_of(dt_rt_fn *f, const struct in *in)
{
	static const int stale[] = { 0x00, 0xff, 'a' };
	size_t size = in->size ? in->size : 256;
	uint64_t v[3];

	for (int i = 0; i < 3; i++)
		v[i] = call_once(f, in, size, stale[i]);
	CHECK(v[1] == v[0] && v[2] == v[0]);
	return v[2];
}

/* The string that the function makes; "(none)": it makes none. */
static inline const char *text_of(dt_rt_fn *f, const struct in *in)
{
	size_t size = in->size ? in->size : 256;
	uint64_t len = value_of(f, in);

	if (len == 0)
		return "(none)";
	if (!CHECK(len <= size && result_text[len - 1] == '\0'))
		return "(too long)";
	return result_text;
}

#endif
