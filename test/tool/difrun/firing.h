/* SPDX-License-Identifier: BSD-2-Clause */
/* What a test's header comment tells: firings and memory. */
#ifndef DIFRUN_FIRING_H
#define DIFRUN_FIRING_H

#include "base/arena.h"
#include "interp/interp.h"

struct firings {
	struct dt_arena *arena;
	DT_VEC(struct dt_context) fires;
	DT_VEC(struct dt_region) regions;
	DT_VEC(const char *) probes;		/* full names; the index is the probe's id - 1 */
};

_Noreturn void fatal(const char *what, const char *text);
/* The next word; "quoted text" keeps its blanks. NULL at the end. Cuts the line up. */
char *word(char **line);
/* C escapes of a quoted word, quotes taken off; returns the length, with a NUL after it. */
size_t unquote(char *);
/* A dense id for each probe name, in order of appearance. */
uint32_t probe_id(struct firings *, const char *name);
/* A firing with plain values everywhere. */
struct dt_context firing(struct firings *, const char *name);
void directive_fire(struct firings *, char *line);
void directive_mem(struct firings *, char *line);

#endif
