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
#include "doctor_report.h"
#include "fleet.h"
#include "help.h"
#include "trace_loop.h"
#include "report.h"
#include "signals.h"
#include "terminal.h"
#include "tool.h"
#include "web.h"
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The version of D, which all systems print first, and our own. */
static int print_version(void)
{
	printf("dtrace: %s\nThis is DTrace for Linux " DT_VERSION "\n", _dtrace_version);
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

/*
 * The historic defaults of the command, which differ from those of the library. Sizes are not among them:
 * the library gives what the machine and the program need.
 */
static int set_defaults(dtrace_hdl_t *dtp)
{
	static const struct setting defaults[] = { { 'x', "temporal", "yes" } };
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
	dtrace_prog_t *prog =
	    dtrace_program_fcompile(dtp, f, a->hosts != NULL ? DTRACE_C_CTL : 0, macro_args(a), a->operands);
	if (!prog && a->tool)
		tool_failed(a->tool, dtrace_errmsg(dtp, dtrace_errno(dtp)), false);
	else if (!prog) {
		fprintf(stderr, "dtrace: failed to compile script %s: %s\n", p->text,
		    dtrace_errmsg(dtp, dtrace_errno(dtp)));
		terminal_excerpt(dtp, stderr);
	}
	fclose(f);
	return prog;
}

/*
 * A long program, or one of many lines, would bury the message; the line that is wrong is shown with the
 * message anyway. Returns how many bytes of the text are quoted, which never ends inside a character.
 */
static int quoted_length(const char *text)
{
	enum { WHOLE = 72, CUT = 48 };
	size_t len = strcspn(text, "\n");

	if (len <= WHOLE)
		return (int)len;
	for (len = CUT; len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80; len--)
		;
	return (int)len;
}

static dtrace_prog_t *compile_text(dtrace_hdl_t *dtp, const struct args *a, const struct program *p)
{
	a->operands[0] = "dtrace";
	dtrace_prog_t *prog = dtrace_program_strcompile(
	    dtp, p->text, p->spec, a->hosts != NULL ? DTRACE_C_CTL : 0, macro_args(a), a->operands);
	if (!prog) {
		int len = quoted_length(p->text);

		fprintf(stderr, "dtrace: invalid probe specifier %.*s%s: %s\n", len, p->text,
		    p->text[len] != '\0' ? " ..." : "", dtrace_errmsg(dtp, dtrace_errno(dtp)));
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
	struct targets v;
	int status = targets_open(&v, dtp, a);
	for (int i = 0; i < a->nprograms && !status; i++)
		if (!programs[i])
			status = compile_one(dtp, a, &a->programs[i], &programs[i]);
	if ((status || a->compile_only || a->mode != MODE_TRACE) && dtrace_notice(dtp)[0] != '\0')
		fprintf(stderr, "dtrace: %s\n", dtrace_notice(dtp));	/* a trace writes it when it begins */
	if (!status && a->mode == MODE_ANON)
		status = anon_write(dtp, a, programs);
	else if (!status && !(a->compile_only && a->mode == MODE_TRACE))
		status = trace_loop_run(dtp, a, programs, &v);
	targets_free(&v);
	return status;
}

/* `dtrace script.d`, `dtrace 'BEGIN { … }'`: the operand was probably meant as the program. */
static int no_probes(const struct args *a)
{
	const char *word = a->noperands > 1 ? a->operands[1] : NULL;
	size_t len = word ? strlen(word) : 0;

	if (!word)
		fprintf(stderr, "dtrace: no probes specified\n");
	else if (access(word, R_OK) == 0 || (len > 2 && strcmp(word + len - 2, ".d") == 0))
		fprintf(stderr, "dtrace: no probes specified (a script is given with -s: dtrace %s-s %s)\n",
		    a->compile_only ? "-e " : "", word);
	else
		fprintf(stderr,
		    "dtrace: no probes specified (a program is given with -n: dtrace %s-n '%.*s%s'%s)\n",
		    a->compile_only ? "-e " : "", quoted_length(word), word,
		    word[quoted_length(word)] != '\0' ? " ..." : "",
		    a->compile_only ? "; -e only checks it" : "");
	return 1;
}

/* -e without a program checks the libraries of -L, which are otherwise read when a program is compiled. */
static int check_libraries(dtrace_hdl_t *dtp)
{
	if (dtrace_program_strcompile(dtp, "", DTRACE_PROBESPEC_NAME, DTRACE_C_EMPTY, 0, NULL))
		return 0;
	fprintf(stderr, "dtrace: failed to compile libraries: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	terminal_excerpt(dtp, stderr);
	return 1;
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
	if (!status && a->nprograms == 0 && a->mode == MODE_TRACE)
		status = a->compile_only && a->noperands <= 1 ? check_libraries(dtp) : no_probes(a);
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

static int run_command(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t **programs)
{
	int status = set_defaults(dtp);
	if (status)
		return status;
	return a->mode == MODE_TRACE && anon_claimed(dtp, a) ? run_saved(dtp, a) :
	    set_and_run(dtp, a, programs);
}

/* Says what is missing, not only that something is. */
static void open_failed(int err)
{
	fprintf(stderr, "dtrace: failed to initialize dtrace: %s\n", dtrace_errmsg(NULL, err));
}

/*
 * -e looks whether the probes exist where that is permitted; without the right to trace a program can still
 * be checked.
 */
static dtrace_hdl_t *open_handle(const struct args *a, bool tracing, int *err)
{
	dtrace_hdl_t *dtp = NULL;
	bool checking = a->mode == MODE_TRACE && a->compile_only;
	if (tracing || checking)
		dtp = dtrace_open(DTRACE_VERSION, a->oflags | (a->replays ? DTRACE_O_NODEV : 0), err);
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
	if (a->hosts == NULL)		/* hosts are asked to end, and what they send then is shown */
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

/* --hosts: what the hosts record comes as one recording on standard input, and is shown as a trace is. */
static int run_fleet(struct args *a)
{
	struct fleet f;
	int status = fleet_begin(&f, a);

	if (status != 0 || a->mode == MODE_LIST)
		return status;
	a->mode = MODE_PLAY;
	a->play = "-";
	return fleet_end(&f, open_and_run(a));
}

static int run_mode(struct args *a, char **argv)
{
	if (a->page && (a->mode == MODE_TRACE || a->mode == MODE_PLAY))
		return web_exec(argv);
	if (a->hosts != NULL)
		return run_fleet(a);
	switch (a->mode) {
	case MODE_HELP:
		if (!help_script(stdout, a))
			args_usage(stdout);
		return 0;
	case MODE_VERSION: return print_version();
	case MODE_DOCTOR: return doctor(stdout);
	case MODE_LSP: return web_exec(argv);
	case MODE_WORDS: return words(stdout, a->words, a->operands + 1, a->noperands - 1);
	case MODE_COMPLETE: return complete(a->words, a->noperands > 1 ? a->operands[1] : "", stdout);
	default: return open_and_run(a);
	}
}

/* `dtrace --tool FILE WORDS…`: the words become those of `dtrace -s FILE`. */
int dtrace_command(int argc, char **argv)
{
	struct args a = { 0 };
	struct tool tool = { 0 };
	bool is_tool = argc > 1 && strcmp(argv[1], "--tool") == 0;
	int status = is_tool ? tool_args(&tool, argc, argv) : 0;

	if (!status)
		status = args_parse(&a, is_tool ? tool.argc : argc, is_tool ? tool.argv : argv);
	a.tool = is_tool ? &tool : NULL;
	if (!status)
		status = run_mode(&a, is_tool ? tool.argv : argv);
	args_free(&a);
	tool_free(&tool);
	return flush_output(status < 0 ? 0 : status);
}
