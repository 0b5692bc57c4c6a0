/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of address spaces, from the kernel as they happen: code mapped, processes forked, programs
 * executed. A perf event that counts nothing carries them, one for each CPU; no program runs for it.
 * They let an address in a process that has ended still get a name.
 */
#ifndef DT_SYMBOL_WATCH_H
#define DT_SYMBOL_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct dt_watch;

enum dt_watch_kind { DT_WATCH_MAP, DT_WATCH_FORK, DT_WATCH_EXEC, DT_WATCH_EXIT, DT_WATCH_LOST };

struct dt_watch_event {
	enum dt_watch_kind kind;
	uint64_t time;			/* monotonic */
	uint32_t pid, ppid;		/* ppid: of a fork */
	uint64_t start, len, offset;	/* of a mapping */
	uint32_t major, minor;		/* its file, when there is no build id */
	uint64_t inode;
	uint8_t id[20], idlen;		/* its build id; idlen 0 none */
	const char *path;
	bool memory;			/* of those that are lost: there was no room here */
};

typedef void dt_watch_f(void *ctx, const struct dt_watch_event *);

/* 0, or -errno: there will be no events */
int dt_watch_open(struct dt_watch **);
void dt_watch_close(struct dt_watch *);			/* NULL is fine */
/* Passes on everything there is, in time order; 0, or -ENOMEM after a DT_WATCH_LOST */
int dt_watch_read(struct dt_watch *, dt_watch_f *, void *ctx);

#endif
