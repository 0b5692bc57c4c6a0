/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiled programs in, the command's exit status out: enable, go, work until exit(), a signal or the end
 * of the target, then print what is left. All text for users that is not traced data goes to standard
 * error.
 */
#include "trace_loop.h"

#include "anon.h"
#include "probe_list.h"
#include "live.h"
#include "progress.h"
#include "show.h"
#include "signals.h"
#include "sizes.h"
#include "tool.h"
#include "usdt_build.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What one run of the command works on. */
struct run {
	dtrace_hdl_t *dtp;
	const struct args *a;
	struct show show;
	struct targets *targets;
	struct live *live;		/* --live; NULL: not, or not any more */
	bool exited;			/* by exit(), or a buffer that was full */
	size_t noticed;			/* how much of the notices was written */
};

/* Options that steer our own output are copied; setopt() in a program may change them at any time. */
static void read_options(struct run *r)
{
	show_options(&r->show);
	r->targets->quiet = r->show.quiet;
}

static int on_setopt(const dtrace_setoptdata_t *d, void *arg)
{
	(void)d;
	read_options(arg);
	return DTRACE_HANDLE_OK;
}

/* ---- enabling ---- */

/* A description is named by its text up to the predicate, the body or the end. */
static void put_matched(const struct program *p, unsigned n)
{
	if (p->file)
		fprintf(stderr, "dtrace: script '%s' matched %u probe%s\n", p->text, n, n == 1 ? "" : "s");
	else
		fprintf(stderr, "dtrace: description '%.*s' matched %u probe%s\n",
		    (int)strcspn(p->text, "{/;"), p->text, n,
		    n == 1 ? "" : "s");
}

/* Enables all programs, in the order of the command line. 0, or the status to exit with after a message. */
static int enable_programs(struct run *r, dtrace_prog_t *const *programs)
{
	unsigned total = 0;

	for (int i = 0; i < r->a->nprograms; i++) {
		const struct program *p = &r->a->programs[i];
		dtrace_proginfo_t info;

		if (dtrace_program_exec(r->dtp, programs[i], &info) != 0) {
			const char *why = dtrace_errmsg(r->dtp, dtrace_errno(r->dtp));

			if (p->file && r->a->tool != NULL)
				tool_failed(r->a->tool, why, false);
			else if (p->file)
				fprintf(stderr, "dtrace: failed to compile script %s: %s\n", p->text, why);
			else
				fprintf(stderr, "dtrace: invalid probe specifier %s: %s\n", p->text, why);
			return 1;
		}
		total += info.dpi_matches;
		if (!r->show.quiet)
			put_matched(p, info.dpi_matches);
	}
	if (total == 0 && !show_option_on(r->dtp, "zdefs")) {
		fprintf(stderr, "dtrace: no probes matched\n");
		return 1;
	}
	show_measure(&r->show, programs, r->a->nprograms, total);
	return 0;
}

/*
 * Reports why tracing ends, after the errors of probes that were held back. If writing failed, that is the
 * reason; the stream is then emptied, so that it is not reported again at exit. Returns 1.
 */
static int tracing_failed(struct run *r, const char *what)
{
	bool unwritten = ferror(r->show.out) && r->show.why != 0;

	faults_report(&r->show.faults, r->show.out, true);
	if (unwritten)
		fprintf(stderr, "dtrace: %s: failed to write output: %s\n", what, strerror(r->show.why));
	else
		fprintf(stderr, "dtrace: %s: %s\n", what, dtrace_errmsg(r->dtp, dtrace_errno(r->dtp)));
	if (ferror(r->show.out)) {	/* that was the reason, and has been reported */
		__fpurge(r->show.out);
		clearerr(r->show.out);
	}
	return 1;
}

/* One line after the other: those that came since. */
static void report_notices(struct run *r)
{
	const char *text = dtrace_notice(r->dtp);
	size_t len = strlen(text);

	if (len > r->noticed)
		fprintf(stderr, "%s%s\n", r->noticed == 0 ? "dtrace: " : "",
		    text + r->noticed + (r->noticed > 0));
	r->noticed = len;
}

/* ---- the loop ---- */

/* SIGUSR1: prints what would be printed if the trace ended now. The trace goes on. */
static int show_aggregations(struct run *r)
{
	signals_answered();
	r->show.kind->blank(&r->show);
	if (dtrace_aggregate_snap(r->dtp) != 0 || dtrace_aggregate_print(r->dtp, show_file(&r->show),
	    NULL) != 0)
		return tracing_failed(r, "failed to print aggregations");
	return 0;
}

/* One round of the library's work. *done is set when the program itself ended the trace. */
static int work_once(struct run *r, bool *done)
{
	switch (dtrace_work(r->dtp, show_file(&r->show), r->show.kind->probe, r->show.kind->record,
	    &r->show)) {
	case DTRACE_WORKSTATUS_DONE:
		r->exited |= !*done;
		*done = true;
		return 0;
	case DTRACE_WORKSTATUS_OKAY:
		return 0;
	default:
		return tracing_failed(r, "processing aborted");
	}
}

/* --live: the terminal is as it was, and what comes from now on goes to it. */
static void leave_live(struct run *r)
{
	if (r->live == NULL)
		return;
	live_end(r->live);
	r->live = NULL;
	r->show.out = stdout;
	show_options(&r->show);
}

/* --live: everything that is printed waits for the end, so that it does not disturb the picture. */
static int enter_live(struct run *r, struct live *live)
{
	if (!live_begin(live, r->dtp))
		return 1;
	r->live = live;
	r->show.out = live->screen.text;
	show_options(&r->show);
	return 0;
}

/* Conflicting options are reported before anything is traced. */
static bool may_live(const struct run *r)
{
	if (dtrace_oformat(r->dtp) != DTRACE_OFORMAT_TEXT)
		fprintf(stderr, "dtrace: --live goes with text alone, not with -O\n");
	else if (!isatty(STDOUT_FILENO))
		fprintf(stderr, "dtrace: --live draws on a terminal, and standard output is not one\n");
	else
		return true;
	return false;
}

static bool wants_end(const struct run *r)
{
	return signals_interrupted() || (r->live != NULL && r->live->quit);
}

/*
 * A signal and the end of the target stop tracing; one more round of work then reads what is left, END's
 * records included.
 */
static int work_loop(struct run *r)
{
	bool done = false;
	int status = 0;

	while (!done && status == 0) {
		if (!wants_end(r) && r->live != NULL)
			live_wait(r->live);
		else if (!wants_end(r))
			dtrace_sleep(r->dtp);
		if (wants_end(r) || targets_gone(r->targets)) {
			done = true;
			leave_live(r);
			if (signals_interrupted())
				r->show.kind->blank(&r->show);
			if (dtrace_stop(r->dtp) != 0)
				return tracing_failed(r, "couldn't stop tracing");
		}
		status = work_once(r, &done);
		if (status == 0 && signals_asked() && !done)
			status = show_aggregations(r);
		if (status == 0 && r->live != NULL && !done && live_draw(r->live) != 0)
			status = tracing_failed(r, "failed to read aggregations");
		report_notices(r);
		faults_report(&r->show.faults, r->show.out, done);
	}
	return status;
}

/* A tool is called by its own name. */
static int not_started(struct run *r)
{
	int err = dtrace_errno(r->dtp);

	if (r->a->tool == NULL)
		return tracing_failed(r, "could not enable tracing");
	tool_failed(r->a->tool, dtrace_errmsg(r->dtp, err), err == EDT_ACCESS);
	return 1;
}

/* Makes everything live, says what the user should know of it, and only then lets the targets run. */
static int start_tracing(struct run *r)
{
	struct sizes before;
	struct progress p;
	int err;

	sizes_read(&before, r->dtp);
	progress_start(&p, "enabling probes", r->show.quiet || r->show.kind->silent);
	err = dtrace_go(r->dtp);
	progress_stop(&p);
	if (err != 0)
		return not_started(r);
	signals_begun();
	if (show_option_on(r->dtp, "destructive") && !r->show.quiet)
		fprintf(stderr, "dtrace: allowing destructive actions\n");
	report_notices(r);
	if (r->a->verbose && dtrace_remarks(r->dtp)[0] != '\0')
		fprintf(stderr, "dtrace: %s\n", dtrace_remarks(r->dtp));
	sizes_notice(&before, r->dtp);
	targets_notice(r->targets);
	read_options(r);
	targets_continue(r->targets);
	return 0;
}

/*
 * The saved enabling of -a is claimed after dtrace_go(): a failure leaves it for the next try. The exit
 * status is that of exit(), else with -x childstatus that of the command.
 */
static int trace_programs(struct run *r, dtrace_prog_t *const *programs)
{
	struct live live;
	int status;

	read_options(r);
	if ((r->a->live && !may_live(r)) || enable_programs(r, programs) != 0)
		return 1;
	if (show_handlers(&r->show) != 0 || dtrace_handle_setopt(r->dtp, on_setopt, r) != 0)
		return tracing_failed(r, "could not enable tracing");
	status = start_tracing(r);
	if (status == 0 && anon_claimed(r->dtp, r->a))
		status = anon_consume(r->a);
	if (status == 0 && r->a->live)
		status = enter_live(r, &live);
	if (status == 0)
		status = work_loop(r);
	leave_live(r);
	if (status != 0)
		return status;
	r->show.kind->blank(&r->show);
	if (dtrace_aggregate_print(r->dtp, show_file(&r->show), NULL) != 0)
		return tracing_failed(r, "failed to print aggregations");
	report_notices(r);
	status = dtrace_exitstatus(r->dtp);
	if (status == 0 && !r->exited && show_option_on(r->dtp, "childstatus"))
		status = targets_status(r->targets, r->a);
	return status;
}

/* --play: what a recording holds, in the format of -O; `-` is standard input, as it comes. */
static int play_recording(struct run *r)
{
	bool piped = strcmp(r->a->play, "-") == 0;

	read_options(r);
	if (r->a->hosts != NULL) {
		show_measure(&r->show, NULL, 0, 0);
		if (show_handlers(&r->show) == 0 && dtrace_show_fd(r->dtp, STDIN_FILENO, r->show.out) == 0) {
			report_notices(r);
			return dtrace_exitstatus(r->dtp);
		}
		return tracing_failed(r, "failed to show what hosts have recorded");
	}
	if (show_handlers(&r->show) != 0 || (piped ? dtrace_play_fd(r->dtp, STDIN_FILENO, r->show.out) :
	    dtrace_play(r->dtp, r->a->play, r->show.out)) != 0) {
		fprintf(stderr, "dtrace: failed to play %s\n", dtrace_errmsg(r->dtp, dtrace_errno(r->dtp)));
		return 1;
	}
	report_notices(r);
	return 0;
}

/* ---- what is asked for ---- */

/*
 * Floods of records are written in large pieces, and each ends with a whole line (show.c): a reader of
 * the file after dtrace was killed finds no half of one. The C library takes a size only with memory for
 * it. Pages are touched only when they are used, and standard output needs them until the end.
 */
static char *widen(FILE *f)
{
	char *room = isatty(fileno(f)) ? NULL : malloc(SHOW_BUFFER);

	if (room != NULL)
		setvbuf(f, room, _IOFBF, SHOW_BUFFER);
	return room;
}

/*
 * -x walltime in a quiet program: the time of day stands before each line, however many clauses print it. A
 * terminal of --live has no lines.
 */
static int stamp_programs(struct run *r, dtrace_prog_t *const *programs)
{
	FILE *out = r->show.out;
	int status;

	if (dtrace_oformat(r->dtp) != DTRACE_OFORMAT_TEXT || !show_option_on(r->dtp, "walltime") ||
	    !show_option_on(r->dtp, "quiet") || show_option_on(r->dtp, "flowindent") || r->a->live ||
	    r->a->buffered)
		return trace_programs(r, programs);
	r->show.out = stamp_open(&r->show.stamp, out);
	if (r->show.out == NULL) {
		fprintf(stderr, "dtrace: out of memory\n");
		r->show.out = out;
		return 1;
	}
	status = trace_programs(r, programs);
	if (fclose(r->show.out) != 0 && r->show.why == 0)
		r->show.why = errno;
	r->show.out = out;
	r->show.stamp.out = NULL;
	return status;
}

/* A trace whose text is recorded too (-O record) writes it to a file of the library's in between. */
static int record_programs(struct run *r, dtrace_prog_t *const *programs)
{
	FILE *out = r->show.out;
	int status;

	r->show.out = dtrace_record_file(r->dtp, out);
	if (r->show.out == NULL) {
		fprintf(stderr, "dtrace: out of memory\n");
		r->show.out = out;
		return 1;
	}
	status = stamp_programs(r, programs);
	if (r->show.out != out && fclose(r->show.out) != 0 && r->show.why == 0)
		r->show.why = errno;
	r->show.out = out;
	return status;
}

/*
 * Output that could not be written must not look like success. The errno of the first write that failed
 * says more than that of the last.
 */
static int flush_output(struct run *r, int status)
{
	bool bad = fflush(r->show.out) != 0 || ferror(r->show.out);
	int err = r->show.why != 0 ? r->show.why : errno;

	if (r->show.out != stdout && fclose(r->show.out) != 0 && !bad) {
		bad = true;
		err = errno;
	}
	if (!bad)
		return status;
	fprintf(stderr, "dtrace: failed to write %s: %s\n", r->a->output != NULL ? r->a->output : "output",
	    strerror(err));
	if (r->show.out == stdout) {
		__fpurge(stdout);
		clearerr(stdout);
	}
	return 1;
}

int trace_loop_run(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t *const *programs, struct targets *v)
{
	struct run r = { .dtp = dtp, .a = a, .targets = v,
		.show = { .dtp = dtp, .out = stdout, .time_column = a->time_column,
			.buffered = a->buffered } };
	char *room;
	int status;

	if (a->mode == MODE_HEADER)
		return usdt_header(dtp, a);
	if (a->mode == MODE_LINK)
		return usdt_link(dtp, a, programs);
	if (a->output != NULL && (r.show.out = dtrace_outfile(a->output,
	    a->mode == MODE_LIST || dtrace_oformat(dtp) != DTRACE_OFORMAT_FILE)) == NULL) {
		fprintf(stderr, "dtrace: failed to open %s: %s\n", a->output, strerror(errno));
		return 1;
	}
	room = widen(r.show.out);
	if (a->mode == MODE_LIST)
		status = list_probes(dtp, a, programs, r.show.out, &r.show.why);
	else if (a->mode == MODE_PLAY)
		status = play_recording(&r);
	else
		status = record_programs(&r, programs);
	status = flush_output(&r, status);
	if (r.show.out != stdout)
		free(room);
	faults_free(&r.show.faults);
	return status;
}
