/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of /proc/PID/maps and perf maps, good and bad; then processes: this one, a child that has ended,
 * many that share their files.
 */
#include "check.h"

#include "symbol/maps.h"
#include "file/reader.h"
#include "symbol/usym_impl.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void test_maps(void)
{
	static const char text[] =
	    "55d0c8a00000-55d0c8a02000 r-xp 00001000 fd:01 1234     /usr/bin/a b\n"
	    "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
	    "7f0000001000-7f0000002000 r-xp 00000000 00:00 0                          [vdso]\n"
	    "7f0000003000-7f0000004000 r-xp 00002000 fd:01 99 /tmp/x\\012y (deleted)\n"
	    "1000-0fff r-xp 00000000 fd:01 1 /turned/around\n"
	    "10000000000000000-10000000000000001 r-xp 00000000 fd:01 1 /too/large\n"
	    "1000-2000 r-xp 0000\n"
	    "\n"
	    "nonsense\n"
	    "3000-4000 --xp 00000000 08:02 7 /last";
	const char *p = text;
	struct dt_mapping m;

	CHECK(dt_maps_next(&p, &m));
	CHECK(m.start == 0x55d0c8a00000 && m.end == 0x55d0c8a02000 && m.offset == 0x1000 && m.exec &&
	    !m.deleted);
	CHECK(m.major == 0xfd && m.minor == 1 && m.inode == 1234);
	CHECK_STR(m.path, "/usr/bin/a b");
	CHECK(dt_maps_next(&p, &m) && !m.exec && m.inode == 0);
	CHECK_STR(m.path, "");
	CHECK(dt_maps_next(&p, &m));
	CHECK_STR(m.path, "[vdso]");
	CHECK(dt_maps_next(&p, &m) && m.deleted);
	CHECK_STR(m.path, "/tmp/x\ny");
	CHECK(dt_maps_next(&p, &m));
	CHECK_STR(m.path, "/last");
	CHECK(!dt_maps_next(&p, &m));
}

static long resident_pages(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long size, resident = -1;

	if (f == NULL || fscanf(f, "%ld %ld", &size, &resident) != 2)
		resident = -1;
	if (f != NULL)
		fclose(f);
	return resident;
}

static void add_lines(struct dt_perfmap *m, size_t n)
{
	char *text = malloc(n + 1);

	for (size_t i = 0; i < n; i++)
		text[i] = i % 32 == 31 ? '\n' : 'x';	/* no line is one of a function */
	text[n] = '\0';
	CHECK_INT(dt_perfmap_add(m, text), 0);
}

/* Two maps grow in turn; when one is freed, its pages are given back, though the other lies between them. */
static void test_perfmap_pages(void)
{
	enum { PIECES = 24, SIZE = 1 << 20 };
	struct dt_perfmap gone = { 0 }, stays = { 0 };
	long before, after;
	void *volatile large;

#if defined(__SANITIZE_ADDRESS__) || defined(DT_FUZZ)
	return;		/* another allocator */
#endif
	large = malloc(16 * SIZE);
	free(large);	/* from now on glibc takes such sizes from the heap */
	for (int i = 0; i < PIECES; i++) {
		add_lines(&gone, SIZE);
		add_lines(&stays, SIZE);
	}
	before = resident_pages();
	dt_perfmap_free(&gone);
	after = resident_pages();
	CHECK((before - after) * sysconf(_SC_PAGESIZE) > (PIECES - 2) * (long)SIZE);
	dt_perfmap_free(&stays);
}

static const char *jit(const struct dt_perfmap *m, uint64_t addr)
{
	const struct dt_jit_function *f = dt_perfmap_at(m, addr);

	return f != NULL ? f->name : "none";
}

static void test_perfmap(void)
{
	struct dt_perfmap m = { 0 };

	CHECK_INT(dt_perfmap_add(&m,
	    strdup("2000 100 second one\n1000 10 first\n0x3000 0x10 hex\n2000 80 newer\nzz 1 bad\n"
	    "4000 0 empty\n"
	    "ffffffffffffffff 10 over\n5000 10\n6000 10 tab\there\n7000 10 unfinished")), 0);
	dt_perfmap_sort(&m);
	CHECK_INT(m.n, 5);
	CHECK_STR(jit(&m, 0x100f), "first");
	CHECK_STR(jit(&m, 0x1010), "none");
	CHECK_STR(jit(&m, 0x2000), "newer");
	CHECK_STR(jit(&m, 0x2080), "second one");
	CHECK_STR(jit(&m, 0x3001), "hex");
	CHECK_STR(jit(&m, 0x6000), "tab?here");
	CHECK_STR(jit(&m, 0x7000), "none");
	dt_perfmap_free(&m);
	CHECK_INT(dt_perfmap_add(&m, strdup("")), 0);
	CHECK_STR(jit(&m, 0), "none");
	dt_perfmap_free(&m);
}

__attribute__((noinline)) int usym_test_marker(int x)
{
	return x * 3 + 1;
}

static void test_self(void)
{
	struct dt_usyms *us = dt_usyms_new();
	uint64_t at = (uint64_t)(uintptr_t)usym_test_marker;
	struct dt_uplace p;

	if (!CHECK(us != NULL) || !CHECK(dt_usyms_lookup(us, (uint32_t)getpid(), at + 1, &p)))
		return;
	CHECK_STR(p.function, "usym_test_marker");
	CHECK_STR(p.object, "usym_test");
	CHECK(p.function_start == at && p.object_start <= at);
	/* one that sanitizers do not replace */
	CHECK(dt_usyms_lookup(us, (uint32_t)getpid(), (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "hcreate"),
	    &p));
	CHECK(p.function != NULL && strstr(p.object, "libc") != NULL);
	CHECK(!dt_usyms_lookup(us, (uint32_t)getpid(), 1, &p));
	CHECK(!dt_usyms_lookup(us, 0, at, &p));
	CHECK(!dt_usyms_lookup(us, 0x7ffffffe, at, &p));
	dt_usyms_free(us);
}

/* Each ends at once; all have this program's files. */
static void test_gone(void)
{
	struct dt_usyms *us = dt_usyms_new();
	uint64_t at = (uint64_t)(uintptr_t)usym_test_marker;
	struct dt_uplace p;
	int missed = 0;

	if (!CHECK(us != NULL))
		return;
	dt_usyms_learn(us, (uint32_t)getpid());
	if (dt_usyms_watch(us, false) != 0) {
		fprintf(stderr, "without the right to use perf events: left out\n");
		dt_usyms_free(us);
		return;
	}
	for (int i = 0; i < 100; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(usym_test_marker(0));
		waitpid(child, NULL, 0);
		if (!dt_usyms_lookup(us, (uint32_t)child, at, &p) || p.function == NULL ||
		    strcmp(p.function, "usym_test_marker") != 0)
			missed++;
	}
	/*
	 * The rings are everybody's: a busy machine fills them, and the kernel says so with the next record
	 * that there is room for.
	 */
	CHECK(missed == 0 || dt_usyms_stats(us).lost > 0);
	dt_usyms_free(us);
}

/* ---- a perf map ---- */

static const char *jit_name(struct dt_ufiles *fs, struct dt_ujit *j, uint64_t addr)
{
	const struct dt_jit_function *f;

	j->next = 0;			/* now, not in 200 ms */
	CHECK(dt_ujit_read(fs->reader, j, SIZE_MAX, NULL, NULL, false));
	f = dt_perfmap_at(&j->map, addr);
	return f != NULL ? f->name : "none";
}

/*
 * A line of more than a piece, whose end looks like one, is none; what is appended behind it is read without
 * reading the file again: the first name, which is overwritten in place, stays what it was.
 */
static void test_jit(void)
{
	static char longest[(1 << 20) + 1];
	struct dt_ufiles *fs = calloc(1, sizeof(*fs));
	struct dt_ujit j = { 0 };
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "we");
	if (!CHECK(f != NULL && fs != NULL && (fs->reader = dt_reader_new()) != NULL))
		return;
	memset(longest, 'x', sizeof(longest) - 1);
	memcpy(longest, "2000 10 ", 8);
	fprintf(f, "1000 10 first\n%s3000 10 forged\n4000 10 behind\n5000 1", longest);
	fflush(f);
	dt_ujit_learn(fs, &j, (uint32_t)getpid());
	CHECK_STR(jit_name(fs, &j, 0x1000), "first");
	CHECK_STR(jit_name(fs, &j, 0x2000), "none");
	CHECK_STR(jit_name(fs, &j, 0x3000), "none");
	CHECK_STR(jit_name(fs, &j, 0x4000), "behind");
	CHECK_STR(jit_name(fs, &j, 0x5000), "none");
	CHECK(pwrite(fileno(f), "1000 10 FIRST", 13, 0) == 13);
	fprintf(f, "0 appended\n");
	fflush(f);
	CHECK_STR(jit_name(fs, &j, 0x5000), "appended");
	CHECK_STR(jit_name(fs, &j, 0x1000), "first");
	CHECK(ftruncate(fileno(f), 0) == 0);
	rewind(f);
	fprintf(f, "1000 10 anew\n");
	fflush(f);
	CHECK_STR(jit_name(fs, &j, 0x1000), "anew");
	CHECK_STR(jit_name(fs, &j, 0x5000), "none");
	fclose(f);
	unlink(path);
	dt_ujit_free(fs, &j);
	dt_ufiles_free(fs);
	free(fs);
}

/* All have this program's files: nothing more is opened for them. */
static void test_shared(void)
{
	struct dt_usyms *us = dt_usyms_new();
	struct dt_usyms_stats before, after;
	pid_t child[10];

	if (!CHECK(us != NULL))
		return;
	dt_usyms_learn(us, (uint32_t)getpid());
	before = dt_usyms_stats(us);
	for (int i = 0; i < 10; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			pause();
			_exit(0);
		}
		dt_usyms_learn(us, (uint32_t)child[i]);
	}
	after = dt_usyms_stats(us);
	CHECK_INT(after.views, before.views + 10);
	CHECK_INT(after.files, before.files);
	CHECK_INT(after.opened, before.opened);
	for (int i = 0; i < 10; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	dt_usyms_free(us);
}

static int on_object(void *ctx, const char *path, struct dt_elf *elf, uint64_t start, uint64_t offset)
{
	(void)offset;
	CHECK(path[0] != '\0' && elf != NULL && start != 0);
	++*(int *)ctx;
	return 0;
}

static void test_objects(void)
{
	struct dt_usyms *us = dt_usyms_new();
	int n = 0;

	if (!CHECK(us != NULL))
		return;
	CHECK_INT(dt_usyms_each_object(us, (uint32_t)getpid(), on_object, &n), 0);
	CHECK(n >= 3);		/* this program, libc, the dynamic linker */
	CHECK(dt_usyms_each_object(us, 0x7ffffffe, on_object, &n) < 0);
	dt_usyms_free(us);
}

/* The vdso of a program of 32 bits is another one, also if it is as long as ours. */
static void test_vdso(void)
{
	struct dt_usyms *us = dt_usyms_new();
	struct dt_ufile *f = us != NULL ? dt_ufile_vdso(&us->files) : NULL;
	struct dt_uobject o = { .file = f };
	struct dt_umap high = { .start = 0x7f0000000000, .object = &o };
	struct dt_umap low = { .start = 0xf7fc0000, .object = &o };

	if (f == NULL) {		/* a kernel without one */
		dt_usyms_free(us);
		return;
	}
	high.end = high.start + f->maplen;
	low.end = low.start + f->maplen;
	CHECK(dt_umap_file(us, &high) == f);
	CHECK(dt_umap_file(us, &low) == NULL);
	high.end += 4096;
	CHECK(dt_umap_file(us, &high) == NULL);
	dt_usyms_free(us);
}

int main(void)
{
	test_vdso();
	test_maps();
	test_perfmap();
	test_perfmap_pages();
	test_self();
	test_gone();
	test_jit();
	test_shared();
	test_objects();
	return check_report("usym");
}
