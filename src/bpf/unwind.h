/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How user stacks are walked where code has no frame pointers: src/symbol/unwind*.c makes tables of .eh_frame
 * and puts them into maps, src/bpf/runtime/unwind.c reads them. It has plain C types only, since the latter
 * is compiled for eBPF. A row says from which pc on a rule holds, up to the next row's pc; rules are few, and
 * all files share them.
 */
#ifndef DT_BPF_UNWIND_H
#define DT_BPF_UNWIND_H

enum dt_unwind_cfa {			/* where the frame of the caller begins */
	DT_CFA_NONE,			/* not known: the walk follows the frame pointer */
	DT_CFA_SP, DT_CFA_FP,		/* register + cfa_off */
	DT_CFA_AT_SP, DT_CFA_AT_FP,	/* the word at register + cfa_off */
	/* sp + cfa_off, and 8 more when the low 4 bits of the pc are at least ra_off */
	DT_CFA_PLT,
	DT_CFA_END,			/* nobody called this */
};

enum dt_unwind_reg {			/* where the return address and the frame pointer are */
	DT_REG_SAME,			/* still in the register: the return address in the link register */
	DT_REG_CFA, DT_REG_SP, DT_REG_FP,	/* at the CFA or register + offset */
	DT_REG_LOST,
};

struct dt_unwind_rule {
	int cfa_off, ra_off, fp_off;
	unsigned char cfa, ra, fp;
	/*
	 * 1: the caller was interrupted by a signal: its pc is exact, its link register saved 16 below that
	 */
	unsigned char signal;
};

struct dt_unwind_row { unsigned int pc, rule; };	/* pc: from the object's base */
/*
 * For each DT_UNWIND_BLOCK bytes of code, in the same map as the rows: the row that holds where they begin,
 * and how many rows to search.
 */
struct dt_unwind_block { unsigned int row, n; };
#define DT_UNWIND_BLOCK_BITS 9
#define DT_UNWIND_BLOCK (1u << DT_UNWIND_BLOCK_BITS)

struct dt_unwind_map {			/* of a process, sorted by start */
	unsigned long long start, end, bias;	/* pc - bias: what rows have */
	unsigned int first, n;		/* blocks */
};

/*
 * One map finds both the list of mappings of a process, by its number, and the rows of a file, by its inode.
 * The second word of the key tells the two apart.
 */
/* dev: as the kernel numbers devices; DT_UNWIND_PID: id is a process */
struct dt_unwind_key { unsigned long long id, dev; };
/* delta, of a file: an offset in it + delta is what rows have as pc */
struct dt_unwind_value { unsigned int first, n; unsigned long long delta; };
#define DT_UNWIND_PID (~0ull)

/*
 * Room for frames in a slot, by need. A walk is compiled for each of these sizes, because the verifier has to
 * see a constant bound (runtime/unwind.c).
 */
#define DT_UNWIND_FRAMES 512u
#define DT_UNWIND_FRAMES_MORE 4096u
#define DT_UNWIND_FRAMES_MOST 65536u
#define DT_UNWIND_MAPS 1024u		/* mappings of one process */
#define DT_UNWIND_RULES (1u << 16)

#endif
