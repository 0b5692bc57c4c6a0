/* SPDX-License-Identifier: BSD-2-Clause */
/* What the policy of a host permits a program of an asker: options, providers, processes, memory. */
#include "worker.h"

#include "base.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

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

bool worker_option_good(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(options); i++)
		if (strlen(options[i]) == len && strncmp(options[i], name, len) == 0)
			return true;
	return false;
}

/* ---- what the policy says ---- */

/* Each `pragma … option` in the text, wherever it stands. */
const char *worker_bad_pragma(const char *text)
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
			if (!worker_option_good(q, strcspn(q, "=, \t\r\n\"")))
				return q;
			q += strcspn(q, ",\n");
			q += *q == ',' ? 1 + strspn(q + 1, " \t") : 0;
		}
	}
	return NULL;
}

bool worker_allowed(const char *list, const char *provider)
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
	if (provider[0] != '\0' && strpbrk(provider, "*?[\\") == NULL && worker_allowed(list, provider))
		return 0;
	(void)dtrace_desc2str(d, w->probe, sizeof(w->probe));
	w->forbidden = provider[0] == '\0' || strpbrk(provider, "*?[\\") != NULL ?
	    "the policy of this host limits providers, so they have to be written in full" :
	    "the policy of this host does not allow this provider";
	return 1;
}

int worker_check_program(struct work *w, dtrace_prog_t *prog)
{
	if (message_get(&w->m, "providers")[0] == '\0')
		return 0;
	(void)dtrace_stmt_iter(w->dtp, prog, check_statement, w);
	return w->forbidden != NULL ? worker_fail("refused", w->probe, w->forbidden) : 0;
}

void worker_limit_memory(const struct work *w)
{
	uint64_t mib = message_number(&w->m, "memory");
	struct rlimit limit = { mib << 20, mib << 20 };

	if (mib > 0)
		(void)setrlimit(RLIMIT_AS, &limit);
}

/* After the program, so that nothing it says replaces them. */
int worker_set_limits(struct work *w)
{
	const char *cgroup = message_get(&w->m, "cgroup"), *root = message_get(&w->m, "hostroot");

	if (dtrace_setopt(w->dtp, "destructive", "no") != 0 ||
	    (root[0] != '\0' && dtrace_setopt(w->dtp, "hostroot", root) != 0) ||
	    (cgroup[0] != '\0' && dtrace_setopt(w->dtp, "cgroup", cgroup) != 0))
		return worker_fail_library(w, "failed", "the limits of the policy");
	return 0;
}
