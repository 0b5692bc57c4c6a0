/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static probe sites of programs: the bytes of section .note.stapsdt come in, sites go out, and the
 * text that tells where their values are becomes operands. The bytes are hostile; strings that are
 * returned point into them.
 */
#ifndef DT_USDT_SDTNOTE_H
#define DT_USDT_SDTNOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

enum dt_sdt_kind {
	DT_SDT_NONE,			/* not understood */
	DT_SDT_CONST,			/* off is the value, with a symbol's address added when sym is set */
	DT_SDT_REG,			/* (reg >> shift) */
	/* *(reg + (index << scale) + off), with a symbol's address added when sym is set */
	DT_SDT_MEM,
	DT_SDT_FREG,			/* floating point or vector register reg */
};

/* of an index: 64 bits, or its low 32 */
enum dt_sdt_ext { DT_SDT_EXT_NONE, DT_SDT_EXT_UXTW, DT_SDT_EXT_SXTW };

enum { DT_SDT_NOREG = -1, DT_SDT_RIP = 16, DT_SDT_SP = 31 };

struct dt_sdt_arg {
	uint8_t kind;			/* enum dt_sdt_kind */
	uint8_t size;			/* 1, 2, 4, 8 */
	bool is_signed, is_float;
	/*
	 * As the machine numbers them: x86 rax rcx rdx rbx rsp rbp rsi rdi r8…; RIP; aarch64 x0…, SP;
	 * or NOREG
	 */
	int8_t reg, index;
	uint8_t scale, ext;		/* scale: of 1 << scale */
	uint8_t shift;			/* 8 for %ah and its like */
	/* MEM: relative to the thread pointer (%fs); a symbol is one of the thread's block */
	bool thread;
	/* MEM: reg holds the page of the symbol; its offset in the page is added */
	bool page;
	int64_t off;
	const char *sym;		/* not terminated; NULL none */
	uint32_t symlen;
	const char *text;		/* all of it, as it stands in the note; not terminated */
	uint32_t textlen;
};

/*
 * The number of arguments (at most DT_SDT_MAXARGS), or -E2BIG. machine: EM_X86_64 or EM_AARCH64; for
 * others all are NONE.
 */
int dt_sdt_args_parse(const char *text, uint16_t machine, struct dt_sdt_arg out[DT_SDT_MAXARGS]);
/* The offset of the register in struct pt_regs; -ENOENT. */
int dt_sdt_reg_offset(uint16_t machine, int reg);

#endif
