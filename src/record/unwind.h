/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How user stacks are walked where code has no frame pointers: src/unwind/unwind*.c makes tables of .eh_frame
 * and puts them into maps, src/runtime/rt_unwind.c reads them. It has plain C types only, since the latter
 * is compiled for eBPF. A row says from which pc on a rule holds, up to the next row's; rules are few, and
 * all files share them.
 */
#ifndef DT_RECORD_UNWIND_H
#define DT_RECORD_UNWIND_H

enum dt_unwind_cfa {			/* where the frame of the caller begins */
	DT_CFA_NONE,			/* not known: the walk follows the frame pointer */
	DT_CFA_SP, DT_CFA_FP,		/* register + cfa_off */
	DT_CFA_AT_SP, DT_CFA_AT_FP,	/* the word at register + cfa_off */
	/* sp + cfa_off, and 8 more when the low 4 bits of the pc are at least ra_off */
	DT_CFA_PLT,
	DT_CFA_END,			/* this has no caller */
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

/*
 * Tables have no fixed size: each is an array of maps, its chunks, which are added when they are needed. The
 * high bits of a number choose the chunk, the low ones (*_BITS) the element in it. A chunk is one value of an
 * array map: once it is looked up, its elements are read without calls.
 */
#define DT_UNWIND_WORD_BITS 17		/* words of 32 bits: 512 KiB */
#define DT_UNWIND_RULE_BITS 12		/* struct dt_unwind_rule: 64 KiB */
#define DT_UNWIND_MAP_BITS 14		/* struct dt_unwind_map: 512 KiB */
#define DT_UNWIND_CHUNK(bits) (1u << (bits))
#define DT_UNWIND_IN_CHUNK(number, bits) ((number) & (DT_UNWIND_CHUNK(bits) - 1))

/*
 * Words. A file has one for each DT_UNWIND_BLOCK bytes of code: the number of the word that says how many
 * rows the block has. They follow that word, in the same chunk, by their offset in the block; the first one
 * has offset 0. A row is rule << DT_UNWIND_BLOCK_BITS | offset.
 */
#define DT_UNWIND_BLOCK_BITS 9
#define DT_UNWIND_BLOCK (1u << DT_UNWIND_BLOCK_BITS)

struct dt_unwind_map {			/* of a process, sorted by start */
	unsigned long long start, end, bias;	/* pc - bias: what rows have */
	unsigned int first, n;		/* words of blocks */
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
 * see a constant bound (runtime/rt_unwind.c).
 */
#define DT_UNWIND_FRAMES 512u
#define DT_UNWIND_FRAMES_MORE 4096u
#define DT_UNWIND_FRAMES_MOST 65536u
/*
 * Mappings of one process: all in one chunk. A process may have 65,530 mappings (vm.max_map_count), and a
 * shared object takes four of them.
 */
#define DT_UNWIND_MAPS DT_UNWIND_CHUNK(DT_UNWIND_MAP_BITS)
#define DT_UNWIND_RULES (1u << 20)	/* 23 bits of a row are for them */

#endif
