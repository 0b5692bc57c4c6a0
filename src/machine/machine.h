/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What differs between processors: one file for each, named like the machine, and one line in machines.def.
 * Code that needs a register or a rule of the ABI asks here and does not ask which machine it is. Registers
 * are given as offsets, in bytes, in the kernel's struct pt_regs; uregs[i] of D is word i of it.
 */
#ifndef DT_MACHINE_MACHINE_H
#define DT_MACHINE_MACHINE_H

#include "machine/insn.h"

#include <stddef.h>

#define DT_MACHINE_NOWHERE (-1)		/* no such register */

struct dt_operand;
struct dt_sdt_arg;

struct dt_machine {
	const char *name;		/* as messages have it */
	uint16_t elf;			/* EM_… of its files */
	bool here;			/* we are built for it */
	const char *define;		/* what D's preprocessor defines, as an argument of cpp */

	struct {			/* struct pt_regs */
		int16_t pc, sp, fp;
		/* where a function's caller is when it begins; NOWHERE: at the stack pointer */
		int16_t link;
		int16_t flags;		/* of comparisons; NOWHERE: there are none */
		int16_t result;		/* of a function */
		int16_t bytecode;	/* where HotSpot's interpreter is in it; NOWHERE: not known */
		int16_t arg[8];		/* of a function, `nargs` of them: the others are on the stack */
		uint8_t nargs;
		/* where those begin, from the stack pointer on, when the function begins */
		uint8_t stack_args;
		uint8_t words;		/* of the struct: uregs[] has as many */
		int16_t go_arg[10];	/* of a function of Go; NOWHERE: not in a register of its own */
		int16_t go_g;		/* the goroutine, in code of Go */
		/*
		 * by the number that instructions have for a register: `nnumbers` of them; NOWHERE: the
		 * struct does not have it
		 */
		const int16_t *number;
		uint8_t nnumbers;
		/* by the number that perf events have for a register (PERF_REG_…), the same */
		const int16_t *perf;
		uint8_t nperf;
		/* a number that reads 0 in tests of branches; nnumbers: there is none */
		uint8_t zero;
	} regs;

	/* where an interpreted frame of HotSpot has the address of its bytecode: words below fp */
	uint8_t hotspot_bcp;

	/*
	 * which mode was interrupted: bits of a register, which are 0 in the kernel on one machine and in a
	 * process on another
	 */
	struct {
		int16_t reg;
		uint16_t mask;
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
		 * All are there from Linux 5.11 to 6.18 at least. 0: there are no 32-bit programs.
		 */
		uint8_t compat_at, compat_size;
		uint32_t compat_bit;
		/*
		 * How the kernel's functions of calls begin; up to two each, NULL ends. runs_compat: one
		 * that is there when 32-bit programs run, NULL: they never do
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
	const char *thread_pointer;	/* the member of struct task_struct that has it; NULL: unknown */
	/* where Go keeps the goroutine for each thread, from the thread pointer on; 0: not there */
	int8_t go_tls;
	bool result_takes_argument;	/* where a large result is to be put comes as the first argument */
	/* linkers describe the frame of a procedure linkage table by an expression: DT_CFA_PLT */
	bool plt_frames;

	/*
	 * The code by which a signal handler returns, where it says nothing about its frame: the
	 * instructions, and where the registers of what was interrupted are, from the stack pointer on. n
	 * 0: the code describes its frame itself.
	 */
	struct { uint32_t code[2]; uint8_t n; int16_t sp, pc, fp; } sigreturn;

	/*
	 * System calls that a tracer makes in a process. insn: the instruction. number: the register that a
	 * process puts the number in. cleared: a register of the kernel that says in which call a thread was
	 * interrupted, -1 in none; NOWHERE: threads are moved back to the instruction, and their registers do
	 * not show it. number_set: the set of registers (NT_…) that changes the number when a call begins.
	 * no_branch: bits of `regs.flags` that would make the next instruction a landing pad.
	 */
	struct {
		uint32_t insn;
		uint8_t insn_len;
		uint32_t spin;		/* a jump to itself, of spin_len bytes */
		uint8_t spin_len;
		int16_t number, cleared;
		uint16_t number_set;
		uint64_t no_branch;
		/* the thread pointer: a word of the general registers; NOWHERE: set NT_… `tls_set` */
		int16_t tls;
		uint16_t tls_set;
		/* sets of vector registers (NT_…) that a system call clears; 0 ends */
		uint16_t vectors[3];
		const char *clock;	/* clock_gettime() in the vdso; NULL: no process is changed here */
		uint8_t musl_tid;	/* of musl's struct pthread: where the thread's number is */
	} inject;

	/* a breakpoint; advance: how far past it the pc is when it was hit */
	struct { uint64_t bytes, mask; uint8_t advance; } trap;
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
		uint32_t property;	/* GNU_PROPERTY_… for the landing pads; 0: there are none */
		uint32_t eflags;	/* e_flags that linkers want of an object */
		const char *reg[8][4];	/* integer arguments of 1, 2, 4 and 8 bytes; as many as regs.nargs */
		const char *on_stack, *in_float;	/* formats, of an offset and of a number */
	} usdt;
	uint64_t hwcap_atomics; /* bit of AT_HWCAP: atomic operations are single instructions; 0: always */
	uint8_t insn_align;		/* instructions begin at multiples of this */
	/*
	 * Calls f for each instruction of a function, whose first byte is linked at vaddr. 0, or -ENOEXEC: it
	 * cannot be decoded. NULL: not known, so that probes inside of functions are refused.
	 */
	int (*walk)(const uint8_t *code, uint64_t size, uint64_t vaddr, dt_insn_f *, void *ctx);
	/*
	 * Reads an operand of a static probe. False: the text is not an operand. NULL: arguments of static
	 * probes are refused on this machine.
	 */
	bool (*operand)(struct dt_operand *, struct dt_sdt_arg *);
	/* Whether the kernel's uprobes run this instruction wrongly. NULL: they run all that they accept. */
	bool (*misread)(const uint8_t *code, size_t len);
	bool unnamed_bitfields_align;	/* an unnamed bit-field aligns its struct like a named one */
};

/* By name, for tests that want a certain one. */
#define X(name) extern const struct dt_machine dt_machine_##name;
#include "machine/machines.def"
#undef X

const struct dt_machine *dt_machine_here(void);		/* the one we are built for */
const struct dt_machine *dt_machine_elf(uint16_t elf);	/* NULL: not known */
const struct dt_machine *const *dt_machines(void);	/* all of them; NULL ends */
const char *dt_machine_names(char *buf, size_t len);	/* "x86-64 and aarch64"; returns buf */

#endif
