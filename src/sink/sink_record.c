/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -O record=FILE: text as always, and beside it the stream of doc/RECORDING.md, with names instead of
 * addresses, for `dtrace --play`, for the page and for any other reader. A block never needs one that follows
 * it. dtrace_record_fd() writes the same to a descriptor.
 */
#include "sink/record_impl.h"

#include "base/clock.h"
#include "base/host.h"
#include "base/outfile.h"
#include "dif/action.h"
#include "sink/messages.h"
#include "value/value_record.h"

#include <errno.h>

enum { BYTES_EACH = 8 << 10 };		/* of records: the limit of firings times this limits bytes */
enum { MAX_SKEW = 1000000 };		/* ns by which the clocks may drift before they are written again */

/* Whether the stream has it already; from now on it has. */
static bool is_new(struct dt_record *r, struct dt_map *map, const char *key)
{
	if (dt_map_get(map, key) != NULL)
		return false;
	dt_map_put(map, key, r);
	return true;
}

/* ---- the host and its clocks ---- */

static void put_clocks(struct dt_record *r, struct dt_out *o, uint64_t now, uint64_t wall)
{
	r->skew = (int64_t)(wall - now);
	dt_put_u64(o, now);
	dt_put_u64(o, wall);
}

static void put_host(struct dt_record *r)
{
	struct dt_out *o = &r->block;
	struct dt_hostinfo host;

	dt_hostinfo_read(&host);
	dt_put_u32(o, DT_ORDER_LITTLE);
	dt_put_u32(o, sizeof(void *));
	dt_put_u32(o, host.ncpus);
	put_clocks(r, o, r->sink.env.now(r->sink.env.ctx), dt_clock_wall_ns());
	dt_put_text(o, host.uname.nodename);
	dt_put_text(o, host.uname.machine);
	dt_put_text(o, host.uname.release);
	dt_put_text(o, host.boot);
	dt_put_text(o, _dtrace_version);
	dt_block_end(&r->blocks, 'H', o);
}

/* The wall clock was set, or runs at another speed. */
static void check_clocks(struct dt_record *r)
{
	uint64_t now = r->sink.env.now(r->sink.env.ctx), wall = dt_clock_wall_ns();
	int64_t drift = (int64_t)(wall - now) - r->skew;

	if (drift > -MAX_SKEW && drift < MAX_SKEW)
		return;
	put_clocks(r, &r->block, now, wall);
	dt_block_end(&r->blocks, 'W', &r->block);
}

/* ---- names ---- */

/*
 * Called whenever an address was named, also while a block is in hand: it has a buffer of its own. An address
 * that had no name may get one later.
 */
static void take_symbol(struct dt_sink *s, enum dt_symkind kind, uint32_t pid, uint64_t addr,
    const char *text)
{
	static char unnamed, named;
	struct dt_record *r = (struct dt_record *)s;
	const char *known;
	struct dt_out o;
	char key[64];

	snprintf(key, sizeof(key), "%u %u %llx", kind, pid, (unsigned long long)addr);
	known = dt_map_get(&r->symbols, key);
	if (known == &named || (known == &unnamed && text[0] == '\0'))
		return;
	dt_map_put(&r->symbols, key, text[0] != '\0' ? &named : &unnamed);
	dt_out_init(&o, NULL, NULL);
	dt_put_u32(&o, kind);
	dt_put_u32(&o, pid);
	dt_put_u64(&o, addr);
	dt_put_text(&o, text);
	dt_block_end(&r->blocks, 'Y', &o);
	dt_out_free(&o);
}

void dt_record_name(struct dt_record *r, const struct dt_value *v)
{
	bool stack = v->kind == DT_V_STACK || v->kind == DT_V_USTACK;
	char text[DT_FRAME_TEXT];

	if (v->kind >= DT_V_SYM && v->kind <= DT_V_UADDR)
		dt_symbol_text(r->sink.env.out->opts, v, text, sizeof(text));
	for (uint32_t i = 0; stack && i < v->npcs && v->pcs[i] != 0; i++)
		dt_frame_text(r->sink.env.out->opts, v, i, text, sizeof(text));
}

static void put_probe(struct dt_record *r, const dtrace_probedesc_t *p)
{
	char key[16];

	snprintf(key, sizeof(key), "%u", p->dtpd_id);
	if (!is_new(r, &r->probes, key))
		return;
	dt_put_u32(&r->block, p->dtpd_id);
	dt_put_text(&r->block, p->dtpd_provider);
	dt_put_text(&r->block, p->dtpd_mod);
	dt_put_text(&r->block, p->dtpd_func);
	dt_put_text(&r->block, p->dtpd_name);
	dt_block_end(&r->blocks, 'N', &r->block);
}

void dt_record_source(struct dt_record *r, struct dt_out *to, struct dt_loc loc)
{
	(void)dt_message_source(&r->one, loc);
	dt_put_bytes(to, dt_out_text(&r->one), r->one.len);
}

/* ---- text ---- */

static void put_text_block(struct dt_record *r, uint32_t kind, const void *text, size_t n)
{
	dt_put_u32(&r->block, kind);
	dt_out_put(&r->block, text, n);
	dt_block_end(&r->blocks, 'T', &r->block);
}

struct collecting { struct dt_record *r; const struct dt_sink_caller *caller; };

/* A piece of text on its way to a caller that gave no file. */
static int collect(void *arg, const struct dt_sink_piece *p)
{
	struct collecting *c = arg;
	const struct dt_out *out = c->r->sink.env.out;

	dt_out_put(&c->r->text, out->buf, out->len);
	return c->caller->take(c->caller->hdl, p);
}

/*
 * What the text sink makes of a firing or of aggregations. Text for a file comes back as a whole
 * (take_text()); text for a caller that gave none is kept here, piece by piece.
 */
static int show_text(struct dt_record *r, const struct dt_sink_event *e, const struct dt_sink_aggs *a)
{
	const struct dt_sink_caller *caller = r->sink.env.caller;
	struct collecting c = { r, caller };
	struct dt_sink_caller mine = *caller;
	int err;

	dt_out_clear(&r->text);
	mine.take = collect;
	mine.hdl = &c;
	if (caller->take != NULL)
		r->sink.env.caller = &mine;
	err = e != NULL ? dt_sink_text.event(&r->sink, e) : dt_sink_text.aggregation(&r->sink, a);
	r->sink.env.caller = caller;
	return err;
}

static void take_text(struct dt_sink *s, const void *text, size_t n)
{
	struct dt_record *r = (struct dt_record *)s;

	put_text_block(r, DT_TEXT_ANY, text, n);
	dt_blocks_flush(&r->blocks);
}

static int take_aggregation(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	struct dt_record *r = (struct dt_record *)s;
	int err;

	dt_record_aggregation(r, a);
	err = show_text(r, NULL, a);
	if (r->text.len > 0)
		put_text_block(r, DT_TEXT_ANY, dt_out_text(&r->text), r->text.len);
	return r->blocks.err != 0 ? r->blocks.err : err;
}

static void take_snapshot(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	struct dt_record *r = (struct dt_record *)s;

	check_clocks(r);
	dt_record_snapshot(s, a);
	dt_blocks_flush(&r->blocks);
}

/* ---- firings ---- */

static struct dt_value value_of(const struct dt_rec *rec)
{
	struct dt_value v = { .kind = DT_V_INT };

	if (rec->len > 0 && !DT_ACT_IS_AGG(rec->act->kind))
		dt_record_value(rec->act, rec->data, rec->len, &v);
	return v;
}

/* Nothing reads after the NUL of a text or the end of a stack. */
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

/* An if whose condition was false: the actions that it skips have recorded nothing. */
static size_t skipped_by(const struct dt_rec *rec)
{
	return rec->act->kind == DT_ACT_SKIPZ && dt_rec_int(rec) == 0 ? rec->act->arg : 0;
}

static void put_records(struct dt_record *r, const struct dt_sink_event *e)
{
	size_t skip = 0;

	for (size_t i = 0; i < e->n; i++) {
		dt_put_bytes(&r->block, e->recs[i].data, skip > 0 ? 0 : bytes_that_count(&e->recs[i]));
		skip = skip > 0 ? skip - 1 : skipped_by(&e->recs[i]);
	}
}

static void put_event(struct dt_record *r, const struct dt_sink_event *e)
{
	const dtrace_probedata_t *d = e->data;
	struct dt_out *o = &r->block;

	dt_record_clause(r, o, e->ecb);
	dt_put_u32(o, d->dtpda_edesc->dtepd_epid);
	dt_put_u32(o, d->dtpda_pdesc->dtpd_id);
	dt_put_u32(o, (uint32_t)d->dtpda_cpu);
	dt_put_u64(o, d->dtpda_timestamp);
	dt_put_u32(o, e->flow);
	dt_put_u32(o, d->dtpda_flow);
	dt_put_u32(o, (uint32_t)d->dtpda_indent);
	dt_put_text(o, d->dtpda_prefix != NULL ? d->dtpda_prefix : "");
	dt_put_u32(o, (uint32_t)e->n);
	put_records(r, e);
	r->bytes += o->len + r->text.len;
	dt_block_end(&r->blocks, 'E', o);
}

/* ---- a limit ---- */

static void put_left(struct dt_record *r, uint32_t kind, uint64_t *n)
{
	if (*n == 0)
		return;
	dt_put_u64(&r->block, r->sink.env.now(r->sink.env.ctx));
	dt_put_u32(&r->block, kind);
	dt_put_u64(&r->block, *n);
	dt_block_end(&r->blocks, 'M', &r->block);
	*n = 0;
}

static void put_all_left(struct dt_record *r)
{
	put_left(r, DT_LEFT_FIRINGS, &r->left_firings);
	put_left(r, DT_LEFT_ERRORS, &r->left_errors);
}

/* Begins another second of the limit, if the last one is over. */
static void count_second(struct dt_record *r)
{
	uint64_t now = r->sink.env.now(r->sink.env.ctx) / 1000000000u;

	if (now == r->second)
		return;
	put_all_left(r);
	r->second = now;
	r->firings = r->bytes = r->errors = 0;
}

static bool is_over_limit(struct dt_record *r)
{
	uint64_t limit = r->sink.env.record_limit;

	if (limit == 0)
		return false;
	count_second(r);
	if (r->firings < limit && r->bytes < limit * BYTES_EACH) {
		r->firings++;
		return false;
	}
	r->left_firings++;
	return true;
}

/* The text first: what it asks for has to stand before the firing. */
static int take_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	struct dt_record *r = (struct dt_record *)s;
	int err;

	r->leaving = is_over_limit(r);
	err = show_text(r, e, NULL);
	if (r->leaving) {
		r->leaving = false;
		return err != 0 ? err : r->blocks.err;
	}
	put_probe(r, e->data->dtpda_pdesc);
	for (size_t i = 0; i < e->n; i++) {
		struct dt_value v = value_of(&e->recs[i]);

		dt_record_name(r, &v);
	}
	put_event(r, e);
	if (r->text.len > 0)
		put_text_block(r, DT_TEXT_FIRING, dt_out_text(&r->text), r->text.len);
	return err != 0 ? err : r->blocks.err;
}

/* ---- the rest ---- */

static void take_fault(struct dt_sink *s, const dtrace_errdata_t *d, bool has_addr)
{
	struct dt_record *r = (struct dt_record *)s;
	struct dt_out *o = &r->block;

	if (s->env.record_limit != 0) {
		count_second(r);
		if (r->errors++ >= s->env.record_limit) {
			r->left_errors++;
			return;
		}
	}
	put_probe(r, d->dteda_pdesc);
	dt_put_u64(o, s->env.now(s->env.ctx));
	dt_put_u32(o, d->dteda_edesc->dtepd_epid);
	dt_put_u32(o, d->dteda_pdesc->dtpd_id);
	dt_put_u32(o, (uint32_t)d->dteda_cpu);
	dt_put_u32(o, (uint32_t)d->dteda_action);
	dt_put_u32(o, (uint32_t)d->dteda_offset);
	dt_put_u32(o, (uint32_t)d->dteda_fault);
	dt_put_u64(o, d->dteda_addr);
	dt_put_u32(o, has_addr);
	dt_put_text(o, d->dteda_msg);
	dt_block_end(&r->blocks, 'F', o);
}

static void take_drop(struct dt_sink *s, const dtrace_dropdata_t *d, const char *kind)
{
	struct dt_record *r = (struct dt_record *)s;

	dt_put_u64(&r->block, s->env.now(s->env.ctx));
	dt_put_u32(&r->block, (uint32_t)d->dtdda_cpu);
	dt_put_u32(&r->block, d->dtdda_kind);
	dt_put_u64(&r->block, d->dtdda_drops);
	dt_put_u64(&r->block, d->dtdda_total);
	dt_put_text(&r->block, kind);
	dt_put_text(&r->block, d->dtdda_msg);
	dt_block_end(&r->blocks, 'D', &r->block);
}

static void take_end(struct dt_sink *s, int status, bool exited)
{
	struct dt_record *r = (struct dt_record *)s;

	put_all_left(r);
	dt_put_u32(&r->block, (uint32_t)status);
	dt_put_u32(&r->block, exited);
	dt_put_u64(&r->block, s->env.now(s->env.ctx));
	dt_block_end(&r->blocks, 'X', &r->block);
	dt_blocks_flush(&r->blocks);
	if (r->blocks.err != 0)
		dt_out_fail(s->env.out, r->blocks.err);
}

static void take_passed(struct dt_sink *s, uint64_t time)
{
	struct dt_record *r = (struct dt_record *)s;

	dt_put_u64(&r->block, time);
	dt_block_end(&r->blocks, 'w', &r->block);
}

static void flush_record(struct dt_sink *s) { dt_blocks_flush(&((struct dt_record *)s)->blocks); }

static int open_record(struct dt_sink *s)
{
	struct dt_record *r = (struct dt_record *)s;

	r->blocks.file = s->env.argument != NULL ? dt_outfile(s->env.argument, false, true) :
	    dt_outfile_of(s->env.record_fd);
	if (r->blocks.file == NULL) {
		snprintf(s->env.why, DT_SINK_WHY, "-O record=%s: %s",
		    s->env.argument != NULL ? s->env.argument : "a descriptor", strerror(errno));
		return -1;
	}
	dt_out_init(&r->block, NULL, s->env.out->opts);
	dt_out_init(&r->inner, NULL, s->env.out->opts);
	dt_out_init(&r->one, NULL, s->env.out->opts);
	dt_out_init(&r->text, NULL, s->env.out->opts);
	dt_map_init(&r->symbols, s->env.arena);
	dt_map_init(&r->aggs, s->env.arena);
	dt_map_init(&r->probes, s->env.arena);
	fputs(DT_RECORDING, r->blocks.file);
	put_host(r);
	dt_blocks_flush(&r->blocks);
	return 0;
}

static void close_record(struct dt_sink *s)
{
	struct dt_record *r = (struct dt_record *)s;

	fclose(r->blocks.file);
	dt_record_aggs_free(r);
	dt_out_free(&r->block);
	dt_out_free(&r->inner);
	dt_out_free(&r->one);
	dt_out_free(&r->text);
}

const struct dt_sink_type dt_sink_record = {
	.oformat = DTRACE_OFORMAT_TEXT,
	.size = sizeof(struct dt_record),
	.open = open_record,
	.close = close_record,
	.start = dt_record_start,
	.enabled = dt_record_enabled,
	.event = take_event,
	.fault = take_fault,
	.drop = take_drop,
	.shown = dt_record_shown,
	.snapshot = take_snapshot,
	.symbol = take_symbol,
	.text = take_text,
	.aggregation = take_aggregation,
	.passed = take_passed,
	.flush = flush_record,
	.end = take_end,
};
