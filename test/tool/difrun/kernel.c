/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program in the kernel: a RUN program for each probe that fires, run by BPF_PROG_RUN in this process.
 * After each firing the ring is emptied and what was in it told to the sink, as the interpreter tells it.
 * Aggregations are gathered in a table of our own; variables are read out of their maps.
 */
#include "kernel.h"

#include "dif/action.h"
#include "session/impl.h"
#include "types/type.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct held { struct held *next; uint32_t spec; struct dt_context context; size_t len; uint8_t rec[]; };
struct elem { struct elem *next; uint32_t agg; uint8_t *key; int64_t words[]; };

struct kernel {
	struct kernel_input in;
	struct dt_arena *arena;
	struct dt_image *image;
	struct dt_session *session;
	uint32_t *hook, *nhooks;		/* by probe id: its first program, and how many */
	const struct dt_context *firing;
	struct held *held;			/* speculative records, oldest first */
	struct elem *elems;
	uint32_t agg;				/* whose snapshot is read */
	uint64_t drops[8];			/* told already */
};

/* ---- what is enabled ---- */

static struct dt_probedesc desc_of(struct kernel *k, uint32_t id)
{
	char *copy = dt_arena_strdup(k->arena, k->in.probes[id - 1]), *part[4] = { "", "", "", "" };

	for (int i = 3; i >= 0; i--) {
		char *colon = i > 0 ? strrchr(copy, ':') : NULL;

		part[i] = colon ? colon + 1 : copy;
		if (!colon)
			break;
		*colon = '\0';
	}
	return (struct dt_probedesc){ part[0], part[1], part[2], part[3], id };
}

static struct dt_enabling *enablings(struct kernel *k, uint32_t id, uint32_t *n)
{
	struct dt_enabling *en = DT_NEWN(k->arena, struct dt_enabling, k->in.prog->necbs + 1);
	struct dt_probedesc p = desc_of(k, id);

	*n = 0;
	for (uint32_t i = 0; i < k->in.prog->necbs; i++) {
		const struct dt_ecb *e = &k->in.prog->ecbs[i];

		if (dt_probe_match(&e->probe, &p))
			en[(*n)++] = (struct dt_enabling){ .ecb = e, .epid = i + 1, .probe_id = id,
				.prov = p.prov, .mod = p.mod, .func = p.func, .name = p.name };
	}
	return en;
}

/* The types of the kernel cost time: only programs that ask for a member pay. */
static uint32_t member(void *types, const char *tag, const char *path)
{
	return types ? dt_types_offset(types, tag, path) : DT_KOFF_NONE;
}

static bool has_locals(const struct dt_difo *d)
{
	for (uint32_t i = 0; d && i < d->nvars; i++)
		if (d->vars[i].scope == DT_DIFV_LOCAL && d->vars[i].id >= DT_VAR_USER_MIN)
			return true;
	return false;
}

/*
 * printa(), clear() and trunc() happen when the record is read, which is when the program is over. The
 * interpreter does them when their clause is over: a program for each clause does too. Clause-local
 * variables are those of one program.
 */
static bool clause_by_clause(const struct dt_prog *prog)
{
	bool shows = false;

	for (uint32_t i = 0; i < prog->necbs; i++) {
		shows |= dt_ecb_shows_aggs(&prog->ecbs[i]);
		if (has_locals(prog->ecbs[i].pred))
			return false;
		for (uint32_t a = 0; a < prog->ecbs[i].nacts; a++)
			if (has_locals(prog->ecbs[i].acts[a].difo))
				return false;
	}
	return shows;
}

/* The programs of one probe, from hooks on. */
static uint32_t hooks_of(struct kernel *k, uint32_t id, bool single, struct dt_plan_hook *hooks)
{
	uint32_t n;
	struct dt_enabling *en = enablings(k, id, &n);

	if (n == 0 || id == 3)
		return 0;
	if (!single) {
		hooks[0] = (struct dt_plan_hook){ .ctx = DT_CTX_RUN, .en = en, .nen = n };
		return 1;
	}
	for (uint32_t i = 0; i < n; i++)
		hooks[i] = (struct dt_plan_hook){ .ctx = DT_CTX_RUN, .en = &en[i], .nen = 1 };
	return n;
}

static int build(struct kernel *k, const struct dt_features *feat, char *msg, size_t len)
{
	const struct dt_interp_opts *io = &k->in.opts;
	struct dt_plan_hook *hooks = DT_NEWN(k->arena, struct dt_plan_hook,
	    (k->in.prog->necbs + 1) * k->in.nprobes);
	struct dt_plan_opts opts = { .strsize = io->strsize, .scratchsize = io->scratchsize,
		.nspec = io->nspec == DT_INTERP_NSPEC_NONE ? 0 : io->nspec ? io->nspec : 1,
		.bufsize = 1 << 20, .aggsize = 1 << 20, .specsize = 32768,
		.dynvarsize = io->dynvarsize ? io->dynvarsize : 1 << 20, .stackframes_max = 127,
		.ncpus = (uint32_t)dt_session_possible_cpus(), .self_pid = (uint32_t)getpid(),
		.member = member, .member_ctx = k->in.types, .feat = feat,
		.machine = dt_machine_here() };
	bool single = clause_by_clause(k->in.prog);
	uint32_t n = 0;

	opts.errors = enablings(k, 3, &opts.nerrors);
	for (uint32_t id = 1; id <= k->in.nprobes; id++) {
		k->hook[id] = n;
		n += k->nhooks[id] = hooks_of(k, id, single, hooks + n);
	}
	return dt_image_build(&opts, &k->in.prog, 1, hooks, n, &k->image, msg, len);
}

struct kernel *kernel_open(const struct kernel_input *in, bool *refused, char *msg, size_t len)
{
	struct dt_arena *arena = dt_arena_new();
	struct kernel *k = DT_NEW(arena, struct kernel);
	struct dt_features feat;
	struct dt_attach *attach;
	int rc;

	*k = (struct kernel){ .in = *in, .arena = arena, .hook = DT_NEWN(arena, uint32_t, in->nprobes + 2),
		.nhooks = DT_NEWN(arena, uint32_t, in->nprobes + 2) };
	*refused = false;
	if (dt_features_probe(&feat, msg, len) != 0) {
		kernel_close(k);
		return NULL;
	}
	rc = build(k, &feat, msg, len);
	attach = DT_NEWN(arena, struct dt_attach, rc == 0 ? k->image->nprogs + 1 : 1);
	for (uint32_t i = 0; rc == 0 && i < k->image->nprogs; i++)
		attach[i].kind = DT_HOOK_RUN;
	if (rc == 0)
		rc = dt_session_open(k->image, attach, k->image->nprogs, &k->session, msg, len);
	if (rc) {
		*refused = true;
		kernel_close(k);
		return NULL;
	}
	return k;
}

void kernel_close(struct kernel *k)
{
	if (!k)
		return;
	dt_session_close(k->session);
	dt_image_free(k->image);
	for (struct held *h = k->held, *next; h; h = next) {
		next = h->next;
		free(h);
	}
	for (struct elem *e = k->elems, *next; e; e = next) {
		next = e->next;
		free(e);
	}
	dt_arena_free(k->arena);
}

/* ---- records ---- */

static bool tells_nothing(const struct dt_act *act, uint32_t size)
{
	if (act->in_tuple || DT_ACT_IS_AGG(act->kind))
		return true;
	return (act->kind >= DT_ACT_SPECULATE && act->kind <= DT_ACT_DISCARD) ||
	    (size == 0 && (act->kind == DT_ACT_DIFEXPR || act->kind == DT_ACT_NONE));
}

static void tell_record(struct kernel *k, const struct dt_context *c, const struct dt_rechdr *h,
    const uint8_t *data)
{
	const struct dt_ecb *e = &k->in.prog->ecbs[h->epid - 1];
	const struct dt_reclayout *r = &k->image->layouts.recs[h->epid - 1];
	struct dt_context context = *c;

	if (r->probe_id == 3)		/* dtrace:::ERROR has no program of its own */
		context.probe = desc_of(k, context.probe_id = 3);
	k->in.sink.begin(k->in.sink.ctx, e, h->epid, &context);
	for (uint32_t i = 0; i < dt_rec_acts(e, r, data); i++) {
		const struct dt_recfield *f = &r->field[i];

		if (e->acts[i].kind == DT_ACT_SKIPZ && !data[f->off])
			i += (uint32_t)e->acts[i].arg;
		else if (!tells_nothing(&e->acts[i], f->size))
			k->in.sink.record(k->in.sink.ctx, e, i, data + f->off, f->size);
	}
	k->in.sink.end(k->in.sink.ctx, e, false);
}

static void end_spec(struct kernel *k, uint32_t spec, bool commit)
{
	for (struct held **p = &k->held; *p;) {
		struct held *h = *p;
		struct dt_rechdr hdr;

		if (h->spec != spec) {
			p = &h->next;
			continue;
		}
		memcpy(&hdr, h->rec, sizeof(hdr));
		if (commit)
			tell_record(k, &h->context, &hdr, h->rec + sizeof(hdr));
		*p = h->next;
		free(h);
	}
}

static void hold(struct kernel *k, uint32_t spec, const void *rec, size_t len)
{
	struct held *h = malloc(sizeof(*h) + len), **p = &k->held;

	if (!h)
		return;
	while (*p)
		p = &(*p)->next;
	*h = (struct held){ .spec = spec, .context = *k->firing, .len = len };
	memcpy(h->rec, rec, len);
	*p = h;
}

static int take_record(void *ctx, const void *rec, size_t len)
{
	struct kernel *k = ctx;
	struct dt_rechdr h;
	struct dt_recfault f;

	memcpy(&h, rec, sizeof(h));
	if (h.epid == DT_REC_FAULT) {
		memcpy(&f, (const char *)rec + sizeof(h), sizeof(f));
		k->in.sink.fault(k->in.sink.ctx, &k->in.prog->ecbs[f.epid - 1], f.epid, f.action, f.offset,
		    (enum dt_fault)f.fault, f.addr);
	} else if (h.epid == DT_REC_COMMIT || h.epid == DT_REC_DISCARD) {
		end_spec(k, h.spec, h.epid == DT_REC_COMMIT);
	} else if (h.epid < 1 || h.epid > k->image->layouts.nrecs ||
	    len < sizeof(h) + k->image->layouts.recs[h.epid - 1].size) {
		printf("difrun: a record of %zu bytes for clause %u\n", len, h.epid);
	} else if (h.spec) {
		hold(k, h.spec, rec, len);
	} else {
		tell_record(k, k->firing, &h, (const uint8_t *)rec + sizeof(h));
	}
	return 0;
}

static void tell_drops(struct kernel *k)
{
	static const char *const kinds[] = { "principal", "aggregation", "dynamic variable", "speculative",
		"busy", "failed speculation", "slot", "error in ERROR probe enabling" };
	uint64_t total[8] = { 0 };

	for (uint32_t c = 0; c < dt_session_ncpus(k->session); c++) {
		struct dt_drops d;
		uint64_t n[8];

		if (dt_session_drops(k->session, c, &d) != 0)
			continue;
		memcpy(n, &d, sizeof(n));
		for (int i = 0; i < 8; i++)
			total[i] += n[i];
	}
	for (int i = 0; i < 8; i++)
		for (; k->drops[i] < total[i]; k->drops[i]++)
			k->in.sink.drop(k->in.sink.ctx, kinds[i]);
}

void kernel_fire(struct kernel *k, const struct dt_context *c)
{
	uint32_t first = k->hook[c->probe_id], n = k->nhooks[c->probe_id];

	k->firing = c;
	for (uint32_t i = first; i < first + n; i++) {
		int rc = dt_session_run(k->session, i, c->arg, 10);

		if (rc)
			printf("difrun: the kernel does not run it: %s\n", strerror(-rc));
		for (uint32_t r = 0, rings = dt_session_rings(k->session); r < rings; r++)
			dt_session_drain(k->session, r, take_record, k);
	}
	tell_drops(k);
}

/* ---- aggregations ---- */

static struct elem *elem_for(struct kernel *k, const void *key)
{
	const struct dt_agglayout *o = &k->image->layouts.aggs[k->agg];
	struct elem **p = &k->elems, *e;

	for (; *p; p = &(*p)->next)
		if ((*p)->agg == k->agg && (!o->keysize || memcmp((*p)->key, key, o->keysize) == 0))
			return *p;
	e = calloc(1, sizeof(*e) + o->nwords * sizeof(int64_t));
	if (!e)
		return NULL;
	e->agg = k->agg;
	e->key = dt_arena_memdup(k->arena, key ? key : "", o->keysize ? o->keysize : 1);
	dt_aggfunc_of(o->kind)->init(e->words, o->arg);
	*p = e;
	return e;
}

static int take_elem(void *ctx, const struct dt_aggcell *part)
{
	struct kernel *k = ctx;
	const struct dt_agglayout *o = &k->image->layouts.aggs[part->agg];
	int64_t *one = DT_NEWN(k->arena, int64_t, o->nwords + 1);

	k->agg = part->agg;
	for (uint32_t c = 0; c < part->ncpus; c++) {
		struct elem *e;

		if (dt_agg_decode(o, part->words + (size_t)c * part->stride, one) &&
		    (e = elem_for(k, part->key)))
			dt_aggfunc_of(o->kind)->merge(e->words, o->arg, one);
	}
	return 0;
}

static void tell_elem(struct kernel *k, const struct elem *e, dt_interp_agg_f *f, void *ctx)
{
	const struct dt_agglayout *o = &k->image->layouts.aggs[e->agg];
	struct dt_interp_key *keys = DT_NEWN(k->arena, struct dt_interp_key, o->nkeys + 1);
	const struct dt_aggvar *var = NULL;

	for (uint32_t i = 0; i < k->in.prog->naggs; i++)
		if (k->in.prog->aggs[i].id == o->id)
			var = &k->in.prog->aggs[i];
	for (uint32_t i = 0; i < o->nkeys; i++) {
		uint32_t id, len;

		keys[i].act = dt_agg_keyact(o, i, e->key, &len);
		keys[i].data = e->key + o->key[i].off;
		keys[i].len = len;
		if (o->key_probe[i]) {
			memcpy(&id, keys[i].data, sizeof(id));
			struct dt_probedesc p = desc_of(k, id);
			const char *const parts[] = { p.prov, p.mod, p.func, p.name };
			keys[i].data = parts[o->key_probe[i] - 1];
			keys[i].len = strlen(keys[i].data) + 1;
		}
	}
	if (var)
		f(ctx, var, keys, o->nkeys, e->words, o->nwords);
}

void kernel_aggs(struct kernel *k, dt_interp_agg_f *f, void *ctx)
{
	struct dt_taken taken;

	dt_session_take(k->session, &taken, take_elem, k);
	for (const struct elem *e = k->elems; e; e = e->next)
		tell_elem(k, e, f, ctx);
}

/* ---- variables ---- */

typedef void var_f(void *ctx, const struct dt_interp_var *);

static bool by_ref(const struct dt_difv *v) { return v->type.flags & (DT_DTF_REF | DT_DTF_USERREF); }

/* A string has its NUL behind the characters. */
static uint32_t ref_size(const struct dt_difv *v) { return v->type.size + (v->type.kind == DT_DT_STRING); }

static void describe(struct dt_interp_var *out, const uint8_t *data)
{
	if (by_ref(out->var)) {
		out->bytes = data;
		out->len = ref_size(out->var);
	} else {
		memcpy(&out->value, data, 8);
	}
}

/* self-> scalars that are 0 are not there. */
static void tell_scalar(const struct dt_varlayout *v, const uint8_t *value, var_f *f, void *ctx)
{
	struct dt_interp_var out = { .var = &v->v, .tid = (uint32_t)syscall(SYS_gettid) };
	uint64_t flag = 0;

	describe(&out, value + v->off);
	if (by_ref(&v->v))
		memcpy(&flag, value + v->off + ((ref_size(&v->v) + 7) & ~7u), 8);
	out.null = v->v.scope == DT_DIFV_GLOBAL && flag;
	if (v->v.scope == DT_DIFV_GLOBAL || (by_ref(&v->v) ? flag : out.value))
		f(ctx, &out);
}

static void tell_array(struct kernel *k, const struct dt_varlayout *v, int map, var_f *f, void *ctx)
{
	const struct dt_image_map *m = &k->image->maps[v->map];
	uint8_t *key = dt_arena_alloc(k->arena, m->key_size),
	    *value = dt_arena_alloc(k->arena, m->value_size);
	uint8_t *told = dt_arena_alloc(k->arena, m->key_size + 8 * 8);
	bool first = true;

	while (bpf_map_get_next_key(map, first ? NULL : key, key) == 0) {
		struct dt_interp_var out = { .var = &v->v, .key = told };

		first = false;
		if (bpf_map_lookup_elem(map, key, value) != 0)
			continue;
		if (v->v.scope == DT_DIFV_THREAD)
			out.tid = (uint32_t)syscall(SYS_gettid);
		for (uint32_t i = 0; i < v->nkeys; i++) {
			uint64_t len = v->keylen[i];

			memcpy(told + out.keylen, &len, 8);
			memcpy(told + out.keylen + 8, key + v->keyoff[i], len);
			out.keylen += 8 + len;
		}
		describe(&out, value);
		f(ctx, &out);
	}
}

void kernel_vars(struct kernel *k, var_f *f, void *ctx)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	for (uint32_t i = 0; i < k->image->nvars; i++) {
		const struct dt_varlayout *v = &k->image->vars[i];
		const struct dt_image_map *m = &k->image->maps[v->map];
		int map = k->session->maps[v->map], key = v->v.scope == DT_DIFV_THREAD ? pidfd : 0;
		uint8_t *value = dt_arena_alloc(k->arena, m->value_size);

		if (v->v.kind == DT_DIFV_ARRAY)
			tell_array(k, v, map, f, ctx);
		else if (bpf_map_lookup_elem(map, &key, value) == 0)
			tell_scalar(v, value, f, ctx);
	}
	if (pidfd >= 0)
		close(pidfd);
}
