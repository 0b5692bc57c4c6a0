/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flame graph as one page that needs nothing else (doc/FORMATS.md). The page holds the folded stacks, and
 * with -O flame=FILE those of an earlier file, folded or a page; its script (page.h) draws them.
 */
#include "base/file.h"
#include "sink/page.h"
#include "sink/stacks.h"

#include <errno.h>
#include <stdlib.h>

#define MOST (256u << 20)	/* bytes of an earlier file */

struct flame {
	struct dt_stacks stacks;
	char *file;			/* the earlier one; NULL none */
	struct dt_out about;
	uint64_t start;			/* when the trace did */
	const char *old;		/* its stacks */
	size_t nold;
};

static bool is_folded(const char *text, size_t n)
{
	const char *end = memchr(text, '\n', n);
	const char *line = end != NULL ? end : text + n;

	while (line > text && line[-1] >= '0' && line[-1] <= '9')
		line--;
	return n == 0 || (line > text && line[-1] == ' ' && line != end);
}

/* The file may hold anything: it becomes text of a block, and the script skips what is no stack. */
static int read_earlier(struct flame *f, const char *path, char *why)
{
	size_t len;
	int err = dt_file_read_regular(path, MOST, &f->file, &len);

	if (err != 0) {
		snprintf(why, DT_SINK_WHY, "-O flame=%s: %s", path,
		    err == -EFBIG ? "it is too large" : strerror(-err));
		return -1;
	}
	f->old = dt_page_find(f->file, "now", &f->nold);
	if (f->old == NULL) {
		f->old = f->file;
		f->nold = len;
	}
	if (strlen(f->file) == len && is_folded(f->old, f->nold))
		return 0;
	snprintf(why, DT_SINK_WHY, "-O flame=%s: neither a file of -O folded nor one of -O flame", path);
	return -1;
}

static int open_flame(struct dt_sink *s)
{
	struct flame *f = (struct flame *)s;
	int err;

	if (!dt_page_built("flame", s->env.why, DT_SINK_WHY))
		return -1;
	dt_out_init(&f->about, NULL, s->env.out->opts);
	err = dt_stacks_open(s);
	if (err == 0 && s->env.argument != NULL)
		err = read_earlier(f, s->env.argument, s->env.why);
	if (err != 0) {
		free(f->file);
		dt_out_free(&f->about);
		dt_stacks_close(s);
	}
	return err;
}

static void close_flame(struct dt_sink *s)
{
	free(((struct flame *)s)->file);
	dt_out_free(&((struct flame *)s)->about);
	dt_stacks_close(s);
}

static void take_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	struct flame *f = (struct flame *)s;

	f->start = s->env.now(s->env.ctx);
	dt_page_about_start(&f->about, start);
	f->stacks.times = true;
}

/*
 * Of firings, when each was: lines of nanoseconds since the start, the CPU, and the line of the stack in the
 * block of folded stacks, from 0.
 */
static void put_times(struct flame *f, struct dt_sink *s)
{
	char text[128];

	dt_page_open(s->env.out, "times");
	for (size_t i = 0; i < f->stacks.samples.n; i++) {
		const struct dt_stack_sample *one = &f->stacks.samples.v[i];

		dt_out_printf(s->env.out, "%llu %u %u\n",
		    (unsigned long long)(one->time > f->start ? one->time - f->start : 0), one->cpu,
		    one->stack->line);
	}
	dt_page_close(s->env.out);
	if (f->stacks.samples.n < DT_STACK_SAMPLES)
		return;
	snprintf(text, sizeof(text), "the order of time has the first %u stacks of firings; all are counted",
	    (unsigned)DT_STACK_SAMPLES);
	s->env.note(s->env.ctx, text);
}

static void put_end(struct dt_sink *s, int status, bool exited)
{
	struct flame *f = (struct flame *)s;
	struct dt_out folded;

	(void)status, (void)exited;
	dt_out_init(&folded, NULL, s->env.out->opts);
	dt_stacks_fold(&f->stacks, &folded);
	dt_page_begin(s->env.out);
	dt_page_about(s->env.out, &f->about, f->start > 0 ? s->env.now(s->env.ctx) - f->start : 0);
	dt_page_block(s->env.out, "now", dt_out_text(&folded), folded.len);
	if (f->stacks.samples.n > 0)
		put_times(f, s);
	if (f->old != NULL)
		dt_page_block(s->env.out, "before", f->old, f->nold);
	dt_page_end(s->env.out);
	s->env.out->failed |= folded.failed | f->about.failed;
	dt_out_free(&folded);
}

const struct dt_sink_type dt_sink_flame = {
	.oformat = DTRACE_OFORMAT_FILE,
	.size = sizeof(struct flame),
	.open = open_flame,
	.close = close_flame,
	.start = take_start,
	.event = dt_stacks_event,
	.aggregation = dt_stacks_aggregation,
	.end = put_end,
};
