/* SPDX-License-Identifier: BSD-2-Clause */
/* The ground: memory, names, patterns, places in text, messages, files. */
#include "base/printable.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/map.h"
#include "base/services.h"

#include "check.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_arena(struct dt_arena *a)
{
	DT_VEC(int) vec = { 0 };
	char *small = dt_arena_alloc(a, 3), *big = dt_arena_alloc(a, 1 << 20);

	CHECK(((uintptr_t)small & 15) == 0 && ((uintptr_t)big & 15) == 0);
	CHECK(big[0] == 0 && big[(1 << 20) - 1] == 0);
	for (int i = 0; i < 1000; i++)
		dt_vec_push(a, &vec, i);
	CHECK(vec.n == 1000 && vec.v[0] == 0 && vec.v[999] == 999);
	CHECK_STR(dt_arena_strndup(a, "hello", 4), "hell");
	CHECK_STR(dt_arena_printf(a, "%s-%d", "x", 7), "x-7");
}

static void test_oom(void)
{
	struct dt_arena *a = dt_arena_new();
	jmp_buf env;
	volatile int came = 0;

	if (setjmp(env) == 0) {
		dt_arena_on_oom(a, &env);
		dt_arena_alloc(a, SIZE_MAX);
	} else {
		came = 1;
	}
	CHECK(came);
	dt_arena_free(a);
}

static void test_map(struct dt_arena *a)
{
	struct dt_map m;
	char key[32];
	int good = 1;

	dt_map_init(&m, a);
	CHECK(dt_map_get(&m, "x") == NULL);
	for (uintptr_t i = 1; i <= 5000; i++) {
		snprintf(key, sizeof(key), "key%zu", (size_t)i);
		dt_map_put(&m, key, (void *)i);
	}
	for (uintptr_t i = 1; i <= 5000; i++) {
		snprintf(key, sizeof(key), "key%zu", (size_t)i);
		good &= dt_map_get(&m, key) == (void *)i;
	}
	CHECK(good);
	CHECK(dt_map_getn(&m, "key12345", 5) == (void *)12);
	dt_map_put(&m, "key7", a);
	CHECK(m.n == 5000 && dt_map_get(&m, "key7") == a);
	dt_map_cut(&m, 100);
	CHECK(m.n == 100 && dt_map_get(&m, "key100") && !dt_map_get(&m, "key101"));
	dt_map_put(&m, "key101", a);
	CHECK(dt_map_get(&m, "key101") == a && dt_map_get(&m, "key1") == (void *)1);
}

static void test_place(struct dt_arena *a)
{
	const char *text = "one\n\ttwo\nthree";
	struct dt_source *s = dt_source_new(a, DT_SRC_FILE, "t.d", text, strlen(text));
	struct dt_place p = dt_loc_place((struct dt_loc){ s, 5, 3 });

	CHECK(p.line == 2 && p.col == 2 && p.textlen == 4 && !p.marked);
	CHECK_STR(p.file, "t.d");
	dt_source_mark(s, 9, 70, "inc.h", DT_LINE_ENTER);
	CHECK(dt_loc_included((struct dt_loc){ s, 10, 1 }) && !dt_loc_included((struct dt_loc){ s, 5, 3 }));
	p = dt_loc_place((struct dt_loc){ s, 10, 1 });
	CHECK(p.line == 70 && p.marked);
	CHECK_STR(p.file, "inc.h");
	dt_source_mark(s, 9, 80, NULL, DT_LINE_LEAVE);
	CHECK(!dt_loc_included((struct dt_loc){ s, 10, 1 }));
	p = dt_loc_place((struct dt_loc){ s, 14, 1 });
	CHECK(p.line == 80 && p.col == 6 && !p.marked);
	p = dt_loc_place((struct dt_loc){ s, 4000, 1 });
	CHECK(p.line == 80 && p.col == 6);
	p = dt_loc_place((struct dt_loc){ 0 });
	CHECK(p.line == 1 && p.textlen == 0);
}

static void say(struct dt_diag *d, enum dt_tag tag, struct dt_loc loc, const char *hint)
{
	if (setjmp(d->env) == 0)
		dt_fail_hint(d, tag, loc, hint, "failed to resolve %s: Unknown variable name", "exename");
}

static void test_message(struct dt_arena *a)
{
	const char *text = "BEGIN\n{\n  trace(exename);\n\t\ttrace(x);\n}\n";
	struct dt_source *s = dt_source_new(a, DT_SRC_FILE, "t.d", text, strlen(text));
	struct dt_diag d = { .arena = a };

	say(&d, D_IDENT_UNDEF, (struct dt_loc){ s, 16, 7 }, "did you mean `execname`?");
	CHECK_STR(dt_diag_line(&d, a, true),
	    "[D_IDENT_UNDEF] line 3: failed to resolve exename: Unknown variable name");
	CHECK_STR(dt_diag_line(&d, a, false), "line 3: failed to resolve exename: Unknown variable name");
	CHECK_STR(dt_diag_excerpt(&d, a),
	    "  t.d:3:9 |   trace(exename);\n          |         ^~~~~~~ did you mean `execname`?\n");
	say(&d, D_IDENT_UNDEF, (struct dt_loc){ s, 34, 1 }, NULL);
	CHECK_STR(dt_diag_excerpt(&d, a),
	    "  t.d:4:9 |                 trace(x);\n          |                       ^\n");
	s->kind = DT_SRC_STRING;
	CHECK_STR(dt_diag_line(&d, a, false),
	    "in action list: failed to resolve exename: Unknown variable name");
	d.in_predicate = true;
	CHECK_STR(dt_diag_line(&d, a, false),
	    "in predicate: failed to resolve exename: Unknown variable name");
	s->kind = DT_SRC_LIBRARY;
	CHECK_STR(dt_diag_line(&d, a, false),
	    "\"t.d\", line 4: failed to resolve exename: Unknown variable name");
	CHECK_STR(dt_tag_name(D_PCAP_SIZE), "D_PCAP_SIZE");
	d = (struct dt_diag){ .arena = a };
	CHECK_STR(dt_diag_excerpt(&d, a), "");
}

static void test_long_line(struct dt_arena *a)
{
	struct dt_diag d = { .arena = a };
	char text[5001];
	struct dt_source *s;
	const char *shown;

	memset(text, 'x', sizeof(text));
	text[4000] = 'Y';
	text[3990] = '\033';
	s = dt_source_new(a, DT_SRC_FILE, "t.d", text, 5000);
	say(&d, D_SYNTAX, (struct dt_loc){ s, 4000, 900 }, NULL);
	shown = dt_diag_excerpt(&d, a);
	CHECK(strlen(shown) < 300);
	CHECK(strchr(shown, '\033') == NULL && strchr(shown, 'Y'));
	/* the caret stands under the Y */
	CHECK(strchr(shown, '^') && strchr(shown, 'Y') - shown == strchr(shown, '^') - strchr(shown,
	    '\n') - 1);
	for (uint32_t i = 0; i < 5000; i += 37) {
		text[i] = (char)(i % 3 ? 0x9f : 0xe2);
		text[i + 1] = '\t';
	}
	s = dt_source_new(a, DT_SRC_FILE, "t.d", text, 5000);
	for (uint32_t i = 0; i < 5000; i += 11) {
		say(&d, D_SYNTAX, (struct dt_loc){ s, i, i * 3 }, "hint");
		CHECK(strlen(dt_diag_excerpt(&d, a)) < 800);
	}
}

static const char *nearest(const char *want, const char *const *names)
{
	struct dt_near n;

	dt_near_init(&n, want);
	for (; *names; names++)
		dt_near_offer(&n, *names);
	return n.best ? n.best : "";
}

static void test_near(void)
{
	static const char *const names[] = { "execname", "probefunc", "pid", "timestamp", "walltimestamp",
		"x", NULL };

	CHECK_STR(nearest("exename", names), "execname");
	CHECK_STR(nearest("excename", names), "execname");
	CHECK_STR(nearest("pdi", names), "pid");
	CHECK_STR(nearest("timestmap", names), "timestamp");
	CHECK_STR(nearest("probname", names), "");
	CHECK_STR(nearest("y", names), "");
	CHECK_STR(nearest("", names), "");
	CHECK_STR(nearest("zzz", names), "");
}

static void test_file(void)
{
	char path[] = "/tmp/base_test.XXXXXX", *text = NULL;
	int fd = mkstemp(path);
	size_t len = 0;

	CHECK(fd >= 0 && write(fd, "abc\0def", 7) == 7);
	close(fd);
	CHECK(dt_file_read(path, 7, &text, &len) == 0 && len == 7 && text && text[7] == '\0');
	free(text);
	CHECK(dt_file_read(path, 6, &text, &len) == -EFBIG);
	unlink(path);
	CHECK(dt_file_read(path, 6, &text, &len) == -ENOENT);
	CHECK(dt_file_read("/tmp", 6, &text, &len) == -EISDIR);
	CHECK(dt_file_read("/proc/self/status", 1 << 20, &text, &len) == 0 && len > 100);
	free(text);
}

/*
 * Files that somebody else names: nothing but regular ones, no more than asked for, links of a process's
 * root stay in it.
 */
static void test_peek_root(void)
{
	char dir[] = "/tmp/base_test_root.XXXXXX", path[128], *text = NULL;
	size_t len = 0;
	bool more;
	int ready[2];
	pid_t pid;

	if (geteuid() != 0 || !CHECK(mkdtemp(dir) != NULL && pipe(ready) == 0))
		return;
	snprintf(path, sizeof(path), "%s/link", dir);
	CHECK(symlink("/etc/passwd", path) == 0);
	pid = fork();
	if (pid == 0) {
		char byte = (char)chroot(dir);

		_exit(write(ready[1], &byte, 1) == 1 && pause());
	}
	CHECK(read(ready[0], path, 1) == 1 && path[0] == 0);
	snprintf(path, sizeof(path), "/proc/%d/root/link", (int)pid);
	CHECK_INT(dt_file_peek(path, 10, &text, &len, &more), -ENOENT);	/* not our /etc/passwd */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	snprintf(path, sizeof(path), "%s/link", dir);
	unlink(path);
	rmdir(dir);
}

static void test_peek(void)
{
	char own[64], *text = NULL;
	size_t len = 0;
	bool more = true;

	CHECK(dt_file_peek("/proc/sys/kernel/ostype", 100, &text, &len, &more) == 0 && len == 6 && !more);
	free(text);
	CHECK(dt_file_peek("/proc/sys/kernel/ostype", 6, &text, &len, &more) == 0 && len == 6 && !more);
	free(text);
	CHECK(dt_file_peek("/proc/sys/kernel/ostype", 5, &text, &len, &more) == 0 && len == 5 && more &&
	    memcmp(text, "Linux", 5) == 0);
	free(text);
	snprintf(own, sizeof(own), "/proc/%d/root/proc/sys/kernel/ostype", (int)getpid());
	CHECK_INT(dt_file_peek(own, 5, &text, &len, &more), 0);
	free(text);
	CHECK_INT(dt_file_peek("/dev/zero", 5, &text, &len, &more), -EINVAL);
	CHECK_INT(dt_file_peek("/tmp", 5, &text, &len, &more), -EINVAL);
	CHECK_INT(dt_file_peek("", 5, &text, &len, &more), -ENOENT);
	CHECK_INT(dt_file_peek("/proc/1x/root/y", 5, &text, &len, &more), -ENOENT);
	test_peek_root();
}

static void test_glob(void)
{
	static const struct { const char *pattern, *text; bool want; } cases[] = {
		{ "", "", true }, { "abc", "abc", true }, { "abc", "abcd", false }, { "*", "", true },
		{ "a*c", "abbc", true }, { "a*b*c", "axxbyyc", true }, { "a*b*c", "axxcyyb", false },
		{ "?", "", false }, { "?", "x", true }, { "[a-c]", "b", true }, { "[!a-c]", "b", false },
		{ "[^a-c]", "d", true }, { "[]x]", "]", true }, { "[a", "[a", true },
		{ "\\*", "*", true }, { "\\*", "x", false }, { "[\\]]", "]", true },
		{ "*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaa", false },
		{ "*read", "sys_read", true }, { "a-", "a-", true }, { "[a-]", "-", true },
		{ "x[", "x[", true }, { "\\", "\\", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!CHECK(dt_glob_match(cases[i].pattern, cases[i].text) == cases[i].want))
			fprintf(stderr, "\t%s ~ %s\n", cases[i].pattern, cases[i].text);
	}
}

/* H 8 */
static void test_clean(void)
{
	static const struct { const char *from, *to; } cases[] = {
		{ "", "" }, { "libc.so.6", "libc.so.6" }, { "a b\tc", "a b?c" }, { "x\033[2J\n", "x?[2J?" },
		{ "\x7f", "?" }, { "f\303\274r", "f\303\274r" }, { "\342\202\254", "\342\202\254" },
		{ "\360\237\220\247", "\360\237\220\247" },
		{ "c1 \302\233", "c1 ??" }, { "\302\240", "\302\240" }, { "cut \342\202", "cut ??" },
		{ "\300\200 \377\200", "?? ??" }, { "\355\240\200", "???" },
		{ "turned \342\200\256", "turned ???" }, { "line \342\200\250", "line ???" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool same = strcmp(cases[i].from, cases[i].to) == 0;
		char text[64];

		snprintf(text, sizeof(text), "%s", cases[i].from);
		CHECK_INT(dt_is_printable(text), same);
		CHECK_INT(dt_make_printable(text), !same);
		CHECK_STR(text, cases[i].to);
		CHECK(dt_is_printable(text));
	}
}

/* E1: ports have names without the plug-ins of the C library. */
static void test_services(void)
{
	static const char text[] = "# comment 7/tcp\n\nssh\t\t22/tcp\t\t# Secure Shell\nsmtp 25/tcp mail\n"
	    "dns 53/udp\ndomain 53/tcp\nbad\nworse 99\nlarge 65558/tcp\nlast 80/tcp";
	static const struct { uint16_t port; const char *name; } rows[] = { { 22, "ssh" }, { 25, "smtp" },
		{ 53, "dns" }, { 80, "last" }, { 7, "" }, { 99, "" }, { 0, "" } };
	char name[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		name[0] = '\0';
		CHECK_INT(dt_service_find(text, rows[i].port, name, sizeof(name)), rows[i].name[0] != '\0');
		CHECK_STR(name, rows[i].name);
	}
	CHECK(dt_service_find(text, 53, name, 3));
	CHECK_STR(name, "dn");
}

int main(void)
{
	struct dt_arena *a = dt_arena_new();

	if (!a)
		return 1;
	test_arena(a);
	test_oom();
	test_map(a);
	test_place(a);
	test_message(a);
	test_long_line(a);
	test_near();
	test_clean();
	test_glob();
	test_file();
	test_peek();
	test_services();
	dt_arena_free(a);
	return check_report("base_test");
}
