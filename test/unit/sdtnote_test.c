/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notes of static probes: sections good and damaged, every form of operand, and the sites of this very
 * program: a breakpoint on each reads the registers of the moment, and what the note says must give the
 * values that the source gave.
 */
#include "check.h"
#include "file/elf.h"
#include "usdt/sdtnote.h"

#include <dtrace/usdt.h>
#include <sys/sdt.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- operands ---- */

/* "s4 reg 7", "u8 mem 4+3<<2 -16": what was understood, as text. */
static const char *show(const struct dt_sdt_arg *a, char *buf, size_t len)
{
	static const char *const kinds[] = { "none", "const", "reg", "mem", "freg" };
	static const char *const exts[] = { "", "uxtw", "sxtw" };
	int n = snprintf(buf, len, "%c%u %s", a->is_float ? 'f' : a->is_signed ? 's' : 'u', a->size,
	    kinds[a->kind]);

	if (a->thread || a->page)
		n += snprintf(buf + n, len - (size_t)n, a->thread ? " thread" : " page");
	if (a->reg != DT_SDT_NOREG && a->kind != DT_SDT_CONST)
		n += snprintf(buf + n, len - (size_t)n, " %d", a->reg);
	if (a->shift != 0)
		n += snprintf(buf + n, len - (size_t)n, ">>%u", a->shift);
	if (a->index != DT_SDT_NOREG)
		n += snprintf(buf + n, len - (size_t)n, "+%d%s<<%u", a->index, exts[a->ext], a->scale);
	if (a->sym != NULL)
		n += snprintf(buf + n, len - (size_t)n, " %.*s", (int)a->symlen, a->sym);
	if (a->off != 0 || a->kind == DT_SDT_CONST)
		snprintf(buf + n, len - (size_t)n, " %lld", (long long)a->off);
	return buf;
}

static const struct { uint16_t machine; const char *text, *want; } forms[] = {
	{ EM_X86_64, "-4@%edi", "s4 reg 7" }, { EM_X86_64, "8@%rax", "u8 reg 0" },
	{ EM_X86_64, "1@%r15b", "u1 reg 15" }, { EM_X86_64, "-2@%r8w", "s2 reg 8" },
	{ EM_X86_64, "1@%ah", "u1 reg 0>>8" }, { EM_X86_64, "1@%spl", "u1 reg 4" },
	{ EM_X86_64, "-4@$-5", "s4 const -5" }, { EM_X86_64, "1@$-1", "u1 const 255" },
	{ EM_X86_64, "8@$0x7f", "u8 const 127" }, { EM_X86_64, "-4@$4294967295", "s4 const -1" },
	{ EM_X86_64, "8@$18446744073709551615", "u8 const -1" }, { EM_X86_64, "8@(%rsp)", "u8 mem 4" },
	{ EM_X86_64, "-4@-20(%rbp)", "s4 mem 5 -20" }, { EM_X86_64, "4@0x10(%rsp)", "u4 mem 4 16" },
	{ EM_X86_64, "8@8(%rax,%rbx)", "u8 mem 0+3<<0 8" },
	{ EM_X86_64, "8@-8(%rax,%rcx,4)", "u8 mem 0+1<<2 -8" }, { EM_X86_64, "8@(,%rdx,8)", "u8 mem+2<<3" },
	{ EM_X86_64, "4@16(,%r9,2)", "u4 mem+9<<1 16" },
	{ EM_X86_64, "-4@counter(%rip)", "s4 mem 16 counter" },
	{ EM_X86_64, "-4@counter+8(%rip)", "s4 mem 16 counter 8" },
	{ EM_X86_64, "-4@8+counter.0(%rip)", "s4 mem 16 counter.0 8" },
	{ EM_X86_64, "-4@counter", "s4 mem counter" }, { EM_X86_64, "4@24+-4(%rsp)", "u4 mem 4 20" },
	{ EM_X86_64, "8f@%xmm3", "f8 freg 3" }, { EM_X86_64, "%rdi", "u8 reg 7" },
	{ EM_X86_64, "4@%ax%bx", "u4 none" }, { EM_X86_64, "3@%eax", "u0 none" },
	{ EM_X86_64, "8@", "u8 none" }, { EM_X86_64, "8@8(%rax,%rbx,3)", "u8 none" },
	{ EM_X86_64, "8@%nosuch", "u8 none" }, { EM_X86_64, "8@(%rax", "u8 none" },
	{ EM_X86_64, "8@()", "u8 none" }, { EM_X86_64, "8@x0", "u8 mem x0" },
	{ EM_X86_64, "8@%fs:8", "u8 mem thread 8" },
	{ EM_X86_64, "8@%fs:0xfffffffffffffff8", "u8 mem thread -8" },
	{ EM_X86_64, "-4@%fs:-4(%rax)", "s4 mem thread 0 -4" },
	{ EM_X86_64, "-4@%fs:counter@tpoff", "s4 mem thread counter" },
	{ EM_X86_64, "-4@%fs:counter@tpoff+8", "s4 mem thread counter 8" },
	{ EM_X86_64, "-4@%fs:counter", "s4 none" }, { EM_X86_64, "8@counter@GOTPCREL(%rip)", "u8 none" },
	{ EM_X86_64, "8@%gs:8", "u8 none" }, { EM_X86_64, "8@%fs:", "u8 none" },
	{ EM_X86_64, "8@$counter", "u8 const counter 0" },
	{ EM_X86_64, "8@$counter+16", "u8 const counter 16" },
	{ EM_X86_64, "4@table(,%rax,4)", "u4 mem+0<<2 table" },
	{ EM_X86_64, "4@table+4(%rbx)", "u4 mem 3 table 4" }, { EM_AARCH64, "-4@x0", "s4 reg 0" },
	{ EM_AARCH64, "4@w30", "u4 reg 30" }, { EM_AARCH64, "8@sp", "u8 reg 31" },
	{ EM_AARCH64, "8@xzr", "u8 const 0" }, { EM_AARCH64, "-4@-7", "s4 const -7" },
	{ EM_AARCH64, "-4@#12", "s4 const 12" }, { EM_AARCH64, "1@300", "u1 const 44" },
	{ EM_AARCH64, "8@[x3]", "u8 mem 3" }, { EM_AARCH64, "8@[sp, 16]", "u8 mem 31 16" },
	{ EM_AARCH64, "8@[sp, #16]", "u8 mem 31 16" }, { EM_AARCH64, "-8@[x29, -24]", "s8 mem 29 -24" },
	{ EM_AARCH64, "8@[x29,#-8]", "u8 mem 29 -8" }, { EM_AARCH64, "8@[x0, x1]", "u8 mem 0+1<<0" },
	{ EM_AARCH64, "8@[x0, x1, lsl 3]", "u8 mem 0+1<<3" },
	{ EM_AARCH64, "4@[x0, w1, sxtw 2]", "u4 mem 0+1sxtw<<2" },
	{ EM_AARCH64, "4@[x0, w1, uxtw #2]", "u4 mem 0+1uxtw<<2" },
	{ EM_AARCH64, "4@[x0, w1, sxtw]", "u4 mem 0+1sxtw<<0" }, { EM_AARCH64, "8f@d7", "f8 freg 7" },
	{ EM_AARCH64, "8@[x0, :lo12:counter]", "u8 mem page 0 counter" },
	{ EM_AARCH64, "-4@[x19, #:lo12:counter+4]", "s4 mem page 19 counter 4" },
	{ EM_AARCH64, "8@[x0, :lo12:]", "u8 none" }, { EM_AARCH64, "8@counter", "u8 const counter 0" },
	{ EM_AARCH64, "8@[sp, 8]", "u8 mem 31 8" }, { EM_AARCH64, "8@[x0, xzr]", "u8 mem 0" },
	{ EM_AARCH64, "2@[x1, x2, sxtx 1]", "u2 mem 1+2<<1" },
 { EM_AARCH64, "8@[x0", "u8 none" }, { EM_AARCH64, "8@x31", "u8 const x31 0" },
	{ EM_AARCH64, "8@[x0, x1, lsl 9]", "u8 none" }, { EM_AARCH64, "8@%rax", "u8 none" },
	{ EM_AARCH64, "8@[]", "u8 none" }, { EM_S390, "8@%r2", "u8 none" },
	{ EM_RISCV, "8@a0", "u8 reg 10" }, { EM_RISCV, "-4@-20(s0)", "s4 mem 8 -20" },
	{ EM_RISCV, "8@5", "u8 const 5" }, { EM_RISCV, "-4@-5", "s4 const -5" },
	{ EM_RISCV, "4@(sp)", "u4 mem 2" }, { EM_RISCV, "8@16(fp)", "u8 mem 8 16" },
	{ EM_RISCV, "2@t6", "u2 reg 31" }, { EM_RISCV, "8@s11", "u8 reg 27" },
	{ EM_RISCV, "8@x31", "u8 reg 31" }, { EM_RISCV, "8@zero", "u8 const 0" },
	{ EM_RISCV, "8@x0", "u8 const 0" }, { EM_RISCV, "8f@fa3", "f8 freg 3" },
	{ EM_RISCV, "4f@ft11", "f4 freg 11" }, { EM_RISCV, "8f@f9", "f8 freg 9" },
	{ EM_RISCV, "8@counter+8", "u8 const counter 8" },
	{ EM_RISCV, "4@%lo(counter)(a5)", "u4 mem counter" },
	{ EM_RISCV, "4@%lo(counter+4)(a5)", "u4 mem counter 4" },
	{ EM_RISCV, "4@%lo(counter)", "u4 none" }, { EM_RISCV, "4@%hi(counter)", "u4 none" },
	{ EM_RISCV, "8@x32", "u8 const x32 0" }, { EM_RISCV, "8@8(zero)", "u8 none" },
	{ EM_RISCV, "8@8(a0", "u8 none" }, { EM_RISCV, "8@8(nosuch)", "u8 none" },
	{ EM_RISCV, "8@", "u8 none" },
};

static void test_forms(void)
{
	struct dt_sdt_arg a[DT_SDT_MAXARGS];
	char buf[128];

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		CHECK_INT(dt_sdt_args_parse(forms[i].text, forms[i].machine, a), 1);
		if (!CHECK_STR(show(&a[0], buf, sizeof(buf)), forms[i].want))
			fprintf(stderr, "  of %s\n", forms[i].text);
	}
	CHECK_INT(dt_sdt_args_parse("", EM_X86_64, a), 0);
	CHECK_INT(dt_sdt_args_parse("  ", EM_X86_64, a), 0);
	CHECK_INT(dt_sdt_args_parse("8@[sp, 16] -4@[x0, w1, sxtw 2] 4@5", EM_AARCH64, a), 3);
	CHECK_STR(show(&a[1], buf, sizeof(buf)), "s4 mem 0+1sxtw<<2");
	/* the open bracket takes the rest */
	CHECK_INT(dt_sdt_args_parse("8@%rax bogus( -4@$3", EM_X86_64, a), 2);
	CHECK_INT(dt_sdt_args_parse("1@1 1@1 1@1 1@1 1@1 1@1 1@1 1@1 1@1 1@1 1@1 1@1", EM_AARCH64, a), 12);
	CHECK_INT(dt_sdt_args_parse("1@1 1@1 1@1 1@1 1@1 1@1 1@1 1@1 1@1 1@1 1@1 1@1 1@1", EM_AARCH64, a),
	    -E2BIG);
}

/* ---- sections ---- */

struct seen { int n; struct dt_sdt_note last; };

static int count(void *ctx, const struct dt_sdt_note *n)
{
	struct seen *s = ctx;

	s->n++;
	s->last = *n;
	return 0;
}

static size_t make_note(unsigned char *to, uint64_t pc, uint64_t base, uint64_t sem, const char *strings,
    uint32_t len)
{
	const uint32_t h[3] = { 8, 24 + len, 3 };
	const uint64_t w[3] = { pc, base, sem };

	memset(to, 0, 128);
	memcpy(to, h, sizeof(h));
	memcpy(to + 12, "stapsdt", 8);
	memcpy(to + 20, w, sizeof(w));
	memcpy(to + 44, strings, len);
	return (44 + len + 3) & ~3u;
}

static void test_sections(void)
{
	unsigned char b[512];
	struct seen s = { 0 };
	size_t one = make_note(b, 0x1000, 0x2000, 0x3000, "prov\0name\0" "8@x0", 15), two;

	CHECK_INT(dt_sdt_notes(b, one, true, 0, count, &s), 0);
	CHECK(s.n == 1 && s.last.pc == 0x1000 && s.last.semaphore == 0x3000);
	CHECK_STR(s.last.args, "8@x0");
	CHECK_INT(dt_sdt_notes(b, one, true, 0x2100, count, &s), 0);		/* the program was moved */
	CHECK(s.last.pc == 0x1100 && s.last.semaphore == 0x3100 && s.last.base == 0x2000);
	/* code that was dropped; then one without semaphore */
	two = make_note(b + one, 0, 0, 0, "p\0n\0", 5) + one;
	two += make_note(b + two, 5, 0x2000, 0, "p\0n\0", 5);
	s.n = 0;
	CHECK_INT(dt_sdt_notes(b, two, true, 0x2001, count, &s), 0);
	CHECK(s.n == 2 && s.last.pc == 6 && s.last.semaphore == 0);
	CHECK_STR(s.last.args, "");
	for (size_t len = 0; len < one; len++) {				/* cut at every byte */
		unsigned char *copy = malloc(len + 1);

		memcpy(copy, b, len);
		s.n = 0;
		CHECK(dt_sdt_notes(copy, len, true, 0, count,
		    &s) == (len < 12 ? 0 : len < one - 1 ? -EINVAL : 0));
		CHECK(s.n == (len >= one - 1));
		free(copy);
	}
	make_note(b, 1, 1, 1, "prov\0name\0" "8@x0", 9);			/* the name does not end */
	CHECK_INT(dt_sdt_notes(b, one, true, 0, count, &s), -EINVAL);
	make_note(b, 1, 1, 1, "\0n\0", 4);
	CHECK_INT(dt_sdt_notes(b, one, true, 0, count, &s), -EINVAL);
}

/* ---- this program ---- */

#if defined(__aarch64__) || defined(__x86_64__)
#ifdef __aarch64__
enum { MACHINE = EM_AARCH64 };
#define PC(uc) (uc)->uc_mcontext.pc

static uint64_t reg_of(const ucontext_t *uc, int reg)
{
	return reg == 31 ? uc->uc_mcontext.sp : uc->uc_mcontext.regs[reg];
}
#else
enum { MACHINE = EM_X86_64 };
#define PC(uc) (uc)->uc_mcontext.gregs[REG_RIP]

static uint64_t reg_of(const ucontext_t *uc, int reg)
{
	static const int map[] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };

	return (uint64_t)uc->uc_mcontext.gregs[map[reg]];
}
#endif

static struct { char name[32]; uintptr_t pc; int nargs; struct dt_sdt_arg args[DT_SDT_MAXARGS]; } sites[16];
static int nsites;
static char fired[32];
static int64_t values[DT_SDT_MAXARGS];

static int64_t value_of(const ucontext_t *uc, const struct dt_sdt_arg *a)
{
	uint64_t v = a->reg != DT_SDT_NOREG && a->kind != DT_SDT_CONST ? reg_of(uc, a->reg) >> a->shift : 0;
	unsigned unused = 64 - 8u * a->size;

	if (a->kind == DT_SDT_CONST)
		return a->off;
	if (a->kind == DT_SDT_MEM) {
		uint64_t at = v + (uint64_t)a->off +
		    (a->index != DT_SDT_NOREG ? reg_of(uc, a->index) << a->scale : 0);

		memcpy(&v, (const void *)(uintptr_t)at, a->size);
	}
	return a->is_signed ? (int64_t)(v << unused) >> unused : (int64_t)(v << unused >> unused);
}

static void on_trap(int sig, siginfo_t *si, void *ctx)
{
	ucontext_t *uc = ctx;
	uintptr_t pc = (uintptr_t)PC(uc) - (MACHINE == EM_X86_64);

	(void)sig;
	(void)si;
	for (int i = 0; i < nsites; i++) {
		if (sites[i].pc != pc)
			continue;
		strcpy(fired, sites[i].name);
		for (int k = 0; k < sites[i].nargs; k++)
			values[k] = value_of(uc, &sites[i].args[k]);
	}
	if (MACHINE == EM_AARCH64)
		PC(uc) += 4;
}

static uintptr_t bias;

static int add_site(void *ctx, const struct dt_sdt_note *n)
{
	static const unsigned char breakpoint[] = { 0x00, 0x00, 0x20, 0xd4 };	/* brk #0 */
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), pc = (uintptr_t)n->pc + bias;

	(void)ctx;
	if (strcmp(n->provider, "selftest") != 0 || nsites == 16)
		return 0;
	snprintf(sites[nsites].name, sizeof(sites[0].name), "%s", n->name);
	sites[nsites].pc = pc;
	sites[nsites].nargs = dt_sdt_args_parse(n->args, MACHINE, sites[nsites].args);
	nsites++;
	if (mprotect((void *)(pc & ~(page - 1)), 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return -errno;
	if (MACHINE == EM_AARCH64) {
		CHECK(memcmp((const void *)pc, "\x1f\x20\x03\xd5", 4) == 0);
		memcpy((void *)pc, breakpoint, 4);
	} else {
		CHECK(*(const unsigned char *)pc == 0x90);
		*(unsigned char *)pc = 0xcc;
	}
	__builtin___clear_cache((char *)pc, (char *)pc + 4);
	return 0;
}

static void expect(const char *name, int n, const int64_t *want)
{
	CHECK_STR(fired, name);
	for (int i = 0; i < n; i++)
		if (!CHECK_INT(values[i], want[i]))
			fprintf(stderr, "  argument %d of %s\n", i, name);
	fired[0] = '\0';
}

static int a_global = -77;

static __attribute__((noinline)) int sites_of(int n, unsigned char uc, short s, const char *text, double d)
{
	union { double d; int64_t bits; } b = { d };
	char buf[8] = "abc";
	int spilled[3] = { n, n + 1, n + 2 };
	volatile int64_t big = INT64_MIN + n;

	struct { unsigned high : 3; int low : 5; long wide : 40; } bits = { 7, -2, -3 };
	enum { ONE = 1, TWO } e = n > 0 ? TWO : ONE;

	STAP_PROBE(selftest, none);
	expect("none", 0, NULL);
	STAP_PROBE4(selftest, small, uc, s, n, (signed char)-3);
	expect("small", 4, (int64_t[]){ 200, -300, n, -3 });
	STAP_PROBE6(selftest, fields, bits.high, bits.low, bits.wide, e, n == 9, sites_of);
	expect("fields", 6, (int64_t[]){ 7, -2, -3, TWO, 1, (int64_t)(intptr_t)sites_of });
	STAP_PROBE3(selftest, pointers, text, buf, &a_global);
	expect("pointers", 3, (int64_t[]){ (int64_t)(intptr_t)text, (int64_t)(intptr_t)buf,
		(int64_t)(intptr_t)&a_global });
	STAP_PROBE3(selftest, other, d, a_global, big);
	expect("other", 3, (int64_t[]){ b.bits, -77, INT64_MIN + n });
	STAP_PROBE12(selftest, many, 1, n, -3L, uc, s, 6u, spilled[0], spilled[1], n > 1, n * 2, text, big);
	expect("many", 12, (int64_t[]){ 1, n, -3, 200, -300, 6, n, n + 1, n > 1, n * 2,
		(int64_t)(intptr_t)text, INT64_MIN + n });
	return n + spilled[2];
}

static void test_live(void)
{
	struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	const void *notes, *base;
	size_t len, baselen;
	uint64_t addr = 0, base_addr = 0;
	struct dt_elf *e = NULL;

	CHECK_INT(dt_elf_open(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), NULL, &e), 0);
	if (e == NULL)
		return;
	CHECK_INT(dt_elf_section(e, ".note.stapsdt", &notes, &len, &addr), 0);
	CHECK_INT(dt_elf_section(e, ".stapsdt.base", &base, &baselen, &base_addr), 0);
	/* Where we run, less where the file says: the base byte itself is mapped. */
	extern char base_symbol __asm__("_.stapsdt.base") __attribute__((visibility("hidden")));
	bias = (uintptr_t)&base_symbol - (uintptr_t)base_addr;
	sigaction(SIGTRAP, &sa, NULL);
	CHECK_INT(dt_sdt_notes(notes, len, true, base_addr, add_site, NULL), 0);
	CHECK_INT(nsites, 6);
	CHECK_INT(sites_of(9, 200, -300, "text", 2.5), 20);
	dt_elf_close(e);
}
#else
static void test_live(void)
{
}
#endif

int main(void)
{
	CHECK_INT(dt_sdt_reg_offset(EM_X86_64, 7), 14 * 8);
	CHECK_INT(dt_sdt_reg_offset(EM_AARCH64, 31), 31 * 8);
	CHECK_INT(dt_sdt_reg_offset(EM_X86_64, 40), -ENOENT);
	CHECK_INT(dt_sdt_reg_offset(EM_RISCV, 10), 10 * 8);
	CHECK_INT(dt_sdt_reg_offset(EM_RISCV, 0), -ENOENT);
	test_forms();
	test_sections();
	test_live();
	return check_report("sdtnote");
}
