/* SPDX-License-Identifier: BSD-2-Clause */
/* The elements of all aggregations as lines of text and numbers, for live.c. */
#include "live.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

/* C0, DEL, and C1 in UTF-8 (U+009B begins what ESC [ does) */
static bool is_control(const char *text, size_t i)
{
	unsigned char c = (unsigned char)text[i];

	return c < ' ' || c == 0x7f || (c >= 0x80 && c < 0xa0 && i > 0 && (unsigned char)text[i - 1] == 0xc2);
}

/* Bytes that would move the cursor are shown as dots. */
static void put_text(FILE *f, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		putc(is_control(text, i) ? '.' : text[i], f);
}

/* module`function+0xoffset, or module+0xaddress where no function is known. */
static size_t module_len(const char *text)
{
	const char *plus = strrchr(text, '+');

	if (strchr(text, '`') == NULL && plus != NULL && strncmp(plus, "+0x", 3) == 0)
		return (size_t)(plus - text);
	return strcspn(text, "`");
}

/* Modules are shown without the function that stands at their beginning. */
static void put_address(FILE *f, dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, bool module)
{
	char text[512];

	if (pid != 0)
		(void)dtrace_uaddr2str(dtp, pid, addr, text, sizeof(text));
	else
		(void)dtrace_addr2str(dtp, addr, text, sizeof(text));
	put_text(f, text, module ? module_len(text) : strlen(text));
}

static void put_key(FILE *f, dtrace_hdl_t *dtp, const dtrace_val_t *v, dtrace_actkind_t action)
{
	bool module = action == DTRACEACT_MOD || action == DTRACEACT_UMOD;

	switch (v->dtv_kind) {
	case DTRACE_VAL_INT: fprintf(f, "%lld", (long long)v->dtv_int); break;
	case DTRACE_VAL_UINT: fprintf(f, "%llu", (unsigned long long)v->dtv_int); break;
	case DTRACE_VAL_STRING: put_text(f, v->dtv_bytes, v->dtv_len); break;
	case DTRACE_VAL_BYTES:
		for (size_t i = 0; i < v->dtv_len && i < 32; i++)
			fprintf(f, "%02x", (unsigned char)v->dtv_bytes[i]);
		break;
	case DTRACE_VAL_ADDRESS: put_address(f, dtp, v->dtv_pid, (uint64_t)v->dtv_int, module); break;
	case DTRACE_VAL_STACK:
		for (size_t i = 0; i < v->dtv_nframes; i++) {
			fputs(i > 0 ? " < " : "", f);
			put_address(f, dtp, v->dtv_pid, v->dtv_frames[i], false);
		}
		break;
	default: break;
	}
}

static char *key_text(const dtrace_aggdata_t *a)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	dtrace_val_t v;

	for (int i = 0; f != NULL && i < dtrace_aggdata_nkeys(a); i++) {
		fputs(i > 0 ? "  " : "", f);
		if (dtrace_aggdata_key(a, i, &v) == 0)
			put_key(f, a->dtada_handle, &v, a->dtada_desc->dtagd_rec[i + 1].dtrd_action);
	}
	return f != NULL && fclose(f) == 0 ? text : NULL;
}

/* ---- values ---- */

/* A distribution: how many there are, the largest part of them, and the picture so far. */
struct shape {
	FILE *f;			/* NULL: only counts */
	int64_t total, most, last;
	bool utf8, begun;
};

static int count_bucket(const dtrace_bucket_t *b, void *arg)
{
	struct shape *s = arg;

	s->total += b->dtbk_count;
	s->most = b->dtbk_count > s->most ? b->dtbk_count : s->most;
	return 0;
}

/* One character for each part that counts something; a blank where there is a gap. */
static int draw_bucket(const dtrace_bucket_t *b, void *arg)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const letters[] = { "_", ".", "-", "=", "o", "x", "X", "#" };
	struct shape *s = arg;
	int64_t first = b->dtbk_has_low ? b->dtbk_low : b->dtbk_high;
	int height = 0;

	if (s->most > 0 && b->dtbk_count > 0)
		height = (int)(7.0 * (double)b->dtbk_count / (double)s->most);
	if (!s->begun)
		fprintf(s->f, "%lld ", (long long)first);
	else if (b->dtbk_has_low && b->dtbk_low > s->last + 1)
		putc(' ', s->f);
	fputs(s->utf8 ? blocks[height] : letters[height], s->f);
	s->begun = true;
	s->last = b->dtbk_has_high ? b->dtbk_high : b->dtbk_low;
	return 0;
}

static void take_shape(struct live_row *r, const dtrace_aggdata_t *a, bool utf8)
{
	struct shape s = { .utf8 = utf8 };
	size_t len;

	if (dtrace_aggdata_buckets(a, count_bucket, &s) != 0)
		return;
	r->value = s.total;
	r->grows = true;
	s.f = open_memstream(&r->shape, &len);
	if (s.f == NULL)
		return;
	(void)dtrace_aggdata_buckets(a, draw_bucket, &s);
	if (s.begun)
		fprintf(s.f, " %lld", (long long)s.last);
	if (fclose(s.f) != 0) {
		free(r->shape);
		r->shape = NULL;
	}
}

/* ---- all of them ---- */

struct taking { struct live *live; struct live_rows *rows; };

static struct live_row *new_row(struct live_rows *rows)
{
	if (rows->n == rows->room) {
		size_t room = rows->room != 0 ? 2 * rows->room : 64;
		struct live_row *more = realloc(rows->row, room * sizeof(*more));

		if (more == NULL)
			return NULL;
		rows->row = more;
		rows->room = room;
	}
	rows->row[rows->n] = (struct live_row){ 0 };
	return &rows->row[rows->n++];
}

/* The names of aggregations, as they come. */
static void note_aggregation(struct live *l, const dtrace_aggdesc_t *d)
{
	void *more;

	for (size_t i = 0; i < l->naggs; i++)
		if (l->agg[i].id == d->dtagd_varid)
			return;
	if ((more = realloc(l->agg, (l->naggs + 1) * sizeof(*l->agg))) == NULL)
		return;
	l->agg = more;
	l->agg[l->naggs].id = d->dtagd_varid;
	snprintf(l->agg[l->naggs].name, sizeof(l->agg[0].name), "@%s",
	    strcmp(d->dtagd_name, "_") == 0 ? "" : d->dtagd_name);
	l->naggs++;
}

static int take_element(const dtrace_aggdata_t *a, void *arg)
{
	struct taking *t = arg;
	const dtrace_aggdesc_t *d = a->dtada_desc;
	dtrace_actkind_t function = d->dtagd_rec[d->dtagd_nrecs - 1].dtrd_action;
	struct live_row *r = new_row(t->rows);
	dtrace_val_t v;

	if (r != NULL)
		r->key = key_text(a);
	if (r == NULL || r->key == NULL) {
		t->rows->failed = true;
		return DTRACE_AGGWALK_NEXT;
	}
	note_aggregation(t->live, d);
	r->id = d->dtagd_varid;
	r->grows = function == DTRACEAGG_COUNT || function == DTRACEAGG_SUM;
	if (dtrace_aggdata_value(a, &v) == 0 && v.dtv_kind != DTRACE_VAL_BUCKETS)
		r->value = v.dtv_int;
	else
		take_shape(r, a, t->live->utf8);
	return DTRACE_AGGWALK_NEXT;
}

int live_take(struct live *l, struct live_rows *rows)
{
	struct taking t = { l, rows };

	*rows = (struct live_rows){ 0 };
	return dtrace_aggregate_walk(l->dtp, take_element, &t);
}

void live_free(struct live_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->row[i].key);
		free(rows->row[i].shape);
	}
	free(rows->row);
	*rows = (struct live_rows){ 0 };
}

/* ---- orders ---- */

static int by_key(const void *x, const void *y)
{
	const struct live_row *a = x, *b = y;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->key == NULL || b->key == NULL)
		return (a->key != NULL) - (b->key != NULL);
	return strcmp(a->key, b->key);
}

/* The largest first, within their aggregations. */
static int by_value(const void *x, const void *y)
{
	const struct live_row *a = x, *b = y;

	if (a->id != b->id || a->value == b->value)
		return by_key(x, y);
	return a->value > b->value ? -1 : 1;
}

static int by_rate(const void *x, const void *y)
{
	const struct live_row *a = x, *b = y;

	if (a->id != b->id || a->rate == b->rate)
		return by_value(x, y);
	return a->rate > b->rate ? -1 : 1;
}

void live_sort(struct live_rows *rows, enum live_order order)
{
	static int (*const orders[])(const void *, const void *) = {
		[LIVE_BY_VALUE] = by_value, [LIVE_BY_RATE] = by_rate, [LIVE_BY_KEY] = by_key };

	if (rows->n > 1)
		qsort(rows->row, rows->n, sizeof(*rows->row), orders[order]);
}

/* The program may have cleared it: then all values are new. */
void live_rate(struct live_rows *now, struct live_rows *before, double seconds)
{
	live_sort(before, LIVE_BY_KEY);
	for (size_t i = 0; i < now->n && seconds > 0; i++) {
		struct live_row *r = &now->row[i];
		const struct live_row *old = r->key != NULL && before->n > 0 ?
		    bsearch(r, before->row, before->n, sizeof(*r), by_key) : NULL;
		int64_t was = old != NULL && old->value <= r->value ? old->value : 0;

		r->rate = r->grows ? ((double)r->value - (double)was) / seconds : 0;
	}
}
