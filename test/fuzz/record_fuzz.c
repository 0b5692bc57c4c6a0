/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as a recording, played in a format that the first of them chooses. What is wrong must be refused with
 * a reason; what is played must end, in valid UTF-8 where the format promises it.
 *
 * The mutator knows blocks (recording.h): it changes the bytes of one and mends its length, sets a number in
 * one to a number that hurts, doubles, removes and moves blocks. So what lies behind the first checks is
 * reached.
 */
#include "output/json.h"
#include "sink/recording.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);
size_t LLVMFuzzerMutate(uint8_t *, size_t, size_t);
size_t LLVMFuzzerCustomMutator(uint8_t *, size_t, size_t, unsigned);

static int told_fault(void *ctx, const dtrace_errdata_t *d)
{
	(void)ctx;
	return d->dteda_msg == NULL || d->dteda_pdesc == NULL;
}

static int told_drop(void *ctx, const dtrace_dropdata_t *d)
{
	(void)ctx;
	return d->dtdda_msg == NULL;
}

/* In pieces of at most so many bytes. */
static bool play(struct dt_play *p, const uint8_t *data, size_t len, size_t most)
{
	char why[DT_SINK_WHY];
	struct dt_player *player = dt_play_open(p, why);
	bool good;

	for (size_t n; player != NULL && len > 0; data += n, len -= n) {
		n = len < most ? len : most;
		if (dt_play_feed(player, data, n) != 0)
			break;
	}
	good = player != NULL && dt_play_close(player) == 0;
	if (!good && why[0] == '\0')
		abort();
	return good;
}

/* However it is cut, a stream is played the same way. */
static void check_pieces(const struct dt_play *from, const uint8_t *data, size_t len, bool whole)
{
	struct dt_print_opts opts = dt_print_defaults;
	struct dt_play p = *from;
	struct dt_out out;

	dt_out_init(&out, NULL, &opts);
	p.out = &out;
	p.opts = &opts;
	p.ended = false;
	if (play(&p, data, len, len % 7 + 1) != whole || out.len != from->out->len)
		abort();
	dt_out_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct dt_print_opts opts = dt_print_defaults;
	struct dt_out out;
	struct dt_play p = { .out = &out, .opts = &opts, .fault = told_fault, .drop = told_drop };
	bool whole;

	if (len == 0)
		return 0;
	p.format = data[0] % DT_NOFORMATS;
	dt_out_init(&out, NULL, &opts);
	whole = play(&p, data + 1, len - 1, len);
	check_pieces(&p, data + 1, len - 1, whole);
	if (p.format == DT_OFORMAT_json && !dt_json_is_utf8(dt_out_text(&out), out.len))
		abort();
	dt_out_free(&out);
	return 0;
}

/* ---- the mutator ---- */

enum { HEAD = 1 + sizeof(DT_RECORDING) - 1, MOST = 4096 };

struct block { size_t at, len; };	/* len: of its bytes, behind letter and length */

static size_t find_blocks(const uint8_t *data, size_t size, struct block *v)
{
	size_t n = 0;
	uint32_t len;

	for (size_t at = HEAD; n < MOST && at + 5 <= size; at += 5 + len) {
		memcpy(&len, data + at + 1, sizeof(len));
		if (len > size - at - 5)
			break;
		v[n++] = (struct block){ at, len };
	}
	return n;
}

static size_t put_length(uint8_t *data, const struct block *b, size_t len, size_t size)
{
	uint32_t n = (uint32_t)len;

	memcpy(data + b->at + 1, &n, sizeof(n));
	return size - b->len + len;
}

/* Its bytes, as libFuzzer likes; what follows moves. */
static size_t change_bytes(uint8_t *data, size_t size, size_t max, const struct block *b)
{
	size_t tail = size - b->at - 5 - b->len, room = b->len + (max - size), len;
	uint8_t *body = data + b->at + 5, *copy = malloc(tail + 1);

	if (copy == NULL)
		return size;
	memcpy(copy, body + b->len, tail);
	len = LLVMFuzzerMutate(body, b->len, room < 1 ? 1 : room);
	if (len > room)
		len = room;
	memcpy(body + len, copy, tail);
	free(copy);
	return put_length(data, b, len, size);
}

static size_t change_number(uint8_t *data, size_t size, const struct block *b, unsigned seed)
{
	static const uint32_t hurts[] = { 0, 1, 2, 7, 63, 255, 256, 4095, 65535, 65536, 0x7fffffff,
		0x80000000, 0xfffffffe, 0xffffffff };

	if (b->len >= 4)
		memcpy(data + b->at + 5 + seed / 16 % (b->len / 4) * 4,
		    &hurts[seed / 65536 % (sizeof(hurts) / sizeof(hurts[0]))], 4);
	return size;
}

static size_t copy_block(uint8_t *data, size_t size, size_t max, const struct block *b, size_t to)
{
	size_t n = 5 + b->len;
	uint8_t *copy;

	if (n > max - size || (copy = malloc(n)) == NULL)
		return size;
	memcpy(copy, data + b->at, n);
	memmove(data + to + n, data + to, size - to);
	memcpy(data + to, copy, n);
	free(copy);
	return size + n;
}

static size_t remove_block(uint8_t *data, size_t size, const struct block *b)
{
	size_t n = 5 + b->len;

	memmove(data + b->at, data + b->at + n, size - b->at - n);
	return size - n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static struct block v[MOST];
	size_t n = size >= HEAD ? find_blocks(data, size, v) : 0;
	const struct block *b = n > 0 ? &v[seed / 7 % n] : NULL;

	if (b == NULL || seed % 31 == 0)
		return LLVMFuzzerMutate(data, size, max);
	memcpy(data + 1, DT_RECORDING, HEAD - 1);
	switch (seed % 8) {
	case 0: return copy_block(data, size, max, b, v[seed / 1024 % n].at);
	case 1: return remove_block(data, size, b);
	case 2: data[0] = (uint8_t)(seed / 64); return size;
	case 3: case 4: return change_number(data, size, b, seed);
	default: return change_bytes(data, size, max, b);
	}
}
