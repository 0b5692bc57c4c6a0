/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the library is entered: each public function that may need memory goes through DT_PUBLIC(). Arenas of a
 * handle follow its own (base/arena.h), so that one jump, set here, ends any call that runs out of memory:
 * the handle says EDT_NOMEM, the call gives its bad value, and what was half made belongs to an arena or to
 * the handle and ends with it. Calls may be nested: a callback may call the library again.
 *
 * A callback may also never return: exceptions of some languages are a longjmp() over our frames. What such a
 * call was in the middle of is noted in the handle (struct dt_active_call) and put back by the next call.
 */
#ifndef DT_HANDLE_ENTRY_H
#define DT_HANDLE_ENTRY_H

#include "handle/handle.h"

struct dt_entry {
	jmp_buf env;
	struct dt_active_call found;
	unsigned depth;			/* how many calls are around this one */
};

/*
 * frame: the public function's own, which lies on the real stack under the sanitizers too. sure: look for
 * calls that were left through the whole stack; else only where the stack pointer alone tells.
 */
void dt_entry_begin(struct dtrace_hdl *, struct dt_entry *, const void *frame, bool sure);
void dt_entry_end(struct dtrace_hdl *, struct dt_entry *);
void dt_entry_failed(struct dtrace_hdl *, struct dt_entry *);

/*
 * The body of a public function: `call` between dt_entry_begin() and dt_entry_end(), `bad` when memory has
 * run out.
 */
#define DT_PUBLIC(h, bad, call) DT_PUBLIC_CALL(h, bad, call, false)
/* The same for those that a call which is still under way refuses, or that end what it has begun. */
#define DT_PUBLIC_SURE(h, bad, call) DT_PUBLIC_CALL(h, bad, call, true)
#define DT_PUBLIC_CALL(h, bad, call, sure) \
	do { \
		struct dt_entry dt_here; \
		__typeof__(call) dt_result; \
		if (setjmp(dt_here.env) != 0) { \
			dt_entry_failed((h), &dt_here); \
			return bad; \
		} \
		dt_entry_begin((h), &dt_here, __builtin_frame_address(0), sure); \
		dt_result = (call); \
		dt_entry_end((h), &dt_here); \
		return dt_result; \
	} while (0)

/* The same for a function that gives nothing back. */
#define DT_PUBLIC_VOID(h, call) \
	do { \
		struct dt_entry dt_here; \
		if (setjmp(dt_here.env) != 0) { \
			dt_entry_failed((h), &dt_here); \
			return; \
		} \
		dt_entry_begin((h), &dt_here, __builtin_frame_address(0), false); \
		call; \
		dt_entry_end((h), &dt_here); \
	} while (0)

#endif
