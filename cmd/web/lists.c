/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Workers that answer one question and end: is this program right, can it run here, which words are there,
 * what does this machine allow. What can follow where the user types is answered as for other editors
 * (lsp_offers.c).
 */
#include "worker.h"

#include "base.h"
#include "gallery.h"
#include "web_json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
 * Why a program does not run here, as two members of JSON, "" if it does: `why`, this user may not; `lacks`,
 * the machine does not have what it needs, or not now. A command of -c would be started for each program:
 * this server stands for it. A program without its $target is no matter of the machine.
 */
static void write_refusal(FILE *f, const char *text, void *ctx)
{
	const struct args *w = ctx;
	dtrace_hdl_t *dtp = w->hosts == NULL ? worker_open_any(w) : NULL;	/* hosts say it themselves */
	const char *why = "";
	bool rights;

	if (dtp != NULL && w->pid == NULL && w->command != NULL)
		(void)dtrace_proc_grab(dtp, getppid(), 0);
	if (strncmp(text, "#!", 2) == 0)
		text += strcspn(text, "\n");
	if (dtp != NULL && !may_run(w, dtp, text))
		why = dtrace_errmsg(dtp, dtrace_errno(dtp));
	rights = strstr(why, "as root") != NULL;
	fputs("\"why\":", f);
	json_text(f, rights ? why : "");
	fputs(",\"lacks\":", f);
	json_text(f, rights || strstr(why, "$target") != NULL ? "" : why);
	if (dtp != NULL)
		dtrace_close(dtp);
}

/* {"why":"","lacks":""}: the program on standard input can be run here. */
int worker_refusal(const struct args *w)
{
	char *text = worker_input();

	putchar('{');
	write_refusal(stdout, text != NULL ? text : "", (void *)w);
	puts("}");
	free(text);
	return 0;
}

static int write_ability(dtrace_hdl_t *dtp, const dtrace_ability_t *row, void *arg)
{
	unsigned *n = arg;

	(void)dtp;
	printf("%s{\"name\":", (*n)++ != 0 ? ",\n" : "");
	json_text(stdout, row->dta_name);
	printf(",\"found\":\"%s\",\"gives\":", row->dta_found == DTRACE_ABLE_YES ? "yes" :
	    row->dta_found == DTRACE_ABLE_NO ? "no" : "unknown");
	json_text(stdout, row->dta_gives);
	fputs(",\"change\":", stdout);
	json_text(stdout, row->dta_change != NULL ? row->dta_change : "");
	putchar('}');
	return 0;
}

/* What this machine and these rights allow: the rows of dtrace --doctor. */
int worker_machine(const struct args *w)
{
	dtrace_hdl_t *dtp = worker_open_any(w);
	unsigned n = 0;

	putchar('[');
	if (dtp != NULL) {
		(void)dtrace_ability_iter(dtp, write_ability, &n);
		dtrace_close(dtp);
	}
	puts("]");
	return 0;
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
