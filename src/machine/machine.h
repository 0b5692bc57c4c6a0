/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What differs between processors, as data: one file for each, src/machine/NAME.c, and one row in
 * machine.c. Whoever needs a register or a rule of the ABI asks here and does not ask which machine it is.
 * Registers are given as offsets, in bytes, in the kernel's struct pt_regs; uregs[i] of D is word i of it.
 * Reading machine code is not data: doc/HOWTO-ADD.md says where that is.
 */
#ifndef DT_MACHINE_MACHINE_H
#define DT_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define DT_MACHINE_NOWHERE (-1)		/* no such register */

struct dt_machine {
	const char *name;		/* as messages have it */
	uint16_t elf;			/* EM_… of its files */
	bool here;			/* we are built for it */
	const char *define;		/* what D's preprocessor defines, as an argument of cpp */

	struct {			/* struct pt_regs */
		int16_t pc, sp, fp;
		/* where a function's caller is when it begins; NOWHERE: at the stack pointer */
		int16_t link;
		int16_t flags;		/* of comparisons */
		int16_t result;		/* of a function */
		int16_t arg[8];		/* of a function, `nargs` of them: the others are on the stack */
		uint8_t nargs;
		/* where those begin, from the stack pointer on, when the function begins */
		uint8_t stack_args;
		uint8_t words;		/* of the struct: uregs[] has as many */
		int16_t go_arg[10];	/* of a function of Go; NOWHERE: not in a register of its own */
		int16_t go_g;		/* the goroutine, in code of Go */
		/* by the number that instructions have for a register: `nnumbers` of them */
		const int16_t *number;
		uint8_t nnumbers;
		/* a number that reads 0 in tests of branches; nnumbers: there is none */
		uint8_t zero;
	} regs;

	/*
	 * which mode was interrupted: the low bits of a register, which are 0 in the kernel on one machine
	 * and in a process on the other
	 */
	struct {
		int16_t reg;
		uint8_t mask;
		bool zero_is_user;
	} mode;

	struct {			/* system calls */
		int16_t number;
		uint8_t number_size;	/* bytes */
		int16_t arg[6];
		const int16_t *compat_arg;	/* of 32-bit programs, the low halves; NULL: the same */
		/*
		 * A bit of struct thread_info, which a task begins with, says that a 32-bit program makes
		 * the call: `compat_bit` of the word at `compat_at`, whose member has `compat_size` bytes.
		 * All are there from Linux 5.11 to 6.18 at least.
		 */
		uint8_t compat_at, compat_size;
		uint32_t compat_bit;
		/*
		 * How the kernel's functions of calls begin; up to two each, NULL ends. runs_compat: one
		 * that is there when 32-bit programs run
		 */
		const char *native[3], *compat[3], *runs_compat;
		const char *clone;	/* types of clone()'s arguments, whose order differs */
	} syscall;

	/*
	 * Frames that the kernel's walk (bpf_get_stack()) puts before the one we want: of a program itself;
	 * of what calls the program at a tracepoint; of a function at the beginning of which a kprobe is.
	 */
	struct { uint8_t program, tracepoint, kprobe; } frames;

	struct { uint8_t sp, fp, ra; } dwarf;	/* numbers of registers in DWARF */
	/*
	 * What a conditional branch tests, as D, by its number / 2: each odd one is the one before it
	 * turned round.
	 */
	const char *const *conditions;
	uint8_t nconditions;
	/* R_… of dynamic linking */
	struct { uint16_t irelative, jump_slot, glob_dat, word, relative; } reloc;
	/*
	 * where Go keeps the goroutine for each thread: the distance from the thread pointer, which a member
	 * of struct task_struct has. NULL: nowhere that is always the same
	 */
	struct { const char *base; int8_t at; } go_tls;
	bool result_takes_argument;	/* where a large result is to be put comes as the first argument */
	/* linkers describe the frame of a procedure linkage table by an expression: DT_CFA_PLT */
	bool plt_frames;

	/*
	 * The code by which a signal handler returns, where it says nothing about its frame: the
	 * instructions, and where the registers of what was interrupted are, from the stack pointer on. n
	 * 0: the code describes its frame itself.
	 */
	struct { uint32_t code[2]; uint8_t n; int16_t sp, pc, fp; } sigreturn;

	/* a breakpoint; behind: how far from it the pc is when it was hit */
	struct { uint64_t bytes, mask; uint8_t behind; } trap;
	/*
	 * What -G writes for a static probe, both with the landing pad of protected branches before them: a
	 * function that is a nop, and one that returns the semaphore, whose address the relocations put in.
	 * Arguments as notes name them.
	 */
	struct {
		const uint8_t *probe, *enabled;	/* bytes */
		uint8_t probe_len, enabled_len;
		uint8_t nop;		/* where in `probe` it is */
		/* of `enabled`; type 0: none */
		struct { uint8_t at; uint16_t type; int8_t addend; } reloc[2];
		uint32_t property;	/* GNU_PROPERTY_… that tells of the pads */
		const char *reg[8][4];	/* integer arguments of 1, 2, 4 and 8 bytes; as many as regs.nargs */
		const char *on_stack, *in_float;	/* formats, of an offset and of a number */
	} usdt;
	uint8_t insn_align;		/* instructions begin at multiples of this */
	bool unnamed_bitfields_align;	/* an unnamed bit-field aligns its struct like a named one */
};

const struct dt_machine *dt_machine_here(void);		/* the one we are built for */
const struct dt_machine *dt_machine_elf(uint16_t elf);	/* NULL: not known */
const struct dt_machine *const *dt_machines(void);	/* all of them; NULL ends */

#endif
