/* SPDX-License-Identifier: BSD-2-Clause */
/* What the server keeps of a recording is bounded: definitions come first, what is missing is counted. */
#include "../../cmd/web/blocks.c"
#include "../../cmd/web/items.c"

#include "check.h"

static char block[1 << 20];

static void add(struct blocks *b, char letter, size_t len)
{
	uint32_t n = htole32((uint32_t)(len - BLOCK_HEAD));

	block[0] = letter;
	memcpy(block + 1, &n, sizeof(n));
	blocks_add(b, block, len);
}

/* All that is there, as letters; *left: what M blocks count. */
static void read_letters(struct blocks *b, struct blocks_reader *r, char *letters, size_t max, uint64_t *left)
{
	static char bytes[128 << 20];
	size_t n = 0, at = sizeof(MARK) - 1, k = 0;
	ssize_t got;
	uint32_t len;

	while (!is_over(b, r) || r->at != r->len) {
		got = blocks_read(b, r, bytes + n, sizeof(bytes) - n);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	CHECK(n >= at && memcmp(bytes, MARK, at) == 0);
	for (; at + BLOCK_HEAD <= n; at += BLOCK_HEAD + le32toh(len)) {
		memcpy(&len, bytes + at + 1, sizeof(len));
		if (bytes[at] == 'M')
			memcpy(left, bytes + at + BLOCK_HEAD + 12, sizeof(*left));
		if (k + 1 < max)
			letters[k++] = bytes[at];
	}
	letters[k] = '\0';
}

int main(void)
{
	struct blocks_reader r;
	struct blocks b;
	char letters[256];
	uint64_t left = 0;

	blocks_open(&b);
	CHECK(!blocks_join(&b, &r, 0));
	blocks_begin(&b, 1);
	CHECK(blocks_join(&b, &r, 0) && !blocks_join(&b, &r, 2) && blocks_join(&b, &r, 1));
	for (const char *l = "HESKVGX"; *l != '\0'; l++)
		add(&b, *l, 100);
	blocks_end(&b);
	read_letters(&b, &r, letters, sizeof(letters), &left);
	CHECK_STR(letters, "HSKGEVX");
	CHECK_INT(left, 0);
	blocks_leave(&r);

	/* more than is kept: the newest stay, and a reader learns how many it has missed */
	blocks_begin(&b, 2);
	CHECK(blocks_join(&b, &r, 2));
	add(&b, 'H', 100);
	for (int i = 0; i < 100; i++)
		add(&b, 'V', sizeof(block));
	for (int i = 0; i < 100; i++)
		add(&b, 'K', sizeof(block));
	blocks_end(&b);
	CHECK(b.moments.bytes <= BLOCKS_MOMENTS && b.kept.bytes <= BLOCKS_KEPT + sizeof(block));
	read_letters(&b, &r, letters, sizeof(letters), &left);
	CHECK(letters[0] == 'H' && strstr(letters, "KMV") != NULL);
	CHECK_INT(left + (uint64_t)(strlen(letters) - 2), 200);
	blocks_leave(&r);
	blocks_stop(&b);
	blocks_close(&b);
	return check_report("web_blocks");
}
