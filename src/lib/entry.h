/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The door of the library: each public function that may need memory goes through DT_PUBLIC(). Arenas of a
 * handle follow its own (base/arena.h), so that one jump, set here, ends any call that runs out of memory:
 * the handle says EDT_NOMEM, the call gives its bad value, and what was half made belongs to an arena or to
 * the handle and ends with it. Doors may be nested: a callback may call the library again.
 */
#ifndef DT_LIB_ENTRY_H
#define DT_LIB_ENTRY_H

#include "lib/handle.h"

struct dt_entry {
	jmp_buf env;
	jmp_buf *outer;			/* the jump that holds again when this call is over */
	struct dt_diag *diag;		/* what the handle was in the middle of, to be so again */
	const dtrace_probedata_t *firing;
	uint32_t walking;
};

void dt_entry_begin(struct dtrace_hdl *, struct dt_entry *);
void dt_entry_end(struct dtrace_hdl *, struct dt_entry *);
void dt_entry_failed(struct dtrace_hdl *, struct dt_entry *);

/* The body of a public function: `call` with the door around it, `bad` when memory has run out. */
#define DT_PUBLIC(h, bad, call) \
	do { \
		struct dt_entry dt_door; \
		__typeof__(call) dt_result; \
		if (setjmp(dt_door.env) != 0) { \
			dt_entry_failed((h), &dt_door); \
			return bad; \
		} \
		dt_entry_begin((h), &dt_door); \
		dt_result = (call); \
		dt_entry_end((h), &dt_door); \
		return dt_result; \
	} while (0)

/* The same for a function that gives nothing back. */
#define DT_PUBLIC_VOID(h, call) \
	do { \
		struct dt_entry dt_door; \
		if (setjmp(dt_door.env) != 0) { \
			dt_entry_failed((h), &dt_door); \
			return; \
		} \
		dt_entry_begin((h), &dt_door); \
		call; \
		dt_entry_end((h), &dt_door); \
	} while (0)

#endif
