/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings (-O record=FILE): text on its way to a file is recorded too, and a recording is played with the
 * format that the handle's options name. Playing needs no rights and traces nothing.
 */
#include "base/file.h"
#include "handle/entry.h"
#include "trace/trace.h"
#include "sink/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- recording ---- */

struct tee { dtrace_hdl_t *h; FILE *out; };

static ssize_t tee_write(void *cookie, const char *text, size_t n)
{
	struct tee *t = cookie;
	struct dt_sink *s = t->h->trace->sink;

	if (s != NULL && s->type->text != NULL)
		s->type->text(s, text, n);
	return fwrite(text, 1, n, t->out) == n && fflush(t->out) == 0 ? (ssize_t)n : 0;
}

static int tee_close(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *dtrace_record_file(dtrace_hdl_t *h, FILE *out)
{
	static const cookie_io_functions_t tee = { .write = tee_write, .close = tee_close };
	struct tee *t;
	FILE *f;

	if (h->options.val[DT_OPT_oformat] != DT_OFORMAT_record)
		return out;
	t = malloc(sizeof(*t));
	if (t == NULL)
		return NULL;
	*t = (struct tee){ h, out };
	f = fopencookie(t, "w", tee);
	if (f == NULL)
		free(t);
	return f;
}

int dtrace_record_fd(dtrace_hdl_t *h, int fd, unsigned int limit)
{
	if (fd < 0)
		return dt_handle_error(h, EINVAL);
	if (h->trace != NULL && h->trace->consumer != NULL)
		return dt_handle_error(h, EDT_ACTIVE);
	h->record_fd = fd;
	h->record_limit = limit;
	h->options.val[DT_OPT_oformat] = DT_OFORMAT_record;
	h->options.str[DT_OPT_oformat] = NULL;
	return 0;
}

/* ---- playing ---- */

static const struct dt_type *find_type(void *ctx, const char *name)
{
	dtrace_typeinfo_t info;

	return dtrace_type_strcompile(ctx, name, &info) == 0 ? info.dtt_type : NULL;
}

static void add_note(void *ctx, const char *text)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;

	dt_handle_note(t->h, dt_arena_strdup(t->arena, text));
}

static int give_fault(void *ctx, const dtrace_errdata_t *d)
{
	struct dtrace_hdl *h = ctx;
	dtrace_errdata_t mine = *d;

	mine.dteda_handle = h;
	return h->on.err_f != NULL && h->on.err_f(&mine, h->on.err_arg) == DTRACE_HANDLE_ABORT;
}

static int give_drop(void *ctx, const dtrace_dropdata_t *d)
{
	struct dtrace_hdl *h = ctx;
	dtrace_dropdata_t mine = *d;

	mine.dtdda_handle = h;
	return h->on.drop_f != NULL && h->on.drop_f(&mine, h->on.drop_arg) == DTRACE_HANDLE_ABORT;
}

/* The recorder was given a limit, or the server has forgotten what came first. */
static int note_left(void *ctx, uint32_t kind, uint64_t n)
{
	static const char *const what[] = { "firings", "blocks", "errors" };
	char text[128];

	snprintf(text, sizeof(text), "%llu %s are not in the recording", (unsigned long long)n,
	    kind < sizeof(what) / sizeof(what[0]) ? what[kind] : "parts");
	add_note(ctx, text);
	return 0;
}

/* A player for the handle: its options, its handlers. `name` is what messages call the stream. */
struct playing {
	dtrace_hdl_t *h;
	const char *name;
	struct dt_print_opts opts;
	struct dt_out out;
	struct dt_play play;
	struct dt_player *player;
	bool shows;			/* text is made of firings */
	bool blank;			/* the line before the end was written */
	char why[DT_SINK_WHY];
};

static struct playing *playing_of(const struct dt_sink *s)
{
	return (struct playing *)(uintptr_t)s->env.argument;
}

/* Text of a firing, between what the caller has for its line. */
static int show_firing(struct dt_sink *s, const struct dt_sink_event *e)
{
	static const struct dt_sink_caller all = { .all = true };
	dtrace_hdl_t *h = playing_of(s)->h;
	char text[DTRACE_LINE_MAX];
	dtrace_probedata_t d = *e->data;
	dtrace_linedata_t l = { .dtlda_handle = h, .dtlda_probe = &d, .dtlda_text = text,
		.dtlda_size = sizeof(text) };
	int n = 0, err;

	d.dtpda_data = NULL;
	if (h->on.line_f != NULL && dt_statements_any(e->recs, e->n)) {
		n = h->on.line_f(&l, h->on.line_arg);
		if (n < 0 || (size_t)n > sizeof(text))
			return n < 0 ? EDT_DIRABORT : EDT_BADRVAL;
		dt_out_put(s->env.out, text, (size_t)n);
	}
	s->env.caller = &all;
	err = dt_sink_text.event(s, e);
	if (l.dtlda_end != NULL)
		dt_out_str(s->env.out, l.dtlda_end);
	dt_out_flush(s->env.out);
	return err;
}

/* An empty line stands before what is left at the end, as after a trace. */
static void show_blank(struct dt_sink *s)
{
	if (!playing_of(s)->blank)
		dt_out_str(s->env.out, "\n");
	playing_of(s)->blank = true;
}

static int show_aggregation(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	show_blank(s);
	return dt_sink_text.aggregation(s, a);
}

static void show_end(struct dt_sink *s, int status, bool exited)
{
	(void)status, (void)exited;
	show_blank(s);
}

static const struct dt_sink_type show_sink = {
	.oformat = DTRACE_OFORMAT_TEXT, .size = sizeof(struct dt_sink), .event = show_firing,
	.aggregation = show_aggregation, .end = show_end,
};

static int begin(struct playing *p, FILE *fp)
{
	dtrace_hdl_t *h = p->h;

	p->opts = dt_print_defaults;
	p->opts.types = h->types;
	p->opts.units = dt_options_units(&h->options);
	p->opts.apart = !dt_options_on(&h->options, DT_OPT_mergestacks);
	dt_out_init(&p->out, fp, &p->opts);
	p->play = (struct dt_play){ .format = (unsigned)h->options.val[DT_OPT_oformat],
		.argument = h->options.str[DT_OPT_oformat], .out = &p->out, .opts = &p->opts, .ctx = h,
		.type = find_type, .note = add_note, .fault = give_fault, .drop = give_drop,
		.left = note_left,
		.terminal = isatty(fileno(fp)) == 1 };
	if (p->shows && p->play.format == DT_OFORMAT_text) {
		p->opts.quiet = dt_options_on(&h->options, DT_OPT_quiet);
		p->opts.rawbytes = dt_options_on(&h->options, DT_OPT_rawbytes);
		p->opts.agghist = dt_options_on(&h->options, DT_OPT_agghist);
		p->opts.aggpack = dt_options_on(&h->options, DT_OPT_aggpack);
		p->opts.aggzoom = dt_options_on(&h->options, DT_OPT_aggzoom);
		p->play.sink = &show_sink;
		p->play.argument = (const char *)p;
	}
	p->player = dt_play_open(&p->play, p->why);
	return p->player != NULL ? 0 : dt_handle_errorf(h, EINVAL, "%s: %s", p->name, p->why);
}

/* What the reading of the stream and the writing of the format have to say. */
static int finish(struct playing *p, FILE *fp)
{
	int err = dt_play_close(p->player);

	dt_out_flush(&p->out);
	if (err != 0)
		err = dt_handle_errorf(p->h, EINVAL, "%s: %s", p->name, p->why);
	else if (fflush(fp) != 0 || p->out.failed)
		err = dt_handle_errorf(p->h, EIO, "failed to write output: %s",
		    strerror(p->out.err != 0 ? p->out.err : errno));
	dt_out_free(&p->out);
	p->h->exitstatus = p->play.status;
	return err;
}

static int play_bytes(dtrace_hdl_t *h, const char *name, const void *bytes, size_t len, FILE *fp)
{
	struct playing p = { .h = h, .name = name };

	if (fp == NULL || (bytes == NULL && len > 0))
		return dt_handle_error(h, EINVAL);
	if (begin(&p, fp) != 0)
		return -1;
	(void)dt_play_feed(p.player, bytes, len);
	return finish(&p, fp);
}

static int play_file(dtrace_hdl_t *h, const char *path, FILE *fp)
{
	char *bytes;
	size_t len;
	int err = path == NULL || fp == NULL ? -EINVAL : dt_file_read_regular(path, DT_RECORDING_MAX, &bytes,
	    &len);

	if (err != 0)
		return dt_handle_errorf(h, -err, "%s: %s", path, err == -EINVAL ? "it is no regular file" :
		    strerror(-err));
	err = play_bytes(h, path, bytes, len, fp);
	free(bytes);
	return err;
}

/* Each piece is shown before the next one is waited for. */
static int play_pieces(struct playing *p, int fd, FILE *fp)
{
	char piece[64 << 10];
	ssize_t n = 1;

	while (n > 0 || (n < 0 && errno == EINTR && !p->h->interrupted)) {
		n = read(fd, piece, sizeof(piece));
		if (n > 0 && dt_play_feed(p->player, piece, (size_t)n) != 0)
			break;
		dt_out_flush(&p->out);
		(void)fflush(fp);
	}
	return n < 0 && errno != EINTR ? errno : 0;
}

static int play_fd(dtrace_hdl_t *h, int fd, FILE *fp, bool shows)
{
	struct playing p = { .h = h, .name = "the stream", .shows = shows };
	int err, failed;

	if (fp == NULL)
		return dt_handle_error(h, EINVAL);
	if (begin(&p, fp) != 0)
		return -1;
	failed = play_pieces(&p, fd, fp);
	err = finish(&p, fp);
	return failed != 0 ? dt_handle_errorf(h, failed, "the stream: %s", strerror(failed)) : err;
}

int dtrace_play(dtrace_hdl_t *h, const char *path, FILE *fp)
{
	DT_PUBLIC(h, -1, play_file(h, path, fp));
}

int dtrace_play_fd(dtrace_hdl_t *h, int fd, FILE *fp)
{
	DT_PUBLIC(h, -1, play_fd(h, fd, fp, false));
}

int dtrace_show_fd(dtrace_hdl_t *h, int fd, FILE *fp)
{
	DT_PUBLIC(h, -1, play_fd(h, fd, fp, true));
}

int dtrace_play_memory(dtrace_hdl_t *h, const void *bytes, size_t len, FILE *fp)
{
	DT_PUBLIC(h, -1, play_bytes(h, "the recording", bytes, len, fp));
}
