/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all workers share: the handle and its options, the program, and how errors of the compiler are told:
 * with line, column and length, so that the page can show them at their place.
 */
#include "worker.h"

#include "base.h"
#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The worker takes aggregations over itself, when it tells them: aggrate is for the library alone. */
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

dtrace_hdl_t *worker_open(const struct wish *w, int flags, int *err)
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
static void tell_place(const char *excerpt)
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

void worker_error(dtrace_hdl_t *dtp, const char *letter, const char *what)
{
	const char *excerpt = dtrace_errexcerpt(dtp);

	printf("%s{\"t\":\"fail\",\"what\":", letter);
	json_text(stdout, what);
	fputs(",\"msg\":", stdout);
	json_text(stdout, dtrace_errmsg(dtp, dtrace_errno(dtp)));
	fputs(",\"excerpt\":", stdout);
	json_text(stdout, excerpt);
	tell_place(excerpt);
	fputs("}\n", stdout);
	fflush(stdout);
}

dtrace_prog_t *worker_compile(const struct wish *w, dtrace_hdl_t *dtp, const char *text, const char *letter)
{
	dtrace_prog_t *prog = dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME, DTRACE_C_ARGREF,
	    w->noperands, (char *const *)w->operands);

	if (prog == NULL)
		worker_error(dtp, letter, "the program is wrong");
	return prog;
}

int worker_run(const struct wish *w)
{
	static const struct { const char *mode; int (*run)(const struct wish *); } modes[] = {
		{ "trace", worker_trace }, { "play", worker_play },
		{ "check", worker_check }, { "words", worker_words },
		{ "probes", worker_probes },
	};

	prctl(PR_SET_NAME, "dtrace-web");	/* it was started as /proc/self/exe */
	for (size_t i = 0; i < COUNT(modes); i++)
		if (strcmp(modes[i].mode, w->worker) == 0)
			return modes[i].run(w);
	fprintf(stderr, "dtrace-web: --worker %s: there is no such worker\n", w->worker);
	return 2;
}
