/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names come in; the one most similar to the wanted name goes out: fewest insertions, deletions,
 * changes and swaps of neighbours. Names that share nothing are never suggested.
 */
#include "base/diag.h"

enum { NAME_MAX_LEN = 96 };	/* longer names are not compared: people do not type them */

void dt_near_init(struct dt_near *n, const char *want)
{
	unsigned len = (unsigned)strlen(want), most = len / 3 ? len / 3 : 1;

	if (most >= len)
		most = len ? len - 1 : 0;
	*n = (struct dt_near){ want, NULL, len > NAME_MAX_LEN ? 0 : most + 1 };
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

/* The distance between a and b, or `stop` as soon as it cannot be less. */
static unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb, unsigned stop)
{
	unsigned row[3][NAME_MAX_LEN + 1];
	unsigned *two = row[0], *prev = row[1], *cur = row[2];

	for (size_t j = 0; j <= nb; j++)
		prev[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *spare = two, least = cur[0] = (unsigned)i;

		for (size_t j = 1; j <= nb; j++) {
			cur[j] = min3(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    two[j - 2] + 1 < cur[j])
				cur[j] = two[j - 2] + 1;
			least = cur[j] < least ? cur[j] : least;
		}
		if (least >= stop)
			return stop;
		two = prev;
		prev = cur;
		cur = spare;
	}
	return prev[nb];
}

void dt_near_offer(struct dt_near *n, const char *candidate)
{
	size_t want = strlen(n->want), len = strnlen(candidate, NAME_MAX_LEN + 1);
	size_t apart = want > len ? want - len : len - want;
	unsigned d;

	if (len > NAME_MAX_LEN || apart >= n->distance)
		return;
	d = edit_distance(n->want, want, candidate, len, n->distance + (n->best != NULL));
	/*
	 * Equally far but of the same length: letters were swapped or changed, which is more common
	 * than a missing one
	 */
	if (d < n->distance ||
	    (d == n->distance && n->best != NULL && len == want && strlen(n->best) != want)) {
		n->distance = d;
		n->best = candidate;
	}
}
