/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of table/syscalls.def with their kinds found, those of this kernel marked, and which of them are
 * wanted.
 */
#ifndef DT_CMD_DTRUSS_CALLS_H
#define DT_CMD_DTRUSS_CALLS_H

#include "decode.h"

struct calls {
	struct row *v;
	size_t n;
};

/* Needs the handle to learn which calls there are. False: out of memory, or a row is wrong (reported). */
bool calls_load(struct calls *, dtrace_hdl_t *);
void calls_free(struct calls *);
struct row *calls_find(const struct calls *, const char *name);
/*
 * What -e trace= says: names, classes (%file or file), /pattern, none, all, with ! in front of the list for
 * all others. False after a message.
 */
bool calls_want(struct calls *, const char *list);
/* Records of the calls that only keep descriptors are made only where descriptors are shown. */
void calls_enable(struct calls *, bool track);

#endif
