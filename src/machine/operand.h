/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a static probe site has a value: text as the compiler's assembler writes it ("16(%rsp)") comes in,
 * what it means goes out. Each machine reads its own (dt_machine.operand), with the functions below. The
 * text is hostile.
 */
#ifndef DT_MACHINE_OPERAND_H
#define DT_MACHINE_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

enum { DT_SDT_NOREG = -1 };

struct dt_sdt_arg {
	uint8_t kind;			/* enum dt_sdt_kind */
	uint8_t size;			/* 1, 2, 4, 8 */
	bool is_signed, is_float;
	/* As dt_machine.regs.number has them, or NOREG */
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

struct dt_operand { const char *p, *end; };	/* the text that is not read yet */

/* True: blanks and c are skipped. */
bool dt_operand_skip(struct dt_operand *, char c);
/* Skips blanks; true: nothing is left. */
bool dt_operand_end(struct dt_operand *);
/* The length of the word that comes next: letters, digits and what else symbols may contain. */
size_t dt_operand_word(const struct dt_operand *);
/* Is the next word, of n characters, this one? */
bool dt_operand_is(const struct dt_operand *, size_t n, const char *word);
/* Reads digits, decimal or 0x; false: there are none. */
bool dt_operand_number(struct dt_operand *, uint64_t *);
/* Reads the numbers and the symbol of an offset into a->off and a->sym. False: it is not a sum. */
bool dt_operand_sum(struct dt_operand *, struct dt_sdt_arg *);

#endif
