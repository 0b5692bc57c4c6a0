/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static probe sites of programs: the bytes of section .note.stapsdt come in, sites go out, and the
 * text that tells where their values are becomes operands. The bytes are hostile; strings that are
 * returned point into them.
 */
#ifndef DT_USDT_SDTNOTE_H
#define DT_USDT_SDTNOTE_H

#include "machine/operand.h"

struct dt_sdt_note {
	const char *provider;
	const char *name;		/* as in the source: __ where D says - */
	const char *args;		/* "" none */
	uint64_t pc, semaphore;		/* addresses in the file as it is now; semaphore 0: none */
	uint64_t base;			/* as the note has it */
};

/*
 * Calls f with each site. base is the address of section .stapsdt.base (0: the file has none):
 * addresses move with it. Notes of code that was not linked in are skipped. f ends the walk with a
 * non-zero value, which is returned. -EINVAL: the section is damaged; the sites before that have been
 * passed on.
 */
typedef int dt_sdt_note_f(void *ctx, const struct dt_sdt_note *);
int dt_sdt_notes(const void *section, size_t len, bool is64, uint64_t base, dt_sdt_note_f *, void *ctx);
/* The same for a 64-bit object that is still to be linked: its notes have names and no addresses. */
int dt_sdt_notes_unlinked(const void *section, size_t len, dt_sdt_note_f *, void *ctx);

enum { DT_SDT_MAXARGS = 12 };

/*
 * The number of arguments (at most DT_SDT_MAXARGS), or -E2BIG. machine: EM_…; for one that is not known
 * all are NONE.
 */
int dt_sdt_args_parse(const char *text, uint16_t machine, struct dt_sdt_arg out[DT_SDT_MAXARGS]);
/* The offset of the register in struct pt_regs; -ENOENT. */
int dt_sdt_reg_offset(uint16_t machine, int reg);

#endif
