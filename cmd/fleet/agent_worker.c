/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worker of an agent: a request in (standard input), the recording of a trace out (STREAM_FD,
 * doc/RECORDING.md), beside it what there is to say: "live" when the probes are enabled, then messages. It
 * dies with the agent. What the policy forbids is refused here, where the text is compiled.
 */
#include "always.h"

#include "base.h"
#include "signals.h"

#include <dtrace.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PROGRAMS_MAX = 32, OPERANDS_MAX = 64 };

struct work {
	struct message m;
	dtrace_hdl_t *dtp;
	char *operand[OPERANDS_MAX + 1];
	int noperands;
	char *text[PROGRAMS_MAX];
	const char *type[PROGRAMS_MAX];	/* file, or a number of dtrace_probespec_t */
	int nprograms;
	const char *forbidden;		/* what check_probe() has found */
	char probe[DTRACE_DESC2STR_MAX];
	struct always_worker *always;	/* the program is one of the agent's own; NULL: of an asker */
};

/* Options of askers: what changes how a program is compiled and shown, nothing that names files or gives
 * rights. */
static const char *const options[] = {
	"aggsize",
	"aggrate",
	"aggsortkey",
	"aggsortkeypos",
	"aggsortpos",
	"aggsortrev",
	"agghist",
	"aggpack",
	"aggzoom",
	"bufsize",
	"bufresize",
	"defaultargs",
	"dynvarsize",
	"flowindent",
	"jstackframes",
	"jstackstrsize",
	"maxframes",
	"nspec",
	"quiet",
	"rawbytes",
	"rawsyscall",
	"scratchsize",
	"specsize",
	"stackframes",
	"stackindent",
	"strsize",
	"switchrate",
	"statusrate",
	"temporal",
	"units",
	"ustackframes",
	"unwind",
	"version",
	"walltime",
	"zdefs",
	"cleanrate",
	"bufpolicy",
	"demangle",
	"noresolve",
	"argref",
	"mergestacks",
	"layout",
	"color",
	"cpu",
	"quietresize",
};

static bool option_good(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(options); i++)
		if (strlen(options[i]) == len && strncmp(options[i], name, len) == 0)
			return true;
	return false;
}

static int fail(const char *why, const char *what, const char *text)
{
	printf("fail %s\n%s%s%s\n", why, what, text[0] != '\0' ? ": " : "", text);
	fflush(stdout);
	return 1;
}

static int fail_library(struct work *w, const char *why, const char *what)
{
	printf("fail %s\n%s: %s\n%s", why, what, dtrace_errmsg(w->dtp, dtrace_errno(w->dtp)),
	    dtrace_errexcerpt(w->dtp));
	fflush(stdout);
	return 1;
}

/* ---- the request ---- */

static char *read_all(size_t *len)
{
	FILE *f = fdopen(0, "r");
	char *bytes = malloc(MESSAGE_MAX + MESSAGE_HEAD);

	*len = f != NULL && bytes != NULL ? fread(bytes, 1, MESSAGE_MAX + MESSAGE_HEAD, f) : 0;
	return bytes;
}

/* `program TYPE LENGTH` and `operand LENGTH`, in order; the texts follow each other in the body. */
static bool read_texts(struct work *w)
{
	const char *at = w->m.body;
	size_t left = w->m.len;

	w->operand[w->noperands++] = "dtrace";
	for (int i = 0; i < w->m.n; i++) {
		bool program = strcmp(w->m.v[i].word, "program") == 0;
		const char *value = w->m.v[i].value, *blank = strchr(value, ' ');
		size_t n;

		if (!program && strcmp(w->m.v[i].word, "operand") != 0)
			continue;
		n = strtoul(program && blank != NULL ? blank + 1 : value, NULL, 10);
		if (n > left || memchr(at, '\0', n) != NULL || w->nprograms == PROGRAMS_MAX ||
		    w->noperands == OPERANDS_MAX)
			return false;
		if (program) {
			w->type[w->nprograms] = value;
			w->text[w->nprograms++] = strndup(at, n);
		} else {
			w->operand[w->noperands++] = strndup(at, n);
		}
		at += n;
		left -= n;
	}
	return w->nprograms > 0;
}

/* ---- what the policy says ---- */

/* Each `pragma … option` in the text, wherever it stands. */
static const char *bad_pragma(const char *text)
{
	static const char blanks[] = " \t\r\n\\";

	for (const char *p = text; (p = strstr(p, "pragma")) != NULL; p += strlen("pragma")) {
		const char *q = p + strlen("pragma");

		q += strspn(q, blanks);
		if (*q != 'D')
			continue;
		q += 1 + strspn(q + 1, blanks);
		if (strncmp(q, "option", 6) != 0)
			continue;
		q += 6 + strspn(q + 6, blanks);
		for (const char *end = q + strcspn(q, "\n"); q < end;) {
			if (!option_good(q, strcspn(q, "=, \t\r\n\"")))
				return q;
			q += strcspn(q, ",\n");
			q += *q == ',' ? 1 + strspn(q + 1, " \t") : 0;
		}
	}
	return NULL;
}

static bool allowed(const char *list, const char *provider)
{
	char word[DTRACE_PROVNAMELEN + 2];
	size_t n = strcspn(provider, "0123456789$");

	snprintf(word, sizeof(word), ",%s,", provider);
	if (strcmp(provider, "dtrace") == 0 || strstr(list, word) != NULL)
		return true;
	snprintf(word, sizeof(word), ",%.*s,", (int)n, provider);	/* pid123 is of pid, foo12 of foo */
	return strstr(list, word) != NULL;
}

/* The provider has to be written in full: more probes may come that a pattern matches. */
static int check_statement(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_stmtdesc_t *s, void *arg)
{
	struct work *w = arg;
	const dtrace_probedesc_t *d = &s->dtsd_ecbdesc->dted_probe;
	const char *list = message_get(&w->m, "providers"), *provider = d->dtpd_provider;

	(void)dtp, (void)prog;
	if (provider[0] == '\0' && d->dtpd_mod[0] == '\0' && d->dtpd_func[0] == '\0') {
		if (strcmp(d->dtpd_name, "BEGIN") == 0 || strcmp(d->dtpd_name, "END") == 0 ||
		    strcmp(d->dtpd_name, "ERROR") == 0)
			provider = "dtrace";
		else if (strncmp(d->dtpd_name, "tick-", 5) == 0 || strncmp(d->dtpd_name, "profile-", 8) == 0)
			provider = "profile";
	}
	if (provider[0] != '\0' && strpbrk(provider, "*?[\\") == NULL && allowed(list, provider))
		return 0;
	(void)dtrace_desc2str(d, w->probe, sizeof(w->probe));
	w->forbidden = provider[0] == '\0' || strpbrk(provider, "*?[\\") != NULL ?
	    "the policy of this host limits providers, so they have to be written in full" :
	    "the policy of this host does not allow this provider";
	return 1;
}

static int check_program(struct work *w, dtrace_prog_t *prog)
{
	if (message_get(&w->m, "providers")[0] == '\0')
		return 0;
	(void)dtrace_stmt_iter(w->dtp, prog, check_statement, w);
	return w->forbidden != NULL ? fail("refused", w->probe, w->forbidden) : 0;
}

static void limit_memory(const struct work *w)
{
	uint64_t mib = message_number(&w->m, "memory");
	struct rlimit limit = { mib << 20, mib << 20 };

	if (mib > 0)
		(void)setrlimit(RLIMIT_AS, &limit);
}

/* The name of the settings holds in this process alone. */
static void take_name(const struct work *w)
{
	const char *name = message_get(&w->m, "name");
	char now[256] = "";

	if (gethostname(now, sizeof(now) - 1) == 0 && strcmp(now, name) != 0 && unshare(CLONE_NEWUTS) == 0)
		(void)sethostname(name, strlen(name));
}

/* ---- a handle ---- */

static int set_options(struct work *w)
{
	static const char *const first[][2] = {
		{ "temporal", "yes" }, { "switchrate", "5hz" }, { "aggrate", "10s" }, { "aggmerge", "yes" },
	};

	for (size_t i = 0; i < COUNT(first); i++)
		if (dtrace_setopt(w->dtp, first[i][0], first[i][1]) != 0)
			return fail_library(w, "failed", first[i][0]);
	if (message_get(&w->m, "always")[0] != '\0' && dtrace_setopt(w->dtp, "aggrate", "5s") != 0)
		return fail_library(w, "failed", "aggrate");
	for (int i = 0; i < w->m.n; i++) {
		const char *value = w->m.v[i].value;
		size_t n = strcspn(value, "=");
		char name[64];

		if (strcmp(w->m.v[i].word, "option") != 0)
			continue;
		if (!option_good(value, n))
			return fail("refused", "agents do not take this option of askers", value);
		snprintf(name, sizeof(name), "%.*s", (int)n, value);
		if (dtrace_setopt(w->dtp, name, value[n] == '=' ? value + n + 1 : NULL) != 0)
			return fail_library(w, "compile", name);
	}
	return 0;
}

/* After the program, so that nothing it says replaces them. */
static int set_limits(struct work *w)
{
	const char *cgroup = message_get(&w->m, "cgroup"), *root = message_get(&w->m, "hostroot");

	if (dtrace_setopt(w->dtp, "destructive", "no") != 0 ||
	    (root[0] != '\0' && dtrace_setopt(w->dtp, "hostroot", root) != 0) ||
	    (cgroup[0] != '\0' && dtrace_setopt(w->dtp, "cgroup", cgroup) != 0))
		return fail_library(w, "failed", "the limits of the policy");
	return 0;
}

/* A message that names the program, as dtrace(1) does. */
static int compile_failed(struct work *w, int i)
{
	char what[128];

	if (strncmp(w->type[i], "file ", 5) == 0)
		snprintf(what, sizeof(what), "failed to compile the script");
	else
		snprintf(what, sizeof(what), "invalid probe specifier %.*s%s",
		    (int)strcspn(w->text[i], "\n") < 72 ? (int)strcspn(w->text[i], "\n") : 48, w->text[i],
		    strlen(w->text[i]) > 72 || strchr(w->text[i], '\n') != NULL ? " ..." : "");
	return fail_library(w, "compile", what);
}

/* A script is read from a descriptor. NULL: there is none. */
static FILE *file_of(const char *text)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "w+") : NULL;

	if (f != NULL && fputs(text, f) >= 0 && fflush(f) == 0) {
		rewind(f);
		return f;
	}
	if (f != NULL)
		fclose(f);
	return NULL;
}

static dtrace_prog_t *compile(struct work *w, int i)
{
	dtrace_prog_t *prog;
	FILE *f;

	if (strncmp(w->type[i], "file ", 5) != 0)
		return dtrace_program_strcompile(
		    w->dtp, w->text[i], atoi(w->type[i]), 0, w->noperands, w->operand);
	if ((f = file_of(w->text[i])) == NULL)
		return NULL;
	prog = dtrace_program_fcompile(w->dtp, f, 0, w->noperands, w->operand);
	fclose(f);
	return prog;
}

static int compile_all(struct work *w)
{
	dtrace_prog_t *prog[PROGRAMS_MAX];

	for (int i = 0; i < w->nprograms; i++) {
		const char *bad = bad_pragma(w->text[i]);
		int status;

		if (bad != NULL) {
			char name[64];

			snprintf(name, sizeof(name), "%.*s", (int)strcspn(bad, "= \n"), bad);
			return fail("refused", "agents do not take this option of programs", name);
		}
		if ((prog[i] = compile(w, i)) == NULL)
			return compile_failed(w, i);
		if ((status = check_program(w, prog[i])) != 0)
			return status;
	}
	if (set_limits(w) != 0)
		return 1;
	for (int i = 0; i < w->nprograms; i++)
		if (dtrace_program_exec(w->dtp, prog[i], NULL) != 0)
			return compile_failed(w, i);
	return 0;
}

/* ---- the trace ---- */

static int no_text(const dtrace_bufdata_t *b, void *arg) { (void)b, (void)arg; return DTRACE_HANDLE_OK; }
static int no_error(const dtrace_errdata_t *e, void *arg) { (void)e, (void)arg; return DTRACE_HANDLE_OK; }
static int no_drop(const dtrace_dropdata_t *d, void *arg) { (void)d, (void)arg; return DTRACE_HANDLE_OK; }
static int on_firing(const dtrace_probedata_t *d, void *arg)
{
	(void)d;
	always_worker_record(((struct work *)arg)->always);
	return DTRACE_CONSUME_THIS;
}

static int on_record(const dtrace_probedata_t *d, const dtrace_recdesc_t *r, void *arg)
{
	(void)d, (void)arg;
	return r == NULL || r->dtrd_action == DTRACEACT_EXIT ? DTRACE_CONSUME_NEXT : DTRACE_CONSUME_THIS;
}

/* A recording, or documents of a program of the agent's own. */
static int choose_output(struct work *w)
{
	if (message_get(&w->m, "always")[0] == '\0')
		return dtrace_record_fd(w->dtp, STREAM_FD, 0);
	w->always = always_worker_open(w->dtp, &w->m);
	return w->always != NULL ? 0 : -1;
}

static int set_handlers(struct work *w)
{
	if (dtrace_handle_buffered(w->dtp, no_text, NULL) != 0)
		return -1;
	if (w->always != NULL)
		return always_worker_begin(w->always);
	return dtrace_handle_err(w->dtp, no_error, NULL) != 0 ||
	    dtrace_handle_drop(w->dtp, no_drop, NULL) != 0 ? -1 : 0;
}

static int enable(struct work *w)
{
	(void)fcntl(STREAM_FD, F_SETFD, FD_CLOEXEC);
	if (choose_output(w) != 0)
		return fail_library(w, "failed", "the trace cannot be recorded");
	if (compile_all(w) != 0)
		return 1;
	if (set_handlers(w) != 0 || dtrace_go(w->dtp) != 0)
		return fail_library(w, dtrace_errno(w->dtp) == EDT_DESTRUCTIVE ? "refused" : "failed",
		    "could not enable tracing");
	if (w->always != NULL && always_worker_live(w->always) != 0)
		return fail_library(w, "failed", "the history cannot be recorded");
	signals_begun();
	puts("live");
	if (dtrace_notice(w->dtp)[0] != '\0')
		printf("%s\n", dtrace_notice(w->dtp));
	fflush(stdout);
	return 0;
}

static void wait_for_work(struct work *w)
{
	struct pollfd fd = { .fd = dtrace_ctlfd(w->dtp), .events = POLLIN };

	(void)poll(&fd, 1, 100);
}

static int follow(struct work *w)
{
	dtrace_workstatus_t status = DTRACE_WORKSTATUS_OKAY;
	bool stopped = false;

	while (status == DTRACE_WORKSTATUS_OKAY) {
		if (!stopped && !signals_interrupted())
			wait_for_work(w);
		if (!stopped && signals_interrupted()) {
			if (dtrace_stop(w->dtp) != 0)
				return fail_library(w, "failed", "the trace cannot be stopped");
			stopped = true;
		}
		status = dtrace_work(w->dtp, NULL, on_firing, on_record, w);
		if (w->always != NULL && always_worker_report(w->always, false) != 0)
			return 1;
	}
	if (status == DTRACE_WORKSTATUS_ERROR || dtrace_aggregate_print(w->dtp, NULL, NULL) != 0)
		return fail_library(w, "failed", "the trace has failed");
	return w->always != NULL ? always_worker_report(w->always, true) != 0 : 0;
}

/* ---- a list of probes ---- */

static int put_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *p, void *arg)
{
	const struct work *w = arg;
	const char *list = message_get(&w->m, "providers");

	(void)dtp;
	if (list[0] == '\0' || allowed(list, p->dtpd_provider))
		dprintf(
		    STREAM_FD, "%s\t%s\t%s\t%s\n", p->dtpd_provider, p->dtpd_mod, p->dtpd_func, p->dtpd_name);
	return 0;
}

static int list(struct work *w)
{
	dtrace_probedesc_t d;

	puts("live");
	fflush(stdout);
	for (int i = 0; i < w->nprograms; i++)
		if (dtrace_str2desc(w->dtp, atoi(w->type[i]), w->text[i], &d) != 0)
			return fail_library(w, "compile", w->text[i]);
		else
			(void)dtrace_probe_iter(w->dtp, &d, put_probe, w);
	return 0;
}

/* ---- the process ---- */

static int run(struct work *w)
{
	int err = 0, status;

	signals_catch();
	if ((w->dtp = dtrace_open(DTRACE_VERSION, 0, &err)) == NULL)
		return fail("failed", "tracing is not possible", dtrace_errmsg(NULL, err));
	signals_for(w->dtp);
	status = set_options(w);
	if (status == 0 && strcmp(message_get(&w->m, "mode"), "list") == 0) {
		status = list(w);
	} else if (status == 0 && (status = enable(w)) == 0) {
		status = follow(w);
	}
	signals_for(NULL);
	dtrace_close(w->dtp);
	return status;
}

bool worker_begin(struct message *m)
{
	size_t len;
	char *bytes;
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "dtraced");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	bytes = read_all(&len);
	return getppid() != 1 && bytes != NULL && message_read(m, bytes, len);
}

int worker_main(void)
{
	struct work *w = calloc(1, sizeof(*w));

	if (w == NULL || !worker_begin(&w->m) || !read_texts(w))
		return fail("failed", "the request cannot be read", "");
	take_name(w);
	limit_memory(w);
	return run(w);
}
