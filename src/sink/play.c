/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording (recording.h) told again to the sink of any format. The file may be anybody's: every number is
 * checked against the bytes that are there and against what came before it, programs are checked by
 * dt_dof_read(), and nothing that a program says is done again: no command, no file, no option.
 *
 * One block after the other; what a firing needs (names, elements that it prints) came before it.
 */
#include "sink/play_impl.h"

#include "base/clean.h"
#include "base/map.h"
#include "dif/action.h"

#include <stdarg.h>
#include <stdlib.h>

/* ---- reading ---- */

int dt_play_bad(struct dt_player *p, const char *fmt, ...)
{
	va_list ap;

	if (p->why[0] == '\0') {
		va_start(ap, fmt);
		vsnprintf(p->why, DT_SINK_WHY, fmt, ap);
		va_end(ap);
	}
	return -1;
}

/* n bytes, or NULL: there are not so many. */
const uint8_t *dt_play_take(struct dt_play_in *in, size_t n)
{
	const uint8_t *at = in->p;

	if (n > in->left) {
		in->bad = true;
		in->left = 0;
		return NULL;
	}
	in->p += n;
	in->left -= n;
	return at;
}

uint32_t dt_play_u32(struct dt_play_in *in)
{
	const uint8_t *at = dt_play_take(in, 4);
	uint32_t v = 0;

	if (at != NULL)
		memcpy(&v, at, sizeof(v));
	return v;
}

uint64_t dt_play_u64(struct dt_play_in *in)
{
	const uint8_t *at = dt_play_take(in, 8);
	uint64_t v = 0;

	if (at != NULL)
		memcpy(&v, at, sizeof(v));
	return v;
}

/* How many things of at least `least` bytes follow: no memory is asked for that no bytes stand for. */
uint32_t dt_play_count(struct dt_play_in *in, size_t least)
{
	uint32_t n = dt_play_u32(in);

	if (n > in->left / least) {
		in->bad = true;
		return 0;
	}
	return n;
}

/* As a C string: a NUL in it ends it. */
const char *dt_play_text(struct dt_play_in *in, struct dt_arena *arena)
{
	uint32_t n = dt_play_u32(in);
	const uint8_t *at = dt_play_take(in, n);

	return at != NULL ? dt_arena_strndup(arena, (const char *)at, n) : "";
}

/* A name, as clean as those are that a trace finds: sinks rely on it. */
const char *dt_play_name(struct dt_play_in *in, struct dt_arena *arena)
{
	char *text = (char *)(uintptr_t)dt_play_text(in, arena);

	(void)dt_clean(text);
	return text;
}

/* A message: a name, but for the end of its line. */
static const char *read_message(struct dt_play_in *in, struct dt_arena *arena)
{
	char *text = (char *)(uintptr_t)dt_play_text(in, arena);
	size_t n = strlen(text);
	bool line = n > 0 && text[n - 1] == '\n';

	if (line)
		text[n - 1] = '\0';
	(void)dt_clean(text);
	if (line)
		text[n - 1] = '\n';
	return text;
}

/* Bytes at an address that any number may be read from. */
const void *dt_play_aligned(struct dt_play_in *in, struct dt_arena *arena, size_t *n)
{
	uint32_t len = dt_play_u32(in);
	const uint8_t *at = dt_play_take(in, len);

	*n = at != NULL ? len : 0;
	return dt_arena_memdup(arena, at != NULL ? at : (const uint8_t *)"", *n);
}

/* ---- programs ---- */

static int play_program(struct dt_player *p, struct dt_play_in *in)
{
	char msg[200] = "";
	struct dt_prog *prog;

	if (p->sink != NULL)
		return dt_play_bad(p, "a program stands behind the start");
	if (dt_dof_read(in->p, in->left, &prog, msg, sizeof(msg)) != 0)
		return dt_play_bad(p, "a program cannot be read: %s", msg);
	dt_vec_push(p->arena, &p->programs, prog);
	return 0;
}

/* A place whose text is that text alone. */
struct dt_loc dt_play_place(struct dt_player *p, const char *text)
{
	struct dt_loc loc = { NULL, 0, (uint32_t)strlen(text) };

	if (text[0] != '\0')
		loc.src = dt_source_new(p->arena, DT_SRC_STRING, "", text, loc.len);
	return loc;
}

/* The program is ours, and nobody has seen it yet: its actions get their names. */
static int play_names(struct dt_player *p, struct dt_play_in *in)
{
	uint32_t number = dt_play_u32(in);
	const struct dt_prog *prog;

	if (number >= p->programs.n || p->sink != NULL)
		return dt_play_bad(p, "names of a program that is not there");
	prog = p->programs.v[number];
	for (uint32_t i = 0; i < prog->necbs; i++)
		for (uint32_t k = 0; k < prog->ecbs[i].nacts; k++)
			((struct dt_act *)&prog->ecbs[i].acts[k])->loc = dt_play_place(p,
			    dt_play_text(in, p->arena));
	return 0;
}

static const struct dt_ecb *read_clause(struct dt_player *p, struct dt_play_in *in)
{
	uint32_t program = dt_play_u32(in), clause = dt_play_u32(in);

	if (program >= p->programs.n || clause >= p->programs.v[program]->necbs)
		return NULL;
	return &p->programs.v[program]->ecbs[clause];
}

static int read_clauses(struct dt_player *p, struct dt_play_in *in, struct dt_sink_start *start)
{
	struct dt_sink_clause *c;
	uint32_t n = dt_play_count(in, 24);

	c = DT_NEWN(p->arena, struct dt_sink_clause, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *probes;
		struct dt_play_in peek = *in;

		c[i].program = dt_play_u32(&peek);
		c[i].ecb = read_clause(p, in);
		c[i].line = dt_play_u32(in);
		c[i].epid = dt_play_u32(in);
		c[i].description = dt_play_name(in, p->arena);
		c[i].nprobes = dt_play_count(in, 4);
		probes = DT_NEWN(p->arena, uint32_t, c[i].nprobes + 1);
		for (uint32_t k = 0; k < c[i].nprobes; k++)
			probes[k] = dt_play_u32(in);
		c[i].probes = probes;
		if (c[i].ecb == NULL || (i > 0 && c[i].program < c[i - 1].program))
			return dt_play_bad(p, "a clause that no program has");
	}
	start->clauses = c;
	start->nclauses = n;
	return in->bad ? dt_play_bad(p, "the start is cut off") : 0;
}

/* From here on there is a sink. */
static int play_start(struct dt_player *p, struct dt_play_in *in)
{
	struct dt_sink_start start = { .pid = (int)dt_play_u32(in) };

	p->now = dt_play_u64(in);
	start.nprograms = dt_play_u32(in);
	start.programs = (const struct dt_prog *const *)p->programs.v;
	if (p->sink != NULL || start.nprograms != p->programs.n)
		return dt_play_bad(p, "a start that does not fit its programs");
	if (read_clauses(p, in, &start) != 0)
		return -1;
	p->sink = dt_sink_open(p->play->format, &p->env);
	if (p->sink == NULL)
		return dt_play_bad(p, "out of memory");
	p->sink->env.started = true;
	if (p->sink->type->start != NULL)
		p->sink->type->start(p->sink, &start);
	return 0;
}

/* ---- firings ---- */

static int play_probe(struct dt_player *p, struct dt_play_in *in)
{
	struct dt_play_probe *probe = DT_NEW(p->arena, struct dt_play_probe);
	dtrace_probedesc_t *d = &probe->desc;
	char key[16];

	d->dtpd_id = dt_play_u32(in);
	snprintf(d->dtpd_provider, sizeof(d->dtpd_provider), "%s", dt_play_name(in, p->arena));
	snprintf(d->dtpd_mod, sizeof(d->dtpd_mod), "%s", dt_play_name(in, p->arena));
	snprintf(d->dtpd_func, sizeof(d->dtpd_func), "%s", dt_play_name(in, p->arena));
	snprintf(d->dtpd_name, sizeof(d->dtpd_name), "%s", dt_play_name(in, p->arena));
	snprintf(key, sizeof(key), "%u", d->dtpd_id);
	dt_map_put(&p->probes, key, probe);
	return 0;
}

static dtrace_probedesc_t *probe_of(struct dt_player *p, uint32_t id)
{
	struct dt_play_probe *probe;
	char key[16];

	snprintf(key, sizeof(key), "%u", id);
	probe = dt_map_get(&p->probes, key);
	return probe != NULL ? &probe->desc : NULL;
}

static const dtrace_recdesc_t *no_desc(const struct dt_sink_event *e, const struct dt_rec *rec)
{
	static const dtrace_recdesc_t none;

	(void)e, (void)rec;
	return &none;
}

/* One for each of the first n actions of the clause. */
static struct dt_rec *read_records(struct dt_play_in *in, struct dt_arena *arena, const struct dt_ecb *ecb,
    size_t *n)
{
	struct dt_rec *recs;

	*n = dt_play_count(in, 4);
	if (*n > ecb->nacts)
		*n = 0, in->bad = true;
	recs = DT_NEWN(arena, struct dt_rec, *n + 1);
	for (size_t i = 0; i < *n; i++) {
		recs[i].act = &ecb->acts[i];
		recs[i].data = dt_play_aligned(in, arena, &recs[i].len);
	}
	return recs;
}

static int play_event(struct dt_player *p, struct dt_play_in *in)
{
	struct dt_arena *arena = p->once;
	const struct dt_ecb *ecb = read_clause(p, in);
	dtrace_eprobedesc_t edesc = { .dtepd_epid = dt_play_u32(in) };
	dtrace_probedata_t d = { .dtpda_edesc = &edesc };
	struct dt_sink_event e = { .data = &d, .ecb = ecb, .desc = no_desc };
	int err;

	edesc.dtepd_probeid = dt_play_u32(in);
	d.dtpda_pdesc = probe_of(p, edesc.dtepd_probeid);
	d.dtpda_cpu = (int)dt_play_u32(in);
	p->now = d.dtpda_timestamp = dt_play_u64(in);
	e.flow = dt_play_u32(in) != 0;
	d.dtpda_flow = dt_play_u32(in) % (DTRACEFLOW_NONE + 1u);
	d.dtpda_indent = (int)(dt_play_u32(in) & 0xffff);
	d.dtpda_prefix = dt_play_name(in, arena);
	if (ecb == NULL || d.dtpda_pdesc == NULL)
		return dt_play_bad(p, "a firing of a clause or a probe that is not there");
	e.recs = read_records(in, arena, ecb, &e.n);
	if (in->bad)
		return dt_play_bad(p, "a firing is cut off");
	err = p->sink->type->event(p->sink, &e);
	p->rows.n = p->nextrows = 0;
	return err != 0 ? dt_play_bad(p, "a firing that the format cannot show") : 0;
}

/* ---- errors, drops, the end ---- */

static int play_fault(struct dt_player *p, struct dt_play_in *in)
{
	dtrace_eprobedesc_t edesc = { .dtepd_epid = dt_play_u32(in) };
	dtrace_errdata_t d = { .dteda_edesc = &edesc };
	bool has_addr;

	edesc.dtepd_probeid = dt_play_u32(in);
	d.dteda_pdesc = probe_of(p, edesc.dtepd_probeid);
	d.dteda_cpu = (int)dt_play_u32(in);
	d.dteda_action = (int)dt_play_u32(in);
	d.dteda_offset = (int)dt_play_u32(in);
	d.dteda_fault = (int)dt_play_u32(in);
	d.dteda_addr = dt_play_u64(in);
	has_addr = dt_play_u32(in) != 0;
	d.dteda_msg = read_message(in, p->once);
	if (d.dteda_pdesc == NULL || in->bad)
		return dt_play_bad(p, "an error that is cut off");
	if (p->sink != NULL && p->sink->type->fault != NULL)
		p->sink->type->fault(p->sink, &d, has_addr);
	return p->play->fault != NULL ? p->play->fault(p->play->ctx, &d) : 0;
}

static int play_drop(struct dt_player *p, struct dt_play_in *in)
{
	dtrace_dropdata_t d = { .dtdda_cpu = (int)dt_play_u32(in) };
	const char *tag;

	d.dtdda_kind = dt_play_u32(in);
	d.dtdda_drops = dt_play_u64(in);
	d.dtdda_total = dt_play_u64(in);
	tag = dt_play_name(in, p->once);
	d.dtdda_msg = read_message(in, p->once);
	if (p->sink != NULL && p->sink->type->drop != NULL)
		p->sink->type->drop(p->sink, &d, tag);
	return p->play->drop != NULL ? p->play->drop(p->play->ctx, &d) : 0;
}

static int play_end(struct dt_player *p, struct dt_play_in *in)
{
	int status = (int)dt_play_u32(in);

	p->ended = true;
	p->play->status = status;
	if (p->sink != NULL && p->sink->type->end != NULL)
		p->sink->type->end(p->sink, status, dt_play_u32(in) != 0);
	return 0;
}

/* ---- all of it ---- */

/* A terminal obeys control characters, and whose text this is nobody knows: it gets lines and columns. */
static void put_tame(struct dt_player *p, const uint8_t *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t c = text[i];
		bool c1 = p->last == 0xc2 && c >= 0x80 && c < 0xa0;	/* in UTF-8 */

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f || c1)
			c = '?';
		dt_out_put(p->play->out, &c, 1);
		p->last = c;
	}
}

static int play_text(struct dt_player *p, struct dt_play_in *in)
{
	if (p->text && p->play->terminal)
		put_tame(p, in->p, in->left);
	else if (p->text)
		dt_out_put(p->play->out, in->p, in->left);
	dt_out_flush(p->play->out);
	return 0;
}

static const struct block {
	char letter;
	bool sink;			/* has to stand behind the start */
	int (*play)(struct dt_player *, struct dt_play_in *);
} blocks[] = {
	{ 'P', false, play_program }, { 'L', false, play_names }, { 'S', false, play_start },
	{ 'N', false, play_probe }, { 'Y', false, dt_play_symbol }, { 'G', false, dt_play_aggname },
	{ 'R', true, dt_play_shown }, { 'A', true, dt_play_aggregation }, { 'V', true, dt_play_snapshot },
	{ 'E', true, play_event }, { 'F', true, play_fault }, { 'D', true, play_drop },
	{ 'T', false, play_text }, { 'X', true, play_end },
};

/* Text needs no sink: what was shown is shown again. Of it only errors and drops are wanted beside. */
static bool wanted(const struct dt_player *p, char letter)
{
	return !p->text || strchr("TNFDX", letter) != NULL;
}

static int play_block(struct dt_player *p, char letter, struct dt_play_in *in)
{
	size_t i = 0;

	while (i < sizeof(blocks) / sizeof(blocks[0]) && blocks[i].letter != letter)
		i++;
	if (i == sizeof(blocks) / sizeof(blocks[0]))
		return dt_play_bad(p, "it has a block of an unknown kind");
	if (!wanted(p, letter))
		return 0;
	if (blocks[i].sink && p->sink == NULL && !p->text)
		return dt_play_bad(p, "something stands before the start");
	if (p->ended && !p->text && letter != 'T')
		return dt_play_bad(p, "something stands behind the end");
	dt_arena_reset(p->spare);
	if (p->rows.n == 0)
		dt_arena_reset(p->once);
	if (blocks[i].play(p, in) != 0)
		return dt_play_bad(p, "it was ended");
	return in->bad ? dt_play_bad(p, "a block is cut off") : 0;
}

/* A file without its end is that of a tracer that was killed: it is played up to there. */
int dt_play_blocks(struct dt_player *p)
{
	struct dt_play_in in = { p->play->bytes, p->play->len, false };
	size_t head = strlen(DT_RECORDING);

	if (in.left < head || memcmp(in.p, DT_RECORDING, head) != 0)
		return dt_play_bad(p, in.left >= 17 && memcmp(in.p, DT_RECORDING, 17) == 0 ?
		    "it was recorded by another version" : "it is no recording of -O record=FILE");
	dt_play_take(&in, head);
	while (in.left >= 5) {
		char letter = (char)*dt_play_take(&in, 1);
		uint32_t len = dt_play_u32(&in);
		struct dt_play_in block = { in.p, len, false };

		if (dt_play_take(&in, len) == NULL)
			break;
		if (play_block(p, letter, &block) != 0)
			return -1;
	}
	if (!p->ended && p->sink != NULL && p->sink->type->end != NULL)
		p->sink->type->end(p->sink, 0, false);
	return 0;
}
