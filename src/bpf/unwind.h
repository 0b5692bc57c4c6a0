/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How user stacks are walked where code has no frame pointers: tables made of .eh_frame by
 * src/symbol/unwind*.c, in maps, read by src/bpf/runtime/unwind.c. Plain C types only, as that file is
 * compiled for eBPF alone. A row says where a rule begins to hold (up to the next row's pc); rules are few,
 * and the same for all files.
 */
#ifndef DT_BPF_UNWIND_H
#define DT_BPF_UNWIND_H

enum dt_unwind_cfa {			/* where the frame of the caller begins */
	DT_CFA_NONE,			/* not known: the frame pointer is followed */
	DT_CFA_SP, DT_CFA_FP,		/* register + cfa_off */
	DT_CFA_AT_SP, DT_CFA_AT_FP,	/* the word at register + cfa_off */
	/* sp + cfa_off, and 8 more when the low 4 bits of the pc are at least ra_off */
	DT_CFA_PLT,
	DT_CFA_END,			/* nobody called this */
};

enum dt_unwind_reg {			/* what becomes of the return address and of the frame pointer */
	DT_REG_SAME,			/* as it is: of the return address, in the link register */
	DT_REG_CFA, DT_REG_SP, DT_REG_FP,	/* at the CFA or register + offset */
	DT_REG_LOST,
};

struct dt_unwind_rule {
	int cfa_off, ra_off, fp_off;
	unsigned char cfa, ra, fp;
	/* what called was interrupted: its pc is exact, and its link register 16 below it */
	unsigned char signal;
};

struct dt_unwind_row { unsigned int pc, rule; };	/* pc: from the object's base */
/*
 * For each DT_UNWIND_BLOCK bytes of code, in the same map: the row that holds where they begin, and how
 * many are to be looked at.
 */
struct dt_unwind_block { unsigned int row, n; };
#define DT_UNWIND_BLOCK_BITS 9
#define DT_UNWIND_BLOCK (1u << DT_UNWIND_BLOCK_BITS)

struct dt_unwind_map {			/* of a process, sorted by start */
	unsigned long long start, end, bias;	/* pc - bias: what rows have */
	unsigned int first, n;		/* blocks */
};

/*
 * What is found by a process (its list of maps) or by a file's inode (its rows): one map of both, told
 * apart by the second word.
 */
/* dev: as the kernel has it, DT_UNWIND_PID of a process */
struct dt_unwind_key { unsigned long long id, dev; };
/* of a file: offset in it + delta is what rows have */
struct dt_unwind_value { unsigned int first, n; unsigned long long delta; };
#define DT_UNWIND_PID (~0ull)

#define DT_UNWIND_FRAMES 512u		/* room in a slot */
#define DT_UNWIND_MAPS 1024u		/* mappings of one process */
#define DT_UNWIND_RULES (1u << 16)

#endif
