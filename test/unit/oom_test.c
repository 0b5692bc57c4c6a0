/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory runs out at each allocation in turn (R 4.1 (5)): the linker sends the library's calls of malloc()
 * and its kin here (Makefile), where the one that is due fails, or it and all that follow. Every call of the
 * library then succeeds or says EDT_NOMEM; nothing crashes, no descriptor stays open and, where the
 * sanitizers look, nothing leaks. While tracing only one allocation in 23 is made to fail, unless OOM_ALL is
 * set, as ./check does; a command that is started takes longer, and fewer are (`least` with OOM_ALL).
 */
#include "check.h"
#include "dtrace.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
static bool leaks(void) { return __lsan_do_recoverable_leak_check() != 0; }
#else
static bool leaks(void) { return false; }
#endif

/* ---- the allocations ---- */

static unsigned long made, due;		/* allocations since the start of a run; the one that fails, 0 none */
static bool from_then_on;

static bool fails(void)
{
	made++;
	if (due == 0 || made < due || (made > due && !from_then_on))
		return false;
	errno = ENOMEM;
	return true;
}

#define WRAP(result, name, params, args, bad) \
	result __real_##name params; \
	result __wrap_##name params; \
	result __wrap_##name params { return fails() ? bad : __real_##name args; }

WRAP(void *, malloc, (size_t n), (n), NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL)
WRAP(void *, reallocarray, (void *p, size_t n, size_t size), (p, n, size), NULL)
WRAP(char *, strdup, (const char *s), (s), NULL)
WRAP(char *, strndup, (const char *s, size_t n), (s, n), NULL)
WRAP(void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t off),
    (at, n, prot, flags, fd, off), MAP_FAILED)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
WRAP(FILE *, open_memstream, (char **text, size_t *len), (text, len), NULL)
WRAP(DIR *, opendir, (const char *path), (path), NULL)
WRAP(ssize_t, getline, (char **line, size_t *n, FILE *f), (line, n, f), -1)

int __wrap_asprintf(char **out, const char *fmt, ...);
int __wrap_asprintf(char **out, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (fails())
		return -1;
	va_start(ap, fmt);
	n = vasprintf(out, fmt, ap);
	va_end(ap);
	return n;
}

/* ---- one run ---- */

struct run { dtrace_hdl_t *h; FILE *out; int refused; };

static int good(struct run *r, int rv, const char *what)
{
	if (rv >= 0)
		return 1;
	/* a failure without an error is none of them */
	r->refused = dtrace_errno(r->h) != 0 ? dtrace_errno(r->h) : -1;
	if (r->refused != EDT_NOMEM)
		fprintf(stderr, "allocation %lu%s: %s: %d %s\n", due, from_then_on ? " and on" : "", what,
		    r->refused,
		    dtrace_errmsg(r->h, dtrace_errno(r->h)));
	return 0;
}

static dtrace_prog_t *compile(struct run *r, const char *text)
{
	dtrace_prog_t *p = dtrace_program_strcompile(r->h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	(void)good(r, p != NULL ? 0 : -1, "compile");
	return p;
}

static int seen(dtrace_hdl_t *h, const dtrace_probedesc_t *d, void *arg)
{
	dtrace_probeinfo_t info;

	if (dtrace_probe_info(h, d, &info) != 0)
		return -1;
	*(int *)arg += 1;
	return 0;
}

/*
 * The compiler alone, which needs no rights: libraries, types, translators, DOF, a listing, a type, a
 * description.
 */
static void compiles(struct run *r)
{
	dtrace_probedesc_t d;
	dtrace_typeinfo_t t;
	dtrace_prog_t *p;
	void *dof;

	if (!good(r, dtrace_setopt(r->h, "strsize", "128"), "setopt") ||
	    !good(r, dtrace_setopt(r->h, "define", "A=1"), "setopt"))
		return;
	p = compile(r, "BEGIN { trace(curpsinfo->pr_fname); "
	    "printf(\"%d %s\", SIGKILL, execname); @a[pid, ustack()] = quantize(arg0); }");
	if (p == NULL || !good(r, dtrace_program_dump(r->h, p, r->out), "dump"))
		return;
	dof = dtrace_dof_create(r->h, p, 0);
	if (!good(r, dof != NULL ? 0 : -1, "dof_create"))
		return;
	dtrace_dof_destroy(r->h, dof);
	(void)(good(r, dtrace_type_strcompile(r->h, "struct task_struct *", &t), "type_strcompile") &&
	    good(r, dtrace_str2desc(r->h, DTRACE_PROBESPEC_NAME, "syscall::read:entry", &d), "str2desc") &&
	    good(r, dtrace_lookup_by_name(r->h, DTRACE_OBJ_EVERY, "vfs_read", NULL, NULL), "lookup_by_name"));
}

/* A program that is wrong stays wrong, or there is no memory to see it. */
static void fails_to_compile(struct run *r)
{
	dtrace_prog_t *p = dtrace_program_strcompile(r->h, "BEGIN { trace(curpsinfo->nosuch); }",
	    DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	CHECK(p == NULL);
	if (dtrace_errno(r->h) != EDT_COMPILER)
		(void)good(r, -1, "compile what is wrong");
	else
		CHECK(dtrace_errmsg(r->h, EDT_COMPILER)[0] != '\0' && dtrace_errexcerpt(r->h) != NULL);
	due = 0;
	/* and the handle is as good as before */
	CHECK(compile(r, "BEGIN { trace(curpsinfo->pr_fname); }") != NULL);
}

static int on_probe(const dtrace_probedata_t *d, void *arg)
{
	(void)d, (void)arg;
	return DTRACE_CONSUME_THIS;
}

static int on_record(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	(void)d, (void)arg;
	return rec != NULL ? DTRACE_CONSUME_THIS : DTRACE_CONSUME_NEXT;
}

static int on_aggregation(const dtrace_aggdata_t *a, void *arg)
{
	(void)a, (void)arg;
	return DTRACE_AGGWALK_NEXT;
}

static void work(struct run *r)
{
	dtrace_workstatus_t status = DTRACE_WORKSTATUS_OKAY;

	while (status == DTRACE_WORKSTATUS_OKAY) {
		dtrace_sleep(r->h);
		status = dtrace_work(r->h, r->out, on_probe, on_record, NULL);
		if (!good(r, status, "work"))
			return;
	}
	(void)(good(r, dtrace_aggregate_snap(r->h), "snap") &&
	    good(r, dtrace_aggregate_walk_valsorted(r->h, on_aggregation, NULL), "walk_valsorted") &&
	    good(r, dtrace_aggregate_walk(r->h, on_aggregation, NULL), "walk") &&
	    good(r, dtrace_aggregate_print(r->h, r->out, NULL), "aggregate_print"));
}

/* From the list of probes to the last aggregation. */
static void traces(struct run *r)
{
	dtrace_probedesc_t d;
	dtrace_prog_t *p;
	int n = 0;

	if (!good(r, dtrace_setopt(r->h, "bufsize", "64k"), "setopt") ||
	    !good(r, dtrace_setopt(r->h, "aggsize", "64k"), "setopt") ||
	    !good(r, dtrace_str2desc(r->h, DTRACE_PROBESPEC_NAME, "syscall::getp*:entry", &d), "str2desc") ||
	    !good(r, dtrace_probe_iter(r->h, &d, seen, &n), "probe_iter"))
		return;
	p = compile(r, "BEGIN { x[1] = 2; trace(x[1]); "
	    "printf(\"%s %d\\n\", execname, pid); @a[execname] = count(); @q[1, 2] = quantize(8); }"
	    "syscall::getpid:entry /pid == $pid/ { @a[probefunc] = count(); stack(); } "
	    "BEGIN { printa(\"%s %@d\\n\", @a); exit(0); }"
	    "END { trace(\"over\"); }");
	if (p == NULL || !good(r, dtrace_program_exec(r->h, p, NULL), "exec") ||
	    !good(r, dtrace_go(r->h), "go"))
		return;
	work(r);
}

/* A command that is started, held, traced in its functions and through its stacks, and let go. */
static void traces_command(struct run *r, const char *format)
{
	char *argv[] = { "/bin/true", NULL };
	struct ps_prochandle *p;
	dtrace_prog_t *prog;

	if (!good(r, dtrace_setopt(r->h, "bufsize", "64k"), "setopt") ||
	    !good(r, dtrace_setopt(r->h, "aggsize", "64k"), "setopt") ||
	    !good(r, dtrace_setopt(r->h, "oformat", format), "setopt"))
		return;
	p = dtrace_proc_create(r->h, argv[0], argv);
	if (!good(r, p != NULL ? 0 : -1, "proc_create"))
		return;
	prog = compile(r, "pid$target::exit:entry { @a[probefunc, ustack(2)] = count(); "
	    "printf(\"%s\\n\", execname); } "
	    "pid$target::exit:entry { exit(0); } END { printa(@a); }");
	if (prog == NULL || !good(r, dtrace_program_exec(r->h, prog, NULL), "exec") ||
	    !good(r, dtrace_go(r->h), "go"))
		return;
	dtrace_proc_continue(r->h, p);
	work(r);
}

static void traces_text(struct run *r) { traces_command(r, "text"); }
static void traces_json(struct run *r) { traces_command(r, "json"); }
static void traces_csv(struct run *r) { traces_command(r, "csv"); }

/* -h and -G: what a declared provider becomes. */
static void links(struct run *r)
{
	char path[] = "/tmp/oom_linkXXXXXX";
	dtrace_prog_t *p = compile(r, "provider oomtest { probe one(int, char *); probe two__three(); };");
	int fd;

	if (p == NULL || !good(r, dtrace_program_header(r->h, r->out, NULL), "header"))
		return;
	fd = mkstemp(path);
	(void)good(r, dtrace_program_link(r->h, p, 0, path, 0, NULL), "link");
	close(fd);
	unlink(path);
}

/* ---- each allocation in turn ---- */

static int open_files(void)
{
	DIR *d = __real_opendir("/proc/self/fd");
	int n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return n;
}

static struct run run_once(void (*body)(struct run *), int flags, FILE *out)
{
	struct run r = { .out = out };
	int err = 0;

	made = 0;
	r.h = dtrace_open(DTRACE_VERSION, flags, &err);
	if (r.h != NULL)
		body(&r);
	else
		r.refused = err;
	dtrace_close(r.h);
	return r;
}

struct case_ { const char *name; void (*body)(struct run *); int flags; unsigned long step, least; };

static void in_turn(const struct case_ *c, bool on)
{
	bool all = getenv("OOM_ALL") != NULL;
	FILE *out = __real_fopen("/dev/null", "w");
	unsigned long total, tried = 0, refused = 0;
	struct run r;
	int files;

	due = 0;
	r = run_once(c->body, c->flags, out);		/* what is read once for a process */
	if (r.h == NULL) {
		CHECK_SKIP(dtrace_errmsg(NULL, r.refused));
		fclose(out);
		return;
	}
	CHECK_INT(r.refused, 0);
	total = made;
	files = open_files();
	for (unsigned long k = 1; k <= total; k += all ? c->least : c->step, tried++) {
		due = k;
		from_then_on = on;
		r = run_once(c->body, c->flags, out);
		due = 0;
		refused += r.refused != 0;
		if (!CHECK(r.refused == 0 || r.refused == EDT_NOMEM) || !CHECK_INT(open_files(), files) ||
		    (getenv("OOM_LEAKS") != NULL &&
		    !CHECK(!leaks())))		/* seconds each: to find which one it is */
			fprintf(stderr, "  %s: allocation %lu%s\n", c->name, k, on ? " and all that follow" :
			    "");
	}
	CHECK(!leaks());
	CHECK(refused > 0);		/* else nothing was made to fail */
	printf("oom: %s%s: %lu of %lu allocations failed, %lu were told\n", c->name, on ?
	    ", and all that follow" : "", tried, total, refused);
	fclose(out);
}

int main(int argc, char **argv)
{
	static const struct case_ cases[] = {
		{ "compiling", compiles, DTRACE_O_NODEV, 1, 1 },
		{ "compiling what is wrong", fails_to_compile, DTRACE_O_NODEV, 1, 1 },
		{ "tracing", traces, 0, 23, 1 },
		{ "linking", links, DTRACE_O_NODEV, 1, 1 },
		{ "a command", traces_text, 0, 397, 151 },
		{ "a command in JSON", traces_json, 0, 397, 151 },
		{ "a command in CSV", traces_csv, 0, 397, 151 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 1 && strcmp(argv[1], cases[i].name) != 0)
			continue;
		in_turn(&cases[i], false);
		in_turn(&cases[i], true);
	}
	return check_report("oom");
}
