/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace(1): the command line in, calls into libdtrace in the documented order: open, defaults, options,
 * programs, then the engine. The exit status is 0, 1 for an error, or 2 for a command line that makes no
 * sense. The library prints nothing: all messages are written here and in the files beside this one.
 */
#include "anon.h"
#include "args.h"
#include "base.h"
#include "command.h"
#include "complete.h"
#include "doctor.h"
#include "help.h"
#include "engine.h"
#include "report.h"
#include "signals.h"
#include "terminal.h"
#include "web.h"
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -V prints the version of D that all systems print; with -v also our own. */
static int print_version(const struct args *a)
{
	printf("dtrace: D 1.14\n");
	if (a->verbose)
		printf("This is DTrace for Linux " DT_VERSION "\n");
	return 0;
}

/* Names the flag as the user wrote it. The excerpt offers the nearest option. */
static int set_failed(dtrace_hdl_t *dtp, const struct setting *s)
{
	int err = dtrace_errno(dtp);
	if (s->flag == 'x')
		fprintf(stderr, "dtrace: failed to set -x %s: %s\n", s->name, dtrace_errmsg(dtp, err));
	else
		fprintf(stderr, "dtrace: failed to set -%c: %s\n", s->flag, dtrace_errmsg(dtp, err));
	terminal_excerpt(dtp, stderr);
	if (err == EDT_BADOPTVAL && s->flag == 'O')
		fputs("  -O web[=ADDRESS:PORT] shows the trace on a live page\n", stderr);
	if (err == EDT_BADOPTNAME)
		fputs("  dtrace -x help lists all options\n", stderr);
	return 1;
}

static int set_all(dtrace_hdl_t *dtp, const struct setting *list, int n)
{
	for (int i = 0; i < n; i++)
		if (dtrace_setopt(dtp, list[i].name, list[i].value) != 0)
			return set_failed(dtp, &list[i]);
	return 0;
}

/* The historic defaults of the command, which differ from those of the library. */
static int set_defaults(dtrace_hdl_t *dtp)
{
	static const struct setting defaults[] = {
		{ 'x', "bufsize", "4m" }, { 'x', "aggsize", "4m" }, { 'x', "temporal", "yes" } };
	return set_all(dtp, defaults, COUNT(defaults));
}

/* The operands of -G are objects, not $1 and so on. */
static int macro_args(const struct args *a)
{
	return a->mode == MODE_LINK ? 1 : a->noperands;
}

/* $0 of a script is its path. */
static dtrace_prog_t *compile_file(dtrace_hdl_t *dtp, const struct args *a, const struct program *p)
{
	FILE *f = fopen(p->text, "r");
	if (!f) {
		fprintf(stderr, "dtrace: failed to open %s: %s\n", p->text, strerror(errno));
		return NULL;
	}
	a->operands[0] = (char *)p->text;
	dtrace_prog_t *prog = dtrace_program_fcompile(dtp, f, 0, macro_args(a), a->operands);
	if (!prog) {
		fprintf(stderr, "dtrace: failed to compile script %s: %s\n", p->text,
		    dtrace_errmsg(dtp, dtrace_errno(dtp)));
		terminal_excerpt(dtp, stderr);
	}
	fclose(f);
	return prog;
}

/* A program of many lines would bury the message; the line that is wrong is shown with the message anyway. */
static int first_line(const char *text)
{
	size_t len = strcspn(text, "\n");
	return (int)(len < 4096 ? len : 4096);
}

static dtrace_prog_t *compile_text(dtrace_hdl_t *dtp, const struct args *a, const struct program *p)
{
	a->operands[0] = "dtrace";
	dtrace_prog_t *prog = dtrace_program_strcompile(dtp, p->text, p->spec, 0, macro_args(a), a->operands);
	if (!prog) {
		fprintf(stderr, "dtrace: invalid probe specifier %.*s%s: %s\n", first_line(p->text), p->text,
		    strchr(p->text, '\n') ? " ..." : "", dtrace_errmsg(dtp, dtrace_errno(dtp)));
		terminal_excerpt(dtp, stderr);
	}
	return prog;
}

/* Standard output is kept for structured output where that is wanted. */
static FILE *report_file(dtrace_hdl_t *dtp)
{
	return dtrace_oformat(dtp) == DTRACE_OFORMAT_TEXT ? stdout : stderr;
}

/* -v reports the stability of each program as it is compiled. */
static int compile_one(dtrace_hdl_t *dtp, const struct args *a, const struct program *p, dtrace_prog_t **out)
{
	dtrace_prog_t *prog = p->file ? compile_file(dtp, a, p) : compile_text(dtp, a, p);
	if (!prog)
		return 1;
	*out = prog;
	if (a->verbose && a->mode == MODE_TRACE)
		report_stability(dtp, p, prog, report_file(dtp));
	return 0;
}

/* Processes come first, because programs may name them. Programs of -a are compiled already. */
static int compile_and_run(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t **programs)
{
	struct victims v;
	int status = victims_open(&v, dtp, a);
	for (int i = 0; i < a->nprograms && !status; i++)
		if (!programs[i])
			status = compile_one(dtp, a, &a->programs[i], &programs[i]);
	if ((status || a->compile_only || a->mode != MODE_TRACE) && dtrace_notice(dtp)[0] != '\0')
		fprintf(stderr, "dtrace: %s\n", dtrace_notice(dtp));	/* a trace tells it when it begins */
	if (!status && a->mode == MODE_ANON)
		status = anon_write(dtp, a, programs);
	else if (!status && !(a->compile_only && a->mode == MODE_TRACE))
		status = engine_run(dtp, a, programs, &v);
	victims_free(&v);
	return status;
}

/* `dtrace script.d`: the operand was probably meant as the program. */
static void no_probes(const struct args *a)
{
	const char *script = a->noperands > 1 && access(a->operands[1], R_OK) == 0 ? a->operands[1] : NULL;
	fprintf(stderr, "dtrace: no probes specified%s%s%s\n", script ?
	    " (a script is given with -s: dtrace -s " : "", script ? script : "",
	    script ? ")" : "");
}

/* Options are set in the order of the command line, before anything is compiled. */
static int set_and_run(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t **programs)
{
	int status = set_all(dtp, a->settings, a->nsettings);
	if (!status && dtrace_init(dtp) != 0) {
		fprintf(stderr, "dtrace: failed to initialize dtrace: %s\n",
		    dtrace_errmsg(dtp, dtrace_errno(dtp)));
		status = 1;
	}
	if (!status && a->nprograms == 0 && a->mode == MODE_TRACE && !a->compile_only) {
		no_probes(a);
		status = 1;
	}
	return status ? status : compile_and_run(dtp, a, programs);
}

/*
 * -a: the saved programs take the place of those on the command line. The options of this command line are
 * set after the saved ones, and win.
 */
static int run_saved(dtrace_hdl_t *dtp, const struct args *a)
{
	struct args b = *a;
	dtrace_prog_t **programs = NULL;
	b.programs = NULL;
	int status = anon_read(dtp, a, &b.programs, &programs, &b.nprograms);
	if (!status)
		status = set_and_run(dtp, &b, programs);
	free(b.programs);
	free(programs);
	return status;
}

/* Listings of the compiler (-S, -x tree) go to standard error. */
static int run_command(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t **programs)
{
	int status = set_defaults(dtp);
	if (status)
		return status;
	dtrace_dump_to(dtp, stderr);		/* -S, -x tree */
	return a->mode == MODE_TRACE && anon_claimed(a) ? run_saved(dtp, a) : set_and_run(dtp, a, programs);
}

/* Says what is missing, not only that something is. */
static void open_failed(int err)
{
	fprintf(stderr, "dtrace: failed to initialize dtrace: %s%s\n", dtrace_errmsg(NULL, err),
	    err == EDT_ACCESS ? " (run it as root, or with CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE)" : "");
}

/*
 * -e looks whether the probes exist where that is permitted; whoever may not trace can still check a program.
 */
static dtrace_hdl_t *open_handle(const struct args *a, bool tracing, int *err)
{
	dtrace_hdl_t *dtp = NULL;
	bool checking = a->mode == MODE_TRACE && a->compile_only;
	if (tracing || checking)
		dtp = dtrace_open(DTRACE_VERSION, a->oflags, err);
	if (!dtp && !tracing)
		dtp = dtrace_open(DTRACE_VERSION, a->oflags | DTRACE_O_NODEV, err);
	return dtp;
}

/* Signals are caught before anything is traced, so that an early one is not lost. */
static int open_and_run(const struct args *a)
{
	bool tracing = (a->mode == MODE_TRACE && !a->compile_only) || a->mode == MODE_LIST;
	dtrace_prog_t **programs = calloc((size_t)a->nprograms + 1, sizeof(*programs));
	dtrace_hdl_t *dtp = NULL;
	int err = EDT_NOMEM, status = 1;
	if (tracing)
		signals_catch();
	if (programs)
		dtp = open_handle(a, tracing, &err);
	signals_for(dtp);
	if (dtp)
		status = run_command(dtp, a, programs);
	else
		open_failed(err);
	signals_for(NULL);
	if (dtp)
		dtrace_close(dtp);
	free(programs);
	return status;
}

/* Output that could not be written (a full disk, a closed pipe) must not look like success. */
static int flush_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "dtrace: failed to write output: %s\n", strerror(errno));
	return status ? status : 1;
}

int dtrace_command(int argc, char **argv)
{
	struct args a;
	int status = args_parse(&a, argc, argv);
	if (!status && a.page && (a.mode == MODE_TRACE || a.mode == MODE_PLAY))
		status = web_exec(argv);
	else if (!status && a.mode == MODE_HELP && !help_script(stdout, &a))
		args_usage(stdout);
	else if (!status && a.mode == MODE_HELP)
		status = 0;
	else if (!status && a.mode == MODE_VERSION)
		status = print_version(&a);
	else if (!status && a.mode == MODE_DOCTOR)
		status = doctor(stdout);
	else if (!status && a.mode == MODE_WORDS)
		status = words(stdout, a.words, a.operands + 1, a.noperands - 1);
	else if (!status && a.mode == MODE_COMPLETE)
		status = complete(a.words, a.noperands > 1 ? a.operands[1] : "", stdout);
	else if (!status)
		status = open_and_run(&a);
	args_free(&a);
	return flush_output(status);
}
