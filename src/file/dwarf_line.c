/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * .debug_line: the files of a unit, and the program that says which line each instruction is of. What the
 * linker has thrown away is left as sequences at addresses that are no code: those are dropped.
 */
#include "file/dwarf_impl.h"

#include <string.h>

struct program { unsigned version, min, base_opcode, range; int base; const uint8_t *lengths; };
struct state { uint64_t at, file, line; size_t first; uint32_t last_file, last_line; };

/* ---- files ---- */

static const char *dir_at(const struct dt_lines_maker *m, uint64_t i)
{
	const char *dir = NULL;

	if (i < m->dirs.len / sizeof(dir))
		memcpy(&dir, m->dirs.bytes + i * sizeof(dir), sizeof(dir));
	return dir;
}

static void add_file(struct dt_lines_maker *m, const char *name, uint64_t dir)
{
	struct dt_debug_file f = { dir_at(m, dir), name, 0 };

	dt_lines_put(m, &m->files, &f, sizeof(f));
}

/*
 * Before version 5: directory 0 is that of the unit, and file 0 none. A define_file of a program, which no
 * compiler of this century emits, is not taken.
 */
static void old_files(struct dt_lines_maker *m, struct dt_debug_cursor *c)
{
	const char *text = m->home;

	do {
		dt_lines_put(m, &m->dirs, &text, sizeof(text));
	} while ((text = dt_debug_string(c)) != NULL && text[0] != '\0');
	add_file(m, NULL, 0);
	while (!c->bad && (text = dt_debug_string(c)) != NULL && text[0] != '\0') {
		add_file(m, text, dt_debug_uleb(c));
		(void)dt_debug_uleb(c);
		(void)dt_debug_uleb(c);
	}
}

/* A table of version 5, whose columns its head describes. A row of no bytes would have no end. */
static void new_table(struct dt_lines_maker *m, const struct dt_debug_unit *u, struct dt_debug_cursor *c,
    bool dirs)
{
	unsigned columns = (unsigned)dt_debug_number(c, 1);
	struct dt_debug_cursor format = *c, column;
	uint64_t n;

	for (unsigned i = 0; i < 2 * columns; i++)
		(void)dt_debug_uleb(c);
	n = dt_debug_uleb(c);
	if (c->bad || n > (uint64_t)(c->end - c->at))
		c->bad = n > 0;
	while (!c->bad && n-- > 0) {
		const char *name = NULL;
		uint64_t dir = 0;

		column = format;
		for (unsigned i = 0; i < columns; i++) {
			uint64_t what = dt_debug_uleb(&column);
			struct dt_debug_attr a;

			dt_debug_attr(u, c, dt_debug_uleb(&column), &a);
			if (what == DW_LNCT_path)
				name = dt_debug_text(&m->dwarf, u, &a);
			else if (what == DW_LNCT_directory_index)
				dir = a.v;
		}
		if (dirs)
			dt_lines_put(m, &m->dirs, &name, sizeof(name));
		else
			add_file(m, name, dir);
	}
}

uint32_t dt_lines_file(struct dt_lines_maker *m, uint64_t number)
{
	struct dt_debug_file *f;

	if (number >= m->files.len / sizeof(*f))
		return 0;
	f = (struct dt_debug_file *)(void *)m->files.bytes + number;
	if (f->text == 0 && f->name != NULL)
		f->text = dt_lines_text(m, f->dir, f->name);
	return f->text;
}

/* ---- the program ---- */

/* Of a line that goes on, one row is enough. */
static void add_step(struct dt_lines_maker *m, struct state *s, bool end)
{
	struct dt_lines_step r = { s->at, end ? 0 : dt_lines_file(m, s->file), end ? 0 : (uint32_t)s->line,
		(uint32_t)(m->rows.len / sizeof(r)), end };
	bool first = m->rows.len == s->first;

	if (first || end || r.file != s->last_file || r.line != s->last_line)
		dt_lines_put(m, &m->rows, &r, sizeof(r));
	s->last_file = r.file;
	s->last_line = r.line;
}

static void begin(const struct dt_lines_maker *m, struct state *s)
{
	*s = (struct state){ .file = 1, .line = 1, .first = m->rows.len };
}

static void end_sequence(struct dt_lines_maker *m, struct state *s)
{
	uint64_t start;

	add_step(m, s, true);
	if (m->err == 0) {
		memcpy(&start, m->rows.bytes + s->first, sizeof(start));
		if (!dt_lines_code(m, start))
			m->rows.len = s->first;
	}
	begin(m, s);
}

static void extended(struct dt_lines_maker *m, struct dt_debug_cursor *c, struct state *s)
{
	uint64_t len = dt_debug_uleb(c);
	struct dt_debug_cursor in = *c;

	if (c->bad || len == 0 || len > (uint64_t)(c->end - c->at)) {
		c->bad = true;
		return;
	}
	c->at += len;
	in.end = c->at;
	switch (dt_debug_number(&in, 1)) {
	case DW_LNE_end_sequence: end_sequence(m, s); break;
	case DW_LNE_set_address: s->at = dt_debug_number(&in, len - 1 <= 8 ? (unsigned)len - 1 : 8); break;
	default: break;
	}
}

static void standard(struct dt_lines_maker *m, const struct program *p, struct dt_debug_cursor *c,
    unsigned op, struct state *s)
{
	switch (op) {
	case DW_LNS_copy: add_step(m, s, false); break;
	case DW_LNS_advance_pc: s->at += dt_debug_uleb(c) * p->min; break;
	case DW_LNS_advance_line: s->line += (uint64_t)dt_debug_sleb(c); break;
	case DW_LNS_set_file: s->file = dt_debug_uleb(c); break;
	case DW_LNS_const_add_pc: s->at += (uint64_t)((255 - p->base_opcode) / p->range) * p->min; break;
	case DW_LNS_fixed_advance_pc: s->at += dt_debug_number(c, 2); break;
	default:
		for (unsigned i = 0; i < p->lengths[op - 1]; i++)
			(void)dt_debug_uleb(c);
		break;
	}
}

static void run(struct dt_lines_maker *m, const struct program *p, struct dt_debug_cursor c)
{
	struct state s;

	begin(m, &s);
	while (!c.bad && c.at < c.end && m->err == 0) {
		unsigned op = (unsigned)dt_debug_number(&c, 1);

		if (op >= p->base_opcode) {
			op -= p->base_opcode;
			s.at += (uint64_t)(op / p->range) * p->min;
			s.line += (uint64_t)(int64_t)(p->base + (int)(op % p->range));
			add_step(m, &s, false);
		} else if (op == 0) {
			extended(m, &c, &s);
		} else {
			standard(m, p, &c, op, &s);
		}
	}
	m->rows.len = s.first;		/* of a sequence that has no end */
}

/* The head's own sizes count for its forms, not those of the unit, which it may not have been made with. */
void dt_lines_program(struct dt_lines_maker *m, const struct dt_debug_unit *unit,
    const struct dt_debug_die *root)
{
	uint64_t at = root->a[DT_DEBUG_AT_stmt_list].v;
	struct dt_debug_cursor c = dt_debug_cursor(&m->dwarf, DT_DEBUG_line, at, UINT64_MAX), code;
	struct dt_debug_unit u = *unit;
	struct program p = { 0 };
	uint64_t len;

	m->dirs.len = m->files.len = 0;
	m->home = dt_debug_text(&m->dwarf, unit, &root->a[DT_DEBUG_AT_comp_dir]);
	if (root->a[DT_DEBUG_AT_stmt_list].form == 0 || c.bad || (u.off = dt_debug_length(&c)) == 0)
		return;
	p.version = (unsigned)dt_debug_number(&c, 2);
	if (p.version >= 5) {
		u.addr = (uint8_t)dt_debug_number(&c, 1);
		(void)dt_debug_number(&c, 1);
	}
	len = dt_debug_number(&c, u.off);
	code = c;
	if (p.version < 2 || p.version > 5 || c.bad || len > (uint64_t)(c.end - c.at) || u.addr > 8)
		return;
	code.at += len;
	p.min = (unsigned)dt_debug_number(&c, 1);
	(void)dt_debug_number(&c, p.version >= 4 ? 2 : 1);	/* operations of an instruction; is_stmt */
	p.base = (int8_t)dt_debug_number(&c, 1);
	p.range = (unsigned)dt_debug_number(&c, 1);
	p.base_opcode = (unsigned)dt_debug_number(&c, 1);
	p.lengths = c.at;
	for (unsigned i = 1; i < p.base_opcode; i++)
		(void)dt_debug_number(&c, 1);
	if (p.version >= 5) {
		new_table(m, &u, &c, true);
		new_table(m, &u, &c, false);
	} else {
		old_files(m, &c);
	}
	if (!c.bad && p.range > 0 && p.base_opcode > 0 && unit->type != DW_UT_partial && m->line != at + 1)
		run(m, &p, code);
	m->line = at + 1;
}
