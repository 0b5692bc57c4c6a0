/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * .eh_frame to rows, on sections made here byte by byte and on this machine's own C library; a process's
 * tables, against the addresses backtrace() gives.
 */
#include "check.h"

#include "file/cfi.h"
#include "file/elf.h"
#include "runtime/rt_host.h"
#include "symbol/usym.h"
#include "unwind/unwind.h"

#include <elf.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- sections ---- */

struct section { uint8_t b[4096]; size_t n, entry; };

enum { ADDR = 0x10000, CODE = 0x2000 };

static void put(struct section *s, const void *p, size_t n)
{
	memcpy(s->b + s->n, p, n);
	s->n += n;
}

static void u32(struct section *s, uint32_t v) { put(s, &v, 4); }

static void begin(struct section *s)
{
	s->entry = s->n;
	u32(s, 0);
}

static void end(struct section *s)
{
	uint32_t len;

	while ((s->n - s->entry) % 8 != 4)
		s->b[s->n++] = 0;
	len = (uint32_t)(s->n - s->entry - 4);
	memcpy(s->b + s->entry, &len, 4);
}

#define BYTES(s, ...) put((s), (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* x86-64: code 1, data -8, rsp + 8, the return address below it; letters as given */
static void cie_x86(struct section *s, const char *letters)
{
	begin(s);
	u32(s, 0);
	BYTES(s, 1);
	put(s, letters, strlen(letters) + 1);
	BYTES(s, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1);
	end(s);
}

static void cie_arm(struct section *s)
{
	begin(s);
	u32(s, 0);
	BYTES(s, 1);
	put(s, "zR", 3);
	BYTES(s, 4, 0x78, 30, 1, 0x1b, 0x0c, 31, 0);
	end(s);
}

static void fde(struct section *s, uint32_t pc, uint32_t len, const uint8_t *code, size_t n)
{
	begin(s);
	u32(s, (uint32_t)s->n);			/* back to the first CIE */
	u32(s, pc - (uint32_t)(ADDR + s->n));
	u32(s, len);
	BYTES(s, 0);
	put(s, code, n);
	end(s);
}

#define FDE(s, pc, len, ...) fde((s), (pc), (len), (const uint8_t[]){ __VA_ARGS__ }, \
	sizeof((const uint8_t[]){ __VA_ARGS__ }))

static struct dt_cfi read_section(const struct section *s, uint16_t machine)
{
	struct dt_cfi c = { 0 };

	CHECK_INT(dt_cfi_read(&c, machine, s->b, s->n, ADDR), 0);
	dt_cfi_finish(&c);
	return c;
}

static void is(const struct dt_cfi *c, uint64_t pc, int cfa, int cfa_off, int ra, int ra_off, int fp,
    int fp_off)
{
	static const struct dt_unwind_rule none;
	const struct dt_unwind_row *at = dt_cfi_at(c, pc);
	const struct dt_unwind_rule *r = at != NULL ? &c->rule[at->rule] : &none;

	CHECK_INT(r->cfa, cfa);
	CHECK_INT(r->cfa_off, cfa_off);
	CHECK_INT(r->ra, ra);
	CHECK_INT(r->ra_off, ra_off);
	CHECK_INT(r->fp, fp);
	CHECK_INT(r->fp_off, fp_off);
}

static void test_x86(void)
{
	struct section s = { .n = 0 };
	struct dt_cfi c;

	cie_x86(&s, "zR");
	/* push %rbp; mov %rsp,%rbp; …; leave; ret */
	FDE(&s, CODE, 32, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x5a, 0x0c, 7, 8, 0xc6);
	/* sub $n,%rsp in steps, with the state remembered around an early return; 70000 bytes of frame */
	FDE(&s, CODE + 32, 64, 0x44, 0x0e, 0xf8, 0xa2, 0x04, 0x48, 0x0a, 0x0e, 8, 0x42, 0x0b, 0x02, 20, 0x0e,
	    8);
	/* what linkers write for the PLT */
	FDE(&s, CODE + 0x200, 64, 0x0e, 16, 0x46, 0x0e, 24, 0x4a, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a,
	    0x3b, 0x2a, 0x33, 0x24, 0x22);
	/* a realigned stack: by another register, then where that was saved; a frame nobody returns from */
	FDE(&s, CODE + 0x300, 64, 0x44, 0x0c, 10, 0, 0x44, 0x0f, 3, 0x76, 0x78, 0x06, 0x44, 0x0c, 7, 8);
	FDE(&s, CODE + 0x400, 16, 0x07, 16, 0x44, 0x0c, 6, 16);
	c = read_section(&s, EM_X86_64);
	CHECK_INT(c.functions, 5);
	CHECK_INT(c.bad, 0);
	is(&c, CODE, DT_CFA_SP, 8, DT_REG_CFA, -8, DT_REG_SAME, 0);
	is(&c, CODE + 1, DT_CFA_SP, 16, DT_REG_CFA, -8, DT_REG_CFA, -16);
	is(&c, CODE + 3, DT_CFA_SP, 16, DT_REG_CFA, -8, DT_REG_CFA, -16);
	is(&c, CODE + 4, DT_CFA_FP, 16, DT_REG_CFA, -8, DT_REG_CFA, -16);
	is(&c, CODE + 31, DT_CFA_SP, 8, DT_REG_CFA, -8, DT_REG_SAME, 0);
	is(&c, CODE + 32 + 4, DT_CFA_SP, 70008, DT_REG_CFA, -8, DT_REG_SAME, 0);
	is(&c, CODE + 32 + 12, DT_CFA_SP, 8, DT_REG_CFA, -8, DT_REG_SAME, 0);
	is(&c, CODE + 32 + 14, DT_CFA_SP, 70008, DT_REG_CFA, -8, DT_REG_SAME, 0);
	is(&c, CODE + 32 + 34, DT_CFA_SP, 8, DT_REG_CFA, -8, DT_REG_SAME, 0);
	is(&c, CODE + 96, DT_CFA_NONE, 0, 0, 0, 0, 0);		/* between functions */
	is(&c, CODE + 0x200 + 6, DT_CFA_SP, 24, DT_REG_CFA, -8, DT_REG_SAME, 0);
	is(&c, CODE + 0x200 + 30, DT_CFA_PLT, 8, DT_REG_CFA, 11, DT_REG_SAME, 0);
	is(&c, CODE + 0x300 + 4, DT_CFA_NONE, 0, 0, 0, 0, 0);
	is(&c, CODE + 0x300 + 8, DT_CFA_AT_FP, -8, DT_REG_CFA, -8, DT_REG_SAME, 0);
	is(&c, CODE + 0x300 + 12, DT_CFA_SP, 8, DT_REG_CFA, -8, DT_REG_SAME, 0);
	is(&c, CODE + 0x400, DT_CFA_END, 0, 0, 0, 0, 0);
	is(&c, CODE + 0x400 + 8, DT_CFA_END, 0, 0, 0, 0, 0);
	CHECK(dt_cfi_at(&c, CODE - 1) == NULL);
	dt_cfi_free(&c);
}

/* The C library's __restore_rt: everything at the stack pointer. */
static void test_signal(void)
{
	struct section s = { .n = 0 };
	struct dt_cfi c;

	cie_x86(&s, "zRS");
	FDE(&s, CODE - 1, 10, 0x0f, 4, 0x77, 0xa0, 1, 0x06, 0x10, 6, 3, 0x77, 0xf8, 0, 0x10, 16, 3, 0x77,
	    0xa8, 1);
	c = read_section(&s, EM_X86_64);
	is(&c, CODE - 1, DT_CFA_AT_SP, 160, DT_REG_SP, 168, DT_REG_SP, 120);
	CHECK(c.n > 0 && c.rule[c.row[0].rule].signal == 1);
	dt_cfi_free(&c);
}

static void test_arm(void)
{
	struct section s = { .n = 0 };
	struct dt_cfi c;

	cie_arm(&s);
	/* stp x29, x30, [sp, -32]!; mov x29, sp; alloca; …; ldp; ret — with a signed return address */
	FDE(&s, CODE, 64, 0x41, 0x2d, 0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x41, 0x0d, 29, 0x4a, 0xde, 0xdd,
	    0x0c, 31, 0, 0x41, 0x2d);
	/* a neighbour of the same kind: where one ends the other begins */
	FDE(&s, CODE + 64, 16, 0);
	c = read_section(&s, EM_AARCH64);
	is(&c, CODE, DT_CFA_SP, 0, DT_REG_SAME, 0, DT_REG_SAME, 0);
	is(&c, CODE + 8, DT_CFA_SP, 32, DT_REG_CFA, -24, DT_REG_CFA, -32);
	is(&c, CODE + 12, DT_CFA_FP, 32, DT_REG_CFA, -24, DT_REG_CFA, -32);
	is(&c, CODE + 52, DT_CFA_SP, 0, DT_REG_SAME, 0, DT_REG_SAME, 0);
	is(&c, CODE + 70, DT_CFA_SP, 0, DT_REG_SAME, 0, DT_REG_SAME, 0);
	CHECK_INT(c.n, 5);		/* those four, and the end */
	dt_cfi_free(&c);
	c = read_section(&s, EM_X86_64);	/* not of that machine */
	CHECK_INT(c.n, 0);
	dt_cfi_free(&c);
	c = read_section(&s, EM_386);
	CHECK_INT(c.n, 0);
	dt_cfi_free(&c);
}

/* Cut anywhere, and with any byte changed, it is refused or read, and rows stay in order. */
static void test_hostile(void)
{
	struct section s = { .n = 0 };

	cie_x86(&s, "zPLR");
	s.n = 0;
	cie_x86(&s, "zR");
	FDE(&s, CODE, 32, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x5a, 0x0c, 7, 8, 0xc6);
	FDE(&s, CODE + 0x200, 64, 0x0e, 16, 0x46, 0x0e, 24, 0x4a, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a,
	    0x3b, 0x2a, 0x33, 0x24, 0x22);
	for (size_t at = 0; at < s.n; at++)
		for (int how = 0; how < 4; how++) {
			static const uint8_t with[] = { 0xff, 0x80, 0x00 };
			struct section t = s;
			struct dt_cfi c;

			if (how == 3)
				t.n = at;
			else
				t.b[at] = with[how];
			c = read_section(&t, EM_X86_64);
			for (size_t i = 1; i < c.n; i++)
				CHECK(c.row[i - 1].pc < c.row[i].pc);
			dt_cfi_free(&c);
		}
}

/* ---- a process ---- */

enum { CHUNKS = 64 };

struct world { void *table[DT_UNWIND_TABLES][CHUNKS]; struct dt_unwind_value list; int told; bool full; };

/* Each as large as its table's chunks: a sanitizer sees what goes beyond. */
static void *chunk(void *ctx, enum dt_unwind_table table, uint32_t i)
{
	static const size_t size[] = { 4u << DT_UNWIND_WORD_BITS,
		sizeof(struct dt_unwind_rule) << DT_UNWIND_RULE_BITS,
		sizeof(struct dt_unwind_map) << DT_UNWIND_MAP_BITS };
	struct world *w = ctx;

	if (!CHECK(i < CHUNKS))
		return NULL;
	if (w->table[table][i] == NULL)
		w->table[table][i] = calloc(1, size[table]);
	return w->table[table][i];
}

static uint32_t word(const struct world *w, uint32_t i)
{
	const uint32_t *words = w->table[DT_UNWIND_WORDS][i >> DT_UNWIND_WORD_BITS];

	return words[DT_UNWIND_IN_CHUNK(i, DT_UNWIND_WORD_BITS)];
}

static const struct dt_unwind_map *list(const struct world *w)
{
	const struct dt_unwind_map *maps = w->table[DT_UNWIND_LISTS][w->list.first >> DT_UNWIND_MAP_BITS];

	CHECK(DT_UNWIND_IN_CHUNK(w->list.first, DT_UNWIND_MAP_BITS) + w->list.n <= DT_UNWIND_MAPS);
	return &maps[DT_UNWIND_IN_CHUNK(w->list.first, DT_UNWIND_MAP_BITS)];
}

static int publish(void *ctx, const struct dt_unwind_key *key, const struct dt_unwind_value *v)
{
	struct world *w = ctx;

	if (w->full)
		return -ENOSPC;
	if (key->dev == DT_UNWIND_PID && key->id == (unsigned)getpid() && v != NULL) {
		w->list = *v;
		w->told++;
	}
	return 0;
}

static const struct dt_unwind_map *map_of(const struct world *w, uint64_t pc)
{
	for (uint32_t i = 0; i < w->list.n; i++)
		if (pc >= list(w)[i].start && pc < list(w)[i].end)
			return &list(w)[i];
	return NULL;
}

/* As src/runtime/rt_unwind.c finds it. */
static const struct dt_unwind_rule *rule_at(const struct world *w, uint64_t pc)
{
	const struct dt_unwind_map *m = map_of(w, pc);
	const struct dt_unwind_rule *rules;
	uint64_t rel = m != NULL ? pc - m->bias : 0, block = rel >> DT_UNWIND_BLOCK_BITS;
	uint32_t at, n, rule;

	if (m == NULL || block >= m->n)
		return NULL;
	at = word(w, m->first + (uint32_t)block);
	n = word(w, at);
	CHECK(n > 0 && n <= DT_UNWIND_BLOCK);
	CHECK(DT_UNWIND_IN_CHUNK(at, DT_UNWIND_WORD_BITS) + n < DT_UNWIND_CHUNK(DT_UNWIND_WORD_BITS));
	CHECK_INT(word(w, at + 1) % DT_UNWIND_BLOCK, 0);
	for (at++; n > 1 && word(w, at + 1) % DT_UNWIND_BLOCK <= rel % DT_UNWIND_BLOCK; n--)
		at++;
	rule = word(w, at) >> DT_UNWIND_BLOCK_BITS;
	rules = w->table[DT_UNWIND_RULE][rule >> DT_UNWIND_RULE_BITS];
	return &rules[DT_UNWIND_IN_CHUNK(rule, DT_UNWIND_RULE_BITS)];
}

static __attribute__((noinline)) void check_own_stack(const struct world *w)
{
	void *at[64];
	int n = backtrace(at, 64);

	CHECK(n > 2);
	for (int i = 0; i < n; i++) {
		const struct dt_unwind_rule *r = rule_at(w, (uint64_t)(uintptr_t)at[i] - 1);

		CHECK(r != NULL && r->cfa != DT_CFA_NONE);
		/* only the last one was called by nobody */
		CHECK_INT(r != NULL && r->cfa == DT_CFA_END, i == n - 1);
	}
}

/* Our own memory, and NULL where nothing is: the kernel looks for us. */
static int read_own(void *ctx, void *to, dt_word size, dt_word addr, int user)
{
	struct iovec here = { to, size }, there = { (void *)(uintptr_t)addr, size };

	(void)ctx;
	return user && process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

static void *chunk_of(void *ctx, void *maps, dt_word i)
{
	(void)ctx;
	return i < CHUNKS ? ((void **)maps)[i] : NULL;
}

/* The walk that programs in the kernel make, here: it finds the callers that backtrace() finds. */
static __attribute__((noinline)) void check_own_walk(struct world *w)
{
	static const struct dt_rt_env env = { .read = read_own, .chunk = chunk_of };
	static union {
		struct dt_work w;
		struct dt_work_walk k;
		uint64_t word[DT_WORK_SIZE / 8 + DT_UNWIND_FRAMES];
	} s;
	unsigned char *words = (unsigned char *)w->table[DT_UNWIND_WORDS];
	unsigned char *lists = (unsigned char *)w->table[DT_UNWIND_LISTS];
	unsigned char *rules = (unsigned char *)w->table[DT_UNWIND_RULE];
	ucontext_t u;
	void *at[64];
	int n = backtrace(at, 64), found;

	s.k = (struct dt_work_walk){ .want = 64, .lists = w->list.first, .nlists = w->list.n };
	getcontext(&u);
#ifdef __x86_64__
	s.k.pc = (uint64_t)u.uc_mcontext.gregs[REG_RIP];
	s.k.sp = (uint64_t)u.uc_mcontext.gregs[REG_RSP];
	s.k.fp = (uint64_t)u.uc_mcontext.gregs[REG_RBP];
#else
	s.k.pc = u.uc_mcontext.pc;
	s.k.sp = u.uc_mcontext.sp;
	s.k.fp = u.uc_mcontext.regs[29];
	s.k.lr = u.uc_mcontext.regs[30];
	s.k.link = 1;
#endif
	found = (int)dt_rt_unwind(words, lists, rules, &s.w, 0, &env);
	CHECK(found > 2 && (found == n || found == n - 1));	/* a sanitizer's backtrace() counts itself */
	for (int i = 1; i < found; i++)		/* the first one is where each was called */
		CHECK_INT(s.word[DT_WORK_SIZE / 8 + i], (uintptr_t)at[n - found + i]);
	/* no mapping is listed: the caller takes the kernel's walk */
	s.k = (struct dt_work_walk){ .want = 64, .pc = 1, .sp = 1, .fp = 1 };
	CHECK_INT(dt_rt_unwind(words, lists, rules, &s.w, 0, &env), 0);
	/* a stack that is not there ends the walk */
	s.k = (struct dt_work_walk){ .want = 64, .lists = w->list.first, .nlists = w->list.n,
		.pc = (uintptr_t)at[0], .sp = 16, .fp = 16, .link = s.k.link };
	CHECK_INT(dt_rt_unwind(words, lists, rules, &s.w, 0, &env), 1);
}

/* Every rule of the files is found again through the blocks. */
static void check_file(const struct world *w, const char *path, uint64_t bias)
{
	struct dt_elf *elf = NULL;
	struct dt_cfi c = { 0 };
	const void *data;
	unsigned different = 0;
	uint64_t addr;
	size_t len;

	if (!CHECK(dt_elf_open(dt_elf_open_regular(path, true), path, &elf) == 0))
		return;
	CHECK_INT(dt_elf_section(elf, ".eh_frame", &data, &len, &addr), 0);
	CHECK_INT(dt_cfi_read(&c, dt_elf_machine(elf), data, len, addr), 0);
	dt_cfi_finish(&c);
	CHECK(c.n > 1000);
	CHECK_INT(c.bad, 0);
	for (size_t i = 0; i < c.n; i++) {
		uint64_t pc = bias + c.base + c.row[i].pc;
		const struct dt_unwind_rule *r = rule_at(w, pc);

		different += map_of(w, pc) != NULL &&
		    (r == NULL || memcmp(r, &c.rule[c.row[i].rule], sizeof(*r)) != 0);
	}
	CHECK_INT(different, 0);
	dt_cfi_free(&c);
	dt_elf_close(elf);
}

static int find_libc(struct dl_phdr_info *i, size_t size, void *ctx)
{
	(void)size;
	if (strstr(i->dlpi_name, "libc.so") == NULL)
		return 0;
	*(struct dl_phdr_info *)ctx = *i;
	return 1;
}

/*
 * A list that cannot be published leaves the old one in use: its place is not given to another process, which
 * gets a place of its own when those that were given back have rested.
 */
static void check_unpublished(struct world *w, struct dt_usyms *us, struct dt_unwind *u)
{
	size_t len = w->list.n * sizeof(*list(w));
	struct dt_unwind_map *before = malloc(len);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *more = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	pid_t child[2];

	for (int i = 0; i < 2; i++)
		if ((child[i] = fork()) == 0) {
			pause();
			_exit(0);
		}
	close(fd);
	if (!CHECK(before != NULL && more != MAP_FAILED && child[0] > 0 && child[1] > 0))
		return;
	memcpy(before, list(w), len);
	w->full = true;
	dt_usyms_learn(us, (uint32_t)getpid());
	CHECK(dt_unwind_work(u, UINT64_MAX));
	CHECK_INT(w->told, 1);
	CHECK(memcmp(before, list(w), len) == 0);
	w->full = false;
	usleep(150000);			/* longer than REUSE_NS */
	munmap(more, 4096);
	for (int i = 0; i < 2; i++) {	/* as many as places would have been given back */
		dt_usyms_learn(us, (uint32_t)child[i]);
		CHECK(dt_unwind_work(u, UINT64_MAX));
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	/* what had no room is tried again if something was given back; else it stays as it was */
	CHECK(w->told == 2 || (w->told == 1 && memcmp(before, list(w), len) == 0));
	check_own_stack(w);
	free(before);
}

static void test_process(void)
{
	struct world w = { .told = 0 };
	struct dt_unwind_areas areas = { chunk, 16 << 20, publish, &w, false };
	struct dt_usyms *us = dt_usyms_new();
	struct dt_unwind *u = dt_unwind_new(&areas, us);
	struct dl_phdr_info libc = { .dlpi_name = "" };

	dt_usyms_learn(us, (uint32_t)getpid());		/* tells the tables by itself */
	CHECK(dt_unwind_work(u, UINT64_MAX));
	CHECK_INT(w.told, 1);
	CHECK(w.list.n >= 2);
	check_own_stack(&w);
	check_own_walk(&w);
	if (dl_iterate_phdr(find_libc, &libc))
		check_file(&w, libc.dlpi_name, libc.dlpi_addr);
	dt_unwind_want(u, (uint32_t)getpid());		/* nothing new: nothing is told */
	CHECK(dt_unwind_work(u, UINT64_MAX));
	CHECK_INT(w.told, 1);
	CHECK_INT(dt_unwind_stats(u).left_out, 0);
	check_unpublished(&w, us, u);
	printf("tables of this process: %u files, %llu words, %u rules, %.1f ms\n", dt_unwind_stats(u).files,
	    (unsigned long long)dt_unwind_stats(u).words, dt_unwind_stats(u).rules,
	    (double)dt_unwind_stats(u).ns / 1e6);
	dt_unwind_free(u);

	/* too small for any library: counted, and nothing breaks */
	areas.most = 4000;
	u = dt_unwind_new(&areas, us);
	dt_unwind_want(u, (uint32_t)getpid());
	CHECK(dt_unwind_work(u, UINT64_MAX));
	CHECK(dt_unwind_stats(u).left_out > 0 && dt_unwind_stats(u).words <= 1000);
	CHECK(dt_unwind_enough(u) > areas.most);
	dt_unwind_free(u);
	dt_usyms_free(us);
	for (int t = 0; t < DT_UNWIND_TABLES; t++)
		for (int i = 0; i < CHUNKS; i++)
			free(w.table[t][i]);
}

/* As Go writes it: the CIE by its place, plain addresses, signed offsets; then a CIE of DWARF 4. */
static void test_debug_frame(void)
{
	static const uint64_t places[2][2] = { { CODE, 64 }, { CODE + 64, 32 } };
	struct section s = { .n = 0 };
	struct dt_cfi c = { 0 };
	uint32_t second;

	begin(&s);
	u32(&s, UINT32_MAX);
	BYTES(&s, 3, 0, 1, 0x7c, 30, 0x0c, 31, 0, 0x08, 30, 0x14, 31, 0);	/* code 1, data -4 */
	end(&s);
	begin(&s);
	u32(&s, 0);
	put(&s, places[0], 16);
	/* 48 bytes of frame, the link register at its end */
	BYTES(&s, 0x50, 0x13, 0x74, 0x11, 30, 12, 0x60, 0x13, 0, 0x08, 30);
	end(&s);
	second = (uint32_t)s.n;
	begin(&s);
	u32(&s, UINT32_MAX);
	BYTES(&s, 4, 0, 8, 0, 4, 0x78, 30, 0x0c, 31, 0);
	end(&s);
	begin(&s);
	u32(&s, second);
	put(&s, places[1], 16);
	BYTES(&s, 0x42, 0x0e, 16, 0x9d, 2, 0x9e, 1);
	end(&s);
	CHECK_INT(dt_cfi_read_debug(&c, EM_AARCH64, s.b, s.n), 0);
	dt_cfi_finish(&c);
	CHECK_INT(c.functions, 2);
	CHECK_INT(c.bad, 0);
	is(&c, CODE, DT_CFA_SP, 0, DT_REG_SAME, 0, DT_REG_SAME, 0);
	is(&c, CODE + 16, DT_CFA_SP, 48, DT_REG_CFA, -48, DT_REG_SAME, 0);
	is(&c, CODE + 48, DT_CFA_SP, 0, DT_REG_SAME, 0, DT_REG_SAME, 0);
	is(&c, CODE + 64 + 8, DT_CFA_SP, 16, DT_REG_CFA, -8, DT_REG_CFA, -16);
	dt_cfi_free(&c);
	for (size_t len = 0; len <= s.n; len++) {		/* cut at every byte */
		uint8_t *copy = malloc(len + 1);

		memcpy(copy, s.b, len);
		CHECK_INT(dt_cfi_read_debug(&c, EM_AARCH64, copy, len), 0);
		dt_cfi_finish(&c);
		dt_cfi_free(&c);
		free(copy);
	}
}

int main(void)
{
	test_x86();
	test_debug_frame();
	test_signal();
	test_arm();
	test_hostile();
	test_process();
	return check_report("unwind");
}
