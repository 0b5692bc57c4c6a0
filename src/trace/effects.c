/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What statements do besides printing: they change aggregations, options and where output goes, and they run
 * commands. The statements of src/output and src/builtin call these through struct dt_statement_ops. A
 * failure is reported as an error of the firing in hand (dt_trace_action_failed()) or, if tracing cannot go
 * on, left in t->failed, which ends dtrace_work().
 */
#include "trace/trace.h"
#include "base/outfile.h"

#include "handle/errors.h"
#include "process/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The rows of printa(). Aggregations that a program prints itself are not printed again at the end. */
static struct dt_aggrow *op_rows(void *ctx, const int64_t *ids, uint32_t nids, size_t *n)
{
	struct dtrace_hdl *h = ctx;
	struct dt_sink_aggs aggs = { .ids = ids, .nids = nids };

	for (uint32_t i = 0; i < nids; i++) {
		struct dt_agg *agg = dt_consumer_agg(h->trace->consumer, (uint32_t)ids[i]);

		if (agg != NULL)
			agg->printed = true;
	}
	aggs.rows = dt_trace_sorted(h, ids, nids, n);
	aggs.n = *n;
	if (h->trace->sink->type->shown != NULL)
		h->trace->sink->type->shown(h->trace->sink, &aggs);
	return aggs.rows;
}

static struct dt_aggrow *op_elements(void *ctx, int64_t id, size_t *n)
{
	return dt_trace_sorted(ctx, &id, 1, n);
}

/* An aggregation that nothing was counted in has nothing to clear: `agg` is NULL then, here and below. */
static void op_clear(void *ctx, int64_t id)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;
	struct dt_agg *agg = dt_consumer_agg(t->consumer, (uint32_t)id);

	if (agg != NULL)
		dt_agg_clear(t->consumer, agg);
}

/*
 * The order of a print without options: by value, and equal values by their keys, so that trunc() always
 * keeps the same elements.
 */
static int by_value_and_keys(void *ctx, const struct dt_agg *agg, const struct dt_agg_elem *a,
    const struct dt_agg_elem *b)
{
	struct dt_value x, y;
	int c;

	dt_agg_value(agg, a, &x);
	dt_agg_value(agg, b, &y);
	c = dt_agg_cmp_value(&x, &y);
	for (uint32_t k = 0; c == 0 && k < agg->layout->nkeys; k++) {
		dt_trace_key(ctx, a, k, &x);
		dt_trace_key(ctx, b, k, &y);
		c = dt_agg_cmp_key(&x, &y);
	}
	return c;
}

static void op_trunc(void *ctx, int64_t id, int64_t n)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;
	struct dt_agg *agg = dt_consumer_agg(t->consumer, (uint32_t)id);

	if (n != 0 && dt_options_on(&((struct dtrace_hdl *)ctx)->options, DT_OPT_aggmerge))
		return;			/* the largest of all hosts are not those of this one */
	if (agg != NULL && dt_agg_trunc(agg, n, by_value_and_keys, t) != 0)
		t->failed = EDT_NOMEM;
}

/* A normal of 0 would divide by zero when printed; history ends tracing with EDT_BADNORMAL. */
static void op_normalize(void *ctx, int64_t id, int64_t normal)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;
	struct dt_agg *agg = dt_consumer_agg(t->consumer, (uint32_t)id);

	if (normal == 0)
		t->failed = EDT_BADNORMAL;
	else if (agg != NULL)
		dt_agg_normal(agg, normal);
}

/* setopt(): the option, then the text options derived from it, then the handler, in this order. */
static void op_setopt(void *ctx, const char *name, const char *value)
{
	struct dtrace_hdl *h = ctx;
	struct dt_trace *t = h->trace;
	dtrace_setoptdata_t d = { .dtsda_handle = h, .dtsda_probe = h->doing.firing, .dtsda_option = name };
	int err;

	(void)dt_options_get(&h->options, name, &d.dtsda_oldval);
	err = dt_options_set(&h->options, name, value, DT_OPT_IN_PROGRAM | DT_OPT_TRACING);
	if (err != 0) {
		dt_trace_action_failed(h, "couldn't set option \"%s\" to \"%s\": %s%s%s%s", name,
		    value != NULL ? value : "1", dt_error_text(err),
		    err == EDT_BADOPTVAL ? " (" : "",
		    err == EDT_BADOPTVAL ? dt_options_form(h->scratch, name) : "",
		    err == EDT_BADOPTVAL ? ")" : "");
		return;
	}
	dt_options_settle(&h->options);
	(void)dt_options_get(&h->options, name, &d.dtsda_newval);
	dt_trace_text(h, t);
	if (t->h->on.setopt_f != NULL && t->h->on.setopt_f(&d, t->h->on.setopt_arg) == DTRACE_HANDLE_ABORT)
		t->failed = EDT_DIRABORT;
}

static bool command_interrupted(void *ctx)
{
	return ((const struct dtrace_hdl *)ctx)->interrupted != 0;
}

/* A recording is played: nothing else is to be done. */
static void serve_nothing(void *hdl) { (void)hdl; }

/*
 * Output of a command must not stand between structured lines: with a format other than text it goes where
 * messages go. No record is read while the command runs, so its output stands in its place; programs that are
 * held until their probes are live go on (struct dt_waiting), as they may be the command itself.
 */
static int run_command(struct dtrace_hdl *h, const char *command)
{
	const struct dt_waiting *w = &h->trace->waiting;
	struct dt_shell_ops ops = { h, w->fd != NULL ? w->fd(h->trace) : -1,
		w->ms != NULL ? w->ms(h->trace) : 1000, w->serve != NULL ? w->serve : serve_nothing,
		command_interrupted };
	char *text = NULL;
	int err;

	if (h->trace->sink->type->oformat == DTRACE_OFORMAT_TEXT)
		return dt_shell_run(command, &ops);
	if (asprintf(&text, "exec 1>&2\n%s", command) < 0)
		return -ENOMEM;
	err = dt_shell_run(text, &ops);
	free(text);
	return err;
}

/* After an interruption the commands that wait in the buffers are not run, but for those of END. */
static bool is_skipped(const struct dtrace_hdl *h)
{
	const struct dt_trace *t = h->trace;

	return (t->interrupted || h->interrupted) && t->h->doing.firing != NULL &&
	    (strcmp(t->h->doing.firing->dtpda_pdesc->dtpd_name, "END") != 0 ||
		strcmp(t->h->doing.firing->dtpda_pdesc->dtpd_provider, "dtrace") != 0);
}

/* Our text is flushed first, so that the command's output stands after it. */
static void op_system(void *ctx, const char *command)
{
	struct dtrace_hdl *h = ctx;
	int err;

	if (is_skipped(h)) {
		h->trace->skipped++;
		return;
	}
	fflush(h->trace->fp);
	err = run_command(h, command);
	if (err != 0)
		dt_trace_action_failed(h, "couldn't run %s: %s", command, strerror(-err));
}

/*
 * Output continues in another file; "" goes back to the original one. The descriptor of fp is replaced rather
 * than fp itself, because fp belongs to the caller.
 */
static void reopen(void *ctx, struct dt_trace *t, const char *name)
{
	if (name[0] == '\0') {
		if (t->original > 0 && dup2(t->original, fileno(t->fp)) >= 0) {
			close(t->original);
			t->original = 0;
		}
		return;
	}
	int fd = dt_outfile_open(name, true, false);

	if (fd < 0)
		errno = -fd;
	if (fd >= 0 && t->original == 0)
		t->original = fcntl(fileno(t->fp), F_DUPFD_CLOEXEC, 3);
	if (fd < 0 || t->original < 0 || dup2(fd, fileno(t->fp)) < 0) {
		dt_trace_action_failed(ctx, "couldn't freopen() \"%s\": %s", name, strerror(errno));
		t->original = t->original < 0 ? 0 : t->original;
	}
	if (fd >= 0)
		close(fd);
}

/* What waits goes to the file that it was meant for; the next may be no terminal, or another one. */
static void op_freopen(void *ctx, const char *name)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;

	if (t->fp == NULL)
		return;
	fflush(t->fp);
	reopen(ctx, t, name);
	dt_trace_terminal(ctx, t);
}

/* ftruncate() empties the current output file; a pipe or terminal cannot be emptied and stays as it is. */
static void op_ftruncate(void *ctx)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;

	if (t->fp == NULL)
		return;
	fflush(t->fp);
	if (ftruncate(fileno(t->fp), 0) == 0)
		(void)fseeko(t->fp, 0, SEEK_SET);
}

/* print() of a saved program knows its type only by name. */
static const struct dt_type *op_type(void *ctx, const char *name)
{
	dtrace_typeinfo_t info;

	return dtrace_type_strcompile(ctx, name, &info) == 0 ? info.dtt_type : NULL;
}

struct dt_statement_ops dt_trace_effects(struct dtrace_hdl *h)
{
	return (struct dt_statement_ops){ .ctx = h, .rows = op_rows, .elements = op_elements,
		.clear = op_clear, .trunc = op_trunc, .normalize = op_normalize,
		.setopt = op_setopt, .system = op_system, .freopen = op_freopen, .ftruncate = op_ftruncate,
		.type = op_type };
}
