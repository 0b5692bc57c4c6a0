/* SPDX-License-Identifier: BSD-2-Clause */
/* Events to the caller of dtrace_work() and to text: columns, -F, errors, aggregations. */
#include "lib/trace.h"

#include "dif/builtin.h"
#include "dif/dif.h"
#include "lib/errors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- aggregations for printa() and the end ---- */

static struct dt_aggorder order_of(const struct dtrace_hdl *h)
{
	const struct dt_options *o = &h->options;
	struct dt_aggorder order = { .reverse = dt_options_on(o, DT_OPT_aggsortrev), .bykey = dt_options_on(o, DT_OPT_aggsortkey) };

	if (o->val[DT_OPT_aggsortkeypos] > 0)
		order.keypos = (uint32_t)o->val[DT_OPT_aggsortkeypos];
	if (o->val[DT_OPT_aggsortpos] > 0)
		order.pos = (uint32_t)o->val[DT_OPT_aggsortpos];
	return order;
}

static const char *probe_part(const struct dt_trace *t, uint32_t id, unsigned part)
{
	const struct dt_probe *p = id > 0 && id <= t->probes.list.n ? t->probes.list.v[id - 1] : NULL;

	if (p == NULL)
		return "";
	switch (part) {
	case DT_PART_PROV: return p->prov;
	case DT_PART_MOD: return p->mod;
	case DT_PART_FUNC: return p->func;
	default: return p->name;
	}
}

/* The first that was seen with the text. */
static uint32_t alike(void *ctx, uint32_t probe, unsigned part)
{
	struct dtrace_hdl *h = ctx;
	struct dt_map *map = &h->trace->alike[part & 3];
	const char *text = probe_part(h->trace, probe, part);
	uintptr_t id = (uintptr_t)dt_map_get(map, text);

	if (id == 0) {
		id = probe;
		dt_map_put(map, text, (void *)id);
	}
	return (uint32_t)id;
}

static void key_value(const struct dt_trace *t, const struct dt_agg_elem *e, uint32_t k, struct dt_value *v)
{
	const uint8_t *part = e->layout->key_probe;

	dt_agg_key(e, k, v);
	if (part != NULL && part[k] != 0) {
		const char *text = probe_part(t, (uint32_t)v->i, part[k] - 1u);

		*v = (struct dt_value){ .kind = DT_V_STRING, .bytes = text, .len = strlen(text) };
	}
}

static struct dt_value *keys_of(struct dt_trace *t, const struct dt_agg_elem *e)
{
	struct dt_value *v = DT_NEWN(t->textarena, struct dt_value, e->layout->nkeys + 1);

	for (uint32_t k = 0; k < e->layout->nkeys; k++)
		key_value(t, e, k, &v[k]);
	return v;
}

static struct dt_value zero_of(struct dt_trace *t, const struct dt_agg *agg)
{
	return (struct dt_value){ .kind = DT_V_AGG, .aggkind = agg->layout->kind, .aggarg = agg->layout->arg,
		.nwords = agg->layout->nwords, .words = DT_NEWN(t->textarena, int64_t, agg->layout->nwords + 1),
		.normal = agg->normal };
}

/* One key as text that is the same in every aggregation, however wide each keeps it. */
static const char *one_key_text(struct dt_trace *t, const struct dt_agg_elem *e, uint32_t k)
{
	const struct dt_recfield *f = &e->layout->key[k];
	struct dt_value v;
	char *hex;

	key_value(t, e, k, &v);
	if (v.kind == DT_V_INT)
		return dt_arena_printf(t->textarena, "%lld", (long long)(v.is_signed ? dt_value_signed(&v) : dt_value_unsigned(&v)));
	if (v.kind == DT_V_STRING)
		return dt_arena_printf(t->textarena, "%zu=%.*s", strnlen(v.bytes, v.len), (int)strnlen(v.bytes, v.len), (const char *)v.bytes);
	hex = dt_arena_alloc(t->textarena, (size_t)f->size * 2 + 1);
	for (uint32_t i = 0; i < f->size; i++)
		sprintf(hex + (size_t)i * 2, "%02x", e->key[f->off + i]);
	hex[(size_t)f->size * 2] = '\0';
	return hex;
}

static const char *key_text(struct dt_trace *t, const struct dt_agg_elem *e)
{
	const char *text = "";

	for (uint32_t k = 0; k < e->layout->nkeys; k++)
		text = dt_arena_printf(t->textarena, "%s,%s", text, one_key_text(t, e, k));
	return text;
}

/* Joined by key: every key of any of them, zero where one does not have it. */
struct dt_aggrow *dt_trace_rows(struct dt_trace *t, const int64_t *ids, uint32_t nids, size_t *n)
{
	struct dt_aggrow *rows;
	struct dt_map seen;
	size_t max = 0;

	*n = 0;
	for (uint32_t i = 0; i < nids; i++) {
		struct dt_agg *agg = dt_consumer_agg(t->consumer, (uint32_t)ids[i]);

		max += agg != NULL ? agg->n : 0;
	}
	rows = DT_NEWN(t->textarena, struct dt_aggrow, max + 1);
	dt_map_init(&seen, t->textarena);
	for (uint32_t i = 0; i < nids; i++) {
		struct dt_agg *agg = dt_consumer_agg(t->consumer, (uint32_t)ids[i]);

		for (uint32_t k = 0; agg != NULL && k < agg->n; k++) {
			const char *key = nids > 1 ? key_text(t, agg->elem[k]) : NULL;
			struct dt_aggrow *row = key != NULL ? dt_map_get(&seen, key) : NULL;

			if (row == NULL) {
				struct dt_value *vals = DT_NEWN(t->textarena, struct dt_value, nids);

				row = &rows[(*n)++];
				for (uint32_t z = 0; z < nids; z++) {
					struct dt_agg *other = dt_consumer_agg(t->consumer, (uint32_t)ids[z]);

					if (nids > 1 && other != NULL)
						vals[z] = zero_of(t, other);
				}
				*row = (struct dt_aggrow){ keys_of(t, agg->elem[k]), agg->layout->nkeys, vals, nids };
				if (key != NULL)
					dt_map_put(&seen, key, row);
			}
			dt_agg_value(agg, agg->elem[k], (struct dt_value *)&row->vals[i]);
		}
	}
	return rows;
}

/* ---- what statements do ---- */

static void fresh_text(struct dt_trace *t)
{
	dt_arena_free(t->textarena);
	t->textarena = dt_arena_new();
}

struct dt_aggrow *dt_trace_sorted(struct dtrace_hdl *h, const int64_t *ids, uint32_t nids, size_t *n)
{
	struct dt_aggorder order = order_of(h);
	struct dt_aggrow *rows;

	fresh_text(h->trace);
	rows = dt_trace_rows(h->trace, ids, nids, n);
	dt_agg_sort(rows, *n, &order);
	return rows;
}

static struct dt_aggrow *op_rows(void *ctx, const int64_t *ids, uint32_t nids, size_t *n)
{
	struct dtrace_hdl *h = ctx;

	for (uint32_t i = 0; i < nids; i++) {
		struct dt_agg *agg = dt_consumer_agg(h->trace->consumer, (uint32_t)ids[i]);

		if (agg != NULL)
			agg->printed = true;
	}
	return dt_trace_sorted(h, ids, nids, n);
}

static void op_clear(void *ctx, int64_t id)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;
	struct dt_agg *agg = dt_consumer_agg(t->consumer, (uint32_t)id);

	if (agg != NULL)
		dt_agg_clear(t->consumer, agg);
}

/* As in a print without options: by value, and equal ones by their keys, so that the same ones always stay. */
static int by_value_and_keys(void *ctx, const struct dt_agg *agg, const struct dt_agg_elem *a, const struct dt_agg_elem *b)
{
	struct dt_value x, y;
	int c;

	dt_agg_value(agg, a, &x);
	dt_agg_value(agg, b, &y);
	c = dt_agg_cmp_value(&x, &y);
	for (uint32_t k = 0; c == 0 && k < agg->layout->nkeys; k++) {
		key_value(ctx, a, k, &x);
		key_value(ctx, b, k, &y);
		c = dt_agg_cmp_key(&x, &y);
	}
	return c;
}

static void op_trunc(void *ctx, int64_t id, int64_t n)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;
	struct dt_agg *agg = dt_consumer_agg(t->consumer, (uint32_t)id);

	if (agg != NULL && dt_agg_trunc(agg, n, by_value_and_keys, t) != 0)
		t->failed = EDT_NOMEM;
}

static void op_normalize(void *ctx, int64_t id, int64_t normal)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;
	struct dt_agg *agg = dt_consumer_agg(t->consumer, (uint32_t)id);

	if (normal == 0)
		t->failed = EDT_BADNORMAL;
	else if (agg != NULL)
		agg->normal = normal;
}

static void describe(const struct dt_trace *t, uint32_t id, dtrace_probedesc_t *d);

/* Something an action asked for could not be done here: an error of the firing in hand, told like any other. */
__attribute__((format(printf, 2, 3)))
static void action_failed(struct dtrace_hdl *h, const char *fmt, ...)
{
	struct dt_trace *t = h->trace;
	dtrace_eprobedesc_t edesc = { .dtepd_epid = t->last_epid, .dtepd_probeid = t->last_probe };
	dtrace_probedesc_t pdesc;
	char why[512], msg[1024];
	dtrace_errdata_t d = { .dteda_handle = h, .dteda_edesc = &edesc, .dteda_pdesc = &pdesc, .dteda_action = -1, .dteda_offset = -1,
		.dteda_fault = DTRACEFLT_LIBRARY, .dteda_msg = msg };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	describe(t, t->last_probe, &pdesc);
	snprintf(msg, sizeof(msg), "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s\n", t->last_epid, t->last_probe,
	    pdesc.dtpd_provider, pdesc.dtpd_mod, pdesc.dtpd_func, pdesc.dtpd_name, why);
	if (t->err_f != NULL && t->err_f(&d, t->err_arg) == DTRACE_HANDLE_ABORT)
		t->failed = EDT_ERRABORT;
}

static void op_setopt(void *ctx, const char *name, const char *value)
{
	struct dtrace_hdl *h = ctx;
	struct dt_trace *t = h->trace;
	dtrace_setoptdata_t d = { .dtsda_handle = h, .dtsda_option = name };
	int err;

	(void)dt_options_get(&h->options, name, &d.dtsda_oldval);
	err = dt_options_set(&h->options, name, value, DT_OPT_TRACING);
	if (err != 0) {
		action_failed(h, "couldn't set option \"%s\" to \"%s\": %s%s%s%s", name, value != NULL ? value : "1", dt_error_text(err),
		    err == EDT_BADOPTVAL ? " (" : "", err == EDT_BADOPTVAL ? dt_options_form(h->scratch, name) : "", err == EDT_BADOPTVAL ? ")" : "");
		return;
	}
	(void)dt_options_get(&h->options, name, &d.dtsda_newval);
	dt_trace_text(h, t);
	if (t->setopt_f != NULL)
		(void)t->setopt_f(&d, t->setopt_arg);
}

/* A command's output must not stand between lines of JSON: it goes where messages go. */
static int run_command(const struct dt_trace *t, const char *command)
{
	char *text = NULL;
	int status;

	if (!t->json_on)
		return system(command);
	if (asprintf(&text, "exec 1>&2\n%s", command) < 0)
		return -1;
	status = system(text);
	free(text);
	return status;
}

static void op_system(void *ctx, const char *command)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;

	fflush(t->fp);
	if (run_command(t, command) == -1)
		action_failed(ctx, "couldn't run %s: %s", command, strerror(errno));
}

/* Output goes on in another file; "" goes back to where it was. */
static void op_freopen(void *ctx, const char *name)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;

	if (t->fp == NULL)
		return;
	fflush(t->fp);
	if (name[0] == '\0') {
		if (t->original > 0 && dup2(t->original, fileno(t->fp)) >= 0) {
			close(t->original);
			t->original = 0;
		}
		return;
	}
	int fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

	if (fd >= 0 && t->original == 0)
		t->original = fcntl(fileno(t->fp), F_DUPFD_CLOEXEC, 3);
	if (fd < 0 || t->original < 0 || dup2(fd, fileno(t->fp)) < 0) {
		action_failed(ctx, "couldn't freopen() \"%s\": %s", name, strerror(errno));
		t->original = t->original < 0 ? 0 : t->original;
	}
	if (fd >= 0)
		close(fd);
}

static void op_ftruncate(void *ctx)
{
	struct dt_trace *t = ((struct dtrace_hdl *)ctx)->trace;

	if (t->fp == NULL)
		return;
	fflush(t->fp);
	if (ftruncate(fileno(t->fp), 0) == 0)
		(void)fseeko(t->fp, 0, SEEK_SET);
}

static const struct dt_type *op_type(void *ctx, const char *name)
{
	dtrace_typeinfo_t info;

	return dtrace_type_strcompile(ctx, name, &info) == 0 ? info.dtt_type : NULL;
}

void dt_trace_text(struct dtrace_hdl *h, struct dt_trace *t)
{
	const struct dt_options *o = &h->options;

	t->popts = dt_print_defaults;
	t->popts.types = h->types;
	t->popts.symbolize = dt_trace_symbolize;
	t->popts.symctx = h;
	t->popts.quiet = dt_options_on(o, DT_OPT_quiet);
	t->popts.rawbytes = dt_options_on(o, DT_OPT_rawbytes);
	t->popts.agghist = dt_options_on(o, DT_OPT_agghist);
	t->popts.aggpack = dt_options_on(o, DT_OPT_aggpack);
	t->popts.aggzoom = dt_options_on(o, DT_OPT_aggzoom);
	t->popts.utf8 = o->val[DT_OPT_encoding] == DT_ENCODING_UTF8;
	if (o->val[DT_OPT_stackindent] >= 0)
		t->popts.stackindent = (uint32_t)o->val[DT_OPT_stackindent];
	t->popts.target = (uint32_t)h->target;
}

/* ---- events ---- */

static void describe(const struct dt_trace *t, uint32_t id, dtrace_probedesc_t *d)
{
	dt_handle_desc(d, id, probe_part(t, id, DT_PART_PROV), probe_part(t, id, DT_PART_MOD), probe_part(t, id, DT_PART_FUNC),
	    probe_part(t, id, DT_PART_NAME));
}

/* -F, by CPU. The record that follows is looked for only where it matters. */
static void flow(struct dt_trace *t, const struct dt_event *e, dtrace_probedata_t *d)
{
	static const dtrace_flowkind_t kinds[] = { [DT_FLOW_NONE] = DTRACEFLOW_NONE, [DT_FLOW_ENTRY] = DTRACEFLOW_ENTRY,
		[DT_FLOW_RETURN] = DTRACEFLOW_RETURN };
	const dtrace_probedesc_t *p = d->dtpda_pdesc;
	struct dt_flowrec r = { .cpu = e->cpu, .probe = e->probe_id, .epid = e->epid, .provider = p->dtpd_provider, .name = p->dtpd_name };
	struct dt_flowline line;

	if (dt_flow_looks_ahead(r.name) && (r.next_epid = dt_consumer_next(t->consumer, e->cpu)) != 0)
		r.next_probe = t->image->recs[r.next_epid - 1].probe_id;
	if (!dt_flow_step(&t->flows, &r, &line))
		t->failed = EDT_NOMEM;
	d->dtpda_flow = kinds[line.kind];
	d->dtpda_indent = line.indent;
	d->dtpda_prefix = line.prefix;
}

struct showing { struct dtrace_hdl *h; dtrace_probedata_t *data; const struct dt_event *e; int err; };

/* What the caller's function says of one record: DTRACE_CONSUME_THIS, it is for us. */
static int ask(struct showing *s, const struct dt_rec *rec)
{
	struct dt_trace *t = s->h->trace;
	dtrace_recdesc_t d = { .dtrd_action = rec->act->kind, .dtrd_size = (uint32_t)rec->len,
		.dtrd_offset = (uint32_t)((const char *)rec->data - (const char *)s->e->data), .dtrd_alignment = rec->len % 8 == 0 ? 8 : 1,
		.dtrd_arg = (uint64_t)rec->act->arg, .dtrd_uarg = rec->act->stmt };
	int rv;

	s->data->dtpda_data = (char *)rec->data;
	rv = t->rf != NULL ? t->rf(s->data, &d, t->arg) : DTRACE_CONSUME_NEXT;
	if (rv != DTRACE_CONSUME_THIS && rv != DTRACE_CONSUME_NEXT)
		s->err = rv == DTRACE_CONSUME_ABORT ? EDT_DIRABORT : EDT_BADRVAL;
	return rv;
}

/* The caller may take each record of a statement; those that change the trace are ours in any case. */
static void show_statement(struct showing *s, const struct dt_rec *recs, size_t n)
{
	uint16_t kind = recs[0].act->kind;
	bool ours = kind == DT_ACT_LIBACT;

	for (size_t i = 0; !ours && i < n && s->err == 0; i++) {
		ours = ask(s, &recs[i]) == DTRACE_CONSUME_THIS;
		if (ours && i > 0)
			return;		/* of the rest of a statement there is nothing to print */
	}
	if (s->err == 0 && (ours || kind == DT_ACT_EXIT))
		dt_statement_do(&s->h->trace->statements, recs, n);
}

static int show_event(struct dtrace_hdl *h, const struct dt_event *e, const struct dt_rec *recs, uint32_t n)
{
	struct dt_trace *t = h->trace;
	dtrace_eprobedesc_t edesc = { .dtepd_epid = e->epid, .dtepd_probeid = e->probe_id, .dtepd_size = e->layout->size,
		.dtepd_nrecs = (int)e->ecb->nacts, .dtepd_uarg = (uintptr_t)e->ecb };
	dtrace_probedata_t d = { .dtpda_handle = h, .dtpda_edesc = &edesc, .dtpda_pdesc = &t->desc, .dtpda_cpu = (int)e->cpu,
		.dtpda_data = (char *)e->data, .dtpda_timestamp = e->time };
	struct showing s = { h, &d, e, 0 };
	int rv;

	if (t->desc.dtpd_id != e->probe_id)
		describe(t, e->probe_id, &t->desc);
	t->last_probe = e->probe_id;
	t->last_epid = e->epid;
	d.dtpda_flow = DTRACEFLOW_NONE;
	d.dtpda_prefix = "| ";
	if (dt_options_on(&h->options, DT_OPT_flowindent))
		flow(t, e, &d);
	rv = t->pf != NULL ? t->pf(&d, t->arg) : DTRACE_CONSUME_THIS;
	if (rv == DTRACE_CONSUME_NEXT)
		return 0;
	if (rv != DTRACE_CONSUME_THIS)
		return dt_handle_error(h, rv == DTRACE_CONSUME_ABORT ? EDT_DIRABORT : EDT_BADRVAL);
	if (!dt_trace_json_event(h, &d, recs, n))
		for (size_t at = 0, len; (len = dt_statement_next(recs, n, &at)) > 0; at += len)
			show_statement(&s, recs + at, len);
	if (s.err != 0)
		return dt_handle_error(h, s.err);
	d.dtpda_data = (char *)e->data;
	if (t->rf != NULL)
		(void)t->rf(&d, NULL, t->arg);
	return t->failed != 0 ? dt_handle_error(h, t->failed) : 0;
}

static int on_event(void *ctx, const struct dt_event *e)
{
	uint32_t n = dt_rec_acts(e->ecb, e->layout, e->data);
	struct dt_rec few[32], *recs = n < 32 ? few : calloc(n + 1, sizeof(*recs));
	int rv = 0;

	if (recs == NULL)
		return dt_handle_error(ctx, EDT_NOMEM);
	for (uint32_t i = 0; i < n; i++)
		recs[i] = (struct dt_rec){ &e->ecb->acts[i], e->data + e->layout->field[i].off, e->layout->field[i].size };
	if (dt_ecb_is_default(e->ecb) || dt_statements_any(recs, n))
		rv = show_event(ctx, e, recs, n);
	if (recs != few)
		free(recs);
	return rv;
}

/* ---- errors ---- */

/*
 * Scripts from where open(2) is a system call read arg0 of openat(2), which is a directory. What a system call is to read may lie in a
 * page that nobody has touched yet: a probe cannot wait for it, the kernel does between entry and return.
 */
static const char *fault_hint(const struct dt_recfault *f, const dtrace_probedesc_t *p)
{
	if (f->fault != DT_FLT_BADADDR || strcmp(p->dtpd_provider, "syscall") != 0)
		return "";
	if ((int32_t)f->addr == AT_FDCWD)
		return ": this is AT_FDCWD, a directory; the path is the next argument";
	if (strcmp(p->dtpd_name, "entry") == 0 && f->addr >= 4096 && f->addr >> 56 == 0)
		return ": its page may not be in memory yet; it is at the system call's return (keep the address in self->)";
	return "";
}

static int on_fault(void *ctx, const struct dt_recfault *f)
{
	struct dtrace_hdl *h = ctx;
	struct dt_trace *t = h->trace;
	const struct dt_ecb *ecb = f->epid > 0 && f->epid <= t->enabled.n ? t->ecbs[f->epid - 1] : NULL;
	dtrace_eprobedesc_t edesc = { .dtepd_epid = f->epid, .dtepd_probeid = f->probe_id, .dtepd_uarg = (uintptr_t)ecb };
	dtrace_probedesc_t pdesc;
	char msg[1024], where[32], addr[32] = "", offset[40] = "";
	dtrace_errdata_t d = { .dteda_handle = h, .dteda_edesc = &edesc, .dteda_pdesc = &pdesc, .dteda_action = f->action,
		.dteda_offset = f->offset, .dteda_fault = (int)f->fault, .dteda_addr = f->addr, .dteda_msg = msg };

	describe(t, f->probe_id, &pdesc);
	if (f->fault == DT_FLT_BADADDR || f->fault == DT_FLT_BADALIGN || f->fault == DT_FLT_BADSTACK)
		snprintf(addr, sizeof(addr), " (0x%llx)", (unsigned long long)f->addr);
	if (f->action < 0)
		snprintf(where, sizeof(where), "predicate");
	else
		snprintf(where, sizeof(where), "action #%d", f->action + 1);
	if (f->offset >= 0)
		snprintf(offset, sizeof(offset), " at DIF offset %d", f->offset);
	snprintf(msg, sizeof(msg), "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s%s in %s%s%s\n", f->epid, f->probe_id,
	    pdesc.dtpd_provider, pdesc.dtpd_mod, pdesc.dtpd_func, pdesc.dtpd_name, dt_fault_text((int)f->fault), addr, where, offset,
	    fault_hint(f, &pdesc));
	dt_trace_json_fault(h, &d, addr[0] != '\0');
	if (t->err_f != NULL && t->err_f(&d, t->err_arg) == DTRACE_HANDLE_ABORT)
		return dt_handle_error(h, EDT_ERRABORT);
	return 0;
}

int dt_trace_events(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct dt_consumer_ops ops = { h, on_event, on_fault, dt_trace_drops, dt_trace_fold, alike };
	struct dt_statement_ops effects = { .ctx = h, .rows = op_rows, .clear = op_clear, .trunc = op_trunc, .normalize = op_normalize,
		.setopt = op_setopt, .system = op_system, .freopen = op_freopen, .ftruncate = op_ftruncate,
		.type = op_type };

	for (int i = 0; i < 4; i++)
		dt_map_init(&t->alike[i], t->arena);
	t->consumer = dt_consumer_new(t->session, t->image, t->ecbs, (uint32_t)t->enabled.n, &ops);
	if (t->consumer == NULL)
		return dt_handle_error(h, EDT_NOMEM);
	dt_trace_text(h, t);
	dt_out_init(&t->out, stdout, &t->popts);
	dt_statements_init(&t->statements, t->arena, &t->out, &effects);
	dt_trace_json_init(h, t);
	return 0;
}

static int once(struct dtrace_hdl *h, bool taken)
{
	return taken ? dt_handle_error(h, EALREADY) : 0;
}

int dtrace_handle_err(dtrace_hdl_t *h, dtrace_handle_err_f *f, void *arg)
{
	struct dt_trace *t = dt_trace_get(h);

	if (t == NULL || once(h, t->err_f != NULL) != 0)
		return -1;
	t->err_f = f;
	t->err_arg = arg;
	return 0;
}

int dtrace_handle_drop(dtrace_hdl_t *h, dtrace_handle_drop_f *f, void *arg)
{
	struct dt_trace *t = dt_trace_get(h);

	if (t == NULL || once(h, t->drop_f != NULL) != 0)
		return -1;
	t->drop_f = f;
	t->drop_arg = arg;
	return 0;
}

int dtrace_handle_setopt(dtrace_hdl_t *h, dtrace_handle_setopt_f *f, void *arg)
{
	struct dt_trace *t = dt_trace_get(h);

	if (t == NULL || once(h, t->setopt_f != NULL) != 0)
		return -1;
	t->setopt_f = f;
	t->setopt_arg = arg;
	return 0;
}
