/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations in, messages out. A key is told once and is a number then, so a walk costs a few bytes for
 * each element that changed, however long its stack is.
 */
#include "teller.h"

#include "base.h"
#include "json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ALL_EVERY 60			/* walks: then all is told, for pages that missed the beginning */
#define MOST_NAME 512			/* bytes of a name; C++ has longer ones, which are cut */

double teller_ms(const struct teller *t, uint64_t ns)
{
	return ns < t->began ? 0 : (double)(ns - t->began) / 1e6;
}

struct address { uint64_t addr; int64_t pid; };

static uint32_t name_of(struct teller *t, pid_t pid, uint64_t addr)
{
	struct address a = { addr, pid };
	char text[MOST_NAME];
	bool fresh;
	uint32_t n = keys_find(&t->names, &a, sizeof(a), MOST_NAMES, &fresh);

	if (!fresh)
		return n;
	text[0] = '\0';
	if (pid != 0)
		dtrace_uaddr2str(t->dtp, pid, addr, text, sizeof(text));
	else
		dtrace_addr2str(t->dtp, addr, text, sizeof(text));
	fprintf(t->out, "D{\"t\":\"name\",\"i\":%" PRIu32 ",\"s\":", n);
	json_text(t->out, text);
	fputs("}\n", t->out);
	return n;
}

void teller_names(struct teller *t, const dtrace_val_t *v)
{
	size_t n = v->dtv_kind == DTRACE_VAL_STACK ? v->dtv_nframes : 0;

	if (v->dtv_kind == DTRACE_VAL_ADDRESS)
		name_of(t, v->dtv_pid, (uint64_t)v->dtv_int);
	for (size_t i = 0; i < n; i++)
		name_of(t, v->dtv_pid, v->dtv_frames[i]);
}

static void tell_stack(struct teller *t, FILE *f, const dtrace_val_t *v)
{
	fprintf(f, "{\"pid\":%d,\"st\":[", (int)v->dtv_pid);
	for (size_t i = 0; i < v->dtv_nframes; i++)
		fprintf(f, "%s%" PRIu32, i != 0 ? "," : "", name_of(t, v->dtv_pid, v->dtv_frames[i]));
	fputs("]}", f);
}

static void tell_bytes(FILE *f, const dtrace_val_t *v)
{
	fputs("{\"b\":\"", f);
	for (size_t i = 0; i < v->dtv_len && i < 256; i++)
		fprintf(f, "%02x", (unsigned char)v->dtv_bytes[i]);
	fputs("\"}", f);
}

void teller_value(struct teller *t, FILE *f, const dtrace_val_t *v)
{
	switch (v->dtv_kind) {
	case DTRACE_VAL_INT:
		fprintf(f, "%" PRId64, v->dtv_int);
		break;
	case DTRACE_VAL_UINT:
		fprintf(f, "%" PRIu64, (uint64_t)v->dtv_int);
		break;
	case DTRACE_VAL_STRING:
		json_string(f, v->dtv_bytes, v->dtv_len);
		break;
	case DTRACE_VAL_BYTES:
		tell_bytes(f, v);
		break;
	case DTRACE_VAL_ADDRESS:
		fprintf(f, "{\"y\":%" PRIu32 "}", name_of(t, v->dtv_pid, (uint64_t)v->dtv_int));
		break;
	case DTRACE_VAL_STACK:
		tell_stack(t, f, v);
		break;
	case DTRACE_VAL_BUCKETS:
		fputs("null", f);
		break;
	}
}

static const char *function_name(dtrace_actkind_t action)
{
	static const char *const names[] = { "count", "min", "max", "avg", "sum", "stddev", "quantize",
		"lquantize", "llquantize" };
	unsigned n = (unsigned)action - DTRACEAGG_COUNT;

	return n < COUNT(names) ? names[n] : "percentiles";
}

static dtrace_actkind_t value_action(const dtrace_aggdesc_t *a)
{
	return a->dtagd_rec[a->dtagd_nrecs - 1].dtrd_action;
}

static struct shown *agg_of(struct teller *t, const dtrace_aggdata_t *d)
{
	const dtrace_aggdesc_t *a = d->dtada_desc;
	struct shown *s;

	for (int i = 0; i < t->naggs; i++)
		if (t->agg[i].id == a->dtagd_varid)
			return &t->agg[i];
	if (t->naggs == MOST_AGGS) {
		t->more_aggs++;
		return NULL;
	}
	s = &t->agg[t->naggs++];
	*s = (struct shown){ .id = a->dtagd_varid };
	fprintf(t->out, "D{\"t\":\"agg\",\"id\":%" PRId64 ",\"name\":", s->id);
	json_text(t->out, a->dtagd_name);
	fprintf(t->out, ",\"fn\":\"%s\"}\n", function_name(value_action(a)));
	return s;
}

static void tell_key(struct teller *t, const struct shown *s, const dtrace_aggdata_t *d, uint32_t n)
{
	int nkeys = dtrace_aggdata_nkeys(d);
	dtrace_val_t v;

	for (int i = 0; i < nkeys; i++)
		if (dtrace_aggdata_key(d, i, &v) == 0)
			teller_names(t, &v);
	fprintf(t->out, "D{\"t\":\"key\",\"a\":%" PRId64 ",\"i\":%" PRIu32 ",\"k\":[", s->id, n);
	for (int i = 0; i < nkeys; i++) {
		if (i != 0)
			putc(',', t->out);
		if (dtrace_aggdata_key(d, i, &v) == 0)
			teller_value(t, t->out, &v);
		else
			fputs("null", t->out);
	}
	fputs("]}\n", t->out);
}

struct buckets { FILE *f; int n; };

static int tell_bucket(const dtrace_bucket_t *b, void *arg)
{
	struct buckets *to = arg;

	fprintf(to->f, "%s", to->n++ != 0 ? "," : "");
	if (b->dtbk_has_low)
		fprintf(to->f, "%" PRId64, b->dtbk_low);
	else
		fputs("null", to->f);
	if (b->dtbk_has_high)
		fprintf(to->f, ",%" PRId64 ",%" PRId64, b->dtbk_high, b->dtbk_count);
	else
		fprintf(to->f, ",null,%" PRId64, b->dtbk_count);
	return 0;
}

/* A number of percentiles(): its name is the library's, and has nothing to escape. */
static int tell_part(const char *name, int64_t value, void *arg)
{
	struct buckets *to = arg;

	fprintf(to->f, "%s\"%s\":%" PRId64, to->n++ != 0 ? "," : "", name, value);
	return 0;
}

static void tell_number(struct teller *t, FILE *f, uint32_t n, const dtrace_aggdata_t *d)
{
	dtrace_val_t v;

	fprintf(f, ",%" PRIu32 ",", n);
	if (dtrace_aggdata_value(d, &v) == 0 && v.dtv_kind != DTRACE_VAL_BUCKETS) {
		teller_value(t, f, &v);
	} else {
		struct buckets to = { f, 0 };
		bool parts = value_action(d->dtada_desc) > DTRACEAGG_LLQUANTIZE;

		putc(parts ? '{' : '[', f);
		if (parts)
			(void)dtrace_aggdata_parts(d, tell_part, &to);
		else
			(void)dtrace_aggdata_buckets(d, tell_bucket, &to);
		putc(parts ? '}' : ']', f);
	}
}

/* The varid in front is the same for all; what lies between it and the value is the key. */
static int on_element(const dtrace_aggdata_t *d, void *arg)
{
	struct teller *t = arg;
	const dtrace_aggdesc_t *a = d->dtada_desc;
	const dtrace_recdesc_t *value = &a->dtagd_rec[a->dtagd_nrecs - 1];
	struct shown *s = agg_of(t, d);
	uint32_t n, from = a->dtagd_nrecs > 2 ? a->dtagd_rec[1].dtrd_offset : value->dtrd_offset;
	uint64_t hash;
	bool fresh;
	struct key *k;

	if (s == NULL)
		return DTRACE_AGGWALK_NEXT;
	n = keys_find(&s->keys, d->dtada_data + from, value->dtrd_offset - from, MOST_KEYS, &fresh);
	if (n == UINT32_MAX) {
		s->more++;
		return DTRACE_AGGWALK_NEXT;
	}
	if (fresh)
		tell_key(t, s, d, n);
	k = &s->keys.v[n];
	hash = keys_hash(d->dtada_data + value->dtrd_offset, value->dtrd_size) ^ d->dtada_normal;
	k->round = t->round;
	if (k->shown && k->last == hash && t->round % ALL_EVERY != 0)
		return DTRACE_AGGWALK_NEXT;
	k->shown = true;
	k->last = hash;
	if (s->body == NULL && (s->body = open_memstream(&s->text, &s->len)) == NULL) {
		t->broken = true;
		return DTRACE_AGGWALK_ABORT;
	}
	tell_number(t, s->body, n, d);
	return DTRACE_AGGWALK_NEXT;
}

/* Keys that a trunc() has removed. */
static void tell_gone(struct teller *t, struct shown *s)
{
	for (uint32_t i = 0; i < s->keys.n; i++) {
		struct key *k = &s->keys.v[i];

		if (!k->shown || k->round == t->round)
			continue;
		k->shown = false;
		if (s->body == NULL && (s->body = open_memstream(&s->text, &s->len)) == NULL)
			return;
		fprintf(s->body, ",%" PRIu32 ",null", i);
	}
}

static void tell_agg(struct teller *t, struct shown *s, int *n)
{
	if (s->body == NULL && s->more == 0)
		return;
	if (s->body != NULL && (fclose(s->body) != 0 || s->text == NULL))
		t->broken = true;
	fprintf(t->out, "%s{\"id\":%" PRId64 ",\"more\":%" PRIu64 ",\"v\":[%s]}", (*n)++ != 0 ? "," : "",
	    s->id, s->more, s->body != NULL && s->text != NULL && s->text[0] != '\0' ? s->text + 1 : "");
	free(s->text);
	s->text = NULL;
	s->body = NULL;
}

/* Lines of type D that a walk needs are written while it runs; the snapshot itself comes after them. */
void teller_snap(struct teller *t)
{
	int n = 0;

	t->round++;
	t->more_aggs = 0;
	for (int i = 0; i < t->naggs; i++)
		t->agg[i].more = 0;
	(void)dtrace_aggregate_walk(t->dtp, on_element, t);
	for (int i = 0; i < t->naggs; i++)
		tell_gone(t, &t->agg[i]);
	fprintf(t->out, "S{\"t\":\"snap\",\"ms\":%.3f,\"hidden\":%" PRIu64 ",\"a\":[", teller_ms(t, now_ns()),
	    t->more_aggs);
	for (int i = 0; i < t->naggs; i++)
		tell_agg(t, &t->agg[i], &n);
	fputs("]}\n", t->out);
}

void teller_free(struct teller *t)
{
	for (int i = 0; i < t->naggs; i++)
		keys_free(&t->agg[i].keys);
	keys_free(&t->names);
}
