/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See batch.h. A batch is a block of copied firings. When it is full, a clone of the sink is made for it,
 * with an output in memory, and the crew formats it. The owner writes batches in the order in which they
 * were filled. A batch that a clone cannot format, because memory has run out or its text is longer than
 * TEXT_MAX, is formatted again by the sink itself, which writes as it goes and reports what fails. The
 * owner changes nothing that a formatting thread reads: clones have all they need since they were made.
 */
#include "sink/batch.h"

#include "base/crew.h"

#include <stdlib.h>

/* Of a batch: firings with their data, text, and how much of its memory is kept for the next. */
enum { BLOCK = 96 << 10, FIRINGS_MAX = 1024, TEXT_MAX = 1 << 20, TEXT_KEPT = 256 << 10 };

struct firing {				/* in a block, followed by its data and the text before it */
	const struct dt_batch_clause *clause;
	const char *end;
	uint64_t time;
	uint32_t cpu, nbefore;
};

struct batch {
	struct dt_batches *all;
	struct dt_sink *clone;
	struct dt_statements statements;	/* of the clone */
	struct dt_out text;
	bool failed;				/* the sink itself has to do it */
	uint32_t n;
	size_t used;
	uint64_t block[BLOCK / 8];
};

struct dt_batches {
	struct dt_sink *sink;
	dtrace_hdl_t *hdl;
	struct dt_crew *crew;
	struct batch **batches;		/* used one after the other; made when first used */
	unsigned nbatches, at;		/* the one that is being filled */
	int err;			/* the first that the sink ended the trace with */
};

/* ---- formatting ---- */

static size_t size_of(const struct dt_batch_clause *c, size_t nbefore)
{
	return sizeof(struct firing) + (((size_t)c->layout->size + nbefore + 7) & ~(size_t)7);
}

uint32_t dt_batch_records(const struct dt_batch_clause *c, const uint8_t *data, struct dt_rec *recs)
{
	uint32_t n = dt_rec_acts(c->ecb, c->layout, data);

	for (uint32_t i = 0; i < n; i++)
		recs[i] = (struct dt_rec){ &c->ecb->acts[i], data + c->layout->field[i].off,
			c->layout->field[i].size };
	return c->always || dt_ecb_is_default(c->ecb) || dt_statements_any(recs, n) ? n : 0;
}

static int format_firing(const struct batch *b, struct dt_sink *s, const struct firing *f)
{
	const uint8_t *data = (const uint8_t *)(f + 1);
	struct dt_rec recs[DT_BATCH_ACTS];
	dtrace_probedata_t d = { .dtpda_handle = b->all->hdl, .dtpda_edesc = f->clause->edesc,
		.dtpda_pdesc = f->clause->pdesc, .dtpda_cpu = (int)f->cpu, .dtpda_timestamp = f->time,
		.dtpda_flow = DTRACEFLOW_NONE, .dtpda_prefix = "| " };
	struct dt_sink_event event = { .data = &d, .ecb = f->clause->ecb, .recs = recs,
		.n = dt_batch_records(f->clause, data, recs) };
	int err;

	if (event.n == 0 && !dt_ecb_is_default(f->clause->ecb))
		return 0;
	dt_out_put(s->env.out, data + f->clause->layout->size, f->nbefore);
	err = s->type->event(s, &event);
	if (f->end != NULL)
		dt_out_str(s->env.out, f->end);
	return err;
}

/* By a clone, or by the sink itself, which writes to its file. 0, or what ends the trace. */
static int format_batch(const struct batch *b, struct dt_sink *s)
{
	const uint8_t *at = (const uint8_t *)b->block;
	int err = 0;

	for (uint32_t i = 0; i < b->n && err == 0 && (s != b->clone || !s->env.out->failed); i++) {
		const struct firing *f = (const struct firing *)(const void *)at;

		err = format_firing(b, s, f);
		at += size_of(f->clause, f->nbefore);
	}
	return err;
}

/* The work of the crew. */
static void do_batch(void *job)
{
	struct batch *b = job;

	b->failed = format_batch(b, b->clone) != 0 || b->text.failed;
	dt_sink_close(b->clone);
	b->clone = NULL;
}

/* ---- batches ---- */

struct dt_batches *dt_batches_new(struct dt_sink *sink, dtrace_hdl_t *hdl, unsigned threads)
{
	struct dt_batches *all = calloc(1, sizeof(*all));

	if (all == NULL)
		return NULL;
	all->sink = sink;
	all->hdl = hdl;
	all->nbatches = 2 * threads + 2;	/* each thread has one in hand and one that waits */
	all->batches = calloc(all->nbatches, sizeof(*all->batches));
	all->crew = dt_crew_new(threads, all->nbatches - 1, do_batch);
	if (all->batches != NULL && all->crew != NULL)
		return all;
	dt_batches_free(all);
	return NULL;
}

void dt_batches_free(struct dt_batches *all)
{
	if (all == NULL)
		return;
	dt_crew_free(all->crew);
	for (unsigned i = 0; all->batches != NULL && i < all->nbatches; i++)
		if (all->batches[i] != NULL) {
			dt_sink_close(all->batches[i]->clone);
			dt_out_free(&all->batches[i]->text);
			free(all->batches[i]);
		}
	free(all->batches);
	free(all);
}

/* The batch that is being filled; NULL: out of memory. */
static struct batch *current(const struct dt_batches *all)
{
	struct batch **b = &all->batches[all->at];

	if (*b == NULL && (*b = malloc(sizeof(**b))) != NULL) {
		(*b)->all = (struct dt_batches *)all;
		(*b)->clone = NULL;
		(*b)->failed = false;
		(*b)->n = 0;
		(*b)->used = 0;
		dt_out_init(&(*b)->text, NULL, NULL);
		(*b)->text.max = TEXT_MAX;
	}
	return *b;
}

/* Writes a batch that was formatted, or that has to be formatted here, and empties it. */
static void write_batch(struct dt_batches *all, struct batch *b)
{
	struct dt_out *out = all->sink->env.out;

	if (all->err == 0 && b->failed)
		all->err = format_batch(b, all->sink);
	else if (all->err == 0)
		dt_out_write(out, b->text.buf, b->text.len);
	dt_out_flush(out);
	dt_out_spill(out);
	if (b->text.cap > TEXT_KEPT)
		dt_out_free(&b->text);
	dt_out_clear(&b->text);
	b->failed = false;
	b->n = 0;
	b->used = 0;
}

static void write_oldest(struct dt_batches *all)
{
	struct batch *b = dt_crew_take(all->crew);

	if (b != NULL)
		write_batch(all, b);
}

/* The clone and its formats are made here: from now on its thread reads nothing that others change. */
static void hand_on(struct dt_batches *all, struct batch *b)
{
	const struct dt_sink *s = all->sink;

	b->text.opts = s->env.out->opts;
	b->statements = *s->env.statements;
	b->statements.out = &b->text;
	b->statements.last_text = NULL;
	b->clone = dt_sink_clone(s, &b->text, &b->statements);
	if (b->clone == NULL) {
		while (dt_crew_pending(all->crew))
			write_oldest(all);
		b->failed = true;
		write_batch(all, b);
		return;
	}
	dt_crew_give(all->crew, b);
	all->at = (all->at + 1) % all->nbatches;
	if (dt_crew_full(all->crew))
		write_oldest(all);
}

bool dt_batches_fits(const struct dt_batch_clause *c, size_t nbefore)
{
	return c->ecb->nacts <= DT_BATCH_ACTS && size_of(c, nbefore) <= BLOCK;
}

bool dt_batches_add(struct dt_batches *all, const struct dt_batch_firing *from)
{
	const struct dt_batch_clause *c = from->clause;
	size_t size = size_of(c, from->nbefore);
	struct batch *b = current(all);
	struct firing *f;

	if (b != NULL && b->n > 0 && (b->n == FIRINGS_MAX || size > BLOCK - b->used)) {
		hand_on(all, b);
		b = current(all);
	}
	if (b == NULL || !dt_batches_fits(c, from->nbefore))
		return false;
	f = (struct firing *)(void *)((uint8_t *)b->block + b->used);
	*f = (struct firing){ c, from->end, from->time, from->cpu, from->nbefore };
	memcpy(f + 1, from->data, c->layout->size);
	if (from->nbefore > 0)
		memcpy((uint8_t *)(f + 1) + c->layout->size, from->before, from->nbefore);
	b->used += size;
	b->n++;
	return true;
}

/* Firings in the batch that is being filled. */
static uint32_t waiting(const struct dt_batches *all)
{
	return all->batches[all->at] != NULL ? all->batches[all->at]->n : 0;
}

bool dt_batches_any(const struct dt_batches *all)
{
	return waiting(all) > 0 || dt_crew_pending(all->crew);
}

/* The last batch is not full. While others are formatted it is formatted here. */
int dt_batches_settle(struct dt_batches *all)
{
	int err;

	if (waiting(all) > 0 && dt_crew_pending(all->crew))
		hand_on(all, all->batches[all->at]);
	while (dt_crew_pending(all->crew))
		write_oldest(all);
	if (waiting(all) > 0) {
		all->batches[all->at]->failed = true;
		write_batch(all, all->batches[all->at]);
	}
	err = all->err;
	all->err = 0;
	return err;
}

unsigned dt_batches_threads(const struct dt_batches *all) { return dt_crew_threads(all->crew); }
