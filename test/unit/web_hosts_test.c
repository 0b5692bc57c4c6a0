/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recordings of single hosts: bytes in pieces of any size become the same blocks, a host that is no
 * recording ends alone, one that comes back begins anew, and together they keep no more than their bound.
 */
#include "../../cmd/web/blocks.c"
#include "../../cmd/web/hosts.c"
#include "../../cmd/web/items.c"

#include "check.h"

static char bytes[4 << 20];

/* What a recorder writes: the mark, then a block for each letter. */
static size_t recording(const char *letters, uint32_t len)
{
	size_t at = sizeof(MARK) - 1;

	memcpy(bytes, MARK, at);
	for (; *letters != '\0'; letters++, at += BLOCK_HEAD + len) {
		uint32_t n = htole32(len);

		bytes[at] = *letters;
		memcpy(bytes + at + 1, &n, sizeof(n));
		memset(bytes + at + BLOCK_HEAD, '.', len);
	}
	return at;
}

static void put(FILE *f, uint32_t number, const char *p, size_t len)
{
	uint32_t head[2] = { htole32(number), htole32((uint32_t)len) };

	fwrite(head, sizeof(head), 1, f);
	fwrite(p, 1, len, f);
}

/* How many definitions and other blocks a host has: "2 3". */
static const char *counts(struct hosts *h, unsigned number)
{
	static char text[64];
	struct blocks *b = hosts_find(h, number);
	struct blocks_reader r;

	if (b == NULL || !blocks_join(b, &r, 0))
		return "none";
	snprintf(text, sizeof(text), "%zu %zu", b->kept.n, b->moments.n);
	blocks_leave(&r);
	return text;
}

static void copy(struct hosts *h, FILE *f)
{
	rewind(f);
	hosts_copy(h, dup(fileno(f)));
	fclose(f);
}

static void check_pieces(struct hosts *h)
{
	FILE *f = tmpfile();
	size_t n = recording("HCVVGVX", 10), piece[] = { 1, 7, 19, 100 };

	for (uint32_t i = 0; i < 4; i++) {
		put(f, i, "", 0);
		for (size_t at = 0; at < n; at += piece[i])
			put(f, i, bytes + at, n - at < piece[i] ? n - at : piece[i]);
	}
	copy(h, f);
	for (unsigned i = 0; i < 4; i++)
		CHECK_STR(counts(h, i), "3 4");
	CHECK_STR(counts(h, 4), "none");
	CHECK_STR(counts(h, HOSTS_MAX), "none");
	CHECK_STR(counts(h, UINT32_MAX), "none");
}

static void check_lies(struct hosts *h)
{
	FILE *f = tmpfile();
	size_t n = recording("HV", 10);

	put(f, 0, "", 0);			/* it is back: what it has said before is forgotten */
	put(f, 0, bytes, n);
	put(f, 1, "", 0);
	put(f, 1, "this is no recording at all", 27);
	put(f, 1, bytes, n);
	put(f, 2, "", 0);
	put(f, 2, bytes, sizeof(MARK) - 1);
	put(f, 2, "V\xff\xff\xff\xff and no more", 17);
	put(f, 2, bytes, n);
	put(f, HOSTS_MAX, "", 0);
	put(f, UINT32_MAX, bytes, n);
	put(f, 3, bytes, n);			/* without a beginning: more of the one before */
	copy(h, f);
	CHECK_STR(counts(h, 0), "1 1");
	CHECK_STR(counts(h, 1), "0 0");
	CHECK_STR(counts(h, 2), "0 0");
	hosts_begin(h);
	CHECK_STR(counts(h, 0), "0 0");
}

/* A host that sends definitions without end does not get more than twice its part. */
static void check_bound(struct hosts *h)
{
	FILE *f = tmpfile();
	size_t n, part = HOSTS_KEPT / 4 / 2, sum = 0;

	put(f, 0, "", 0);
	n = recording("H", 10);
	put(f, 0, bytes, n);
	n = recording("NNN", 1 << 20) - (sizeof(MARK) - 1);
	for (size_t at = 0; at < 3 * part; at += n)
		put(f, 0, bytes + sizeof(MARK) - 1, n);
	n = recording("VVV", 1 << 20) - (sizeof(MARK) - 1);
	for (size_t at = 0; at < 3 * part; at += n)
		put(f, 0, bytes + sizeof(MARK) - 1, n);
	copy(h, f);
	sum = h->of[0]->kept.bytes;
	CHECK(sum >= part && sum <= 2 * part + (1 << 20) + BLOCK_HEAD);
	CHECK(h->of[0]->moments.bytes <= part && h->of[0]->moments.bytes > part / 2);
	CHECK(h->of[0]->lost > 0);
}

int main(void)
{
	struct hosts *h = malloc(sizeof(*h));

	hosts_open(h);
	check_pieces(h);
	check_lies(h);
	check_bound(h);
	hosts_stop(h);
	hosts_close(h);
	free(h);
	return check_report("web_hosts");
}
