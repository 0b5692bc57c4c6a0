/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as a saved program. What is refused must only be refused. What is accepted must list, and after it
 * was written once, writing and reading must no longer change it.
 */
#include "dif/dif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void hash_line(void *ctx, const char *line)
{
	uint64_t *h = ctx;

	if (strncmp(line, "DIFO 0x", 7) == 0)	/* the address differs from one copy to the next */
		line = strstr(line, " returns");
	for (; *line; line++)
		*h = (*h ^ (unsigned char)*line) * 1099511628211u;
}

/* The listings of all DIFOs, as one number; action lists that clauses share are listed once. */
static uint64_t listings(const struct dt_prog *p)
{
	uint64_t h = 14695981039346656037u;

	for (uint32_t i = 0; i < p->necbs; i++) {
		const struct dt_ecb *e = &p->ecbs[i];

		if (e->pred)
			dt_difo_list(e->pred, hash_line, &h);
		if (i && e->acts == e[-1].acts)
			continue;
		for (uint32_t k = 0; k < e->nacts; k++) {
			if (e->acts[k].difo)
				dt_difo_list(e->acts[k].difo, hash_line, &h);
		}
	}
	return h;
}

static struct dt_prog *must_read(const void *data, size_t len)
{
	struct dt_prog *p = NULL;
	char msg[256] = "";

	if (dt_dof_read(data, len, &p, msg, sizeof(msg))) {
		fprintf(stderr, "what was written is refused: %s\n", msg);
		abort();
	}
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct dt_prog *p = NULL, *again;
	void *one = NULL, *two = NULL;
	size_t len1 = 0, len2 = 0;
	char msg[256] = "";

	if (dt_dof_read(data, len, &p, msg, sizeof(msg))) {
		if (!*msg)
			abort();
		return 0;
	}
	if (dt_dof_write(p, &one, &len1) == 0) {
		again = must_read(one, len1);
		if (listings(p) != listings(again))
			abort();
		if (dt_dof_write(again, &two, &len2) || len1 != len2 || memcmp(one, two, len1))
			abort();
		dt_prog_free(again);
	}
	dt_prog_free(p);
	free(one);
	free(two);
	return 0;
}
