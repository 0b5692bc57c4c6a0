/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which bytes of a file's code may be a branch of x86-64 into certain functions. A branch has its distance in
 * it, so it is found without decoding what is before it: a hundredth of the time. Bytes in the middle of an
 * instruction may look like one: the caller decodes their function to know.
 */
#include "patch/patch_x86.h"

#include <string.h>

struct leads {
	const uint8_t *code;
	uint64_t size, addr;
	const struct dt_patch_range *range;
	uint32_t n;
	dt_patch_target_f *f;
	void *ctx;
};

/* The range that has that address, or the one after it; n: none. */
static uint32_t range_of(const struct leads *l, uint64_t at)
{
	uint32_t low = 0, high = l->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (l->range[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* To the inside of a range, and not from there. */
static void look_at(const struct leads *l, uint64_t from, uint64_t to)
{
	const struct dt_patch_range *r;

	if (to <= l->range[0].start || to >= l->range[l->n - 1].end)
		return;
	r = &l->range[range_of(l, to)];
	if (to > r->start && (from < r->start || from >= r->end))
		l->f(l->ctx, from, to);
}

/* All that begin with this byte, and have the other one (masked) after it, if there is one. */
static void far_branches(const struct leads *l, uint8_t first, uint8_t mask, uint8_t second)
{
	const uint8_t *end = l->code + l->size, *b = l->code;
	uint64_t length = mask != 0 ? 6 : 5;

	for (; b < end && (b = memchr(b, first, (size_t)(end - b))) != NULL; b++) {
		uint64_t from = l->addr + (uint64_t)(b - l->code);
		int32_t distance;

		if ((uint64_t)(end - b) < length)
			break;
		memcpy(&distance, b + length - sizeof(distance), sizeof(distance));
		if ((b[1] & mask) == second)
			look_at(l, from, from + length + (uint64_t)(int64_t)distance);
	}
}

/* jcc, loop and jrcxz, jmp, in [from, to). */
static void near_branches(const struct leads *l, uint64_t from, uint64_t to)
{
	from = from > l->addr ? from - l->addr : 0;
	to = to > l->addr ? to - l->addr : 0;
	to = to < l->size ? to : l->size;
	for (uint64_t i = from; i + 2 <= to; i++) {
		const uint8_t *b = l->code + i;

		if (b[0] >> 4 == 7 || b[0] >> 2 == 0xe0 >> 2 || b[0] == 0xeb)
			look_at(l, l->addr + i, l->addr + i + 2 + (uint64_t)(int64_t)(int8_t)b[1]);
	}
}

void dt_patch_x86_leads(const uint8_t *code, uint64_t size, uint64_t addr, const struct dt_patch_range *range,
    uint32_t n, dt_patch_target_f *f, void *ctx)
{
	enum { REACH = 130 };
	struct leads l = { code, size, addr, range, n, f, ctx };

	if (n == 0)
		return;
	far_branches(&l, 0xe9, 0, 0);		/* jmp */
	far_branches(&l, 0x0f, 0xf0, 0x80);	/* jcc */
	far_branches(&l, 0xc7, 0xff, 0xf8);	/* xbegin */
	for (uint32_t i = 0; i < n; i++) {
		near_branches(&l, range[i].start - REACH, range[i].start);
		near_branches(&l, range[i].end, range[i].end + REACH);
	}
}
