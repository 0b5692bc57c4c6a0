/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a player: bytes of a stream come in, in pieces of any size; blocks go to sink_play.c whole.
 * It also answers what sinks ask for (names of addresses). An incomplete block waits for the rest.
 */
#include "sink/play_impl.h"
#include "base/printable.h"

#include <endian.h>
#include <stdlib.h>

/* ---- addresses ---- */

static void symbol_key(char *key, size_t len, uint32_t kind, uint32_t pid, uint64_t addr)
{
	snprintf(key, len, "%u %u %llx", kind, pid, (unsigned long long)addr);
}

int dt_play_symbol(struct dt_player *p, struct dt_play_in *in)
{
	uint32_t kind = dt_play_u32(in), pid = dt_play_u32(in);
	uint64_t addr = dt_play_u64(in);
	char key[64], *text = (char *)(uintptr_t)dt_play_text(in, p->arena), *line, *next;

	symbol_key(key, sizeof(key), kind, pid, addr);
	for (line = text; line != NULL; line = next) {	/* a frame may have several (output/print.h) */
		next = strchr(line, '\n');
		if (next != NULL)
			*next = '\0';
		(void)dt_make_printable(line);
		if (next != NULL)
			*next++ = '\n';
	}
	dt_map_put(&p->symbols, key, text);
	return 0;
}

static bool symbolize(void *ctx, enum dt_symkind kind, uint32_t pid, uint64_t addr, char *buf, size_t len)
{
	struct dt_player *p = ctx;
	const char *text;
	char key[64];

	symbol_key(key, sizeof(key), kind, pid, addr);
	text = dt_map_get(&p->symbols, key);
	if (text == NULL && kind > DT_SYM_UADDR)	/* recorded without -x inlines and -x lines */
		return symbolize(ctx, DT_SYM_UADDR, pid, addr, buf, len);
	if (text == NULL || text[0] == '\0')
		return false;
	snprintf(buf, len, "%s", text);
	return true;
}

/* ---- a play ---- */

static uint64_t time_now(void *ctx) { return ((struct dt_player *)ctx)->now; }

static void note(void *ctx, const char *text)
{
	struct dt_player *p = ctx;

	if (p->play->note != NULL)
		p->play->note(p->play->ctx, text);
}

static const struct dt_type *type_named(void *ctx, const char *name)
{
	struct dt_player *p = ctx;

	return p->play->type != NULL ? p->play->type(p->play->ctx, name) : NULL;
}

/* Of what statements do, only rows and types are left. */
static void set_up(struct dt_player *p)
{
	static const struct dt_sink_caller caller;
	struct dt_statement_ops ops = { .ctx = p, .rows = dt_play_rows, .type = type_named };

	dt_map_init(&p->probes, p->arena);
	dt_map_init(&p->aggs, p->arena);
	dt_map_init(&p->symbols, p->arena);
	dt_statements_init(&p->statements, p->arena, p->play->out, &ops);
	p->statements.played = true;
	p->once = dt_arena_under(p->arena);
	p->spare = dt_arena_under(p->arena);
	p->env = (struct dt_sink_env){ .arena = p->arena, .out = p->play->out, .statements = &p->statements,
		.aggname = dt_play_aggtitle, .aggkey = dt_play_aggkey,
		.now = time_now, .note = note, .ctx = p,
		.caller = &caller, .argument = p->play->argument, .why = p->why };
	p->play->opts->symbolize = symbolize;
	p->play->opts->symctx = p;
}

static void tear_down(struct dt_player *p)
{
	dt_sink_close(p->sink);
	for (size_t i = 0; i < p->programs.n; i++)
		dt_prog_free(p->programs.v[i]);
	p->play->opts->symbolize = NULL;
	p->play->opts->symctx = NULL;
	dt_arena_free(p->arena);
	free(p->pending);
	free(p);
}

static bool prepare(struct dt_player *p)
{
	jmp_buf oom;

	dt_arena_on_oom(p->arena, &oom);
	if (setjmp(oom) != 0)
		return false;
	set_up(p);
	return true;
}

struct dt_player *dt_play_open(struct dt_play *play, char *why)
{
	struct dt_player *p = calloc(1, sizeof(*p));

	why[0] = '\0';
	if (play->format == DT_OFORMAT_record && play->sink == NULL) {
		snprintf(why, DT_SINK_WHY, "a recording cannot be recorded: copy the file");
		free(p);
		return NULL;
	}
	if (p != NULL) {
		p->play = play;
		p->why = why;
		p->text = play->format == DT_OFORMAT_text && play->sink == NULL;
		p->arena = dt_arena_new();
		if (p->arena != NULL && prepare(p))
			return p;
		tear_down(p);
	}
	snprintf(why, DT_SINK_WHY, "out of memory");
	return NULL;
}

/* ---- pieces ---- */

/* Bytes of the next piece of the stream (the mark, a block), or as many as it takes to know. */
static size_t piece_length(const struct dt_player *p, const uint8_t *bytes, size_t n)
{
	uint32_t len;

	if (!p->begun)
		return strlen(DT_RECORDING);
	if (n < DT_BLOCK_HEAD)
		return DT_BLOCK_HEAD;
	memcpy(&len, bytes + 1, sizeof(len));
	return DT_BLOCK_HEAD + (size_t)le32toh(len);
}

static int play_piece(struct dt_player *p, const uint8_t *bytes, size_t n)
{
	return p->begun ? dt_play_block(p, bytes, n) : dt_play_mark(p, bytes, n);
}

/* No more memory is taken than bytes have come. */
static int keep(struct dt_player *p, const uint8_t *bytes, size_t n)
{
	if (p->npending + n > p->room) {
		size_t room = 2 * (p->npending + n) + 256;
		uint8_t *more = realloc(p->pending, room);

		if (more == NULL)
			return dt_play_bad(p, "out of memory");
		p->pending = more;
		p->room = room;
	}
	memcpy(p->pending + p->npending, bytes, n);
	p->npending += n;
	return 0;
}

/* A piece that came in parts is put together; one that is whole is played where it is. */
static int feed(struct dt_player *p, const uint8_t *bytes, size_t n)
{
	for (;;) {
		bool parts = p->npending > 0;
		size_t have = parts ? p->npending : n;
		size_t need = piece_length(p, parts ? p->pending : bytes, have);
		size_t more = parts && need > have ? need - have : parts ? 0 : need;

		if (need > DT_BLOCK_HEAD + DT_BLOCK_MAX)
			return dt_play_bad(p, "it has a block of more than %zu MiB", DT_BLOCK_MAX >> 20);
		if (more > n || (parts && more > 0)) {
			more = more < n ? more : n;
			if (more == 0)
				return 0;
			if (keep(p, bytes, more) != 0)
				return -1;
		} else if (play_piece(p, parts ? p->pending : bytes, need) != 0) {
			return -1;
		} else if (parts) {
			p->npending = 0;
		}
		bytes += more;
		n -= more;
	}
}

int dt_play_feed(struct dt_player *p, const void *bytes, size_t n)
{
	jmp_buf oom;
	int err;

	if (p->failed)
		return -1;
	dt_arena_on_oom(p->arena, &oom);
	if (setjmp(oom) != 0)
		err = dt_play_bad(p, "out of memory");
	else
		err = feed(p, bytes, n);
	p->failed = err != 0;
	return err;
}

/* A stream without its end is that of a tracer that was killed: it is played up to there. */
static int finish(struct dt_player *p)
{
	jmp_buf oom;

	if (p->failed)
		return -1;
	if (!p->begun)
		return dt_play_bad(p, "it is no recording of -O record=FILE");
	dt_arena_on_oom(p->arena, &oom);
	if (setjmp(oom) != 0)
		return dt_play_bad(p, "out of memory");
	if (!p->play->ended && p->sink != NULL && p->sink->type->end != NULL)
		p->sink->type->end(p->sink, 0, false);
	return 0;
}

int dt_play_close(struct dt_player *p)
{
	int err = finish(p);

	tear_down(p);
	return err;
}

int dt_play_run(struct dt_play *play, const void *bytes, size_t n, char *why)
{
	struct dt_player *p = dt_play_open(play, why);

	if (p == NULL)
		return -1;
	(void)dt_play_feed(p, bytes, n);
	return dt_play_close(p);
}
