/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings (-O record=FILE): text on its way to a file is recorded too, and a recording is played with the
 * format that the handle's options name. Playing needs no rights and traces nothing.
 */
#include "base/file.h"
#include "lib/entry.h"
#include "lib/trace.h"
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

/* ---- playing ---- */

static const struct dt_type *find_type(void *ctx, const char *name)
{
	dtrace_typeinfo_t info;

	return dtrace_type_strcompile(ctx, name, &info) == 0 ? info.dtt_type : NULL;
}

static void add_note(void *ctx, const char *text)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;

	dt_trace_note(t, dt_arena_strdup(t->arena, text));
}

static int tell_fault(void *ctx, const dtrace_errdata_t *d)
{
	struct dtrace_hdl *h = ctx;
	dtrace_errdata_t told = *d;

	told.dteda_handle = h;
	return h->trace->err_f != NULL && h->trace->err_f(&told, h->trace->err_arg) == DTRACE_HANDLE_ABORT;
}

static int tell_drop(void *ctx, const dtrace_dropdata_t *d)
{
	struct dtrace_hdl *h = ctx;
	dtrace_dropdata_t told = *d;

	told.dtdda_handle = h;
	return h->trace->drop_f != NULL && h->trace->drop_f(&told, h->trace->drop_arg) == DTRACE_HANDLE_ABORT;
}

/* What the reading of the file and the writing of the format have to say. */
static int play(dtrace_hdl_t *h, const char *path, const char *bytes, size_t len, FILE *fp)
{
	struct dt_print_opts opts = dt_print_defaults;
	char why[DT_SINK_WHY];
	struct dt_out out;
	int err;

	opts.types = h->types;
	opts.units = dt_options_units(&h->options);
	opts.apart = !dt_options_on(&h->options, DT_OPT_mergestacks);
	dt_out_init(&out, fp, &opts);
	struct dt_play p = { .bytes = (const uint8_t *)bytes, .len = len,
		.format = (unsigned)h->options.val[DT_OPT_oformat],
		.argument = h->options.str[DT_OPT_oformat], .out = &out, .opts = &opts, .ctx = h,
		.type = find_type, .note = add_note, .fault = tell_fault, .drop = tell_drop,
		.terminal = isatty(fileno(fp)) == 1 };

	err = dt_play_run(&p, why);
	dt_out_flush(&out);
	if (err != 0)
		err = dt_handle_errorf(h, EINVAL, "%s: %s", path, why);
	else if (fflush(fp) != 0 || out.failed)
		err = dt_handle_errorf(h, EIO, "failed to write output: %s",
		    strerror(out.err != 0 ? out.err : errno));
	dt_out_free(&out);
	h->exitstatus = p.status;
	return err;
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
	err = play(h, path, bytes, len, fp);
	free(bytes);
	return err;
}

int dtrace_play(dtrace_hdl_t *h, const char *path, FILE *fp)
{
	DT_PUBLIC(h, -1, play_file(h, path, fp));
}
