/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings of several hosts merged into one (src/sink/merge.h), and a recording played as a trace is shown:
 * text is made of its firings, with the columns of the caller.
 */
#include "handle/entry.h"
#include "sink/merge.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>

struct dtrace_merge {
	dtrace_hdl_t *h;
	struct dt_merge *m;
	DT_VEC(struct dt_merge_source *) sources;
	char why[DT_SINK_WHY];
};

static dtrace_merge_t *open_merge(dtrace_hdl_t *h, int fd, bool past)
{
	dtrace_merge_t *m = DT_NEW(h->arena, dtrace_merge_t);
	struct dt_merge_how how = { .order = dt_trace_order(h), .past = past,
		.passes = !past && dt_options_on(&h->options, DT_OPT_aggmerge),
		.interval = h->options.given[DT_OPT_aggrate] ? (uint64_t)h->options.val[DT_OPT_aggrate] : 0 };

	m->h = h;
	m->m = dt_merge_open(fd, &how, m->why);
	if (m->m != NULL)
		return m;
	(void)dt_handle_errorf(h, EINVAL, "%s", m->why[0] != '\0' ? m->why : "out of memory");
	return NULL;
}

static int add_source(dtrace_merge_t *m, const char *name, int64_t offset)
{
	struct dt_merge_source *s = dt_merge_add(m->m, name, offset);

	if (s == NULL)
		return dt_handle_error(m->h, EDT_NOMEM);
	dt_vec_push(m->h->arena, &m->sources, s);
	return (int)m->sources.n - 1;
}

static int feed_source(dtrace_merge_t *m, int source, const void *bytes, size_t len)
{
	if (source < 0 || (size_t)source >= m->sources.n)
		return dt_handle_error(m->h, EINVAL);
	if (dt_merge_feed(m->m, m->sources.v[source], bytes, len) != 0)
		return dt_handle_errorf(m->h, EINVAL, "%s", dt_merge_source_why(m->sources.v[source]));
	if (dt_merge_why(m->m)[0] != '\0')
		return dt_handle_errorf(m->h, EDT_DIRABORT, "%s", dt_merge_why(m->m));
	return 0;
}

static int close_merge(dtrace_merge_t *m)
{
	char why[DT_SINK_WHY];
	int err;

	snprintf(why, sizeof(why), "%s", dt_merge_why(m->m));
	err = dt_merge_close(m->m);
	return err != 0 ? dt_handle_errorf(m->h, EIO, "%s", why[0] != '\0' ? why :
	    "the recording could not be written") : 0;
}

dtrace_merge_t *dtrace_merge_open(dtrace_hdl_t *h, int fd)
{
	DT_PUBLIC(h, NULL, open_merge(h, fd, false));
}

dtrace_merge_t *dtrace_merge_past(dtrace_hdl_t *h, int fd)
{
	DT_PUBLIC(h, NULL, open_merge(h, fd, true));
}

int dtrace_merge_add(dtrace_merge_t *m, const char *name, int64_t offset)
{
	DT_PUBLIC(m->h, -1, add_source(m, name, offset));
}

int dtrace_merge_feed(dtrace_merge_t *m, int source, const void *bytes, size_t len)
{
	DT_PUBLIC(m->h, -1, feed_source(m, source, bytes, len));
}

void dtrace_merge_time(dtrace_merge_t *m, int source, uint64_t time)
{
	dt_merge_time(m->m, m->sources.v[source], time);
}

void dtrace_merge_leave(dtrace_merge_t *m, int source)
{
	dt_merge_leave(m->m, m->sources.v[source]);
}

int dtrace_merge_ended(const dtrace_merge_t *m, int source)
{
	bool exited = false;
	bool ended = dt_merge_source_ended(m->sources.v[source], &exited);

	return !ended ? 0 : exited ? 2 : 1;
}

void dtrace_merge_counts(const dtrace_merge_t *m, uint64_t *late, uint64_t *missing)
{
	dt_merge_counts(m->m, late, missing);
}

int dtrace_merge_close(dtrace_merge_t *m)
{
	DT_PUBLIC(m->h, -1, close_merge(m));
}
