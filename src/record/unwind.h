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
	unsigned char signal : 1;
	unsigned char lang : 7;		/* enum dt_lang_id: the loop of its interpreter; 0: none */
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
	/*
	 * words of blocks; n 0: code without rows, made at run time by the runtime of enum dt_lang_id `first`
	 */
	unsigned int first, n;
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
 * Runtimes of a process (runtime/lang_words.h): n of its list says how many there are. Each is a struct
 * dt_unwind_lang over DT_UNWIND_LANG_MAPS elements of the list, before the mappings.
 */
#define DT_UNWIND_LANGS_SHIFT 24
#define DT_UNWIND_LANGS 4u
#define DT_UNWIND_LANG_MAPS 8u
#define DT_UNWIND_LANG_WORDS 29u
struct dt_unwind_lang {
	unsigned int lang;		/* enum dt_lang_id */
	/*
	 * the block of functions that were seen: the first element, how many there are, the number of the
	 * block
	 */
	unsigned int funcs, nfuncs, serial;
	unsigned long long spare;
	unsigned long long word[DT_UNWIND_LANG_WORDS];	/* as the runtime's walk has them */
};
/*
 * A function that was seen in a stack: what stands for it (code), what has to be the same when its name is
 * read (key, more). tag is a hash of all, 0: free. The first of a block counts them.
 */
struct dt_unwind_func { unsigned long long tag, code, key, more; };
struct dt_unwind_funcs { unsigned long long n, lost; unsigned long long spare[2]; };

/*
 * A frame of a language among the frames of a stack: no address of a process has these high bits. 0 as the
 * function: it has no name, since there was no room for it.
 */
#define DT_FRAME_LANG_SHIFT 59
#define DT_FRAME_SERIAL_SHIFT 44	/* 15 bits */
#define DT_FRAME_FUNC_SHIFT 30		/* 14 bits: its place in the block */
#define DT_FRAME_POS_MAX ((1ull << 30) - 1)	/* a place in its code; this one: not known */
#define DT_FRAME_SERIALS (1u << 15)
#define DT_FRAME_LANG(frame) ((unsigned int)((frame) >> DT_FRAME_LANG_SHIFT))
#define DT_FRAME_SERIAL(frame) ((unsigned int)((frame) >> DT_FRAME_SERIAL_SHIFT) & (DT_FRAME_SERIALS - 1))
#define DT_FRAME_FUNC(frame) ((unsigned int)((frame) >> DT_FRAME_FUNC_SHIFT) & 0x3fff)
#define DT_FRAME_POS(frame) ((unsigned int)((frame) & DT_FRAME_POS_MAX))

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
