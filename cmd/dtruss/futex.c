/* SPDX-License-Identifier: BSD-2-Clause */
/* futex(): the operation says what the other arguments are. */
#include "decode.h"

#include <linux/futex.h>

static const struct name ops[] = {
	{ 0, "FUTEX_WAIT" }, { 1, "FUTEX_WAKE" }, { 2, "FUTEX_FD" }, { 3, "FUTEX_REQUEUE" },
	{ 4, "FUTEX_CMP_REQUEUE" }, { 5, "FUTEX_WAKE_OP" }, { 6, "FUTEX_LOCK_PI" }, { 7, "FUTEX_UNLOCK_PI" },
	{ 8, "FUTEX_TRYLOCK_PI" }, { 9, "FUTEX_WAIT_BITSET" }, { 10, "FUTEX_WAKE_BITSET" },
	{ 11, "FUTEX_WAIT_REQUEUE_PI" }, { 12, "FUTEX_CMP_REQUEUE_PI" }, { 13, "FUTEX_LOCK_PI2" },
};

static unsigned op_of(const struct call *c) { return (unsigned)c->a[1] & 0x7f; }

static void put_op(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	uint32_t v = (uint32_t)c->a[arg];

	put_name(t, v & 0x7f, k->names, k->nnames, "FUTEX_???");
	text_put(t, v & 128 ? "_PRIVATE" : "");
	text_put(t, v & 256 ? "|FUTEX_CLOCK_REALTIME" : "");
}

/* Sets of operations: those that have a time, a second address, a third number, no value. */
enum {
	TIMED = 1 << 0 | 1 << 6 | 1 << 9 | 1 << 11 | 1 << 13,
	SECOND = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 11 | 1 << 12,
	THIRD = 1 << 4 | 1 << 5 | 1 << 9 | 1 << 10 | 1 << 12,
	VALUELESS = 1 << 6 | 1 << 7 | 1 << 8 | 1 << 13,
};

/* The process chooses the operation: 0 to 127, of which sets have the first 32. */
static bool has(const struct call *c, uint32_t set)
{
	unsigned op = op_of(c);

	return op < 32 && (set >> op & 1) != 0;
}

static void put_value(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	if (!has(c, VALUELESS))
		text_uint(t, (uint32_t)c->a[arg]);
}

static void put_timeout(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	int64_t v[2];

	(void)k;
	if (has(c, TIMED)) {
		if (call_struct(t, c, arg, 0, v, sizeof(v)))
			put_timespec(t, v[0], v[1], "tv_nsec");
	} else if (has(c, SECOND)) {
		text_uint(t, c->a[arg]);
	}
}

static void put_second(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	if (has(c, SECOND))
		text_addr(t, c->a[arg]);
}

static void put_third(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	unsigned op = op_of(c);

	(void)k;
	if ((op == 9 || op == 10) && (uint32_t)c->a[arg] == UINT32_MAX)
		text_put(t, "FUTEX_BITSET_MATCH_ANY");
	else if (op == 5)
		text_hex(t, (uint32_t)c->a[arg]);
	else if (has(c, THIRD))
		text_uint(t, (uint32_t)c->a[arg]);
}

static const struct kind list[] = {
	{ .name = "futexop", .put = put_op, NAMES(ops) },
	{ .name = "futexval", .put = put_value },
	{ .name = "futexarg", .put = put_timeout, .nrecs = 1,
	    .fetch = "tracemem(copyin(%a, 16 * (0x2a41 >> (self->a1 & 0x7f) & 1) & " NOT_NULL("%a") "), 16);"
	    },	/* TIMED */
	{ .name = "futexuaddr", .put = put_second },
	{ .name = "futexval3", .put = put_third },
};
KINDS(kinds_futex);
