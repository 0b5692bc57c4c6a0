/* SPDX-License-Identifier: BSD-2-Clause */
/* What the server of the live page keeps: it is bounded, and the last words of a trace always have room. */
#include "../../cmd/web/hub.c"
#include "../../cmd/web/items.c"
#include "../../cmd/web/web_json.c"

#include "check.h"

static char line[1 << 20];

/* All that is there for the reader, counted: lines that have `mark`. */
static int count_marks(struct hub *h, struct hub_reader *r, const char *mark)
{
	static char text[4 << 20];
	int n = 0;
	long got;

	while (has_unread(h, r) || r->at != r->len) {
		got = hub_read(h, r, text, sizeof(text) - 1);
		if (got < 0)
			break;
		text[got] = '\0';
		for (const char *p = text; (p = strstr(p, mark)) != NULL; p++)
			n++;
	}
	return n;
}

static void tell(struct hub *h, char letter, size_t len)
{
	memset(line, ' ', len);
	line[0] = letter;
	line[1] = '{';
	line[len - 1] = '}';
	hub_append(h, line, len);
}

int main(void)
{
	struct hub_reader r = { .trace = UINT32_MAX }, late = { .trace = UINT32_MAX };
	struct hub h;

	hub_open(&h);
	hub_begin(&h);
	for (int i = 0; i < 200; i++)
		tell(&h, 'D', sizeof(line));
	hub_append(&h, "L{\"t\":\"ended\"}", 14);
	CHECK(h.kept.bytes < HUB_KEPT + (2u << 20));
	CHECK_INT(count_marks(&h, &r, "\"ended\""), 1);
	CHECK_INT(count_marks(&h, &late, "\"notice\""), 1);

	/* days of moments: neither bytes nor places grow, and a reader that follows misses none */
	for (int i = 0; i < 200000; i++) {
		tell(&h, 'S', 1000);
		if (i % 1000 == 999)
			CHECK_INT(count_marks(&h, &r, "data: {"), 1000);
	}
	CHECK(h.moments.bytes <= HUB_MOMENTS);
	CHECK(h.moments.cap <= 4 * HUB_MOMENTS / 1000);
	CHECK_INT(count_marks(&h, &late, "\"missed\""), 1);
	CHECK_INT(late.moment, 200000);

	hub_begin(&h);
	CHECK_INT(count_marks(&h, &r, "\"reset\""), 1);
	CHECK_INT(h.moments.n, 0);
	hub_stop(&h);
	free(r.text);
	free(late.text);
	hub_close(&h);
	return check_report("web_hub");
}
