/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches of both machines as bytes, whatever machine this is: what is refused and why, places that
 * overlap, functions that are not known, parts elsewhere, distances. patch_run_test.c runs patches,
 * patch_scan_test.c makes those of libraries.
 */
#include "check.h"

#include "agent/agent.h"
#include "base/count.h"
#include "patch_verify.h"

#include <errno.h>

enum { CODE = 0x10000000, ISLAND = CODE + (1 << 20), SITE = ISLAND + 512 };

/* One function, a place in it, and what becomes of it; NULL: it is patched. */
static void expect(const struct dt_machine *m, const struct dt_patch_site *s, const char *want)
{
	struct dt_patch p;
	const char *why = NULL, *wrong = NULL;
	int err = dt_patch_make(m, s, ISLAND, SITE, &p, &why);

	if (want != NULL) {
		CHECK_INT(err, -ENOTSUP);
		CHECK_STR(why, want);
		return;
	}
	if (!CHECK_INT(err, 0)) {
		fprintf(stderr, "refused: %s\n", why);
		return;
	}
	wrong = m == &dt_machine_aarch64 ? verify_aarch64(s, &p, ISLAND, SITE) : verify_x86(s, &p, ISLAND,
	    SITE);
	CHECK_STR(wrong != NULL ? wrong : "", "");
}

static struct dt_patch_site at(const void *code, size_t len, uint64_t off)
{
	return (struct dt_patch_site){ .pc = CODE + off, .func = code, .func_addr = CODE, .func_size = len };
}

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define WORDS(...) (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ })

static void x86(uint64_t off, const char *want, const uint8_t *code, size_t len)
{
	struct dt_patch_site s = at(code, len, off);

	expect(&dt_machine_x86_64, &s, want);
}

static void arm(uint64_t off, const char *want, const uint32_t *code, size_t len)
{
	struct dt_patch_site s = at(code, len, off);

	expect(&dt_machine_aarch64, &s, want);
}

#define SHORT "its instruction is shorter than a jump, and the next ones are not its own"
#define INTO "a branch leads into the bytes that a jump needs"
#define TABLE "its function jumps by a table, which may lead into the bytes that a jump needs"
#define EXCLUSIVE "it is part of an exclusive access, which a probe would break"

static void refusals_x86(void)
{
	/* push %rbp; mov %rsp,%rbp; ret, and not at an instruction */
	x86(0, NULL, BYTES(0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3));
	x86(2, "no instruction begins there", BYTES(0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3));
	/* pop %rbp; ret: nothing is known about what follows */
	x86(1, SHORT, BYTES(0x5d, 0xc3));
	/* nop; call; nop, as Go's goexit(), and with a push in the place of the first nop */
	x86(0, "its function is returned into, after a nop", BYTES(0x90, 0xe8, 1, 0, 0, 0, 0x90));
	x86(1, NULL, BYTES(0x90, 0xe8, 1, 0, 0, 0, 0x90));
	x86(0, NULL, BYTES(0x50, 0xe8, 1, 0, 0, 0, 0x90));
	/* inc %eax; 1: dec %ecx; jnz 1b */
	x86(0, INTO, BYTES(0xff, 0xc0, 0xff, 0xc9, 0x75, 0xfc, 0x90, 0xc3));
	/* a jump past the prefix of lock cmpxchg, in the middle of one instruction */
	x86(2, INTO, BYTES(0x74, 0x01, 0xf0, 0x0f, 0xb1, 0x0d, 0, 0, 0, 0, 0xc3));
	/*
	 * push; push; push; push; movslq (%rdx,%rdi,4),%rax; add %rdx,%rax; jmp *%rax: one instruction is
	 * fine
	 */
	x86(0, TABLE, BYTES(0x50, 0x51, 0x52, 0x53, 0x48, 0x63, 0x04, 0xba, 0x48, 0x01, 0xd0, 0xff, 0xe0));
	x86(0, NULL, BYTES(0xb8, 1, 0, 0, 0, 0x48, 0x63, 0x04, 0xba, 0x48, 0x01, 0xd0, 0xff, 0xe0));
	/* mov (%rdx,%rdi,8),%rax; mov %ecx,%ecx; jmp *%rax: an element of an array; a pointer is none */
	x86(0, TABLE, BYTES(0x50, 0x58, 0x90, 0x48, 0x8b, 0x04, 0xfa, 0x89, 0xc9, 0xff, 0xe0));
	x86(0, NULL, BYTES(0x50, 0x58, 0x90, 0x48, 0x8b, 0x02, 0x89, 0xc9, 0xff, 0xe0));
	/* call *%rax; pop; pop; pop; ret, with nothing before it */
	x86(0, "a call returns into the bytes that a jump needs", BYTES(0xff, 0xd0, 0x58, 0x58, 0x58, 0xc3));
	/* syscall; nop; nop; nop */
	x86(0, "there is no room for a jump before the system call", BYTES(0x0f, 0x05, 0x90, 0x90, 0x90,
	    0xc3));
	x86(0, "a system call is among the bytes that a jump needs", BYTES(0x90, 0x0f, 0x05, 0x90, 0x90,
	    0xc3));
	x86(2, SHORT, BYTES(0x0f, 0x05, 0x90, 0x90, 0xc3));
	/* endbr64 in the middle */
	x86(0, "a landing pad is in the bytes that a jump needs", BYTES(0x90, 0xf3, 0x0f, 0x1e, 0xfa, 0xc3));
	/* REX2 of APX; what cannot be decoded elsewhere in the function */
	x86(0, "the instructions of its function cannot be decoded", BYTES(0xd5, 0x10, 0x01, 0xd8, 0xc3));
	x86(0, "the instructions of its function cannot be decoded", BYTES(0xb8, 0, 0, 0, 0, 0x06));
	/* xbegin; ud2; a jump of two bytes on AMD; an address of 32 bits; far call */
	x86(0, "the instruction is not known", BYTES(0xc7, 0xf8, 0x10, 0, 0, 0, 0xc3));
	x86(0, "the instruction is a trap", BYTES(0x0f, 0x0b, 0xcc, 0xcc, 0xcc, 0xcc));
	x86(0, "the instruction is not known", BYTES(0x66, 0xe9, 0, 1, 0, 0, 0xc3));
	x86(0, "the instruction is not known", BYTES(0x67, 0x8b, 0x05, 0, 1, 0, 0, 0xc3));
	x86(0, "the instruction is not known", BYTES(0xff, 0x1c, 0x25, 0, 0, 0, 0, 0xc3));
	/* data16 rex.W call, which compilers write as padding */
	x86(0, NULL, BYTES(0x66, 0x48, 0xe8, 0, 1, 0, 0, 0xc3));
	/* call *8(%rsp), by an address that a push moves; jmp *8(%rsp) is fine */
	x86(0, "it calls by an address on the stack", BYTES(0xff, 0x94, 0x24, 8, 0, 0, 0, 0xc3));
	x86(0, NULL, BYTES(0xff, 0xa4, 0x24, 8, 0, 0, 0, 0xc3));
	/* call *%r12, with a nop before it */
	x86(2, NULL, BYTES(0x66, 0x90, 0x41, 0xff, 0xd4, 0xc3));
}

static void padding_x86(void)
{
	static const uint8_t code[] = { 0x31, 0xc0, 0xc3, 0x0f, 0x1f, 0x44, 0, 0, 0x55, 0x5d, 0xc3, 0xcc,
	    0xcc, 0xcc,
		0xcc, 0xcc, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 };
	struct dt_patch_site s = at(code, 3, 2);

	/* after the function, if that is there */
	expect(&dt_machine_x86_64, &s, SHORT);
	s.avail = 8;
	expect(&dt_machine_x86_64, &s, NULL);
	s.avail = 6;
	expect(&dt_machine_x86_64, &s, SHORT);
	/* push; pop; ret; int3: the padding is used, and the instructions before it stay */
	s = at(code + 8, 3, 2);
	s.avail = 14;
	expect(&dt_machine_x86_64, &s, NULL);
	/* ret; nop where functions begin, which may be one; the same elsewhere */
	s = at((const uint8_t[]){ 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90 }, 1, 0);
	s.func_addr = s.pc = CODE + 15;
	s.avail = 6;
	expect(&dt_machine_x86_64, &s, SHORT);
	s.func_addr = s.pc = CODE + 11;
	expect(&dt_machine_x86_64, &s, NULL);
}

/* push %rbx; add $8,%edi; pop %rbx; ret */
static const uint8_t small[] = { 0x53, 0x83, 0xc7, 0x08, 0x5b, 0xc3 };

static void others_x86(void)
{
	static const uint8_t back[] = { 0xe9, 0xfc, 0xff, 0xff, 0xff };		/* jmp to 1 byte before it */
	struct dt_patch_site s = at(small, sizeof(small), 0);
	const uint64_t sites[] = { CODE, CODE + 1, CODE + 4, CODE + 5 }, addrs[] = { SITE, SITE + 64,
	    SITE + 128, SITE + 192 };
	struct dt_patch p;
	const char *why;

	/* a part of it elsewhere, and another function, that branch to the second instruction */
	expect(&dt_machine_x86_64, &s, NULL);
	s.part = back;
	s.part_size = sizeof(back);
	s.part_addr = CODE;
	expect(&dt_machine_x86_64, &s, INTO);
	s.part_size = 0;
	s.targets = sites + 1;
	s.ntargets = 1;
	expect(&dt_machine_x86_64, &s, INTO);
	s.ntargets = 0;
	/* of two places that overlap the first one wins, whichever is asked for, and fires the other one */
	s.sites = sites;
	s.nsites = DT_COUNT(sites);
	expect(&dt_machine_x86_64, &s, NULL);
	s.pc = CODE + 1;
	expect(&dt_machine_x86_64, &s, "another probe is too close to it");
	s.site_addrs = addrs;
	CHECK_INT(dt_patch_make(&dt_machine_x86_64, &s, ISLAND, addrs[1], &p, &why), -EALREADY);
	CHECK_INT(p.owner, CODE);
	s.pc = CODE;
	expect(&dt_machine_x86_64, &s, NULL);
	CHECK_INT(dt_patch_make(&dt_machine_x86_64, &s, ISLAND, SITE, &p, &why), 0);
	CHECK_INT(p.nalso, 2);
	CHECK(p.also[0].pc == CODE + 1 && p.also[1].pc == CODE + 4 && p.also[1].back > p.also[0].back);
}

static void calls_x86(void)
{
	const uint8_t call[] = { 0xe8, 0, 1, 0, 0, 0xc3 };
	struct dt_patch_site s = at(call, sizeof(call), 0);

	expect(&dt_machine_x86_64, &s, NULL);
	s.shadow_stack = true;
	expect(&dt_machine_x86_64, &s,
	    "it is a call, which must be one where calls are checked by a shadow stack");
}

/* ---- jump tables ---- */

/* Memory at CODE: a function, then a table and what follows it. */
struct image { const uint8_t *bytes; size_t len; };
struct found { uint64_t to[32]; uint32_t n; };

static bool read_image(void *ctx, uint64_t addr, void *to, size_t len)
{
	const struct image *i = ctx;

	if (addr - CODE >= i->len || len > i->len - (addr - CODE))
		return false;
	memcpy(to, i->bytes + (addr - CODE), len);
	return true;
}

static void note_target(void *ctx, uint64_t from, uint64_t to)
{
	struct found *f = ctx;

	(void)from;
	if (f->n < DT_COUNT(f->to))
		f->to[f->n++] = to;
}

/* The code of the file is the first `text` bytes. */
static bool tables_of(const uint8_t *bytes, size_t len, size_t func, size_t text, struct found *f)
{
	struct image i = { bytes, len };
	struct dt_patch_tables in = { bytes, CODE, func, CODE, CODE + text, read_image, &i };

	*f = (struct found){ .n = 0 };
	return dt_patch_tables_of(&dt_machine_x86_64, &in, note_target, f);
}

static void tables_x86(void)
{
	/*
	 * 0: push %rax; push %rcx; push %rdx; push %rbx; lea 24(%rip) = 32,%rdx; movslq (%rdx,%rdi,4),%rax;
	 * add %rdx,%rax; notrack jmp *%rax; 21: five instructions. 32: 21, 25, the next function, data
	 */
	uint8_t code[] = { 0x50, 0x51, 0x52, 0x53, 0x48, 0x8d, 0x15, 0x15, 0, 0, 0, 0x48, 0x63, 0x04, 0xba,
	    0x48, 0x01, 0xd0, 0x3e, 0xff, 0xe0, 0x5b, 0x5a, 0x59, 0x58, 0xc3, 0x90, 0x90, 0xc3,
	    0x90, 0x90, 0x90, 0xf5, 0xff, 0xff, 0xff, 0xf9, 0xff, 0xff, 0xff, 0xfc, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0x7f };
	/* jmp *0x10000(,%rdi,8), which is CODE + 16; ret. 16: 7, elsewhere */
	uint8_t absolute[32] = { 0xff, 0x24, 0xfd };
	uint64_t places[2] = { CODE + 7, 1 };
	uint32_t table = CODE + 16;
	struct dt_patch_site s = at(code, 28, 0);
	struct found f;

	expect(&dt_machine_x86_64, &s, TABLE);
	CHECK(tables_of(code, sizeof(code), 28, 32, &f));
	CHECK(f.n == 2 && f.to[0] == CODE + 21 && f.to[1] == CODE + 25);
	s.tables_known = true;
	s.tables = f.to;
	s.ntables = f.n;
	expect(&dt_machine_x86_64, &s, NULL);
	/* an element that leads into the bytes of the jump */
	code[36] = 0xe2;
	CHECK(tables_of(code, sizeof(code), 28, 32, &f) && f.n == 2 && f.to[1] == CODE + 2);
	expect(&dt_machine_x86_64, &s, INTO);
	/* the table ends with the memory; it is nowhere; there is no lea */
	CHECK(tables_of(code, 36, 28, 32, &f) && f.n == 1);
	CHECK(tables_of(code, 32, 28, 32, &f) && f.n == 0);
	code[5] = 0x8b;
	CHECK(!tables_of(code, sizeof(code), 28, 32, &f));
	code[5] = 0x8d;
	/* distances are not added; another jump, by an array of addresses */
	code[16] = 0x31;
	CHECK(!tables_of(code, sizeof(code), 28, 32, &f));
	code[16] = 0x01;
	memcpy(code + 21, "\xff\x24\xc8", 3);	/* jmp *(%rax,%rcx,8) */
	CHECK(!tables_of(code, sizeof(code), 28, 32, &f));

	memcpy(absolute + 3, &table, sizeof(table));
	absolute[7] = 0xc3;
	memcpy(absolute + 16, places, sizeof(places));
	CHECK(tables_of(absolute, sizeof(absolute), 8, 16, &f) && f.n == 1 && f.to[0] == CODE + 7);
	/* nothing of the kind: known */
	CHECK(tables_of(small, sizeof(small), sizeof(small), sizeof(small), &f) && f.n == 0);
}

/* Only bytes from the place on are known. */
static void unknown_function(void)
{
	static const uint32_t exclusive[] = { 0x91000463, 0xc8057c83, 0x35ffffa5 };
	struct dt_patch_site s = { .pc = CODE, .func = small, .func_addr = CODE, .avail = sizeof(small) };

	expect(&dt_machine_x86_64, &s,
	    "its function is not known, and its instruction is shorter than a jump");
	s.func = (const uint8_t *)"\x0f\x1f\x44\0\0\xc3";
	expect(&dt_machine_x86_64, &s, NULL);
	s.avail = 4;
	expect(&dt_machine_x86_64, &s, "the instruction is not known");
	/* nop; and an instruction with a store-exclusive after it */
	s.func = (const uint8_t *)(const uint32_t[]){ 0xd503201f };
	expect(&dt_machine_aarch64, &s, NULL);
	s.func = (const uint8_t *)exclusive;
	s.avail = sizeof(exclusive);
	expect(&dt_machine_aarch64, &s, EXCLUSIVE);
}

static void refusals_aarch64(void)
{
	arm(0, NULL, WORDS(0xd503201f, 0xd65f03c0));
	arm(2, "no instruction begins there", WORDS(0xd503201f, 0xd65f03c0));
	/* ldaxr x3,[x4]; add; stlxr w5,x3,[x4]; cbnz w5: at and between them; before and after */
	arm(0, EXCLUSIVE, WORDS(0xc85ffc83, 0x91000463, 0xc805fc83, 0x35ffffa5));
	arm(4, EXCLUSIVE, WORDS(0xc85ffc83, 0x91000463, 0xc805fc83, 0x35ffffa5));
	arm(8, EXCLUSIVE, WORDS(0xc85ffc83, 0x91000463, 0xc805fc83, 0x35ffffa5));
	arm(12, NULL, WORDS(0xc85ffc83, 0x91000463, 0xc805fc83, 0x35ffffa5));
	arm(0, NULL, WORDS(0xd503201f, 0xc85ffc83, 0x91000463, 0xc805fc83, 0x35ffffa5));
	/* ldar, stlr, cas, casp and ldadd are no such thing */
	arm(0, NULL, WORDS(0xc8dffc20, 0xd65f03c0));
	arm(0, NULL, WORDS(0xc89ffc20, 0xd65f03c0));
	arm(0, NULL, WORDS(0xc8a17c02, 0xd65f03c0));
	arm(0, NULL, WORDS(0x48207c82, 0xd65f03c0));
	arm(0, NULL, WORDS(0xf8210002, 0xd65f03c0));
	/*
	 * ldxp; brk; hlt; udf; cb.gt, a new branch; eret; blr x30; movprfx; what follows it; cpyfp;
	 * paciasppc
	 */
	arm(0, EXCLUSIVE, WORDS(0xc87f0c02, 0xd65f03c0));
	arm(0, "the instruction is a trap", WORDS(0xd4200000, 0xd65f03c0));
	arm(0, "the instruction is a trap", WORDS(0xd4400000, 0xd65f03c0));
	arm(0, "the instruction is a trap", WORDS(0x00000000, 0xd65f03c0));
	arm(0, "the instruction is not known", WORDS(0x74010040, 0xd65f03c0));
	arm(0, "the instruction is not known", WORDS(0xd69f03e0, 0xd65f03c0));
	arm(0, "it calls through the link register", WORDS(0xd63f03c0, 0xd65f03c0));
	arm(0, "it belongs together with the next instruction", WORDS(0x0420bc20, 0xd65f03c0));
	arm(4, "it belongs together with the instruction before it", WORDS(0x0420bc20, 0x04800020,
	    0xd65f03c0));
	arm(0, "it belongs together with the next instruction", WORDS(0x19010440, 0xd65f03c0));
	arm(0, "it signs with its own address", WORDS(0xdac1a3fe, 0xd65f03c0));
	/* bti c; then a loop to after it; then nothing */
	arm(0, NULL, WORDS(0xd503245f, 0xd503201f, 0xd65f03c0));
	arm(0, "a branch leads to the instruction after its landing pad", WORDS(0xd503245f, 0xd1000400,
	    0xb5ffffe0));
	arm(0, "the function ends there", WORDS(0xd503245f));
	/* svc; retaa; braa x3, x4; blraaz x3 */
	arm(0, NULL, WORDS(0xd4000001, 0xd65f03c0));
	arm(0, NULL, WORDS(0xd65f0bff, 0xd65f03c0));
	arm(0, NULL, WORDS(0xd71f0864, 0xd65f03c0));
}

/* The instruction of a system call stays: what is before it is displaced, and fires the probe after it. */
static void syscalls_aarch64(void)
{
	/* mov x8, #172; svc #0; cmn x0, #1; mov x8, #173; svc #0; and one that is repeated, or passed by */
	static const uint32_t code[] = { 0xd2801588, 0xd4000001, 0xb100041f, 0xd28015a8, 0xd4000001,
		0xd65f03c0 };
	static const uint32_t loop[] = { 0xd2801588, 0xd4000001, 0xb4ffffe0, 0xd65f03c0 };
	static const uint32_t branch[] = { 0xb4000040, 0xd4000001, 0xd65f03c0 };
	const uint64_t sites[] = { CODE, CODE + 4, CODE + 12, CODE + 16 };
	const uint64_t addrs[] = { SITE, SITE + 64, SITE + 128, SITE + 192 };
	struct dt_patch_site s = at(code, sizeof(code), 4);
	struct dt_patch p;
	const char *why;

	CHECK_INT(dt_patch_make(&dt_machine_aarch64, &s, ISLAND, SITE, &p, &why), 0);
	CHECK(p.len == 4 && p.before == 4 && p.fire == 4 && memcmp(p.original, code, 4) == 0);
	CHECK(memcmp(p.tramp, code, 4) == 0);
	/* another probe at the instruction before it fires both */
	s.sites = sites;
	s.site_addrs = addrs;
	s.nsites = 4;
	CHECK_INT(dt_patch_make(&dt_machine_aarch64, &s, ISLAND, SITE, &p, &why), -EALREADY);
	CHECK(p.owner == CODE);
	s.pc = CODE + 16;
	CHECK_INT(dt_patch_make(&dt_machine_aarch64, &s, ISLAND, SITE, &p, &why), -EALREADY);
	CHECK(p.owner == CODE + 12);
	s.pc = CODE;
	CHECK_INT(dt_patch_make(&dt_machine_aarch64, &s, ISLAND, SITE, &p, &why), 0);
	CHECK(p.before == 0 && p.nalso == 1 && p.also[0].pc == CODE + 4 && p.also[0].back > p.after);
	/* where a branch leads to it, or is before it, it is displaced itself */
	s = at(loop, sizeof(loop), 4);
	CHECK_INT(dt_patch_make(&dt_machine_aarch64, &s, ISLAND, SITE, &p, &why), 0);
	CHECK(p.before == 0 && memcmp(p.original, loop + 1, 4) == 0);
	s = at(branch, sizeof(branch), 4);
	CHECK_INT(dt_patch_make(&dt_machine_aarch64, &s, ISLAND, SITE, &p, &why), 0);
	CHECK(p.before == 0);
}

static void syscalls_x86(void)
{
	/* endbr64; mov $39, %eax; syscall; cmp $-4095, %rax; ret */
	static const uint8_t code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0x48, 0x3d,
		0x01, 0xf0, 0xff, 0xff, 0xc3 };
	const uint64_t sites[] = { CODE, CODE + 9, CODE + 11 }, addrs[] = { SITE, SITE + 64, SITE + 128 };
	struct dt_patch_site s = at(code, sizeof(code), 9);
	struct dt_patch p;
	const char *why;

	CHECK_INT(dt_patch_make(&dt_machine_x86_64, &s, ISLAND, SITE, &p, &why), 0);
	CHECK(p.len == 5 && p.before == 5 && p.fire == 5 && p.back > p.fire && p.after > p.back);
	CHECK(memcmp(p.original, code + 4, 5) == 0 && memcmp(p.tramp, code + 4, 5) == 0);
	CHECK(p.tramp[p.after] == 0xe9 && p.tramp_len == p.after + 5);
	CHECK_INT(number(p.tramp + p.after + 1, 4), (int32_t)(CODE + 9 - (ISLAND + p.tramp_len)));
	/* a probe on the function displaces the same instruction: its trampoline fires both */
	s.sites = sites;
	s.site_addrs = addrs;
	s.nsites = 3;
	CHECK_INT(dt_patch_make(&dt_machine_x86_64, &s, ISLAND, SITE, &p, &why), -EALREADY);
	CHECK(p.owner == CODE);
	s.pc = CODE;
	CHECK_INT(dt_patch_make(&dt_machine_x86_64, &s, ISLAND, SITE, &p, &why), 0);
	CHECK(p.nalso == 1 && p.also[0].pc == CODE + 9 && p.also[0].back > p.after);
	s.pc = CODE + 11;		/* the return */
	CHECK_INT(dt_patch_make(&dt_machine_x86_64, &s, ISLAND, SITE, &p, &why), 0);
	CHECK(p.before == 0 && p.len == 5);
	/* push; pop; push; pop; syscall: no room; a jump leads to it; a call returns to it */
	x86(4, "there is no room for a jump before the system call", BYTES(0x50, 0x58, 0x50, 0x58,
	    0x0f, 0x05, 0xc3));
	/* xor %eax, %eax; syscall; cmp $-4095, %rax: displaced too, in a program that has not run */
	s = at(code + 7, sizeof(code) - 7, 2);
	CHECK_INT(dt_patch_make(&dt_machine_x86_64, &s, ISLAND, SITE, &p, &why), -ENOTSUP);
	s.fresh = true;
	CHECK_INT(dt_patch_make(&dt_machine_x86_64, &s, ISLAND, SITE, &p, &why), 0);
	CHECK(p.before == 0 && p.len == 5 && p.ntramp == 2);
	CHECK(memcmp(p.tramp + p.after, "\x0f\x05\x48\x3d", 4) == 0);
	x86(5, "a branch leads to the system call", BYTES(0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0x75, 0xfc, 0xc3));
	x86(5, "what is before the system call does not lead to it",
	    BYTES(0xe8, 0, 0, 1, 0, 0x0f, 0x05, 0xc3));
}

/* A landing pad stays: bti; paciasp, which is undone for the firing. The next place is fired there too. */
static void landing_aarch64(void)
{
	static const uint32_t code[] = { 0xd503233f, 0xa9bf7bfd, 0xd65f03c0 };
	const uint64_t sites[] = { CODE, CODE + 4 }, addrs[] = { SITE, SITE + 64 };
	struct dt_patch_site s = at(code, sizeof(code), 0);
	struct dt_patch p;
	const char *why;

	CHECK_INT(dt_patch_make(&dt_machine_aarch64, &s, ISLAND, SITE, &p, &why), 0);
	CHECK(p.len == 8 && p.before == 0 && memcmp(p.bytes, code, 4) == 0 && memcmp(p.original, code,
	    8) == 0);
	CHECK_INT(number(p.tramp, 4), (int32_t)0xd50323bf);	/* autiasp */
	CHECK_INT(p.fire, 4);
	CHECK_INT(number(p.tramp + p.after - 4, 4), (int32_t)0xd503233f);
	s.sites = sites;
	s.nsites = 2;
	s.pc = CODE + 4;
	expect(&dt_machine_aarch64, &s, "another probe is too close to it");
	s.site_addrs = addrs;
	CHECK_INT(dt_patch_make(&dt_machine_aarch64, &s, ISLAND, addrs[1], &p, &why), -EALREADY);
	CHECK_INT(p.owner, CODE);
	s.pc = CODE;
	CHECK_INT(dt_patch_make(&dt_machine_aarch64, &s, ISLAND, SITE, &p, &why), 0);
	CHECK(p.nalso == 1 && p.also[0].pc == CODE + 4 && p.also[0].back > p.after);
	expect(&dt_machine_aarch64, &s, NULL);
}

/* Too far: for the patch, and for what an instruction refers to. */
static void distances(void)
{
	static const struct { uint64_t mb; bool arm, x86; } far[] = {
		{ 1, true, true }, { 100, true, true }, { 140, false, true }, { 1900, false, true },
		    { 2100, false, false } };
	static const uint32_t jump[] = { 0x16000000, 0xd65f03c0 };	/* b, 128 MB back */
	static const uint8_t rip[] = { 0x8b, 0x05, 0, 0, 0, 0x80, 0xc3 };	/* mov -2 GB(%rip),%eax */
	struct dt_patch_site s;
	struct dt_patch p;
	const char *why;

	for (size_t i = 0; i < DT_COUNT(far); i++) {
		CHECK_INT(dt_patch_reaches(&dt_machine_aarch64, CODE, CODE + (far[i].mb << 20), 4096),
		    far[i].arm);
		CHECK_INT(dt_patch_reaches(&dt_machine_x86_64, CODE, CODE + (far[i].mb << 20), 4096),
		    far[i].x86);
		CHECK_INT(dt_patch_reaches(&dt_machine_aarch64, CODE + (far[i].mb << 20), CODE, 4096),
		    far[i].arm);
	}
	CHECK(!dt_patch_reaches(&dt_machine_riscv64, CODE, CODE + 4096, 4096));
	s = at(jump, sizeof(jump), 0);
	expect(&dt_machine_aarch64, &s, "what its instruction refers to is too far from the trampoline");
	CHECK_INT(dt_patch_make(&dt_machine_aarch64, &s, CODE + (200u << 20), SITE, &p, &why), -ENOTSUP);
	CHECK_STR(why, "its trampoline is too far from it");
	s = at(rip, sizeof(rip), 0);
	expect(&dt_machine_x86_64, &s, "what its instruction refers to is too far from the trampoline");
	CHECK_INT(dt_patch_make(&dt_machine_x86_64, &s, CODE + (3ull << 30), SITE, &p, &why), -ENOTSUP);
	CHECK_STR(why, "its trampoline is too far from it");
}

/* What makes no sense is refused, and nothing outside of the bytes is read. */
static void nonsense(void)
{
	static const char outside[] = "the place is outside of its function";
	struct dt_patch_site s = at(small, sizeof(small), sizeof(small));

	expect(&dt_machine_x86_64, &s, outside);
	s.pc = CODE - 1;
	expect(&dt_machine_x86_64, &s, outside);
	s = at(small, sizeof(small), 0);
	s.avail = 3;
	expect(&dt_machine_aarch64, &s, outside);
	s = at(NULL, 0, 0);
	expect(&dt_machine_aarch64, &s, outside);
	s = at(small, sizeof(small), 0);
	s.func_addr = s.pc = UINT64_MAX - 2;
	expect(&dt_machine_x86_64, &s, outside);
	s = at(small, 3, 0);
	expect(&dt_machine_aarch64, &s, "no instruction begins there");
	s = at(small, sizeof(small), 0);
	expect(&dt_machine_riscv64, &s, "code of this machine cannot be patched");
}

/* Any bytes: no patch is wrong, and none is read or written outside of its arrays (a sanitizer sees it). */
static void random_bytes(const struct dt_machine *m)
{
	uint64_t seed = 0x9e3779b97f4a7c15;
	unsigned made = 0;

	for (int i = 0; i < 20000; i++) {
		uint64_t code[8];
		struct dt_patch_site s;
		struct dt_patch p;
		const char *why;

		for (size_t k = 0; k < DT_COUNT(code); k++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			code[k] = seed ^= seed << 17;
		}
		s = at(code, 8 + seed % 48, seed >> 8 & 7);
		s.avail = s.func_size + (seed >> 16) % 8;
		if (dt_patch_make(m, &s, ISLAND, SITE, &p, &why) != 0)
			continue;
		made++;
		CHECK(p.tramp_len <= sizeof(p.tramp) && p.npcs <= DT_PATCH_PCS &&
		    p.len <= sizeof(p.bytes) && p.ntramp != 0);
	}
	CHECK(made > 100);
}

int main(void)
{
	CHECK(dt_patch_room(&dt_machine_aarch64) >= DT_PATCH_TRAMP + sizeof(struct dt_agent_site));
	refusals_x86();
	padding_x86();
	others_x86();
	calls_x86();
	tables_x86();
	unknown_function();
	refusals_aarch64();
	landing_aarch64();
	syscalls_aarch64();
	syscalls_x86();
	distances();
	nonsense();
	random_bytes(&dt_machine_x86_64);
	random_bytes(&dt_machine_aarch64);
	return CHECK_DONE("patch_test");
}
