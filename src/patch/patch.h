/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What to write where a probe is, and into its trampoline: pure functions on bytes, of every machine
 * anywhere. A patch is one jump to the trampoline, which runs the displaced instructions that come before
 * the probe, then the agent's entry with all registers as they were, then the other displaced instructions,
 * and goes back:
 *
 *	displaced instructions before pc	(x86-64 only, where the instruction at pc is too short)
 *	room for a firing, the address of the site in a register, a jump to what its `entry` says
 *	back:	the registers as they were
 *	after:	displaced instructions from pc on, moved so that they mean the same here
 *		a jump to what follows them
 *
 * A place is refused where the program could notice: where a branch leads into the displaced instructions, a
 * call returns into them, or they mean something else in another place.
 */
#ifndef DT_PATCH_PATCH_H
#define DT_PATCH_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_machine;

struct dt_patch_site {
	uint64_t pc;			/* of the place, in the process */
	/*
	 * The function around it, as its file has it. func_size 0: not known, func_addr is pc. avail: bytes
	 * that can be read at func, those after the function too, where padding may be; 0: func_size.
	 */
	const uint8_t *func;
	uint64_t func_addr, func_size;
	uint64_t avail;
	/* the part of it that the compiler has put elsewhere (f.cold), which branches back; size 0: none */
	const uint8_t *part;
	uint64_t part_addr, part_size;
	/* addresses in the function that other functions branch to, sorted (dt_patch_targets) */
	const uint64_t *targets;
	uint32_t ntargets;
	/* where its jump tables lead, if tables_known (dt_patch_tables_of()); in any order */
	bool tables_known;
	const uint64_t *tables;
	uint32_t ntables;
	/*
	 * All places in this function that are to be patched, sorted, and where the struct dt_agent_site of
	 * each will be. Of two that overlap the first is patched, and its trampoline fires the other one
	 * too where it can; site_addrs NULL: never.
	 */
	const uint64_t *sites, *site_addrs;
	uint32_t nsites;
	bool shadow_stack;		/* a call must be a call */
	/* no thread waits in a system call, or will go on with one after a signal: it may be displaced too */
	bool fresh;
};

enum {
	DT_PATCH_BYTES = 16,
	DT_PATCH_TRAMP = 256,
	DT_PATCH_PCS = 16,
	DT_PATCH_ALSO = 3,
};

/*
 * The bytes of a patch are to be written only where the process has `original` now: a breakpoint may be
 * there.
 */
struct dt_patch {
	uint8_t len;			/* bytes replaced at pc - before */
	uint8_t before;			/* bytes before pc that are displaced */
	uint8_t bytes[DT_PATCH_BYTES];	/* what to write; some may be as they were */
	uint8_t original[DT_PATCH_BYTES];
	uint8_t ntramp;			/* displaced instructions in the trampoline */
	uint32_t tramp_len;
	uint8_t tramp[DT_PATCH_TRAMP];
	uint32_t fire;			/* where in tramp the registers are saved */
	uint32_t back;			/* the second half */
	uint32_t after;			/* what follows the firing: the displaced instructions from pc on */
	/*
	 * Places of equal meaning: `from` pc - before on, and in the trampoline. When the patch is written, a
	 * thread at `from` goes on at `to` of the first entry that has it. When it is removed, a thread at
	 * `to` of any entry goes back to `from`; one elsewhere in the trampoline must be let run, or be
	 * stepped, until it is at such a place or has left.
	 */
	struct { uint8_t from, to; } pcs[DT_PATCH_PCS];
	uint8_t npcs;
	/* places that this trampoline fires too, and the second half of each, for dt_agent_site.back */
	struct { uint64_t pc; uint32_t back; } also[DT_PATCH_ALSO];
	uint8_t nalso;
	uint64_t owner;			/* -EALREADY: the place whose patch fires this one */
};

/* Most bytes of a trampoline and its struct dt_agent_site with no call but the one that ends the list. */
size_t dt_patch_room(const struct dt_machine *);

/*
 * tramp_addr: where the trampoline will be, a multiple of 16. site_addr: of its struct dt_agent_site. 0;
 * -EALREADY: nothing is to be written, the patch of p->owner fires this place, if that could be made;
 * -ENOTSUP with the reason, as the end of a sentence, in *why.
 */
int dt_patch_make(const struct dt_machine *, const struct dt_patch_site *, uint64_t tramp_addr,
    uint64_t site_addr, struct dt_patch *, const char **why);

/* Can jumps from pc reach all of an island, and back? With slack for what other instructions reach. */
bool dt_patch_reaches(const struct dt_machine *, uint64_t pc, uint64_t island, uint64_t size);

/*
 * Calls f with each address in [code_addr, code_addr + size) that a direct branch in these bytes leads to,
 * and where the branch is. For functions that branch into others: run once for a file's code. Bytes that
 * cannot be decoded end it: -ENOEXEC.
 */
typedef void dt_patch_target_f(void *ctx, uint64_t from, uint64_t to);
int dt_patch_targets(const struct dt_machine *, const uint8_t *code, uint64_t size, uint64_t code_addr,
    dt_patch_target_f *, void *ctx);

/*
 * Calls f with all branches in these bytes that lead to the inside of a range, not its beginning, from
 * elsewhere, and with bytes that look like one. Ranges are sorted and do not overlap. Nothing needs to be
 * decoded for it: for machines whose instructions have many lengths.
 */
struct dt_patch_range { uint64_t start, end; };
void dt_patch_leads(const struct dt_machine *, const uint8_t *code, uint64_t size, uint64_t code_addr,
    const struct dt_patch_range *, uint32_t n, dt_patch_target_f *, void *ctx);

/* A function, where the code of its file is mapped, and memory around it: false if it cannot be read. */
struct dt_patch_tables {
	const uint8_t *code;
	uint64_t addr, size, text_start, text_end;
	bool (*read)(void *ctx, uint64_t addr, void *to, size_t len);
	void *ctx;
};

/*
 * Calls f with each address in the function that one of its jump tables may lead to, some often. False: there
 * is a jump whose table is not found. Where instructions have one length nothing needs to be known.
 */
bool dt_patch_tables_of(const struct dt_machine *, const struct dt_patch_tables *, dt_patch_target_f *,
    void *ctx);

#endif
