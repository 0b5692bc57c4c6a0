/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runtimes of languages in the lists of processes: the code of their loops is marked in the rows of their
 * files, and what their walks need (lang/lang.h) stands before the mappings of a process, with a block for
 * the functions that are seen. A runtime that is not ready yet is asked again, ever less often.
 */
#include "unwind/unwind_impl.h"
#include "base/clock.h"
#include "symbol/usym_impl.h"

#include "file/cfi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_NS 4000000u		/* after the first try; twice as long after each */
#define RETRY_MAX_NS 1000000000u
#define POLL_NS 4000000u		/* for names, between two looks at events */
enum { FUNCS_CLASS = 10, FUNCS_CLASS_MAX = DT_UNWIND_MAP_BITS };	/* 32 KiB of a process, 512 at most */

/* ---- rows ---- */

static const struct dt_lang_range *range_at(const struct dt_lang_file *f, uint64_t pc)
{
	for (uint32_t i = 0; i < f->nloops; i++)
		if (pc >= f->loop[i].start && pc < f->loop[i].end)
			return &f->loop[i];
	return NULL;
}

struct marking {
	const struct dt_lang_file *file;
	uint64_t base;
	uint32_t nrules;		/* those of the file; the same again with the language */
	struct dt_unwind_row *row;
	size_t n;
};

static void put_row(struct marking *m, uint64_t pc, uint32_t rule)
{
	uint32_t marked = range_at(m->file, m->base + pc) != NULL ? rule + m->nrules : rule;

	if (m->n > 0 && m->row[m->n - 1].pc == pc)
		m->n--;
	if (m->n == 0 || m->row[m->n - 1].rule != marked)
		m->row[m->n++] = (struct dt_unwind_row){ (uint32_t)pc, marked };
}

/* The next place after `pc` where a loop begins or ends, before `end`. */
static uint64_t next_edge(const struct marking *m, uint64_t pc, uint64_t end)
{
	for (uint32_t i = 0; i < m->file->nloops; i++) {
		uint64_t start = m->file->loop[i].start - m->base, over = m->file->loop[i].end - m->base;

		if (start > pc && start < end)
			end = start;
		if (over > pc && over < end)
			end = over;
	}
	return end;
}

/* Every edge of a loop becomes a row, with the rule that holds there. */
static void mark_rows(struct marking *m, const struct dt_cfi *c)
{
	for (size_t i = 0; i < c->n; i++) {
		uint64_t end = i + 1 < c->n ? c->row[i + 1].pc : (uint64_t)c->row[i].pc + 1;

		for (uint64_t pc = c->row[i].pc; pc < end; pc = next_edge(m, pc, end))
			put_row(m, pc, c->row[i].rule);
	}
}

/* Without memory the loop is code like any other. */
void dt_unwind_mark(struct dt_cfi *c, const struct dt_lang_file *f)
{
	struct marking m = { .file = f, .base = c->base, .nrules = c->nrules };
	struct dt_unwind_rule *rule = calloc(2 * (size_t)c->nrules + 1, sizeof(*rule));

	m.row = malloc((c->n + 2 * DT_LANG_RANGES) * sizeof(*m.row));
	if (rule == NULL || m.row == NULL || c->n == 0) {
		free(rule);
		free(m.row);
		return;
	}
	memcpy(rule, c->rule, c->nrules * sizeof(*rule));
	for (uint32_t i = 0; i < c->nrules; i++) {
		rule[c->nrules + i] = rule[i];
		if (rule[i].cfa != DT_CFA_NONE)
			rule[c->nrules + i].lang = (unsigned char)(dt_lang_id(f->lang) & 0x7f);
	}
	mark_rows(&m, c);
	if (!c->borrowed) {
		free(c->row);
		free(c->rule);
	}
	c->borrowed = false;
	c->row = m.row;
	c->n = m.n;
	c->rule = rule;
	c->nrules *= 2;
}

/* What the file is to a runtime; NULL: nothing, or out of memory. */
struct dt_lang_file *dt_unwind_look(const struct dt_umapping *m)
{
	struct dt_lang_file found, *f = NULL;

	if (m->base == NULL || m->elf == NULL || m->vdso)
		return NULL;
	dt_lang_file_look(m->base, m->elf, &found);
	if (found.lang != NULL && (f = malloc(sizeof(*f))) != NULL)
		*f = found;
	return f;
}

/* ---- processes ---- */

static void give_funcs(struct dt_unwind *u, struct dt_unwind_runtime *r)
{
	if (r->record.nfuncs == 0)
		return;
	dt_langs_unwatch(u->usyms->langs, (const void *)dt_unwind_list(u, r->record.funcs));
	dt_unwind_give(u, r->class, r->record.funcs);
	r->record.nfuncs = 0;
}

/* Room for functions. Those that were seen keep their numbers, which nobody gives again for long. */
static void take_funcs(struct dt_unwind *u, struct dt_unwind_runtime *r)
{
	unsigned class = r->record.nfuncs == 0 ? FUNCS_CLASS : r->class + 2u;
	uint32_t first;

	class = class < FUNCS_CLASS_MAX ? class : FUNCS_CLASS_MAX;
	first = dt_unwind_take(u, class);
	if (first == UINT32_MAX)
		return;
	give_funcs(u, r);
	memset(dt_unwind_list(u, first), 0, sizeof(struct dt_unwind_map) << class);
	r->class = (uint8_t)class;
	r->record.funcs = first;
	r->record.nfuncs = 1u << class;
	r->record.serial = ++u->serial;
	if (dt_langs_watch(u->usyms->langs, &r->process, &r->record,
	    (const void *)dt_unwind_list(u, first)) != 0)
		give_funcs(u, r);
}

/* The block is nearly full, and may be larger; or it was full before and there will be another. */
static bool is_crowded(const struct dt_unwind *u, const struct dt_unwind_runtime *r)
{
	const struct dt_unwind_funcs *f;

	if (r->record.nfuncs == 0)
		return false;
	f = (const void *)dt_unwind_list(u, r->record.funcs);
	return __atomic_load_n(&f->n, __ATOMIC_RELAXED) > r->record.nfuncs / 4 * 3;
}

void dt_unwind_runtimes_free(struct dt_unwind *u, struct dt_unwind_proc *p)
{
	struct dt_unwind_runtimes **at = &u->runtimes;

	if (p->runtimes == NULL)
		return;
	while (*at != p->runtimes)
		at = &(*at)->next;
	*at = p->runtimes->next;
	for (unsigned i = 0; i < p->runtimes->n; i++)
		give_funcs(u, &p->runtimes->v[i]);
	free(p->runtimes);
	p->runtimes = NULL;
}

static struct dt_unwind_runtime *new_runtime(struct dt_unwind *u, struct dt_unwind_proc *p)
{
	struct dt_unwind_runtimes *rs = p->runtimes;

	if (rs == NULL) {
		rs = calloc(1, sizeof(*rs));
		if (rs == NULL)
			return NULL;
		rs->pid = p->pid;
		rs->next = u->runtimes;
		u->runtimes = p->runtimes = rs;
	}
	return rs->n < DT_UNWIND_LANGS ? &rs->v[rs->n++] : NULL;
}

/* A mapping of a file with a runtime. Another program in the same process (exec) has it elsewhere. */
void dt_unwind_runtime_seen(struct dt_unwind *u, struct dt_unwind_proc *p, const struct dt_unwind_file *f,
    uint64_t bias)
{
	struct dt_unwind_runtime *r = NULL;

	for (unsigned i = 0; p->runtimes != NULL && i < p->runtimes->n; i++)
		if (p->runtimes->v[i].process.lang == f->lang->lang)
			r = &p->runtimes->v[i];
	if (r != NULL && r->file == f->key && r->bias == bias) {
		r->seen = true;
		return;
	}
	if (r == NULL)
		r = new_runtime(u, p);
	if (r == NULL)
		return;
	give_funcs(u, r);
	*r = (struct dt_unwind_runtime){ .file = f->key, .bias = bias, .seen = true };
	r->process = (struct dt_lang_process){ .pid = p->pid, .lang = f->lang->lang,
		.version = f->lang->version, .reader = u->usyms->files.reader };
	for (unsigned i = 0; i < DT_LANG_SYMBOLS; i++)
		r->process.symbol[i] = f->lang->symbol[i] != 0 ? bias + f->lang->symbol[i] : 0;
}

static void learn(struct dt_unwind *u, struct dt_unwind_runtime *r)
{
	int err;

	if (r->ready || r->failed || dt_clock_ns() < r->retry)
		return;
	err = r->process.lang->learn(&r->process, &r->record);
	r->failed = err != 0 && err != -EAGAIN;
	r->ready = err == 0;
	r->wait = r->wait == 0 ? RETRY_NS : r->wait < RETRY_MAX_NS ? 2 * r->wait : r->wait;
	r->retry = dt_clock_ns() + r->wait;
	r->record.lang = dt_lang_id(r->process.lang);
	if (r->ready)
		take_funcs(u, r);
}

/* Their records, for the list of the process: how many. Those that it does not map any more are forgotten. */
unsigned dt_unwind_runtimes(struct dt_unwind *u, struct dt_unwind_proc *p, struct dt_unwind_lang *to)
{
	struct dt_unwind_runtimes *rs = p->runtimes;
	unsigned n = 0;

	for (unsigned i = 0; rs != NULL && i < rs->n; i++) {
		struct dt_unwind_runtime *r = &rs->v[i];

		if (!r->seen)
			give_funcs(u, r);
		else
			learn(u, r);
		if (r->seen && is_crowded(u, r))
			take_funcs(u, r);
		if (r->seen && r->ready)
			to[n++] = r->record;
		else if (!r->seen) {
			*r = rs->v[--rs->n];
			i--;
			continue;
		}
		r->seen = false;
	}
	return n;
}

/* Asks for lists again that lack a runtime, or room for functions; and reads names. */
void dt_unwind_runtimes_poll(struct dt_unwind *u)
{
	uint64_t now = u->runtimes != NULL ? dt_clock_ns() : 0;

	for (struct dt_unwind_runtimes *rs = u->runtimes; rs != NULL; rs = rs->next)
		for (unsigned i = 0; i < rs->n; i++)
			if ((!rs->v[i].ready && !rs->v[i].failed && now >= rs->v[i].retry) ||
			    is_crowded(u, &rs->v[i]))
				dt_unwind_want(u, rs->pid);
	if (u->runtimes != NULL)
		dt_langs_poll(u->usyms->langs, POLL_NS);
	if (dt_langs_full(u->usyms->langs) != 0)
		dt_usyms_say(u->usyms, DT_UNOTE_LANG, dt_langs_full(u->usyms->langs));
}

/* The place of a range among the mappings, which are sorted, and which it is not to hide. */
static uint32_t add_range(struct dt_unwind_map *map, uint32_t n, const struct dt_lang_range *range,
    unsigned lang)
{
	uint32_t at = n;

	while (at > 0 && map[at - 1].start >= range->start)
		at--;
	if ((at > 0 && map[at - 1].end > range->start) || (at < n && map[at].start < range->end))
		return n;
	memmove(&map[at + 1], &map[at], (n - at) * sizeof(*map));
	map[at] = (struct dt_unwind_map){ .start = range->start, .end = range->end, .first = lang };
	return n + 1;
}

uint32_t dt_unwind_add_code(const struct dt_unwind_proc *p, struct dt_unwind_map *map, uint32_t n,
    uint32_t most)
{
	for (unsigned i = 0; p->runtimes != NULL && i < p->runtimes->n; i++) {
		const struct dt_unwind_runtime *r = &p->runtimes->v[i];

		for (uint32_t k = 0; r->ready && k < r->process.ncode && n < most; k++)
			n = add_range(map, n, &r->process.code[k], dt_lang_id(r->process.lang));
	}
	return n;
}
