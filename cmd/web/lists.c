/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Workers that answer one question and end: is this program right, which words are there, which probes. The
 * page asks for them while the user types.
 */
#include "worker.h"

#include "base.h"
#include "gallery.h"
#include "web_json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROBES_MAX 200			/* more do not help the user who types */

/* Whoever may not trace can still check a program. The process of -p is that of $target here too. */
dtrace_hdl_t *worker_open_any(const struct args *w)
{
	int err;
	dtrace_hdl_t *dtp = worker_open(w, 0, &err);

	if (dtp == NULL)
		dtp = worker_open(w, DTRACE_O_NODEV, &err);
	if (dtp != NULL && w->pid != NULL)
		(void)dtrace_proc_grab(dtp, (pid_t)strtol(w->pid, NULL, 10), 0);
	return dtp;
}

/* A command of -c is started to be traced, not to be asked: what needs it is not checked before. */
int worker_check(const struct args *w)
{
	dtrace_hdl_t *dtp = worker_open_any(w);
	char *text = worker_input();
	bool later = w->command != NULL && text != NULL && strstr(text, "$target") != NULL;

	if (later || (dtp != NULL && text != NULL && worker_compile(w, dtp, text, "") != NULL))
		puts("{}");
	free(text);
	if (dtp != NULL)
		dtrace_close(dtp);
	return 0;
}

/* Is an engine there, with the rights of this user? */
static bool may_run(const struct args *w, dtrace_hdl_t *dtp, const char *text)
{
	dtrace_prog_t *prog = worker_program(w, dtp, text);

	return prog != NULL && dtrace_program_exec(dtp, prog, NULL) == 0 && dtrace_go_check(dtp) == 0;
}

/*
 * Only what takes other rights is said: that a program is not there, or does not run yet, may change. A
 * command of -c would be started for each tool: this server stands for it.
 */
static void write_refusal(FILE *f, const char *text, void *ctx)
{
	const struct args *w = ctx;
	dtrace_hdl_t *dtp = geteuid() != 0 ? worker_open_any(w) : NULL;
	const char *why = "";

	if (dtp != NULL && w->pid == NULL && w->command != NULL)
		(void)dtrace_proc_grab(dtp, getppid(), 0);
	if (dtp != NULL && !may_run(w, dtp, text + strcspn(text, "\n")))
		why = dtrace_errmsg(dtp, dtrace_errno(dtp));
	json_text(f, strstr(why, "as root") != NULL ? why : "");
	if (dtp != NULL)
		dtrace_close(dtp);
}

int worker_gallery(const struct args *w)
{
	gallery_write(stdout, write_refusal, (void *)w);
	return 0;
}

struct list { const char *kind; int n; };

static int write_word(dtrace_hdl_t *dtp, const dtrace_word_t *word, void *arg)
{
	struct list *l = arg;

	(void)dtp;
	if (!word->dtw_here || strcmp(word->dtw_scope, "-w") == 0)
		return 0;
	printf("%s{\"kind\":\"%s\",\"name\":", l->n++ != 0 ? ",\n" : "", l->kind);
	json_text(stdout, word->dtw_name);
	fputs(",\"form\":", stdout);
	json_text(stdout, word->dtw_form);
	fputs(",\"doc\":", stdout);
	json_text(stdout, word->dtw_doc);
	putchar('}');
	return 0;
}

int worker_words(const struct args *w)
{
	static const char *const lists[] = { "variables", "functions", "actions", "aggregations", "options",
		"providers" };
	struct list l = { NULL, 0 };
	dtrace_hdl_t *dtp = worker_open_any(w);

	putchar('[');
	for (size_t i = 0; i < COUNT(lists) && dtp != NULL; i++) {
		l.kind = lists[i];
		(void)dtrace_word_iter(dtp, lists[i], write_word, &l);
	}
	puts("]");
	if (dtp != NULL)
		dtrace_close(dtp);
	return 0;
}

static void write_arguments(dtrace_hdl_t *dtp, const dtrace_probedesc_t *p)
{
	dtrace_probeinfo_t info;
	char name[256];

	if (dtrace_probe_info(dtp, p, &info) != 0)
		return;
	for (int i = 0; i < info.dtp_argc; i++) {
		printf("%s", i != 0 ? "," : "");
		json_text(stdout, dtrace_type_name(dtp, &info.dtp_argv[i], name, sizeof(name)));
	}
}

static int write_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *p, void *arg)
{
	struct list *l = arg;
	dtrace_probedesc_t named = *p;
	char text[DTRACE_DESC2STR_MAX];

	if (l->n == PROBES_MAX)
		return 1;
	named.dtpd_id = 0;			/* else it would be its number */
	printf("%s{\"probe\":", l->n++ != 0 ? ",\n" : "");
	json_text(stdout, dtrace_desc2str(&named, text, sizeof(text)));
	fputs(",\"args\":[", stdout);
	if (l->n <= 20)
		write_arguments(dtp, p);
	fputs("]}", stdout);
	return 0;
}

int worker_probes(const struct args *w)
{
	struct list l = { NULL, 0 };
	dtrace_probedesc_t desc;
	dtrace_hdl_t *dtp = worker_open_any(w);
	char *text = worker_input();

	putchar('[');
	if (dtp != NULL && text != NULL && dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, text, &desc) == 0)
		(void)dtrace_probe_iter(dtp, &desc, write_probe, &l);
	puts("]");
	free(text);
	if (dtp != NULL)
		dtrace_close(dtp);
	return 0;
}
