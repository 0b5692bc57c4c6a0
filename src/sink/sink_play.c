/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks of a recording (doc/RECORDING.md), each given to the sink of any format. The stream is
 * untrusted: every number is checked against the bytes that are there and against what came before it,
 * programs are checked by dt_dof_read(), and nothing that a program says is done again: no command, no
 * file, no option.
 *
 * What a firing needs (names, elements that it prints) came before it.
 */
#include "sink/play_impl.h"

#include "base/printable.h"
#include "base/map.h"
#include "dif/action.h"

#include <endian.h>
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
static const uint8_t *play_take(struct dt_play_in *in, size_t n)
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
	const uint8_t *at = play_take(in, 4);
	uint32_t v = 0;

	if (at != NULL)
		memcpy(&v, at, sizeof(v));
	return le32toh(v);
}

uint64_t dt_play_u64(struct dt_play_in *in)
{
	const uint8_t *at = play_take(in, 8);
	uint64_t v = 0;

	if (at != NULL)
		memcpy(&v, at, sizeof(v));
	return le64toh(v);
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
	const uint8_t *at = play_take(in, n);

	return at != NULL ? dt_arena_strndup(arena, (const char *)at, n) : "";
}

/* A name, as clean as those are that a trace finds: sinks rely on it. */
const char *dt_play_name(struct dt_play_in *in, struct dt_arena *arena)
{
	char *text = (char *)(uintptr_t)dt_play_text(in, arena);

	(void)dt_make_printable(text);
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
	(void)dt_make_printable(text);
	if (line)
		text[n - 1] = '\n';
	return text;
}

/* Bytes at an address that any number may be read from. */
const void *dt_play_aligned(struct dt_play_in *in, struct dt_arena *arena, size_t *n)
{
	uint32_t len = dt_play_u32(in);
	const uint8_t *at = play_take(in, len);

	*n = at != NULL ? len : 0;
	return dt_arena_memdup(arena, at != NULL ? at : (const uint8_t *)"", *n);
}

/* ---- the host ---- */

static int play_host(struct dt_player *p, struct dt_play_in *in)
{
	uint32_t order = dt_play_u32(in), pointer = dt_play_u32(in);
	struct dt_host h = { .ncpus = dt_play_u32(in) };

	h.monotonic = dt_play_u64(in);
	h.wall = dt_play_u64(in);
	h.name = dt_play_name(in, p->arena);
	h.machine = dt_play_name(in, p->arena);
	h.release = dt_play_name(in, p->arena);
	h.boot = dt_play_name(in, p->arena);
	h.version = dt_play_name(in, p->arena);
	if (in->bad || p->hosted)
		return dt_play_bad(p, "its host cannot be read");
	if (order != DT_ORDER_LITTLE || pointer != 8)
		return dt_play_bad(p, "it was recorded on a machine with another byte order or size of "
		    "pointers (%s): play it on such a machine", h.machine);
	p->hosted = true;
	p->host = h.name;
	p->now = h.monotonic;
	p->skew = h.wall - h.monotonic;
	return p->play->host != NULL ? p->play->host(p->play->ctx, &h) : 0;
}

/* The clocks once more: the wall clock was set. */
static int play_clocks(struct dt_player *p, struct dt_play_in *in)
{
	uint64_t monotonic = dt_play_u64(in), wall = dt_play_u64(in);

	if (!in->bad)
		p->skew = wall - monotonic;
	return 0;
}

static int play_passed(struct dt_player *p, struct dt_play_in *in)
{
	uint64_t time = dt_play_u64(in);

	if (p->sink->type->passed != NULL && !in->bad)
		p->sink->type->passed(p->sink, time);
	return 0;
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
	dt_vec_push(p->arena, &p->sources, NULL);
	return 0;
}

static int play_source(struct dt_player *p, struct dt_play_in *in)
{
	uint32_t number = dt_play_u32(in);

	(void)dt_play_text(in, p->once);	/* its file */
	if (number < p->sources.n && p->sources.v[number] == NULL)
		p->sources.v[number] = dt_play_text(in, p->arena);
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

static const struct dt_ecb *read_clause(struct dt_player *p, struct dt_play_in *in)
{
	uint32_t program = dt_play_u32(in), clause = dt_play_u32(in);

	if (program >= p->programs.n || clause >= p->programs.v[program]->necbs)
		return NULL;
	return &p->programs.v[program]->ecbs[clause];
}

/* The program was read here and is not in use yet: its actions get the names that the source had. */
static int play_layout(struct dt_player *p, struct dt_play_in *in)
{
	const struct dt_ecb *ecb = read_clause(p, in);
	uint32_t n = dt_play_count(in, 16);

	if (ecb == NULL || n != ecb->nacts || p->sink != NULL)
		return dt_play_bad(p, "a clause that no program has");
	for (uint32_t i = 0; i < n; i++) {
		(void)dt_play_u32(in);			/* form and statement, which the program says too */
		(void)dt_play_u32(in);
		(void)dt_play_text(in, p->spare);
		((struct dt_act *)&ecb->acts[i])->loc = dt_play_place(p, dt_play_text(in, p->arena));
	}
	return 0;
}

static int read_enabled(struct dt_player *p, struct dt_play_in *in, struct dt_arena *arena,
    struct dt_sink_clause *c)
{
	struct dt_play_in peek = *in;
	uint32_t *probes;

	c->program = dt_play_u32(&peek);
	c->ecb = read_clause(p, in);
	c->line = dt_play_u32(in);
	c->epid = dt_play_u32(in);
	c->description = dt_play_name(in, arena);
	c->nprobes = dt_play_count(in, 4);
	probes = DT_NEWN(arena, uint32_t, c->nprobes + 1);
	for (uint32_t k = 0; k < c->nprobes; k++)
		probes[k] = dt_play_u32(in);
	c->probes = probes;
	return c->ecb == NULL ? dt_play_bad(p, "a clause that no program has") : 0;
}

static int read_clauses(struct dt_player *p, struct dt_play_in *in, struct dt_sink_start *start)
{
	uint32_t n = dt_play_count(in, 24);
	struct dt_sink_clause *c = DT_NEWN(p->arena, struct dt_sink_clause, n + 1);

	for (uint32_t i = 0; i < n; i++) {
		if (read_enabled(p, in, p->arena, &c[i]) != 0)
			return -1;
		if (i > 0 && c[i].program < c[i - 1].program)
			return dt_play_bad(p, "its clauses are not in the order of their programs");
	}
	start->clauses = c;
	start->nclauses = n;
	return in->bad ? dt_play_bad(p, "the start is cut off") : 0;
}

static int play_enabled(struct dt_player *p, struct dt_play_in *in)
{
	struct dt_sink_clause c = { 0 };

	p->now = dt_play_u64(in);
	if (read_enabled(p, in, p->spare, &c) != 0 || in->bad)
		return dt_play_bad(p, "probes of a clause are cut off");
	if (p->sink->type->enabled != NULL)
		p->sink->type->enabled(p->sink, &c);
	return 0;
}

/* From here on there is a sink. */
static int play_start(struct dt_player *p, struct dt_play_in *in)
{
	struct dt_sink_start start = { .pid = (int)dt_play_u32(in) };

	p->now = dt_play_u64(in);
	start.time = p->now;
	start.wall = p->now + p->skew;
	start.host = p->host;
	start.nprograms = dt_play_u32(in);
	start.programs = (const struct dt_prog *const *)p->programs.v;
	start.sources = p->sources.v;
	if (p->sink != NULL || start.nprograms != p->programs.n)
		return dt_play_bad(p, "a start that does not fit its programs");
	if (read_clauses(p, in, &start) != 0)
		return -1;
	p->sink = p->play->sink != NULL ? dt_sink_make(p->play->sink, &p->env) :
	    dt_sink_open(p->play->format, &p->env);
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
	dtrace_eprobedesc_t edesc = { 0 };
	dtrace_errdata_t d = { .dteda_edesc = &edesc };
	bool has_addr;

	p->now = dt_play_u64(in);
	edesc.dtepd_epid = dt_play_u32(in);
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
	dtrace_dropdata_t d = { 0 };
	const char *tag;

	p->now = dt_play_u64(in);
	d.dtdda_cpu = (int)dt_play_u32(in);
	d.dtdda_kind = dt_play_u32(in);
	d.dtdda_drops = dt_play_u64(in);
	d.dtdda_total = dt_play_u64(in);
	tag = dt_play_name(in, p->once);
	d.dtdda_msg = read_message(in, p->once);
	if (p->sink != NULL && p->sink->type->drop != NULL)
		p->sink->type->drop(p->sink, &d, tag);
	return p->play->drop != NULL ? p->play->drop(p->play->ctx, &d) : 0;
}

static int play_left(struct dt_player *p, struct dt_play_in *in)
{
	uint32_t kind;
	uint64_t n;

	p->now = dt_play_u64(in);
	kind = dt_play_u32(in);
	n = dt_play_u64(in);
	return p->play->left != NULL && !in->bad ? p->play->left(p->play->ctx, kind, n) : 0;
}

static int play_end(struct dt_player *p, struct dt_play_in *in)
{
	int status = (int)dt_play_u32(in);
	bool exited = dt_play_u32(in) != 0;

	p->now = dt_play_u64(in);
	p->play->ended = true;
	p->play->status = status;
	if (p->sink != NULL && p->sink->type->end != NULL)
		p->sink->type->end(p->sink, status, exited);
	return 0;
}

/* ---- text ---- */

/* A terminal obeys control characters, and the text is untrusted: it gets lines and columns. */
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
	(void)dt_play_u32(in);			/* of a firing or of none: the order is the same */
	if (p->sink != NULL && p->sink->type->text != NULL && !p->text)
		p->sink->type->text(p->sink, in->p, in->left);
	if (p->text && p->play->terminal)
		put_tame(p, in->p, in->left);
	else if (p->text)
		dt_out_put(p->play->out, in->p, in->left);
	dt_out_flush(p->play->out);
	return 0;
}

/* ---- all of it ---- */

static const struct block {
	char letter;
	bool sink;			/* has to stand after the start */
	int (*play)(struct dt_player *, struct dt_play_in *);
} blocks[] = {
	{ 'H', false, play_host }, { 'W', false, play_clocks }, { 'P', false, play_program },
	{ 'Q', false, play_source }, { 'C', false, play_layout }, { 'S', false, play_start },
	{ 'B', true, play_enabled }, { 'N', false, play_probe }, { 'Y', false, dt_play_symbol },
	{ 'G', false, dt_play_aggname }, { 'K', true, dt_play_key }, { 'R', true, dt_play_shown },
	{ 'A', true, dt_play_aggregation }, { 'V', true, dt_play_snapshot }, { 'E', true, play_event },
	{ 'F', true, play_fault }, { 'D', true, play_drop }, { 'M', true, play_left },
	{ 'T', false, play_text }, { 'w', true, play_passed }, { 'X', true, play_end },
};

/* Text needs no sink: what was shown is shown again. Of it only errors and drops are wanted beside. */
static bool wanted(const struct dt_player *p, char letter)
{
	return !p->text || strchr("HTNFDMX", letter) != NULL;
}

static const struct block *block_of(char letter)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (blocks[i].letter == letter)
			return &blocks[i];
	return NULL;
}

int dt_play_block(struct dt_player *p, const uint8_t *bytes, size_t n)
{
	char letter = (char)bytes[0];
	struct dt_play_in in = { bytes + DT_BLOCK_HEAD, n - DT_BLOCK_HEAD, false };
	const struct block *b = block_of(letter);

	if (b == NULL && letter >= 'a' && letter <= 'z')
		return 0;
	if (b == NULL)
		return dt_play_bad(p, "it has a block of an unknown kind");
	if (!p->hosted && letter != 'H')
		return dt_play_bad(p, "it does not begin with its host");
	if (!wanted(p, letter))
		return 0;
	if (b->sink && p->sink == NULL && !p->text)
		return dt_play_bad(p, "something stands before the start");
	if (p->play->ended && !p->text && letter != 'T')
		return dt_play_bad(p, "something stands after the end");
	dt_arena_reset(p->spare);
	p->nwords = 0;
	if (p->rows.n == 0)
		dt_arena_reset(p->once);
	if (b->play(p, &in) != 0)
		return dt_play_bad(p, "it was ended");
	return in.bad ? dt_play_bad(p, "a block is cut off") : 0;
}

int dt_play_mark(struct dt_player *p, const uint8_t *bytes, size_t n)
{
	size_t any = strlen(DT_RECORDING_ANY);

	p->begun = true;
	if (n == strlen(DT_RECORDING) && memcmp(bytes, DT_RECORDING, n) == 0)
		return 0;
	if (n > any && memcmp(bytes, DT_RECORDING_ANY, any) == 0)
		return dt_play_bad(p, "it was recorded by another version of dtrace (format %.*s, this one "
		    "reads 2): play it with that version",
		    (int)strspn((const char *)bytes + any, "0123456789"), (const char *)bytes + any);
	return dt_play_bad(p, "it is no recording of -O record=FILE");
}
