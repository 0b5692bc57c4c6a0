/* SPDX-License-Identifier: BSD-2-Clause */
#include "blocks.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MARK "dtrace recording 2\n"
#define WAIT_SECONDS 5			/* then an empty block is sent: a side that is gone is noticed */
#define ONE_GO (256u << 10)		/* bytes that a reader takes at a time, or one block */
#define BLOCK_HEAD 5			/* letter and length */
#define BLOCK_MAX (256u << 20)
#define LEFT_BLOCKS 1			/* kind of an M block */

void blocks_open(struct blocks *b)
{
	*b = (struct blocks){ .most_kept = BLOCKS_KEPT, .most_moments = BLOCKS_MOMENTS };
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
}

void blocks_limit(struct blocks *b, size_t moments, size_t kept)
{
	pthread_mutex_lock(&b->lock);
	b->most_moments = moments;
	b->most_kept = kept;
	pthread_mutex_unlock(&b->lock);
}

void blocks_close(struct blocks *b)
{
	items_free(&b->kept);
	items_free(&b->moments);
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
}

void blocks_begin(struct blocks *b, unsigned trace)
{
	pthread_mutex_lock(&b->lock);
	b->trace = trace;
	b->over = false;
	b->lost = 0;
	items_free(&b->kept);
	items_free(&b->moments);
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

static void set(struct blocks *b, bool *flag)
{
	pthread_mutex_lock(&b->lock);
	*flag = true;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

void blocks_end(struct blocks *b) { set(b, &b->over); }
void blocks_stop(struct blocks *b) { set(b, &b->closing); }

/*
 * Keys and names may be without end; without the others nothing can be read: only a hostile host has twice
 * as much of them.
 */
void blocks_add(struct blocks *b, const char *bytes, size_t len)
{
	bool bounded = strchr("KY", bytes[0]) != NULL;

	pthread_mutex_lock(&b->lock);
	if (strchr("HWPQCSBNYGK", bytes[0]) == NULL) {
		(void)items_add(&b->moments, bytes, len);
		items_forget(&b->moments, b->most_moments);
	} else if (b->kept.bytes >= (bounded ? 1 : 2) * b->most_kept || !items_add(&b->kept, bytes, len)) {
		b->lost++;
	}
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

/* ---- readers ---- */

bool blocks_join(struct blocks *b, struct blocks_reader *r, unsigned trace)
{
	bool current;

	pthread_mutex_lock(&b->lock);
	*r = (struct blocks_reader){ .trace = trace != 0 ? trace : b->trace };
	current = b->trace != 0 && r->trace == b->trace;
	pthread_mutex_unlock(&b->lock);
	return current;
}

void blocks_leave(struct blocks_reader *r) { free(r->bytes); }

static bool has_more(const struct blocks *b, const struct blocks_reader *r)
{
	return r->kept < b->kept.n || r->moment < b->moments.n || r->lost < b->lost;
}

static bool is_over(const struct blocks *b, const struct blocks_reader *r)
{
	return b->closing || b->trace != r->trace || (b->over && !has_more(b, r));
}

static size_t take(FILE *f, const struct items *l, size_t *at, size_t room)
{
	size_t used = 0;

	for (; *at < l->n && used < room; (*at)++) {
		used += items_at(l, *at)->len;
		fwrite(items_at(l, *at)->bytes, 1, items_at(l, *at)->len, f);
	}
	return used;
}

/* An M block: blocks that are no longer here. */
static void put_left(FILE *f, uint64_t n)
{
	struct timespec t;
	struct __attribute__((packed)) { uint64_t time; uint32_t kind; uint64_t n; } body;
	uint32_t len = htole32(sizeof(body));

	clock_gettime(CLOCK_MONOTONIC, &t);
	body.time = htole64((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
	body.kind = htole32(LEFT_BLOCKS);
	body.n = htole64(n);
	putc('M', f);
	fwrite(&len, sizeof(len), 1, f);
	fwrite(&body, sizeof(body), 1, f);
}

/* Definitions come before what refers to them, and may come sooner than the tracer wrote them. */
static void collect(struct blocks *b, struct blocks_reader *r, FILE *f)
{
	size_t used;
	uint64_t missed = b->lost - r->lost;

	if (!r->begun)
		fputs(MARK, f);
	r->begun = true;
	used = take(f, &b->kept, &r->kept, ONE_GO);
	if (r->kept < b->kept.n)
		return;
	if (r->moment < b->moments.first) {
		missed += b->moments.first - r->moment;
		r->moment = b->moments.first;
	}
	if (missed > 0)
		put_left(f, missed);
	r->lost = b->lost;
	if (used < ONE_GO)
		take(f, &b->moments, &r->moment, ONE_GO - used);
}

static bool refill(struct blocks *b, struct blocks_reader *r)
{
	static const char nothing[BLOCK_HEAD] = "z";
	struct timespec until;
	FILE *f;
	bool over;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_SECONDS;
	free(r->bytes);
	r->bytes = NULL;
	r->len = r->at = 0;
	if ((f = open_memstream(&r->bytes, &r->len)) == NULL)
		return false;
	pthread_mutex_lock(&b->lock);
	while (!is_over(b, r) && !has_more(b, r) &&
	    pthread_cond_timedwait(&b->changed, &b->lock, &until) == 0)
		;
	over = is_over(b, r);
	if (!over && has_more(b, r))
		collect(b, r, f);
	else if (!over && r->begun)
		fwrite(nothing, 1, sizeof(nothing), f);
	pthread_mutex_unlock(&b->lock);
	return fclose(f) == 0 && !over;
}

ssize_t blocks_read(struct blocks *b, struct blocks_reader *r, char *to, size_t max)
{
	size_t n;

	while (r->at == r->len)
		if (!refill(b, r))
			return -1;
	n = r->len - r->at < max ? r->len - r->at : max;
	memcpy(to, r->bytes + r->at, n);
	r->at += n;
	return (ssize_t)n;
}

/* ---- from the tracer ---- */

static bool add_bytes(struct blocks_input *in, const char *bytes, size_t len)
{
	if (in->len + len > in->cap) {
		size_t cap = 2 * (in->len + len) + 1024;
		char *more = realloc(in->bytes, cap);

		if (more == NULL)
			return false;
		in->bytes = more;
		in->cap = cap;
	}
	memcpy(in->bytes + in->len, bytes, len);
	in->len += len;
	return true;
}

/* Whole blocks go on, what is left of the next one stays. A length is checked before memory is asked for. */
static bool take_blocks(struct blocks *b, struct blocks_input *in, size_t max)
{
	size_t at = 0;
	uint32_t len = 0;

	if (!in->begun && in->len >= sizeof(MARK) - 1) {
		in->begun = memcmp(in->bytes, MARK, sizeof(MARK) - 1) == 0;
		in->bad = !in->begun;
		at = sizeof(MARK) - 1;
	}
	while (in->begun && in->len - at >= BLOCK_HEAD) {
		memcpy(&len, in->bytes + at + 1, sizeof(len));
		len = le32toh(len);
		in->bad = len > max;
		if (in->bad || in->len - at < BLOCK_HEAD + (size_t)len)
			break;
		blocks_add(b, in->bytes + at, BLOCK_HEAD + len);
		at += BLOCK_HEAD + len;
	}
	if (at > 0)
		memmove(in->bytes, in->bytes + at, in->len -= at);
	return !in->bad;
}

bool blocks_feed(struct blocks *b, struct blocks_input *in, const char *bytes, size_t len)
{
	size_t max = b->most_kept < BLOCKS_KEPT ? b->most_kept : BLOCK_MAX;

	if (!in->bad && !add_bytes(in, bytes, len))
		in->bad = true;
	if (!in->bad && take_blocks(b, in, max))
		return true;
	free(in->bytes);
	*in = (struct blocks_input){ .bad = true };
	return false;
}

void blocks_input_free(struct blocks_input *in)
{
	free(in->bytes);
	*in = (struct blocks_input){ 0 };
}

/* The worker is ours, what it records is not. */
void blocks_copy(struct blocks *b, int fd)
{
	struct blocks_input in = { 0 };
	char part[64 << 10];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && !blocks_feed(b, &in, part, (size_t)n))
			break;
	blocks_input_free(&in);
	close(fd);
	blocks_end(b);
}
