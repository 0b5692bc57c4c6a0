/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -O record=FILE: text as always, and beside it a file that holds all that was told, with names instead of
 * addresses, for `dtrace --play` (recording.h has the blocks, doc/FORMATS.md the use). A block never needs
 * one that comes behind it.
 */
#include "base/map.h"
#include "base/outfile.h"
#include "sink/recording.h"
#include "sink/told.h"

#include "dif/action.h"
#include "value/record.h"

#include <errno.h>
#include <stdlib.h>

struct record {
	struct dt_sink sink;
	FILE *file;
	int err;			/* of the first write that failed */
	struct dt_out block, one;	/* the block in hand, and a text */
	/* what the file has: symbols, aggregations, probes, by numbers as text */
	struct dt_map symbols, aggs, probes;
	const struct dt_prog *const *programs;
	uint32_t nprograms;
};

/* ---- blocks ---- */

/* Called from everywhere, and not worth their room each time. */
#define SMALL static __attribute__((noinline))

SMALL void put_u32(struct dt_out *o, uint32_t v) { dt_out_put(o, &v, sizeof(v)); }
SMALL void put_u64(struct dt_out *o, uint64_t v) { dt_out_put(o, &v, sizeof(v)); }

SMALL void put_bytes(struct dt_out *o, const void *p, size_t n)
{
	put_u32(o, (uint32_t)n);
	dt_out_put(o, p, n);
}

SMALL void put_text(struct dt_out *o, const char *s) { put_bytes(o, s, strlen(s)); }

/* What is written so far is in the file, whatever becomes of us. */
static void flush(struct record *r)
{
	if (fflush(r->file) != 0 && r->err == 0)
		r->err = errno;
}

/* A block goes out whole; then there is nothing in hand. */
static void write_block(struct record *r, char letter, const void *p, size_t n)
{
	uint32_t len = (uint32_t)n;

	errno = EIO;
	if (r->err == 0 && (n > UINT32_MAX || r->block.failed || putc(letter, r->file) == EOF ||
	    fwrite(&len, sizeof(len), 1, r->file) != 1 || fwrite(p, 1, n, r->file) != n))
		r->err = r->block.failed || n > UINT32_MAX ? EOVERFLOW : errno;
}

static void end_block(struct record *r, char letter, struct dt_out *block)
{
	write_block(r, letter, dt_out_text(block), block->len);
	dt_out_clear(block);
}

/* Whether the file has it already; from now on it has. */
static bool is_new(struct record *r, struct dt_map *map, const char *key)
{
	if (dt_map_get(map, key) != NULL)
		return false;
	dt_map_put(map, key, r);
	return true;
}

/* ---- names ---- */

/* Called whenever an address was named, also while a block is in hand: it has a buffer of its own. */
static void take_symbol(struct dt_sink *s, enum dt_symkind kind, uint32_t pid, uint64_t addr,
    const char *text)
{
	struct record *r = (struct record *)s;
	struct dt_out o;
	char key[64];

	snprintf(key, sizeof(key), "%u %u %llx", kind, pid, (unsigned long long)addr);
	if (!is_new(r, &r->symbols, key))
		return;
	dt_out_init(&o, NULL, NULL);
	put_u32(&o, kind);
	put_u32(&o, pid);
	put_u64(&o, addr);
	put_text(&o, text);
	end_block(r, 'Y', &o);
	dt_out_free(&o);
}

/* Asks for the names of a value's addresses, so that the file has them. */
static void name_value(struct record *r, const struct dt_value *v)
{
	bool stack = v->kind == DT_V_STACK || v->kind == DT_V_USTACK;
	struct dt_value pc = *v;
	char text[512];

	if (v->kind >= DT_V_SYM && v->kind <= DT_V_UADDR)
		dt_symbol_text(r->sink.env.out->opts, v, text, sizeof(text));
	pc.kind = v->kind == DT_V_USTACK ? DT_V_UADDR : DT_V_SYM;
	for (uint32_t i = 0; stack && i < v->npcs && v->pcs[i] != 0; i++) {
		pc.i = v->pcs[i];
		dt_symbol_text(r->sink.env.out->opts, &pc, text, sizeof(text));
	}
}

static void put_probe(struct record *r, const dtrace_probedesc_t *p)
{
	char key[16];

	snprintf(key, sizeof(key), "%u", p->dtpd_id);
	if (!is_new(r, &r->probes, key))
		return;
	put_u32(&r->block, p->dtpd_id);
	put_text(&r->block, p->dtpd_provider);
	put_text(&r->block, p->dtpd_mod);
	put_text(&r->block, p->dtpd_func);
	put_text(&r->block, p->dtpd_name);
	end_block(r, 'N', &r->block);
}

static void put_source(struct record *r, struct dt_out *to, struct dt_loc loc)
{
	(void)dt_told_source(&r->one, loc);
	put_bytes(to, dt_out_text(&r->one), r->one.len);
}

static void put_aggregation_name(struct record *r, int64_t id, uint32_t nkeys, const struct dt_value *v)
{
	const char *name = r->sink.env.aggname(r->sink.env.ctx, id);
	char key[32];

	snprintf(key, sizeof(key), "%lld", (long long)id);
	if (!is_new(r, &r->aggs, key))
		return;
	put_u64(&r->block, (uint64_t)id);
	put_text(&r->block, name != NULL ? name : "");
	put_u32(&r->block, v->aggkind);
	put_u64(&r->block, v->aggarg);
	put_u32(&r->block, nkeys);
	for (uint32_t k = 0; k < nkeys; k++)
		put_source(r, &r->block, r->sink.env.aggkey(r->sink.env.ctx, id, k));
	end_block(r, 'G', &r->block);
}

/* ---- the programs ---- */

static void put_program(struct record *r, uint32_t number)
{
	const struct dt_prog *p = r->programs[number];
	void *dof = NULL;
	size_t len = 0;

	if (dt_dof_write(p, &dof, &len) != 0) {
		r->err = r->err != 0 ? r->err : ENOMEM;
		return;
	}
	write_block(r, 'P', dof, len);
	free(dof);
	put_u32(&r->block, number);
	for (uint32_t i = 0; i < p->necbs; i++)
		for (uint32_t k = 0; k < p->ecbs[i].nacts; k++)
			put_source(r, &r->block, p->ecbs[i].acts[k].loc);
	end_block(r, 'L', &r->block);
}

/* Where the clause stands: number of its program, and its place in it. */
static void put_clause(struct record *r, struct dt_out *o, const struct dt_ecb *ecb)
{
	uint32_t i = 0;

	while (i + 1 < r->nprograms && (ecb < r->programs[i]->ecbs ||
	    ecb >= r->programs[i]->ecbs + r->programs[i]->necbs))
		i++;
	put_u32(o, i);
	put_u32(o, (uint32_t)(ecb - r->programs[i]->ecbs));
}

static void take_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	struct record *r = (struct record *)s;

	r->programs = start->programs;
	r->nprograms = start->nprograms;
	for (uint32_t i = 0; i < start->nprograms; i++)
		put_program(r, i);
	put_u32(&r->block, (uint32_t)start->pid);
	put_u64(&r->block, s->env.now(s->env.ctx));
	put_u32(&r->block, start->nprograms);
	put_u32(&r->block, (uint32_t)start->nclauses);
	for (size_t i = 0; i < start->nclauses; i++) {
		const struct dt_sink_clause *c = &start->clauses[i];

		put_clause(r, &r->block, c->ecb);
		put_u32(&r->block, c->line);
		put_u32(&r->block, c->epid);
		put_text(&r->block, c->description);
		put_u32(&r->block, c->nprobes);
		for (uint32_t k = 0; k < c->nprobes; k++)
			put_u32(&r->block, c->probes[k]);
	}
	end_block(r, 'S', &r->block);
	flush(r);
}

/* ---- aggregations ---- */

static void put_value(struct dt_out *o, const struct dt_value *v)
{
	put_u32(o, v->kind);
	switch (v->kind) {
	case DT_V_STRING:
		put_bytes(o, v->bytes, dt_value_textlen(v));
		break;
	case DT_V_BYTES:
		put_bytes(o, v->bytes, v->bytes != NULL ? v->len : 0);
		break;
	case DT_V_STACK:
	case DT_V_USTACK:
		put_u32(o, v->pid);
		put_bytes(o, v->pcs, v->npcs * sizeof(*v->pcs));
		break;
	default:
		put_u32(o, v->pid);
		put_u32(o, v->size);
		put_u32(o, v->is_signed);
		put_u64(o, v->i);
	}
}

static void put_rows(struct record *r, char letter, const struct dt_sink_aggs *a)
{
	struct dt_out *o = &r->block;

	for (size_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < a->rows[i].nkeys; k++)
			name_value(r, &a->rows[i].keys[k]);
	for (uint32_t i = 0; i < a->nids && a->n > 0; i++)
		put_aggregation_name(r, a->ids[i], a->rows[0].nkeys, &a->rows[0].vals[i]);
	put_u64(o, r->sink.env.now(r->sink.env.ctx));
	put_u32(o, a->nids);
	for (uint32_t i = 0; i < a->nids; i++)
		put_u64(o, (uint64_t)a->ids[i]);
	put_u32(o, (uint32_t)a->n);
	for (size_t i = 0; i < a->n; i++) {
		put_u32(o, a->rows[i].nkeys);
		for (uint32_t k = 0; k < a->rows[i].nkeys; k++)
			put_value(o, &a->rows[i].keys[k]);
		for (uint32_t k = 0; k < a->nids; k++) {
			const struct dt_value *v = &a->rows[i].vals[k];

			put_u64(o, (uint64_t)v->normal);
			put_bytes(o, v->words, v->nwords * sizeof(*v->words));
		}
	}
	end_block(r, letter, o);
}

/* printa() shows them as text, and asks for them in the middle of it. */
static void take_shown(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	put_rows((struct record *)s, 'R', a);
}

static void take_snapshot(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	if (a->n > 0 && dt_aggfunc_of(a->rows[0].vals[0].aggkind)->buckets != NULL)
		put_rows((struct record *)s, 'V', a);
	flush((struct record *)s);
}

static int take_aggregation(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	put_rows((struct record *)s, 'A', a);
	return ((struct record *)s)->err != 0 ? ((struct record *)s)->err : dt_sink_text.aggregation(s, a);
}

/* ---- firings ---- */

static struct dt_value value_of(const struct dt_rec *rec)
{
	struct dt_value v = { .kind = DT_V_INT };

	if (rec->len > 0 && !DT_ACT_IS_AGG(rec->act->kind))
		dt_record_value(rec->act, rec->data, rec->len, &v);
	return v;
}

/* How many bytes of a record say all: nothing reads behind the NUL of a text or the end of a stack. */
static size_t bytes_that_count(const struct dt_rec *rec)
{
	struct dt_value v = value_of(rec);
	uint32_t n = 0;

	if (v.kind == DT_V_STRING)
		return dt_value_textlen(&v) < rec->len ? dt_value_textlen(&v) + 1 : rec->len;
	if (v.kind != DT_V_STACK && v.kind != DT_V_USTACK)
		return rec->len;
	while (n < v.npcs && v.pcs[n] != 0)
		n++;
	n = n < v.npcs ? n + 1 : n;
	return n > 0 ? (size_t)((const char *)(v.pcs + n) - (const char *)rec->data) : rec->len;
}

static void put_event(struct record *r, const struct dt_sink_event *e)
{
	const dtrace_probedata_t *d = e->data;
	struct dt_out *o = &r->block;

	put_clause(r, o, e->ecb);
	put_u32(o, d->dtpda_edesc->dtepd_epid);
	put_u32(o, d->dtpda_pdesc->dtpd_id);
	put_u32(o, (uint32_t)d->dtpda_cpu);
	put_u64(o, d->dtpda_timestamp);
	put_u32(o, e->flow);
	put_u32(o, d->dtpda_flow);
	put_u32(o, (uint32_t)d->dtpda_indent);
	put_text(o, d->dtpda_prefix != NULL ? d->dtpda_prefix : "");
	put_u32(o, (uint32_t)e->n);
	for (size_t i = 0; i < e->n; i++)
		put_bytes(o, e->recs[i].data, bytes_that_count(&e->recs[i]));
	end_block(r, 'E', o);
}

/* The text first: what it asks for has to stand before the firing. */
static int take_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	struct record *r = (struct record *)s;
	int err = dt_sink_text.event(s, e);

	put_probe(r, e->data->dtpda_pdesc);
	for (size_t i = 0; i < e->n; i++) {
		struct dt_value v = value_of(&e->recs[i]);

		name_value(r, &v);
	}
	put_event(r, e);
	return err != 0 ? err : r->err;
}

/* ---- the rest ---- */

static void take_fault(struct dt_sink *s, const dtrace_errdata_t *d, bool has_addr)
{
	struct record *r = (struct record *)s;
	struct dt_out *o = &r->block;

	put_probe(r, d->dteda_pdesc);
	put_u32(o, d->dteda_edesc->dtepd_epid);
	put_u32(o, d->dteda_pdesc->dtpd_id);
	put_u32(o, (uint32_t)d->dteda_cpu);
	put_u32(o, (uint32_t)d->dteda_action);
	put_u32(o, (uint32_t)d->dteda_offset);
	put_u32(o, (uint32_t)d->dteda_fault);
	put_u64(o, d->dteda_addr);
	put_u32(o, has_addr);
	put_text(o, d->dteda_msg);
	end_block(r, 'F', o);
}

static void take_drop(struct dt_sink *s, const dtrace_dropdata_t *d, const char *kind)
{
	struct record *r = (struct record *)s;

	put_u32(&r->block, (uint32_t)d->dtdda_cpu);
	put_u32(&r->block, d->dtdda_kind);
	put_u64(&r->block, d->dtdda_drops);
	put_u64(&r->block, d->dtdda_total);
	put_text(&r->block, kind);
	put_text(&r->block, d->dtdda_msg);
	end_block(r, 'D', &r->block);
}

static void take_text(struct dt_sink *s, const void *text, size_t n)
{
	write_block((struct record *)s, 'T', text, n);
	flush((struct record *)s);
}

static void take_end(struct dt_sink *s, int status, bool exited)
{
	struct record *r = (struct record *)s;

	put_u32(&r->block, (uint32_t)status);
	put_u32(&r->block, exited);
	end_block(r, 'X', &r->block);
	flush(r);
	if (r->err != 0)
		dt_out_fail(s->env.out, r->err);
}

static int open_record(struct dt_sink *s)
{
	struct record *r = (struct record *)s;

	r->file = dt_outfile(s->env.argument, false, true);
	if (r->file == NULL) {
		snprintf(s->env.why, DT_SINK_WHY, "-O record=%s: %s", s->env.argument, strerror(errno));
		return -1;
	}
	fputs(DT_RECORDING, r->file);
	dt_out_init(&r->block, NULL, s->env.out->opts);
	dt_out_init(&r->one, NULL, s->env.out->opts);
	dt_map_init(&r->symbols, s->env.arena);
	dt_map_init(&r->aggs, s->env.arena);
	dt_map_init(&r->probes, s->env.arena);
	return 0;
}

static void close_record(struct dt_sink *s)
{
	struct record *r = (struct record *)s;

	fclose(r->file);
	dt_out_free(&r->block);
	dt_out_free(&r->one);
}

const struct dt_sink_type dt_sink_record = {
	.oformat = DTRACE_OFORMAT_TEXT,
	.size = sizeof(struct record),
	.open = open_record,
	.close = close_record,
	.start = take_start,
	.event = take_event,
	.fault = take_fault,
	.drop = take_drop,
	.shown = take_shown,
	.snapshot = take_snapshot,
	.symbol = take_symbol,
	.text = take_text,
	.aggregation = take_aggregation,
	.end = take_end,
};
