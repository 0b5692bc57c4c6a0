/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finished eBPF in, machine code out, for x86-64 and aarch64. Both translators are always there, whichever
 * machine they run on; they make no system calls. Every program, and every function in one, becomes a
 * function of C: dt_agent_f (agent/agent.h). A program is called with the firing as its first and as its
 * sixth argument.
 *
 * All addresses are "at": bytes from the beginning of code. The code is position-independent, but the memory
 * it is put into must begin at a page, and what it refers to must be as far from it as the at's say.
 *
 * The length of the code depends on the program, and on all of a map's descriptor but its `at`. It never
 * depends on where anything is: translate with all places 0 to learn the lengths, lay all programs out, and
 * translate again. A helper is the exception: one at 0 does not exist, and the program is refused.
 *
 * The program is expected to be one the kernel's verifier accepts. What it must not be (jumps out of a
 * function, unknown instructions, writes to r10) is refused.
 */
#ifndef DT_NATIVE_NATIVE_H
#define DT_NATIVE_NATIVE_H

#include "agent/agent.h"
#include "bpf/image.h"
#include "machine/machine.h"

struct dt_native_place {
	uint64_t at;			/* of the program's first byte; a multiple of 4 */
	const struct dt_machine *machine;
	bool lse;			/* aarch64: it has atomic instructions (HWCAP_ATOMICS) */
	uint64_t (*helper)(void *ctx, uint32_t func);	/* of enum bpf_func_id; 0: it is missing */
	/*
	 * The descriptor of a map; *desc: its contents, so that lookups in ARRAY and CPU_ARRAY need no call.
	 * NULL there: nothing is known of it, and lookups are calls.
	 */
	uint64_t (*map)(void *ctx, uint32_t map, const struct dt_agent_map **desc);
	/*
	 * The value of an ARRAY's element 0, + off; values begin at multiples of 8. Of a RING, also for
	 * relocations without `value` (struct dt_image_reloc): the descriptor of the ring of CPU `off`.
	 */
	uint64_t (*value)(void *ctx, uint32_t map, uint32_t off);
	/* What element `index` of the map is: the program that a tail call goes on to. 0: not placed yet. */
	uint64_t (*chain)(void *ctx, uint32_t map, uint32_t index);
	void *ctx;
};

/* What a program needs; that of several is the least of them. */
enum dt_native_light {
	DT_NATIVE_FULL,
	DT_NATIVE_LIGHT,		/* it calls nothing and has at most DT_AGENT_LIGHT bytes of stack */
	DT_NATIVE_BARE,			/* and it does not look at its context, the registers */
};

struct dt_native_code {
	uint8_t *bytes;			/* the caller frees them */
	size_t len;
	enum dt_native_light light;
};

/*
 * 0, or -errno with a sentence in msg: -ENOTSUP names the helper or the instruction that is missing, -EINVAL
 * what is wrong with the program, -ERANGE what is too far away.
 */
int dt_native_translate(const struct dt_image_prog *, const struct dt_native_place *, struct dt_native_code *,
    char *msg, size_t len);

#endif
