/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events as text in, events in memory out: what the engine `replay` fires instead of a kernel. A line is
 *
 *	TIME PROBE [NAME=VALUE]… [ARGUMENT]…
 *
 * TIME is in ns, PROBE a full name (provider:module:function:name). NAME is one of cpu, pid, tid, ppid, uid,
 * gid, errno and execname. Up to ten arguments follow: numbers, or strings in quotes, which lie in the memory
 * of the process, so that the argument is their address. `#` begins a comment. Times do not fall.
 */
#ifndef DT_REPLAY_EVENTS_H
#define DT_REPLAY_EVENTS_H

#include "base/arena.h"

#include <stdint.h>

struct dt_replay_probe { const char *prov, *mod, *func, *name; };

struct dt_replay_text { uint64_t addr; const char *bytes; uint32_t len; };	/* len: with the NUL */

struct dt_replay_event {
	uint64_t time;
	uint32_t probe;			/* index */
	uint32_t cpu, pid, tid, ppid, uid, gid;
	int32_t err;
	const char *execname;
	uint64_t arg[10];
	const struct dt_replay_text *texts;
	uint32_t ntexts;
};

struct dt_replay_events {
	DT_VEC(struct dt_replay_probe) probes;	/* each name once */
	DT_VEC(struct dt_replay_event) events;
	uint32_t ncpus;			/* the largest number of a CPU, and one */
};

enum { DT_REPLAY_CPUS_MAX = 8192, DT_REPLAY_BYTES_MAX = 256 << 20 };

/* All in the arena. NULL with a sentence in msg, which names the line. */
struct dt_replay_events *dt_replay_read(struct dt_arena *, const char *path, char *msg, size_t len);
struct dt_replay_events *dt_replay_parse(struct dt_arena *, const char *path, const char *text, char *msg,
    size_t len);

#endif
