/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All functions of the C library that this program runs with are patched, where they begin and where they
 * return, while it runs. What it then computes with that library must be what it was before.
 */
#include "check.h"

#include "agent/agent.h"
#include "patch_targets.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#if defined(__aarch64__)
#include "patch_cases_aarch64.h"
#elif defined(__x86_64__)
#include "patch_cases_x86_64.h"
#endif

enum { MAX_SITES = 4096, ROOM = 1024, ISLAND = 64 << 20, RESULT = 1 << 16 };

struct site { struct dt_agent_site s; uint64_t count, regs[40]; };
extern uint8_t patch_entry[];

/* ---- what the program computes ---- */

struct text { char *at, *end; };

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->at += vsnprintf(t->at, (size_t)(t->end - t->at), format, args);
	va_end(args);
}

static void numbers(struct text *t)
{
	for (int i = 0; i < 20; i++)
		add(t, "%d %.17g %a %s %5.2Lf\n", i, strtod("3.25", NULL) / (i + 1), 1.0 / (i + 3),
		    i % 2 ? "odd" : "even", strtold("1e9", NULL) / (i + 1));
	add(t, "%ld %llx %d\n", strtol("-123", NULL, 0), strtoull("0xfedc", NULL, 16), atoi("77"));
}

static int backwards(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

static void memory(struct text *t)
{
	int v[500];
	char *blocks[200];
	unsigned sum = 0;

	for (int i = 0; i < 500; i++)
		v[i] = i * 7919 % 1000;
	qsort(v, 500, sizeof(v[0]), backwards);
	add(t, "%d %d %d\n", v[0], v[250], v[499]);
	for (unsigned i = 0; i < 200; i++) {
		blocks[i] = malloc(i * 97 + 1);
		memset(blocks[i], (int)i, i * 97 + 1);
		if (i > 0)
			memmove(blocks[i], blocks[i - 1] + 1, (i - 1) * 97);
		blocks[i] = realloc(blocks[i], i * 300 + 1);
	}
	for (unsigned i = 0; i < 200; i++) {
		sum = sum * 31 + (unsigned char)blocks[i][i];
		free(blocks[i]);
	}
	add(t, "%u\n", sum);
}

static void strings(struct text *t)
{
	char copy[] = "one two  three,four", *save;
	regmatch_t m[3];
	wchar_t wide[32];
	regex_t r;

	for (char *w = strtok_r(copy, " ,", &save); w != NULL; w = strtok_r(NULL, " ,", &save))
		add(t, "[%s]%zu", w, strlen(w));
	add(t, "\n%d %d %s\n", strcmp("abc", "abd") < 0, strncasecmp("ABC", "abd", 2), strstr("haystack",
	    "st"));
	if (regcomp(&r, "(a+)b(c|d)", REG_EXTENDED) == 0) {
		add(t, "%d %d\n", regexec(&r, "xxaaabd", 3, m, 0), (int)m[1].rm_eo);
		regfree(&r);
	}
	add(t, "%zu %zu\n", mbstowcs(wide, "hello", 32), wcslen(wide));
	add(t, "%s %s\n", strerror(ENOENT), getenv("PATH") != NULL ? "PATH" : "no PATH");
}

static void times(struct text *t)
{
	time_t when = 1700000000;
	char buf[64];
	struct tm tm;

	gmtime_r(&when, &tm);
	strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S %A", &tm);
	add(t, "%s %ld\n", buf, (long)timegm(&tm));
}

static void *thread_main(void *p)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%d", *(int *)p);
	*(int *)p = atoi(buf) + 1;
	return p;
}

static void processes(struct text *t)
{
	int numbers_of[4], status = 0, pipe_of[2];
	pthread_t threads[4];
	jmp_buf env;
	pid_t pid;
	char c = 0;
	volatile int jumps = 0;

	for (int i = 0; i < 4; i++) {
		numbers_of[i] = i;
		pthread_create(&threads[i], NULL, thread_main, &numbers_of[i]);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		add(t, "%d ", numbers_of[i]);
	}
	if (setjmp(env) < 3) {
		jumps = jumps + 1;
		longjmp(env, jumps);
	}
	add(t, "%d\n", jumps);
	if (pipe(pipe_of) != 0)
		return;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(write(pipe_of[1], "x", 1) == 1 ? 7 : 8);
	add(t, "%zd ", read(pipe_of[0], &c, 1));
	waitpid(pid, &status, 0);
	add(t, "%c %d\n", c, WEXITSTATUS(status));
	close(pipe_of[0]);
	close(pipe_of[1]);
	add(t, "%d\n", system("exit 3") >> 8);
}

static void compute(char *buf)
{
	struct text t = { buf, buf + RESULT };

	numbers(&t);
	memory(&t);
	strings(&t);
	times(&t);
	processes(&t);
}

/* ---- patching it ---- */

struct live {
	struct dt_elf *elf;
	const struct dt_machine *m;
	uint64_t base;
	struct targets targets;
	uint8_t *island, *next;
	const struct dt_elf_function *f;
	uint64_t sites[MAX_SITES], addrs[MAX_SITES];
	uint32_t nsites;
	struct undo { uint8_t *at, len, original[DT_PATCH_BYTES], bytes[DT_PATCH_BYTES]; } *undo;
	size_t n, room;
	unsigned patched, refused;
};

static bool add_site(void *ctx, const struct dt_insn *in)
{
	struct live *l = ctx;
	bool jumps = in->way == DT_INSN_JUMP || in->way == DT_INSN_BRANCH;

	if ((in->off == 0 || in->way == DT_INSN_RET || in->way == DT_INSN_INDIRECT ||
	    (jumps && in->to >= l->f->size)) && l->nsites < MAX_SITES)
		l->sites[l->nsites++] = l->base + l->f->vaddr + in->off;
	return true;
}

static void keep(struct live *l, uint64_t at, const struct dt_patch *p)
{
	struct undo u = { .at = (uint8_t *)(uintptr_t)at, .len = p->len };

	memcpy(u.original, p->original, p->len);
	memcpy(u.bytes, p->bytes, p->len);
	if (l->n == l->room) {
		l->room = l->room * 2 + 1024;
		l->undo = realloc(l->undo, l->room * sizeof(l->undo[0]));
		if (l->undo == NULL)
			abort();
	}
	l->undo[l->n++] = u;
}

static void place(struct live *l, const struct dt_patch_site *s, uint32_t i)
{
	uint64_t tramp = l->addrs[i] - DT_PATCH_TRAMP;
	struct site *site = (void *)(uintptr_t)l->addrs[i];
	struct dt_patch p;
	const char *why;
	int err = dt_patch_make(l->m, s, tramp, l->addrs[i], &p, &why);

	l->patched += err != -ENOTSUP;
	l->refused += err == -ENOTSUP;
	site->s.entry = (uintptr_t)patch_entry;
	site->s.pc = s->pc;
	if (err != 0)
		return;
	site->s.back = tramp + p.back;
	for (int k = 0; k < p.nalso; k++)
		for (uint32_t other = 0; other < l->nsites; other++)
			if (l->sites[other] == p.also[k].pc)
				((struct site *)(uintptr_t)l->addrs[other])->s.back = tramp + p.also[k].back;
	memcpy((void *)(uintptr_t)tramp, p.tramp, p.tramp_len);
	keep(l, s->pc - p.before, &p);
}

static int function(void *ctx, const struct dt_elf_function *f)
{
	struct live *l = ctx;
	struct dt_patch_site s = { .func_addr = l->base + f->vaddr, .func_size = f->size,
	    .avail = f->size + 16,
		.sites = l->sites, .site_addrs = l->addrs };
	const void *code;

	if (f->alias || f->size == 0 || f->offset == UINT64_MAX || f->type != STT_FUNC ||
	    dt_elf_code(l->elf, f->offset, s.avail, &code) != 0)
		return 0;
	l->f = f;
	l->nsites = 0;
	if (l->m->walk(code, f->size, f->vaddr, add_site, l) != 0 ||
	    l->next + (size_t)l->nsites * ROOM > l->island + ISLAND)
		return 0;
	s.func = code;
	s.nsites = l->nsites;
	targets_of(&l->targets, &s);
	for (uint32_t i = 0; i < l->nsites; i++, l->next += ROOM)
		l->addrs[i] = (uintptr_t)l->next + DT_PATCH_TRAMP;
	for (uint32_t i = 0; i < l->nsites; i++) {
		s.pc = l->sites[i];
		place(l, &s, i);
	}
	return 0;
}

/* Byte by byte: no function of the library is called while it is written. */
static void write_all(const struct live *l, bool patched)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct undo *u = &l->undo[i];

		for (volatile unsigned k = 0; k < u->len; k++)
			((volatile uint8_t *)u->at)[k] = patched ? u->bytes[k] : u->original[k];
		__builtin___clear_cache((char *)u->at, (char *)u->at + u->len);
	}
}

static bool writable(const struct live *l)
{
	uint64_t low = UINT64_MAX, high = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < l->n; i++) {
		uint64_t at = (uintptr_t)l->undo[i].at;

		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	low &= ~(page - 1);
	return mprotect((void *)(uintptr_t)low, high + page - low, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
}

static bool find_island(struct live *l)
{
	for (int64_t mb = 1; mb < 60; mb++)
		for (int side = -1; side <= 1; side += 2) {
			uint64_t at = (l->base & ~(uint64_t)0xffff) + (uint64_t)(side * mb * (1 << 20) -
			    (side < 0 ? ISLAND : 0));

			l->island = mmap((void *)(uintptr_t)at, ISLAND, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
			if (l->island == MAP_FAILED)
				continue;
			/* where the flag is not known, the address is a hint */
			if (dt_patch_reaches(l->m, l->base, (uintptr_t)l->island, ISLAND)) {
				l->next = l->island;
				return true;
			}
			munmap(l->island, ISLAND);
		}
	return false;
}

static uint64_t firings(const struct live *l)
{
	uint64_t sum = 0;

	for (uint8_t *at = l->island; at < l->next; at += ROOM)
		sum += ((struct site *)(at + DT_PATCH_TRAMP))->count;
	return sum;
}

static void run(struct live *l)
{
	static char before[RESULT], patched[RESULT], after[RESULT];
	uint64_t fired;

	compute(before);
	dt_elf_each_function(l->elf, function, l);
	__builtin___clear_cache((char *)l->island, (char *)l->next);
	if (!CHECK(l->n > 1000 && l->refused < l->patched / 10)) {
		fprintf(stderr, "%zu patches, %u places, %u refused\n", l->n, l->patched, l->refused);
		return;
	}
	if (!writable(l)) {
		CHECK_SKIP("the code of the C library cannot be made writable here");
		return;
	}
	write_all(l, true);
	compute(patched);
	write_all(l, false);
	fired = firings(l);
	compute(after);
	CHECK_STR(patched, before);
	CHECK_STR(after, before);
	CHECK(fired > 1000 && firings(l) == fired);
	printf("patched %u places, refused %u, fired %llu times\n", l->patched, l->refused,
	    (unsigned long long)fired);
}

int main(void)
{
	static struct live l;
	Dl_info info;
	int fd;

	if (!CHECK(dladdr((void *)gnu_get_libc_version, &info) != 0))
		return CHECK_DONE("patch_live_test");
	fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
	l.base = (uintptr_t)info.dli_fbase;
	l.m = dt_machine_here();
	if (fd < 0 || dt_elf_open(fd, info.dli_fname, &l.elf) != 0 || dt_elf_load(l.elf) != 0) {
		CHECK_SKIP("the file of the C library cannot be read");
		return CHECK_DONE("patch_live_test");
	}
	find_targets(&l.targets, l.elf, l.base);
	if (find_island(&l))
		run(&l);
	else
		CHECK_SKIP("there is no room for an island near the C library");
	dt_elf_close(l.elf);
	free(l.targets.v);
	free(l.undo);
	return CHECK_DONE("patch_live_test");
}
