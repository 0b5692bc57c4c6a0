/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of src/machine (R 7.4). Of the machine we run on they are compared with the structs of the C
 * library; of every one that its offsets are inside struct pt_regs, and each once where they must differ.
 */
#include "check.h"

#include "machine/machine.h"
#include "machine/operand.h"

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#if defined(__aarch64__)
#include <asm/ptrace.h>
#define WORDS(member) ((int)offsetof(struct user_pt_regs, member))
static const int here_pc = WORDS(pc), here_sp = WORDS(sp), here_fp = WORDS(regs[29]),
    here_flags = WORDS(pstate),
	here_result = WORDS(regs[0]), here_size = sizeof(struct user_pt_regs);
static const int here_arg[] = { WORDS(regs[0]), WORDS(regs[1]), WORDS(regs[2]), WORDS(regs[3]),
	WORDS(regs[4]), WORDS(regs[5]), WORDS(regs[6]), WORDS(regs[7]) };
static const int here_sysarg[] = { WORDS(regs[0]), WORDS(regs[1]), WORDS(regs[2]), WORDS(regs[3]),
	WORDS(regs[4]), WORDS(regs[5]) };
#elif defined(__x86_64__)
#define WORDS(member) ((int)offsetof(struct user_regs_struct, member))
static const int here_pc = WORDS(rip), here_sp = WORDS(rsp), here_fp = WORDS(rbp), here_flags = WORDS(eflags),
	here_result = WORDS(rax), here_size = WORDS(fs_base);
static const int here_arg[] = { WORDS(rdi), WORDS(rsi), WORDS(rdx), WORDS(rcx), WORDS(r8), WORDS(r9) };
static const int here_sysarg[] = { WORDS(rdi), WORDS(rsi), WORDS(rdx), WORDS(r10), WORDS(r8), WORDS(r9) };
#endif

static void here(void)
{
	const struct dt_machine *m = dt_machine_here();
	int n = 0;

	for (const struct dt_machine *const *all = dt_machines(); *all != NULL; all++)
		n += (*all)->here;
	CHECK_INT(n, 1);
	CHECK_INT(m->regs.pc, here_pc);
	CHECK_INT(m->regs.sp, here_sp);
	CHECK_INT(m->regs.fp, here_fp);
	CHECK_INT(m->regs.flags, here_flags);
	CHECK_INT(m->regs.result, here_result);
	CHECK_INT(m->regs.words * 8, here_size);
	CHECK_INT(m->regs.nargs, sizeof(here_arg) / sizeof(here_arg[0]));
	for (int i = 0; i < m->regs.nargs; i++)
		CHECK_INT(m->regs.arg[i], here_arg[i]);
	for (int i = 0; i < 6; i++)
		CHECK_INT(m->syscall.arg[i], here_sysarg[i]);
}

static bool a_register(int off) { return off >= 0 && off % 8 == 0; }

static void different(const int16_t *reg, int n)
{
	for (int i = 0; i < n; i++) {
		CHECK(a_register(reg[i]));
		for (int k = 0; k < i; k++)
			CHECK(reg[i] != reg[k]);
	}
}

static void each(const struct dt_machine *m)
{
	CHECK(dt_machine_elf(m->elf) == m);
	CHECK(m->name != NULL && m->define != NULL && m->syscall.clone != NULL &&
	    m->syscall.native[0] != NULL);
	/* all of what 32-bit programs need, or nothing */
	CHECK((m->syscall.compat_bit != 0) == (m->syscall.runs_compat != NULL) &&
	    (m->syscall.compat_bit != 0) == (m->syscall.compat[0] != NULL));
	CHECK(m->regs.nargs >= 6 && m->regs.nargs <= 8);
	different(m->regs.arg, m->regs.nargs);
	different(m->syscall.arg, 6);
	if (m->syscall.compat_arg != NULL)
		different(m->syscall.compat_arg, 6);
	different((const int16_t[]){ m->regs.pc, m->regs.sp, m->regs.fp, m->regs.flags },
	    m->regs.flags != DT_MACHINE_NOWHERE ? 4 : 3);
	CHECK((m->regs.flags != DT_MACHINE_NOWHERE) == (m->nconditions != 0));
	for (int i = 0; i < m->regs.nnumbers; i++)
		CHECK(m->regs.number[i] == DT_MACHINE_NOWHERE || a_register(m->regs.number[i]));
	CHECK(m->regs.zero >= m->regs.nnumbers || m->walk != NULL);
	CHECK(a_register(m->mode.reg) && m->mode.mask != 0);
	CHECK(a_register(m->syscall.number));
	CHECK(m->syscall.number_size == 4 || m->syscall.number_size == 8);
	CHECK(m->syscall.compat_bit == 0 || m->syscall.compat_size == 4 || m->syscall.compat_size == 8);
	CHECK(m->regs.pc < 8 * m->regs.words && m->regs.sp < 8 * m->regs.words);
	/* the return address is somewhere */
	CHECK((m->regs.link == DT_MACHINE_NOWHERE) == (m->regs.stack_args != 0));
	CHECK((m->trap.bytes & ~m->trap.mask) == 0 && m->trap.mask != 0);
	for (int i = 0; i < m->regs.nargs; i++)
		CHECK(m->usdt.reg[i][0] != NULL && m->usdt.reg[i][3] != NULL);
	CHECK(m->usdt.nop < m->usdt.probe_len && m->usdt.reloc[0].type != 0 &&
	    m->usdt.reloc[0].at < m->usdt.enabled_len);
	CHECK(m->usdt.on_stack != NULL && m->usdt.in_float != NULL);
	CHECK(m->insn_align != 0 && m->dwarf.sp != m->dwarf.fp && m->dwarf.fp != m->dwarf.ra);
}

static bool seen(void *ctx, const struct dt_insn *in)
{
	*(struct dt_insn *)ctx = *in;
	return true;
}

/*
 * What -G writes is code of the machine that ends with a return, and names arguments as the machine reads
 * them.
 */
static void usdt(const struct dt_machine *m)
{
	struct dt_insn last = { .way = DT_INSN_ON };
	char text[32];

	CHECK_INT(m->walk(m->usdt.probe, m->usdt.probe_len, 0, seen, &last), 0);
	CHECK_INT(last.way, DT_INSN_RET);
	CHECK(m->usdt.nop % m->insn_align == 0);
	for (int i = 0; i <= m->regs.nargs; i++) {
		struct dt_sdt_arg a = { .reg = DT_SDT_NOREG, .index = DT_SDT_NOREG };
		struct dt_operand t;

		if (i < m->regs.nargs)
			snprintf(text, sizeof(text), "%s", m->usdt.reg[i][3]);
		else
			snprintf(text, sizeof(text), m->usdt.on_stack, 16);
		t = (struct dt_operand){ text, text + strlen(text) };
		CHECK(m->operand(&t, &a) && dt_operand_end(&t));
		CHECK_INT(a.kind, i < m->regs.nargs ? DT_SDT_REG : DT_SDT_MEM);
		CHECK_INT(m->regs.number[a.reg], i < m->regs.nargs ? m->regs.arg[i] : m->regs.sp);
	}
}

int main(void)
{
	char names[128];

	here();
	CHECK_STR(dt_machine_names(names, sizeof(names)), "x86-64, aarch64 and riscv64");
	for (const struct dt_machine *const *m = dt_machines(); *m != NULL; m++) {
		each(*m);
		usdt(*m);
	}
	CHECK(dt_machine_elf(0) == NULL);
	return CHECK_DONE("machine_test");
}
