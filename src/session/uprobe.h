/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs at places in files that processes run: uprobes. */
#ifndef DT_SESSION_UPROBE_H
#define DT_SESSION_UPROBE_H

#include "session/session.h"

enum { DT_ATTACH_UPROBE_MULTI = 48 };	/* newer than the headers we may be built with */

/* Can one link of the kernel hold many places (since Linux 6.6)? Found by trying. */
bool dt_uprobe_multi(void);

/*
 * Attaches prog at every point; `ret`: where the function called there returns. Links go to links[],
 * which has room for one per point. Returns their number, or -errno with a sentence if none could be
 * attached. The kernel refuses instructions that it cannot step over: `refused` counts those points,
 * `example` is one of them.
 */
struct dt_uprobes {
	int prog;
	bool ret, multi;
	const struct dt_point *points;
	uint32_t n;
	uint32_t refused, example;	/* out */
	int first_error;		/* out: of the example */
};
int dt_uprobe_attach(struct dt_uprobes *, int *links, char *msg, size_t len);
void dt_uprobe_show(const struct dt_point *, char *buf, size_t len);	/* for messages */

#endif
