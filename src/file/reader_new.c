/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Making a reader: which functions its two children run. reader.c, which starts and asks them, does not know
 * what they do.
 */
#include "base/clock.h"
#include "file/reader_impl.h"

#include <stdlib.h>

struct dt_reader *dt_reader_new(void)
{
	struct dt_reader *r = calloc(1, sizeof(*r));

	if (r != NULL)
		*r = (struct dt_reader){ .opener = -1, .worker = -1, .budget = DT_READER_TIMEOUT_NS,
			.since = dt_clock_ns(), .opener_main = dt_reader_opener,
			.worker_main = dt_reader_worker };
	return r;
}

struct dt_reader *dt_reader_types(void)
{
	struct dt_reader *r = dt_reader_new();

	if (r != NULL) {
		r->types = true;
		r->worker_main = dt_reader_types_worker;
	}
	return r;
}
