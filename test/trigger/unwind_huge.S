/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A large program: 20,000 functions that nobody calls, each with 200 rows of .eh_frame, which is 16 MB of it.
 * Written as data, because the assembler takes 10 seconds for as many .cfi directives.
 */
#define FUNCTIONS 20000
#ifdef __aarch64__
#define INSN 4				/* bytes of an instruction; rows are one apart */
#define RA 30
#define SP 31
#define AT 0				/* the frame of a function that has just begun */
#define SAVED 0, 0
#else
#define INSN 1
#define RA 16
#define SP 7
#define AT 8
#define SAVED 0x90, 1
#endif
#define SIZE (200 * INSN)
/* DW_CFA_advance_loc 1, DW_CFA_def_cfa_offset 16, and once more with AT; two DW_CFA_nop */
#define PAIR 0x0e4100000e41 | 0x10 << 16 | AT << 40
#define PAIRS5 PAIR, PAIR, PAIR, PAIR, PAIR
#define PAIRS20 PAIRS5, PAIRS5, PAIRS5, PAIRS5

	.section .note.GNU-stack,"",%progbits
	.text
	.balign 16
many:	.fill FUNCTIONS * SIZE, 1, 0

	.section .eh_frame,"a",%progbits
cie:	.long cie_end - cie_id
cie_id:	.long 0
	.byte 1
	.asciz "zR"
	.uleb128 INSN
	.sleb128 -8
	.uleb128 RA
	.uleb128 1
	.byte 0x1b			/* relative, 4 bytes */
	.byte 0x0c, SP, AT, SAVED
	.balign 4, 0
cie_end:
	.set at, 0
	.rept FUNCTIONS
	.long 13 + 800 + 3
	.long . - cie
	.long many + at - .
	.long SIZE
	.byte 0
	.quad PAIRS20, PAIRS20, PAIRS20, PAIRS20, PAIRS20
	.byte 0, 0, 0
	.set at, at + SIZE
	.endr
