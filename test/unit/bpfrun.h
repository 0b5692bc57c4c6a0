/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests that compare the kernel, the engine process and the interpreter share: a D program is
 * compiled, fired once or more in each with the same arguments, and what came out (records, faults,
 * aggregations, exit status) is written down as text.
 */
#ifndef BPFRUN_H
#define BPFRUN_H

#include "check.h"

#include "bpf/image.h"
#include "dif/action.h"
#include "dif/builtin.h"
#include "interp/interp.h"
#include "dtrace.h"
#include "inproc/inproc.h"
#include "session/session.h"
#include "handle/handle.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NSPEC 2

struct text { char *s; size_t n, cap; };

static void say(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int len;

	if (t->cap - t->n < 4096) {
		t->cap = t->cap * 2 + 8192;
		t->s = realloc(t->s, t->cap);
	}
	va_start(ap, fmt);
	len = vsnprintf(t->s + t->n, t->cap - t->n, fmt, ap);
	va_end(ap);
	t->n += (size_t)len < t->cap - t->n ? (size_t)len : t->cap - t->n - 1;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* ---- values as text ---- */

static void say_value(struct text *t, const struct dt_act *act, const void *data, size_t len)
{
	const uint8_t *p = data;
	bool string = act->difo && act->difo->rtype.kind == DT_DT_STRING && act->kind != DT_ACT_TRACEMEM;

	if (string) {
		say(t, " \"%.*s\"", (int)strnlen(data, len), (const char *)data);
		return;
	}
	if (act->kind == DT_ACT_STACK || act->kind == DT_ACT_USTACK) {
		say(t, " (stack)");
		return;
	}
	say(t, " ");
	for (size_t i = len; i-- > 0 && len <= 8;)
		say(t, "%02x", p[i]);
	for (size_t i = 0; i < len && len > 8; i++)
		say(t, "%02x", p[i]);
}

/* ---- the interpreter ---- */

static void i_begin(void *ctx, const struct dt_ecb *e, uint32_t epid, const struct dt_context *c)
{
	(void)ctx, (void)e, (void)epid, (void)c;
}

/* drops are told last, as the kernel's are counters */
struct ibuf { struct text *out; struct text line, drops; uint32_t n; };

static void i_record(void *ctx, const struct dt_ecb *e, uint32_t act, const void *data, size_t len)
{
	struct ibuf *b = ctx;

	if (e->acts[act].kind == DT_ACT_SKIPZ)
		return;
	say(&b->line, " %u:", act);
	say_value(&b->line, &e->acts[act], data, len);
	b->n++;
}

static void i_end(void *ctx, const struct dt_ecb *e, bool faulted)
{
	struct ibuf *b = ctx;

	if (!faulted && (b->n || dt_ecb_is_default(e)))
		say(b->out, "record%s\n", b->line.s ? b->line.s : "");
	b->n = 0;
	b->line.n = 0;
	if (b->line.s)
		b->line.s[0] = '\0';
}

static void i_fault(void *ctx, const struct dt_ecb *e, uint32_t epid, int act, int offset, enum dt_fault f,
    uint64_t addr)
{
	struct ibuf *b = ctx;

	(void)e;
	say(b->out, "fault epid %u act %d offset %d: %d %s\n", epid, act, offset, (int)f, addr == 0 ||
	    addr > 0xffff ? "" : "small");
}

static void i_drop(void *ctx, const char *kind) { say(&((struct ibuf *)ctx)->drops, "drop %s\n", kind); }

struct lines { char *v[4096]; size_t n; };

static void add_line(struct lines *l, struct text *t)
{
	if (l->n < 4096)
		l->v[l->n++] = t->s;
	else
		free(t->s);
}

static void say_agg(struct lines *l, const char *name, const struct dt_act *const *act,
    const void *const *key, const size_t *len, uint32_t nkeys, const int64_t *words, uint32_t n)
{
	struct text t = { 0 };

	say(&t, "@%s", name);
	for (uint32_t i = 0; i < nkeys; i++)
		say_value(&t, act[i], key[i], len[i]);
	say(&t, " =");
	for (uint32_t i = 0; i < n; i++) {
		if (words[i])
			say(&t, " %u:%lld", i, (long long)words[i]);
	}
	say(&t, "\n");
	add_line(l, &t);
}

static void i_agg(void *ctx, const struct dt_aggvar *v, const struct dt_interp_key *keys, uint32_t nkeys,
    const int64_t *data, uint32_t n)
{
	const struct dt_act *act[16];
	const void *key[16];
	size_t len[16];

	for (uint32_t i = 0; i < nkeys && i < 16; i++) {
		act[i] = keys[i].act;
		key[i] = keys[i].data;
		len[i] = keys[i].len;
	}
	say_agg(ctx, v->name, act, key, len, nkeys < 16 ? nkeys : 16, data, n);
}

static void finish_lines(struct lines *l, struct text *out)
{
	qsort(l->v, l->n, sizeof(l->v[0]), by_text);
	for (size_t i = 0; i < l->n; i++) {
		say(out, "%s", l->v[i]);
		free(l->v[i]);
	}
}

/* ---- one comparison ---- */

/* Texts: what the user memory holds then, NULL as it is; bytes: the same for the first 32. */
struct firing { uint64_t arg[10]; const char *text[2]; const uint8_t *bytes; };

static uint32_t strsize = 256, scratchsize;	/* 0: the default */
static char user_text[2][8192] = { "user text", "" };

static void set_texts(const struct firing *f)
{
	for (int i = 0; i < 2; i++) {
		if (f->text[i])
			snprintf(user_text[i], sizeof(user_text[i]), "%s", f->text[i]);
	}
	if (f->bytes)
		memcpy(user_text[0], f->bytes, 32);
}

static struct dt_context context_of(const struct firing *f)
{
	static struct dt_region region[2];
	struct dt_context c = { .probe = { "dtrace", "", "", "BEGIN", 1 }, .probe_id = 1 };

	for (int i = 0; i < 2; i++) {
		region[i] = (struct dt_region){ .addr = (uint64_t)(uintptr_t)user_text[i],
			.len = sizeof(user_text[i]), .bytes = (uint8_t *)user_text[i], .user = true };
	}
	memcpy(c.arg, f->arg, sizeof(c.arg));
	c.pid = (uint32_t)getpid();
	c.tid = (uint32_t)syscall(SYS_gettid);
	c.ppid = (uint32_t)getppid();
	c.uid = getuid();
	c.gid = getgid();
	prctl(PR_GET_NAME, c.execname);
	c.regions = region;
	c.nregions = 2;
	return c;
}

static void run_interp(const struct dt_prog *prog, const struct firing *f, uint32_t nf, struct text *out)
{
	struct ibuf b = { .out = out };
	struct dt_interp_sink sink = { &b, i_begin, i_record, i_end, i_fault, i_drop };
	struct dt_interp_opts opts = { .strsize = strsize, .scratchsize = scratchsize, .nspec = NSPEC };
	struct dt_interp *ip = dt_interp_new(prog, &opts, &sink);
	struct lines l = { .n = 0 };
	int status = -1;

	for (uint32_t i = 0; i < nf; i++) {
		struct dt_context c = context_of(&f[i]);
		int s;

		set_texts(&f[i]);
		s = dt_interp_fire(ip, &c);

		status = status < 0 ? s : status;
	}
	if (b.drops.s)
		say(out, "%s", b.drops.s);
	free(b.drops.s);
	dt_interp_aggs(ip, i_agg, &l);
	finish_lines(&l, out);
	if (status >= 0)
		say(out, "exit %d\n", status);
	dt_interp_free(ip);
	free(b.line.s);
}

/* ---- the kernel ---- */

struct held { struct held *next; uint32_t spec; char *line; };
struct kernel {
	const struct dt_prog *prog;
	const struct dt_image *image;
	struct dt_session *session;
	struct dt_engine *engine;	/* in place of the session, if it is not NULL */
	struct text *out;
	struct held *held;
	struct lines lines;
	/* elements of aggregations: a firing may have added to one in several generations */
	struct { uint32_t agg; uint8_t *key; int64_t *words; } elem[4096];
	size_t nelems;
};

static void k_fields(struct kernel *k, struct text *t, const struct dt_rechdr *h, const uint8_t *data)
{
	const struct dt_ecb *e = &k->prog->ecbs[h->epid - 1];
	const struct dt_reclayout *r = &k->image->layouts.recs[h->epid - 1];

	say(t, "record");
	for (uint32_t i = 0; i < dt_rec_acts(e, r, data); i++) {
		const struct dt_act *act = &e->acts[i];

		if (act->kind == DT_ACT_SKIPZ) {
			if (!data[r->field[i].off])
				i += (uint32_t)act->arg;
			continue;
		}
		if (act->in_tuple || DT_ACT_IS_AGG(act->kind) ||
		    (act->kind >= DT_ACT_SPECULATE && act->kind <= DT_ACT_DISCARD) ||
		    (r->field[i].size == 0 && (act->kind == DT_ACT_DIFEXPR || act->kind == DT_ACT_NONE)))
			continue;
		say(t, " %u:", i);
		say_value(t, act, data + r->field[i].off, r->field[i].size);
	}
	say(t, "\n");
}

static void k_end_spec(struct kernel *k, uint32_t spec, bool commit)
{
	for (struct held **p = &k->held; *p;) {
		struct held *h = *p;

		if (h->spec != spec) {
			p = &h->next;
			continue;
		}
		if (commit)
			say(k->out, "%s", h->line);
		*p = h->next;
		free(h->line);
		free(h);
	}
}

static void k_hold(struct kernel *k, uint32_t spec, struct text *t)
{
	struct held *h = calloc(1, sizeof(*h)), **p = &k->held;

	while (*p)
		p = &(*p)->next;
	h->spec = spec;
	h->line = t->s;
	*p = h;
}

static int k_record(void *ctx, const void *rec, size_t len)
{
	struct kernel *k = ctx;
	struct dt_rechdr h;
	struct text t = { 0 };

	memcpy(&h, rec, sizeof(h));
	if (h.epid == DT_REC_FAULT) {
		struct dt_recfault f;

		memcpy(&f, (const char *)rec + sizeof(h), sizeof(f));
		say(k->out, "fault epid %u act %d offset %d: %u %s\n", f.epid, f.action, f.offset, f.fault,
		    f.addr == 0 || f.addr > 0xffff ? "" : "small");
	} else if (h.epid == DT_REC_COMMIT || h.epid == DT_REC_DISCARD) {
		k_end_spec(k, h.spec, h.epid == DT_REC_COMMIT);
	} else if (CHECK(h.epid >= 1 && h.epid <= k->image->layouts.nrecs &&
	    len >= sizeof(h) + k->image->layouts.recs[h.epid - 1].size)) {
		k_fields(k, &t, &h, (const uint8_t *)rec + sizeof(h));
		if (strcmp(t.s, "record\n") == 0 && !dt_ecb_is_default(&k->prog->ecbs[h.epid - 1])) {
			free(t.s);	/* all its actions are in branches not taken: nothing to see */
		} else if (h.spec) {
			k_hold(k, h.spec, &t);
		} else {
			say(k->out, "%s", t.s);
			free(t.s);
		}
	}
	return 0;
}

static int k_agg(void *ctx, const struct dt_aggcell *part)
{
	struct kernel *k = ctx;
	const struct dt_agglayout *o = &k->image->layouts.aggs[part->agg];
	const struct dt_aggfunc *func = dt_aggfunc_of(o->kind);
	int64_t *one = calloc(o->nwords, 8);
	size_t i = 0;

	for (uint32_t c = 0; c < part->ncpus; c++) {
		if (!dt_agg_decode(o, part->words + (size_t)c * part->stride, one))
			continue;
		while (i < k->nelems && (k->elem[i].agg != part->agg ||
		    (o->keysize && memcmp(k->elem[i].key, part->key, o->keysize) != 0)))
			i++;
		if (i == k->nelems && i < 4096) {
			k->elem[i].agg = part->agg;
			k->elem[i].key = calloc(1, o->keysize + 1);
			k->elem[i].words = calloc(o->nwords, 8);
			if (o->keysize)
				memcpy(k->elem[i].key, part->key, o->keysize);
			func->init(k->elem[i].words, o->arg);
			k->nelems++;
		}
		if (i < 4096)
			func->merge(k->elem[i].words, o->arg, one);
	}
	free(one);
	return 0;
}

static void k_say_elem(struct kernel *k, size_t n)
{
	static const char *const parts[] = { "dtrace", "", "", "BEGIN" };
	const struct dt_agglayout *o = &k->image->layouts.aggs[k->elem[n].agg];
	const uint8_t *key = k->elem[n].key;
	const void *keys[16];
	const struct dt_act *acts[16];
	uint32_t size;
	size_t lens[16];

	for (uint32_t i = 0; i < o->nkeys && i < 16; i++) {
		keys[i] = o->key_probe[i] ? parts[o->key_probe[i] - 1] : (const char *)key + o->key[i].off;
		/* uses may differ in the size of an integer */
		acts[i] = dt_agg_keyact(o, i, key, &size);
		lens[i] = o->key_probe[i] ? strlen(keys[i]) + 1 : size;
	}
	say_agg(&k->lines, o->name, acts, keys, lens, o->nkeys < 16 ? o->nkeys : 16, k->elem[n].words,
	    o->nwords);
	free(k->elem[n].key);
	free(k->elem[n].words);
}

enum { DT_CPUS = 1024 };		/* at most */

static void k_drain(struct kernel *k)
{
	uint32_t rings = k->engine ? k->engine->ops->rings(k->engine) : dt_session_rings(k->session);

	for (uint32_t r = 0; r < rings; r++)
		(void)(k->engine ? k->engine->ops->drain(k->engine, r, k_record, k) :
		    dt_session_drain(k->session, r, k_record, k));
}

static void k_collect(struct kernel *k)
{
	static const char *const drops[] = { "principal", "aggregation", "dynamic variable", "speculative",
		"busy", "failed speculation", "slot", "error in ERROR probe enabling" };
	uint64_t total[8] = { 0 };
	struct dt_taken taken;

	k_drain(k);
	for (uint32_t c = 0; c < (uint32_t)dt_session_possible_cpus(); c++) {
		struct dt_drops d[DT_CPUS];
		uint64_t n[8];

		if (k->engine ? k->engine->ops->drops(k->engine, d) != 0 :
		    dt_session_drops(k->session, c, &d[c]) != 0)
			continue;
		memcpy(n, &d[c], sizeof(n));
		for (int i = 0; i < 8; i++)
			total[i] += n[i];
	}
	for (int i = 0; i < 8; i++) {
		for (; total[i]; total[i]--)
			say(k->out, "drop %s\n", drops[i]);
	}
	(void)(k->engine ? k->engine->ops->take(k->engine, &taken, k_agg, k) :
	    dt_session_take(k->session, &taken, k_agg, k));
	for (size_t i = 0; i < k->nelems; i++)
		k_say_elem(k, i);
	k->nelems = 0;
	finish_lines(&k->lines, k->out);
	while (k->held)
		k_end_spec(k, k->held->spec, false);
}

static struct dt_features feat;
static bool dump;
static uint64_t open_ns;		/* what the last session took to open */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void put_err(void *ctx, const char *s) { (void)ctx; fputs(s, stderr); }

static void pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* The same in the engine process: its programs are machine code, and run here. */
static int run_process(const struct dt_plan *plan, const struct firing *f, uint32_t nf, struct kernel *k,
    char *msg, size_t len)
{
	int rc = dt_engine_process.open(plan, &k->engine, msg, len);

	if (rc == 0)
		rc = dt_engine_process.load(k->engine, msg, len);
	if (rc == 0) {
		k->image = inproc_newest(inproc_of(k->engine));
		for (uint32_t i = 0; i < nf && rc == 0; i++) {
			set_texts(&f[i]);
			rc = dt_inproc_run(k->engine, 0, f[i].arg, 10);
		}
		k_collect(k);
		if (dt_engine_process.control(k->engine)->exited)
			say(k->out, "exit %d\n", dt_engine_process.control(k->engine)->status);
	}
	if (k->engine)
		dt_engine_process.close(k->engine);
	return rc;
}

/* process: in the engine of that name, else in the kernel */
static int run_engine(const struct dt_prog *prog, const struct firing *f, uint32_t nf, bool process,
    struct text *out, char *msg, size_t len)
{
	struct dt_enabling *en = calloc(prog->necbs * 2 + 1, sizeof(*en)), *err = en + prog->necbs;
	struct dt_plan_hook hook = { .ctx = DT_CTX_RUN, .en = en };
	struct dt_plan_opts opts = { .strsize = strsize, .scratchsize = scratchsize, .nspec = NSPEC,
		.bufsize = 1 << 20, .aggsize = 1 << 20, .specsize = 32768,
		.dynvarsize = 1 << 20, .ncpus = (uint32_t)dt_session_possible_cpus(),
		.machine = dt_machine_here(), .feat = &feat, .errors = err };
	struct dt_attach attach = { .kind = DT_HOOK_RUN };
	struct kernel k = { .prog = prog, .out = out };
	struct dt_image *image = NULL;
	int rc;

	for (uint32_t i = 0; i < prog->necbs; i++) {
		bool error = strcmp(prog->ecbs[i].probe.name, "ERROR") == 0;
		struct dt_enabling e = { .ecb = &prog->ecbs[i], .epid = i + 1, .probe_id = error ? 3 : 1,
			.prov = "dtrace", .mod = "", .func = "", .name = error ? "ERROR" : "BEGIN" };

		if (error)
			err[opts.nerrors++] = e;
		else
			en[hook.nen++] = e;
	}
	if (process) {
		rc = run_process(&(struct dt_plan){ &opts, &prog, 1, &hook, &attach, 1 }, f, nf, &k, msg,
		    len);
		free(en);
		return rc;
	}
	rc = dt_image_build(&opts, &prog, 1, &hook, 1, &image, msg, len);
	if (rc == 0 && dump)
		dt_image_dump(image, put_err, NULL);
	open_ns = now_ns();
	if (rc == 0)
		rc = dt_session_open(image, &attach, 1, &k.session, msg, len);
	open_ns = now_ns() - open_ns;
	if (rc == 0) {
		k.image = image;
		for (uint32_t i = 0; i < nf && rc == 0; i++) {
			set_texts(&f[i]);
			rc = dt_session_run(k.session, 0, f[i].arg, 10);
		}
		if (rc)
			snprintf(msg, len, "run: %s", strerror(-rc));
		k_collect(&k);
		if (dt_session_control(k.session)->exited)
			say(out, "exit %d\n", dt_session_control(k.session)->status);
	}
	dt_session_close(k.session);
	dt_image_free(image);
	free(en);
	return rc;
}

/* ---- the programs ---- */

static dtrace_hdl_t *handle(void)
{
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);

	return h;
}

/* The first lines that differ, and which they are. */
static void show_difference(const char *text, const char *got, const char *want)
{
	size_t same = 0, line = 1;

	for (size_t i = 0; got[i] && got[i] == want[i]; i++) {
		if (got[i] == '\n') {
			same = i + 1;
			line++;
		}
	}
	fprintf(stderr, "line %zu, got:  %.*s\n%*swant: %.*s\n  of %s\n", line,
	    (int)strcspn(got + same, "\n"), got + same, (int)snprintf(NULL, 0, "line %zu, ", line), "",
	    (int)strcspn(want + same, "\n"), want + same, text);
}

static const char *never;		/* if set: a text that no record may have */

static void compare(const char *text, const struct firing *f, uint32_t nf, bool show)
{
	dtrace_hdl_t *h = handle();	/* its own: names and types of one program are not the next one's */
	dtrace_prog_t *p = h ? dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL) : NULL;
	struct text want = { 0 }, got = { 0 };
	char msg[8192] = "";

	if (!p) {
		fprintf(stderr, "%s\n  does not compile: %s\n", text, dtrace_errmsg(h, dtrace_errno(h)));
		CHECK(p != NULL);
		dtrace_close(h);
		return;
	}
	say(&want, "%s", "");
	say(&got, "%s", "");
	run_interp(dt_handle_prog(p), f, nf, &want);
	if (never && !CHECK(strstr(want.s, never) == NULL))
		fprintf(stderr, "%s\n  of %s\n", strstr(want.s, never), text);
	for (int process = 0; process < 2; process++) {
		if (process && dt_prog_outside(dt_handle_prog(p), DT_IN_PROCESS))
			continue;
		got.n = 0;
		say(&got, "%s", "");
		if (run_engine(dt_handle_prog(p), f, nf, process, &got, msg, sizeof(msg)) != 0) {
			fprintf(stderr, "%s\n  %s%s\n", text, process ? "engine process: " : "", msg);
			CHECK(!"the engine took it");
		} else if (!CHECK(strcmp(got.s, want.s) == 0)) {
			fprintf(stderr, "%s\n", process ? "engine process" : "kernel");
			show_difference(text, got.s, want.s);
		}
	}
	if (show)
		printf("%s", got.s);
	dtrace_close(h);
	free(want.s);
	free(got.s);
}

#endif
