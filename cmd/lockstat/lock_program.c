/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments in, their D program out. All filters that the kernel can look at are in the program, so that
 * unwanted events cost no record; those by caller are applied in the report.
 */
#include "lock_args.h"

#include "arguments.h"

#include <inttypes.h>
#include <stdlib.h>

#define CALLER_DEPTH 10			/* frames among which the caller is looked for */
#define TOTAL_DEPTH 64			/* -g: whole stacks */

/* How many frames are recorded: enough to find the caller, and after it those that are shown. */
static long depth_of(const struct lock_args *w)
{
	return w->total ? TOTAL_DEPTH : w->detail == DETAIL_STACKS ? w->depth + CALLER_DEPTH : CALLER_DEPTH;
}

/* "&& …" for each filter that the kernel can look at. */
static void put_filter(FILE *f, const struct lock_args *w)
{
	char name[80];

	if (w->pid != 0)
		fprintf(f, " && pid == %ld", w->pid);
	if (w->name != NULL) {
		arguments_quote(w->name, name, sizeof(name));
		fprintf(f, " && execname == \"%s\"", name);
	}
	if (w->duration > 0)
		fprintf(f, " && this->ns >= %ld", w->duration);
	for (int i = 0; i < w->nlocks; i++)
		fprintf(f, "%s(this->lock >= %#" PRIx64 " && this->lock < %#" PRIx64 ")",
		    i > 0 ? " || " : " && (", w->locks[i].from, w->locks[i].to);
	if (w->nlocks > 0)
		fputc(')', f);
}

/* What happens at an event: it is printed (-T), or counted by event, lock and stack. */
static void put_counting(FILE *f, const struct lock_args *w, const struct lock_event *e)
{
	long depth = depth_of(w);

	if (w->trace) {
		if (w->time)
			fputs("printf(\"%Y \", walltimestamp); ", f);
		fprintf(f, "printf(\"%%-24s %%10d ns  %%a\\n\", \"%s\", this->ns, this->lock); "
		    "stack(%ld);", e->title, depth);
		return;
	}
	fprintf(f, "@count[%uULL, this->lock, stack(%ld)] = count();", e->number, depth);
	if (w->detail >= DETAIL_TIMES)
		fprintf(f, " @time[%uULL, this->lock, stack(%ld)] = sum(this->ns);", e->number, depth);
	if (w->detail >= DETAIL_HISTOGRAM)
		fprintf(f, " @hist[%uULL, this->lock, stack(%ld)] = quantize(this->ns);", e->number, depth);
}

/* What a stream holds when `put` is done; the caller frees it. */
static char *text_from(void (*put)(FILE *, const struct lock_args *, const struct lock_event *),
    const struct lock_args *w, const struct lock_event *e)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	put(f, w, e);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* The filters in the form that text_of() wants. */
static void put_condition(FILE *f, const struct lock_args *w, const struct lock_event *e)
{
	(void)e;
	put_filter(f, w);
}

/*
 * The clauses of one event. The "lock" of a profiling sample is the number of its CPU. False: out of memory.
 */
static bool put_event(FILE *f, const struct lock_args *w, const struct lock_event *e)
{
	char *condition = text_from(put_condition, w, e), *counting = text_from(put_counting, w, e);
	bool ok = condition != NULL && counting != NULL;

	if (ok && e->program != NULL)
		fprintf(f, e->program, condition, counting);
	else if (ok)
		fprintf(f, "profile:::profile-%ld { this->lock = (uint64_t)cpu; this->ns = 0; }\n"
		    "profile:::profile-%ld /1%s/ { %s }\n", w->rate, w->rate, condition, counting);
	free(condition);
	free(counting);
	return ok;
}

char *lock_args_program(const struct lock_args *w)
{
	char *text = NULL;
	size_t len;
	bool ok = true;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	for (int i = 0; i < w->nevents && ok; i++)
		ok = put_event(f, w, w->events[i]);
	if (fclose(f) == 0 && ok)
		return text;
	free(text);
	return NULL;
}
