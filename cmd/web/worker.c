/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all workers share: the handle and its options, the program, and how errors of the compiler are
 * written: with line, column and length, so that the page can show them at their place.
 */
#include "worker.h"

#include "base.h"
#include "lsp.h"
#include "web_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The worker takes aggregations over itself, when it sends them: aggrate is for the library alone. */
static const char *const defaults[][2] = {
	{ "bufsize", "4m" }, { "aggsize", "4m" }, { "temporal", "yes" }, { "switchrate", "5hz" },
	{ "aggrate", "5s" }, { "stackframes", "50" }, { "ustackframes", "50" },
	{ "defaultargs", NULL }, { "quiet", NULL },
};

static int set_word(dtrace_hdl_t *dtp, const char *word)
{
	size_t n = strcspn(word, "=");
	char *name = strndup(word, n);
	int rv = name != NULL ? dtrace_setopt(dtp, name, word[n] != '\0' ? word + n + 1 : NULL) : -1;

	free(name);
	return rv;
}

dtrace_hdl_t *worker_open(const struct args *w, int flags, int *err)
{
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, flags, err);
	int rv = 0;

	if (dtp == NULL)
		return NULL;
	for (size_t i = 0; i < COUNT(defaults) && rv == 0; i++)
		rv = dtrace_setopt(dtp, defaults[i][0], defaults[i][1]);
	for (int i = 0; i < w->nsettings && rv == 0; i++)
		rv = set_word(dtp, w->settings[i]);
	/* forbids destructive actions whatever the program says: dtrace_go() refuses them */
	if (rv == 0 && (rv = dtrace_setopt(dtp, "destructive", "no")) == 0)
		return dtp;
	worker_error(dtp, "L", "an option cannot be set");
	*err = 0;
	dtrace_close(dtp);
	return NULL;
}

char *worker_input(void)
{
	char *text = NULL;
	size_t cap = 0;

	if (getdelim(&text, &cap, '\0', stdin) < 0) {
		free(text);
		text = strdup("");
	}
	return text;
}

/* The excerpt begins with "  NAME:LINE:COLUMN |"; its second line has a caret and as many ~ as are wrong. */
static void report_place(const char *excerpt)
{
	const char *bar = strchr(excerpt, '|'), *caret = strchr(excerpt, '^');
	unsigned line = 0, column = 0;
	const char *p = bar;

	if (bar == NULL || caret == NULL)
		return;
	for (int colons = 0; p > excerpt; p--)
		if (*p == ':' && ++colons == 2)
			break;
	if (sscanf(p, ":%u:%u", &line, &column) == 2)
		printf(",\"line\":%u,\"column\":%u,\"length\":%zu", line, column, 1 + strspn(caret + 1, "~"));
}

void worker_say(const char *letter, const char *what, const char *msg)
{
	printf("%s{\"t\":\"fail\",\"what\":", letter);
	json_text(stdout, what);
	fputs(",\"excerpt\":\"\",\"msg\":", stdout);
	json_text(stdout, msg);
	fputs("}\n", stdout);
	fflush(stdout);
}

void worker_error(dtrace_hdl_t *dtp, const char *letter, const char *what)
{
	const char *excerpt = dtrace_errexcerpt(dtp);

	printf("%s{\"t\":\"fail\",\"what\":", letter);
	json_text(stdout, what);
	fputs(",\"msg\":", stdout);
	json_text(stdout, dtrace_errmsg(dtp, dtrace_errno(dtp)));
	fputs(",\"excerpt\":", stdout);
	json_text(stdout, excerpt);
	report_place(excerpt);
	fputs("}\n", stdout);
	fflush(stdout);
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
	else if (fd >= 0)
		close(fd);
	return NULL;
}

/* With a clause it is a script, which may begin with a declaration; else the name of a probe, as after -n. */
dtrace_prog_t *worker_program(const struct args *w, dtrace_hdl_t *dtp, const char *text)
{
	FILE *f = strchr(text, '{') != NULL ? file_of(text) : NULL;
	dtrace_prog_t *prog = f != NULL ?
	    dtrace_program_fcompile(dtp, f, DTRACE_C_ARGREF, w->noperands, (char *const *)w->operands) :
	    dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME, DTRACE_C_ARGREF, w->noperands,
	    (char *const *)w->operands);

	if (f != NULL)
		fclose(f);
	return prog;
}

dtrace_prog_t *worker_compile(const struct args *w, dtrace_hdl_t *dtp, const char *text, const char *letter)
{
	dtrace_prog_t *prog = worker_program(w, dtp, text);

	if (prog == NULL)
		worker_error(dtp, letter, "the program is wrong");
	return prog;
}

int worker_run(const struct args *w)
{
	static const struct { const char *mode; int (*run)(const struct args *); } modes[] = {
		{ "trace", worker_trace },
		{ "check", worker_check }, { "words", worker_words },
		{ "gallery", worker_gallery }, { "refusal", worker_refusal }, { "machine", worker_machine },
		{ "lsp-check", lsp_answer }, { "lsp-complete", lsp_answer }, { "lsp-hover", lsp_answer },
		{ "lsp-define", lsp_answer }, { "lsp-symbols", lsp_answer },
	};

	prctl(PR_SET_NAME, "dtrace-web");	/* it was started as /proc/self/exe */
	for (size_t i = 0; i < COUNT(modes); i++)
		if (strcmp(modes[i].mode, w->worker) == 0)
			return w->hosts != NULL && modes[i].run == worker_trace ? worker_hosts(w) :
			    modes[i].run(w);
	fprintf(stderr, "dtrace-web: --worker %s: there is no such worker\n", w->worker);
	return 2;
}
