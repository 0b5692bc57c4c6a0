/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdtrace through its public header: handles, options, errors, descriptions, types, programs, and what
 * a failed compile leaves.
 */
#include "check.h"
#include "dtrace.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static dtrace_hdl_t *open_plain(void)
{
	int err = -1;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV | DTRACE_O_NOSYS, &err);

	CHECK(h != NULL && err == 0);
	return h;
}

static dtrace_prog_t *compile(dtrace_hdl_t *h, const char *text)
{
	return dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS | DTRACE_C_NOLIBS, 0,
	    NULL);
}

static const char *message(dtrace_hdl_t *h)
{
	return dtrace_errmsg(h, dtrace_errno(h));
}

/* The listing with addresses of DIFOs taken out; malloc'ed. */
static char *listing(dtrace_hdl_t *h, dtrace_prog_t *p)
{
	char *text = NULL, *from, *to;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	CHECK_INT(dtrace_program_dump(h, p, f), 0);
	fclose(f);
	for (from = to = text; *from;) {
		if (strncmp(from, "DIFO 0x", 7) == 0) {
			memmove(to, "DIFO", 4);
			to += 4;
			from += 7 + strspn(from + 7, "0123456789abcdef");
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return text;
}

/* ---- handles ---- */

static void test_open(void)
{
	static const struct { int version, flags, err; } bad[] = {
		{ 0, 0, EINVAL }, { -1, 0, EINVAL }, { DTRACE_VERSION + 1, 0, EDT_VERSION },
		{ DTRACE_VERSION - 1, 0, EDT_OVERSION }, { DTRACE_VERSION, 0x100, EINVAL },
		{ DTRACE_VERSION, DTRACE_O_LP64 | DTRACE_O_ILP32, EINVAL },
		{ DTRACE_VERSION, DTRACE_O_ILP32 | DTRACE_O_NODEV, EDT_DATAMODEL },
	};
	int err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err = 0;
		CHECK(dtrace_open(bad[i].version, bad[i].flags, &err) == NULL);
		CHECK_INT(err, bad[i].err);
		CHECK(dtrace_errmsg(NULL, err)[0] != '\0');
	}
	CHECK(dtrace_open(0, 0, NULL) == NULL);
	dtrace_close(NULL);
	dtrace_close(dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, NULL));
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV | DTRACE_O_LP64, &err);
	CHECK(h != NULL && dtrace_init(h) == 0 && dtrace_errno(h) == 0);
	dtrace_close(h);
}

/* Names of one handle are unknown to another, and both go on working. */
static void test_handles(void)
{
	dtrace_hdl_t *a = open_plain(), *b = open_plain();

	CHECK(compile(a, "int shared; typedef int mine_t; BEGIN { shared = 1; @agg = count(); }") != NULL);
	CHECK(compile(b, "BEGIN { trace(shared); }") == NULL);
	CHECK(strstr(message(b), "shared") != NULL);
	CHECK(compile(b, "BEGIN { trace((mine_t)1); }") == NULL);
	CHECK(compile(b, "BEGIN { @agg = sum(1); }") != NULL);
	CHECK(compile(a, "BEGIN { trace(shared + (mine_t)2); @agg = count(); }") != NULL);
	CHECK(dtrace_setopt(a, "strsize", "64") == 0);
	dtrace_optval_t v = 0;
	CHECK(dtrace_getopt(b, "strsize", &v) == 0 && v != 64);
	dtrace_close(a);
	CHECK(compile(b, "BEGIN { trace(\"still here\"); }") != NULL);
	dtrace_close(b);
}

static void *worker(void *arg)
{
	bool *good = arg;
	char *first = NULL;

	*good = true;
	for (int i = 0; i < 20; i++) {
		dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV | DTRACE_O_NOSYS, NULL);
		dtrace_prog_t *p = dtrace_program_strcompile(h,
		    "syscall:::entry /pid == 1/ { @[execname] = count(); self->t = timestamp; }",
		    DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS, 0, NULL);
		char *text = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		*good &= p != NULL && dtrace_program_dump(h, p, f) == 0;
		*good &= compile(h, "BEGIN { trace(nosuch); }") == NULL &&
		    strstr(message(h), "nosuch") != NULL;
		fclose(f);
		*good &= len > 100;
		free(first);
		first = text;
		dtrace_close(h);
	}
	free(first);
	return NULL;
}

static void test_threads(void)
{
	enum { N = 4 };
	pthread_t thread[N];
	bool good[N] = { false };

	for (int i = 0; i < N; i++)
		CHECK_INT(pthread_create(&thread[i], NULL, worker, &good[i]), 0);
	for (int i = 0; i < N; i++) {
		pthread_join(thread[i], NULL);
		CHECK(good[i]);
	}
}

/* ---- options and errors ---- */

static void test_options(void)
{
	dtrace_hdl_t *h = open_plain();
	dtrace_optval_t v = 0;

	CHECK(dtrace_setopt(h, "bufsize", "2m") == 0 && dtrace_getopt(h, "bufsize", &v) == 0);
	CHECK_INT(v, 2 << 20);
	CHECK_INT(dtrace_setopt(h, "nosuchoption", "1"), -1);
	CHECK_INT(dtrace_errno(h), EDT_BADOPTNAME);
	CHECK(message(h)[0] != '\0');
	CHECK_INT(dtrace_setopt(h, "bufsize", "many"), -1);
	CHECK_INT(dtrace_errno(h), EDT_BADOPTVAL);
	CHECK(dtrace_getopt(h, "bufsize", &v) == 0 && v == 2 << 20);
	CHECK_INT(dtrace_getopt(h, "nosuchoption", &v), -1);
	CHECK_INT(dtrace_errno(h), EDT_BADOPTNAME);
	CHECK_INT(dtrace_setopt(h, NULL, "1"), -1);
	CHECK_INT(dtrace_errno(h), EINVAL);
	CHECK_INT(dtrace_getopt(h, NULL, &v), -1);
	CHECK_INT(dtrace_getopt(h, "bufsize", NULL), -1);
	CHECK(dtrace_getopt(h, "quiet", &v) == 0 && v == DTRACEOPT_UNSET);
	CHECK(dtrace_setopt(h, "quiet", NULL) == 0 && dtrace_getopt(h, "quiet", &v) == 0 &&
	    v != DTRACEOPT_UNSET);
	CHECK_INT(dtrace_setopt(h, "amin", "Nonsense"), -1);
	CHECK_INT(dtrace_errno(h), EDT_BADOPTVAL);
	dtrace_close(h);
}

static void test_errors(void)
{
	dtrace_hdl_t *h = open_plain();

	CHECK(compile(h, "BEGIN { trace(nosuch); }") == NULL);
	CHECK_INT(dtrace_errno(h), EDT_COMPILER);
	CHECK(strstr(message(h), "nosuch") != NULL && strchr(message(h), '\n') == NULL);
	CHECK(strstr(dtrace_errexcerpt(h), "^") != NULL);
	CHECK(dtrace_program_strcompile(h, "BEGIN { trace(nosuch); }", DTRACE_PROBESPEC_NAME,
	    DTRACE_C_ETAGS | DTRACE_C_NOLIBS, 0, NULL) == NULL);
	CHECK(strstr(message(h), "[D_") != NULL);
	CHECK(compile(h, "BEGIN { trace(1); }") != NULL);
	CHECK_INT(dtrace_errno(h), 0);
	CHECK_STR(dtrace_errexcerpt(h), "");
	for (int e = EDT_BASE; e < EDT_MAX; e++)
		CHECK(dtrace_errmsg(h, e) != NULL && dtrace_errmsg(h, e)[0] != '\0');
	CHECK_STR(dtrace_errmsg(NULL, ENOENT), strerror(ENOENT));
	CHECK(dtrace_errmsg(NULL, -5)[0] != '\0' && dtrace_errmsg(NULL, EDT_MAX + 7)[0] != '\0');
	CHECK_STR(dtrace_faultstr(h, 1), "invalid address");
	CHECK_STR(dtrace_faultstr(h, 4), "divide-by-zero");
	CHECK_STR(dtrace_faultstr(h, 1000), "library-level fault");
	CHECK_STR(dtrace_faultstr(h, -1), "unknown fault");
	CHECK_STR(dtrace_subrstr(h, 25), "basename");
	CHECK(dtrace_subrstr(h, -1) != NULL && dtrace_subrstr(h, 9999) != NULL);
	dtrace_close(h);
}

static void test_bad_arguments(void)
{
	dtrace_hdl_t *h = open_plain();
	dtrace_probedesc_t d;
	dtrace_typeinfo_t t;

	CHECK(dtrace_program_strcompile(h, NULL, DTRACE_PROBESPEC_NAME, 0, 0, NULL) == NULL &&
	    dtrace_errno(h) == EINVAL);
	CHECK(dtrace_program_strcompile(h, "BEGIN", DTRACE_PROBESPEC_NAME, 0x80000000u, 0, NULL) == NULL &&
	    dtrace_errno(h) == EINVAL);
	CHECK(dtrace_program_strcompile(h, "BEGIN { trace($1); }", DTRACE_PROBESPEC_NAME, 0, 2,
	    NULL) == NULL && dtrace_errno(h) == EINVAL);
	CHECK(dtrace_program_strcompile(h, "BEGIN { trace($1); }", DTRACE_PROBESPEC_NAME, 0, -2,
	    NULL) == NULL && dtrace_errno(h) == EINVAL);
	CHECK(dtrace_program_fcompile(h, NULL, 0, 0, NULL) == NULL && dtrace_errno(h) == EINVAL);
	CHECK(dtrace_program_load(h, NULL) == NULL && dtrace_errno(h) == EINVAL);
	CHECK(dtrace_program_save(h, NULL, stdout) == -1 && dtrace_errno(h) == EINVAL);
	CHECK(dtrace_program_dump(h, NULL, stdout) == -1 && dtrace_errno(h) == EINVAL);
	CHECK(dtrace_dof_create(h, NULL, 0) == NULL && dtrace_errno(h) == EINVAL);
	CHECK(dtrace_stmt_iter(h, NULL, NULL, NULL) == -1 && dtrace_errno(h) == EINVAL);
	CHECK(dtrace_str2desc(h, DTRACE_PROBESPEC_NAME, NULL, &d) == -1 && dtrace_errno(h) == EINVAL);
	CHECK(dtrace_str2desc(h, DTRACE_PROBESPEC_NAME, "x", NULL) == -1 && dtrace_errno(h) == EINVAL);
	CHECK(dtrace_type_strcompile(h, NULL, &t) == -1 && dtrace_errno(h) == EINVAL);
	CHECK(dtrace_type_strcompile(h, "int", NULL) == -1 && dtrace_errno(h) == EINVAL);
	dtrace_dof_destroy(h, NULL);
	dtrace_close(h);
}

/* ---- what a failed compile leaves: nothing ---- */

static void test_no_trace(void)
{
	static const char *const declares[] = {
		"int leftover; BEGIN { trace(nosuch); }", "BEGIN { leftover = 1; trace(nosuch); }",
		"BEGIN { self->leftover = 1; trace(nosuch); }",
		"BEGIN { @leftover = count(); trace(nosuch); }",
		"typedef int leftover; BEGIN { trace(nosuch); }",
		"inline int leftover = 3; BEGIN { trace(nosuch); }",
		"enum e { leftover = 3 }; BEGIN { trace(nosuch); }",
		"string leftover[int]; BEGIN { trace(nosuch); }",
		"struct leftover { int a; }; BEGIN { trace(nosuch); }",
	};
	/* works only when the name is free, or means something else */
	static const char *const then[] = {
		"string leftover; BEGIN { leftover = \"x\"; trace(leftover); }",
		"BEGIN { leftover = \"x\"; trace(leftover); }", "BEGIN { self->leftover = \"x\"; }",
		"BEGIN { @leftover[1] = sum(2); }", "BEGIN { leftover = 7; trace(leftover); }",
		"BEGIN { leftover = 8; }", "BEGIN { leftover = 9; }", "BEGIN { leftover = 10; }",
		"struct leftover { string b; }; BEGIN { trace(sizeof (struct leftover)); }",
	};

	for (size_t i = 0; i < sizeof(declares) / sizeof(declares[0]); i++) {
		dtrace_hdl_t *h = open_plain();

		CHECK(compile(h, declares[i]) == NULL);
		if (!CHECK(compile(h, then[i]) != NULL))
			fprintf(stderr, "after %s\n%s: %s\n", declares[i], then[i], message(h));
		dtrace_close(h);
	}
}

/* Options set by the text of a program that fails are as before; libraries it loaded can be loaded again. */
static void test_no_trace_options(void)
{
	dtrace_hdl_t *h = open_plain();
	dtrace_optval_t v = 0;

	CHECK(compile(h,
	    "#pragma D option quiet\n#pragma D option strsize=32\nBEGIN { trace(nosuch); }") == NULL);
	CHECK(dtrace_getopt(h, "quiet", &v) == 0 && v == DTRACEOPT_UNSET);
	CHECK(dtrace_getopt(h, "strsize", &v) == 0 && v != 32);
	dtrace_prog_t *p = compile(h, "BEGIN { trace(\"x\"); }");
	char *text = listing(h, p);
	CHECK(strstr(text, "(size 256)") != NULL);
	free(text);
	CHECK(compile(h, "#pragma D option quiet\nBEGIN { trace(1); }") != NULL);
	CHECK(dtrace_getopt(h, "quiet", &v) == 0 && v != DTRACEOPT_UNSET);
	CHECK(dtrace_program_strcompile(h, "BEGIN { trace(PROBE_nosuch); }", DTRACE_PROBESPEC_NAME,
	    DTRACE_C_ZDEFS, 0, NULL) == NULL);
	CHECK(dtrace_program_strcompile(h, "BEGIN /errno == ENOENT/ { trace(O_RDONLY); trace(nosuch); }",
	    DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS, 0, NULL) == NULL);
	if (!CHECK(dtrace_program_strcompile(h, "BEGIN /errno == ENOENT/ { trace(O_RDONLY); }",
	    DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS, 0, NULL) != NULL))
		fprintf(stderr, "%s\n", message(h));
	dtrace_close(h);
}

/* Many programs on one handle; they see each other's variables and aggregations. */
static void test_several_programs(void)
{
	dtrace_hdl_t *h = open_plain();
	char text[128];

	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), i % 3 ? "BEGIN { x%d = %d; @a[x%d] = count(); }" :
		    "BEGIN { trace(nosuch%d + %d + %d); }", i, i, i);
		CHECK((compile(h, text) != NULL) == (i % 3 != 0));
	}
	CHECK(compile(h, "BEGIN { trace(x1 + x98); printa(@a); }") != NULL);
	CHECK(compile(h, "BEGIN { @a[1] = sum(2); }") == NULL);
	CHECK(compile(h, "BEGIN { @a[\"text\"] = count(); }") == NULL);
	dtrace_close(h);
}

/* ---- descriptions, attributes, types ---- */

static void test_descriptions(void)
{
	static const struct { dtrace_probespec_t spec; const char *text, *back; } good[] = {
		{ DTRACE_PROBESPEC_NAME, "syscall::read:entry", "syscall::read:entry" },
		{ DTRACE_PROBESPEC_NAME, "BEGIN", ":::BEGIN" },
		{ DTRACE_PROBESPEC_NAME, "read:entry", "::read:entry" },
		{ DTRACE_PROBESPEC_FUNC, "read", "::read:" },
		{ DTRACE_PROBESPEC_FUNC, "vmlinux:read", ":vmlinux:read:" },
		{ DTRACE_PROBESPEC_MOD, "fbt:ext4", "fbt:ext4::" },
		{ DTRACE_PROBESPEC_PROVIDER, "syscall", "syscall:::" },
		{ DTRACE_PROBESPEC_NAME, "a*:?b:[cd]:!e", "a*:?b:[cd]:!e" },
	};
	/* the historic codes, and not EDT_COMPILER */
	static const struct { dtrace_probespec_t spec; const char *text; int err; } bad[] = {
		{ DTRACE_PROBESPEC_NAME, "a:b:c:d:e", EDT_BADSPEC },
		{ DTRACE_PROBESPEC_PROVIDER, "a:b", EDT_BADSPEC },
		{ DTRACE_PROBESPEC_NONE, "a", EDT_BADSPEC },
		{ DTRACE_PROBESPEC_NAME + 1, "a", EINVAL },
		{ DTRACE_PROBESPEC_NAME, "pid$1:::entry", EDT_BADSPCV },
		{ DTRACE_PROBESPEC_NAME, "pid$nosuch:::entry", EDT_BADSPCV },
	};
	dtrace_hdl_t *h = open_plain();
	char buf[DTRACE_DESC2STR_MAX], small[8];
	dtrace_probedesc_t d;
	char *const argv[] = { "x", "read" };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (!CHECK(dtrace_str2desc(h, good[i].spec, good[i].text, &d) == 0))
			fprintf(stderr, "%s: %s\n", good[i].text, message(h));
		else
			CHECK_STR(dtrace_desc2str(&d, buf, sizeof(buf)), good[i].back);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_INT(dtrace_str2desc(h, bad[i].spec, bad[i].text, &d), -1);
		CHECK_INT(dtrace_errno(h), bad[i].err);
	}
	CHECK(strstr(message(h), "Undefined macro variable in probe description") != NULL);
	CHECK_STR(dtrace_desc2str(&(dtrace_probedesc_t){ .dtpd_id = 42 }, buf, sizeof(buf)), "42");
	memset(buf, 'x', sizeof(buf) - 1);
	buf[sizeof(buf) - 1] = '\0';
	CHECK_INT(dtrace_str2desc(h, DTRACE_PROBESPEC_NAME, buf, &d), -1);
	CHECK_INT(dtrace_errno(h), ENAMETOOLONG);
	CHECK(dtrace_xstr2desc(h, DTRACE_PROBESPEC_NAME, "syscall::$1:entry", 2, argv, &d) == 0);
	CHECK_STR(d.dtpd_func, "read");
	CHECK_STR(dtrace_desc2str(&d, small, sizeof(small)), "syscall");
	CHECK(compile(h, "BEGIN { trace(1); }") != NULL);
	dtrace_close(h);
}

static void test_attributes(void)
{
	dtrace_attribute_t a = { 0 };
	char buf[DTRACE_ATTR2STR_MAX];

	CHECK_INT(dtrace_str2attr("Stable/Evolving/Common", &a), 0);
	CHECK(a.dtat_name == DTRACE_STABILITY_STABLE && a.dtat_data == DTRACE_STABILITY_EVOLVING &&
	    a.dtat_class == DTRACE_CLASS_COMMON);
	CHECK_STR(dtrace_attr2str(a, buf, sizeof(buf)), "Stable/Evolving/Common");
	for (int s = 0; s <= DTRACE_STABILITY_MAX; s++)
		for (int c = 0; c <= DTRACE_CLASS_MAX; c++) {
			dtrace_attribute_t in = { (uint8_t)s, (uint8_t)(DTRACE_STABILITY_MAX - s),
				(uint8_t)c }, out = { 0 };
			CHECK(dtrace_attr2str(in, buf, sizeof(buf)) != NULL &&
			    dtrace_str2attr(buf, &out) == 0 && memcmp(&in, &out, sizeof(in)) == 0);
		}
	CHECK_INT(dtrace_str2attr("External/Private", &a), 0);	/* what is left out is the highest */
	CHECK_STR(dtrace_attr2str(a, buf, sizeof(buf)), "External/Private/Common");
	CHECK_INT(dtrace_str2attr("Stable/Evolving/Common/More", &a), -1);
	CHECK_INT(dtrace_str2attr("Nonsense/Evolving/Common", &a), -1);
	CHECK_INT(dtrace_str2attr(NULL, &a), -1);
	CHECK_INT(dtrace_str2attr("Stable/Evolving/Common", NULL), -1);
	CHECK(dtrace_attr2str((dtrace_attribute_t){ 99, 0, 0 }, buf, sizeof(buf)) == NULL);
	CHECK_STR(dtrace_stability_name(DTRACE_STABILITY_STANDARD), "Standard");
	CHECK(dtrace_stability_name(200) == NULL && dtrace_class_name(200) == NULL);
	CHECK_STR(dtrace_class_name(DTRACE_CLASS_ISA), "ISA");
}

static void test_types(void)
{
	dtrace_hdl_t *h = open_plain();
	dtrace_typeinfo_t a, b;

	CHECK(dtrace_type_strcompile(h, "unsigned long", &a) == 0 && a.dtt_type != NULL &&
	    a.dtt_object != NULL);
	CHECK(dtrace_type_strcompile(h, "long unsigned", &b) == 0 && a.dtt_type == b.dtt_type);
	CHECK(dtrace_type_strcompile(h, "int (*)[3]", &a) == 0 &&
	    dtrace_type_strcompile(h, "string", &a) == 0);
	CHECK(dtrace_type_strcompile(h, "userland char *", &a) == 0 && (a.dtt_flags & DTT_FL_USER));
	CHECK(dtrace_type_strcompile(h, "struct nosuch", &a) == -1 || a.dtt_type != NULL);
	CHECK_INT(dtrace_type_strcompile(h, "nosuch_t", &a), -1);
	CHECK(message(h)[0] != '\0');
	CHECK_INT(dtrace_type_strcompile(h, "int x; BEGIN", &a), -1);
	CHECK_INT(dtrace_type_strcompile(h, "", &a), -1);
	CHECK(compile(h, "typedef struct p { int x; } p_t; BEGIN { trace(1); }") != NULL);
	CHECK(dtrace_type_strcompile(h, "p_t *", &a) == 0);
	dtrace_close(h);
}

/* ---- programs ---- */

static void test_info(void)
{
	dtrace_hdl_t *h = open_plain();
	dtrace_proginfo_t info;
	char buf[DTRACE_ATTR2STR_MAX];

	dtrace_prog_t *p = compile(h,
	    "BEGIN { trace(1); printf(\"%d %d\", 1, 2); @a[execname] = count(); @b = sum(1); x = 1; }"
	    "END { } BEGIN { speculate(speculation()); trace(1); }");
	dtrace_program_info(h, p, &info);
	CHECK_INT(info.dpi_aggregates, 2);
	CHECK_INT(info.dpi_speculations, 1);
	/* trace, two of printf, END's default, the last trace; L7: numbers of @a and @b, the key of @a */
	CHECK_INT(info.dpi_recgens, 8);
	CHECK(dtrace_attr2str(info.dpi_stmtattr, buf, sizeof(buf)) != NULL &&
	    dtrace_attr2str(info.dpi_descattr, buf, sizeof(buf)) != NULL);
	dtrace_close(h);
}

struct walk { int calls, stop_at; char names[256]; const dtrace_ecbdesc_t *last; int ecbs; };

static int visit(dtrace_hdl_t *h, dtrace_prog_t *p, dtrace_stmtdesc_t *s, void *arg)
{
	struct walk *w = arg;

	(void)h;
	(void)p;
	if (s->dtsd_ecbdesc != w->last)
		w->ecbs++;
	w->last = s->dtsd_ecbdesc;
	strcat(w->names, s->dtsd_ecbdesc->dted_probe.dtpd_name);
	strcat(w->names, " ");
	return ++w->calls == w->stop_at ? 77 : 0;
}

static void test_statements(void)
{
	dtrace_hdl_t *h = open_plain();
	dtrace_prog_t *p = compile(h,
	    "BEGIN { trace(1); printf(\"%d %d\", 1, 2); x = 1; } END { } BEGIN, END { @a[pid] = sum(1); }");
	struct walk w = { 0 };

	CHECK_INT(dtrace_stmt_iter(h, p, visit, &w), 0);
	CHECK_STR(w.names, "BEGIN BEGIN BEGIN END BEGIN END ");
	w = (struct walk){ .stop_at = 2 };
	CHECK_INT(dtrace_stmt_iter(h, p, visit, &w), 77);
	CHECK_INT(w.calls, 2);
	dtrace_close(h);
}

/* Saved and loaded, into the same handle and another: the same listing and the same bytes. */
static void test_save_load(void)
{
	static const char program[] =
	    "#pragma D option quiet\nstruct s { int a; }; syscall::read:entry /pid == 1 && execname == \"x\"/"
	    "{ self->t = timestamp; @q[execname, stack()] = quantize(arg0); printf(\"%s %d\\n"
	    "\", execname, ((struct s *)arg0)->a);"
	    " if (arg1) trace(1); else trace(\"two\"); m[pid, \"k\"] = 1; } END { printa(\"%s %@d\\n"
	    "\", @n); @n[\"a\"] = count(); }";
	dtrace_hdl_t *h = open_plain(), *other = open_plain();
	dtrace_prog_t *p, *back;
	char *dof = NULL, *again = NULL, *text, *text2;
	size_t len, len2;
	FILE *f;

	p = compile(h, "BEGIN { @n[\"a\"] = count(); }");
	p = compile(h, program);
	if (!CHECK(p != NULL)) {
		fprintf(stderr, "%s\n", message(h));
		return;
	}
	f = tmpfile();
	CHECK_INT(dtrace_program_save(h, p, f), 0);
	rewind(f);
	back = dtrace_program_load(other, f);
	fclose(f);
	CHECK(back != NULL);
	text = listing(h, p);
	text2 = listing(other, back);
	CHECK(strstr(text2, "ldgs DT_VAR(278), %r1") != NULL);
	/*
	 * the listing of a compile leaves out constants that name aggregations, and shows what expression
	 * statements return
	 */
	CHECK(strlen(text2) >= strlen(text) / 2);
	free(text);
	free(text2);
	f = open_memstream(&dof, &len);
	CHECK_INT(dtrace_program_save(h, p, f), 0);
	fclose(f);
	f = open_memstream(&again, &len2);
	CHECK_INT(dtrace_program_save(other, back, f), 0);
	fclose(f);
	CHECK(len == len2 && memcmp(dof, again, len) == 0);
	void *made = dtrace_dof_create(h, p, 0);
	CHECK(made != NULL && memcmp(made, dof, len) == 0);
	dtrace_dof_destroy(h, made);
	CHECK(dtrace_dof_create(h, p, 0x1000) == NULL && dtrace_errno(h) == EINVAL);
	free(dof);
	free(again);
	dtrace_close(h);
	CHECK(compile(other, "BEGIN { trace(1); }") != NULL);
	dtrace_close(other);
}

static void test_load_bad(void)
{
	dtrace_hdl_t *h = open_plain();
	FILE *f = tmpfile();

	CHECK(dtrace_program_load(h, f) == NULL);
	CHECK_INT(dtrace_errno(h), EDT_DIFINVAL);
	fputs("this is not DOF at all, only a text of some length to look at, which goes on for more than a "
	    "header", f);
	rewind(f);
	CHECK(dtrace_program_load(h, f) == NULL);
	CHECK_INT(dtrace_errno(h), EDT_DIFINVAL);
	CHECK(strstr(message(h), "DIF program content is invalid") != NULL);
	fclose(f);
	f = fopen("/", "r");
	if (f) {
		CHECK(dtrace_program_load(h, f) == NULL && dtrace_program_fcompile(h, f, 0, 0, NULL) == NULL);
		CHECK_INT(dtrace_errno(h), EDT_FIO);
		fclose(f);
	}
	CHECK(compile(h, "BEGIN { trace(1); }") != NULL);
	dtrace_close(h);
}

static void test_operands(void)
{
	dtrace_hdl_t *h = open_plain();
	char *const argv[] = { "me", "12", "text" };
	unsigned flags = DTRACE_C_ZDEFS | DTRACE_C_NOLIBS;

	CHECK(dtrace_program_strcompile(h, "BEGIN { trace($1); trace($$2); trace($$0); }",
	    DTRACE_PROBESPEC_NAME, flags, 3, argv) != NULL);
	CHECK(dtrace_program_strcompile(h, "BEGIN { trace($1); }", DTRACE_PROBESPEC_NAME, flags, 3,
	    argv) == NULL);
	CHECK(dtrace_program_strcompile(h, "BEGIN { trace($1); }", DTRACE_PROBESPEC_NAME,
	    flags | DTRACE_C_ARGREF, 3, argv) != NULL);
	CHECK(dtrace_program_strcompile(h, "BEGIN { trace($9); }", DTRACE_PROBESPEC_NAME,
	    flags | DTRACE_C_ARGREF, 3, argv) == NULL);
	CHECK(dtrace_program_strcompile(h, "BEGIN { trace($9); }", DTRACE_PROBESPEC_NAME,
	    flags | DTRACE_C_ARGREF | DTRACE_C_DEFARG, 3, argv) != NULL);
	CHECK(dtrace_program_strcompile(h, "", DTRACE_PROBESPEC_NAME, flags | DTRACE_C_EMPTY, 0,
	    NULL) != NULL);
	CHECK(dtrace_program_strcompile(h, "", DTRACE_PROBESPEC_NAME, flags, 0, NULL) == NULL);
	dtrace_close(h);
}

int main(void)
{
	test_open();
	test_handles();
	test_threads();
	test_options();
	test_errors();
	test_bad_arguments();
	test_no_trace();
	test_no_trace_options();
	test_several_programs();
	test_descriptions();
	test_attributes();
	test_types();
	test_info();
	test_statements();
	test_save_load();
	test_load_bad();
	test_operands();
	return check_report("api");
}
