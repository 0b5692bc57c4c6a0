/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is to be written at places: each gets its trampoline in an island, made of the instructions of the
 * function around it, and a jump there, or the reason why it cannot have one. Where instructions have many
 * lengths, all that leads into a function is read first: branches from elsewhere (branches.c) and jump
 * tables.
 */
#include "inproc/finding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTION_MAX = 1 << 20, PADDING = 16, BYTES_AROUND = 64 };

struct making {
	struct inproc *p;
	struct inproc_target *t;
	struct inproc_places *places;
	uint64_t *pcs, *sites;		/* of all places: the instruction, and its struct dt_agent_site */
	uint8_t *code;			/* of the function in hand */
	uint64_t code_addr, code_len, code_avail;
	uint64_t *tables;		/* where its jump tables lead */
	uint32_t ntables, tables_cap;
	bool tables_known;
	uint32_t from, to;		/* places in that function */
};

/* Every place has its room in an island, so that one trampoline can fire places that lie close together. */
static void give_rooms(struct making *m)
{
	uint64_t room = dt_patch_room(m->p->opts.machine);

	for (uint32_t i = 0; i < m->places->n; i++) {
		struct inproc_place *at = &m->places->v[i];
		struct inproc_file *file = &m->places->file[at->in];

		at->tramp = file->island != 0 ? file->island + file->used : 0;
		file->used += dt_inproc_place_room(m->p, at);
		m->pcs[i] = at->pc;
		m->sites[i] = at->tramp + room;
	}
}

/* Instructions have one length: nothing can lead into the middle of a patch, which is one instruction. */
static bool one_length(const struct dt_machine *m) { return m->insn_align >= 4; }

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void note_table(void *ctx, uint64_t from, uint64_t to)
{
	struct making *m = ctx;

	(void)from;
	if (m->ntables == m->tables_cap) {
		uint32_t cap = m->tables_cap * 2 + 256;
		uint64_t *more = realloc(m->tables, cap * sizeof(*more));

		if (more == NULL) {
			m->tables_known = false;
			return;
		}
		m->tables = more;
		m->tables_cap = cap;
	}
	m->tables[m->ntables++] = to;
}

static bool read_memory(void *ctx, uint64_t addr, void *to, size_t len)
{
	return dt_inject_read(ctx, addr, to, len) == 0;
}

static void read_tables(struct making *m, const struct inproc_file *f)
{
	struct dt_patch_tables in = { m->code, m->code_addr, m->code_len, f->text_start, f->text_end,
		read_memory, m->t->inject };

	m->ntables = 0;
	m->tables_known = true;
	m->tables_known &= dt_patch_tables_of(m->p->opts.machine, &in, note_table, m);
}

/*
 * The function around a place, as far as the file's symbols tell: its bytes are read once for all its
 * places.
 */
static void read_function(struct making *m, uint32_t i)
{
	const struct inproc_place *at = &m->places->v[i];
	uint64_t into = 0;

	if (m->code_len != 0 && at->pc - m->code_addr < m->code_len)
		return;
	m->code_len = dt_inproc_function(&m->places->file[at->in], at->offset, &into);
	m->code_len = m->code_len <= FUNCTION_MAX ? m->code_len : 0;
	if (m->code_len == 0)
		return;
	m->code_addr = at->pc - into;
	m->code_avail = m->code_len + PADDING;
	if (dt_inject_read(m->t->inject, m->code_addr, m->code, m->code_avail) != 0) {
		m->code_avail = m->code_len;
		if (dt_inject_read(m->t->inject, m->code_addr, m->code, m->code_len) != 0)
			m->code_len = 0;
	}
	if (m->code_len != 0)
		read_tables(m, &m->places->file[at->in]);
	for (m->from = i; m->from > 0 && m->pcs[m->from - 1] >= m->code_addr; m->from--)
		;
	for (m->to = i; m->to < m->places->n && m->pcs[m->to] - m->code_addr < m->code_len; m->to++)
		;
}

/* How many of the sorted values are below v. */
static uint32_t below(const uint64_t *sorted, uint32_t n, uint64_t v)
{
	uint32_t low = 0;

	while (low < n) {
		uint32_t middle = low + (n - low) / 2;

		if (sorted[middle] < v)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

static void branches_into(const struct making *m, const struct inproc_file *f, struct dt_patch_site *site)
{
	uint32_t from = below(f->targets, f->ntargets, m->code_addr);
	uint32_t to = below(f->targets, f->ntargets, m->code_addr + m->code_len);

	site->targets = f->targets != NULL ? f->targets + from : NULL;
	site->ntargets = to - from;
}

static bool has_breakpoint(const struct making *m, const uint8_t *bytes)
{
	const struct dt_machine *machine = m->p->opts.machine;
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return ((word ^ machine->trap.bytes) & machine->trap.mask) == 0;
}

static struct inproc_place *place_at(struct making *m, uint64_t pc)
{
	uint64_t *at = bsearch(&pc, m->pcs, m->places->n, sizeof(pc), by_value);

	return at != NULL ? &m->places->v[at - m->pcs] : NULL;
}

/* NULL: the patch is made, or another place's fires this one. */
static const char *make_patch(struct making *m, uint32_t i)
{
	struct inproc_place *at = &m->places->v[i];
	uint8_t around[BYTES_AROUND + 8] = { 0 };
	struct dt_patch_site site = {.pc = at->pc,
	    .func = around,
	    .func_addr = at->pc,
	    .avail = BYTES_AROUND,
	    .sites = &m->pcs[i],
	    .site_addrs = &m->sites[i],
	    .nsites = 1};
	const char *why = "its code cannot be patched";
	int err;

	if (at->tramp == 0)
		return "there are no free addresses near its code";
	if (dt_inject_read(m->t->inject, at->pc, around, BYTES_AROUND) != 0 &&
	    dt_inject_read(m->t->inject, at->pc, around, 8) != 0)
		return "its code cannot be read";
	if (has_breakpoint(m, around))
		return "a debugger has a breakpoint there";
	read_function(m, i);
	if (m->code_len != 0) {
		site = (struct dt_patch_site){ .pc = at->pc, .func = m->code, .func_addr = m->code_addr,
			.func_size = m->code_len, .avail = m->code_avail, .sites = m->pcs + m->from,
			.site_addrs = m->sites + m->from, .nsites = m->to - m->from,
			.tables_known = m->tables_known, .tables = m->tables, .ntables = m->ntables };
		branches_into(m, &m->places->file[at->in], &site);
	}
	site.shadow_stack = m->t->shadow_stack;
	site.fresh = m->t->fresh;
	err = dt_patch_make(m->p->opts.machine, &site, at->tramp, m->sites[i], &at->patch, &why);
	if (err == -EALREADY) {
		at->shared = true;
		return NULL;
	}
	if (err != 0)
		return why;
	at->back = at->tramp + at->patch.back;
	for (uint32_t k = 0; k < at->patch.nalso; k++) {
		struct inproc_place *also = place_at(m, at->patch.also[k].pc);

		if (also != NULL)
			also->back = at->tramp + at->patch.also[k].back;
	}
	return NULL;
}

/* The bytes of the island: trampoline and struct dt_agent_site of each place. */
static void fill_island(struct making *m, uint32_t i)
{
	struct inproc_place *at = &m->places->v[i];
	struct inproc_file *file = &m->places->file[at->in];
	enum dt_native_light light = at->asks == 0 ? DT_NATIVE_BARE : DT_NATIVE_FULL, one;
	struct dt_agent_site s = { .process = m->t->process, .pc = at->pc, .back = at->back,
		.asks = at->asks };
	uint8_t *to = file->bytes + (m->sites[i] - file->island);

	if (!at->shared)
		memcpy(file->bytes + (at->tramp - file->island), at->patch.tramp, at->patch.tramp_len);
	for (uint32_t k = 0; k < at->ncalls; k++) {
		one = dt_inproc_light(m->p, at->call[k].program);
		light = one < light ? one : light;
		at->call[k].program += m->t->code;
		memcpy(to + offsetof(struct dt_agent_site, call) + k * sizeof(at->call[k]), &at->call[k],
		    sizeof(at->call[k]));
	}
	s.light = light != DT_NATIVE_FULL;
	s.entry = m->t->code + (light == DT_NATIVE_BARE ? m->p->head->entry_bare : m->p->head->entry);
	memcpy(to, &s, offsetof(struct dt_agent_site, call));
}

static void make_all(struct making *m)
{
	give_rooms(m);
	for (uint32_t i = 0; i < m->places->n; i++)
		m->places->v[i].why = make_patch(m, i);
	for (uint32_t i = 0; i < m->places->n; i++) {
		struct inproc_place *at = &m->places->v[i];

		if (at->why == NULL && at->back == 0)
			at->why = "another probe is too near";
		if (at->why == NULL)
			fill_island(m, i);
	}
}

int dt_inproc_make_patches(struct inproc *p, struct inproc_target *t, struct inproc_places *places, char *msg,
    size_t len)
{
	struct making m = { .p = p, .t = t, .places = places };
	int err = 0;

	m.code = malloc(FUNCTION_MAX + PADDING);
	m.pcs = calloc(places->n + 1u, sizeof(*m.pcs));
	m.sites = calloc(places->n + 1u, sizeof(*m.sites));
	if (m.code == NULL || m.pcs == NULL || m.sites == NULL)
		err = -ENOMEM;
	for (uint32_t i = 0; i < places->nfiles && err == 0; i++) {
		places->file[i].bytes = calloc(1, places->file[i].island_len + 1);
		err = places->file[i].bytes == NULL ? -ENOMEM :
		    (one_length(p->opts.machine) && !places->file[i].calls) ||
			    places->file[i].nplaces == 0 ? 0 : dt_inproc_read_branches(p, t, places, i);
	}
	if (err == 0)
		make_all(&m);
	free(m.tables);
	free(m.code);
	free(m.pcs);
	free(m.sites);
	return err != 0 ? dt_inproc_fail(msg, len, err, "cannot make the trampolines of process %u", t->pid)
			: 0;
}
